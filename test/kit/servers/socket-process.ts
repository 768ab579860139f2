/**
 * The socket server of the tests as a process of its own, so that its memory is its own and a crash is seen: it answers questions over the
 * IPC channel and ends when its parent does. `socket-child.ts` is the parent's side.
 */
import { type Answers, answer } from "./process-line.ts"
import { sharedMicros } from "./shared-clock.ts"
import { startSockets, type TestSocketOptions, type TestSockets } from "./socket-server.ts"

/** One publisher: what it publishes on the channel, how large and how often. */
export interface Load {
  readonly channel: string
  /** Records of the channel's kind. */
  readonly kind: "trade" | "book" | "ticker"
  readonly bytes: number
  readonly perSecond: number
}

export interface ServerFacts {
  readonly stats: ReturnType<TestSockets["server"]["stats"]>
  /** After a collection of garbage. */
  readonly memory: NodeJS.MemoryUsage
  readonly accountId: string
  readonly cpuMicros: number
}

/** Ask → its question and its answer. */
export type SocketAsks = {
  readonly start: readonly [TestSocketOptions, string]
  readonly load: readonly [Load, undefined]
  /** Stops all loads; answers the newest offset of each channel. */
  readonly quiet: readonly [undefined, Readonly<Record<string, number>>]
  /** Lets seconds pass for pings and expiries. */
  readonly turn: readonly [number, undefined]
  readonly facts: readonly [undefined, ServerFacts]
  /** As they are, without a collection: cheap. */
  readonly stats: readonly [undefined, ServerFacts["stats"] & { readonly rss: number }]
}

let sockets: TestSockets | undefined
const timers: Array<NodeJS.Timeout> = []
const tops: Record<string, number> = {}

const running = (): TestSockets => {
  if (sockets === undefined) throw new Error("start comes first")
  return sockets
}

const TURN_MILLIS = 20

/** What is published of the kind, with a number that tells its place. */
const recordOf = (kind: Load["kind"], updateType: "SNAPSHOT" | "DIFF", n: number, filler: string): object => {
  const subject = { n, instrumentId: "MOCK:BTC/USDT", venue: "MOCK", symbol: "BTC/USDT", timestamp: n, x: filler }
  const price = String(60_000 + (n % 50))
  if (kind === "trade")
    return { ...subject, tradeId: String(n), externalTradeId: "", price, quantity: "1", side: "BUY", sequence: n }
  if (kind === "ticker") return { ...subject, lastPrice: price, lastQuantity: "1", bidPrice: null, askPrice: null }
  const previousSequence = updateType === "DIFF" ? n - 1 : null
  return { ...subject, updateType, bids: [[price, "1", ""]], asks: [], sequence: n, previousSequence, quality: "LIVE" }
}

const begin = ({ channel, kind, bytes, perSecond }: Load): void => {
  const stream = running().stream(channel)
  const filler = "y".repeat(bytes)
  const publish = (): void => {
    const n = stream.position.offset + 1
    if (kind === "book") stream.position.snapshot = JSON.stringify(recordOf("book", "SNAPSHOT", n, filler))
    stream.publish(JSON.stringify({ ...recordOf(kind, "DIFF", n, filler), at: sharedMicros() }))
    tops[channel] = n
  }
  const startedAt = performance.now()
  let published = 0
  timers.push(
    setInterval(() => {
      const due = ((performance.now() - startedAt) / 1000) * perSecond
      // A process that was held up does not make up for it in one burst.
      if (due - published > perSecond / 5) published = due
      for (; published < due; published++) publish()
    }, TURN_MILLIS),
  )
}

const answers: Answers<SocketAsks> = {
  start: async (options) => {
    sockets = await startSockets(options)
    return sockets.url
  },
  load: async (load) => {
    begin(load)
    return undefined
  },
  quiet: async () => {
    for (const timer of timers.splice(0)) clearInterval(timer)
    return { ...tops }
  },
  turn: async (seconds) => {
    running().turn(seconds)
    return undefined
  },
  facts: async () => {
    const { server, accountId } = running()
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    // What is freed by finalizers is freed in a later turn.
    await new Promise((next) => setTimeout(next, 100))
    globalThis.gc?.()
    return { stats: server.stats(), memory: process.memoryUsage(), accountId, cpuMicros: user + system }
  },
  stats: async () => ({ ...running().server.stats(), rss: process.memoryUsage.rss() }),
}

answer(answers, async () => undefined)
