/** Rules A.10 of the protocol: deltas, read by the official client's own decoder. */
import { describe, expect, it } from "vitest"
import { rawProtobuf } from "../../../kit/readers/client-codecs.ts"
import { deltaReader } from "../../../kit/readers/client-deltas.ts"
import type { RawSocket } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, refusal, TICKER, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const room = useRoom({ channels: { trade: { historySize: 50, recoveryMax: 50 } } })

interface WirePublication {
  readonly data: never
  readonly delta?: boolean
  readonly offset?: number
}
interface WireReply {
  readonly subscribe?: { readonly publications?: ReadonlyArray<WirePublication> }
  readonly push?: { readonly pub?: WirePublication }
}

/** All publications that came since `from` messages, those of replies too, with their data as on the wire. */
const publicationsOf = ({ format, messages }: RawSocket, from = 0): ReadonlyArray<WirePublication> =>
  messages
    .slice(from)
    .flatMap(
      (message): ReadonlyArray<WireReply> =>
        format === "protobuf"
          ? (rawProtobuf(message) as ReadonlyArray<WireReply>)
          : message
              .toString()
              .split("\n")
              .map((line) => JSON.parse(line)),
    )
    .flatMap(({ subscribe, push }) => [...(subscribe?.publications ?? []), ...(push?.pub ? [push.pub] : [])])

const readAll = (socket: RawSocket, from = 0): ReadonlyArray<unknown> =>
  publicationsOf(socket, from).map(deltaReader(socket.format))

/** Texts that differ a little from each other, in characters of one to four bytes. */
const trade = (n: number): object => ({
  tradeId: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  note: `сделка ${"абвгдежз".at(n % 8)} 价格 ${"一二三四".at(n % 4)} ${["💡", "🔥", "é"].at(n % 3)} ${"x".repeat(n % 5)}`,
  price: String(60_000 + (n % 7)),
})

