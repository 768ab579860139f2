/** One side of a matcher's book: levels sorted with the best last, each a queue in order of arrival. */

export type MatchSide = "BUY" | "SELL"

export class RestingLevel<A> {
  total = 0n
  /** A Set keeps the order of insertion and gives up any member at once: exactly a queue with cancels. */
  readonly queue = new Set<A>()

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
