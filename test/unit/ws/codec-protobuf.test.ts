/** The Protobuf codec on the wire's own bytes: which messages are commands, which are malformed, and how replies and pushes read. */
import { describe, expect, it } from "vitest"
import { protobufCodec as codec } from "../../../src/ws/protocol/codec-protobuf.ts"
import { ERRORS } from "../../../src/ws/protocol/error-codes.ts"
import type { CommandOf, Frame, Method, PublicationBody } from "../../../src/ws/protocol/protocol.ts"
import { rawProtobuf, readProtobuf, received, sentProtobuf } from "../../kit/readers/client-codecs.ts"

const decode = (...bytes: ReadonlyArray<number>) => codec.decode(received(Uint8Array.from(bytes)))
const command = <M extends Method>(method: M, id = 2) => ({ id, method, key: method, parameters: {} }) as CommandOf<M>
const hex = (frame: Frame): string => Buffer.from(frame as Uint8Array).toString("hex")

/** A field of type `bytes`, text or message. */
const field = (number: number, content: Uint8Array | ReadonlyArray<number>): ReadonlyArray<number> => [
  (number << 3) | 2,
  ...varint(content.length),
  ...content,
]
const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]
const delimited = (content: ReadonlyArray<number>): ReadonlyArray<number> => [...varint(content.length), ...content]
const ID_1 = [0x08, 0x01]

const ORDER =
  "connect subscribe unsubscribe publish presence presence_stats history ping send rpc refresh sub_refresh".split(" ")

