/**
 * A WebSocket client that counts instead of parsing: bytes of a frame are looked at only for newlines, so that the readers cost less
 * than the server. Masked with the zero key, so what it sends needs no XOR either.
 */
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"

const NEWLINE = 10
const PONG = "{}"

const clientFrame = (text: string): Buffer => {
  const body = Buffer.from(text)
  const long = body.length > 125
  if (body.length > 65_535) throw new Error("frames of the bench are short")
  const head = Buffer.alloc(long ? 8 : 6)
  head[0] = 0x81
  head[1] = 0x80 | (long ? 126 : body.length)
  if (long) head.writeUInt16BE(body.length, 2)
  return Buffer.concat([head, body])
}

/** Messages that arrived: frames plus newlines. Pings are answered and not counted. */
export class CountingSocket {
  messages = 0
  frames = 0
  bytes = 0
  closed = false
  private rest: Buffer | undefined
  private payloadLeft = 0
  private awaited: { readonly messages: number; readonly reached: () => void } | undefined

  private constructor(private readonly socket: Socket) {}

  static open(port: number, path: string): Promise<CountingSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      const self = new CountingSocket(socket)
      socket.on("error", reject)
      socket.on("close", () => {
        self.closed = true
      })
      socket.once("data", (chunk) => {
        const end = chunk.indexOf("\r\n\r\n")
        if (!chunk.subarray(0, 12).toString("latin1").startsWith("HTTP/1.1 101") || end < 0)
          return reject(new Error(`no upgrade: ${chunk.subarray(0, 80).toString("latin1")}`))
        socket.on("data", (bytes) => self.take(bytes))
        if (chunk.length > end + 4) self.take(chunk.subarray(end + 4))
        resolve(self)
      })
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      )
    })
  }

  send(text: string): void {
    this.socket.write(clientFrame(text))
  }

  /** Resolves when so many messages have arrived. */
  until(messages: number): Promise<void> {
    return new Promise((reached) => {
      this.awaited = { messages, reached }
    })
  }

  end(): void {
    this.socket.destroy()
  }

  private take(arrived: Buffer): void {
    this.bytes += arrived.length
    const chunk = this.rest === undefined ? arrived : Buffer.concat([this.rest, arrived])
    this.rest = undefined
    let at = 0
    while (at < chunk.length) {
      if (this.payloadLeft > 0) {
        const end = Math.min(chunk.length, at + this.payloadLeft)
        this.countNewlines(chunk, at, end)
        this.payloadLeft -= end - at
        at = end
        continue
      }
      const left = chunk.length - at
      const short = left < 2 ? 0 : chunk[at + 1]! & 127
      const headBytes = short === 126 ? 4 : short === 127 ? 10 : 2
      if (left < headBytes) {
        this.rest = chunk.subarray(at)
        return
      }
      const length =
        short === 126 ? chunk.readUInt16BE(at + 2) : short === 127 ? Number(chunk.readBigUInt64BE(at + 2)) : short
      const opcode = chunk[at]! & 15
      at += headBytes
      this.payloadLeft = length
      if (opcode === 1 && length === 2) this.send(PONG)
      else if (opcode === 1) {
        this.frames++
        this.messages++
      }
    }
    if (this.awaited !== undefined && this.messages >= this.awaited.messages && this.payloadLeft === 0) {
      this.awaited.reached()
      this.awaited = undefined
    }
  }

  private countNewlines(chunk: Buffer, from: number, to: number): void {
    const part = from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to)
    for (let i = part.indexOf(NEWLINE); i >= 0; i = part.indexOf(NEWLINE, i + 1)) this.messages++
  }
}
