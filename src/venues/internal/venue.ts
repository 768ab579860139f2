/**
 * The platform's own venue: accounts whose money is in the ledger trade with each other, one market and one actor per instrument. The one thing
 * to know: it keeps no state of its own. Orders, trades and balances are what the ledger's transactions stored, so every answer here is definite.
 */
import { Context, Effect, FiberMap, FiberSet, Schedule, type Scope } from "effect"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { Decimal } from "../../domain/decimal.ts"
import { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId } from "../../domain/ids.ts"
import {
  haveSameTerms,
  type Instrument,
  type InstrumentName,
  parseInstrumentId,
} from "../../domain/instrument/instrument.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { INTERNAL, type InternalFees, type InternalOrder } from "../../domain/order/internal-order.ts"
import type { Authority } from "../../domain/user/act.ts"
import type { WalletId } from "../../domain/wallet/wallet.ts"
import type { Notice } from "../../foundation/log-line.ts"
import { type Actor, create, live as living } from "../../kernel/actor.ts"
import { Clock } from "../../ports/clock.ts"
import { Failpoint } from "../../ports/failpoint.ts"
import { Ids } from "../../ports/ids.ts"
import { InternalStore } from "../../ports/journal-port.ts"
import { LedgerPort } from "../../ports/ledger-port.ts"
import type { OrderLookup, VenueOrder } from "../../ports/venue-session.ts"
import { IN_PROCESS_CAPABILITIES, IN_PROCESS_VENUE } from "../adapters/capabilities.ts"
import { MatcherFeed } from "../matching/feed.ts"
import type { VenueAdapter } from "../venues.ts"
import type { MarketMessage } from "./commands.ts"
import { atHalted, type HaltedParts } from "./halted.ts"
import { internalMarket } from "./market.ts"
import { InternalPublic } from "./public.ts"
import { fillsOf, quotedStateOf, refusedOf, stateOf } from "./reports.ts"
import { InternalSessions } from "./sessions.ts"

/** Its money is the ledger's: as real as the installation is. */
const venueIn = (environment: InternalVenueOptions["environment"]): Venue => ({
  ...IN_PROCESS_VENUE,
  environment,
  venue: INTERNAL,
  name: "Internal venue",
  status: "ACTIVE",
  capabilities: { ...IN_PROCESS_CAPABILITIES, marketBuyByCost: true, amend: true },
})

/** Trades of the past from which the bars of a start are made. */
const PAST_TRADES = 100_000
/** A market whose actor gave up is tried again so much later; meanwhile its orders can be cancelled. */
const REOPEN_MILLIS = 30_000

export interface InternalVenueOptions {
  readonly fees: InternalFees
  /** Of the installation. */
  readonly environment: "PROD" | "UAT"
  /** What the admins have listed, and retired. */
  readonly instruments: ReadonlyArray<Instrument>
  readonly notice: Notice
  /** Of tests. */
  readonly reopenMillis?: number
}

export class InternalVenue extends Context.Tag("venues/InternalVenue")<
  InternalVenue,
  {
    readonly adapter: VenueAdapter
    /**
     * A market is as it says from now on: open, or retired, which takes orders off and none in. With other terms it begins anew: nothing may be
     * open there.
     */
    readonly list: (instrument: Instrument) => Effect.Effect<void>
  }
>() {}

interface Market {
  readonly actor: Actor<MarketMessage>
  readonly shown: InternalPublic
}

