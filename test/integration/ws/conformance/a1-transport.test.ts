/** Rules A.1 of the protocol: the upgrade, messages of several commands, their size, and how a connection ends. */
import { afterAll, describe, expect, it } from "vitest"
import { frame, upgrade } from "../../../kit/readers/raw-frames.ts"
import { FORMATS, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const room = useRoom()
const ends: Array<() => void> = []
const upgraded = async (lines: ReadonlyArray<string> = [], query = "") => {
  const answer = await upgrade(room.sockets.url + query, lines)
  ends.push(() => answer.socket.destroy())
  return answer
}
afterAll(() => {
  for (const end of ends) end()
})

describe("A.1 endpoint", () => {
  it("is a plain upgrade", async () => {
    const { status, headers } = await upgraded()
    expect(status).toBe(101)
    expect(headers).toMatchObject({ upgrade: "websocket", connection: "Upgrade" })
  })

  it.each(["format=protobuf", "cf_protocol=protobuf"])(
    "speaks Protobuf to ?%s without a subprotocol",
    async (query) => {
      const socket = await room.raw({ protocols: [] })
      expect(socket.socket.protocol).toBe("")
      const asked = await upgraded([], `?${query}`)
      expect(asked.headers["sec-websocket-protocol"]).toBeUndefined()
      const answer = new Promise<Buffer>((resolve) => asked.socket.once("data", resolve))
      // Command 1, connect with the token alice: its length, id, connect, token.
      const command = Buffer.from([11, 0x08, 1, 0x22, 7, 0x0a, 5, ...Buffer.from("alice")])
      asked.socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | command.length, 0, 0, 0, 0]), command]))
      const reply = await answer
      expect(reply[0]).toBe(0x82)
      expect(reply.toString("latin1")).toContain("3.0.1")
    },
  )

  it("sends the WebSocket's own pings instead of the protocol's to ?cf_ws_frame_ping_pong=true", async () => {
    // Tested with the wheel turned by hand: A.4.
    const { headers } = await upgraded([], "?cf_ws_frame_ping_pong=true")
    expect(headers["sec-websocket-accept"]).toBeDefined()
  })
})

describe("A.1 subprotocol", () => {
  it.each([
    ["none is offered", undefined, undefined],
    ["centrifuge-json is", "centrifuge-json", "centrifuge-json"],
    ["centrifuge-protobuf is", "centrifuge-protobuf", "centrifuge-protobuf"],
    ["both are, the first", "centrifuge-protobuf, centrifuge-json", "centrifuge-protobuf"],
    ["one stands among unknown ones", "chat,centrifuge-json", "centrifuge-json"],
    ["only unknown ones are offered", "chat, superchat", undefined],
  ])("is echoed as it was chosen when %s", async (_when, offered, chosen) => {
    const { status, headers } = await upgraded(offered === undefined ? [] : [`Sec-WebSocket-Protocol: ${offered}`])
    expect(status).toBe(101)
    expect(headers["sec-websocket-protocol"]).toBe(chosen)
  })

  it("wins over the query", async () => {
    const { socket } = await upgraded(["Sec-WebSocket-Protocol: centrifuge-json"], "?format=protobuf")
    const answer = new Promise<Buffer>((resolve) => socket.once("data", resolve))
    const command = Buffer.from('{"id":1,"connect":{"token":"alice"}}')
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | command.length, 0, 0, 0, 0]), command]))
    expect((await answer)[0]).toBe(0x81)
  })
})

describe("A.1 origin", () => {
  const host = () => new URL(room.sockets.url).host
  it.each([
    ["no Origin header is allowed", () => [], 101],
    ["the host's own is allowed", () => [`Origin: http://${host()}`], 101],
    ["the host's own is allowed over TLS", () => [`Origin: https://${host()}`], 101],
    ["one of the list is allowed", () => ["Origin: https://app.example.com"], 101],
    ["another host is refused", () => ["Origin: https://evil.example.com"], 403],
    ["another port of the host is refused", () => ["Origin: http://127.0.0.1:1"], 403],
    ["a host that only begins alike is refused", () => [`Origin: http://${host()}.evil.example.com`], 403],
    ["a listed host with another scheme is refused", () => ["Origin: http://app.example.com"], 403],
    ["the opaque origin is refused", () => ["Origin: null"], 403],
    ["what is no origin is refused", () => ["Origin: ://"], 403],
  ])("%s", async (_what, lines, status) => {
    expect((await upgraded(lines())).status).toBe(status)
  })

  describe("with * on the list", () => {
    const open = useRoom({ allowedOrigins: ["*"] })
    it("is allowed whatever it is", async () => {
      const { status, socket } = await upgrade(open.sockets.url, ["Origin: https://evil.example.com"])
      socket.destroy()
      expect(status).toBe(101)
    })
  })
})

