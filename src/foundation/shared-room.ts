/**
 * Room for so many at once, of any number of sharers, where nothing is taken back. The one thing to know: one alone has half of it, and of n who come one after the other and
 * take what they can, each leaves what an equal part for one more would be, max / (n + 1): so they have 1/2, 1/6, 1/12, 1/20 ... of all. More for one of them would be less for
 * another, for these are all. A sharer that has none gets in while there is any: 2,000 places are full with 88 sharers at the least, 5,000 with 140.
 */
export class SharedRoom {
  readonly #max: number
  #taken = 0
  /** Of each sharer that has any. */
  readonly #counts = new Map<string, number>()

  constructor(max: number) {
    this.#max = max
  }

  /** False: there is none for this one. */
  take(sharer: string): boolean {
    const own = this.#counts.get(sharer) ?? 0
    const free = this.#max - this.#taken
    if (own >= free) return false
    // As many as they have free: equal sharers would come to this by themselves, and one after the other is kept to it.
    if (own > 0 && free <= Math.floor(this.#max / (this.#counts.size + 1))) return false
    this.#taken++
    this.#counts.set(sharer, own + 1)
    return true
  }

  /** After each `take` that answered true, once. */
  leave(sharer: string): void {
    const left = (this.#counts.get(sharer) ?? 0) - 1
    this.#taken--
    if (left > 0) this.#counts.set(sharer, left)
    else this.#counts.delete(sharer)
  }
}
