/** Rules A.2 of the protocol: what commands, replies and pushes look like on the wire. */
import { describe, expect, it } from "vitest"
import { FORMATS, refusal, SOON, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const room = useRoom({ channels: { trade: { presence: true } } })

/** Of one JSON answer, as it was sent. */
const answer = async (command: object): Promise<string> => {
  const socket = await room.connected()
  socket.send(command)
  await socket.next()
  return String(socket.messages.at(-1))
}

describe.each(FORMATS)("A.2 a command in %s", (format) => {
  it("means its first request in the protocol's order when it has several", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 2, rpc: { method: "x" }, ping: {}, history: { channel: "nonsense" } })
    expect(await socket.next()).toMatchObject(refusal(2, 102))
    socket.send({ id: 3, rpc: { method: "x" }, ping: {} })
    expect(await socket.next()).toEqual({ id: 3, ping: {} })
  })

  it("may have the largest id", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 4_294_967_295, ping: {} })
    expect(await socket.next()).toEqual({ id: 4_294_967_295, ping: {} })
  })

  it("may be send, without an id, which is never answered and never ends the connection", async () => {
    const socket = await room.connected(format)
    socket.send({ send: { data: { a: 1 } } }, { send: {} })
    expect(await socket.rest()).toEqual([])
  })

  it("has a reply by its id, whatever the order of ids is", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 9, ping: {} }, { id: 3, rpc: {} }, { id: 9, ping: {} })
    expect(await socket.rest()).toMatchObject([{ id: 9, ping: {} }, refusal(3, 104), { id: 9, ping: {} }])
  })

  it("with unknown fields is read without them", async () => {
    if (format === "protobuf") {
      const socket = await room.connected(format)
      // Id 2, ping, and field 200 with a varint, each message with its length.
      socket.sendBytes(Buffer.from([7, 0x08, 2, 0x5a, 0, 0xc0, 0x0c, 5]))
      expect(await socket.next()).toEqual({ id: 2, ping: {} })
      return
    }
    expect(await answer({ later: [], id: 2, ping: { soon: 1 } })).toBe('{"id":2,"ping":{}}')
  })
})

describe("A.2 a JSON command", () => {
  it("may use the specification's names; the reply then does too", async () => {
    expect(await answer({ id: 2, presenceStats: { channel: BOOK } })).toBe(
      '{"id":2,"error":{"code":108,"message":"not available"}}',
    )
    expect(await answer({ id: 2, presenceStats: { channel: TRADES } })).toBe(
      '{"id":2,"presenceStats":{"num_clients":0,"num_users":0}}',
    )
    expect(await answer({ id: 2, subRefresh: { channel: BOOK } })).toBe(
      '{"id":2,"error":{"code":103,"message":"permission denied"}}',
    )
  })
})

describe("A.2 a JSON reply", () => {
  it("has its result even when that is empty", async () => {
    expect(await answer({ id: 2, unsubscribe: { channel: "x" } })).toBe('{"id":2,"unsubscribe":{}}')
    expect(await answer({ id: 2, ping: {} })).toBe('{"id":2,"ping":{}}')
  })

  it("has the zero values that readers count on, and no others", async () => {
    const { epoch } = room.sockets.stream(TRADES).position
    expect(await answer({ id: 2, presence: { channel: TRADES } })).toBe('{"id":2,"presence":{"presence":{}}}')
    expect(await answer({ id: 2, presence_stats: { channel: TRADES } })).toBe(
      '{"id":2,"presence_stats":{"num_clients":0,"num_users":0}}',
    )
    expect(await answer({ id: 2, history: { channel: TRADES } })).toBe(
      `{"id":2,"history":{"publications":[],"epoch":"${epoch}","offset":0}}`,
    )
    expect(await answer({ id: 2, subscribe: { channel: TRADES } })).toBe(
      `{"id":2,"subscribe":{"recoverable":true,"epoch":"${epoch}","positioned":true}}`,
    )
  })

  it("has an error with code and message, and temporary only when it is so", async () => {
    expect(await answer({ id: 2, rpc: { method: "x" } })).toBe(
      '{"id":2,"error":{"code":104,"message":"method not found"}}',
    )
    const socket = await room.connected()
    socket.send({ id: 2, subscribe: { channel: "market:orderbook:SLOW:BTC/USDT" } })
    await expect.poll(() => room.sockets.learn.length, SOON).toBe(1)
    room.sockets.learn.pop()?.(false)
    await socket.next()
    expect(String(socket.messages.at(-1))).toBe(
      '{"id":2,"error":{"code":100,"message":"internal server error","temporary":true}}',
    )
  })

  it("has names of the protocol's own spelling", async () => {
    const [, reply] = await room.subscribed(TRADES, "json", { recover: true, epoch: "gone" })
    expect(Object.keys(reply["subscribe"] as object)).toContain("was_recovering")
    const text = await answer({ id: 2, subscribe: { channel: BOOK, recover: true, epoch: "gone" } })
    expect(text.match(/"(\w+)":/g)?.filter((name) => /[A-Z]/.test(name))).toEqual([])
  })
})

