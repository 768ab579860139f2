/**
 * An order book of N levels a side whose every frame carries a checksum of the ten best (Kraken): kept in the venue's own digits, so that a
 * missing, repeated, late or misordered frame is detected at once. The venue does not report levels pushed out of the N: they are cut off here
 * and published as deleted, because no further update of them will come.
 */
import { LeanMap } from "../../../foundation/lean.ts"

// CRC-32 (ISO 3309, as in zip and PNG) of texts of plain characters, one after the other without joining them.

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

export class Crc32 {
  #state = 0xffffffff

  add(text: string): this {
    let state = this.#state
    for (let at = 0; at < text.length; at++) state = (state >>> 8) ^ (TABLE[(state ^ text.charCodeAt(at)) & 0xff] ?? 0)
    this.#state = state
    return this
  }

  /** Unsigned. */
  get value(): number {
    return (this.#state ^ 0xffffffff) >>> 0
  }
}

/** What a venue frame says of one book; flat [price, quantity, …] in the venue's digits, quantity zero deletes. */
export interface BookFrame {
  readonly symbol: string
  readonly snapshot: boolean
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
  readonly checksum: number
  readonly venueAt: number | null
}

/** What changed: flat [price, quantity, …], "0" deletes. */
export interface BookRows {
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
}

/** How many places the venue's figures have; a checksum may be over figures with zeros that a frame leaves out. */
export interface Places {
  readonly price: number
  readonly quantity: number
}

const CHECKED_LEVELS = 10

interface Level {
  readonly price: string
  quantity: string
}

const isZero = (quantity: string): boolean => Number(quantity) === 0

/** A figure as it is summed: no point, no zeros before it. */
const summed = (text: string): string => {
  const dot = text.indexOf(".")
  const digits = dot < 0 ? text : text.slice(0, dot) + text.slice(dot + 1)
  let from = 0
  while (from < digits.length && digits.charCodeAt(from) === 48) from++
  return from === 0 ? digits : digits.slice(from)
}

const padded = (text: string, places: number): string => {
  const dot = text.indexOf(".")
  const given = dot < 0 ? 0 : text.length - dot - 1
  return given >= places ? text : `${dot < 0 ? `${text}.` : text}${"0".repeat(places - given)}`
}

class Side {
  /** Ascending, the best level last: most changes are near it. Asks count downwards. */
  readonly #keys: Array<number> = []
  readonly #levels = new LeanMap<number, Level>()
  readonly #sign: 1 | -1

  constructor(name: "bids" | "asks") {
    this.#sign = name === "bids" ? 1 : -1
  }

  /** The level's price as it was first spelled, with its new quantity; undefined for the end of a level that is not there. */
  set(price: string, quantity: string): readonly [price: string, quantity: string] | undefined {
    const key = Number(price) * this.#sign
    const level = this.#levels.get(key)
    if (isZero(quantity)) {
      if (level === undefined) return undefined
      this.#levels.delete(key)
      this.#keys.splice(this.#position(key), 1)
      return [level.price, "0"]
    }
    if (level !== undefined) {
      level.quantity = quantity
      return [level.price, quantity]
    }
    this.#levels.set(key, { price, quantity })
    this.#keys.splice(this.#position(key), 0, key)
    return [price, quantity]
  }

  /** Cuts off all but the best levels; the prices that went. */
  cut(depth: number): ReadonlyArray<string> {
    const gone = this.#keys.splice(0, Math.max(0, this.#keys.length - depth))
    return gone.map((key) => {
      const price = this.#levels.get(key)?.price ?? ""
      this.#levels.delete(key)
      return price
    })
  }

  *best(count: number): Generator<Level> {
    for (let at = this.#keys.length - 1; at >= Math.max(0, this.#keys.length - count); at--) {
      const level = this.#levels.get(this.#keys[at] ?? Number.NaN)
      if (level !== undefined) yield level
    }
  }

  /** Flat, best first. */
  rows(): ReadonlyArray<string> {
    return [...this.best(this.#keys.length)].flatMap(({ price, quantity }) => [price, quantity])
  }

  /** What turns `before` into this side. */
  since(before: Side): ReadonlyArray<string> {
    const out: Array<string> = []
    for (const [key, { price }] of before.#levels) if (!this.#levels.has(key)) out.push(price, "0")
    for (const [key, level] of this.#levels) {
      const known = before.#levels.get(key)
      if (known?.quantity !== level.quantity) out.push(known?.price ?? level.price, level.quantity)
    }
    return out
  }

  #position(key: number): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#keys[middle] ?? 0) < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

export class CheckedBook {
  readonly #depth: number
  readonly #places: Places | null
  readonly #bids = new Side("bids")
  readonly #asks = new Side("asks")

  private constructor(depth: number, places: Places | null) {
    this.#depth = depth
    this.#places = places
  }

  /** The book of a snapshot; undefined when it is not the one that the venue summed. */
  static from(frame: BookFrame, depth: number, places: Places | null): CheckedBook | undefined {
    const book = new CheckedBook(depth, places)
    return book.apply(frame) === undefined ? undefined : book
  }

  /** What a frame changes, or undefined when the book is no longer the venue's: it is of no use then. */
  apply(frame: BookFrame): BookRows | undefined {
    const bids = this.#change(this.#bids, frame.bids)
    const asks = this.#change(this.#asks, frame.asks)
    return this.#isVenues(frame.checksum) ? { bids, asks } : undefined
  }

  rows(): BookRows {
    return { bids: this.#bids.rows(), asks: this.#asks.rows() }
  }

  /** What turns an older book into this one. */
  since(before: CheckedBook): BookRows {
    return { bids: this.#bids.since(before.#bids), asks: this.#asks.since(before.#asks) }
  }

  #change(side: Side, rows: ReadonlyArray<string>): ReadonlyArray<string> {
    const changed = new Map<string, string>()
    for (let at = 0; at < rows.length; at += 2) {
      const row = side.set(rows[at] ?? "", rows[at + 1] ?? "0")
      if (row !== undefined) changed.set(row[0], row[1])
    }
    for (const price of side.cut(this.#depth)) changed.set(price, "0")
    return [...changed].flat()
  }

  #isVenues(checksum: number): boolean {
    if (this.#checksum((text) => text) === checksum) return true
    const places = this.#places
    if (places === null) return false
    return this.#checksum((text, kind) => padded(text, places[kind])) === checksum
  }

  #checksum(spelled: (text: string, kind: keyof Places) => string): number {
    const crc = new Crc32()
    for (const side of [this.#asks, this.#bids]) {
      for (const { price, quantity } of side.best(CHECKED_LEVELS)) {
        crc.add(summed(spelled(price, "price"))).add(summed(spelled(quantity, "quantity")))
      }
    }
    return crc.value
  }
}
