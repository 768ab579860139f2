/** A slow reader of many deep books: what it was spared comes book by book, as it reads. */
import { afterEach, expect, it } from "vitest"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { startSockets, type TestSockets, VENUE } from "../../kit/servers/socket-server.ts"

const SOON = { timeout: 45_000 }
/** Each alone is more than a socket may have waiting. */
const DEEP = "y".repeat(12_000_000)
const CONFLATE_BYTES = 131_072
const FILLER = "y".repeat(2_000_000)
const SYMBOLS = ["A/USDT", "B/USDT", "C/USDT"]

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

it("gives a socket that reads again every book that it was spared", async () => {
  const running = await startSockets({ slowMillis: 600_000, conflateBytes: CONFLATE_BYTES })
  sockets = running
  const [instrument] = running.instruments.ofVenue(VENUE, null)
  if (instrument === undefined) throw new Error("no instrument")
  running.instruments.put(
    SYMBOLS.map((symbol) => ({ ...instrument, symbol, instrumentId: `${VENUE}:${symbol}` as InstrumentId })),
  )
  const streams = SYMBOLS.map((symbol) => running.stream(`market:orderbook:${VENUE}:${symbol}`))
  const socket = await rawSocket(running.url)
  socket.send(
    { id: 1, connect: { token: "alice" } },
    ...streams.map(({ channel }, n) => ({ id: 2 + n, subscribe: { channel } })),
  )
  for (let n = 0; n <= SYMBOLS.length; n++) await socket.next()

  socket.socket.pause()
  const [connection] = running.server.connections
  const waitingBytes = (): number => connection?.socket.getBufferedAmount() ?? 0
  // The kernel's buffers take some of them, on some machines more than 30 MB; one more where many wait would end the socket.
  for (let n = 1; waitingBytes() <= CONFLATE_BYTES && n < 40; n++) {
    streams[0]?.publish(JSON.stringify({ n, x: FILLER }))
    await new Promise((next) => setTimeout(next, 5))
  }
  await expect.poll(() => running.server.stats().parked, SOON).toBe(1)
  for (const { position } of streams) position.snapshot = JSON.stringify({ whole: true, x: DEEP })
  socket.socket.resume()
  await expect.poll(() => running.server.stats().parked, SOON).toBe(0)

  const told = await socket.rest()
  const wholes = told.flatMap((reply) => {
    const { push } = reply as { push?: { channel: string; pub: { data: { whole?: boolean } } } }
    return push?.pub.data.whole === true ? [push.channel] : []
  })
  expect(wholes.sort()).toEqual(streams.map(({ channel }) => channel))
  expect(running.server.stats().closes["3008"]).toBeUndefined()
  socket.close()
})
