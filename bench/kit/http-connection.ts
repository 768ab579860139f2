/** One keep-alive HTTP connection on a raw socket: sends ready bytes, finds the end of the answer by Content-Length, parses nothing else. */
import { connect, type Socket } from "node:net"

const HEAD_END = Buffer.from("\r\n\r\n")
const LENGTH = Buffer.from("ontent-Length: ")
const LENGTH_LOWER = Buffer.from("ontent-length: ")

/** `text` makes the whole answer readable; asked for only when something is wrong. */
export type OnAnswer = (isOk: boolean, text: () => string) => void

export class HttpConnection {
  /** The socket failed or was closed while an answer was due. */
  onBroken: (error: Error) => void = () => {}
  private pending: Buffer | undefined
  private done: OnAnswer | undefined

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk) => this.take(chunk))
    socket.on("error", (error) => this.onBroken(error))
    socket.on("close", () => {
      if (this.done !== undefined) this.onBroken(new Error("the server closed a connection that waits for an answer"))
    })
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      socket.once("error", reject)
      socket.once("connect", () => {
        socket.off("error", reject)
        resolve(new HttpConnection(socket))
      })
    })
  }

  /** One request at a time: no pipelining. */
  send(request: Buffer, done: OnAnswer): void {
    if (this.socket.destroyed) return this.onBroken(new Error("the server closed an idle connection"))
    this.done = done
    this.socket.write(request)
  }

  end(): void {
    this.done = undefined
    this.socket.destroy()
  }

  private take(chunk: Buffer): void {
    const bytes = this.pending === undefined ? chunk : Buffer.concat([this.pending, chunk])
    const head = bytes.indexOf(HEAD_END)
    const mark = bytes.indexOf(LENGTH)
    const at = mark >= 0 && mark < head ? mark : bytes.indexOf(LENGTH_LOWER)
    let length = 0
    for (let i = at + LENGTH.length; bytes[i]! >= 48 && bytes[i]! <= 57; i++) length = length * 10 + bytes[i]! - 48
    if (head < 0 || bytes.length < head + HEAD_END.length + length) {
      this.pending = bytes
      return
    }
    this.pending = undefined
    const { done } = this
    this.done = undefined
    // "HTTP/1.1 200"
    done?.(bytes[9] === 50 && bytes[10] === 48 && bytes[11] === 48, () => bytes.toString("utf8"))
  }
}
