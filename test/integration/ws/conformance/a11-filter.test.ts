/** Rules A.11 of the protocol: filters by tags, as a subscriber sees them. What each comparison means is in the unit tests of filters. */
import { describe, expect, it } from "vitest"
import type { RawSocket } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, refusal, TRADES, useRoom, VENUE_TICKER } from "../../../kit/servers/conformance.ts"

const room = useRoom({ channels: { trade: { historySize: 50, recoveryMax: 50 } } })

interface Leaf {
  readonly key: string
  readonly cmp: string
  readonly val?: string
  readonly vals?: ReadonlyArray<string>
}
const leaf = (key: string, cmp: string, val?: string | ReadonlyArray<string>): Leaf => ({
  key,
  cmp,
  ...(val === undefined ? undefined : typeof val === "string" ? { val } : { vals: val }),
})

const TAGS: ReadonlyArray<Readonly<Record<string, string>> | undefined> = [
  { side: "BUY", size: "1.5" },
  { side: "SELL", size: "20" },
  { side: "BUY", size: "100", mark: "iceberg" },
  { size: "abc" },
  { side: "UNKNOWN" },
  undefined,
]

const numbers = (replies: ReadonlyArray<unknown>): ReadonlyArray<number> =>
  replies.map((reply) => (reply as { push: { pub: { data: { n: number } } } }).push.pub.data.n)

const publishAll = (): void => {
  for (const [n, tags] of TAGS.entries()) room.sockets.stream(TRADES).publish(`{"n":${n}}`, { tags })
}

