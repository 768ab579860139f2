/**
 * An exact order book: levels in the venue's own digits, best first. Two spellings of one price (`1.10`, `1.1`) are one level, which shows the
 * newest spelling. Every received level is kept: dropping far levels would be wrong once near ones go.
 */
import { Decimal } from "../decimal.ts"

export type BookSideName = "bids" | "asks"

/** A level whose price or quantity is no decimal: the feed cannot be trusted. */
export class MalformedLevel extends Error {
  override readonly name = "MalformedLevel"
}

const NINE = 57
const ONE = 49
const ZERO = 48
const DOT = 46
const TEXT_MAX = 80

/**
 * Whether text is a decimal: -1 no, 0 any spelling of zero, 1 any other. Exponents pass, a leading sign does not.
 * What passes holds nothing that JSON would escape, so it may be put between quotes as it is.
 */
const weigh = (text: string): -1 | 0 | 1 => {
  const length = text.length
  if (length === 0 || length > TEXT_MAX) return -1
  let digits = 0
  let dots = 0
  let zero = true
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i)
    if (c >= ONE && c <= NINE) {
      zero = false
      digits++
    } else if (c === ZERO) digits++
    else if (c === DOT) dots++
    else return /^(\d+(\.\d*)?|\.\d+)[eE][+-]?\d{1,3}$/.test(text) ? (/^[0.]+[eE]/.test(text) ? 0 : 1) : -1
  }
  if (digits === 0 || dots > 1) return -1
  return zero ? 0 : 1
}

/** Whether a quantity deletes its level: any spelling of zero. */
export const deletesLevel = (quantity: string): boolean => weigh(quantity) === 0

const exact = (text: string): Decimal => {
  const value = Decimal.fromVenue(text)
  if (value === undefined) throw new MalformedLevel(`not a decimal: ${text.slice(0, TEXT_MAX)}`)
  return value
}

/** One side, sorted so that the best level stands last: most changes are near the best, and there an insertion moves least. */
export class BookSide {
  readonly #sign: 1 | -1
  // The nearest doubles of the prices, negated for asks. Rounding keeps order, so only equal keys need the exact comparison.
  #keys: Array<number> = []
  #prices: Array<string> = []
  #quantities: Array<string> = []

  constructor(readonly name: BookSideName) {
    this.#sign = name === "bids" ? 1 : -1
  }

  get size(): number {
    return this.#keys.length
  }

  /** The nearest double of the best price, for comparisons that fall back on the text when equal; NaN for an empty side. */
  get bestKey(): number {
    return this.#sign * (this.#keys.at(-1) ?? Number.NaN)
  }

  clear(): void {
    this.#keys = []
    this.#prices = []
    this.#quantities = []
  }

  /**
   * Sets a level's absolute quantity; any zero deletes it. Answers the spelling under which the level stood until now, undefined
   * when there was none. Throws MalformedLevel.
   */
  set(price: string, quantity: string): string | undefined {
    const weight = weigh(quantity)
    const key = this.#key(price)
    if (weight < 0) throw new MalformedLevel(`not a quantity: ${quantity.slice(0, TEXT_MAX)}`)
    const found = this.#find(key, price)
    if (found >= 0) {
      const before = this.#prices[found]!
      if (weight === 0) {
        this.#keys.splice(found, 1)
        this.#prices.splice(found, 1)
        this.#quantities.splice(found, 1)
      } else {
        this.#prices[found] = price
        this.#quantities[found] = quantity
      }
      return before
    }
    if (weight === 0) return undefined
    const at = -found - 1
    this.#keys.splice(at, 0, key)
    this.#prices.splice(at, 0, price)
    this.#quantities.splice(at, 0, quantity)
    return undefined
  }

