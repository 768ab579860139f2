/**
 * The venue MOCK: everything a venue does, without a network. Its memory is the gateway's journal: at start resting orders are restored in queue
 * order, balances follow when a session opens, and a match that was not committed did not happen.
 */
import { Effect, type Scope } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { keepLoop } from "../../kernel/loop.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { JournalPort } from "../../ports/journal-port.ts"
import type { MarketStream } from "../../ports/market-source.ts"
import type { OrderLookup, SessionReport } from "../../ports/venue-session.ts"
import { IN_PROCESS_CAPABILITIES, IN_PROCESS_VENUE } from "../adapters/capabilities.ts"
import { unitsOf } from "../matching/units.ts"
import type { VenueAdapter } from "../venues.ts"
import { recallBalances, stateOf } from "./accounts.ts"
import { MockExchange } from "./exchange.ts"
import { MOCK, MOCK_LISTINGS } from "./instruments.ts"

export interface MockSettings {
  /** Seed of the synthetic market. */
  readonly mockSeed: number
  /** Synthetic prices move this often; 0 keeps them still. */
  readonly mockTickMillis: number
}

/** How tests make MOCK misbehave. It stands beside the adapter and is reachable from nowhere else. */
export interface MockRig {
  readonly rejectNext: (code: string, text: string) => void
  /** The next submit is never answered; `placed`: it arrives nevertheless. */
  readonly hangNext: (options: { readonly placed: boolean }) => void
  /** Loses the next reports of a tag. */
  readonly dropReports: (tag: SessionReport["_tag"], count: number) => void
  /** Fills part of a resting order, at any price on the instrument's tick. */
  readonly fill: (tradeOrderId: TradeOrderId, quantity: string, price: string) => void
  /** Moves the synthetic market; resting orders in its way trade. */
  readonly movePrice: (instrumentId: InstrumentId, price: string) => void
  /** One tick of the synthetic market, as its timer would make it. */
  readonly tick: () => void
  /** Interrupts or mends a public stream. */
  readonly loseStream: (stream: MarketStream, instrumentId: InstrumentId) => void
  readonly mendStream: (stream: MarketStream, instrumentId: InstrumentId) => void
  /** Loses the next depth update on the way: a hole in the sequence. */
  readonly skipDepth: (instrumentId: InstrumentId) => void
  /** Interrupts or mends an account's private stream; what happens between is never reported. */
  readonly loseSession: (account: TradingAccountId) => void
  readonly mendSession: (account: TradingAccountId) => void
  /** While true every call with an answer fails with VenueUnavailable. */
  readonly setUnavailable: (unavailable: boolean) => void
  /** The matcher's own book, best first, in the digits the feed uses. */
  readonly book: (instrumentId: InstrumentId) => {
    readonly bids: ReadonlyArray<readonly [price: string, quantity: string]>
    readonly asks: ReadonlyArray<readonly [price: string, quantity: string]>
  }
  /** Whether the synthetic market's timer runs. */
  readonly isMoving: () => boolean
}

export const MOCK_VENUE: Venue = {
  ...IN_PROCESS_VENUE,
  environment: "SIMULATED",
  venue: MOCK,
  name: "Mock exchange",
  followsJournal: true,
  status: "ACTIVE",
  capabilities: { ...IN_PROCESS_CAPABILITIES, marketBuyByCost: true, amend: true },
}

/** Makes the venue and restores its books; the scope ends its market. */
export const mockVenue = (
  settings: MockSettings,
): Effect.Effect<
  { readonly adapter: VenueAdapter; readonly rig: MockRig },
  never,
  JournalPort | Clock | Ids | Scope.Scope
