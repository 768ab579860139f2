/** Rules A.12 of the protocol: sockets that do not read. What can be given anew is spared, what cannot ends the connection; nobody sees a hole. */
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { deltaReader } from "../../../kit/readers/client-deltas.ts"
import type { RawSocket } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, SOON, TICKER, TRADES, useRoom, VENUE_TICKER } from "../../../kit/servers/conformance.ts"
import { BOOK, type TestSockets } from "../../../kit/servers/socket-server.ts"

interface Pub {
  readonly data: { readonly n: number; readonly previous?: number; readonly updateType?: string }
  readonly offset: number
}

/** Publications among what came, in their order. */
const pubs = (replies: ReadonlyArray<unknown>): ReadonlyArray<Pub> =>
  replies.flatMap((reply) => {
    const { push } = reply as { readonly push?: { readonly pub?: Pub } }
    return push?.pub === undefined ? [] : [push.pub]
  })

const FILLER = "y".repeat(2000)

/** Bytes that wait in the server for its slowest client. */
const waitingBytes = ({ server }: TestSockets): number =>
  Math.max(...[...server.connections].map(({ socket }) => socket.getBufferedAmount()))

/** Publishes over many loop turns, until so much waits for a client that does not read, or it is spared; the kernel holds megabytes before. */
const publishUntilWaiting = async (sockets: TestSockets, bytes: number, publish: () => void): Promise<void> => {
  const isEnough = (): boolean => waitingBytes(sockets) >= bytes || stats(sockets).parked > 0
  for (let turn = 0; turn < 5000 && !isEnough(); turn++) {
    for (let n = 0; n < 20; n++) publish()
    await new Promise((next) => setImmediate(next))
  }
  expect(isEnough(), JSON.stringify(stats(sockets))).toBe(true)
}
/** More than a socket may have waiting before it is spared, and more than the kernel's buffers may still take. */
const PLENTY = 500_000

/** Until it has read what waited for it and was given what it was spared: the answer to a later ping comes last. */
const resumed = async (sockets: TestSockets, socket: RawSocket): Promise<ReadonlyArray<Pub>> => {
  socket.socket.resume()
  await expect.poll(() => stats(sockets).parked, SOON).toBe(0)
  return pubs(await socket.rest())
}

const stats = ({ server }: TestSockets) => server.stats()

describe.each(FORMATS)("A.12 a book's reader that stops, in %s", (format) => {
  const room = useRoom()

  it("gets one SNAPSHOT when it reads again, and the DIFFs that follow it; the others miss nothing", async () => {
    const { sockets } = room
    const stream = sockets.stream(BOOK)
    const publish = (): void => {
      const n = stream.position.offset + 1
      stream.position.snapshot = JSON.stringify({ updateType: "SNAPSHOT", n, x: FILLER })
      stream.publish(JSON.stringify({ updateType: "DIFF", n, previous: n - 1, x: FILLER }))
    }
    const [slow] = await room.subscribed(BOOK, format)
    const [well] = await room.subscribed(BOOK, format)
    slow.socket.pause()
    await publishUntilWaiting(sockets, PLENTY, publish)
    await expect.poll(() => stats(sockets).parked, SOON).toBe(1)
    for (let n = 0; n < 500; n++) publish()
    const seen = [...(await resumed(sockets, slow))]
    for (let n = 0; n < 10; n++) publish()
    seen.push(...pubs(await slow.rest()))
    const top = stream.position.offset
    expect(seen.at(-1)).toMatchObject({ offset: top, data: { n: top } })
    let state = 0
    for (const { data, offset } of seen) {
      expect(data.n).toBe(offset)
      if (data.updateType === "DIFF") expect(data.previous).toBe(state)
      else expect(data.n).toBeGreaterThan(state)
      state = data.n
    }
    expect(seen.filter(({ data }) => data.updateType === "SNAPSHOT")).toHaveLength(1)
    const all = pubs(await well.rest())
    expect(all.map(({ offset }) => offset)).toEqual(Array.from({ length: top }, (_, n) => n + 1))
    expect(stats(sockets)).toMatchObject({ closes: {}, conflations: 1 })
  })
})

describe.each(FORMATS)("A.12 a ticker's reader that stops, in %s", (format) => {
  const room = useRoom()

  it.each([
    ["whole", {}],
    ["with deltas", { delta: "fossil" }],
  ])("gets the latest value when it reads again, and then each: %s", async (_what, more) => {
    const { sockets } = room
    const stream = sockets.stream(TICKER)
    const publish = (): void => {
      // Nothing that a delta could make shorter, so that its socket fills too.
      stream.publish(JSON.stringify({ n: stream.position.offset + 1, x: randomBytes(1000).toString("hex") }))
    }
    const [slow] = await room.subscribed(TICKER, format, more)
    slow.socket.pause()
    await publishUntilWaiting(sockets, PLENTY, publish)
    await expect.poll(() => stats(sockets).parked, SOON).toBe(1)
    for (let n = 0; n < 100; n++) publish()
    const top = stream.position.offset
    const seen = [...(await resumed(sockets, slow))]
    expect(seen.at(-1)?.offset).toBe(top)
    for (let n = 0; n < 10; n++) publish()
    seen.push(...pubs(await slow.rest()))
    const read = deltaReader(format)
    const values =
      "delta" in more ? seen.map((each) => read(each as never) as { readonly n: number }) : seen.map(({ data }) => data)
    // Whoever was spared gets the value that was the newest when it reads again: at most once more.
    for (const [index, { n }] of values.entries()) expect(n).toBeGreaterThanOrEqual(values[index - 1]?.n ?? 0)
    expect(values.slice(-11).map(({ n }) => n)).toEqual(Array.from({ length: 11 }, (_, n) => top + n))
    expect(stats(sockets).closes["3008"]).toBeUndefined()
  })

  it("of a whole venue has the latest value of every instrument in the end", async () => {
    const { sockets } = room
    const stream = sockets.stream(VENUE_TICKER)
    const latest = new Map<string, number>()
    const publish = (): void => {
      const n = stream.position.offset + 1
      // One instrument is quiet from early on: its value must not be lost while the others move.
      const subject = n <= 10 ? `I${n}` : `I${(n % 9) + 1}`
      latest.set(subject, n)
      stream.publish(JSON.stringify({ n, subject, x: FILLER }), { subject, tags: { instrumentId: subject } })
    }
    const [slow] = await room.subscribed(VENUE_TICKER, format)
    slow.socket.pause()
    await publishUntilWaiting(sockets, PLENTY, publish)
    await expect.poll(() => stats(sockets).parked, SOON).toBe(1)
    for (let n = 0; n < 100; n++) publish()
    const seen = [...(await resumed(sockets, slow))]
    publish()
    seen.push(...pubs(await slow.rest()))
    const held = new Map<string, number>()
    for (const { data } of seen as ReadonlyArray<unknown> as ReadonlyArray<{ data: { n: number; subject: string } }>) {
      expect(data.n).toBeGreaterThanOrEqual(held.get(data.subject) ?? 0)
      held.set(data.subject, data.n)
    }
    expect(held).toEqual(latest)
  })
})