describe("a message of a client", () => {
  it.each(ORDER)("with %s and all requests that come after it in the protocol asks for that", (method) => {
    const later = ORDER.slice(ORDER.indexOf(method)).toReversed()
    // The requests are the fields from 4 on.
    const requests = later.flatMap((each) => field(4 + ORDER.indexOf(each), []))
    expect(decode(...delimited([...requests, ...ID_1]))).toEqual([{ id: 1, method, key: method, parameters: {} }])
  })

  it("holds one command or several", () => {
    const commands = [
      { connect: { name: "js" }, id: 1 },
      { id: 2, subscribe: { channel: "x", flag: 1, recover: true, offset: 7 } },
    ]
    expect(codec.decode(sentProtobuf(commands))).toEqual([
      { id: 1, method: "connect", key: "connect", parameters: { name: "js" } },
      { id: 2, method: "subscribe", key: "subscribe", parameters: { channel: "x", flag: 1, recover: true, offset: 7 } },
    ])
  })

  it("does not keep the bytes, which are gone after the call", () => {
    const message = sentProtobuf([{ id: 1, rpc: { method: "m", data: { list: ["a", 1] } } }])
    const [read] = codec.decode(message) ?? []
    new Uint8Array(message).fill(0)
    expect(read?.parameters).toEqual({ method: "m", data: { list: ["a", 1] } })
  })

  it.each([
    ["a pong", [0], { id: 0, method: "pong", key: "", parameters: {} }],
    [
      "send, without an id",
      delimited(field(12, field(1, [0x31]))),
      { id: 0, method: "send", key: "send", parameters: { data: 1 } },
    ],
    [
      "unknown fields",
      delimited([...ID_1, 0x98, 0x06, 0x05, ...field(11, field(9, [1, 2]))]),
      { id: 1, method: "ping", key: "ping", parameters: {} },
    ],
    [
      "several requests: the protocol's first counts",
      delimited([...field(13, []), ...ID_1, ...field(10, [])]),
      { id: 1, method: "history", key: "history", parameters: {} },
    ],
    [
      "zero values: as if absent",
      delimited([...ID_1, ...field(5, [0x0a, 0, 0x18, 0, 0x38, 0])]),
      { id: 1, method: "subscribe", key: "subscribe", parameters: {} },
    ],
    [
      "an empty message in a request",
      delimited([...ID_1, ...field(10, field(8, []))]),
      { id: 1, method: "history", key: "history", parameters: { since: {} } },
    ],
    // Taken as absent, a read that names its filters so would be answered without them.
    [
      "data that is no JSON: as bytes",
      delimited([...ID_1, ...field(13, [...field(1, [0x7b]), ...field(2, [0x6d])])]),
      { id: 1, method: "rpc", key: "rpc", parameters: { method: "m" }, content: Uint8Array.of(0x7b) },
    ],
    [
      "data that is no text: as bytes",
      delimited([...ID_1, ...field(13, field(1, [0x22, 0xff, 0x22]))]),
      { id: 1, method: "rpc", key: "rpc", parameters: {}, content: Uint8Array.of(0x22, 0xff, 0x22) },
    ],
    [
      "data of no bytes: as if absent",
      delimited([...ID_1, ...field(13, field(1, []))]),
      { id: 1, method: "rpc", key: "rpc", parameters: {} },
    ],
    [
      "the data of a publish as it is written",
      delimited([...ID_1, ...field(7, field(2, Buffer.from("[1.0,\n1]")))]),
      { id: 1, method: "publish", key: "publish", parameters: { data: [1, 1] }, content: "[1.0,\n1]" },
    ],
    [
      "an offset above 2^53: ahead of all there are",
      delimited([...ID_1, ...field(5, [0x38, ...Array.from({ length: 9 }, () => 0xff), 0x01])]),
      { id: 1, method: "subscribe", key: "subscribe", parameters: { offset: Number.MAX_SAFE_INTEGER } },
    ],
    [
      "data null",
      delimited([...ID_1, ...field(13, field(1, Buffer.from("null")))]),
      { id: 1, method: "rpc", key: "rpc", parameters: { data: null } },
    ],
  ])("is read with %s", (_what, bytes, wanted) => {
    expect(decode(...bytes)).toEqual([wanted])
  })

  it("has maps and filters as JSON has them", () => {
    const tf = {
      op: "and",
      nodes: [
        { key: "side", cmp: "eq", val: "BUY" },
        { op: "not", nodes: [{ key: "a", cmp: "in", vals: ["", "x"] }] },
      ],
    }
    const subs = JSON.parse('{"__proto__":{"recover":true,"epoch":"e","offset":9007199254740991},"market:x":{}}')
    const headers = JSON.parse('{"__proto__":"x","Authorization":""}')
    const [subscribe, connect] =
      codec.decode(
        sentProtobuf([
          { id: 1, subscribe: { channel: "c", tf } },
          { id: 2, connect: { subs, headers } },
        ]),
      ) ?? []
    expect(subscribe?.parameters).toEqual({ channel: "c", tf })
    expect(JSON.stringify(connect?.parameters)).toBe(JSON.stringify({ subs, headers }))
    expect(Object.getPrototypeOf(Reflect.get(connect?.parameters ?? {}, "headers"))).toBe(Object.prototype)
  })

  it("has numbers of up to 2^53, and negative ones", () => {
    const sent = {
      id: 4294967295,
      history: { channel: "c", limit: -1, since: { offset: Number.MAX_SAFE_INTEGER, epoch: "e" } },
    }
    expect(codec.decode(sentProtobuf([sent]))?.[0]).toMatchObject({ id: sent.id, parameters: sent.history })
  })

  const deep = (levels: number): ReadonlyArray<number> => (levels === 0 ? [] : field(6, deep(levels - 1)))
  it.each([
    ["nothing", []],
    ["a length without its message", [1]],
    ["half a message", [5, ...ID_1, 0x2a]],
    ["a length above what is there", [0xff, 0xff, 0xff, 0xff, 0x07, 0x08]],
    ["a length without end", Array.from({ length: 12 }, () => 0xff)],
    ["a number without end", delimited([0x08, ...Array.from({ length: 11 }, () => 0xff)])],
    [
      "text longer than its message",
      [...delimited([...ID_1, 0x2a, 2, 0x0a, 9]), ...delimited([...ID_1, ...field(11, [0, 0, 0, 0, 0])])],
    ],
    ["a request longer than its command", [4, ...ID_1, 0x5a, 3, 0x5a, 0, 0]],
    ["field number 0", delimited([...ID_1, 0x02, 0, ...field(11, [])])],
    ["wire type 6", delimited([...ID_1, 0x5e, ...field(11, [])])],
    ["wire type 7", delimited([...ID_1, 0x5f, ...field(11, [])])],
    ["the end of a group that never began", delimited([...ID_1, 0xa4, 0x01, ...field(11, [])])],
    ["a group without end", delimited([...ID_1, 0xa3, 0x01, ...field(11, [])])],
    ["text that is no UTF-8", delimited([...ID_1, ...field(5, field(1, [0xff, 0xfe]))])],
    ["an id without a request", delimited(ID_1)],
    ["a request without an id", delimited(field(5, field(1, [0x78])))],
    ["an unknown request", delimited([...ID_1, ...field(9 + 11, [])])],
    ["one good command and one bad", [...delimited([...ID_1, ...field(11, [])]), ...delimited(ID_1)]],
    ["a good command and a byte more", [...delimited([...ID_1, ...field(11, [])]), 1]],
    ["JSON", [...Buffer.from('{"id":1,"ping":{}}')]],
    ["a filter of 200 levels", delimited([...ID_1, ...field(5, field(13, deep(200)))])],
    [
      "groups of 200 levels",
      delimited([
        ...ID_1,
        ...Array.from({ length: 200 }, () => [0xa3, 0x01]).flat(),
        ...Array.from({ length: 200 }, () => [0xa4, 0x01]).flat(),
        ...field(11, []),
      ]),
    ],
  ])("is malformed with %s", (_what, bytes) => {
    expect(decode(...bytes)).toBeUndefined()
  })

  it("may nest a filter as deep as anybody needs", () => {
    expect(decode(...delimited([...ID_1, ...field(5, field(13, deep(50)))]))).toHaveLength(1)
  })
})

