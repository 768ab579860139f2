/**
 * A price-time-priority matcher for one instrument: exact, synchronous, without clock, money or network. Prices and quantities are whole numbers
 * of the caller's units. A call returns everything that happened, in the order in which it happened.
 */
import { LeanMap, LeanSet } from "../../foundation/lean.ts"
// One side of a matcher's book: levels sorted with the best last, each a queue in order of arrival.

export type MatchSide = "BUY" | "SELL"

class RestingLevel<A> {
  total = 0n
  /** A Set keeps the order of insertion and gives up any member at once: exactly a queue with cancels. */
  readonly queue = new LeanSet<A>()

  constructor(readonly price: bigint) {}

  /** The oldest; undefined when the queue is empty. */
  first(): A | undefined {
    for (const oldest of this.queue) return oldest
    return undefined
  }
}

export class RestingSide<A> {
  // Worst first: orders come and go near the best, and there a change of the array moves least.
  readonly #levels: Array<RestingLevel<A>> = []

  constructor(readonly side: MatchSide) {}

  best(): RestingLevel<A> | undefined {
    return this.#levels.at(-1)
  }

  /** Best first. */
  *levels(): Generator<RestingLevel<A>> {
    for (let i = this.#levels.length - 1; i >= 0; i--) yield this.#levels[i]!
  }

  /** The level of a price, a new one where there was none. */
  open(price: bigint): RestingLevel<A> {
    const at = this.#rank(price)
    const found = this.#levels[at]
    if (found !== undefined && found.price === price) return found
    const level = new RestingLevel<A>(price)
    this.#levels.splice(at, 0, level)
    return level
  }

  /** Forgets an empty level. */
  close(level: RestingLevel<A>): void {
    const at = this.#rank(level.price)
    if (this.#levels[at] === level) this.#levels.splice(at, 1)
  }

  /** Index of the first level that is not worse than the price. */
  #rank(price: bigint): number {
    let low = 0
    let high = this.#levels.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = this.#levels[middle]!.price
      if (this.side === "BUY" ? at < price : at > price) low = middle + 1
      else high = middle
    }
    return low
  }
}

type MatchTimeInForce = "GTC" | "IOC" | "FOK"

/** What happens when an order meets an order of its own owner. */
export type SelfTradePrevention = "NONE" | "CANCEL_NEWEST" | "CANCEL_OLDEST"

export interface MatchOrder {
  readonly id: string
  /** Whose order it is, for self-trade prevention. */
  readonly owner: string
  readonly side: MatchSide
  /** Null: a market order. */
  readonly price: bigint | null
  readonly quantity: bigint
  readonly timeInForce: MatchTimeInForce
  /** Refused when it would trade at once. */
  readonly postOnly: boolean
}

export type DoneReason =
  | "FILLED"
  | "CANCELLED"
  /** What an IOC order could not trade at once. */
  | "IOC_REMAINDER"
  | "FOK_NOT_FILLED"
  /** What a market order could not trade: the other side is empty. */
  | "NO_LIQUIDITY"
  /** Post-only, and it would have traded; it was never accepted. */
  | "WOULD_TAKE"
  | "SELF_TRADE_PREVENTION"

export type MatchEvent =
  | { readonly _tag: "Accepted"; readonly order: MatchOrder }
  /** A resting order is as `order` says now; what it trades by that follows. */
  | { readonly _tag: "Amended"; readonly order: MatchOrder }
  /** At the maker's price. */
  | {
      readonly _tag: "Traded"
      readonly maker: MatchOrder
      readonly taker: MatchOrder
      readonly price: bigint
      readonly quantity: bigint
    }
  | {
      readonly _tag: "Done"
      readonly order: MatchOrder
      readonly reason: DoneReason
      /** Never traded. */
      readonly remaining: bigint
    }
  /** It has met as many orders as it may in one call: what is left is not on the book yet, and goes on by `restore`. */
  | { readonly _tag: "Paused"; readonly order: MatchOrder; readonly remaining: bigint }
  /** The new total of a level, once per call and level, after everything else; 0n when it is gone. */
  | { readonly _tag: "LevelChanged"; readonly side: MatchSide; readonly price: bigint; readonly quantity: bigint }

interface Resting {
  order: MatchOrder
  readonly level: RestingLevel<Resting>
  remaining: bigint
}

const opposite = (side: MatchSide): MatchSide => (side === "BUY" ? "SELL" : "BUY")

