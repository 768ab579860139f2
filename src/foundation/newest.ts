/** What was added last, and no more of it than so much. */

/** Texts, in their order. */
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

/** Values by name: the one that was set longest ago goes for a new one. */
export class NewestByName<A> {
  readonly #all = new Map<string, A>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(name: string): A | undefined {
    return this.#all.get(name)
  }

  set(name: string, value: A): void {
    this.#all.delete(name)
    this.#all.set(name, value)
    if (this.#all.size <= this.#most) return
    for (const oldest of this.#all.keys()) {
      this.#all.delete(oldest)
      return
    }
  }

  delete(name: string): void {
    this.#all.delete(name)
  }
}
