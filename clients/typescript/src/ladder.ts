/**
 * One side of a book: rows in order, best first, found by halving. The one thing to know: beside each row stands its price as a number, and
 * unequal numbers are in the order of their texts, since rounding to the nearest never turns an order round. Where two numbers are equal the
 * texts decide. No digit is ever made of a number.
 */
import { compareDecimals, isZeroDecimal } from "./decimal-text.ts"
import type { OrderBook } from "./types.ts"

/** `[price, quantity, order count]`, in the venue's own digits. */
export type Level = OrderBook["bids"][number]

export class Ladder {
  readonly rows: Array<Level> = []
  /** Of the rows at the same places: the price, or what is below zero by as much; ascending. */
  readonly #keys: Array<number> = []
  readonly #sign: 1 | -1

  /** `sign`: 1 where the best is the lowest price. */
  constructor(sign: 1 | -1) {
    this.#sign = sign
  }

  apply(row: Level): void {
    const [price, quantity] = row
    const key = this.#sign * Number(price)
    const at = this.#placeOf(price, key)
    const found = this.rows[at]
    const isThere = found !== undefined && this.#keys[at] === key && compareDecimals(found[0], price) === 0
    if (isZeroDecimal(quantity)) {
      if (!isThere) return
      this.rows.splice(at, 1)
      this.#keys.splice(at, 1)
    } else if (isThere) this.rows[at] = row
    else {
      this.rows.splice(at, 0, row)
      this.#keys.splice(at, 0, key)
    }
  }

  /** Of the first row that is not better. */
  #placeOf(price: string, key: number): number {
    const keys = this.#keys
    let [from, to] = [0, keys.length]
    // The rows of a SNAPSHOT come in order.
    if (to === 0 || keys[to - 1]! < key) return to
    while (from < to) {
      const middle = (from + to) >>> 1
      const other = keys[middle]!
      const isBetter = other === key ? this.#sign * compareDecimals(this.rows[middle]![0], price) < 0 : other < key
      if (isBetter) from = middle + 1
      else to = middle
    }
    return from
  }
}
