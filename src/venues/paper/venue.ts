/**
 * The venue PAPER: play money on the live books and trades of a real venue. Market orders walk the real book with fees, resting orders are filled
 * by real trades when they reach the front of the queue. Its memory is the gateway's journal, as MOCK's is; its instruments are the source's.
 */
import { Effect, type Scope } from "effect"
import type { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, VenueId } from "../../domain/ids.ts"
import { type Instrument, instrumentIdOf, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import type { VenueCapabilities } from "../../domain/instrument/venue-capabilities.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { JournalPort } from "../../ports/journal-port.ts"
import {
  intervalOf,
  klineStream,
  type MarketSink,
  type MarketSource,
  type MarketStream,
} from "../../ports/market-source.ts"
import { IN_PROCESS_CAPABILITIES, IN_PROCESS_VENUE } from "../adapters/capabilities.ts"
import { recallBalances, stateOf } from "../mock/accounts.ts"
import type { VenueAdapter } from "../venues.ts"
import { lookup, PaperExchange } from "./exchange.ts"

// One venue's public feed for more than one reader: a stream is opened with its first reader and closed with its last. A reader who
// comes to an open book gets the fresh snapshot that is asked for then, and so do all others.

const keyOf = (stream: MarketStream, instrumentId: InstrumentId): string => `${stream} ${instrumentId}`

export class SharedMarket {
  readonly #connect: (sink: MarketSink) => MarketSource
  readonly #readers = new Map<string, Set<MarketSink>>()
  /** Streams that the venue does not have, while they have readers: each reader is told. */
  readonly #unstreamed = new Set<string>()
  #source: MarketSource | undefined

  constructor(connect: (sink: MarketSink) => MarketSource) {
    this.#connect = connect
  }

  attach(sink: MarketSink): MarketSource {
    return {
      open: (stream, instrumentId) => {
        const key = keyOf(stream, instrumentId)
        const readers = this.#readers.get(key)
        if (readers?.has(sink) === true) return
        if (readers === undefined) {
          this.#readers.set(key, new Set([sink]))
          this.#connected().open(stream, instrumentId)
          return
        }
        readers.add(sink)
        const interval = intervalOf(stream)
        // After the call that asked for it, as from the venue itself.
        if (interval !== undefined && this.#unstreamed.has(key))
          queueMicrotask(() => sink.unstreamed(klineStream(interval), instrumentId))
        if (stream === "book") this.#connected().resync(instrumentId)
      },
      close: (stream, instrumentId) => {
        const key = keyOf(stream, instrumentId)
        const readers = this.#readers.get(key)
        if (readers?.delete(sink) !== true || readers.size > 0) return
        this.#readers.delete(key)
        this.#unstreamed.delete(key)
        this.#connected().close(stream, instrumentId)
      },
      resync: (instrumentId, reason) => {
        if (this.#readers.get(keyOf("book", instrumentId))?.has(sink) === true)
          this.#connected().resync(instrumentId, reason)
      },
      confirm: (instrumentId) => Effect.suspend(() => this.#connected().confirm(instrumentId)),
    }
  }

  #connected(): MarketSource {
    this.#source ??= this.#connect({
      depth: (update) => this.#each("book", update.instrumentId, (sink) => sink.depth(update)),
      trades: (trades) => {
        // One frame of a venue is one instrument's.
        const first = trades[0]
        if (first !== undefined) this.#each("trade", first.instrumentId, (sink) => sink.trades(trades))
      },
      tradesMissed: (instrumentId) => this.#each("trade", instrumentId, (sink) => sink.tradesMissed(instrumentId)),
      ticker: (update) => this.#each("ticker", update.instrumentId, (sink) => sink.ticker(update)),
      kline: (update) => this.#each(klineStream(update.interval), update.instrumentId, (sink) => sink.kline(update)),
      unstreamed: (stream, instrumentId) => {
        this.#unstreamed.add(keyOf(stream, instrumentId))
        this.#each(stream, instrumentId, (sink) => sink.unstreamed(stream, instrumentId))
      },
      down: (stream, instrumentId, reason) =>
        this.#each(stream, instrumentId, (sink) => sink.down(stream, instrumentId, reason)),
    })
    return this.#source
  }

  #each(stream: MarketStream, instrumentId: InstrumentId, tell: (sink: MarketSink) => void): void {
    for (const sink of [...(this.#readers.get(keyOf(stream, instrumentId)) ?? [])]) tell(sink)
  }
}

export const PAPER = "PAPER" as VenueId

const SWEEP_MILLIS = 30_000

/** Orders are its own affair, the market is the source's. */
const paperCapabilities = ({ streams, bookContinuity }: VenueCapabilities): VenueCapabilities => {
  const { orderBook, trades, ticker, klines } = streams
  return {
    ...IN_PROCESS_CAPABILITIES,
    marketBuyByCost: true,
    streams: { ...IN_PROCESS_CAPABILITIES.streams, orderBook, trades, ticker, klines },
    bookContinuity,
  }
}

const paper = (source: Venue): Venue => ({
  ...IN_PROCESS_VENUE,
  environment: "SIMULATED",
  venue: PAPER,
  name: `Paper trading on ${source.name}`,
  followsJournal: true,
  status: source.status,
  features: source.features,
  capabilities: paperCapabilities(source.capabilities),
  source: source.venue,
})

/** The same instrument under another venue's name. */
const renamed = (instrumentId: InstrumentId, venue: VenueId): InstrumentId => {
  const name = parseInstrumentId(instrumentId)
  return name === undefined ? instrumentId : instrumentIdOf(venue, name.symbol)
}

/** A sink that hears the source's words under PAPER's names. */
const asPaper = (sink: MarketSink): MarketSink => {
  const named = <A extends { readonly instrumentId: InstrumentId }>(update: A): A => ({
    ...update,
    instrumentId: renamed(update.instrumentId, PAPER),
  })
  return {
    depth: (update) => sink.depth(named(update)),
    trades: (trades) => sink.trades(trades.map(named)),
    tradesMissed: (instrumentId) => sink.tradesMissed(renamed(instrumentId, PAPER)),
    ticker: (update) => sink.ticker(named(update)),
    kline: (update) => sink.kline(named(update)),
    unstreamed: (stream, instrumentId) => sink.unstreamed(stream, renamed(instrumentId, PAPER)),
    down: (stream, instrumentId, reason) => sink.down(stream, renamed(instrumentId, PAPER), reason),
  }
}

/** A source that is asked by PAPER's names. */
const bySource = (market: MarketSource, venue: VenueId): MarketSource => ({
  open: (stream, instrumentId) => market.open(stream, renamed(instrumentId, venue)),
  close: (stream, instrumentId) => market.close(stream, renamed(instrumentId, venue)),
  resync: (instrumentId, reason) => market.resync(renamed(instrumentId, venue), reason),
  confirm: (instrumentId) => market.confirm(renamed(instrumentId, venue)),
})

/** Makes the venue over another one. That one's feed is shared from then on: `source` is the adapter to list in its place. */
export const paperVenue = (
  original: VenueAdapter,
): Effect.Effect<
  { readonly adapter: VenueAdapter; readonly source: VenueAdapter },
  never,
  JournalPort | Clock | Ids | Scope.Scope
> =>
  Effect.gen(function* () {
    const journal = yield* JournalPort
    const clock = yield* Clock
    const ids = yield* Ids
    const shared = new SharedMarket(original.market)
    const { venue } = original.venue
    const timers = new Set<NodeJS.Timeout>()
    const exchange: PaperExchange = new PaperExchange({
      run: `${clock.now().toString(36)}${ids.uuid().slice(-6)}`,
      now: clock.now,
      after: (millis, run) => {
        const timer = setTimeout(() => {
          timers.delete(timer)
          run()
        }, millis)
        timers.add(timer)
      },
      source: () => own,
    })
    const own: MarketSource = bySource(
      shared.attach(
        asPaper({
          depth: (update) => {
            const market = exchange.market(update.instrumentId)
            if (market === undefined) return
            if (market.onDepth(update)) exchange.booked(update.instrumentId)
            else own.resync(update.instrumentId)
          },
          trades: (trades) => {
            for (const trade of trades) exchange.market(trade.instrumentId)?.onTrade(trade)
          },
          tradesMissed: () => undefined,
          ticker: () => undefined,
          kline: () => undefined,
          unstreamed: () => undefined,
          down: (stream, instrumentId) => {
            if (stream === "book") exchange.market(instrumentId)?.lose()
          },
        }),
      ),
      venue,
    )
    const sweep = setInterval(() => exchange.sweep(), SWEEP_MILLIS)
    sweep.unref()
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        clearInterval(sweep)
        for (const timer of timers) clearTimeout(timer)
      }),
    )

    const instruments: VenueAdapter["instruments"] = (symbols) =>
      original.instruments(symbols).pipe(
        Effect.map((found) =>
          found.map(
            (instrument): Instrument => ({
              ...instrument,
              venue: PAPER,
              instrumentId: instrumentIdOf(PAPER, instrument.symbol),
            }),
          ),
        ),
      )

    const once = yield* Effect.makeSemaphore(1)
    let isRestored = false
    /** What the venue lists must be known before orders of the journal can come back. */
    const restored: Effect.Effect<void, VenueUnavailable> = once.withPermits(1)(
      Effect.gen(function* () {
        if (isRestored) return
        exchange.list(yield* instruments(null).pipe(Effect.catchTag("InvalidVenue", Effect.die)))
        for (const order of yield* journal.restingOrders(PAPER)) exchange.restore(order)
        isRestored = true
      }),
    )

    const openSession: VenueAdapter["openSession"] = ({ account: opening, report }) =>
      Effect.gen(function* () {
        yield* restored
        const account = exchange.account(opening.tradingAccountId)
        yield* recallBalances(account, opening, journal)
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            account.report = report
          }),
          () =>
            Effect.sync(() => {
              if (account.report === report) account.report = null
            }),
        )
        return {
          submit: (order) => exchange.submit(account, order),
          forgo: (tradeOrderId) => exchange.forgo(account, tradeOrderId),
          cancel: (order) => exchange.cancel(account, order),
          fetchOrder: (order) => Effect.sync(() => lookup(account, order.tradeOrderId)),
          fetchOpenOrders: Effect.sync(() =>
            [...account.orders.values()].filter((order) => order.status === "OPEN").map(stateOf),
          ),
          fetchFills: (since, chosen) =>
            Effect.sync(() =>
              account.fills.filter((fill) => fill.executedAt >= since && chosen.includes(fill.instrumentId)),
            ),
          fetchBalances: Effect.sync(() => account.balances(clock.now())),
        }
      })

    const adapter: VenueAdapter = {
      venue: paper(original.venue),
      verify: () => Effect.succeed({ externalAccountId: null }),
      openSession,
      instruments,
      klines: (ask) => original.klines({ ...ask, instrumentId: renamed(ask.instrumentId, venue) }),
      market: (sink) => bySource(shared.attach(asPaper(sink)), venue),
      health: () => ({ ...original.health(), venue: PAPER }),
    }
    return { adapter, source: { ...original, market: (sink) => shared.attach(sink) } }
  })
