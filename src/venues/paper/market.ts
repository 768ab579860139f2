/**
 * One instrument of PAPER: the source's live book and trades, and the orders resting in its queues. What PAPER takes is gone from a level until
 * the venue updates that level; a resting order is filled by the venue's trades once the quantity ahead of it has traded or gone. Exact decimals,
 * no clock, no money.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { BookRange } from "../../domain/market/market.ts"
import { type BookSide, MalformedLevel, OrderBook } from "../../domain/market/order-book.ts"
import type { OrderSide } from "../../domain/order/trade-order.ts"
import { LeanMap } from "../../foundation/lean.ts"
import type { DepthUpdate, MarketTrade } from "../../ports/market-source.ts"

export interface PaperOrder {
  readonly id: string
  readonly side: OrderSide
  /** Null: a market order. */
  readonly price: Decimal | null
}

export interface PaperFill<O extends PaperOrder> {
  readonly order: O
  readonly price: Decimal
  readonly quantity: Decimal
}

interface Resting<O extends PaperOrder> {
  readonly order: O
  readonly price: Decimal
  remaining: Decimal
  /** Quantity of others that stands before it at its price; null while the book is not known so far from the market. */
  ahead: Decimal | null
}

const keyOf = (side: BookSide["name"], price: Decimal): string => `${side} ${price}`

export class PaperMarket<O extends PaperOrder> {
  readonly #book = new OrderBook()
  readonly #fill: (fill: PaperFill<O>) => void
  /** In the order of arrival. */
  readonly #resting = new LeanMap<string, Resting<O>>()
  /** Level → what PAPER took of it since the venue's last word. */
  readonly #taken = new Map<string, Decimal>()
  #sequence: number | null = null
  #range: BookRange | undefined

  constructor(fill: (fill: PaperFill<O>) => void) {
    this.#fill = fill
  }

  /** Whether the book is the venue's. */
  get isSynced(): boolean {
    return this.#sequence !== null
  }

  get restingCount(): number {
    return this.#resting.size
  }

