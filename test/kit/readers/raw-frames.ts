/** WebSocket frames by hand over TCP (RFC 6455): whatever a client could send, right or wrong, and the frames that come back. */
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"

export const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

export interface FrameOptions {
  readonly opcode?: number
  /** Default: true, the frame is the last of its message. */
  readonly fin?: boolean
  /** Default: true, as every frame of a client must be. */
  readonly masked?: boolean
  /** The three reserved bits, 0 to 7. */
  readonly reserved?: number
  /** Bytes of the length: 0 within the second byte, 2 or 8 after it. Default: the shortest that holds it. */
  readonly lengthBytes?: 0 | 2 | 8
  /** The length to tell, when it is not the payload's. */
  readonly length?: bigint
}

export const frame = (payload: string | Uint8Array, options: FrameOptions = {}): Buffer => {
  const body = Buffer.from(payload as string)
  const length = options.length ?? BigInt(body.length)
  const lengthBytes = options.lengthBytes ?? (length < 126n ? 0 : length < 65_536n ? 2 : 8)
  const head = Buffer.alloc(2 + lengthBytes)
  head[0] = ((options.fin ?? true) ? 0x80 : 0) | ((options.reserved ?? 0) << 4) | (options.opcode ?? OPCODES.text)
  const masked = options.masked ?? true
  head[1] = (masked ? 0x80 : 0) | (lengthBytes === 0 ? Number(length) : lengthBytes === 2 ? 126 : 127)
  if (lengthBytes === 2) head.writeUInt16BE(Number(length), 2)
  if (lengthBytes === 8) head.writeBigUInt64BE(length, 2)
  if (!masked) return Buffer.concat([head, body])
  const mask = randomBytes(4)
  return Buffer.concat([head, mask, body.map((byte, index) => byte ^ (mask[index % 4] ?? 0))])
}

export interface ReceivedFrame {
  readonly opcode: number
  readonly payload: Buffer
}

export interface RawFrames {
  readonly socket: Socket
  readonly write: (bytes: Uint8Array) => void
  readonly next: () => Promise<ReceivedFrame>
  /** The code of the close frame; 1006 when the connection ended without one, 1005 when the frame had none. */
  readonly closed: Promise<number>
}

/** What is complete in `bytes`, and how many bytes that was. Servers do not mask. */
const framesIn = (bytes: Buffer): { readonly frames: ReadonlyArray<ReceivedFrame>; readonly taken: number } => {
  const frames: Array<ReceivedFrame> = []
  let at = 0
  while (at + 2 <= bytes.length) {
    const short = (bytes[at + 1] ?? 0) & 127
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const start = at + 2 + lengthBytes
    if (start > bytes.length) break
    const length =
      lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : lengthBytes === 8 ? Number(bytes.readBigUInt64BE(at + 2)) : short
    if (start + length > bytes.length) break
    frames.push({ opcode: (bytes[at] ?? 0) & 15, payload: bytes.subarray(start, start + length) })
    at = start + length
  }
  return { frames, taken: at }
}

export interface Upgrade {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** Sends an upgrade request with further header lines and answers what came back; the socket stays open. */
export const upgrade = (
  url: string,
  lines: ReadonlyArray<string> = [],
): Promise<Upgrade & { readonly socket: Socket; readonly rest: Buffer }> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname, search } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let text = Buffer.alloc(0)
    socket.once("error", reject)
    socket.write(
      [
        `GET ${pathname}${search} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
        ...lines,
        "\r\n",
      ].join("\r\n"),
    )
    const take = (chunk: Buffer): void => {
      text = Buffer.concat([text, chunk])
      const end = text.indexOf("\r\n\r\n")
      if (end < 0) return
      socket.off("data", take)
      const [first = "", ...fields] = text.subarray(0, end).toString("latin1").split("\r\n")
      const headers = Object.fromEntries(
        fields.map((line) => {
          const colon = line.indexOf(":")
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
        }),
      )
      resolve({ status: Number(first.split(" ")[1]), headers, socket, rest: text.subarray(end + 4) })
    }
    socket.on("data", take)
  })

/** A WebSocket that is open, in bytes. */
export const rawFrames = async (url: string): Promise<RawFrames> => {
  const { status, socket, rest } = await upgrade(url)
  if (status !== 101) throw new Error(`no upgrade: ${status}`)
  const arrived: Array<ReceivedFrame> = []
  const takers: Array<(frame: ReceivedFrame) => void> = []
  let bytes = rest
  const closed = new Promise<number>((resolve) => {
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const { frames, taken } = framesIn(bytes)
      bytes = bytes.subarray(taken)
      for (const each of frames) {
        if (each.opcode === OPCODES.close) resolve(each.payload.length < 2 ? 1005 : each.payload.readUInt16BE(0))
        const taker = takers.shift()
        if (taker === undefined) arrived.push(each)
        else taker(each)
      }
    }
    take(Buffer.alloc(0))
    socket.on("data", take)
    // A reset is an end, too: the server may close while bytes of ours are under way.
    socket.on("error", () => resolve(1006))
    socket.on("close", () => resolve(1006))
  })
  return {
    socket,
    closed,
    write: (more) => void socket.write(more),
    next: async () => arrived.shift() ?? (await new Promise<ReceivedFrame>((take) => takers.push(take))),
  }
}
