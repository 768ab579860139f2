/**
 * `client`: CPU that a message of a book costs a bot on the TypeScript client: the official Centrifuge client and `Book`, from the text of a frame to
 * the bot's callback. The floor parses the same texts (JSON.parse). The one thing to know: the frames are made beforehand and handed over
 * in this process, so that neither a socket nor a gateway is in the figure.
 */
import { Book, Gateway } from "../clients/typescript/src/index.ts"
import { median, type Result, row, runBench, say } from "./kit/report.ts"
import { ownCpuMicros } from "./kit/usage.ts"

const INSTRUMENT = "BINANCE:BTC/USDT"
const CHANNEL = `market:orderbook:${INSTRUMENT}`
const DEPTH = 1_000
const MESSAGES = 20_000
const ROUNDS = 7
/** So many are handed over in one turn. */
const TURN = 50
const ROWS = [2, 10, 50] as const
const MIDDLE = 6_425_000

let seed = 42
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed % below
}

const frame = (offset: number, data: object): string =>
  JSON.stringify({ push: { channel: CHANNEL, pub: { data, offset } } })

/** A book of 2 x DEPTH rows, and updates of so many rows: most near the best prices, a fifth of them ends of rows. */
const framesOf = (rows: number): ReadonlyArray<string> => {
  const about = { instrumentId: INSTRUMENT, timestamp: 1_700_000_000_000, quality: "SYNCED" }
  const text = (cents: number) => (cents / 100).toFixed(2)
  const level = (cents: number, quantity: string) => [text(cents), quantity, "1"]
  const side = (sign: 1 | -1) => Array.from({ length: DEPTH }, (_, n) => level(MIDDLE + sign * (1 + 2 * n), "0.51320"))
  const whole = { ...about, updateType: "SNAPSHOT", sequence: 1, previousSequence: 0, bids: side(-1), asks: side(1) }
  const frames = [frame(1, whole)]
  for (let sequence = 2; sequence <= MESSAGES; sequence++) {
    const changes = { bids: [] as Array<Array<string>>, asks: [] as Array<Array<string>> }
    for (let n = 0; n < rows; n++) {
      const sign = random(2) === 0 ? 1 : -1
      const away = 1 + Math.min(random(2 * DEPTH), random(2 * DEPTH), random(2 * DEPTH))
      const quantity = random(5) === 0 ? "0" : `0.${1 + random(99_999)}`
      changes[sign === 1 ? "asks" : "bids"].push(level(MIDDLE + sign * away, quantity))
    }
    frames.push(frame(sequence, { ...about, updateType: "DIFF", sequence, previousSequence: sequence - 1, ...changes }))
  }
  return frames
}

/** What the Centrifuge client takes for a WebSocket: it answers its commands, and hands over what it is given. */
class Handed {
  static last: Handed | null = null
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: string }) => void) | null = null
  onclose: ((event: object) => void) | null = null
  onerror: (() => void) | null = null
  readyState = 1
  binaryType = ""
  bufferedAmount = 0

  constructor() {
    Handed.last = this
    setImmediate(() => this.onopen?.())
  }

  send(text: string): void {
    for (const line of text.split("\n")) {
      const { id, connect, subscribe } = JSON.parse(line)
      if (connect !== undefined)
        this.answer({ id, connect: { client: "bench", version: "bench", ping: 25, pong: true } })
      else if (subscribe !== undefined) this.answer({ id, subscribe: { recoverable: true, epoch: "bench", offset: 0 } })
    }
  }

  answer(reply: object): void {
    setImmediate(() => this.onmessage?.({ data: JSON.stringify(reply) }))
  }

  close(): void {
    this.readyState = 3
  }
}

const turn = () => new Promise<void>((next) => setImmediate(next))

/** µs of CPU a message. */
const round = async (frames: ReadonlyArray<string>): Promise<number> => {
  const gateway = new Gateway({ url: "http://bench", webSocket: Handed })
  let changes = 0
  const book = new Book(gateway, INSTRUMENT, {
    onChange: () => {
      changes++
    },
  })
  while (gateway.stream.client.getSubscription(CHANNEL)?.state !== "subscribed") await turn()
  const hand = Handed.last!.onmessage!
  hand({ data: frames[0]! })
  await book.ready()
  const before = ownCpuMicros()
  for (let n = 1; n < frames.length; n += TURN) {
    for (const data of frames.slice(n, n + TURN)) hand({ data })
    await turn()
  }
  const spent = ownCpuMicros() - before
  if (changes !== frames.length || book.sequence !== frames.length || book.gaps !== 0)
    throw new Error(`${changes} changes up to ${book.sequence} of ${frames.length}, ${book.gaps} gaps`)
  gateway.close()
  return spent / (frames.length - 1)
}

let kept: unknown
const parsed = (frames: ReadonlyArray<string>): number => {
  const before = ownCpuMicros()
  for (const data of frames) kept = JSON.parse(data)
  return (ownCpuMicros() - before) / frames.length
}

const bench = async (): Promise<Result> => {
  say(row("CPU us a message", "book", "floor", "ratio"))
  const figures: Record<string, number> = {}
  const floor: Record<string, number> = {}
  for (const rows of ROWS) {
    const frames = framesOf(rows)
    const rounds: Array<readonly [number, number]> = []
    for (let n = 0; n <= ROUNDS; n++) {
      const least = parsed(frames)
      const ours = await round(frames)
      if (n > 0) rounds.push([ours, least])
    }
    figures[`rows${rows}`] = median(rounds.map(([ours]) => ours))
    floor[`rows${rows}`] = median(rounds.map(([, least]) => least))
    say(row(`${rows} rows`, figures[`rows${rows}`]!, floor[`rows${rows}`]!, median(rounds.map(([a, b]) => a / b))))
  }
  if (kept === undefined) throw new Error("nothing was parsed")
  say("target: 10 rows well below 40 us")
  return {
    bench: "client",
    conditions: { depth: DEPTH, messages: MESSAGES, rounds: ROUNDS, handed: TURN, ratio: "10 rows, book / JSON.parse" },
    figures,
    floor,
    ratio: figures["rows10"]! / floor["rows10"]!,
  }
}

await runBench(bench)
