/**
 * A bare WebSocket of either format that remembers every reply and push it got and waits for the next one: what the protocol says,
 * without a client library. Of Protobuf the official client's codec reads and writes, and zero values are left out.
 */
import { WebSocket } from "ws"
import { readProtobuf, sentJson, sentProtobuf } from "./client-codecs.ts"

export type Format = "json" | "protobuf"
export type Reply = Readonly<Record<string, unknown>>

export interface RawSocket {
  readonly format: Format
  /** As one message. */
  readonly send: (...commands: ReadonlyArray<unknown>) => void
  readonly sendText: (text: string) => void
  readonly sendBytes: (bytes: Uint8Array) => void
  /** The next reply, push or ping. */
  readonly next: () => Promise<Reply>
  /** How many arrived and were not read yet. */
  readonly waiting: () => number
  /** All that was not read yet, up to the answer to a ping command sent now. */
  readonly rest: () => Promise<ReadonlyArray<Reply>>
  /** Whole messages, as they came. */
  readonly messages: ReadonlyArray<Buffer>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  readonly socket: WebSocket
  readonly close: () => void
}

export interface RawSocketOptions {
  readonly format?: Format
  readonly origin?: string
  /** Default: what the official client of the format offers. */
  readonly protocols?: ReadonlyArray<string>
}

/** Far from the ids that tests use. */
const REST_IDS = 4_000_000_000

export const rawSocket = (url: string, options: RawSocketOptions = {}): Promise<RawSocket> =>
  new Promise((resolve, reject) => {
    const format = options.format ?? "json"
    const protocols = options.protocols ?? (format === "json" ? [] : ["centrifuge-protobuf"])
    const socket = new WebSocket(url, [...protocols], {
      ...(options.origin === undefined ? {} : { origin: options.origin }),
    })
    const messages: Array<Buffer> = []
    const arrived: Array<Reply> = []
    const takers: Array<(reply: Reply) => void> = []
    let rests = 0
    const closed = new Promise<{ code: number; reason: string }>((end) => {
      socket.on("close", (code, reason) => end({ code, reason: reason.toString() }))
    })
    const read = (message: Buffer): ReadonlyArray<unknown> =>
      format === "protobuf"
        ? readProtobuf(message)
        : message
            .toString()
            .split("\n")
            .map((line) => JSON.parse(line))
    const next = async (): Promise<Reply> => arrived.shift() ?? (await new Promise<Reply>((take) => takers.push(take)))
    const send = (...commands: ReadonlyArray<unknown>): void => {
      const encode = format === "json" ? sentJson : sentProtobuf
      socket.send(Buffer.from(encode(commands as ReadonlyArray<Readonly<Record<string, unknown>>>)), {
        binary: format === "protobuf",
      })
    }
    socket.on("message", (message: Buffer) => {
      messages.push(message)
      for (const reply of read(message) as ReadonlyArray<Reply>) {
        const taker = takers.shift()
        if (taker === undefined) arrived.push(reply)
        else taker(reply)
      }
    })
    socket.on("error", reject)
    socket.on("open", () =>
      resolve({
        format,
        socket,
        closed,
        send,
        sendText: (text) => socket.send(text),
        sendBytes: (bytes) => socket.send(bytes, { binary: true }),
        next,
        waiting: () => arrived.length,
        rest: async () => {
          const id = REST_IDS + rests++
          send({ id, ping: {} })
          const found: Array<Reply> = []
          for (;;) {
            const reply = await next()
            if (reply["id"] === id) return found
            found.push(reply)
          }
        },
        messages,
        close: () => socket.close(),
      }),
    )
  })