export class Matcher {
  readonly #bids = new RestingSide<Resting>("BUY")
  readonly #asks = new RestingSide<Resting>("SELL")
  readonly #resting = new LeanMap<string, Resting>()
  #touched = new Map<RestingLevel<Resting>, MatchSide>()

  constructor(readonly selfTradePrevention: SelfTradePrevention = "NONE") {}

  /**
   * Takes an order in and matches it, with at most so many others; a FOK order that would need more is not filled. The id must
   * be new.
   */
  submit(order: MatchOrder, tradesMax = Number.POSITIVE_INFINITY): Array<MatchEvent> {
    const events: Array<MatchEvent> = []
    if (order.postOnly && this.wouldTake(order)) {
      events.push({ _tag: "Done", order, reason: "WOULD_TAKE", remaining: order.quantity })
      return events
    }
    events.push({ _tag: "Accepted", order })
    if (order.timeInForce === "FOK" && this.fillable(order, tradesMax) < order.quantity) {
      events.push({ _tag: "Done", order, reason: "FOK_NOT_FILLED", remaining: order.quantity })
      return events
    }
    this.#take(order, order.quantity, events, tradesMax)
    return this.#closed(events)
  }

  /**
   * Puts an order back that rested before a restart, with what it had left, or goes on with one that paused. Orders must come in
   * their old queue order. Two that cross now trade as they would have then.
   */
  restore(order: MatchOrder, remaining: bigint, tradesMax = Number.POSITIVE_INFINITY): Array<MatchEvent> {
    const events: Array<MatchEvent> = []
    this.#take(order, remaining, events, tradesMax)
    return this.#closed(events)
  }

  /** Takes an order off the book; empty when it does not rest. */
  cancel(id: string): Array<MatchEvent> {
    const resting = this.#resting.get(id)
    if (resting === undefined) return []
    const events: Array<MatchEvent> = []
    this.#end(resting, "CANCELLED", events)
    return this.#closed(events)
  }

  /**
   * Changes a resting order to a price and to what is left of it. Less at the same price keeps its place; anything else goes to the back
   * of the queue, and may trade at once. WOULD_TAKE: post-only, nothing changed. Undefined: it does not rest.
   */
  amend(id: string, price: bigint, remaining: bigint): Array<MatchEvent> | "WOULD_TAKE" | undefined {
    const resting = this.#resting.get(id)
    if (resting === undefined) return undefined
    const { level } = resting
    const traded = resting.order.quantity - resting.remaining
    const order: MatchOrder = { ...resting.order, price, quantity: traded + remaining }
    if (order.postOnly && this.wouldTake(order)) return "WOULD_TAKE"
    const events: Array<MatchEvent> = [{ _tag: "Amended", order }]
    if (price === level.price) {
      if (remaining > resting.remaining) {
        level.queue.delete(resting)
        level.queue.add(resting)
      }
      level.total += remaining - resting.remaining
      resting.order = order
      resting.remaining = remaining
      this.#touched.set(level, order.side)
    } else {
      this.#remove(resting)
      this.#take(order, remaining, events, Number.POSITIVE_INFINITY)
    }
    return this.#closed(events)
  }

  /** Trades part of one resting order at any price, past the queue: for block trades and rigged venues. Empty when it does not rest. */
  trade(id: string, taker: MatchOrder, quantity: bigint, price: bigint): Array<MatchEvent> {
    const resting = this.#resting.get(id)
    if (resting === undefined) return []
    const events: Array<MatchEvent> = []
    this.#fill(resting, taker, quantity < resting.remaining ? quantity : resting.remaining, price, events)
    return this.#closed(events)
  }

  /** What is left of a resting order; undefined when it does not rest. */
  remaining(id: string): bigint | undefined {
    return this.#resting.get(id)?.remaining
  }

  /** Whether an order would trade at once. */
  wouldTake(order: MatchOrder): boolean {
    const best = this.#side(opposite(order.side)).best()
    return best !== undefined && reaches(order, best.price)
  }

  /** How much of an order would trade at once with at most so many others, at most its quantity. */
  fillable(order: MatchOrder, tradesMax = Number.POSITIVE_INFINITY): bigint {
    let found = 0n
    let trades = 0
    for (const level of this.#side(opposite(order.side)).levels()) {
      if (!reaches(order, level.price)) break
      for (const resting of level.queue) {
        if (resting.order.owner === order.owner && this.selfTradePrevention !== "NONE") {
          if (this.selfTradePrevention === "CANCEL_NEWEST") return found
          continue
        }
        if (++trades > tradesMax) return found
        found += resting.remaining
        if (found >= order.quantity) return order.quantity
      }
    }
    return found
  }

