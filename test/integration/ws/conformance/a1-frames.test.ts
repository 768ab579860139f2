/** Rules A.1 of the protocol under the protocol: frames of RFC 6455, right and wrong, sent byte by byte. */
import { afterAll, describe, expect, it } from "vitest"
import { type FrameOptions, frame, OPCODES, type RawFrames, rawFrames } from "../../../kit/readers/raw-frames.ts"
import { useRoom } from "../../../kit/servers/conformance.ts"

const room = useRoom()
const open: Array<RawFrames> = []
const opened = async (): Promise<RawFrames> => {
  const socket = await rawFrames(room.sockets.url)
  open.push(socket)
  return socket
}
afterAll(async () => {
  for (const { socket } of open) socket.destroy()
})

const CONNECT = '{"id":1,"connect":{"token":"alice"}}'
const PING = '{"id":2,"ping":{}}'
const connected = async (): Promise<RawFrames> => {
  const socket = await opened()
  socket.write(frame(CONNECT))
  await socket.next()
  return socket
}
const pong = async (socket: RawFrames): Promise<void> => {
  expect((await socket.next()).payload.toString()).toBe('{"id":2,"ping":{}}')
}

describe("A.1 frames", () => {
  it.each([
    ["with the length in the second byte", 0],
    ["with a length of 16 bits that would fit in 7", 2],
    ["with a length of 64 bits that would fit in 7", 8],
  ] as const)("are read %s", async (_what, lengthBytes) => {
    const socket = await connected()
    socket.write(frame(PING, { lengthBytes }))
    await pong(socket)
  })

  it("are read a byte at a time", async () => {
    const socket = await connected()
    for (const byte of frame(PING)) {
      socket.write(Uint8Array.of(byte))
      await new Promise((turn) => setImmediate(turn))
    }
    await pong(socket)
  })

  it("are read many in one packet", async () => {
    const socket = await connected()
    socket.write(Buffer.concat([frame(PING), frame(PING), frame(PING)]))
    for (let i = 0; i < 3; i++) await pong(socket)
  })

  it("make one message in fragments, with control frames and empty fragments between", async () => {
    const socket = await connected()
    socket.write(frame('{"id":2,', { fin: false }))
    socket.write(frame("beat", { opcode: OPCODES.ping }))
    socket.write(frame("", { opcode: OPCODES.continuation, fin: false }))
    socket.write(frame('"ping"', { opcode: OPCODES.continuation, fin: false }))
    socket.write(frame(":{}}", { opcode: OPCODES.continuation }))
    expect(await socket.next()).toEqual({ opcode: OPCODES.pong, payload: Buffer.from("beat") })
    await pong(socket)
  })

  it("of a fragmented message may cut a character of UTF-8", async () => {
    const socket = await connected()
    const bytes = Buffer.from('{"id":2,"ping":{},"é":1}')
    const cut = bytes.indexOf("é") + 1
    socket.write(frame(bytes.subarray(0, cut), { fin: false }))
    socket.write(frame(bytes.subarray(cut), { opcode: OPCODES.continuation }))
    await pong(socket)
  })

  it("of a fragmented message over the limit end the connection with 1009", async () => {
    const socket = await connected()
    socket.write(frame(" ".repeat(40_000), { fin: false }))
    socket.write(frame(" ".repeat(40_000), { opcode: OPCODES.continuation }))
    expect(await socket.closed).toBe(1009)
  })

  it("answer a close with the same code", async () => {
    const socket = await connected()
    socket.write(frame(Buffer.from([0x03, 0xe8]), { opcode: OPCODES.close }))
    expect(await socket.closed).toBe(1000)
  })

  // uWebSockets ends these connections itself, without a close frame: a client sees 1006.
  const wrong: ReadonlyArray<readonly [what: string, bytes: Buffer | string, options: FrameOptions]> = [
    ["with a reserved bit", PING, { reserved: 4 }],
    ["with another reserved bit", PING, { reserved: 1 }],
    ["of an unknown kind", PING, { opcode: 3 }],
    ["of an unknown control kind", PING, { opcode: 11 }],
    ["of a control kind in fragments", "x", { opcode: OPCODES.ping, fin: false }],
    ["of a control kind with 126 bytes", "x".repeat(126), { opcode: OPCODES.ping }],
    ["that go on with no beginning", PING, { opcode: OPCODES.continuation }],
    ["with a length of 2^63", "", { lengthBytes: 8, length: 1n << 63n }],
    ["with a length of 2^64 - 1", "", { lengthBytes: 8, length: (1n << 64n) - 1n }],
    ["over a MiB", "", { lengthBytes: 8, length: 1_048_577n }],
    ["of text that is no UTF-8", Buffer.from([0x22, 0xff, 0x22]), {}],
    ["of text with half a character", Buffer.from('"é').subarray(0, 2), {}],
    ["of text with a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), {}],
  ]
  it.each(wrong)("%s end the connection", async (_what, bytes, options) => {
    const [socket, other] = [await connected(), await connected()]
    socket.write(frame(bytes, options))
    expect([1002, 1006, 1007]).toContain(await socket.closed)
    other.write(frame(PING))
    await pong(other)
  })

  it("that begin a message within another end the connection", async () => {
    const socket = await connected()
    socket.write(Buffer.concat([frame('{"id":2,', { fin: false }), frame(PING)]))
    expect([1002, 1006, 3501]).toContain(await socket.closed)
  })

  it("that are not masked end the connection", async () => {
    const socket = await connected()
    // uWebSockets does not look at the bit that says so: it takes the first four bytes for the mask, and waits for four more.
    socket.write(Buffer.concat([frame(PING, { masked: false }), frame(PING, { masked: false })]))
    expect([1002, 1006, 1007, 3501]).toContain(await socket.closed)
  })

  it("that never become whole leave the others alone", async () => {
    const [socket, other] = [await connected(), await connected()]
    socket.write(frame("half", { length: 1000n }))
    other.write(frame(PING))
    await pong(other)
    socket.socket.destroy()
    other.write(frame(PING))
    await pong(other)
  })
})
