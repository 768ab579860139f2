/**
 * A real connector in a real worker against the loopback exchange, and what came out of it. `until` waits for a condition and
 * never for a time; a test that waits in vain fails with the words it was given.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import type { VenueSecrets } from "../../../src/domain/account/credential.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import type {
  DepthUpdate,
  KlineUpdate,
  MarketSink,
  MarketSource,
  MarketTrade,
  TickerUpdate,
} from "../../../src/ports/market-source.ts"
import type { SessionReport, VenueOrder, VenueSession } from "../../../src/ports/venue-session.ts"
import type { VenueStats } from "../../../src/ports/venue-stats.ts"
import type { VenueProfile, VenueWaits } from "../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { type CcxtVenue, type CcxtVenuesOptions, ccxtVenues } from "../../../src/venues/connector/ccxt-venue.ts"
import {
  type BinanceExchange,
  type BinanceExchangeOptions,
  startBinanceExchange,
} from "../../exchanges/binance/exchange.ts"
import { THREAD_CODE } from "../../kit/thread-code.ts"
import { PATIENT, sharedThread } from "./thread-kit.ts"
import { told } from "./venue-lies.ts"

export const BTC_USDT = "BINANCE:BTC/USDT" as InstrumentId

export const SECRETS: VenueSecrets = { apiKey: "k".repeat(64), apiSecret: "s".repeat(64), apiPassphrase: null }

export const profileOf = (venue: string): VenueProfile => {
  const profile = PROFILES.find((known) => known.venue === venue)
  if (profile === undefined) throw new Error(`${venue} is not in the registry`)
  return profile
}

/** For tests of an answer that never comes: as long as a busy machine needs for one that does. */
export const SOON_LATE: Partial<VenueWaits> = { requestMillis: 2000, acknowledgedMillis: 2000, limitedMillis: 100 }

export const until = async (condition: () => boolean, what: string, timeoutMillis = 60_000): Promise<void> => {
  const end = performance.now() + timeoutMillis
  while (!condition()) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`)
    await sleep(5)
  }
}

/** What happens behind it has a later time than what was before, by any clock of milliseconds. */
export const laterInstant = async (): Promise<void> => {
  const now = Date.now()
  await until(() => Date.now() > now, "a later instant")
}

const better = (side: "bids" | "asks", a: string, b: string): number => {
  const order = Decimal.of(a).compare(Decimal.of(b))
  return side === "bids" ? -order : order
}

/** The dumbest book there is, in the venue's own digits; it throws when a sequence has a hole. */
export class DumbBook {
  readonly bids = new Map<string, string>()
  readonly asks = new Map<string, string>()
  snapshots = 0
  isWhole = false
  nonce: number | null = null
  #sequence = 0

  apply(update: DepthUpdate): void {
    if (update.snapshot) {
      this.bids.clear()
      this.asks.clear()
      this.snapshots += 1
      this.isWhole = true
    } else {
      if (!this.isWhole) throw new Error("a difference for a book that is lost")
      if (update.sequence !== this.#sequence + 1)
        throw new Error(`${this.#sequence} was followed by ${update.sequence}`)
    }
    this.#sequence = update.sequence
    this.nonce = update.nonce
    for (const side of ["bids", "asks"] as const) {
      const levels = update[side]
      for (let i = 0; i < levels.length; i += 2) {
        const [price, quantity] = [levels[i] ?? "", levels[i + 1] ?? ""]
        if (quantity === "0") this[side].delete(price)
        else this[side].set(price, quantity)
      }
    }
  }

  /** Best first, [price, quantity]. */
  rows(side: "bids" | "asks"): ReadonlyArray<readonly [string, string]> {
    return [...this[side]].sort(([a], [b]) => better(side, a, b))
  }

  best(side: "bids" | "asks"): readonly [string, string] | undefined {
    let best: readonly [string, string] | undefined
    for (const row of this[side]) if (best === undefined || better(side, row[0], best[0]) < 0) best = row
    return best
  }
}

export class RecordingSink implements MarketSink {
  readonly book = new DumbBook()
  readonly depths: Array<DepthUpdate> = []
  readonly seenTrades: Array<MarketTrade> = []
  readonly tickers: Array<TickerUpdate> = []
  readonly klines: Array<KlineUpdate> = []
  readonly unstreamedKlines: Array<string> = []
  readonly downs: Array<string> = []
  /** After how many trades a hole was told. */
  readonly missed: Array<number> = []
  onDepth: (update: DepthUpdate) => void = () => undefined

  depth = (update: DepthUpdate): void => {
    this.depths.push(update)
    this.book.apply(update)
    this.onDepth(update)
  }
  trades = (trades: ReadonlyArray<MarketTrade>): void => {
    this.seenTrades.push(...trades)
  }
  tradesMissed = (): void => {
    this.missed.push(this.seenTrades.length)
  }
  ticker = (update: TickerUpdate): void => {
    this.tickers.push(update)
  }
  kline = (update: KlineUpdate): void => {
    this.klines.push(update)
  }
  unstreamed = (stream: string): void => {
    this.unstreamedKlines.push(stream)
  }
  down = (stream: string, _instrumentId: InstrumentId, reason: string): void => {
    if (stream === "book") this.book.isWhole = false
    this.downs.push(`${stream}: ${reason}`)
  }
}