describe("a reply", () => {
  it("always has its result, even when that has no bytes", () => {
    expect(hex(codec.reply(command("subscribe"), {}))).toBe("0408023200")
    expect(hex(codec.reply(command("unsubscribe"), {}))).toBe("0408023a00")
    expect(hex(codec.reply(command("ping"), {}))).toBe("0408026200")
    expect(hex(codec.reply(command("presence_stats"), { num_clients: 0, num_users: 0 }))).toBe("0408025200")
    const zeros = { recoverable: false, epoch: "", offset: 0, publications: [], type: 0, cursor: "" }
    expect(hex(codec.reply(command("subscribe"), zeros))).toBe("0408023200")
  })

  it("answers by the protocol's names only", () => {
    expect(readProtobuf(codec.reply(command("presence_stats"), { num_clients: 2, num_users: 1 }))).toEqual([
      { id: 2, presence_stats: { num_clients: 2, num_users: 1 } },
    ])
  })

  it("has the JSON text of a payload as its bytes", () => {
    const data = '{"price": "0.10", "rate":1.10, "name":"наука"}'
    const [reply] = rawProtobuf(codec.reply(command("rpc"), { data }))
    expect(reply).toMatchObject({ rpc: { data: Uint8Array.from(Buffer.from(data)) } })
  })

  it("refuses with code, message and, when trying again may help, temporary", () => {
    expect(readProtobuf(codec.refusal(command("subscribe"), ERRORS.unknownChannel))).toEqual([
      { id: 2, error: { code: 102, message: "unknown channel" } },
    ])
    expect(readProtobuf(codec.refusal(command("rpc"), ERRORS.internal, '{"success":false}'))).toEqual([
      {
        id: 2,
        error: { code: 100, message: "internal server error", temporary: true },
        rpc: { data: { success: false } },
      },
    ])
  })
})

describe("a publication", () => {
  it("is written by hand as the protocol's own code writes it", () => {
    for (const channel of ["c", "market:orderbook:MOCK:BTC/USDT", "наука", "x".repeat(200)])
      for (const data of ["", "1", "x".repeat(107), "x".repeat(108), "é".repeat(64), "x".repeat(20_000)])
        for (const offset of [0, 1, 127, 128, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
          const body: PublicationBody = { data, offset }
          expect(hex(codec.publications(channel)(body))).toBe(hex(codec.push(channel, { kind: "pub", body })))
        }
  })

  it("carries bytes untouched", () => {
    const data = Uint8Array.from({ length: 256 }, (_, n) => n)
    const [reply] = rawProtobuf(codec.publications("c")({ data, offset: 1, delta: true }))
    expect(reply).toMatchObject({ push: { channel: "c", pub: { data, delta: true } } })
  })

  it("may say more than data and offset, or no data", () => {
    const publish = codec.publications("c")
    const info = { user: "u", client: "c1", conn_info: "[1]" }
    const body = {
      data: "{}",
      offset: 1,
      epoch: "abcd",
      info,
      tags: { side: "BUY" },
      time: 1_700_000_000_000,
      key: "k",
    }
    expect(readProtobuf(publish(body))).toEqual([
      { push: { channel: "c", pub: { ...body, data: {}, info: { ...info, conn_info: [1] } } } },
    ])
    expect(readProtobuf(publish({ data: "", offset: 4, key: "k", removed: true }))).toEqual([
      { push: { channel: "c", pub: { offset: 4, key: "k", removed: true } } },
    ])
  })
})

describe("a message of the server", () => {
  it("is frames one after the other; an empty reply is a ping", () => {
    const message = codec.join([codec.ping, codec.reply(command("ping"), {}), codec.publications("c")({ data: "1" })])
    expect(readProtobuf(message)).toEqual([{}, { id: 2, ping: {} }, { push: { channel: "c", pub: { data: 1 } } }])
    expect(hex(codec.ping)).toBe("00")
  })
})
