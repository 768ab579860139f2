/**
 * What the orders that a venue has acknowledged hold of each asset, as running sums: a snapshot of balances of any instant is compared
 * with the holds of the orders that were acknowledged by then, whatever the number of open orders.
 */
import { Decimal } from "../decimal.ts"
import { RareMap, RareSet } from "../rare.ts"

/** One order's hold, as it is now. */
export interface AcknowledgedHold {
  readonly asset: string
  readonly held: () => Decimal
  /** Venue time, ms; null: not yet. */
  readonly acceptedAt: number | null
}

/** An older snapshot is not to be had by the sums: it is so rare that all orders are looked at. */
const RECENT_MILLIS = 1_000
const RECENT_MAX = 1_024

export class AcknowledgedHolds {
  readonly #sums = new RareMap<string, Decimal>()
  /** Acknowledged after `#settledAt`. */
  readonly #recent = new RareSet<AcknowledgedHold>()
  #settledAt = Number.NEGATIVE_INFINITY

  /** An acknowledged order holds so much more, or less. */
  changed(asset: string, change: Decimal): void {
    const sum = (this.#sums.get(asset) ?? Decimal.ZERO).add(change)
    if (sum.isZero()) this.#sums.delete(asset)
    else this.#sums.set(asset, sum)
  }

  /** From now on its hold counts, with all that it holds already. */
  acknowledged(order: AcknowledgedHold): void {
    this.changed(order.asset, order.held())
    if ((order.acceptedAt ?? 0) <= this.#settledAt) return
    this.#recent.add(order)
    if (this.#recent.size <= RECENT_MAX) return
    // Where nothing asks for balances nothing else takes them out.
    const oldest = this.#recent[Symbol.iterator]().next().value!
    this.#recent.delete(oldest)
    this.#settledAt = Math.max(this.#settledAt, oldest.acceptedAt ?? 0)
  }

  /** Of the orders acknowledged at `at` or before, by asset; null: that is too long ago. Assets of which nothing is held are left out. */
  at(at: number): ReadonlyMap<string, Decimal> | null {
    if (at < this.#settledAt) return null
    const included = new Map(this.#sums)
    const settledAt = Math.max(this.#settledAt, at - RECENT_MILLIS)
    for (const order of this.#recent) {
      const { acceptedAt } = order
      if (acceptedAt === null || acceptedAt <= settledAt) this.#recent.delete(order)
      else if (acceptedAt > at) {
        const { asset } = order
        const rest = (included.get(asset) ?? Decimal.ZERO).subtract(order.held())
        if (rest.isZero()) included.delete(asset)
        else included.set(asset, rest)
      }
    }
    this.#settledAt = settledAt
    return included
  }
}
