/**
 * Kraken's public trades, replacing ccxt's: one by one in the order of their numbers, which ccxt would sort as strings. A subscription brings the
 * newest 50 earlier trades, which fills the gap of an interruption; a longer one is filled from the venue's history.
 */

import { setTimeout as sleep } from "node:timers/promises"
import type { MarketTrade } from "../../../ports/market-source.ts"
import type { CcxtExchange, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import type { TradeHooks } from "../adapter.ts"
import type { KrakenExchange, KrakenSocket } from "./exchange.ts"
import { type NumberedTrade, readKrakenFrame } from "./frames.ts"
import type { KrakenSubscriptions } from "./subscriptions.ts"

// The trades of one feed whose venue numbers them without a hole (Kraken): each is handed on once and in order. A subscription brings
// the newest trades of before, which close the hole of an interruption; what lies before those is asked of the venue's history while
// newer trades wait.

/** Numbers that are missing, both ends excluded. */
interface TradeHole {
  readonly after: bigint
  readonly before: bigint
  /** Venue time of the trade before the hole; null where it had none. */
  readonly since: number | null
}

const byNumber = (a: NumberedTrade, b: NumberedTrade): number =>
  a.number < b.number ? -1 : a.number > b.number ? 1 : 0

export class NumberedTrades {
  #last: NumberedTrade | undefined
  /** What waits until a hole is filled. */
  #waiting: { readonly hole: TradeHole; readonly trades: Array<NumberedTrade> } | undefined
  /** False once the history was seen to lack numbers: then the venue's own have holes, until it begins anew. */
  #isWholeAtVenue = true

  /** `last`: the newest trade that was told before this feed began. */
  constructor(last?: NumberedTrade) {
    this.#last = last
  }

  /** What is new in a frame, and the hole before it; then nothing is new until `fill`. */
  take(
    trades: ReadonlyArray<NumberedTrade>,
    isSnapshot: boolean,
  ): { readonly fresh: ReadonlyArray<NumberedTrade>; readonly hole: TradeHole | null } {
    const sorted = [...trades].sort(byNumber)
    const newest = sorted.at(-1)
    if (isSnapshot) this.#isWholeAtVenue = true
    const last = this.#waiting?.trades.at(-1) ?? this.#last
    if (last === undefined && isSnapshot) {
      // From before the first subscriber.
      this.#last = newest
      return { fresh: [], hole: null }
    }
    const fresh = sorted.filter(({ number }, at) => number > (last?.number ?? -1n) && number !== sorted[at - 1]?.number)
    const [first] = fresh
    if (first === undefined) return { fresh, hole: null }
    if (this.#waiting !== undefined) {
      this.#waiting.trades.push(...fresh)
      return { fresh: [], hole: null }
    }
    if (last !== undefined && first.number > last.number + 1n && this.#isWholeAtVenue) {
      const hole = { after: last.number, before: first.number, since: last.at }
      this.#waiting = { hole, trades: [...fresh] }
      return { fresh: [], hole }
    }
    this.#last = newest
    return { fresh, hole: null }
  }

  /**
   * The venue's history from before the hole on, as far as it came. `filled` follows what was told before the hole, `waited` is what came
   * behind it; between them trades are lost for good where `isMissing`. A number that is missing in the midst of a history belongs to no
   * trade.
   */
  fill(history: ReadonlyArray<NumberedTrade>): {
    readonly filled: ReadonlyArray<NumberedTrade>
    readonly waited: ReadonlyArray<NumberedTrade>
    readonly isMissing: boolean
  } {
    const waiting = this.#waiting
    if (waiting === undefined) return { filled: [], waited: [], isMissing: false }
    this.#waiting = undefined
    const { after, before, since } = waiting.hole
    // Asked without a time the venue answers with its newest trades, which may begin behind the hole's first ones.
    const isFromAfter = since !== null || history.some(({ number }) => number <= after + 1n)
    const found = [...history]
      .sort(byNumber)
      .filter(({ number }, at, all) => number > after && number < before && number !== all[at - 1]?.number)
    const isToBefore = history.some(({ number }) => number >= before) || found.at(-1)?.number === before - 1n
    const filled = isFromAfter ? found : []
    const isMissing = !isFromAfter || !isToBefore
    if (!isMissing && BigInt(found.length) < before - after - 1n) this.#isWholeAtVenue = false
    this.#last = waiting.trades.at(-1)
    return { filled, waited: waiting.trades, isMissing }
  }
}

/** The most that the venue gives at once. */
const HISTORY_PAGE = 1000
/** For one hole; its newer trades wait meanwhile, and the venue answers about once a second. */
const HISTORY_PAGES = 5
/** After each attempt that failed: whatever cut the stream may have hit the history, too. */
const HISTORY_PAUSES_MILLIS = [500, 2000, 0]
/** Who opens a stream again later than this hears what happens from then on; sooner, also what was missed. */
const CONTINUED_WITHIN_MILLIS = 60_000

interface Feed {
  readonly numbered: NumberedTrades
  /** `performance.now()`; null while it is open. */
  endedAt: number | null
}

/** The raw row that ccxt reads a trade from. */
const rowOf = (symbol: string, { number, price, quantity, side, at }: NumberedTrade): Raw => ({
  symbol,
  side: side === "BUY" ? "buy" : side === "SELL" ? "sell" : undefined,
  price,
  qty: quantity,
  trade_id: String(number),
  timestamp: at === null ? undefined : new Date(at).toISOString(),
})

/** A row of the history: [price, quantity, seconds, "b" or "s", type, "", number]. */
const historic = ({ info, timestamp }: CcxtTrade): ReadonlyArray<NumberedTrade> => {
  const row: unknown = info
  if (!Array.isArray(row) || !/^\d+$/.test(String(row[6]))) return []
  const side = row[3] === "b" ? "BUY" : row[3] === "s" ? "SELL" : "UNKNOWN"
  return [{ number: BigInt(row[6]), price: String(row[0]), quantity: String(row[1]), side, at: timestamp ?? null }]
}

/** By instance. */
const HOOKS = new WeakMap<CcxtExchange, TradeHooks>()

export const followKrakenTrades = (exchange: CcxtExchange, hooks: TradeHooks): void => {
  HOOKS.set(exchange, hooks)
}

/** A trade that readers were told by a worker of before. */
const toldBefore = (last: MarketTrade | null | undefined): NumberedTrade | undefined => {
  if (last === null || last === undefined || !/^\d+$/.test(last.externalTradeId)) return undefined
  const { externalTradeId, price, quantity, side, at } = last
  return { number: BigInt(externalTradeId), price, quantity, side, at }
}

export const orderTrades = (exchange: KrakenExchange, subscriptions: KrakenSubscriptions): void => {
  const feeds = new Map<string, Feed>()
  const handleTrades = exchange.handleTrades.bind(exchange)

  const feedOf = (symbol: string): Feed => {
    const known = feeds.get(symbol)
    const isContinued = known !== undefined && performance.now() - (known.endedAt ?? Infinity) < CONTINUED_WITHIN_MILLIS
    if (known !== undefined && isContinued) {
      known.endedAt = null
      return known
    }
    const feed: Feed = { numbered: new NumberedTrades(toldBefore(HOOKS.get(exchange)?.last(symbol))), endedAt: null }
    feeds.set(symbol, feed)
    return feed
  }

  const tell = (socket: KrakenSocket, symbol: string, trades: ReadonlyArray<NumberedTrade>): void => {
    for (const trade of trades) handleTrades(socket, { channel: "trade", data: [rowOf(symbol, trade)] })
  }

  /** One page, oldest first; nothing where the venue does not answer. */
  const page = async (symbol: string, since: number | null): Promise<ReadonlyArray<CcxtTrade>> => {
    for (const pause of HISTORY_PAUSES_MILLIS) {
      try {
        return await exchange.fetchTrades(symbol, since ?? undefined, HISTORY_PAGE)
      } catch {
        await sleep(pause)
      }
    }
    return []
  }

  /** From the hole on, until it is passed or the venue has nothing more to say. */
  const history = async (symbol: string, { before, since }: TradeHole): Promise<ReadonlyArray<NumberedTrade>> => {
    const found: Array<NumberedTrade> = []
    let from = since
    for (let nth = 0; nth < HISTORY_PAGES; nth++) {
      const trades = (await page(symbol, from)).flatMap(historic)
      found.push(...trades)
      const newest = Math.max(...trades.map(({ at }) => at ?? 0))
      const isPassed = trades.some(({ number }) => number >= before)
      // A page of trades of one instant would come again.
      if (isPassed || from === null || trades.length < HISTORY_PAGE || newest <= from) break
      from = newest
    }
    return found
  }

  const fill = async (socket: KrakenSocket, symbol: string, feed: Feed, hole: TradeHole): Promise<void> => {
    const found = await history(symbol, hole)
    if (feeds.get(symbol) !== feed) return
    const { filled, waited, isMissing } = feed.numbered.fill(found)
    tell(socket, symbol, filled)
    if (isMissing) HOOKS.get(exchange)?.missed(symbol)
    tell(socket, symbol, waited)
  }

  exchange.handleTrades = (socket, message) => {
    const frame = readKrakenFrame(message)
    if (frame?.kind !== "trades") return
    const { symbol } = frame
    const feed = feedOf(symbol)
    const { fresh, hole } = feed.numbered.take(frame.trades, frame.snapshot)
    tell(socket, symbol, fresh)
    if (hole !== null) void fill(socket, symbol, feed, hole)
  }

  // It may begin anew at once: a stream whose socket was given up is ended, too.
  subscriptions.onEnd((channel, symbol) => {
    const feed = channel === "trade" ? feeds.get(symbol) : undefined
    if (feed !== undefined) feed.endedAt = performance.now()
  })

  const watch = exchange.watchTrades.bind(exchange) as (
    symbol: string,
    since: undefined,
    limit: undefined,
    params: Raw,
  ) => Promise<ReadonlyArray<CcxtTrade>>
  exchange.watchTrades = (symbol) => watch(symbol, undefined, undefined, { snapshot: true })
}
