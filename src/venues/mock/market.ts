/**
 * The synthetic side of one MOCK market: a ladder of orders around a price that moves at random, and small orders that take from it. It trades
 * through the same matcher as all other orders. The same seed and the same steps make the same market.
 */
import { LeanMap } from "../../foundation/lean.ts"
import type { MatchEvent, MatchOrder, MatchSide } from "../matching/matcher.ts"
import type { MockListing } from "./instruments.ts"

const LEVELS = 50
/** Levels that get a new quantity with each step. */
const REFRESHED = 3
/** The price stays within this share of its anchor: a walk of months must not reach zero. */
const RANGE_PERCENT = 20n

/** Owners of synthetic orders: the matcher's self-trade prevention must let these two trade with each other. */
const LADDER = "synthetic:ladder"
const FLOW = "synthetic:flow"

/** A seeded generator of numbers from 0 to below 1 (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Where synthetic orders go; each call settles everything it causes before it returns. */
export interface SyntheticDoor {
  readonly submit: (order: MatchOrder) => void
  readonly cancel: (id: string) => void
  /** The best price of a side. */
  readonly best: (side: MatchSide) => bigint | undefined
}

export class SyntheticMarket {
  readonly #listing: MockListing
  readonly #door: SyntheticDoor
  readonly #random: () => number
  /** Resting ladder orders: side and price → id. */
  readonly #ladder = { BUY: new Map<bigint, string>(), SELL: new Map<bigint, string>() }
  readonly #places = new LeanMap<string, { readonly side: MatchSide; readonly price: bigint }>()
  #middle: bigint
  #nextId = 1

  constructor(listing: MockListing, seed: number, door: SyntheticDoor) {
    this.#listing = listing
    this.#door = door
    this.#middle = listing.anchor
    let mixed = seed
    for (const c of listing.instrument.symbol) mixed = Math.imul(mixed ^ c.charCodeAt(0), 0x01000193)
    this.#random = seeded(mixed)
  }

  /** Builds the ladder. */
  open(): void {
    this.#align()
  }

  /** One tick of the walk. */
  step(): void {
    const draw = this.#random()
    const moved = this.#middle + (draw < 0.3 ? -this.#listing.step : draw > 0.7 ? this.#listing.step : 0n)
    const range = (this.#listing.anchor * RANGE_PERCENT) / 100n
    if (moved > this.#listing.anchor - range && moved < this.#listing.anchor + range) this.#middle = moved
    for (let i = 0; i < REFRESHED; i++) {
      const side = this.#random() < 0.5 ? "BUY" : "SELL"
      const id = this.#ladder[side].get(this.#price(side, 1 + Math.floor(this.#random() * LEVELS)))
      if (id !== undefined) this.#door.cancel(id)
    }
    this.#align()
    if (this.#random() < 0.5) this.#takeSome()
  }

  /** Moves the middle of the ladder; resting orders in its way trade. */
  moveTo(price: bigint): void {
    this.#middle = price
    this.#align()
  }

  /** What the matcher says of any order: the ladder forgets its own that ended. */
  observe(event: MatchEvent): void {
    if (event._tag !== "Done") return
    const place = this.#places.get(event.order.id)
    if (place === undefined) return
    this.#places.delete(event.order.id)
    if (this.#ladder[place.side].get(place.price) === event.order.id) this.#ladder[place.side].delete(place.price)
  }

  #price(side: MatchSide, rank: number): bigint {
    const distance = this.#listing.step * BigInt(rank)
    return side === "BUY" ? this.#middle - distance : this.#middle + distance
  }

  /** Takes away what is out of place, then adds what is missing: in this order the ladder never meets itself. */
  #align(): void {
    const wanted = { BUY: new Set<bigint>(), SELL: new Set<bigint>() }
    for (const side of ["BUY", "SELL"] as const) {
      for (let rank = 1; rank <= LEVELS; rank++) {
        const price = this.#price(side, rank)
        if (price > 0n) wanted[side].add(price)
      }
      for (const [price, id] of this.#ladder[side]) if (!wanted[side].has(price)) this.#door.cancel(id)
    }
    for (const side of ["BUY", "SELL"] as const)
      for (const price of wanted[side]) if (!this.#ladder[side].has(price)) this.#rest(side, price)
  }

  #rest(side: MatchSide, price: bigint): void {
    const id = `ladder-${this.#nextId++}`
    this.#ladder[side].set(price, id)
    this.#places.set(id, { side, price })
    const quantity = this.#quantity(1n)
    this.#door.submit({ id, owner: LADDER, side, price, quantity, timeInForce: "GTC", postOnly: false })
  }

  #takeSome(): void {
    const side = this.#random() < 0.5 ? "BUY" : "SELL"
    const price = this.#door.best(side === "BUY" ? "SELL" : "BUY")
    const quantity = this.#quantity(20n)
    if (price === undefined) return
    const id = `flow-${this.#nextId++}`
    this.#door.submit({ id, owner: FLOW, side, price, quantity, timeInForce: "IOC", postOnly: false })
  }

  /** From a fifth of the usual quantity to twice of it, divided by `part`. */
  #quantity(part: bigint): bigint {
    const permille = BigInt(200 + Math.floor(this.#random() * 1800))
    const quantity = (this.#listing.usualQuantity * permille) / 1000n / part
    return quantity > 0n ? quantity : 1n
  }
}
