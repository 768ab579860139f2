/**
 * One market of the platform's own venue, without its ledger: the matcher, the resting orders as they are stored, and the effect of each command
 * on them. Synchronous. The one thing to know: a command changes the matcher at once and the orders only by `commit`; `rollback` rebuilds the
 * matcher from the orders, as a restart does.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import { quantityStep } from "../../domain/instrument/instrument.ts"
import { type InternalFees, type InternalOrder, isPostOnly, restOf } from "../../domain/order/internal-order.ts"
import { LeanMap } from "../../foundation/lean.ts"
import { type MatchEvent, Matcher, type MatchOrder } from "../matching/matcher.ts"
import { countOf } from "../matching/units.ts"
import { changedOf, fillOf, stateOf } from "./reports.ts"
import { Settlement } from "./settlement.ts"

/** How an order comes to the book: for the first time, changed by its owner, or on its way through a book of many orders. */
export type Arrival = "NEW" | { readonly _tag: "AMENDED"; readonly askedAt: number } | "GOES_ON"

export interface BookOptions {
  readonly instrument: Instrument
  readonly fees: InternalFees
  readonly uuid: () => string
  readonly now: () => number
}

export class InternalBook {
  readonly #options: BookOptions
  readonly #orders = new LeanMap<TradeOrderId, InternalOrder>()
  #matcher = new Matcher("CANCEL_NEWEST")

  constructor(options: BookOptions) {
    this.#options = options
  }

  /** What a market order of this size would cost now. */
  get matcher(): Matcher {
    return this.#matcher
  }

  get size(): number {
    return this.#orders.size
  }

  /** A resting order as it is stored. */
  find(id: TradeOrderId): InternalOrder | undefined {
    return this.#orders.get(id)
  }

  begin(): Settlement {
    const { instrument, fees, uuid, now } = this.#options
    return new Settlement({ instrument, fees, uuid, at: now() })
  }

  wouldTake(order: InternalOrder): boolean {
    return this.#matcher.wouldTake(this.#matchOrder(order))
  }

