/**
 * One side of a book whose seed may end before the side does. Numbers tell the prices and quantities of one venue apart; the texts are told
 * as they come and not kept.
 */
import type { CcxtBookRow } from "../exchange/ccxt.ts"
import type { RowText } from "./digits.ts"

export type SideName = "bids" | "asks"

/** A venue that cuts its snapshots shorter than it is asked to cuts at a round number: such a side is not taken for a whole one. */
const ROUND = 50
/** A range is kept when the next seed reaches less far, until its side is so many times a seed; then the seed's is taken. */
const GROWN = 1.5
/** What a side counts as at most that began with a quick look: it is due for the rest, and not urgent. */
const SHALLOW = 0.45

export class SeededSide {
  readonly #name: SideName
  readonly #levels = new Map<number, number>()
  #end: string | null = null
  #bound: number
  #seeded = 0
  #isShallow = false

  constructor(name: SideName) {
    this.#name = name
    this.#bound = this.#farthest
  }

  /** The worst price up to which no level is missing, as the venue writes it; null: to the last of them. */
  get end(): string | null {
    return this.#end
  }

  /** Share of the seed's levels that the range still has; 1 where nothing lies beyond it. */
  get left(): number {
    if (this.#end === null) return 1
    const share = this.#seeded === 0 ? 0 : this.#levels.size / this.#seeded
    return this.#isShallow ? Math.min(share, SHALLOW) : share
  }

  /** A seed of so many levels, the last of which is at this price; `most` are given, or `quick` for a first look. */
  begin(rows: number, last: string | null, most: number, quick: number): void {
    this.#levels.clear()
    const isQuick = rows === quick && quick < most
    this.#limit(rows, isQuick || isCut(rows, most) ? last : null, most)
    this.#isShallow = isQuick
  }

  /** Takes changes in; answers those within the range. */
  take(flat: ReadonlyArray<string>): ReadonlyArray<string> {
    const within: Array<string> = []
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const [price = "", quantity = ""] = [flat[i], flat[i + 1]]
      const key = Number(price)
      if (!this.#covers(key, this.#bound)) continue
      const amount = Number(quantity)
      if (amount === 0) this.#levels.delete(key)
      else this.#levels.set(key, amount)
      within.push(price, quantity)
    }
    return within
  }

  /** In how many levels a later seed of this side is another where both reach. */
  apart(levels: ReadonlyMap<number, RowText>, rows: number, last: string | null, most: number): number {
    const bound = this.#nearer(this.#bound, isCut(rows, most) ? Number(last) : this.#farthest)
    let apart = 0
    for (const [price, [, quantity]] of levels)
      if (this.#covers(price, bound) && this.#levels.get(price) !== Number(quantity)) apart += 1
    for (const price of this.#levels.keys()) if (this.#covers(price, bound) && !levels.has(price)) apart += 1
    return apart
  }

  /** Takes a later seed in; answers the levels that became known, and deletes those that are given up. */
  extend(levels: ReadonlyMap<number, RowText>, rows: number, last: string | null, most: number): ReadonlyArray<string> {
    const changed: Array<string> = []
    const before = this.#bound
    const seedEnd = isCut(rows, most) ? last : null
    const seedBound = seedEnd === null ? this.#farthest : Number(seedEnd)
    const isFarther = this.#nearer(before, seedBound) === before
    if (isFarther || this.#levels.size > most * GROWN) this.#limit(rows, seedEnd, most)
    else this.#limit(rows, this.#end, most)
    for (const price of [...this.#levels.keys()]) {
      if (this.#covers(price, this.#bound)) continue
      this.#levels.delete(price)
      changed.push(String(price), "0")
    }
    for (const [price, [text, quantity]] of levels) {
      if (this.#covers(price, before) || !this.#covers(price, this.#bound)) continue
      this.#levels.set(price, Number(quantity))
      changed.push(text, quantity)
    }
    return changed
  }

  /** Best first. */
  rows(): ReadonlyArray<CcxtBookRow> {
    const sign = this.#name === "bids" ? -1 : 1
    return [...this.#levels].sort(([one], [other]) => sign * (one - other))
  }

  get #farthest(): number {
    return this.#name === "bids" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  #limit(seeded: number, end: string | null, most: number): void {
    this.#seeded = Math.min(seeded, most)
    this.#end = end
    this.#bound = end === null ? this.#farthest : Number(end)
    this.#isShallow = false
  }

  #covers(price: number, bound: number): boolean {
    return this.#name === "bids" ? price >= bound : price <= bound
  }

  #nearer(one: number, other: number): number {
    return this.#name === "bids" ? Math.max(one, other) : Math.min(one, other)
  }
}

const isCut = (rows: number, most: number): boolean => rows > 0 && (rows >= most || rows % ROUND === 0)