  /** False: the book is lost, and a fresh snapshot is needed. */
  onDepth(update: DepthUpdate): boolean {
    if (!update.snapshot && this.#sequence === null) return true
    if (!update.snapshot && update.sequence !== (this.#sequence ?? 0) + 1) return this.lose()
    try {
      if (update.snapshot || update.range !== undefined) this.#range = update.range
      if (update.snapshot) this.#replace(update)
      else this.#change(update)
    } catch (cause) {
      if (!(cause instanceof MalformedLevel)) throw cause
      return this.lose()
    }
    if (this.#book.isCrossed()) return this.lose()
    this.#sequence = update.sequence
    this.#reconsider()
    return true
  }

  /** The feed is interrupted: nothing is filled by what the book showed last. Always false. */
  lose(): false {
    this.#sequence = null
    return false
  }

  /** A trade of the venue: what rests at better prices would have traded before it, what rests at its price after those ahead. */
  onTrade(trade: MarketTrade): void {
    if (this.#resting.size === 0) return
    const price = Decimal.of(trade.price)
    const quantity = Decimal.of(trade.quantity)
    let left = quantity
    for (const resting of this.#inPriority()) {
      const reached = resting.order.side === "BUY" ? resting.price.compare(price) : price.compare(resting.price)
      if (reached < 0 || !wouldMeet(resting.order.side, trade.side, reached)) continue
      if (reached === 0 && resting.ahead === null) continue
      const reaching = resting.ahead === null || reached > 0 ? quantity : quantity.subtract(resting.ahead)
      if (resting.ahead !== null && reached === 0)
        resting.ahead = Decimal.max(Decimal.ZERO, resting.ahead.subtract(quantity))
      const part = Decimal.min(Decimal.min(resting.remaining, left), Decimal.max(Decimal.ZERO, reaching))
      if (!part.isPositive()) continue
      left = left.subtract(part)
      this.#fillResting(resting, part)
    }
  }

  /** How much of a quantity the book would give at once, and what that costs. */
  quote(
    side: OrderSide,
    quantity: Decimal,
    limit: Decimal | null,
  ): { readonly quantity: Decimal; readonly cost: Decimal } {
    let left = quantity
    let cost = Decimal.ZERO
    for (const level of this.#levels(side, limit)) {
      const part = Decimal.min(left, level.quantity)
      cost = cost.add(part.multiply(level.price))
      left = left.subtract(part)
      if (left.isZero()) break
    }
    return { quantity: quantity.subtract(left), cost }
  }

  /**
   * Whether an order of this size would walk on past what is known of the book: there may be unknown levels, and no price
   * is made without them.
   */
  isBeyond(side: OrderSide, quantity: Decimal, limit: Decimal | null): boolean {
    const end = this.#knownTo(side === "BUY" ? "asks" : "bids")
    if (end === null || (limit !== null && (side === "BUY" ? limit.atMost(end) : limit.atLeast(end)))) return false
    return this.quote(side, quantity, limit).quantity.lessThan(quantity)
  }

  /** The same of a market buy of so much. */
  isCostBeyond(cost: Decimal): boolean {
    if (this.#knownTo("asks") === null) return false
    let left = cost
    for (const { price, quantity } of this.#levels("BUY", null)) {
      left = left.subtract(price.multiply(quantity))
      if (!left.isPositive()) return false
    }
    return true
  }

  /** How much a market buy of so much gets from the book at once, in whole steps. */
  affordable(cost: Decimal, step: Decimal): Decimal {
    let left = cost
    let quantity = Decimal.ZERO
    for (const { price, quantity: shown } of this.#levels("BUY", null)) {
      const part = Decimal.min(shown, left.divide(price, 18, "DOWN")).roundTo(step, "DOWN")
      quantity = quantity.add(part)
      left = left.subtract(part.multiply(price))
      if (part.lessThan(shown)) break
    }
    return quantity
  }

  /** Takes from the book, best first, and answers what is left. */
  take(order: O, quantity: Decimal): Decimal {
    let left = quantity
    for (const level of this.#levels(order.side, order.price)) {
      if (left.isZero()) break
      const part = Decimal.min(left, level.quantity)
      this.#taken.set(level.key, (this.#taken.get(level.key) ?? Decimal.ZERO).add(part))
      left = left.subtract(part)
      this.#fill({ order, price: level.price, quantity: part })
    }
    return left
  }

  /** Joins the queue at the order's price, behind everything that is shown there. */
  rest(order: O, price: Decimal, remaining: Decimal): void {
    this.#resting.set(order.id, { order, price, remaining, ahead: this.#aheadAt(order.side, price) })
  }

  /** Leaves the queue; false when it does not stand there. */
  remove(id: string): boolean {
    return this.#resting.delete(id)
  }

  #replace(update: DepthUpdate): void {
    this.#book.bids.replace(update.bids)
    this.#book.asks.replace(update.asks)
    this.#taken.clear()
    for (const resting of this.#resting.values()) this.#moveUp(resting)
  }

  #change(update: DepthUpdate): void {
    for (const side of ["bids", "asks"] as const) {
      const flat = update[side]
      for (let i = 0; i + 1 < flat.length; i += 2) {
        const price = flat[i] ?? ""
        this.#book[side].set(price, flat[i + 1] ?? "")
        if (this.#taken.size > 0) this.#taken.delete(keyOf(side, Decimal.of(price)))
      }
    }
    for (const resting of this.#resting.values()) this.#moveUp(resting)
  }

  /** Orders ahead were cancelled: no more can stand before it than is shown. */
  #moveUp(resting: Resting<O>): void {
    if (resting.ahead?.isZero() === true) return
    const shown = this.#aheadAt(resting.order.side, resting.price)
    // What stood ahead where the book is not known any more stands there for all that is known.
    if (shown === null) return
    resting.ahead = resting.ahead === null ? shown : Decimal.min(resting.ahead, shown)
  }

  /** Null: the book is not known so far from the market. */
  #aheadAt(side: OrderSide, price: Decimal): Decimal | null {
    const end = this.#knownTo(side === "BUY" ? "bids" : "asks")
    if (end !== null && (side === "BUY" ? price.lessThan(end) : price.greaterThan(end))) return null
    return this.#shownAt(side, price)
  }

  /** The worst price up to which a side is known; null: to its end. */
  #knownTo(name: BookSide["name"]): Decimal | null {
    if (this.#range === undefined) return null
    const { lowestBid, highestAsk, levels } = this.#range
    const end = name === "bids" ? lowestBid : highestAsk
    if (end !== null) return Decimal.of(end)
    const last = levels === null ? undefined : this.#book[name].level(levels - 1)
    return last === undefined ? null : Decimal.of(last[0])
  }

  /** The other side came to a resting order's price without a trade that reached it: it trades there. */
  #reconsider(): void {
    if (this.#resting.size === 0) return
    for (const resting of this.#inPriority()) {
      const { quantity } = this.quote(resting.order.side, resting.remaining, resting.price)
      if (!quantity.isPositive()) continue
      let left = quantity
      for (const level of this.#levels(resting.order.side, resting.price)) {
        if (left.isZero()) break
        const part = Decimal.min(left, level.quantity)
        this.#taken.set(level.key, (this.#taken.get(level.key) ?? Decimal.ZERO).add(part))
        left = left.subtract(part)
      }
      this.#fillResting(resting, quantity)
    }
  }

  #fillResting(resting: Resting<O>, quantity: Decimal): void {
    resting.remaining = resting.remaining.subtract(quantity)
    if (resting.remaining.isZero()) this.#resting.delete(resting.order.id)
    this.#fill({ order: resting.order, price: resting.price, quantity })
  }

  /** Best prices first, of one price the older first. */
  #inPriority(): ReadonlyArray<Resting<O>> {
    return [...this.#resting.values()].sort((a, b) =>
      a.order.side === b.order.side
        ? a.order.side === "BUY"
          ? b.price.compare(a.price)
          : a.price.compare(b.price)
        : 0,
    )
  }

  *#levels(side: OrderSide, limit: Decimal | null) {
    const name = side === "BUY" ? "asks" : "bids"
    for (let rank = 0; ; rank++) {
      const level = this.#book[name].level(rank)
      if (level === undefined) return
      const price = Decimal.of(level[0])
      if (limit !== null && (side === "BUY" ? price.greaterThan(limit) : price.lessThan(limit))) return
      const key = keyOf(name, price)
      const quantity = Decimal.of(level[1]).subtract(this.#taken.get(key) ?? Decimal.ZERO)
      if (quantity.isPositive()) yield { key, price, quantity }
    }
  }

  #shownAt(side: OrderSide, price: Decimal): Decimal {
    const own = this.#book[side === "BUY" ? "bids" : "asks"]
    for (let rank = 0; ; rank++) {
      const level = own.level(rank)
      if (level === undefined) return Decimal.ZERO
      const found = Decimal.of(level[0]).compare(price)
      if (found === 0) return Decimal.of(level[1])
      if (side === "BUY" ? found < 0 : found > 0) return Decimal.ZERO
    }
  }
}

/** A seller takes bids, a buyer asks. Where the venue does not say who took, a trade beyond a resting price says it. */
const wouldMeet = (resting: OrderSide, taker: MarketTrade["side"], reached: number): boolean =>
  taker === "UNKNOWN" ? reached > 0 : taker !== resting