export interface OpenSession {
  readonly session: VenueSession
  readonly reports: Array<SessionReport>
  /** Reports about one order, by what they say. */
  readonly about: (tradeOrderId: TradeOrderId) => ReadonlyArray<SessionReport["_tag"]>
  readonly last: <T extends SessionReport["_tag"]>(tag: T) => Extract<SessionReport, { readonly _tag: T }> | undefined
}

/** What the kit must know of a loopback exchange. */
export interface Loopback {
  readonly routes: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

export interface VenueUnderTest<E extends Loopback = BinanceExchange> {
  readonly exchange: E
  readonly venue: CcxtVenue
  readonly stats: () => VenueStats
  readonly sink: RecordingSink
  readonly source: MarketSource
  readonly notices: Array<string>
  readonly openSession: (secrets?: VenueSecrets) => Promise<OpenSession>
  /** Ends those that are open: one that connects again later would take a fault that is meant for the next test. */
  readonly endSessions: () => Promise<void>
  readonly run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>
  readonly stop: () => Promise<void>
}

export const account = (venue: VenueId): TradingAccount =>
  ({ tradingAccountId: randomUUID() as TradingAccountId, venue }) as TradingAccount

const idOf = (report: SessionReport): TradeOrderId | null => {
  if ("tradeOrderId" in report) return report.tradeOrderId
  if (report._tag === "OrderSeen") return report.state.tradeOrderId
  return report._tag === "Filled" ? report.fill.tradeOrderId : null
}

/** A connector's options, and what of its venue's profile is another. */
export interface ConnectorOptions extends Partial<CcxtVenuesOptions> {
  readonly venue?: string
  readonly change?: Partial<VenueProfile>
}

export const startVenue = async (
  exchangeOptions: BinanceExchangeOptions = {},
  { venue = "BINANCE", change, ...options }: ConnectorOptions = {},
): Promise<VenueUnderTest> => {
  const users = [{ apiKey: SECRETS.apiKey, apiSecret: SECRETS.apiSecret, balances: { USDT: "100000", BTC: "5" } }]
  const exchange = await startBinanceExchange({ users, ...exchangeOptions })
  return connectVenue(exchange, { ...profileOf(venue), ...change }, SECRETS, options)
}

/**
 * `secrets` are those of sessions that name none. The exchange ends with the connector. The thread is the file's, unless `shards`, `times`
 * or `heapMegabytes` say something of a thread.
 */
export const connectVenue = async <E extends Loopback>(
  exchange: E,
  profile: VenueProfile,
  ownSecrets: VenueSecrets,
  options: Partial<CcxtVenuesOptions> = {},
): Promise<VenueUnderTest<E>> => {
  const scope = await Effect.runPromise(Scope.make())
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Scope.extend(scope)))
  const notices: Array<string> = []
  const hasOwnThread = [options.shards, options.times, options.heapMegabytes].some((given) => given !== undefined)
  const { venues, stats } = await run(
    ccxtVenues(
      {
        ...(hasOwnThread ? {} : { placement: sharedThread(profile) }),
        venueRoutes: exchange.routes,
        venuesInactive: [],
        breakable: true,
        threadCode: THREAD_CODE,
        notice: (_, what) => notices.push(what),
        ...options,
        times: { ...PATIENT, ...options.times },
      },
      [told(profile)],
    ),
  )
  const [venue] = venues
  if (venue === undefined) throw new Error("one profile makes one venue")
  const sink = new RecordingSink()
  const sessions: Array<Scope.CloseableScope> = []
  const endSessions = async (): Promise<void> => {
    for (const open of sessions.splice(0)) await Effect.runPromise(Scope.close(open, Exit.void))
  }
  return {
    exchange,
    venue,
    stats,
    sink,
    source: venue.market(sink),
    notices,
    openSession: async (secrets = ownSecrets) => {
      const reports: Array<SessionReport> = []
      const report = (said: SessionReport) => reports.push(said)
      const open = await Effect.runPromise(Scope.make())
      sessions.push(open)
      const opening = venue.openSession({ account: account(venue.venue.venue), secrets, report })
      const session = await Effect.runPromise(opening.pipe(Scope.extend(open)))
      return {
        session,
        reports,
        about: (id) => reports.filter((said) => idOf(said) === id).map((said) => said._tag),
        last: <T extends SessionReport["_tag"]>(tag: T) =>
          reports.findLast((said): said is Extract<SessionReport, { readonly _tag: T }> => said._tag === tag),
      }
    },
    endSessions,
    run,
    stop: async () => {
      await endSessions()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await exchange.stop()
    },
  }
}

/** A limit order far from the market, with 10 s to leave. */
export const restingOrder = (change: Partial<VenueOrder> = {}): VenueOrder => ({
  tradeOrderId: randomUUID() as TradeOrderId,
  instrumentId: BTC_USDT,
  orderSide: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.001",
  limitPrice: "50000",
  notAfter: Date.now() + 10_000,
  ...change,
})