describe.each(FORMATS)("A.12 a reader of every event that stops, in %s", (format) => {
  const room = useRoom()

  it("is closed with 3008 after a whole beginning; the others miss nothing", async () => {
    const { sockets } = room
    const stream = sockets.stream(TRADES)
    const publish = (): void => void stream.publish(JSON.stringify({ n: stream.position.offset + 1, x: FILLER }))
    const [slow] = await room.subscribed(TRADES, format)
    const [well] = await room.subscribed(TRADES, format)
    slow.socket.pause()
    await publishUntilWaiting(sockets, PLENTY, publish)
    for (let n = 0; n < 1000 && stats(sockets).dropped === 0; n++) {
      publish()
      await new Promise((next) => setImmediate(next))
    }
    await expect.poll(() => stats(sockets).closes["3008"], SOON).toBe(1)
    publish()
    const top = stream.position.offset
    const all = pubs(await well.rest())
    expect(all.map(({ offset }) => offset)).toEqual(Array.from({ length: top }, (_, n) => n + 1))
    slow.socket.resume()
    expect([1006, 3008]).toContain((await slow.closed).code)
    const seen: Array<unknown> = []
    while (slow.waiting() > 0) seen.push(await slow.next())
    expect(pubs(seen).map(({ offset }) => offset)).toEqual(Array.from({ length: seen.length }, (_, n) => n + 1))
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.length).toBeLessThan(top)
    expect(stats(sockets)).toMatchObject({ connections: 1, closedByAge: 0, parked: 0 })
  })
})

describe.each(FORMATS)("A.12 a reader that stops on a quiet channel, in %s", (format) => {
  const room = useRoom({ handTurned: true, slowMillis: 15_000, conflateBytes: 1_000_000 })

  it("is closed with 3008 when bytes have waited for it too long", async () => {
    const { sockets } = room
    const stream = sockets.stream(TRADES)
    const [slow] = await room.subscribed(TRADES, format)
    slow.socket.pause()
    await publishUntilWaiting(sockets, PLENTY, () => void stream.publish(JSON.stringify({ x: FILLER })))
    await expect.poll(() => stats(sockets).behind, SOON).toBe(1)
    // Pings stay out of it: the first comes after 13 s, its pong is due 8 s later.
    sockets.turn(10)
    await room.connected(format)
    expect(stats(sockets).closes).toEqual({})
    sockets.turn(6)
    await expect.poll(() => stats(sockets).closes["3008"], SOON).toBe(1)
    expect(stats(sockets)).toMatchObject({ dropped: 0, closedByAge: 1 })
  })
})

describe.each(FORMATS)("A.12 a client that asks for more than it reads, in %s", (format) => {
  const room = useRoom()

  it("is answered when it reads, each in its turn, and not closed", async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket] = await room.subscribed(TRADES, format)
    for (let n = 0; n < 100; n++) stream.publish(JSON.stringify({ n, x: FILLER }))
    await socket.rest()
    socket.send({ id: 3, unsubscribe: { channel: TRADES } })
    await socket.next()
    socket.socket.pause()
    const ids: Array<number> = []
    const ask = (): void => {
      const more = Array.from({ length: 10 }, (_, n) => 10 + ids.length + n)
      ids.push(...more)
      socket.send(...more.map((id) => ({ id, history: { channel: TRADES, limit: 100 } })))
    }
    // Each answer is about 200 kB. The kernel's buffers take some of them, on some machines more than 30 MB.
    while (waitingBytes(room.sockets) === 0 && ids.length < 2_000) {
      ask()
      await new Promise((next) => setTimeout(next, 5))
    }
    expect(waitingBytes(room.sockets)).toBeGreaterThan(0)
    // Several times what the limit allows to wait.
    for (let n = 0; n < 5; n++) ask()
    await room.connected(format)
    socket.socket.resume()
    const answers = await socket.rest()
    expect(answers.map(({ id }) => id)).toEqual(ids)
    expect(answers.every(({ history }) => (history as { publications: unknown[] }).publications.length === 100)).toBe(
      true,
    )
    expect(stats(room.sockets)).toMatchObject({ dropped: 0 })
  })
})
