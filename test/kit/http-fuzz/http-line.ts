/**
 * One keep-alive connection that sends bytes as they are given and reads answers by their Content-Length, much faster than `fetch` and
 * without its opinions. One request at a time: uWebSockets ends a connection on which a second one comes before the first is answered.
 */
import { connect, type Socket } from "node:net"

export interface LineAnswer {
  readonly status: number
  /** Lower-case names; a repeated header is joined by a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** The connection ended before the answer was complete. */
export interface LineEnd {
  readonly ended: string
  /** What had come until then. */
  readonly received: string
}

const ANSWER_MILLIS_MAX = 60_000

const headersOf = (lines: ReadonlyArray<string>): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return headers
}

export class HttpLine {
  connections = 0
  #socket: Socket | undefined
  #received: Buffer = Buffer.alloc(0)
  #isHead = false
  #waiting: ((answer: LineAnswer | LineEnd) => void) | undefined

  constructor(
    readonly port: number,
    readonly host = "127.0.0.1",
  ) {}

  /** Never rejects. The connection is opened when there is none, and kept when the answer leaves it open. */
  ask(bytes: Uint8Array, isHead = false): Promise<LineAnswer | LineEnd> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle({ ended: "no answer in a minute", received: "" }), ANSWER_MILLIS_MAX)
      this.#waiting = (answer) => {
        clearTimeout(timer)
        resolve(answer)
      }
      this.#isHead = isHead
      this.#received = Buffer.alloc(0)
      this.#open().write(bytes)
    })
  }

  end(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    if (this.#socket !== undefined) return this.#socket
    this.connections += 1
    const socket = connect({ port: this.port, host: this.host, noDelay: true })
    this.#socket = socket
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#read()
    })
    const lost = (reason: string) => (): void => {
      if (this.#socket !== socket) return
      this.#socket = undefined
      this.#settle({ ended: reason, received: this.#received.toString("latin1") })
    }
    socket.on("error", (error: NodeJS.ErrnoException) => lost(error.code ?? error.message)())
    socket.on("close", lost("closed"))
    return socket
  }

  #settle(answer: LineAnswer | LineEnd): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if ("ended" in answer) this.end()
    waiting?.(answer)
  }

  #read(): void {
    const end = this.#received.indexOf("\r\n\r\n")
    if (end < 0) return
    const [first = "", ...lines] = this.#received.subarray(0, end).toString("latin1").split("\r\n")
    const status = Number(first.split(" ")[1])
    const headers = headersOf(lines)
    const hasBody = !this.#isHead && status !== 204
    const length = hasBody ? Number(headers.get("content-length") ?? Number.NaN) : 0
    if (this.#received.length < end + 4 + length) return
    // Without a length the answer ends with the connection: uWebSockets' own refusals, before any route.
    if (Number.isNaN(length)) return
    const body = this.#received.subarray(end + 4, end + 4 + length).toString("utf8")
    if (headers.get("connection")?.toLowerCase() === "close") this.end()
    this.#settle({ status, headers, body })
  }
}