describe.each(FORMATS)("A.11 a filter in %s", (format) => {
  it.each<readonly [string, object, ReadonlyArray<number>]>([
    ["eq", leaf("side", "eq", "BUY"), [0, 2]],
    ["neq, true without the tag", leaf("side", "neq", "BUY"), [1, 3, 4, 5]],
    ["in", leaf("side", "in", ["SELL", "UNKNOWN"]), [1, 4]],
    ["nin, true without the tag", leaf("side", "nin", ["SELL", "UNKNOWN"]), [0, 2, 3, 5]],
    ["ex", leaf("mark", "ex"), [2]],
    ["nex", leaf("mark", "nex"), [0, 1, 3, 4, 5]],
    ["sw", leaf("side", "sw", "BU"), [0, 2]],
    ["ew", leaf("side", "ew", "L"), [1]],
    ["ct", leaf("side", "ct", "NK"), [4]],
    ["lt, false for what is no number", leaf("size", "lt", "20"), [0]],
    ["lte", leaf("size", "lte", "20"), [0, 1]],
    ["gt", leaf("size", "gt", "9"), [1, 2]],
    ["gte", leaf("size", "gte", "1.50"), [0, 1, 2]],
    ["and", { op: "and", nodes: [leaf("side", "eq", "BUY"), leaf("size", "gt", "2")] }, [2]],
    ["or", { op: "or", nodes: [leaf("side", "eq", "SELL"), leaf("mark", "ex")] }, [1, 2]],
    ["not", { op: "not", nodes: [leaf("side", "ex")] }, [3, 5]],
    [
      "a tree",
      {
        op: "and",
        nodes: [
          { op: "not", nodes: [leaf("mark", "ex")] },
          { op: "or", nodes: [leaf("size", "gt", "1"), leaf("side", "eq", "UNKNOWN")] },
        ],
      },
      [0, 1, 4],
    ],
  ])("lets through what matches: %s", async (_what, tf, wanted) => {
    const [socket, reply] = await room.subscribed(TRADES, format, { tf })
    expect(reply).toMatchObject({ id: 2, subscribe: { positioned: true } })
    publishAll()
    expect(numbers(await socket.rest())).toEqual(wanted)
  })

  it.each<readonly [string, unknown]>([
    ["nothing", {}],
    ["an unknown comparison", leaf("side", "like", "B")],
    ["an unknown operation", { op: "xor", nodes: [leaf("side", "ex")] }],
    ["no key", leaf("", "eq", "BUY")],
    ["no value", leaf("side", "eq")],
    ["a value and a list", { ...leaf("side", "in", ["a"]), val: "b" }],
    ["an empty list", leaf("side", "in", [])],
    ["a value where none belongs", leaf("side", "ex", "BUY")],
    ["an operation without nodes", { op: "and" }],
    ["not of two", { op: "not", nodes: [leaf("a", "ex"), leaf("b", "ex")] }],
    ["a bad leaf deep inside", { op: "not", nodes: [{ op: "or", nodes: [leaf("a", "ex"), leaf("b", "")] }] }],
    ["more nodes than anybody needs", { op: "and", nodes: Array.from({ length: 300 }, () => leaf("a", "ex")) }],
  ])("that is malformed is refused with 107: %s", async (_what, tf) => {
    const socket = await room.connected(format)
    socket.send({ id: 2, subscribe: { channel: TRADES, tf } })
    expect(await socket.next()).toMatchObject(refusal(2, 107))
  })

  it("does not move the position: recovery is whole, and filtered too", async () => {
    const stream = room.sockets.stream(TRADES)
    const tf = leaf("side", "eq", "BUY")
    const [reader] = await room.subscribed(TRADES, format, { tf })
    const { epoch, offset } = stream.position
    publishAll()
    expect(numbers(await reader.rest())).toEqual([0, 2])
    const [socket, reply] = await room.subscribed(TRADES, format, { tf, recover: true, epoch, offset })
    expect(reply).toMatchObject({
      subscribe: {
        recovered: true,
        was_recovering: true,
        publications: [
          { data: { n: 0 }, offset: offset + 1 },
          { data: { n: 2 }, offset: offset + 3 },
        ],
      },
    })
    publishAll()
    expect(numbers(await socket.rest())).toEqual([0, 2])
  })

  it("is each subscriber's own, and equal ones get the same", async () => {
    const wishes: ReadonlyArray<readonly [object | undefined, ReadonlyArray<number>]> = [
      [undefined, [0, 1, 2, 3, 4, 5]],
      [leaf("side", "eq", "BUY"), [0, 2]],
      [leaf("side", "eq", "SELL"), [1]],
      [{ op: "or", nodes: [leaf("side", "eq", "BUY"), leaf("mark", "ex")] }, [0, 2]],
      [{ op: "or", nodes: [leaf("mark", "ex"), leaf("side", "eq", "BUY")] }, [0, 2]],
    ]
    const readers: Array<readonly [RawSocket, ReadonlyArray<number>]> = []
    for (const [tf, wanted] of wishes) {
      const [socket] = await room.subscribed(TRADES, format, tf === undefined ? {} : { tf })
      readers.push([socket, wanted])
    }
    publishAll()
    for (const [socket, wanted] of readers) expect(numbers(await socket.rest())).toEqual(wanted)
  })

  it("shows the tags that it is about", async () => {
    const [filtered] = await room.subscribed(TRADES, format, { tf: leaf("side", "eq", "BUY") })
    const [plain] = await room.subscribed(TRADES, format)
    room.sockets.stream(TRADES).publish('{"n":1}', { tags: { side: "BUY" } })
    expect(await filtered.next()).toMatchObject({ push: { pub: { tags: { side: "BUY" } } } })
    expect(await plain.next()).toMatchObject({ push: { pub: { data: { n: 1 } } } })
  })

  it("chooses among a venue's latest values from the start", async () => {
    const stream = room.sockets.stream(VENUE_TICKER)
    const [reader] = await room.subscribed(VENUE_TICKER, format)
    for (const instrumentId of ["MOCK:A/USDT", "MOCK:B/USDT", "MOCK:C/USDT"])
      stream.publish(JSON.stringify({ instrumentId }), { subject: instrumentId, tags: { instrumentId } })
    await reader.rest()
    const tf = leaf("instrumentId", "in", ["MOCK:A/USDT", "MOCK:C/USDT"])
    const [, reply] = await room.subscribed(VENUE_TICKER, format, { tf })
    const { publications } = reply["subscribe"] as unknown as { publications: ReadonlyArray<{ data: unknown }> }
    expect(publications.map(({ data }) => data)).toEqual([
      { instrumentId: "MOCK:A/USDT" },
      { instrumentId: "MOCK:C/USDT" },
    ])
  })
})