  /** Puts an order in that rested when the process ended. False: it crosses the book, so it had not met it yet. */
  restore(order: InternalOrder): boolean {
    const match = this.#matchOrder(order)
    if (this.#matcher.wouldTake(match)) return false
    this.#matcher.restore(match, match.quantity)
    this.#orders.set(order.tradeOrderId, order)
    return true
  }

  /** An order meets the book. The answer, if any, is the order that is not through with it yet. */
  take(stored: InternalOrder, arrival: Arrival, settlement: Settlement, tradesMax: number): InternalOrder | null {
    const { at } = settlement
    if (arrival === "NEW" && isPostOnly(stored) && this.wouldTake(stored)) {
      const refused: InternalOrder = { ...stored, status: "REJECTED", ending: "WOULD_TAKE", updatedAt: at }
      settlement.change(refused)
      settlement.report(stored, { _tag: "OrderSeen", state: stateOf(refused) })
      return null
    }
    if (typeof arrival !== "string") settlement.report(stored, changedOf(stored, arrival.askedAt, at))
    const order = this.#sized(stored)
    settlement.know(order)
    const match = this.#matchOrder(order)
    const quantity = this.#payable(order, match.quantity)
    const isKilled =
      arrival === "NEW" &&
      order.timeInForce === "FOK" &&
      (quantity < match.quantity || this.#matcher.fillable(match, tradesMax) < match.quantity)
    if (isKilled || quantity === 0n) {
      this.#end(order, "REMAINDER", settlement)
      return null
    }
    const events = this.#matcher.restore(match, quantity, tradesMax)
    return this.#applied(events, order.tradeOrderId, settlement)
  }

  /** Takes an order off the book, for whatever reason. False: it does not rest. */
  cancel(id: TradeOrderId, settlement: Settlement): boolean {
    const order = settlement.image(id) ?? this.#orders.get(id)
    const events = this.#matcher.cancel(id)
    if (order === undefined || events.length === 0) return false
    this.#levels(events, settlement)
    settlement.change({ ...order, status: "CANCELLED", updatedAt: settlement.at })
    return true
  }

  /** A resting order is stored with less to trade at the same price: it keeps its place. */
  shrink(stored: InternalOrder, askedAt: number, settlement: Settlement): void {
    const { price, quantity } = this.#matchOrder(stored)
    const events = this.#matcher.amend(stored.tradeOrderId, price!, quantity)
    if (events === undefined || events === "WOULD_TAKE") throw new Error(`order ${stored.tradeOrderId} is not working`)
    this.#levels(events, settlement)
    settlement.know(stored)
    settlement.report(stored, changedOf(stored, askedAt, settlement.at))
  }

  /** A resting order is stored with another price or more to trade: it leaves its place, to come to the book again. */
  lift(id: TradeOrderId, settlement: Settlement): void {
    this.#orders.delete(id)
    this.#levels(this.#matcher.cancel(id), settlement)
  }

  /** The ledger has stored it. `paused`: not on the book. */
  commit(settlement: Settlement, paused: TradeOrderId | null): void {
    for (const [id, order] of settlement.images) {
      if (order.status === "OPEN" && id !== paused) this.#orders.set(id, order)
      else this.#orders.delete(id)
    }
  }

  /** The ledger has refused it: as if nothing had been. */
  rollback(): void {
    this.#matcher = new Matcher("CANCEL_NEWEST")
    const orders = [...this.#orders.values()].sort((a, b) => a.sequence - b.sequence)
    for (const order of orders) {
      const match = this.#matchOrder(order)
      this.#matcher.restore(match, match.quantity)
    }
  }

  #matchOrder(order: InternalOrder): MatchOrder {
    const { precision, scale } = this.#options.instrument
    const { timeInForce } = order
    return {
      id: order.tradeOrderId,
      owner: order.ownerId,
      side: order.orderSide,
      price: order.limitPrice === null ? null : countOf(order.limitPrice, precision),
      quantity: countOf(restOf(order), scale),
      timeInForce: timeInForce === "IOC" || timeInForce === "FOK" ? timeInForce : "GTC",
      postOnly: false,
    }
  }

  /** A market buy by its budget learns here how much that is. */
  #sized(order: InternalOrder): InternalOrder {
    if (order.budget === null || order.executed.isPositive()) return order
    const units = this.#affordable(order)
    return units === 0n ? order : { ...order, quantity: Decimal.fromUnits(units, this.#options.instrument.scale) }
  }

  /** How much of it what is held for it pays for: all of a priced order. */
  #payable(order: InternalOrder, quantity: bigint): bigint {
    if (order.orderSide === "SELL" || order.limitPrice !== null) return quantity
    const units = this.#affordable(order)
    return units < quantity ? units : quantity
  }

  #affordable(order: InternalOrder): bigint {
    const { instrument } = this.#options
    const { precision, scale } = instrument
    const budget = order.held.divide(Decimal.ONE, precision + scale, "DOWN")
    return this.#matcher.affordable(countOf(budget, precision + scale), countOf(quantityStep(instrument), scale))
  }

  #applied(events: ReadonlyArray<MatchEvent>, takerId: TradeOrderId, settlement: Settlement): InternalOrder | null {
    const { instrument } = this.#options
    let paused = false
    for (const event of events) {
      if (event._tag === "Traded") {
        const maker = this.#current(event.maker.id as TradeOrderId, settlement)
        const taker = this.#current(takerId, settlement)
        const price = Decimal.fromUnits(event.price, instrument.precision)
        settlement.trade(maker, taker, price, Decimal.fromUnits(event.quantity, instrument.scale))
        const trade = settlement.trades.at(-1)!
        for (const side of ["maker", "taker"] as const) {
          const fill = fillOf(trade, side, instrument)
          if (fill !== null) settlement.report(side === "maker" ? maker : taker, { _tag: "Filled", fill })
        }
      } else if (event._tag === "Paused") paused = true
      else if (event._tag === "Done" && event.order.id === takerId) {
        const taker = this.#current(takerId, settlement)
        const isStopped = event.reason === "SELF_TRADE_PREVENTION"
        if (taker.status === "OPEN") this.#end(taker, isStopped ? "SELF_TRADE_PREVENTION" : "REMAINDER", settlement)
        // The fills say FILLED by themselves, where it was known how much was to be bought.
        else if (taker.budget !== null) settlement.report(taker, { _tag: "OrderSeen", state: stateOf(taker) })
      }
    }
    this.#levels(events, settlement)
    return paused ? this.#current(takerId, settlement) : null
  }

  #current(id: TradeOrderId, settlement: Settlement): InternalOrder {
    const order = settlement.image(id) ?? this.#orders.get(id)
    if (order === undefined) throw new Error(`the matcher names order ${id}, which does not exist`)
    return order
  }

  #end(order: InternalOrder, ending: "REMAINDER" | "SELF_TRADE_PREVENTION", settlement: Settlement): void {
    const ended: InternalOrder = { ...order, status: "CANCELLED", ending, updatedAt: settlement.at }
    settlement.change(ended)
    settlement.report(order, { _tag: "OrderSeen", state: stateOf(ended) })
  }

  #levels(events: ReadonlyArray<MatchEvent>, settlement: Settlement): void {
    for (const event of events) if (event._tag === "LevelChanged") settlement.levels.push(event)
  }
}
