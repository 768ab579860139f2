/** A map and a set that are nearly always empty: without entries they cost one field, where an empty `Map` costs about 200 bytes. */

const NONE: ReadonlyMap<never, never> = new Map<never, never>()

export class RareMap<K, V> {
  #map: Map<K, V> | null = null

  get size(): number {
    return this.#map === null ? 0 : this.#map.size
  }

  has(key: K): boolean {
    return this.#map?.has(key) ?? false
  }

  get(key: K): V | undefined {
    return this.#map?.get(key)
  }

  set(key: K, value: V): this {
    this.#map ??= new Map()
    this.#map.set(key, value)
    return this
  }

  delete(key: K): boolean {
    const map = this.#map
    if (map === null) return false
    const was = map.delete(key)
    // An iteration that is under way goes on with the map that it began with.
    if (map.size === 0) this.#map = null
    return was
  }

  clear(): void {
    this.#map = null
  }

  keys(): MapIterator<K> {
    return this.#entries().keys()
  }

  values(): MapIterator<V> {
    return this.#entries().values()
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#entries()[Symbol.iterator]()
  }

  #entries(): ReadonlyMap<K, V> {
    return this.#map ?? NONE
  }
}

export class RareSet<A> {
  #set: Set<A> | null = null

  get size(): number {
    return this.#set === null ? 0 : this.#set.size
  }

  has(value: A): boolean {
    return this.#set?.has(value) ?? false
  }

  add(value: A): this {
    this.#set ??= new Set()
    this.#set.add(value)
    return this
  }

  delete(value: A): boolean {
    const set = this.#set
    if (set === null) return false
    const was = set.delete(value)
    if (set.size === 0) this.#set = null
    return was
  }

  clear(): void {
    this.#set = null
  }

  [Symbol.iterator](): IterableIterator<A> {
    return (this.#set ?? NONE.keys())[Symbol.iterator]()
  }
}
