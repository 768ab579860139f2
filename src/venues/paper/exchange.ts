/**
 * PAPER's core: accounts trade on the live books and trades of another venue. The same money as on MOCK; its messages are sent in a microtask, so
 * that no caller is called back from within its own call.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { type Instrument, quantityStep } from "../../domain/instrument/instrument.ts"
import type { OrderSide, TradeOrder } from "../../domain/order/trade-order.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { MarketSource } from "../../ports/market-source.ts"
import type { VenueOrder, VenueOrderRef } from "../../ports/venue-session.ts"
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
} from "../mock/accounts.ts"
import { refusalOf } from "../mock/checks.ts"
import { MockOutbox } from "../mock/outbox.ts"
import { type PaperFill, PaperMarket } from "./market.ts"

interface Order {
  readonly id: string
  readonly side: OrderSide
  readonly price: Decimal | null
  readonly placed: MockOrder
}

interface Market {
  readonly instrument: Instrument
  readonly market: PaperMarket<Order>
  /** Wait for the book. */
  readonly arriving: Set<(isThere: boolean) => void>
  isOpen: boolean
}

/** How long an order waits for a book that is not there yet. */
const ARRIVAL_MILLIS = 5000

export interface PaperExchangeOptions {
  /** Part of every external id, so that none comes again after a restart. */
  readonly run: string
  readonly now: () => number
  readonly after: (millis: number, run: () => void) => void
  /** The source's feed under PAPER's names. */
  readonly source: () => MarketSource
}

export class PaperExchange {
  readonly accounts = new Map<TradingAccountId, MockAccount>()
  readonly #markets = new Map<InstrumentId, Market>()
  readonly #orders = new LeanMap<string, { readonly order: Order; readonly market: Market }>()
  readonly #outbox = new MockOutbox(() => {})
  readonly #options: PaperExchangeOptions
  #nextOrder = 1
  #nextTrade = 1

  constructor(options: PaperExchangeOptions) {
    this.#options = options
  }

  list(instruments: ReadonlyArray<Instrument>): void {
    for (const instrument of instruments) {
      if (this.#markets.has(instrument.instrumentId)) continue
      const market: Market = {
        instrument,
        market: new PaperMarket<Order>((fill) => this.#filled(market, fill)),
        arriving: new Set(),
        isOpen: false,
      }
      this.#markets.set(instrument.instrumentId, market)
    }
  }

  account(id: TradingAccountId): MockAccount {
    const known = this.accounts.get(id)
    if (known !== undefined) return known
    const account = new MockAccount(id)
    this.accounts.set(id, account)
    return account
  }

  market(instrumentId: InstrumentId): PaperMarket<Order> | undefined {
    return this.#markets.get(instrumentId)?.market
  }

  /** The book of an instrument has changed: waiting orders continue. */
  booked(instrumentId: InstrumentId): void {
    const market = this.#markets.get(instrumentId)
    if (market === undefined || !market.market.isSynced) return
    for (const arrive of [...market.arriving]) arrive(true)
  }

  /** Puts an order of the journal back, at the end of its queue. */
  restore(stored: TradeOrder): void {
    const market = this.#markets.get(stored.instrumentId)
    if (market === undefined || !wasAtVenue(stored)) return
    const account = this.account(stored.tradingAccountId)
    const placed = restoredOrder(account, stored, stored.externalOrderId ?? this.#newOrderId())
    account.orders.set(stored.tradeOrderId, placed)
    const left = placed.quantity.subtract(placed.executed)
    const { timeInForce } = stored
    if (placed.request.orderType === "MARKET" || timeInForce === "IOC" || timeInForce === "FOK" || !left.isPositive()) {
      placed.status = left.isPositive() ? "CANCELLED" : "FILLED"
      placed.ending = left.isPositive() ? "REMAINDER" : null
      account.ended(placed)
      return
    }
    lockRest(placed, market.instrument)
    const order = orderOf(placed)
    this.#orders.set(order.id, { order, market })
    // Behind everything that is shown when the book comes, however long that takes.
    this.#whenBooked(market, null, () => {
      if (placed.status === "OPEN") this.#rest(market, order)
    })
  }

  submit(account: MockAccount, request: VenueOrder): void {
    const at = this.#options.now()
    const { tradeOrderId } = request
    if (at > request.notAfter)
      return this.#outbox.tell(account, { _tag: "NotSent", tradeOrderId, reason: "past its notAfter", at })
    if (account.orders.has(tradeOrderId))
      return this.#outbox.tell(account, { _tag: "InDoubt", tradeOrderId, reason: "duplicate client order id", at })
    const placed = newOrder(account, request, this.#newOrderId(), at)
    const market = this.#markets.get(request.instrumentId)
    if (market === undefined) return this.#refuse(placed, "INSTRUMENT_NOT_FOUND", "no such instrument")
    account.orders.set(tradeOrderId, placed)
    this.#whenBooked(market, ARRIVAL_MILLIS, (isThere) => {
      if (placed.status !== "OPEN") return
      if (isThere) this.#place(market, placed)
      else this.#refuse(placed, "VENUE_UNAVAILABLE", "the live book is not available")
    })
  }

