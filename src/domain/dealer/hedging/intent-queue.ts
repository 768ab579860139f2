/**
 * The executed quotes of a pair that may be open, oldest first. The one thing to know: the open part of a side is its newest quotes, so that
 * prefix sums say where it begins; one more quote costs the same however many are open.
 */

import { Decimal } from "../../decimal.ts"
import type { HedgeIntentId, QuoteId, TradingAccountId, VenueId } from "../../ids.ts"
import type { OrderSide } from "../../order/trade-order.ts"
import type { HedgeIntent } from "../dealer.ts"

/** What of one executed quote is still open. */
export interface OpenIntent {
  readonly intent: HedgeIntent
  readonly open: Decimal
}

/** The quotes that a hedge is for: all of few, the oldest and the newest of many. The others stand between the two in their own table. */
export interface CoveredQuotes {
  readonly quoteIds: ReadonlyArray<QuoteId>
  readonly count: number
}

/** An order, and each event of it, names so many of its quotes at most. */
export const QUOTES_NAMED = 100

/** Forgotten quotes that are worth a new list. */
const FORGOTTEN_MIN = 64

interface Entry {
  readonly intent: HedgeIntent
  /** Of the first to this one, in base, and at the walked prices. */
  readonly sum: Decimal
  readonly reference: Decimal
}

