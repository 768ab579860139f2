/** Commands that wait take memory: a connection whose commands wait for too many bytes ends, whatever they wait for. */
import { afterEach, expect, it } from "vitest"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { BOOK, startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

const FILLER = "y".repeat(60_000)

/** One command a message, each far below what may wait by number. */
const flood = (socket: Awaited<ReturnType<typeof rawSocket>>, command: object): void => {
  for (let id = 100; id < 120; id++) socket.send({ id, ...command })
}

it("ends the connection with 3013 when much waits behind subscribes that wait", async () => {
  const running = await startSockets()
  sockets = running
  const channels = ["A", "B", "C", "D"].map((base) => `market:orderbook:SLOW:${base}/USDT`)
  const socket = await rawSocket(running.url)
  socket.send(
    { id: 1, connect: { token: "alice" } },
    ...channels.map((channel, n) => ({ id: 2 + n, subscribe: { channel } })),
  )
  await socket.next()
  for (const channel of channels) flood(socket, { unsubscribe: { channel, filler: FILLER } })
  expect((await socket.closed).code).toBe(3013)
})

it("ends the connection with 3013 when much waits for its peer to read", async () => {
  const running = await startSockets()
  sockets = running
  const socket = await rawSocket(running.url)
  socket.send({ id: 1, connect: { token: "alice" } })
  await socket.next()
  socket.socket.pause()
  running.position.snapshot = JSON.stringify("y".repeat(4_000_000))
  const [connection] = running.server.connections
  const waitingBytes = (): number => connection?.socket.getBufferedAmount() ?? 0
  // The kernel's buffers take some of them, on some machines more than 30 MB.
  for (let id = 2; waitingBytes() < 1_000_000 && id < 80; id += 2) {
    socket.send({ id, subscribe: { channel: BOOK } }, { id: id + 1, unsubscribe: { channel: BOOK } })
    await new Promise((next) => setTimeout(next, 5))
  }
  expect(waitingBytes()).toBeGreaterThan(1_000_000)
  flood(socket, { ping: { filler: FILLER } })
  await expect.poll(() => running.server.stats().closes["3013"], { timeout: 45_000 }).toBe(1)
})

it("goes on when what waited is answered, however much it was in all", async () => {
  const running = await startSockets()
  sockets = running
  const socket = await rawSocket(running.url)
  socket.send({ id: 1, connect: { token: "alice" } })
  await socket.next()
  for (let round = 0; round < 30; round++) {
    const channel = "market:orderbook:SLOW:BTC/USDT"
    socket.send({ id: 2, subscribe: { channel } })
    socket.send({ id: 3, unsubscribe: { channel, filler: FILLER } })
    socket.send({ id: 4, ping: {} })
    expect(await socket.next()).toEqual({ id: 4, ping: {} })
    running.learn.pop()?.(false)
    expect(await socket.next()).toMatchObject({ id: 2, error: { code: 100 } })
    expect(await socket.next()).toEqual({ id: 3, unsubscribe: {} })
  }
})