  cancel(account: MockAccount, { tradeOrderId }: VenueOrderRef): void {
    const at = this.#options.now()
    const placed = account.orders.get(tradeOrderId)
    if (placed === undefined || placed.status !== "OPEN") {
      const text = placed === undefined ? "unknown order" : `order is ${placed.status}`
      return this.#outbox.tell(account, { _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text, at })
    }
    const known = this.#orders.get(tradeOrderId)
    this.#outbox.tell(account, { _tag: "CancelAccepted", tradeOrderId, at })
    known?.market.market.remove(tradeOrderId)
    this.#end(known?.market, placed, "CANCELLED", null)
  }

  /** It is not stored: it rests no more, and nothing is told of it. */
  forgo(account: MockAccount, tradeOrderId: TradeOrderId): void {
    const placed = account.orders.get(tradeOrderId)
    if (placed === undefined || placed.status !== "OPEN") return
    const known = this.#orders.get(tradeOrderId)
    known?.market.market.remove(tradeOrderId)
    if (known !== undefined) unlock(placed, known.market.instrument)
    this.#orders.delete(tradeOrderId)
    placed.status = "CANCELLED"
    account.ended(placed)
  }

  /** Closes the streams of instruments in which nothing stands; called now and then. */
  sweep(): void {
    const source = this.#options.source()
    for (const market of this.#markets.values()) {
      if (!market.isOpen || market.market.restingCount > 0 || market.arriving.size > 0) continue
      market.isOpen = false
      market.market.lose()
      for (const stream of ["book", "trade"] as const) source.close(stream, market.instrument.instrumentId)
    }
  }

