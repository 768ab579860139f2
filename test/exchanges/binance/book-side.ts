/**
 * One side of a book under price-time priority: levels best first, in each level a queue of resting amounts.
 * Anonymous liquidity (the synthetic or replayed market) is an entry without an order; it keeps its place in the queue.
 */
import type { Order } from "./model.ts"

export interface Resting {
  readonly order: Order | undefined
  left: bigint
}

export interface Level {
  readonly price: bigint
  total: bigint
  readonly queue: Array<Resting>
}

export class BookSide {
  readonly levels: Array<Level> = []
  readonly #byPrice = new Map<bigint, Level>()

  constructor(readonly side: "bids" | "asks") {}

  get best(): Level | undefined {
    return this.levels[0]
  }

  level(price: bigint): Level | undefined {
    return this.#byPrice.get(price)
  }

  /** True when `left` stands nearer to the market than `right`. */
  isBetter(left: bigint, right: bigint): boolean {
    return this.side === "bids" ? left > right : left < right
  }

  /** True when a taker with this limit reaches a level; without a limit it reaches all. */
  isReached(price: bigint, limit: bigint | undefined): boolean {
    return limit === undefined || !this.isBetter(limit, price)
  }

  rest(price: bigint, entry: Resting): void {
    const level = this.#open(price)
    level.queue.push(entry)
    level.total += entry.left
  }

  /** Takes an amount off an entry and forgets what became empty. Returns what is left of the level. */
  take(level: Level, entry: Resting, quantity: bigint): bigint {
    entry.left -= quantity
    level.total -= quantity
    if (entry.left === 0n) level.queue.splice(level.queue.indexOf(entry), 1)
    if (level.queue.length === 0) this.#close(level.price)
    return level.total
  }

  /** Takes an order out; returns what is left of its level. */
  remove(order: Order): bigint {
    const level = this.#byPrice.get(order.price)
    const entry = level?.queue.find((one) => one.order === order)
    if (level === undefined || entry === undefined) return level?.total ?? 0n
    return this.take(level, entry, entry.left)
  }

  /** Sets the anonymous amount of a level, keeping its place in the queue; returns the level's new total. */
  setAnonymous(price: bigint, quantity: bigint): bigint {
    const level = this.#byPrice.get(price)
    const entry = level?.queue.find((one) => one.order === undefined)
    if (level !== undefined && entry !== undefined) {
      if (quantity === 0n) return this.take(level, entry, entry.left)
      level.total += quantity - entry.left
      entry.left = quantity
      return level.total
    }
    if (quantity > 0n) this.rest(price, { order: undefined, left: quantity })
    return this.#byPrice.get(price)?.total ?? 0n
  }

  /** Every entry a taker with this limit would meet, in the order it would meet them. */
  *reachable(limit: bigint | undefined): Generator<{ readonly price: bigint; readonly entry: Resting }> {
    for (const level of this.levels) {
      if (!this.isReached(level.price, limit)) return
      for (const entry of level.queue) yield { price: level.price, entry }
    }
  }

  #open(price: bigint): Level {
    const known = this.#byPrice.get(price)
    if (known !== undefined) return known
    const level: Level = { price, total: 0n, queue: [] }
    this.#byPrice.set(price, level)
    this.levels.splice(this.#position(price), 0, level)
    return level
  }

  #close(price: bigint): void {
    this.#byPrice.delete(price)
    this.levels.splice(this.#position(price), 1)
  }

  /** Index of the level with this price, or where it belongs. */
  #position(price: bigint): number {
    let low = 0
    let high = this.levels.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.isBetter(this.levels[middle]!.price, price)) low = middle + 1
      else high = middle
    }
    return low
  }
}
