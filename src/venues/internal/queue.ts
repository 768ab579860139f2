/** What waits for a market, first in, first out: a queue that gives back to its front what has to be done again. */
export class MarketQueue<A> {
  #items: Array<A> = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  first(): A | undefined {
    return this.#items[this.#head]
  }

  push(item: A): void {
    this.#items.push(item)
  }

  shift(): A | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    this.#head++
    // What is done with is let go of now and then, never one by one.
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  unshift(items: ReadonlyArray<A>): void {
    this.#items = [...items, ...this.#items.slice(this.#head)]
    this.#head = 0
  }

  /** Takes one out of the middle. */
  remove(item: A): void {
    const at = this.#items.indexOf(item, this.#head)
    if (at >= 0) this.#items.splice(at, 1)
  }
}
