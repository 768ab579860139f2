/** The texts that were added last, in their order: so many, and no more. */
export class Newest {
  readonly #all: Set<string>
  readonly #most: number

  /** `known`: oldest first. */
  constructor(most: number, known: ReadonlyArray<string> = []) {
    this.#most = most
    this.#all = new Set(known)
  }

  has(text: string): boolean {
    return this.#all.has(text)
  }

  /** Oldest first. */
  all(): ReadonlyArray<string> {
    return [...this.#all]
  }

  /** False: it was there. The oldest goes for it. */
  add(text: string): boolean {
    if (this.#all.has(text)) return false
    this.#all.add(text)
    if (this.#all.size <= this.#most) return true
    for (const oldest of this.#all) {
      this.#all.delete(oldest)
      break
    }
    return true
  }
}
