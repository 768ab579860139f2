/** What flows: the official client, gathered frames, slow consumers, shutdown. */
import { Centrifuge } from "centrifuge"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { BOOK, startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

const subscribed = async (running: TestSockets) => {
  const socket = await rawSocket(running.url)
  socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, subscribe: { channel: BOOK } })
  await socket.next()
  await socket.next()
  return socket
}

describe("the socket's flow", () => {
  it("serves the unmodified centrifuge client: snapshot first, then every publication in order", async () => {
    const running = await startSockets()
    sockets = running
    running.position.snapshot = '{"n":0}'
    const seen: Array<number> = []
    const client = new Centrifuge(running.url, { token: "alice", websocket: WebSocket })
    const subscription = client.newSubscription(BOOK)
    subscription.on("publication", ({ data }) => seen.push(data.n))
    subscription.subscribe()
    client.connect()
    await subscription.ready(60_000)
    for (let n = 1; n <= 1000; n++) running.publish(`{"n":${n}}`)
    await expect.poll(() => seen.length).toBe(1001)
    expect(seen).toEqual(Array.from({ length: 1001 }, (_, n) => n))
    client.disconnect()
  })

  it("gathers the publications of a busy hub and hands them over before a newcomer joins", async () => {
    // A reader that is on the same thread cannot read meanwhile: it must not be spared for that.
    const running = await startSockets({ windowMillis: 50, handTurned: true, conflateBytes: 1_000_000 })
    sockets = running
    const first = await subscribed(running)
    let n = 0
    // More deliveries in 60 ms than an unwindowed hub would allow itself: 2,000 of 4.5 µs are 15 % of a core.
    for (let i = 0; i < 3_000; i++) running.publish(`{"n":${++n}}`)
    running.advance(60)
    running.publish(`{"n":${++n}}`)
    expect(running.hub.stats().windowed).toBe(true)
    const framesBefore = running.hub.stats().frames
    const second = await subscribed(running)
    expect(running.hub.stats().frames).toBe(framesBefore + 1)
    running.publish(`{"n":${++n}}`)
    expect(await second.next()).toMatchObject({ push: { pub: { data: { n } } } })
    let last = 0
    while (last < n) {
      const { push } = (await first.next()) as unknown as { push: { pub: { data: { n: number }; offset: number } } }
      expect(push.pub.data.n).toBe(last + 1)
      last = push.pub.data.n
    }
  })

  it.each([
    ["large publications", 60_000, 1],
    ["small ones, a few per turn", 1000, 20],
    ["small ones, many per turn", 1000, 200],
  ])(
    "closes a consumer that stops reading with 3008 and loses nothing of the others: %s",
    async (_what, bytes, perTurn) => {
      const running = await startSockets({ channels: { orderbook: { behind: "close" } } })
      sockets = running
      const slow = await subscribed(running)
      const well = await subscribed(running)
      const numbers: Array<number> = []
      well.socket.on("message", (message) => {
        for (const line of message.toString().split("\n")) numbers.push(JSON.parse(line).push.pub.data.n)
      })
      slow.socket.pause()
      const filler = "y".repeat(bytes)
      let n = 0
      for (let turn = 0; turn < 20_000 && running.server.stats().dropped === 0; turn++) {
        for (let i = 0; i < perTurn; i++) running.publish(`{"n":${++n},"x":"${filler}"}`)
        await new Promise((done) => setImmediate(done))
      }
      await expect.poll(() => running.server.stats().closes["3008"]).toBe(1)
      running.publish(`{"n":${++n}}`)
      await expect.poll(() => numbers.length).toBe(n)
      expect(numbers).toEqual(Array.from({ length: n }, (_, i) => i + 1))
      // What the slow one finds in its buffers is a prefix without a gap, and then the end.
      const seen: Array<number> = []
      slow.socket.on("message", (message) => {
        for (const line of message.toString().split("\n")) seen.push(JSON.parse(line).push.pub.data.n)
      })
      slow.socket.resume()
      await slow.closed
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, i) => i + 1))
      expect(seen.length).toBeLessThan(n)
    },
  )

  it("tells every client 3001 at shutdown", async () => {
    const running = await startSockets()
    const socket = await subscribed(running)
    await running.stop()
    expect(await socket.closed).toEqual({ code: 3001, reason: "shutdown" })
  })
})