describe.each(FORMATS)("A.1 messages in %s", (format) => {
  it("hold several commands, answered one for one", async () => {
    const socket = await room.raw({ format })
    socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, ping: {} }, { id: 7, unsubscribe: { channel: "x" } })
    expect((await socket.next())["id"]).toBe(1)
    expect((await socket.next())["id"]).toBe(2)
    expect((await socket.next())["id"]).toBe(7)
  })

  it("are of the format's own kind: text or binary", async () => {
    const socket = await room.raw({ format })
    const kinds: Array<boolean> = []
    socket.socket.on("message", (_bytes, isBinary) => kinds.push(isBinary))
    socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, subscribe: { channel: BOOK } })
    await socket.next()
    await socket.next()
    room.sockets.publish('{"n":1}')
    expect((await socket.next())["push"]).toBeDefined()
    expect(new Set(kinds)).toEqual(new Set([format === "protobuf"]))
  })

  it("of the other kind end the connection with 3506", async () => {
    const socket = await room.raw({ format })
    if (format === "json") socket.sendBytes(Buffer.from('{"id":1,"connect":{"token":"alice"}}'))
    else socket.sendText("anything")
    expect(await socket.closed).toEqual({ code: 3506, reason: "inappropriate protocol" })
  })

  it("take an optimistic subscribe in the first message, in order", async () => {
    const socket = await room.raw({ format })
    socket.send({ connect: { token: "alice", name: "js" }, id: 1 }, { subscribe: { channel: BOOK, flag: 1 }, id: 2 })
    expect(await socket.next()).toMatchObject({ id: 1, connect: {} })
    expect(await socket.next()).toMatchObject({ id: 2, subscribe: { positioned: true } })
  })

  it("may have 65,536 bytes", async () => {
    const socket = await room.connected(format)
    const around = socket.format === "json" ? '{"id":2,"rpc":{"method":"x","data":""}}'.length : 0
    const filler = format === "json" ? 65_536 - around : 65_000
    socket.send({ id: 2, rpc: { method: "x", data: "y".repeat(filler) } })
    expect(await socket.next()).toMatchObject({ id: 2, error: { code: 104 } })
  })

  it.each([65_537, 300_000, 1_048_576])("of %i bytes end the connection with 1009", async (bytes) => {
    const socket = await room.connected(format)
    const message = Buffer.alloc(bytes, " ")
    if (format === "json") socket.sendText(message.toString())
    else socket.sendBytes(message)
    expect(await socket.closed).toEqual({ code: 1009, reason: "message size limit exceeded" })
  })
})

describe("A.1 JSON messages", () => {
  it("may end with a newline and have carriage returns", async () => {
    const socket = await room.raw()
    socket.sendText('{"id":1,"connect":{"token":"alice"}}\r\n{"id":2,"ping":{}}\n')
    await socket.next()
    expect(await socket.next()).toEqual({ id: 2, ping: {} })
  })

  it("never have a blank line or a newline at the end when they come from the server", async () => {
    const [socket] = await room.subscribed(BOOK)
    for (let n = 0; n < 100; n++) room.sockets.publish(`{"n":${n}}`)
    await socket.rest()
    for (const message of socket.messages) expect(message.toString().split("\n")).not.toContain("")
  })
})

describe("A.1 Protobuf messages", () => {
  it("have a length before each reply", async () => {
    const socket = await room.connected("protobuf")
    socket.send({ id: 2, ping: {} })
    await socket.next()
    // Length 4: id 2, and field 12 (ping), empty.
    expect(socket.messages.at(-1)).toEqual(Buffer.from([4, 0x08, 2, 0x62, 0]))
  })
})

describe("A.1 permessage-deflate", () => {
  const compressing = useRoom({ deflate: true })
  const compressed = (first: number): boolean => (first & 0x40) !== 0
  const received = async (url: string) => {
    const { headers, socket } = await upgrade(url, ["Sec-WebSocket-Extensions: permessage-deflate"])
    ends.push(() => socket.destroy())
    const next = (): Promise<Buffer> => new Promise((resolve) => socket.once("data", resolve))
    const command = Buffer.from(`{"id":1,"connect":{"token":"alice"}}\n{"id":2,"subscribe":{"channel":"${BOOK}"}}`)
    const replies = next()
    socket.write(frame(command))
    await replies
    return { headers, next }
  }

  it("is off by default, whatever a client offers", async () => {
    const { headers, next } = await received(room.sockets.url)
    expect(headers["sec-websocket-extensions"]).toBeUndefined()
    const arrived = next()
    room.sockets.publish(JSON.stringify({ x: "y".repeat(5000) }))
    expect(compressed((await arrived)[0] ?? 0)).toBe(false)
  })

  it("makes what is long shorter where it is on, and leaves what is short", async () => {
    const { headers, next } = await received(compressing.sockets.url)
    expect(headers["sec-websocket-extensions"]).toContain("permessage-deflate")
    const long = next()
    compressing.sockets.publish(JSON.stringify({ x: "y".repeat(5000) }))
    const bytes = await long
    expect(compressed(bytes[0] ?? 0)).toBe(true)
    expect(bytes.length).toBeLessThan(500)
    const short = next()
    compressing.sockets.publish('{"n":1}')
    expect(compressed((await short)[0] ?? 0)).toBe(false)
  })

  it("is read by clients of both formats, publications and replies", async () => {
    for (const format of FORMATS) {
      const [socket] = await compressing.subscribed(BOOK, format)
      const data = { x: "é".repeat(2000) }
      compressing.sockets.publish(JSON.stringify(data))
      expect(await socket.next()).toMatchObject({ push: { pub: { data } } })
      socket.send({ id: 3, history: { channel: BOOK, limit: 1, reverse: true } })
      expect(await socket.next()).toMatchObject({ history: { publications: [{ data }] } })
    }
  })

  it("leaves a client alone that did not offer it", async () => {
    const { socket, headers } = await upgrade(compressing.sockets.url)
    ends.push(() => socket.destroy())
    expect(headers["sec-websocket-extensions"]).toBeUndefined()
  })
})

describe("A.1 disconnect", () => {
  it.each(FORMATS)("is a close frame with a plain text of at most 123 bytes, never a push: %s", async (format) => {
    const socket = await room.connected(format)
    socket.send({ id: 2, connect: { token: "alice" } })
    const { code, reason } = await socket.closed
    expect([code, reason]).toEqual([3501, "bad request"])
    expect(() => JSON.parse(reason)).toThrow()
    expect(socket.waiting()).toBe(0)
  })
})
