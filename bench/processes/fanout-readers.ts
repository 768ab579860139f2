/** The subscribers of `fanout` and `channels`, in a process of their own: raw sockets that only count. */
import { answer } from "../kit/child.ts"
import { CountingSocket } from "../kit/raw-web-socket.ts"
import { sleep } from "../kit/report.ts"

export interface Subscribers {
  readonly variant: "ours" | "floor"
  readonly port: number
  /** Channels of each socket. */
  readonly sockets: ReadonlyArray<ReadonlyArray<string>>
  /** Absent: of the bench's own server. */
  readonly token?: string
}

export interface Counts {
  readonly messages: number
  readonly frames: number
  readonly bytes: number
  readonly closed: number
}

/** Commands of one frame. */
const BATCH = 200
const connectCommand = (token = "alice"): string => JSON.stringify({ connect: { token }, id: 1 })

const joinOf = (variant: "ours" | "floor", channel: string, id: number): string =>
  variant === "ours" ? JSON.stringify({ subscribe: { channel }, id }) : channel

let sockets: Array<CountingSocket> = []

const total = (): Counts => {
  const sum = { messages: 0, frames: 0, bytes: 0, closed: 0 }
  for (const socket of sockets) {
    sum.messages += socket.messages
    sum.frames += socket.frames
    sum.bytes += socket.bytes
    if (socket.closed) sum.closed++
  }
  return sum
}

const reached = async (messages: number, millis: number): Promise<void> => {
  for (let waited = 0; waited < millis && total().messages < messages; waited += 10) await sleep(10)
}

answer({
  subscribe: async ({ variant, port, sockets: wanted, token }: Subscribers): Promise<void> => {
    let answers = 0
    for (const channels of wanted) {
      const socket = await CountingSocket.open(port, "/connection/websocket")
      sockets.push(socket)
      if (variant === "ours") {
        socket.send(connectCommand(token))
        answers++
      }
      for (let from = 0; from < channels.length; from += BATCH) {
        const batch = channels.slice(from, from + BATCH)
        socket.send(batch.map((channel, i) => joinOf(variant, channel, from + i + 2)).join("\n"))
        answers += variant === "ours" ? batch.length : 1
      }
      // So that a million of them do not pile up in the server's sockets.
      if (answers - total().messages > 20_000) await reached(answers, 60_000)
    }
    await reached(answers, 60_000)
    if (total().messages !== answers) throw new Error(`${total().messages} answers instead of ${answers}`)
    for (const socket of sockets) {
      socket.messages = 0
      socket.frames = 0
      socket.bytes = 0
    }
  },
  /** As `subscribe`, of channels in which publications come meanwhile; resolves when as many messages have come as there are answers. */
  join: async ({ port, sockets: wanted, token }: Subscribers): Promise<void> => {
    for (const channels of wanted) {
      const socket = await CountingSocket.open(port, "/connection/websocket")
      sockets.push(socket)
      socket.send([connectCommand(token), ...channels.map((channel, i) => joinOf("ours", channel, i + 2))].join("\n"))
      for (let waited = 0; waited < 10_000 && socket.messages < channels.length + 1; waited += 5) await sleep(5)
    }
  },
  /**
   * One more socket that joins each channel alone, one after the other; how long each took from the command to its answer, in ms.
   */
  probe: async ({ variant, port, sockets: [wanted] }: Subscribers): Promise<ReadonlyArray<number>> => {
    const socket = await CountingSocket.open(port, "/connection/websocket")
    sockets.push(socket)
    let answers = 0
    const ask = async (text: string): Promise<number> => {
      const sentAt = performance.now()
      const answered = socket.until(++answers)
      socket.send(text)
      await answered
      return performance.now() - sentAt
    }
    if (variant === "ours") await ask(connectCommand())
    const took: Array<number> = []
    for (const [i, channel] of (wanted ?? []).entries()) took.push(await ask(joinOf(variant, channel, i + 2)))
    socket.messages = 0
    return took
  },
  /** Waits until that many messages arrived, at most 30 s. */
  counts: async (messages: number): Promise<Counts> => {
    await reached(messages, 30_000)
    await sleep(20)
    return total()
  },
  leave: async (): Promise<void> => {
    for (const socket of sockets) socket.end()
    sockets = []
    await sleep(100)
  },
})
