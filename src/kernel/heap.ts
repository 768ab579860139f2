/** A heap with its own comparison: adding, removing and taking the first cost O(log n). */
export interface Heaped {
  /** Where it stands; kept by its heap. -1: in none. */
  position: number
}

export class Heap<A extends Heaped> {
  readonly #items: Array<A> = []
  readonly #isBefore: (a: A, b: A) => boolean

  constructor(isBefore: (a: A, b: A) => boolean) {
    this.#isBefore = isBefore
  }

  top(): A | undefined {
    return this.#items[0]
  }

  add(item: A): void {
    this.#items.push(item)
    this.#rise(item, this.#items.length - 1)
  }

  remove(item: A): void {
    const at = item.position
    if (at < 0) return
    const last = this.#items.pop()
    item.position = -1
    if (last === undefined || last === item) return
    this.#rise(last, at)
    this.#sink(last, last.position)
  }

  #rise(item: A, from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = this.#items[parent]
      if (above === undefined || !this.#isBefore(item, above)) break
      this.#put(above, at)
      at = parent
    }
    this.#put(item, at)
  }

  #sink(item: A, from: number): void {
    let at = from
    while (true) {
      const left = this.#items[2 * at + 1]
      const right = this.#items[2 * at + 2]
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left
      if (child === undefined || !this.#isBefore(child, item)) break
      const next = child.position
      this.#put(child, at)
      at = next
    }
    this.#put(item, at)
  }

  #put(item: A, at: number): void {
    this.#items[at] = item
    item.position = at
  }
}