  /** Price × quantity that an order of this size would take from the book now, for as much of it as there is. */
  cost(side: MatchSide, quantity: bigint): bigint {
    let left = quantity
    let cost = 0n
    for (const level of this.#side(opposite(side)).levels()) {
      const part = left < level.total ? left : level.total
      cost += part * level.price
      left -= part
      if (left === 0n) break
    }
    return cost
  }

  /** How much a market buy of so much (price × quantity) gets from the book now, in whole steps. */
  affordable(cost: bigint, step: bigint): bigint {
    let left = cost
    let quantity = 0n
    for (const level of this.#asks.levels()) {
      const most = left / level.price
      const part = level.total <= most ? level.total : most - (most % step)
      quantity += part
      left -= part * level.price
      if (part < level.total) break
    }
    return quantity
  }

  best(side: MatchSide): { readonly price: bigint; readonly quantity: bigint } | undefined {
    const level = this.#side(side).best()
    return level === undefined ? undefined : { price: level.price, quantity: level.total }
  }

  /** All levels of a side, best first. */
  *levels(side: MatchSide): Generator<{ readonly price: bigint; readonly quantity: bigint }> {
    for (const level of this.#side(side).levels()) yield { price: level.price, quantity: level.total }
  }

  #side(side: MatchSide): RestingSide<Resting> {
    return side === "BUY" ? this.#bids : this.#asks
  }

  #take(order: MatchOrder, quantity: bigint, events: Array<MatchEvent>, tradesMax: number): void {
    const other = this.#side(opposite(order.side))
    let left = quantity
    let trades = 0
    while (left > 0n) {
      const level = other.best()
      if (level === undefined || !reaches(order, level.price)) break
      const resting = level.first()!
      if (resting.order.owner === order.owner && this.selfTradePrevention !== "NONE") {
        if (this.selfTradePrevention === "CANCEL_NEWEST") {
          events.push({ _tag: "Done", order, reason: "SELF_TRADE_PREVENTION", remaining: left })
          return
        }
        this.#end(resting, "SELF_TRADE_PREVENTION", events)
        continue
      }
      if (trades === tradesMax) {
        events.push({ _tag: "Paused", order, remaining: left })
        return
      }
      const part = left < resting.remaining ? left : resting.remaining
      left -= part
      trades += 1
      this.#fill(resting, order, part, level.price, events)
    }
    if (left === 0n) events.push({ _tag: "Done", order, reason: "FILLED", remaining: 0n })
    else if (order.price === null) events.push({ _tag: "Done", order, reason: "NO_LIQUIDITY", remaining: left })
    else if (order.timeInForce === "GTC") this.#rest(order, order.price, left)
    else events.push({ _tag: "Done", order, reason: "IOC_REMAINDER", remaining: left })
  }

  #fill(resting: Resting, taker: MatchOrder, quantity: bigint, price: bigint, events: Array<MatchEvent>): void {
    resting.remaining -= quantity
    resting.level.total -= quantity
    this.#touched.set(resting.level, resting.order.side)
    events.push({ _tag: "Traded", maker: resting.order, taker, price, quantity })
    if (resting.remaining === 0n) this.#end(resting, "FILLED", events)
  }

  #rest(order: MatchOrder, price: bigint, remaining: bigint): void {
    const level = this.#side(order.side).open(price)
    const resting: Resting = { order, level, remaining }
    level.queue.add(resting)
    level.total += remaining
    this.#resting.set(order.id, resting)
    this.#touched.set(level, order.side)
  }

  #end(resting: Resting, reason: DoneReason, events: Array<MatchEvent>): void {
    const { order, remaining } = resting
    this.#remove(resting)
    events.push({ _tag: "Done", order, reason, remaining })
  }

  #remove(resting: Resting): void {
    const { order, level, remaining } = resting
    level.queue.delete(resting)
    level.total -= remaining
    this.#resting.delete(order.id)
    this.#touched.set(level, order.side)
    if (level.queue.size === 0) this.#side(order.side).close(level)
  }

  #closed(events: Array<MatchEvent>): Array<MatchEvent> {
    for (const [level, side] of this.#touched)
      events.push({ _tag: "LevelChanged", side, price: level.price, quantity: level.total })
    this.#touched = new Map()
    return events
  }
}

const reaches = (order: MatchOrder, price: bigint): boolean =>
  order.price === null || (order.side === "BUY" ? order.price >= price : order.price <= price)
