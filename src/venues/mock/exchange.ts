/**
 * MOCK's core: accounts and synthetic traders meet in one matcher per instrument. Synchronous inside; its messages are sent in a microtask of the
 * same loop turn, reports before market data, so that no caller is called back from within its own call.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { type Instrument, quantityStep } from "../../domain/instrument/instrument.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { SessionReport, VenueAmend, VenueOrder, VenueOrderRef } from "../../ports/venue-session.ts"
import { MatcherFeed } from "../matching/feed.ts"
import { MatcherKlines } from "../matching/klines.ts"
import { type DoneReason, type MatchEvent, Matcher, type MatchOrder } from "../matching/matcher.ts"
import { unitsOf } from "../matching/units.ts"
import {
  bookFill,
  boughtFor,
  lockRest,
  MockAccount,
  type MockOrder,
  newOrder,
  restoredOrder,
  stateOf,
  unlock,
  wasAtVenue,
} from "./accounts.ts"
import { amendRefusalOf, matchOrderOf, refusalOf } from "./checks.ts"
import { MOCK_LISTINGS } from "./instruments.ts"
import { SyntheticMarket } from "./market.ts"
import { MockOutbox } from "./outbox.ts"

// One instrument of MOCK, and what orders come to at its matcher: decimals here, whole units of the instrument's steps there.

interface Market {
  readonly instrument: Instrument
  readonly matcher: Matcher
  readonly book: Matcher
  readonly synthetic: SyntheticMarket
  readonly klines: MatcherKlines
  lastPrice: string | null
  lastQuantity: string | null
  /** Resting orders of accounts: while there are any, the market moves. */
  resting: number
}

/** A market buy by cost, as the quantity that the book sells for it now. */
const forCost = ({ instrument, matcher }: Market, request: VenueOrder, cost: string): VenueOrder => {
  const { precision, scale } = instrument
  const budget = Decimal.of(cost).divide(Decimal.of("1"), precision + scale, "DOWN")
  const step = unitsOf(quantityStep(instrument), scale) ?? 1n
  const units = matcher.affordable(unitsOf(budget, precision + scale) ?? 0n, step)
  return boughtFor(request, Decimal.fromUnits(units, scale))
}

/** What the matcher makes of an order as it is wanted, or why it stays as it is. */
const amended = ({ instrument, matcher }: Market, wanted: MockOrder): ReadonlyArray<MatchEvent> | string => {
  const refusal = amendRefusalOf(instrument, wanted)
  if (refusal !== undefined) return refusal.text
  const { request, quantity, executed, limitPrice } = wanted
  const price = limitPrice === null ? undefined : unitsOf(limitPrice, instrument.precision)
  const left = unitsOf(quantity.subtract(executed), instrument.scale)
  if (price === undefined || left === undefined) return "not a multiple of the instrument's steps"
  const events = matcher.amend(request.tradeOrderId, price, left)
  return events === "WOULD_TAKE" ? "post-only order would trade at once" : (events ?? "the order is not working")
}

/** A market as the checks of an order see it. */
const checked = ({ instrument, matcher }: Market) => ({
  instrument,
  cost: (quantity: Decimal): Decimal => {
    const units = unitsOf(quantity, instrument.scale) ?? 0n
    return Decimal.fromUnits(matcher.cost("BUY", units), instrument.precision + instrument.scale)
  },
})

/** What the tests may do to the next orders; see MockRig. */
interface Tampering {
  readonly rejections: Array<{ readonly code: string; readonly text: string }>
  /** `placed`: the order arrives and only its reports are lost. */
  readonly hangs: Array<{ readonly placed: boolean }>
  /** Reports still to be lost, by tag. */
  readonly drops: Map<SessionReport["_tag"], number>
}

export class MockExchange {
  readonly feed: MatcherFeed
  readonly markets = new Map<InstrumentId, Market>()
  readonly accounts = new Map<TradingAccountId, MockAccount>()
  readonly tampering: Tampering
  readonly #outbox = new MockOutbox(() => this.feed.flush())
  readonly #orders = new LeanMap<string, MockOrder>()
  readonly #now: () => number
  readonly #wake: () => void
  /** Part of every external id, so that none comes again after a restart. */
  readonly #run: string
  #nextOrder = 1
  #nextTrade = 1

