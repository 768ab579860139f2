/** One connection after another that sends what it is given and tells what came back. */
import { WebSocket } from "ws"
import { readJson, readProtobuf, sentJson, sentProtobuf } from "../readers/client-codecs.ts"
import type { Format } from "../readers/raw-socket.ts"
import type { Fields } from "./fuzz-fields.ts"
import type { FuzzFrame } from "./fuzz-frames.ts"
import type { Answer } from "./fuzz-judge.ts"

const PATIENCE_MILLIS = 120_000
/** Ids of the pings that tell where the answers to a message end. */
const BARRIERS = 4_200_000_000

export class FuzzClient {
  private barriers = 0
  private replies: Array<Fields> = []
  private closedWith: number | undefined
  private wake = (): void => undefined
  pushes = 0

  private constructor(
    private readonly socket: WebSocket,
    readonly format: Format,
  ) {
    socket.on("message", (message: Buffer) => {
      const replies = format === "json" ? readJson(message.toString()) : readProtobuf(message)
      for (const reply of replies as ReadonlyArray<Fields>)
        if ("push" in reply) this.pushes++
        else if (Object.keys(reply).length === 0) this.send({})
        else this.replies.push(reply)
      this.wake()
    })
    socket.on("close", (code) => {
      this.closedWith = code
      this.wake()
    })
    socket.on("error", () => socket.terminate())
  }

  static open(url: string, format: Format): Promise<FuzzClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, format === "json" ? [] : ["centrifuge-protobuf"], { perMessageDeflate: false })
      const client = new FuzzClient(socket, format)
      socket.once("open", () => resolve(client))
      socket.once("error", reject)
    })
  }

  /**
   * What comes back for a message, up to the answer of a ping after it, an expired token or the end of the connection. Undefined when none
   * of these comes. Before connect no ping may be sent: it follows the reply.
   */
  async ask({ bytes, isBinary }: FuzzFrame, isConnected: boolean): Promise<Answer | undefined> {
    this.replies = []
    this.socket.send(bytes, { binary: isBinary })
    const barrier = BARRIERS + this.barriers++
    const ping = { id: barrier, ping: {} }
    if (isConnected) this.send(ping)
    let isAsked = isConnected
    const isAnswered = (): boolean => this.replies.at(-1)?.["id"] === barrier
    const isExpired = (): boolean => {
      const error = this.replies.at(-1)?.["error"] as Fields | undefined
      return error?.["code"] === 109
    }
    const isOver = (): boolean => {
      // Connected by the message itself: the answers after connect end with a ping, too.
      if (!isAsked && this.replies.some((reply) => "connect" in reply)) {
        isAsked = true
        this.send(ping)
      }
      return this.closedWith !== undefined || isAnswered() || isExpired()
    }
    if (!(await this.until(isOver))) return undefined
    return { replies: this.replies.filter(({ id }) => id !== barrier), closed: this.closedWith }
  }

  end(): void {
    this.socket.terminate()
  }

  private send(command: Fields): void {
    const isBinary = this.format === "protobuf"
    this.socket.send(Buffer.from(isBinary ? sentProtobuf([command]) : sentJson([command])), { binary: isBinary })
  }

  private async until(isOver: () => boolean): Promise<boolean> {
    const deadline = performance.now() + PATIENCE_MILLIS
    while (!isOver()) {
      const left = deadline - performance.now()
      if (left <= 0) return false
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return true
  }
}
