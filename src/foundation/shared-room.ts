/**
 * Room for so many at once, of any number of sharers. The one thing to know: each may have as many as are left free for others, so that one alone
 * has half of all; many together can fill it.
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
    if (own >= this.#max - this.#taken) return false
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
