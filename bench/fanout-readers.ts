/** The subscribers of `fanout`, in a process of their own: raw sockets that only count. */
import { answer } from "./kit/child.ts"
import { CountingSocket } from "./kit/raw-web-socket.ts"
import { sleep } from "./kit/report.ts"

export interface Subscribers {
  readonly variant: "ours" | "floor"
  readonly port: number
  /** Channels of each socket. */
  readonly sockets: ReadonlyArray<ReadonlyArray<string>>
}

export interface Counts {
  readonly messages: number
  readonly frames: number
  readonly bytes: number
  readonly closed: number
}

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
  subscribe: async ({ variant, port, sockets: wanted }: Subscribers): Promise<void> => {
    let answers = 0
    for (const channels of wanted) {
      const socket = await CountingSocket.open(port, "/connection/websocket")
      sockets.push(socket)
      if (variant === "floor") {
        socket.send(channels.join("\n"))
        answers++
        continue
      }
      const commands: Array<unknown> = [{ connect: { token: "alice" }, id: 1 }]
      for (const [i, channel] of channels.entries()) commands.push({ subscribe: { channel }, id: i + 2 })
      socket.send(commands.map((command) => JSON.stringify(command)).join("\n"))
      answers += commands.length
    }
    await reached(answers, 10_000)
    if (total().messages !== answers) throw new Error(`${total().messages} answers instead of ${answers}`)
    for (const socket of sockets) {
      socket.messages = 0
      socket.frames = 0
      socket.bytes = 0
    }
  },
  /** Waits until that many messages arrived, at most 5 s. */
  counts: async (messages: number): Promise<Counts> => {
    await reached(messages, 5_000)
    await sleep(20)
    return total()
  },
  leave: async (): Promise<void> => {
    for (const socket of sockets) socket.end()
    sockets = []
    await sleep(100)
  },
})