  #place(market: Market, placed: MockOrder): void {
    const { request, account } = placed
    const { instrument } = market
    if (request.cost !== undefined) {
      if (market.market.isCostBeyond(Decimal.of(request.cost))) return this.#refuseBeyond(placed)
      const affordable = market.market.affordable(Decimal.of(request.cost), quantityStep(instrument))
      placed.quantity = Decimal.of(boughtFor(request, affordable).quantity)
    }
    const order = orderOf(placed)
    if (market.market.isBeyond(order.side, placed.quantity, order.price)) return this.#refuseBeyond(placed)
    const cost = (quantity: Decimal): Decimal => market.market.quote("BUY", quantity, null).cost
    const refusal = refusalOf({ instrument, cost }, placed)
    if (refusal !== undefined) return this.#refuse(placed, refusal.code, refusal.text)
    const isPostOnly = request.orderType === "LIMIT_MAKER" || request.timeInForce === "GTX"
    const atOnce = market.market.quote(order.side, placed.quantity, order.price).quantity
    if (isPostOnly && atOnce.isPositive())
      return this.#refuse(placed, "WOULD_TAKE", "post-only order would trade at once")
    lockRest(placed, instrument)
    const at = this.#options.now()
    const { externalOrderId } = placed
    this.#outbox.tell(account, { _tag: "Accepted", tradeOrderId: request.tradeOrderId, externalOrderId, at })
    this.#orders.set(order.id, { order, market })
    if (request.timeInForce === "FOK" && atOnce.lessThan(placed.quantity))
      return this.#end(market, placed, "CANCELLED", "REMAINDER")
    const left = market.market.take(order, placed.quantity)
    if (left.isZero()) return
    const rests = order.price !== null && request.timeInForce !== "IOC" && request.timeInForce !== "FOK"
    if (rests) this.#rest(market, order)
    else this.#end(market, placed, "CANCELLED", "REMAINDER")
  }

  #rest(market: Market, order: Order): void {
    const { placed, price } = order
    if (price === null) return
    placed.isResting = true
    market.market.rest(order, price, placed.quantity.subtract(placed.executed))
  }

  #filled({ instrument }: Market, { order, price, quantity }: PaperFill<Order>): void {
    const { placed } = order
    const externalTradeId = `${this.#options.run}-t${this.#nextTrade++}`
    const fill = bookFill(placed, instrument, { externalTradeId, price, quantity, at: this.#options.now() })
    this.#outbox.tell(placed.account, { _tag: "Filled", fill })
    if (!placed.executed.equals(placed.quantity)) return
    placed.status = "FILLED"
    this.#orders.delete(order.id)
    unlock(placed, instrument)
    placed.account.ended(placed)
    // How much was to be bought, its account does not know.
    if (placed.request.cost !== undefined)
      this.#outbox.tell(placed.account, { _tag: "OrderSeen", state: stateOf(placed) })
  }

  #end(market: Market | undefined, placed: MockOrder, status: "CANCELLED", ending: MockOrder["ending"]): void {
    this.#orders.delete(placed.request.tradeOrderId)
    if (market !== undefined) unlock(placed, market.instrument)
    placed.status = status
    placed.ending = ending
    placed.updatedAt = this.#options.now()
    placed.account.ended(placed)
    this.#outbox.tell(placed.account, { _tag: "OrderSeen", state: stateOf(placed) })
  }

  #refuse(placed: MockOrder, code: string, text: string): void {
    const { account, request } = placed
    const { tradeOrderId } = request
    account.orders.delete(tradeOrderId)
    this.#outbox.tell(account, { _tag: "Refused", tradeOrderId, code, text, at: this.#options.now() })
  }

  #refuseBeyond(placed: MockOrder): void {
    const text = "the order would trade beyond the known part of the live book (its coveredRange)"
    this.#refuse(placed, "ORDER_BOOK_UNAVAILABLE", text)
  }

  /** Now when the book is there, else when it comes, else with false after a time. */
  #whenBooked(market: Market, waitMillis: number | null, arrive: (isThere: boolean) => void): void {
    if (!market.isOpen) {
      market.isOpen = true
      const source = this.#options.source()
      for (const stream of ["book", "trade"] as const) source.open(stream, market.instrument.instrumentId)
    }
    if (market.market.isSynced) return arrive(true)
    const once = (isThere: boolean): void => {
      if (market.arriving.delete(once)) arrive(isThere)
    }
    market.arriving.add(once)
    if (waitMillis !== null) this.#options.after(waitMillis, () => once(false))
  }

  #newOrderId(): string {
    return `${this.#options.run}-${this.#nextOrder++}`
  }
}

const orderOf = (placed: MockOrder): Order => ({
  id: placed.request.tradeOrderId,
  side: placed.request.orderSide,
  price: placed.request.orderType === "MARKET" ? null : placed.limitPrice,
  placed,
})

/** An order that came back from the journal, by its id. */
export const lookup = (account: MockAccount, tradeOrderId: TradeOrderId) => {
  const order = account.orders.get(tradeOrderId)
  return order === undefined
    ? ({ _tag: "NotFound", definite: account.remembersAll } as const)
    : ({ _tag: "Found", state: stateOf(order) } as const)
}
