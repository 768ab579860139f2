/** An account that is disconnected while its journal is read for a subscriber. */
import { afterEach, expect, it } from "vitest"
import type { ChannelSource, StoredPublication } from "../../../src/ports/channel-port.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

it("refuses a subscribe whose account was disconnected while the journal was read", async () => {
  const reads: Array<(rows: ReadonlyArray<StoredPublication> | null) => void> = []
  const tradingAccount: ChannelSource = {
    opened: () => undefined,
    closed: () => undefined,
    position: () => ({ epoch: "e1", offset: 1, snapshot: null }),
    replay: (_channel, _after, _upTo, done) => void reads.push(done),
  }
  sockets = await startSockets({ sources: { tradingAccount } })
  const channel = `tradingAccount:${sockets.accountId}`
  const socket = await rawSocket(sockets.url)
  socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, subscribe: { channel, recover: true, epoch: "e1" } })
  await socket.next()
  await expect.poll(() => reads.length, { timeout: 45_000 }).toBe(1)
  sockets.disconnectAccount()
  sockets.hub.terminate(channel)
  reads.pop()?.([{ offset: 1, json: '{"n":1}' }])
  expect(await socket.next()).toMatchObject({ id: 2, error: { code: 103 } })
  expect(sockets.hub.stats().subscriptions).toBe(0)
})