/** Makes the venue and opens its markets; the scope ends them. */
export const internalVenue = (
  options: InternalVenueOptions,
): Effect.Effect<InternalVenue["Type"], never, LedgerPort | InternalStore | Clock | Ids | Failpoint | Scope.Scope> =>
  Effect.gen(function* () {
    const ledger = yield* LedgerPort
    const store = yield* InternalStore
    const clock = yield* Clock
    const ids = yield* Ids
    const failpoint = yield* Failpoint
    const run = yield* FiberSet.makeRuntime<never>()
    const lives = yield* FiberMap.make<InstrumentId>()
    const sessions = new InternalSessions(ledger, clock.now)
    const markets = new Map<InstrumentId, Market>()
    const instruments = new Map<InstrumentId, Instrument>()
    /** Their actors gave up. */
    const halted = new Set<InstrumentId>()
    const since = clock.now()
    /** Requests of the venue itself: what they move its accounts count by their own fills. */
    const own = new Set<string>()

    let isScheduled = false
    const schedule = (): void => {
      if (isScheduled) return
      isScheduled = true
      queueMicrotask(() => {
        isScheduled = false
        feed.flush()
      })
    }
    const feed: MatcherFeed = new MatcherFeed({
      markets: [],
      schedule,
      opened: () => undefined,
      now: clock.now,
    })

    const uuid = (): string => ids.uuid()
    const post: LedgerPort["Type"]["post"] = (request) => {
      const accounts = new Set(request.facts.flatMap(({ row }) => [row["trading_account_id"] as never]))
      const stir = (): void => {
        for (const account of accounts) if (account !== undefined) sessions.stirred(account)
      }
      stir()
      own.add(request.requestId)
      ledger.post({
        ...request,
        settled: (outcome) => {
          stir()
          request.settled(outcome)
          queueMicrotask(() => own.delete(request.requestId))
        },
      })
    }
    ledger.watch((wallets, requestId) => {
      if (own.has(requestId)) return
      sessions.moved(wallets)
      run(sessions.tell(wallets))
    })

    const patient = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A> =>
      Effect.orDie(Effect.retry(read, Schedule.spaced("1 second")))

    const actorOf = (instrument: Instrument, shown: InternalPublic): Actor<MarketMessage> =>
      create<MarketMessage, never>({
        name: `InternalMarket ${instrument.instrumentId}`,
        behaviour: (self) =>
          internalMarket(
            {
              instrument,
              fees: options.fees,
              ledger: { post, wallet: ledger.wallet },
              openOrders: patient(store.openOrders(instrument.instrumentId)),
              isOpen: () => instruments.get(instrument.instrumentId)?.status === "ACTIVE",
              now: clock.now,
              uuid,
              hit: failpoint.hit,
              report: (account, report) => sessions.report(account, report),
              published: (settlement) => {
                shown.published(settlement)
                schedule()
              },
              opened: (book) => {
                shown.open((side) => book.matcher.levels(side))
                schedule()
              },
              decided: (tradeOrderId) => sessions.decided(tradeOrderId),
              notice: options.notice,
            },
            self,
          ),
        refusable: () => false,
        answers: { busy: never, lost: never, parked: never, ended: never },
        monotonic: clock.monotonic,
        onDefect: (cause, restarts) => {
          options.notice(
            "a market of the internal venue restarted",
            { instrumentId: instrument.instrumentId, restarts, cause: String(cause) },
            "error",
          )
          // What was on its way is asked for: every account agrees with the venue again.
          sessions.everyone({ _tag: "StreamDown", reason: "a market restarted" })
          sessions.everyone({ _tag: "StreamUp" })
        },
        onParked: () => {
          options.notice("a market of the internal venue is halted", { instrumentId: instrument.instrumentId }, "error")
          halted.add(instrument.instrumentId)
          // Mail that was never looked at: nothing of it is stored.
          sessions.decideAll(instrument.instrumentId)
          run(Effect.delay(reopen(instrument.instrumentId), options.reopenMillis ?? REOPEN_MILLIS))
        },
      })

    const live = (instrument: Instrument, shown: InternalPublic): Effect.Effect<void> =>
      Effect.suspend(() => {
        const actor = actorOf(instrument, shown)
        markets.set(instrument.instrumentId, { actor, shown })
        return Effect.asVoid(FiberMap.run(lives, instrument.instrumentId, living(actor, clock.monotonic)))
      })

    const reopen = (instrumentId: InstrumentId): Effect.Effect<void> =>
      Effect.suspend(() => {
        const [market, instrument] = [markets.get(instrumentId), instruments.get(instrumentId)]
        // It may have begun anew meanwhile.
        if (!halted.delete(instrumentId) || market === undefined || instrument === undefined) return Effect.void
        return live(instrument, market.shown)
      })

    const list = (instrument: Instrument): Effect.Effect<void> =>
      Effect.gen(function* () {
        const { instrumentId } = instrument
        const before = instruments.get(instrumentId)
        if (before !== undefined && haveSameTerms(before, instrument)) {
          instruments.set(instrumentId, instrument)
          return
        }
        const past = yield* patient(store.seconds(instrumentId, PAST_TRADES))
        yield* FiberMap.remove(lives, instrumentId)
        halted.delete(instrumentId)
        const shown = new InternalPublic(instrument, past, feed)
        feed.list(shown)
        yield* live(instrument, shown)
        instruments.set(instrumentId, instrument)
      })

    yield* Effect.forEach(options.instruments, list, { discard: true })

    const atHalt: HaltedParts = {
      post,
      order: store.order,
      now: clock.now,
      uuid,
      report: (account, report) => sessions.report(account, report),
      decided: (tradeOrderId) => sessions.decided(tradeOrderId),
      run: (work) => void run(work),
    }
    const marketOf = (instrumentId: InstrumentId): Pick<Actor<MarketMessage>, "post"> | undefined =>
      halted.has(instrumentId) ? { post: (message) => atHalted(atHalt, message) } : markets.get(instrumentId)?.actor

    const answer = <A>(read: Effect.Effect<A, unknown>): Effect.Effect<A, VenueUnavailable> =>
      Effect.mapError(read, () => new VenueUnavailable({ reason: "the journal cannot be read" }))

    const lookup = (tradeOrderId: TradeOrderId): Effect.Effect<OrderLookup, VenueUnavailable> =>
      sessions.whenDecided(tradeOrderId).pipe(
        Effect.zipRight(answer(Effect.all([store.order(tradeOrderId), store.quotedTrade(tradeOrderId)]))),
        Effect.map(([order, quoted]): OrderLookup => {
          if (order !== null) return { _tag: "Found", state: stateOf(order) }
          if (quoted !== null) return { _tag: "Found", state: quotedStateOf(quoted) }
          return { _tag: "NotFound", definite: true }
        }),
      )

    const openSession: VenueAdapter["openSession"] = ({ account, report }) =>
      Effect.gen(function* () {
        const { walletId } = account
        if (walletId === null) return yield* new VenueUnavailable({ reason: "the account has no wallet" })
        yield* Effect.acquireRelease(
          Effect.sync(() => sessions.open(account.tradingAccountId, walletId, report)),
          () => Effect.sync(() => sessions.close(account.tradingAccountId, report)),
        )
        return {
          submit: (asked) => {
            const actor = marketOf(asked.instrumentId)
            const { tradeOrderId } = asked
            const at = clock.now()
            if (actor === undefined)
              return report(refusedOf(tradeOrderId, "INSTRUMENT_NOT_FOUND", "no such instrument", at))
            if (asked.trigger !== undefined || asked.pairedWith !== undefined || (asked.leverage ?? 1) !== 1)
              return report(
                refusedOf(tradeOrderId, "NOT_SUPPORTED", "triggers and leverage are not supported here", at),
              )
            sessions.undecided(tradeOrderId, asked.instrumentId)
            const order = orderOf(account, walletId, asked, at)
            actor.post({ _tag: "Submit", order, authority: authorityOf(account, asked), notAfter: asked.notAfter })
          },
          cancel: ({ tradeOrderId, instrumentId }) => {
            const text = "no such instrument"
            const actor = marketOf(instrumentId)
            if (actor === undefined)
              report({ _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text, at: clock.now() })
            else actor.post({ _tag: "Cancel", account: account.tradingAccountId, tradeOrderId })
          },
          amend: ({ tradeOrderId, instrumentId }, to) => {
            const text = "no such instrument"
            const actor = marketOf(instrumentId)
            if (actor === undefined)
              report({
                _tag: "AmendRefused",
                tradeOrderId,
                askedAt: to.askedAt,
                unknownOrder: true,
                text,
                at: clock.now(),
              })
            else actor.post({ _tag: "Amend", account: account.tradingAccountId, tradeOrderId, to })
          },
          fetchOrder: ({ tradeOrderId }) => lookup(tradeOrderId),
          fetchOpenOrders: answer(store.openOrdersOf(account.tradingAccountId)).pipe(
            Effect.map((orders) => orders.map(stateOf)),
          ),
          fetchFills: (from, chosen) =>
            answer(store.tradesOf(account.tradingAccountId, from, chosen)).pipe(
              Effect.map((trades) =>
                trades.flatMap((trade) => fillsOf(trade, account.tradingAccountId, assetsOf(trade.instrumentId))),
              ),
            ),
          fetchBalances: sessions.balances(account.tradingAccountId, walletId),
          movedTo: () => sessions.movedTo(account.tradingAccountId),
        }
      })

    const adapter: VenueAdapter = {
      venue: venueIn(options.environment),
      verify: () => Effect.succeed({ externalAccountId: null }),
      openSession,
      instruments: (symbols) =>
        Effect.sync(() =>
          [...instruments.values()].filter(({ symbol }) => symbols === null || symbols.includes(symbol)),
        ),
      klines: (ask) =>
        Effect.sync(() => ({
          bars: markets.get(ask.instrumentId)?.shown.klines.read(ask, clock.now()) ?? [],
          venueAt: clock.now(),
        })),
      market: (sink) => feed.connect(sink),
      health: () => {
        let restarts = 0
        for (const { actor } of markets.values()) restarts += actor.restarts()
        const streams = feed.openCount
        return { venue: INTERNAL, status: "up", reason: null, since, restarts, streams, sessions: sessions.size }
      },
    }
    return InternalVenue.of({ adapter, list })
  })

