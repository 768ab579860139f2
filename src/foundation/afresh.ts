/**
 * One question at a time, whose answer serves all that asked before it was put. The one thing to know: an answer that is on its way may be older than
 * what makes a caller ask, who gets the answer to the next one.
 */
export class Afresh<A> {
  readonly #put: () => Promise<A>
  #current: Promise<A> | null = null
  #next: Promise<A> | null = null

  constructor(put: () => Promise<A>) {
    this.#put = put
  }

  /** An answer to what is put from now on, once for all that wait for the same one. */
  ask(): Promise<A> {
    if (this.#current === null) return this.#begin()
    const begin = (): Promise<A> => {
      this.#next = null
      return this.share()
    }
    this.#next ??= this.#current.then(begin, begin)
    return this.#next
  }

  /** An answer that may be on its way already. */
  share(): Promise<A> {
    return this.#current ?? this.#begin()
  }

  #begin(): Promise<A> {
    this.#current = this.#put().finally(() => {
      this.#current = null
    })
    return this.#current
  }
}
