/** Frames of RFC 6455 that are wrong, or right in an unusual way, each on a connection of its own. */
import { type FrameOptions, frame, OPCODES, type RawFrames, rawFrames } from "../readers/raw-frames.ts"
import { pick, type Random } from "./fuzz-commands.ts"

const CONNECT = '{"id":1,"connect":{"token":"alice"}}'
const PING = '{"id":2,"ping":{}}'
/** Ends without a close frame, or with the code that the RFC names. */
const FAILED = [1002, 1006, 1007, 1009]

interface RawCase {
  readonly name: string
  readonly bytes: (random: Random) => Buffer
  /** Codes of the end that are right; none: the connection lives, and answers a ping. */
  readonly codes: ReadonlyArray<number>
}

const sized = (random: Random, max: number): Buffer => Buffer.alloc(1 + Math.floor(random() * max), "x")
const wrong = (name: string, options: (random: Random) => FrameOptions, max = 100): RawCase => ({
  name,
  bytes: (random) => frame(sized(random, max), options(random)),
  codes: FAILED,
})

/** The ping command in pieces, with pings of the WebSocket's own between. */
const pieces = (random: Random): Buffer => {
  const parts: Array<Buffer> = []
  let at = 0
  while (at < PING.length) {
    const length = Math.floor(random() * 6)
    const fin = at + length >= PING.length
    const opcode = parts.length === 0 ? OPCODES.text : OPCODES.continuation
    parts.push(frame(PING.slice(at, at + length), { opcode, fin, lengthBytes: pick(random, [0, 2, 8] as const) }))
    at += length
  }
  // The first part has to be the first frame of its message.
  return Buffer.concat(parts)
}

const CASES: ReadonlyArray<RawCase> = [
  wrong("a reserved bit", (random) => ({ reserved: 1 + Math.floor(random() * 7) })),
  wrong("an unknown kind", (random) => ({ opcode: pick(random, [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]) })),
  wrong("a control frame in fragments", (random) => ({ opcode: pick(random, [8, 9, 10]), fin: false })),
  wrong("a continuation of nothing", (random) => ({ opcode: OPCODES.continuation, fin: random() < 0.5 })),
  {
    name: "a large control frame",
    bytes: (random) =>
      frame(Buffer.alloc(126 + Math.floor(random() * 1000), "x"), { opcode: pick(random, [8, 9, 10]) }),
    codes: FAILED,
  },
  {
    name: "an enormous length",
    bytes: (random) =>
      frame("", { lengthBytes: 8, length: pick(random, [1n << 63n, (1n << 64n) - 1n, 1n << 40n, 1_048_577n]) }),
    codes: FAILED,
  },
  {
    name: "text that is no UTF-8",
    bytes: (random) => frame(Buffer.from([0x22, pick(random, [0xff, 0xc0, 0x80, 0xf8]), 0x22])),
    codes: [...FAILED, 3501],
  },
  { name: "pieces", bytes: pieces, codes: [] },
  { name: "a ping", bytes: (random) => frame(sized(random, 124), { opcode: OPCODES.ping }), codes: [] },
  {
    name: "a pong nobody asked for",
    bytes: (random) => frame(sized(random, 124), { opcode: OPCODES.pong }),
    codes: [],
  },
  {
    name: "a close",
    bytes: (random) => {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(pick(random, [1000, 1001, 3000, 3999, 4999]))
      return frame(payload, { opcode: OPCODES.close })
    },
    // The library's own answer to a code of ours may be an empty one.
    codes: [1000, 1001, 1005, 3000, 3999, 4999],
  },
  {
    name: "a close that says nothing, or too little",
    bytes: (random) => frame(random() < 0.5 ? "" : "x", { opcode: OPCODES.close }),
    codes: [...FAILED, 1000, 1005],
  },
  {
    name: "a close with a code that may not be sent",
    bytes: (random) => {
      const payload = Buffer.alloc(2)
      payload.writeUInt16BE(pick(random, [0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535]))
      return frame(payload, { opcode: OPCODES.close })
    },
    codes: [...FAILED, 1000, 1005],
  },
  {
    name: "frames that are not masked",
    bytes: () => Buffer.concat([frame(PING, { masked: false }), frame(PING, { masked: false })]),
    codes: [...FAILED, 3501],
  },
  {
    name: "a fragmented message over the limit",
    bytes: () =>
      Buffer.concat([
        frame(Buffer.alloc(40_000, " "), { fin: false }),
        frame(Buffer.alloc(40_000, " "), { opcode: OPCODES.continuation }),
      ]),
    codes: [1009],
  },
]

const alive = async (socket: RawFrames): Promise<boolean> => {
  socket.write(frame('{"id":3,"ping":{}}'))
  for (;;) {
    const next = await Promise.race([socket.next(), socket.closed])
    if (typeof next === "number") return false
    if (next.payload.toString().includes('{"id":3,"ping":{}}')) return true
  }
}

/** What is wrong with the answer to one of them; empty: nothing. */
export const fuzzRaw = async (url: string, random: Random): Promise<string> => {
  const socket = await rawFrames(url)
  try {
    const isConnected = random() < 0.7
    if (isConnected) {
      socket.write(frame(CONNECT))
      await socket.next()
    }
    const { name, bytes, codes } = pick(
      random,
      isConnected ? CASES : CASES.filter(({ codes: ends }) => ends.length > 0),
    )
    socket.write(bytes(random))
    // Nobody waits for the rest of what was only begun.
    if (codes.length > 0) {
      const code = await socket.closed
      return codes.includes(code) ? "" : `${name}: closed ${code}, not one of ${codes}`
    }
    return (await alive(socket)) ? "" : `${name}: closed ${await socket.closed}`
  } finally {
    socket.socket.destroy()
  }
}