describe("A.2 a push", () => {
  it("of a publication embeds data as it is, numbers beyond 2^53 and all", async () => {
    const [socket] = await room.subscribed(BOOK)
    const data = '{"price":0.10,"id":90071992547409931234,"s":"é\\n"}'
    room.sockets.publish(data)
    await socket.next()
    const { offset } = room.sockets.position
    expect(String(socket.messages.at(-1))).toContain(
      `{"push":{"channel":"${BOOK}","pub":{"data":${data},"offset":${offset}`,
    )
  })

  it("may share a message with replies", async () => {
    const [socket] = await room.subscribed(BOOK, "json")
    for (let n = 0; n < 50; n++) {
      room.sockets.publish(`{"n":${n}}`)
      socket.send({ id: 100 + n, ping: {} })
    }
    const all = await socket.rest()
    expect(all.filter((each) => "push" in each)).toHaveLength(50)
    expect(all.filter((each) => "ping" in each).map(({ id }) => id)).toEqual(
      Array.from({ length: 50 }, (_, n) => 100 + n),
    )
  })
})

describe.each([
  ["bad JSON", "{"],
  ["an empty message", ""],
  ["a newline alone", "\n"],
  ["a blank line between commands", '{"id":2,"ping":{}}\n\n{"id":3,"ping":{}}'],
  ["id 0 with a request", '{"id":0,"ping":{}}'],
  ["no id with a request", '{"ping":{}}'],
  ["a negative id", '{"id":-1,"ping":{}}'],
  ["a fraction for an id", '{"id":1.5,"ping":{}}'],
  ["an id above 32 bits", '{"id":4294967296,"ping":{}}'],
  ["an id without a request", '{"id":7}'],
  ["only an unknown request", '{"id":7,"dance":{}}'],
  ["an unsolicited pong", "{}"],
  ["a list", "[]"],
  ["a request that is text", '{"id":7,"ping":"x"}'],
  ["a good command and then a bad one", '{"id":2,"ping":{}}\n{'],
])("A.8 malformed JSON: %s", (_what, text) => {
  it("ends the connection with 3501, connected or not", async () => {
    for (const socket of [await room.connected(), await room.raw()]) {
      socket.sendText(text)
      expect(await socket.closed).toEqual({ code: 3501, reason: "bad request" })
    }
  })
})

describe.each([
  ["an empty message", []],
  ["a length beyond the message", [20, 0x08, 2]],
  ["a length that does not end", [0xff, 0xff]],
  ["an id without a request", [2, 0x08, 7]],
  ["a request without an id", [2, 0x5a, 0]],
  ["an unsolicited pong", [0]],
  ["a field of the wrong kind", [3, 0x0a, 1, 0x61]],
  ["a nested length beyond its message", [4, 0x08, 2, 0x5a, 9]],
  ["a good command and then a bad one", [4, 0x08, 2, 0x5a, 0, 9]],
])("A.8 malformed Protobuf: %s", (_what, bytes) => {
  it("ends the connection with 3501, connected or not", async () => {
    for (const socket of [await room.connected("protobuf"), await room.raw({ format: "protobuf" })]) {
      socket.sendBytes(Uint8Array.from(bytes))
      expect(await socket.closed).toEqual({ code: 3501, reason: "bad request" })
    }
  })
})