describe.each(FORMATS)("A.10 deltas in %s", (format) => {
  const subscribed = (more: object = {}) => room.subscribed(TRADES, format, { delta: "fossil", ...more })
  const isFull = ({ delta = false }: WirePublication) => !delta

  it("are on only where the client asks and the channel has them", async () => {
    expect((await subscribed())[1]).toMatchObject({ subscribe: { delta: true } })
    expect((await room.subscribed(TRADES, format))[1]["subscribe"]).not.toHaveProperty("delta")
    // A book is a SNAPSHOT and DIFFs, never deltas of them.
    expect((await room.subscribed(BOOK, format, { delta: "fossil" }))[1]["subscribe"]).not.toHaveProperty("delta")
  })

  it("are off beside a filter, which still filters", async () => {
    const [socket, reply] = await subscribed({ tf: { key: "side", cmp: "eq", val: "BUY" } })
    expect(reply["subscribe"]).not.toHaveProperty("delta")
    const stream = room.sockets.stream(TRADES)
    stream.publish('{"n":1}', { tags: { side: "SELL" } })
    stream.publish('{"n":2}', { tags: { side: "BUY" } })
    expect(await socket.rest()).toMatchObject([{ push: { pub: { data: { n: 2 } } } }])
  })

  it("of another kind than fossil end the connection with 3501", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 2, subscribe: { channel: TRADES, delta: "bsdiff" } })
    expect((await socket.closed).code).toBe(3501)
  })

  it("begin with a full publication, and make of each what was published", async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket] = await subscribed()
    const sent = Array.from({ length: 40 }, (_, n) => trade(n))
    for (const each of sent) stream.publish(JSON.stringify(each))
    await socket.rest()
    const publications = publicationsOf(socket)
    expect(publications.map(isFull)).toEqual(sent.map((_, n) => n === 0))
    expect(readAll(socket)).toEqual(sent)
    if (format === "json") for (const { data } of publications) expect(typeof data).toBe("string")
  })

  it("give way to a full publication that is shorter", async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket] = await subscribed()
    const sent = [trade(1), 7, trade(2), "x", trade(3), trade(4)]
    for (const each of sent) stream.publish(JSON.stringify(each))
    await socket.rest()
    expect(publicationsOf(socket).map(isFull)).toEqual([true, true, true, true, true, false])
    expect(readAll(socket)).toEqual(sent)
  })

  it("of a recovery stand on one another, and live ones on the last", async () => {
    const stream = room.sockets.stream(TRADES)
    const [reader] = await subscribed()
    for (let n = 0; n < 10; n++) stream.publish(JSON.stringify(trade(n)))
    await reader.rest()
    const { epoch, offset } = stream.position
    const [socket] = await subscribed({ recover: true, epoch, offset: offset - 6 })
    for (let n = 10; n < 15; n++) stream.publish(JSON.stringify(trade(n)))
    await socket.rest()
    expect(publicationsOf(socket).map(isFull)).toEqual(Array.from({ length: 11 }, (_, n) => n === 0))
    expect(readAll(socket)).toEqual(Array.from({ length: 11 }, (_, n) => trade(n + 4)))
  })

  it("after a recovery of nothing begin with a full publication", async () => {
    const stream = room.sockets.stream(TRADES)
    const [reader] = await subscribed()
    for (let n = 0; n < 3; n++) stream.publish(JSON.stringify(trade(n)))
    await reader.rest()
    const [socket, reply] = await subscribed({ recover: true, ...stream.position, snapshot: undefined })
    expect(reply).toMatchObject({ subscribe: { recovered: true, delta: true } })
    for (let n = 3; n < 6; n++) stream.publish(JSON.stringify(trade(n)))
    await socket.rest()
    await reader.rest()
    expect(publicationsOf(socket).map(isFull)).toEqual([true, false, false])
    expect(readAll(socket)).toEqual([3, 4, 5].map(trade))
    expect(publicationsOf(reader).map(isFull)).toEqual([true, false, false, false, false, false])
    expect(readAll(reader)).toEqual([0, 1, 2, 3, 4, 5].map(trade))
  })

  it("begin anew with each subscribe of a connection", async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket] = await subscribed()
    stream.publish(JSON.stringify(trade(0)))
    stream.publish(JSON.stringify(trade(1)))
    socket.send({ id: 3, unsubscribe: { channel: TRADES } })
    await socket.rest()
    const before = socket.messages.length
    socket.send({ id: 4, subscribe: { channel: TRADES, delta: "fossil" } })
    await socket.next()
    for (let n = 2; n < 5; n++) stream.publish(JSON.stringify(trade(n)))
    await socket.rest()
    expect(publicationsOf(socket, before).map(isFull)).toEqual([true, false, false])
    expect(readAll(socket, before)).toEqual([2, 3, 4].map(trade))
  })

  it("are one chain for all: who comes and goes changes nothing for the others", async () => {
    const stream = room.sockets.stream(TRADES)
    const [plain] = await room.subscribed(TRADES, format)
    const [first] = await subscribed()
    const others: Array<{ readonly socket: RawSocket; readonly from: number }> = []
    for (let n = 0; n < 24; n++) {
      if (n % 3 === 0) others.push({ socket: (await subscribed())[0], from: n })
      if (n % 5 === 4) others.shift()?.socket.close()
      stream.publish(JSON.stringify(trade(n)))
    }
    const all = Array.from({ length: 24 }, (_, n) => trade(n))
    await first.rest()
    expect(readAll(first)).toEqual(all)
    expect(publicationsOf(first).filter(isFull)).toHaveLength(1)
    for (const { socket, from } of others) {
      await socket.rest()
      expect(readAll(socket)).toEqual(all.slice(from))
    }
    expect((await plain.rest()).map(({ push }) => (push as { pub: { data: unknown } }).pub.data)).toEqual(all)
  })

  it("of the latest value stand on the value that was given at the beginning", async () => {
    const stream = room.sockets.stream(TICKER)
    const [first] = await room.subscribed(TICKER, format, { delta: "fossil" })
    stream.publish(JSON.stringify(trade(1)))
    const [socket] = await room.subscribed(TICKER, format, { delta: "fossil" })
    stream.publish(JSON.stringify(trade(2)))
    stream.publish(JSON.stringify(trade(3)))
    await socket.rest()
    await first.rest()
    expect(publicationsOf(socket).map(isFull)).toEqual([true, false, false])
    expect(readAll(socket)).toEqual([1, 2, 3].map(trade))
    expect(readAll(first).slice(-3)).toEqual([1, 2, 3].map(trade))
  })

  it("may be refused with a bad filter, and nothing is joined then", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 2, subscribe: { channel: TRADES, delta: "fossil", tf: { cmp: "eq" } } })
    expect(await socket.next()).toMatchObject(refusal(2, 107))
    room.sockets.stream(TRADES).publish("1")
    expect(await socket.rest()).toEqual([])
  })
})

describe("A.10 deltas in JSON", () => {
  it("never cut a character, whichever letter of a text changes", async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket] = await room.subscribed(TRADES, "json", { delta: "fossil" })
    const letters = "абвгдежзийклмнопрстуфхцчшщъыьэюя"
    const sent: Array<object> = []
    for (let n = 0; n < 45; n++) {
      const text = [...letters]
      text[n % 32] = letters[(n * 7) % 32] ?? "я"
      sent.push({ text: text.join("") })
    }
    for (const each of sent) stream.publish(JSON.stringify(each))
    await socket.rest()
    expect(publicationsOf(socket).filter(({ delta }) => delta)).toHaveLength(44)
    expect(readAll(socket)).toEqual(sent)
    for (const message of socket.messages) expect(message.toString()).not.toContain("\ufffd")
  })
})
