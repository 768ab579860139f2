/** The subscriber of `book`: one socket on the gateway, in the Centrifuge protocol; notes each frame's number at first sight. */
import { WebSocket } from "ws"
import { answer } from "../kit/child.ts"
import { nowMicros } from "../kit/clock.ts"
import { ownCpuMicros } from "../kit/usage.ts"
import { BOOK_CHANNEL, frameOf, MARKED_AS_SENT, sightingsOf } from "./book-wire.ts"

let socket: WebSocket | undefined
let seen = new Map<number, number>()
let newest = 0
let failure = ""

const look = (line: string, at: number): void => {
  if (line === "{}") {
    socket?.send("{}")
    return
  }
  if (line.includes('"error"') || line.includes('"unsubscribe"')) failure = line
  const from = line.indexOf(MARKED_AS_SENT)
  if (from < 0) return
  const start = from + MARKED_AS_SENT.length
  const frame = frameOf(line.slice(start, line.indexOf('"', start)))
  newest = frame
  if (!seen.has(frame)) seen.set(frame, at)
}

answer(
  {
    start: ({ url, token }: { readonly url: string; readonly token: string }): Promise<void> =>
      new Promise((resolve, reject) => {
        const ws = new WebSocket(url, { perMessageDeflate: false })
        socket = ws
        ws.on("error", reject)
        ws.on("close", (code) => {
          failure = `closed with ${code}`
        })
        ws.on("open", () => {
          ws.send(
            [
              { connect: { token }, id: 1 },
              { subscribe: { channel: BOOK_CHANNEL }, id: 2 },
            ]
              .map((command) => JSON.stringify(command))
              .join("\n"),
          )
          resolve()
        })
        ws.on("message", (message) => {
          const at = nowMicros()
          for (const line of String(message).split("\n")) look(line, at)
        })
      }),
    newest: () => newest,
    /** Forgets what it saw and answers it. */
    take: () => {
      if (failure !== "") throw new Error(failure)
      const taken = seen
      seen = new Map()
      return sightingsOf(taken, ownCpuMicros())
    },
  },
  () => socket?.terminate(),
)