  /** Replaces the side by flat [price, quantity, …] in any order; of one price named twice the later counts. Throws MalformedLevel. */
  replace(flat: ReadonlyArray<string>): void {
    if (this.#takeInOrder(flat)) return
    const rows: Array<{
      readonly key: number
      readonly price: string
      readonly quantity: string
      readonly at: number
    }> = []
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const price = flat[i]!
      const quantity = flat[i + 1]!
      if (weigh(quantity) < 0) throw new MalformedLevel(`not a quantity: ${quantity.slice(0, TEXT_MAX)}`)
      rows.push({ key: this.#key(price), price, quantity, at: i })
    }
    rows.sort((a, b) => a.key - b.key || this.#compareEqualKeys(a.price, b.price) || a.at - b.at)
    this.clear()
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!
      const next = rows[i + 1]
      if (next !== undefined && next.key === row.key && this.#compareEqualKeys(row.price, next.price) === 0) continue
      if (weigh(row.quantity) === 0) continue
      this.#keys.push(row.key)
      this.#prices.push(row.price)
      this.#quantities.push(row.quantity)
    }
  }

  /** As venues send it, best first, no price twice: nothing to sort. False: the side is as before. Throws MalformedLevel. */
  #takeInOrder(flat: ReadonlyArray<string>): boolean {
    const size = flat.length >>> 1
    const keys = new Array<number>(size)
    const prices = new Array<string>(size)
    const quantities = new Array<string>(size)
    let worst = Number.POSITIVE_INFINITY
    for (let at = size - 1, i = 0; at >= 0; at--, i += 2) {
      const price = flat[i]!
      const quantity = flat[i + 1]!
      const key = this.#key(price)
      if (key >= worst || weigh(quantity) !== 1) return false
      worst = key
      keys[at] = key
      prices[at] = price
      quantities[at] = quantity
    }
    this.#keys = keys
    this.#prices = prices
    this.#quantities = quantities
    return true
  }

  /** The level at a distance from the best (0 = best); undefined past the end. */
  level(rank: number): readonly [price: string, quantity: string] | undefined {
    const at = this.#keys.length - 1 - rank
    const price = this.#prices[at]
    return price === undefined ? undefined : [price, this.#quantities[at]!]
  }

  /** The best levels, best first. */
  top(depth: number): Array<readonly [price: string, quantity: string]> {
    const rows: Array<readonly [string, string]> = []
    const end = Math.max(0, this.#keys.length - depth)
    for (let at = this.#keys.length - 1; at >= end; at--) rows.push([this.#prices[at]!, this.#quantities[at]!])
    return rows
  }

  /** All levels, best first, one at a time: to be read before the book changes. */
  *rows(): Generator<readonly [price: string, quantity: string], void> {
    for (let at = this.#keys.length - 1; at >= 0; at--) yield [this.#prices[at]!, this.#quantities[at]!]
  }

  /** The best levels as JSON rows `["price","quantity",""]`, best first, joined by commas (columns of the order book record). */
  rowsJson(depth: number): string {
    let json = ""
    const end = Math.max(0, this.#keys.length - depth)
    for (let at = this.#keys.length - 1; at >= end; at--)
      json += `${json === "" ? "" : ","}["${this.#prices[at]}","${this.#quantities[at]}",""]`
    return json
  }

  #key(price: string): number {
    // The double only finds the place of a level; digits are never computed from it.
    const key = weigh(price) < 0 ? Number.NaN : Number(price) // tidy: an index of the exact text, see #keys
    if (!Number.isFinite(key)) throw new MalformedLevel(`not a price: ${price.slice(0, TEXT_MAX)}`)
    return this.#sign * key
  }

  #compareEqualKeys(a: string, b: string): number {
    return a === b ? 0 : this.#sign * exact(a).compare(exact(b))
  }

  /** The index of a price, or -(insertion index) - 1. */
  #find(key: number, price: string): number {
    let low = 0
    let high = this.#keys.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#keys[middle]! < key) low = middle + 1
      else high = middle
    }
    for (; low < this.#keys.length && this.#keys[low] === key; low++) {
      const order = this.#compareEqualKeys(this.#prices[low]!, price)
      if (order === 0) return low
      if (order > 0) break
    }
    return -low - 1
  }
}

export class OrderBook {
  readonly bids = new BookSide("bids")
  readonly asks = new BookSide("asks")

  clear(): void {
    this.bids.clear()
    this.asks.clear()
  }

  isEmpty(): boolean {
    return this.bids.size === 0 && this.asks.size === 0
  }

  /** Whether the best bid reaches the best ask: no venue shows that, so such a book has lost an update. */
  isCrossed(): boolean {
    const bid = this.bids.level(0)
    const ask = this.asks.level(0)
    if (bid === undefined || ask === undefined) return false
    const apart = this.asks.bestKey - this.bids.bestKey
    return apart === 0 ? exact(bid[0]).atLeast(exact(ask[0])) : apart < 0
  }
}