  constructor(options: {
    readonly seed: number
    readonly run: string
    readonly now: () => number
    /** A market may have got its first observer. */
    readonly wake: () => void
  }) {
    this.#now = options.now
    this.#wake = options.wake
    this.#run = options.run
    this.tampering = { rejections: [], hangs: [], drops: this.#outbox.drops }
    for (const listing of MOCK_LISTINGS) {
      const { instrument, anchor } = listing
      const matcher = new Matcher("CANCEL_NEWEST")
      const synthetic = new SyntheticMarket(listing, options.seed, {
        submit: (order) => this.#settle(market, matcher.submit(order)),
        cancel: (id) => this.#settle(market, matcher.cancel(id)),
        best: (side) => matcher.best(side)?.price,
      })
      const market: Market = {
        instrument,
        matcher,
        book: matcher,
        synthetic,
        klines: new MatcherKlines(instrument),
        lastPrice: Decimal.fromUnits(anchor, instrument.precision).toString(),
        lastQuantity: null,
        resting: 0,
      }
      this.markets.set(instrument.instrumentId, market)
    }
    this.feed = new MatcherFeed({
      markets: this.markets.values(),
      schedule: () => this.#outbox.schedule(),
      opened: options.wake,
      now: options.now,
    })
  }

  /** Puts the journal's orders back, in queue order, then lets the synthetic market in. Once, before anything else. */
  restore(orders: ReadonlyArray<TradeOrder>): void {
    for (const order of orders) this.#restoreOrder(order)
    for (const market of this.markets.values()) market.synthetic.open()
  }

  account(id: TradingAccountId): MockAccount {
    const known = this.accounts.get(id)
    if (known !== undefined) return known
    const account = new MockAccount(id)
    this.accounts.set(id, account)
    return account
  }

  /** Whether the market has observers. */
  isWatched(market: Market): boolean {
    return market.resting > 0 || this.feed.isOpen(market.instrument.instrumentId)
  }

  /** One tick of every observed market; false when there is none. */
  tick(): boolean {
    let watched = false
    for (const market of this.markets.values())
      if (this.isWatched(market)) {
        watched = true
        market.synthetic.step()
      }
    return watched
  }

  submit(account: MockAccount, asked: VenueOrder): void {
    const at = this.#now()
    const { tradeOrderId } = asked
    const hang = this.tampering.hangs.shift()
    if (hang?.placed === false) return
    if (at > asked.notAfter) {
      this.#outbox.tell(account, { _tag: "NotSent", tradeOrderId, reason: "past its notAfter", at })
      return
    }
    if (account.orders.has(tradeOrderId)) {
      this.#outbox.tell(account, { _tag: "InDoubt", tradeOrderId, reason: "duplicate client order id", at })
      return
    }
    const market = this.markets.get(asked.instrumentId)
    const request = market === undefined || asked.cost === undefined ? asked : forCost(market, asked, asked.cost)
    const order = newOrder(account, request, `${this.#run}-${this.#nextOrder++}`, at)
    order.isSilent = hang !== undefined
    const refusal = this.tampering.rejections.shift() ?? refusalOf(market && checked(market), order)
    if (refusal !== undefined || market === undefined) {
      this.#outbox.tell(account, { _tag: "Refused", tradeOrderId, code: "", text: "", at, ...refusal })
      return
    }
    lockRest(order, market.instrument)
    account.orders.set(tradeOrderId, order)
    this.#orders.set(tradeOrderId, order)
    this.#settle(market, market.matcher.submit(matchOrderOf(market.instrument, order)))
    this.#rested(market, order)
  }

  /** It is not stored: it rests no more, and nothing is told of it. */
  forgo(account: MockAccount, tradeOrderId: TradeOrderId): void {
    const order = account.orders.get(tradeOrderId)
    if (order === undefined || order.status !== "OPEN") return
    order.isSilent = true
    const market = this.markets.get(order.request.instrumentId)!
    this.#settle(market, market.matcher.cancel(tradeOrderId))
  }

  cancel(account: MockAccount, ref: VenueOrderRef): void {
    const at = this.#now()
    const { tradeOrderId } = ref
    const order = account.orders.get(tradeOrderId)
    if (order === undefined || order.status !== "OPEN") {
      const text = order === undefined ? "unknown order" : `order is ${order.status}`
      this.#outbox.tell(account, { _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text, at })
      return
    }
    const market = this.markets.get(order.request.instrumentId)!
    this.#outbox.tell(account, { _tag: "CancelAccepted", tradeOrderId, at })
    this.#settle(market, market.matcher.cancel(tradeOrderId))
  }

  /** Changes a resting order; what it trades by that is told after. */
  amend(account: MockAccount, { tradeOrderId }: VenueOrderRef, to: VenueAmend): void {
    const at = this.#now()
    const { askedAt } = to
    const refuse = (text: string, unknownOrder: boolean): void =>
      this.#outbox.tell(account, { _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder, text, at })
    const order = account.orders.get(tradeOrderId)
    const market = order === undefined ? undefined : this.markets.get(order.request.instrumentId)
    if (order === undefined || market === undefined) return refuse("unknown order", true)
    if (order.status !== "OPEN") return refuse(`order is ${order.status}`, true)
    if (at > to.notAfter) return refuse("past its notAfter", false)
    const quantity = Decimal.of(to.quantity)
    const limitPrice = to.limitPrice === null ? null : Decimal.of(to.limitPrice)
    // Its own lock is there to be used again.
    unlock(order, market.instrument)
    const events =
      to.stopPrice === null ? amended(market, { ...order, quantity, limitPrice }) : "triggers are not supported here"
    if (typeof events !== "string") Object.assign(order, { quantity, limitPrice, updatedAt: at })
    lockRest(order, market.instrument)
    if (typeof events === "string") return refuse(events, false)
    const { externalOrderId } = order
    this.#outbox.tell(account, { _tag: "AmendAccepted", tradeOrderId, askedAt, externalOrderId, at }, order)
    this.#settle(market, events)
  }

  /** Trades part of a resting order with an anonymous counterparty. */
  fill(tradeOrderId: TradeOrderId, quantity: Decimal, price: Decimal): void {
    const order = this.#orders.get(tradeOrderId)
    const market = order === undefined ? undefined : this.markets.get(order.request.instrumentId)
    if (order === undefined || market === undefined) throw new Error(`no resting order ${tradeOrderId}`)
    const units = unitsOf(quantity, market.instrument.scale)
    const at = unitsOf(price, market.instrument.precision)
    if (units === undefined || at === undefined)
      throw new Error("quantity or price not a multiple of the instrument's steps")
    const taker: MatchOrder = {
      id: `rig-${this.#nextTrade}`,
      owner: "synthetic:rig",
      side: order.request.orderSide === "BUY" ? "SELL" : "BUY",
      price: at,
      quantity: units,
      timeInForce: "IOC",
      postOnly: false,
    }
    this.#settle(market, market.matcher.trade(tradeOrderId, taker, units, at))
  }

  /** Interrupts an account's private stream, or mends it. */
  stream(account: MockAccount, isUp: boolean): void {
    account.isStreaming = isUp
    this.#outbox.tell(account, isUp ? { _tag: "StreamUp" } : { _tag: "StreamDown", reason: "rigged" })
  }

  #restoreOrder(stored: TradeOrder): void {
    const market = this.markets.get(stored.instrumentId)
    if (market === undefined || !wasAtVenue(stored)) return
    const account = this.account(stored.tradingAccountId)
    const { tradeOrderId, timeInForce } = stored
    const order = restoredOrder(account, stored, stored.externalOrderId ?? `${this.#run}-${this.#nextOrder++}`)
    account.orders.set(tradeOrderId, order)
    const left = stored.baseQuantity.subtract(stored.executedQuantity)
    const rests =
      order.request.orderType !== "MARKET" && timeInForce !== "IOC" && timeInForce !== "FOK" && left.isPositive()
    if (!rests) {
      // It never rests: what its last report would have said is said when its account asks.
      order.status = left.isPositive() ? "CANCELLED" : "FILLED"
      order.ending = left.isPositive() ? "REMAINDER" : null
      account.ended(order)
      return
    }
    this.#orders.set(tradeOrderId, order)
    lockRest(order, market.instrument)
    const match = { ...matchOrderOf(market.instrument, order), timeInForce: "GTC" as const, postOnly: false }
    this.#settle(market, market.matcher.restore(match, unitsOf(left, market.instrument.scale)!))
    this.#rested(market, order)
  }

