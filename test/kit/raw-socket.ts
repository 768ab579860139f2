/** A bare WebSocket that remembers every line it got and waits for the next one: what the protocol says, without a client library. */
import { WebSocket } from "ws"

export interface RawSocket {
  readonly send: (...commands: ReadonlyArray<unknown>) => void
  readonly sendText: (text: string) => void
  /** The next reply or push, as sent. */
  readonly next: () => Promise<Record<string, never> & { readonly [key: string]: unknown }>
  /** Everything that arrived and was not read yet. */
  readonly waiting: () => number
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  readonly socket: WebSocket
  readonly close: () => void
}

export const rawSocket = (
  url: string,
  options: { readonly origin?: string; readonly protocols?: ReadonlyArray<string> } = {},
): Promise<RawSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [...(options.protocols ?? [])], {
      ...(options.origin === undefined ? {} : { origin: options.origin }),
    })
    const lines: Array<string> = []
    const takers: Array<(line: string) => void> = []
    const closed = new Promise<{ code: number; reason: string }>((end) => {
      socket.on("close", (code, reason) => end({ code, reason: reason.toString() }))
    })
    socket.on("message", (message) => {
      for (const line of message.toString().split("\n")) {
        const taker = takers.shift()
        if (taker === undefined) lines.push(line)
        else taker(line)
      }
    })
    socket.on("error", reject)
    socket.on("open", () =>
      resolve({
        socket,
        closed,
        send: (...commands) => socket.send(commands.map((command) => JSON.stringify(command)).join("\n")),
        sendText: (text) => socket.send(text),
        next: async () => {
          const line = lines.shift() ?? (await new Promise<string>((take) => takers.push(take)))
          return JSON.parse(line)
        },
        waiting: () => lines.length,
        close: () => socket.close(),
      }),
    )
  })