/** The first index from `from` on for which it holds, and then for all; `to`: for none. */
const firstWhere = (from: number, to: number, holds: (index: number) => boolean): number => {
  // What is forgotten in time begins with what is open.
  if (from < to && holds(from)) return from
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Those whose exposure is open, oldest first; of the moment: the next quote or forgetting makes another. */
export class OpenIntents implements Iterable<OpenIntent> {
  constructor(
    private readonly side: OneSide | null,
    private readonly entries: ReadonlyArray<Entry>,
    private readonly start: number,
    /** Of the oldest: what a hedge left of it. */
    private readonly rest: Decimal,
  ) {}

  get size(): number {
    return this.entries.length - this.start
  }

  get first(): OpenIntent | undefined {
    const entry = this.entries[this.start]
    return entry && { intent: entry.intent, open: this.rest }
  }

  /** In base, at most the exposure: it falls short of it where hedges executed more than was owed, or a sale was charged in base. */
  get sum(): Decimal {
    const first = this.entries[this.start]
    return first === undefined ? Decimal.ZERO : this.entries.at(-1)!.sum.subtract(first.sum).add(this.rest)
  }

  /** In quote asset: what it would cost at the walked prices. */
  get reference(): Decimal {
    const first = this.entries[this.start]
    if (first === undefined) return Decimal.ZERO
    const own = first.intent.walkedPrice.multiply(this.rest)
    return this.entries.at(-1)!.reference.subtract(first.reference).add(own)
  }

  /** The worst price that any of them was priced at; null without any. */
  get worst(): Decimal | null {
    return this.size === 0 ? null : this.side!.worstFrom(this.start)
  }

  get venues(): ReadonlyArray<VenueId> {
    return this.size === 0 ? [] : this.side!.from(this.side!.venues, this.start)
  }

  get accounts(): ReadonlyArray<TradingAccountId> {
    return this.size === 0 ? [] : this.side!.from(this.side!.accounts, this.start)
  }

  oldest(count: number): ReadonlyArray<QuoteId> {
    return this.entries.slice(this.start, this.start + count).map(({ intent }) => intent.quoteId)
  }

  *[Symbol.iterator](): Iterator<OpenIntent> {
    for (let index = this.start; index < this.entries.length; index++) {
      const { intent } = this.entries[index]!
      yield { intent, open: index === this.start ? this.rest : intent.quantity }
    }
  }

  /** Whose exposure a hedge of this size closes. */
  covered(quantity: Decimal): CoveredQuotes {
    const { entries, start } = this
    const first = entries[start]
    if (first === undefined || !quantity.isPositive()) return { quoteIds: [], count: 0 }
    const end = first.sum.subtract(this.rest).add(quantity)
    const last = Math.min(
      firstWhere(start, entries.length, (index) => entries[index]!.sum.atLeast(end)),
      entries.length - 1,
    )
    const count = last - start + 1
    if (count <= QUOTES_NAMED) return { quoteIds: this.oldest(count), count }
    return { quoteIds: [...this.oldest(QUOTES_NAMED - 1), entries[last]!.intent.quoteId], count }
  }
}

const NONE = new OpenIntents(null, [], 0, Decimal.ZERO)

class OneSide {
  #entries: Array<Entry> = []
  /** Those before it are forgotten. */
  #start = 0
  /** Indices of prices that are worse than all after them. */
  #worst: Array<number> = []
  /** The newest of each: its index. */
  readonly venues = new Map<VenueId, number>()
  readonly accounts = new Map<TradingAccountId, number>()

  constructor(private readonly orderSide: OrderSide) {}

  add(intent: HedgeIntent): void {
    const { quantity, walkedPrice, worstPrice } = intent
    const index = this.#entries.length
    const before = this.#entries.at(-1)
    const cost = walkedPrice.multiply(quantity)
    this.#entries.push({
      intent,
      sum: before === undefined ? quantity : before.sum.add(quantity),
      reference: before === undefined ? cost : before.reference.add(cost),
    })
    const isWorse = (price: Decimal): boolean =>
      this.orderSide === "BUY" ? worstPrice.atLeast(price) : worstPrice.atMost(price)
    while (this.#worst.length > 0 && isWorse(this.#entries[this.#worst.at(-1)!]!.intent.worstPrice)) this.#worst.pop()
    this.#worst.push(index)
    this.venues.set(intent.venue, index)
    this.accounts.set(intent.tradingAccountId, index)
  }

  /** The newest that come to this much, in base. */
  open(size: Decimal): OpenIntents {
    const entries = this.#entries
    if (!size.isPositive() || entries.length === this.#start) return NONE
    const end = entries.at(-1)!.sum
    const closed = end.subtract(size)
    const start = firstWhere(this.#start, entries.length, (index) => entries[index]!.sum.greaterThan(closed))
    const { intent, sum } = entries[start]!
    return new OpenIntents(this, entries, start, Decimal.min(intent.quantity, sum.subtract(closed)))
  }

  worstFrom(start: number): Decimal {
    const at = firstWhere(0, this.#worst.length, (index) => this.#worst[index]! >= start)
    return this.#entries[this.#worst[at]!]!.intent.worstPrice
  }

  from<A>(newest: ReadonlyMap<A, number>, start: number): ReadonlyArray<A> {
    return [...newest].flatMap(([it, index]) => (index >= start ? [it] : []))
  }

  /** All but the newest that come to `most`, and but `kept`. */
  forget(most: Decimal, kept: HedgeIntent | undefined, gone: (id: HedgeIntentId) => void): void {
    const end = this.#entries.at(-1)?.sum
    if (end === undefined) return
    for (; this.#start < this.#entries.length; this.#start++) {
      const { intent, sum } = this.#entries[this.#start]!
      if (intent === kept || end.subtract(sum).lessThan(most)) break
      gone(intent.hedgeIntentId)
    }
    if (this.#start >= FORGOTTEN_MIN && 2 * this.#start >= this.#entries.length) this.#compact()
  }

  #compact(): void {
    const by = this.#start
    this.#entries = this.#entries.slice(by)
    this.#worst = this.#worst.flatMap((index) => (index >= by ? [index - by] : []))
    for (const newest of [this.venues, this.accounts] as ReadonlyArray<Map<unknown, number>>)
      for (const [it, index] of newest)
        if (index < by) newest.delete(it)
        else newest.set(it, index - by)
    this.#start = 0
  }
}

export class IntentQueue {
  readonly #sides = { BUY: new OneSide("BUY"), SELL: new OneSide("SELL") }
  readonly #known = new Set<HedgeIntentId>()
  #newest: HedgeIntent | undefined

  constructor(newestFirst: ReadonlyArray<HedgeIntent> = []) {
    for (const intent of newestFirst.toReversed()) this.add(intent)
  }

  /** Whether it is there, and not forgotten. */
  has(id: HedgeIntentId): boolean {
    return this.#known.has(id)
  }

  add(intent: HedgeIntent): void {
    this.#known.add(intent.hedgeIntentId)
    this.#sides[intent.orderSide].add(intent)
    this.#newest = intent
  }

  newest(): HedgeIntent | undefined {
    return this.#newest
  }

  /**
   * Those whose exposure is open: first in, first covered, opposite ones covering each other, so that the newest of the open side make up
   * the exposure.
   */
  open(exposure: Decimal): OpenIntents {
    return exposure.isNegative() ? this.#sides.SELL.open(exposure.negate()) : this.#sides.BUY.open(exposure)
  }

  /** Those that are not open wherever in the span the exposure is; the newest stays. */
  forgetClosed({ low, high }: { readonly low: Decimal; readonly high: Decimal }): void {
    const gone = (id: HedgeIntentId): void => void this.#known.delete(id)
    this.#sides.BUY.forget(Decimal.max(Decimal.ZERO, high), this.#newest, gone)
    this.#sides.SELL.forget(Decimal.max(Decimal.ZERO, low.negate()), this.#newest, gone)
  }
}
