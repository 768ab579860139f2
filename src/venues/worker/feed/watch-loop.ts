/**
 * The loop around ccxt's watch call of one stream: ccxt dials, subscribes and checks; the loop only reports a failure and restarts.
 * Books, trades and bars come from the taps, not from here.
 */
import type { InstrumentId } from "../../../domain/ids.ts"
import { intervalOf, klineStream, type MarketStream } from "../../../ports/market-source.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { FailureCategory } from "../../connector/wire.ts"
import type { TradeIds } from "../../trade-ids.ts"
import type { CcxtExchange, CcxtOrderBook, CcxtTicker } from "../exchange/ccxt.ts"
import { classify, LOST_PLACE } from "../exchange/errors.ts"
import type { Markets } from "../exchange/markets.ts"
import { endSockets } from "../exchange/sockets.ts"
import type { Outbox } from "../outbox.ts"
import { backoffMillis, pause, waitsOf } from "../waits.ts"
import type { KlineStreams } from "./kline-streams.ts"
import type { Leaves } from "./leaves.ts"
import type { MissedTrades } from "./trades.ts"

/** A gap is answered at once, but not for ever. */
const GAPS_AT_ONCE = 3

/** A venue that limits bans those who go on asking; one that does not know a market will not know it in a moment. */
const PAUSES_MILLIS: Partial<Record<FailureCategory, number>> = { RATE_LIMITED: 15_000, INSTRUMENT_NOT_FOUND: 60_000 }

/** Between two questions for a ticker, where the venue has no stream of it. */
const TICKER_POLL_MILLIS = 5000

/** What ccxt says to an interval that its stream of the venue does not have. */
const REFUSALS: ReadonlySet<string> = new Set(["NOT_SUPPORTED", "INVALID_ARGUMENT"])

/** One stream of one instrument, for as long as it is wanted. */
export interface Feed {
  readonly stream: MarketStream
  readonly instrumentId: InstrumentId
  /** `BASE/QUOTE`; ccxt may know it by a longer one. */
  readonly name: string
  readonly tradeIds: TradeIds
  readonly missedTrades: MissedTrades
  /** The number of the socket that brought its newest trades; null before any did. */
  tradeSocket: number | null
  open: boolean
  /** A book that has its snapshot; any other stream that has brought something. */
  live: boolean
  failures: number
}

export interface WatchLoopParts {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly markets: Markets
  readonly outbox: Outbox
  readonly klines: KlineStreams
  readonly leaves: Leaves
  /** ccxt has a book; the feed may not have heard of its snapshot. */
  readonly onBook: (feed: Feed, book: CcxtOrderBook) => void
  readonly onTicker: (feed: Feed, ticker: CcxtTicker) => void
  readonly onBookLost: (feed: Feed) => void
  /** The book itself is being asked for. */
  readonly isAsked: (symbol: string) => boolean
  /** Whether any book may still have to wait for its snapshot: one came within so many ms, or requests wait for the venue's budget. */
  readonly isComing: (withinMillis: number) => boolean
}

/** On a busy feed some book always has a snapshot: one that has none for longer than so many rounds has a trouble of its own. */
const ROUNDS_FOR_OTHERS = 3

export class WatchLoop {
  readonly #parts: WatchLoopParts

  constructor(parts: WatchLoopParts) {
    this.#parts = parts
  }