/** A market sends no replies, only reports. */
const never = (): never => {
  throw new Error("a message to a market has no reply")
}

const assetsOf = (instrumentId: InstrumentId): InstrumentName => {
  const name = parseInstrumentId(instrumentId)
  if (name === undefined) throw new Error(`a trade of instrument ${instrumentId}`)
  return name
}

/** The right to a dealer's money is asked with each order; a user's own is its own. */
const authorityOf = ({ userId }: TradingAccount, { actor }: VenueOrder): Authority | undefined =>
  userId !== null || actor === undefined ? undefined : { actor, right: "DEALER" }

const orderOf = (account: TradingAccount, walletId: WalletId, asked: VenueOrder, at: number): InternalOrder => ({
  tradeOrderId: asked.tradeOrderId,
  tradingAccountId: account.tradingAccountId,
  tenantId: account.tenantId,
  // A dealer's own account has no user, but its dealer.
  ownerId: account.userId ?? account.dealerAccountId!,
  walletId,
  instrumentId: asked.instrumentId,
  orderSide: asked.orderSide,
  orderType: asked.orderType,
  timeInForce: asked.timeInForce,
  limitPrice: asked.limitPrice === null || asked.orderType === "MARKET" ? null : Decimal.of(asked.limitPrice),
  quantity: Decimal.of(asked.quantity),
  budget: asked.cost === undefined ? null : Decimal.of(asked.cost),
  executed: Decimal.ZERO,
  status: "OPEN",
  ending: null,
  sequence: 0,
  holdId: null,
  held: Decimal.ZERO,
  createdAt: at,
  updatedAt: at,
})
