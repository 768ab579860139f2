/** Who may read a channel may change while a command for it waits: the account, or who the connection speaks for. */
import { afterEach, describe, expect, it } from "vitest"
import type { InstrumentId, VenueId } from "../../../src/domain/ids.ts"
import type { ChannelSource, StoredPublication } from "../../../src/ports/channel-port.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { instrumentOf } from "../../kit/records/instruments.ts"
import { startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let open: TestSockets | undefined
afterEach(async () => {
  await open?.stop()
  open = undefined
})

type Reads = Array<(rows: ReadonlyArray<StoredPublication> | null) => void>

/** A connection of alice's whose command 2 waits, by `waits`; `goOn` ends the wait. */
const waitingFor = async (
  command: (channel: string) => object,
  waits: (sockets: TestSockets, reads: Reads) => number,
  goOn: (sockets: TestSockets, reads: Reads) => void,
) => {
  const reads: Reads = []
  const tradingAccount: ChannelSource = {
    opened: () => undefined,
    closed: () => undefined,
    position: () => ({ epoch: "e1", offset: 1, snapshot: null }),
    replay: (_channel, _after, _upTo, done) => void reads.push(done),
  }
  const sockets = await startSockets({ sources: { tradingAccount } })
  open = sockets
  const channel = `tradingAccount:${sockets.accountId}`
  const socket = await rawSocket(sockets.url)
  socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, ...command(channel) })
  await socket.next()
  await expect.poll(() => waits(sockets, reads), { timeout: 45_000 }).toBe(1)
  return { sockets, channel, socket, goOn: () => goOn(sockets, reads) }
}

const reading = (_sockets: TestSockets, reads: Reads): number => reads.length
const read = (_sockets: TestSockets, reads: Reads): void => reads.pop()?.([{ offset: 1, json: '{"n":1}' }])

const WAITS = {
  "a subscribe that reads the journal": () =>
    waitingFor((channel) => ({ subscribe: { channel, recover: true, epoch: "e1" } }), reading, read),
  "a history that reads the journal": () =>
    waitingFor((channel) => ({ history: { channel, limit: 10 } }), reading, read),
  "a subscribe that learns a venue's instruments": () =>
    waitingFor(
      () => ({ subscribe: { channel: "market:orderbook:SLOW:BTC/USDT" } }),
      ({ learn }) => learn.length,
      ({ instruments, learn }) => {
        const instrumentId = "SLOW:BTC/USDT" as InstrumentId
        instruments.put([{ ...instrumentOf("MOCK:BTC/USDT"), instrumentId, venue: "SLOW" as VenueId }])
        learn.pop()?.(true)
      },
    ),
} as const

describe.each(Object.entries(WAITS))("%s", (_name, begin) => {
  it("is refused to a connection that went over to less meanwhile", async () => {
    const { sockets, socket, goOn } = await begin()
    socket.send({ id: 3, refresh: { token: "alice-unread" } })
    expect(await socket.next()).toMatchObject({ id: 3, refresh: {} })
    goOn()
    expect(await socket.next()).toMatchObject({ id: 2, error: { code: 103 } })
    expect(sockets.hub.stats().subscriptions).toBe(0)
  })

  it("ends a connection whose key is over, though nobody has told it yet", async () => {
    const { sockets, socket, goOn } = await begin()
    sockets.over.add("alice")
    goOn()
    expect((await socket.closed).code).toBe(3500)
    expect(sockets.hub.stats().subscriptions).toBe(0)
  })
})

it("a subscribe is refused whose account was disconnected while the journal was read", async () => {
  const { sockets, channel, socket, goOn } = await WAITS["a subscribe that reads the journal"]()
  sockets.disconnectAccount()
  sockets.hub.terminate(channel)
  goOn()
  expect(await socket.next()).toMatchObject({ id: 2, error: { code: 103 } })
  expect(sockets.hub.stats().subscriptions).toBe(0)
})