  #rested(market: Market, order: MockOrder): void {
    if (order.status !== "OPEN") return
    order.isResting = true
    market.resting += 1
    this.#wake()
  }

  #settle(market: Market, events: ReadonlyArray<MatchEvent>): void {
    const at = this.#now()
    const { instrumentId } = market.instrument
    for (const event of events) {
      market.synthetic.observe(event)
      if (event._tag === "LevelChanged") this.feed.level(instrumentId, event.side, event.price, event.quantity)
      else if (event._tag === "Traded") this.#traded(market, event, at)
      else {
        const order = this.#orders.get(event.order.id)
        if (order === undefined) continue
        if (event._tag === "Done") this.#done(market, order, event.reason, at)
        else if (event._tag === "Accepted") {
          const { account, externalOrderId } = order
          this.#outbox.tell(
            account,
            { _tag: "Accepted", tradeOrderId: order.request.tradeOrderId, externalOrderId, at },
            order,
          )
        }
      }
    }
    this.#outbox.schedule()
  }

  #traded(market: Market, event: Extract<MatchEvent, { _tag: "Traded" }>, at: number): void {
    const { instrument } = market
    const price = Decimal.fromUnits(event.price, instrument.precision)
    const quantity = Decimal.fromUnits(event.quantity, instrument.scale)
    const externalTradeId = `${this.#run}-t${this.#nextTrade++}`
    market.klines.add(event.price, event.quantity, at)
    market.lastPrice = price.toString()
    market.lastQuantity = quantity.toString()
    this.feed.trade({
      instrumentId: instrument.instrumentId,
      externalTradeId,
      price: market.lastPrice,
      quantity: market.lastQuantity,
      side: event.taker.side,
      at,
    })
    for (const id of [event.maker.id, event.taker.id]) {
      const order = this.#orders.get(id)
      if (order === undefined) continue
      const fill = bookFill(order, instrument, { externalTradeId, price, quantity, at })
      this.#outbox.tell(order.account, { _tag: "Filled", fill }, order)
    }
  }

  #done(market: Market, order: MockOrder, reason: DoneReason, at: number): void {
    const { account, request } = order
    this.#orders.delete(request.tradeOrderId)
    unlock(order, market.instrument)
    if (order.isResting) {
      order.isResting = false
      market.resting -= 1
    }
    order.updatedAt = at
    if (reason === "WOULD_TAKE") {
      account.orders.delete(request.tradeOrderId)
      const text = "post-only order would trade at once"
      this.#outbox.tell(account, { _tag: "Refused", tradeOrderId: request.tradeOrderId, code: reason, text, at }, order)
      return
    }
    account.ended(order)
    order.status = reason === "FILLED" ? "FILLED" : "CANCELLED"
    if (reason === "SELF_TRADE_PREVENTION") order.ending = "SELF_TRADE_PREVENTION"
    else if (reason !== "FILLED" && reason !== "CANCELLED") order.ending = "REMAINDER"
    // The fills say FILLED by themselves, where it is known how much was to be bought.
    if (reason !== "FILLED" || request.cost !== undefined)
      this.#outbox.tell(account, { _tag: "OrderSeen", state: stateOf(order) }, order)
  }
}
