/** A crowd of readers of one channel in this process, some of which stop reading: what each got, how late, and how it ended. */
import { WebSocket } from "ws"
import { sharedMicros } from "../../kit/servers/shared-clock.ts"

interface Publication {
  readonly offset: number
  readonly data: { readonly n: number; readonly at?: number; readonly previous?: number; readonly updateType?: string }
}

export class CrowdReader {
  /** By offset; a book's SNAPSHOT may jump ahead. */
  last = 0
  received = 0
  snapshots = 0
  /** What did not follow what came before. */
  faults = 0
  closed: number | undefined
  private position: number | undefined

  constructor(
    readonly socket: WebSocket,
    private readonly mayJump: boolean,
    private readonly late: (micros: number) => void,
  ) {
    socket.on("message", (message: Buffer) => this.read(message.toString()))
    socket.on("close", (code) => {
      this.closed = code
    })
    // The close that follows says what it was.
    socket.on("error", () => socket.terminate())
  }

  private read(message: string): void {
    const now = sharedMicros()
    for (const line of message.split("\n")) {
      if (line === "{}") this.socket.send("{}")
      const { push } = JSON.parse(line) as { readonly push?: { readonly pub?: Publication } }
      if (push?.pub !== undefined) this.take(push.pub, now)
    }
  }

  private take({ offset, data }: Publication, now: number): void {
    this.received++
    if (data.at !== undefined) this.late(now - data.at)
    const isSnapshot = data.updateType === "SNAPSHOT"
    if (isSnapshot) this.snapshots++
    const follows = this.position === undefined || offset === this.position + 1
    const jumps = this.mayJump && offset >= (this.position ?? 0)
    if (data.n !== offset || !(data.updateType === undefined ? follows || jumps : isSnapshot ? jumps : follows))
      this.faults++
    this.position = offset
    this.last = offset
  }
}

export interface CrowdOptions {
  readonly url: string
  readonly channel: string
  readonly size: number
  /** Publications may be left out when what follows makes up for them. */
  readonly mayJump: boolean
}

const openOne = (url: string, channel: string): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    const commands = [
      { id: 1, connect: { token: "alice" } },
      { id: 2, subscribe: { channel } },
    ]
    socket.once("error", reject)
    socket.once("open", () => socket.send(commands.map((command) => JSON.stringify(command)).join("\n")))
    const take = (message: Buffer): void => {
      if (!message.toString().includes('"subscribe":{')) return
      socket.off("message", take)
      socket.off("error", reject)
      resolve(socket)
    }
    socket.on("message", take)
  })

export class Crowd {
  readonly readers: Array<CrowdReader> = []
  private samples: Array<number> = []

  /** Opens all of them, before anything is published. */
  static async open({ url, channel, size, mayJump }: CrowdOptions): Promise<Crowd> {
    const crowd = new Crowd()
    for (let n = 0; n < size; n++) {
      const socket = await openOne(url, channel)
      crowd.readers.push(new CrowdReader(socket, mayJump, (micros) => crowd.samples.push(micros)))
    }
    return crowd
  }

  /** The 99th percentile of all deliveries since the last call, in ms. */
  p99Millis(): number {
    const sorted = Float64Array.from(this.samples).sort()
    this.samples = []
    return (sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN) / 1000
  }

  close(): void {
    for (const { socket } of this.readers) socket.terminate()
  }
}
