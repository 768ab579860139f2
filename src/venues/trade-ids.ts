/**
 * Ids of the trades of one feed already passed on: venues repeat earlier trades after each subscription, which closes the gap of an
 * interruption and must not produce duplicates. The newest 2,000 are remembered.
 */

const REMEMBERED = 2000

export class TradeIds {
  readonly #seen: Set<string>

  /** Of those in `known`, oldest first, nothing is new. */
  constructor(known: ReadonlyArray<string> = []) {
    this.#seen = new Set(known)
  }

  has(id: string): boolean {
    return this.#seen.has(id)
  }

  /** Oldest first. */
  all(): ReadonlyArray<string> {
    return [...this.#seen]
  }

  /** The id to publish a trade under; undefined when it was published. A venue without ids is given them, from the trade's `content`. */
  take(id: string | undefined, content: string): string | undefined {
    const taken = id ?? this.#free(content)
    if (this.#seen.has(taken)) return undefined
    this.#seen.add(taken)
    if (this.#seen.size > REMEMBERED) {
      for (const oldest of this.#seen) {
        this.#seen.delete(oldest)
        break
      }
    }
    return taken
  }

  /** Equal trades in the same millisecond are two trades. */
  #free(content: string): string {
    for (let nth = 1; ; nth++) {
      const id = nth === 1 ? content : `${content}:${nth}`
      if (!this.#seen.has(id)) return id
    }
  }
}