  /** Until the feed is closed, or there is no such stream; never rejects. */
  async run(feed: Feed): Promise<void> {
    const { profile, markets, klines, leaves } = this.#parts
    let watchdog = this.#watchdog(feed)
    while (feed.open && this.#isStreamed(feed)) {
      try {
        if (!markets.areLoaded) await markets.loaded()
        const end = leaves.pending(feed.stream, this.#symbolOf(feed))
        if (end !== undefined) {
          // A book that the venue may not have ended has no new snapshot on the same socket.
          if (!(await end) && feed.open && feed.stream === "book")
            this.startOver(feed, "its unsubscribe was not acknowledged")
          continue
        }
        await this.#watch(feed)
        feed.failures = 0
      } catch (error) {
        const failure = classify(error)
        if (!feed.open) break
        // Our own unsubscribing; the next watch call begins anew.
        if (failure.category === "UNSUBSCRIBED") continue
        const interval = intervalOf(feed.stream)
        if (interval !== undefined && REFUSALS.has(failure.category)) {
          klines.refuse(interval)
          continue
        }
        feed.failures += 1
        this.#lost(feed, `${failure.category}: ${failure.text}`)
        clearTimeout(watchdog)
        watchdog = this.#watchdog(feed)
        if (failure.category === "STREAM_GAP" && profile.refusesRepeats) await this.leave(feed, true)
        if (failure.category === "STREAM_GAP" && feed.failures <= GAPS_AT_ONCE) continue
        await pause(PAUSES_MILLIS[failure.category] ?? backoffMillis(feed.failures))
      }
    }
    clearTimeout(watchdog)
  }

  /** Ends the subscription alone; a loop that runs begins it anew. False: the venue cannot, or did not. */
  leave(feed: Feed, isForgotten = false): Promise<boolean> {
    const { markets, leaves } = this.#parts
    return markets.areLoaded ? leaves.leave(feed.stream, this.#symbolOf(feed), { isForgotten }) : Promise.resolve(true)
  }

  /** Begins the subscription anew: alone where that can be done, else with all that share its socket. */
  async renew(feed: Feed, reason: string): Promise<void> {
    if (!(await this.leave(feed)) && feed.open) this.startOver(feed, reason)
  }

  /** Ends the sockets that carry the feed, with whatever else is on them. */
  startOver(feed: Feed, reason: string): void {
    endSockets(this.#parts.exchange, this.#symbolOf(feed), `${LOST_PLACE} ${reason}`)
  }

  async #watch(feed: Feed): Promise<void> {
    const { profile, exchange, klines, onBook, onTicker } = this.#parts
    const symbol = this.#symbolOf(feed)
    switch (feed.stream) {
      case "book": {
        const book = await exchange.watchOrderBook(symbol)
        onBook(feed, book)
        return
      }
      case "trade":
        await exchange.watchTrades(symbol)
        return
      case "ticker": {
        const isStream = exchange.has["watchTicker"] === true
        const ticker = await (isStream
          ? exchange.watchTicker(symbol, { ...profile.tickerParams })
          : exchange.fetchTicker(symbol))
        if (feed.open) onTicker(feed, ticker)
        if (!isStream) await pause(TICKER_POLL_MILLIS)
        return
      }
      default: {
        const interval = intervalOf(feed.stream)
        if (interval !== undefined) await klines.watch(symbol, interval)
      }
    }
  }

  /** False for bars that there is no stream of: their reader is told, and makes them of trades. */
  #isStreamed(feed: Feed): boolean {
    const interval = intervalOf(feed.stream)
    if (interval === undefined || this.#parts.klines.has(interval)) return true
    this.#parts.outbox.push({ _tag: "Unstreamed", stream: klineStream(interval), instrumentId: feed.instrumentId })
    return false
  }

  #lost(feed: Feed, reason: string): void {
    const { exchange, outbox, onBookLost } = this.#parts
    // Some connectors would take the next snapshot for changes of the book that they still have.
    if (feed.stream === "book") delete exchange.orderbooks[this.#symbolOf(feed)]
    if (!feed.live && feed.failures > 1) return
    feed.live = false
    if (feed.stream === "book") onBookLost(feed)
    outbox.push({ _tag: "StreamLost", stream: feed.stream, instrumentId: feed.instrumentId, reason })
  }

  /** A book that never became whole begins again: first alone, then with all that share its socket. */
  #watchdog(feed: Feed): NodeJS.Timeout | undefined {
    if (feed.stream !== "book") return undefined
    const { snapshotMillis } = waitsOf(this.#parts.profile)
    let attempts = 0
    let rounds = 0
    return setInterval(() => {
      if (feed.live || !feed.open || this.#parts.isAsked(this.#symbolOf(feed))) return
      rounds += 1
      if (rounds <= ROUNDS_FOR_OTHERS && this.#parts.isComing(snapshotMillis)) return
      attempts += 1
      if (attempts === 1) void this.renew(feed, `no snapshot of ${feed.name} in time`)
      else this.startOver(feed, `no snapshot of ${feed.name} in time`)
    }, snapshotMillis).unref()
  }

  #symbolOf(feed: Feed): string {
    return this.#parts.markets.listing.symbolOf(feed.instrumentId)
  }
}
