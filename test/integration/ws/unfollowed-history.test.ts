/** A position told by `history` while nobody follows the channel: what passes before the subscribe is never called recovered. */
import { afterEach, expect, it } from "vitest"
import type { ChannelSource } from "../../../src/ports/channel-port.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

const TRADES = "market:trade:MOCK:BTC/USDT"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

it("cannot be recovered from once the feed is open", async () => {
  let isOpen = false
  const trade: ChannelSource = {
    opened: () => {
      isOpen = true
    },
    closed: () => undefined,
    position: () => ({ epoch: isOpen ? "e1" : "", offset: 0, snapshot: null }),
  }
  sockets = await startSockets({ sources: { trade } })
  const socket = await rawSocket(sockets.url)
  socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, history: { channel: TRADES } })
  await socket.next()
  const { history } = (await socket.next()) as unknown as { history: { epoch: string; offset: number } }
  expect(history).toMatchObject({ offset: 0, epoch: expect.stringMatching(/./) })
  socket.send({ id: 3, subscribe: { channel: TRADES, recover: true, epoch: history.epoch, offset: history.offset } })
  const { subscribe } = (await socket.next()) as unknown as { subscribe: { recovered?: boolean } }
  expect(subscribe).toMatchObject({ was_recovering: true, epoch: "e1" })
  expect(subscribe.recovered).toBeUndefined()
})