> =>
  Effect.gen(function* () {
    const journal = yield* JournalPort
    const clock = yield* Clock
    const ids = yield* Ids
    const isWatched = Effect.unsafeMakeLatch(false)
    let isMoving = false
    let isUnavailable = false
    let sessions = 0
    const since = clock.now()

    const exchange = new MockExchange({
      seed: settings.mockSeed,
      run: `${clock.now().toString(36)}${ids.uuid().slice(-6)}`,
      now: clock.now,
      wake: () => {
        if (settings.mockTickMillis === 0) return
        isMoving = true
        isWatched.unsafeOpen()
      },
    })
    exchange.restore(yield* journal.restingOrders(MOCK))

    if (settings.mockTickMillis > 0)
      yield* keepLoop({
        name: "MOCK",
        awaits: Effect.zipRight(isWatched.await, Effect.sleep(settings.mockTickMillis)),
        round: Effect.sync(() => {
          isMoving = exchange.tick()
          if (!isMoving) isWatched.unsafeClose()
        }),
      })

    /** An answer of the venue, unless a rig took it away. */
    const answer = <A>(read: () => A): Effect.Effect<A, VenueUnavailable> =>
      Effect.suspend(() => (isUnavailable ? new VenueUnavailable({ reason: "rigged" }) : Effect.sync(read)))

    const openSession: VenueAdapter["openSession"] = ({ account: opening, report }) =>
      Effect.gen(function* () {
        yield* answer(() => undefined)
        const account = exchange.account(opening.tradingAccountId)
        yield* recallBalances(account, opening, journal)
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            sessions += 1
            account.report = report
            account.isStreaming = true
          }),
          () =>
            Effect.sync(() => {
              sessions -= 1
              if (account.report === report) account.report = null
            }),
        )
        const lookup = (tradeOrderId: TradeOrderId): OrderLookup => {
          const order = account.orders.get(tradeOrderId)
          return order === undefined
            ? { _tag: "NotFound", definite: account.remembersAll }
            : { _tag: "Found", state: stateOf(order) }
        }
        return {
          submit: (order) => exchange.submit(account, order),
          forgo: (tradeOrderId) => exchange.forgo(account, tradeOrderId),
          cancel: (order) => exchange.cancel(account, order),
          amend: (order, to) => exchange.amend(account, order, to),
          fetchOrder: (order) => answer(() => lookup(order.tradeOrderId)),
          fetchOpenOrders: answer(() =>
            [...account.orders.values()].filter((order) => order.status === "OPEN").map(stateOf),
          ),
          fetchFills: (since, instruments) =>
            answer(() =>
              account.fills.filter((fill) => fill.executedAt >= since && instruments.includes(fill.instrumentId)),
            ),
          fetchBalances: answer(() => account.balances(clock.now())),
        }
      })

    const adapter: VenueAdapter = {
      venue: MOCK_VENUE,
      verify: () => Effect.succeed({ externalAccountId: null }),
      openSession,
      instruments: (symbols) =>
        answer(() =>
          MOCK_LISTINGS.map((listing) => listing.instrument).filter(
            (instrument) => symbols === null || symbols.includes(instrument.symbol),
          ),
        ),
      klines: (ask) =>
        answer(() => ({
          bars: exchange.markets.get(ask.instrumentId)?.klines.read(ask, clock.now()) ?? [],
          venueAt: clock.now(),
        })),
      market: (sink) => exchange.feed.connect(sink),
      health: () => {
        const streams = exchange.feed.openCount
        return { venue: MOCK, status: "up", reason: null, since, restarts: 0, streams, sessions }
      },
    }
    return {
      adapter,
      rig: makeRig(
        exchange,
        (value) => {
          isUnavailable = value
        },
        () => isMoving,
      ),
    }
  })

const makeRig = (
  exchange: MockExchange,
  setUnavailable: (unavailable: boolean) => void,
  isMoving: () => boolean,
): MockRig => {
  const marketOf = (instrumentId: InstrumentId) => {
    const market = exchange.markets.get(instrumentId)
    if (market === undefined) throw new Error(`MOCK does not list ${instrumentId}`)
    return market
  }
  return {
    rejectNext: (code, text) => {
      exchange.tampering.rejections.push({ code, text })
    },
    hangNext: (options) => {
      exchange.tampering.hangs.push(options)
    },
    dropReports: (tag, count) => {
      exchange.tampering.drops.set(tag, count)
    },
    fill: (tradeOrderId, quantity, price) => exchange.fill(tradeOrderId, Decimal.of(quantity), Decimal.of(price)),
    movePrice: (instrumentId, price) => {
      const { synthetic, instrument } = marketOf(instrumentId)
      const units = unitsOf(Decimal.of(price), instrument.precision)
      if (units === undefined) throw new Error(`${price} is not a multiple of the tick size`)
      synthetic.moveTo(units)
    },
    tick: () => {
      exchange.tick()
    },
    loseStream: (stream, instrumentId) => exchange.feed.cut(stream, instrumentId),
    mendStream: (stream, instrumentId) => exchange.feed.mend(stream, instrumentId),
    skipDepth: (instrumentId) => exchange.feed.skipDepth(instrumentId),
    loseSession: (id) => exchange.stream(exchange.account(id), false),
    mendSession: (id) => exchange.stream(exchange.account(id), true),
    setUnavailable,
    book: (instrumentId) => {
      const { matcher, instrument } = marketOf(instrumentId)
      const rows = (side: "BUY" | "SELL") =>
        [...matcher.levels(side)].map(
          ({ price, quantity }) =>
            [
              Decimal.fromUnits(price, instrument.precision).toString(),
              Decimal.fromUnits(quantity, instrument.scale).toString(),
            ] as const,
        )
      return { bids: rows("BUY"), asks: rows("SELL") }
    },
    isMoving,
  }
}
