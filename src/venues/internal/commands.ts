/** What a market of the platform's own venue works with, its messages, its queue, and what one of its requests settles. */
import type { Effect } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import { type InternalFees, type InternalOrder, isPostOnly, restOf } from "../../domain/order/internal-order.ts"
import type { Authority } from "../../domain/user/act.ts"
import type { FailpointName } from "../../ports/failpoint.ts"
import type { LedgerPort } from "../../ports/ledger-port.ts"
import type { SessionReport, VenueAmend } from "../../ports/venue-session.ts"
import { stepsRefusalOf } from "../matching/units.ts"
import type { Arrival, InternalBook } from "./book.ts"
import type { Settlement } from "./settlement.ts"

/** What waits for a market, first in, first out: a queue that gives back to its front what has to be done again. */
export class MarketQueue<A> {
  #items: Array<A> = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  first(): A | undefined {
    return this.#items[this.#head]
  }

  push(item: A): void {
    this.#items.push(item)
  }

  shift(): A | undefined {
    const item = this.#items[this.#head]
    if (item === undefined) return undefined
    this.#head++
    // What is done with is let go of now and then, never one by one.
    if (this.#head > 1_024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  unshift(items: ReadonlyArray<A>): void {
    this.#items = [...items, ...this.#items.slice(this.#head)]
    this.#head = 0
  }

  /** Takes one out of the middle. */
  remove(item: A): void {
    const at = this.#items.indexOf(item, this.#head)
    if (at >= 0) this.#items.splice(at, 1)
  }
}

export interface MarketParts {
  readonly instrument: Instrument
  readonly fees: InternalFees
  readonly ledger: Pick<LedgerPort["Type"], "post" | "wallet">
  /** Of the instrument, in the order of its queues. */
  readonly openOrders: Effect.Effect<ReadonlyArray<InternalOrder>>
  /** Not retired. */
  readonly isOpen: () => boolean
  readonly now: () => number
  readonly uuid: () => string
  readonly hit: (name: FailpointName) => void
  /** Said to an account, after the commit. */
  readonly report: (account: TradingAccountId, report: SessionReport) => void
  /** The public part of what is stored: levels and trades. */
  readonly published: (settlement: Settlement) => void
  /** The book as it is stored, at the start of an incarnation. */
  readonly opened: (book: InternalBook) => void
  /** What became of a submit can be read in the journal now. */
  readonly decided: (tradeOrderId: TradeOrderId) => void
  readonly notice: (what: string, fields: Readonly<Record<string, unknown>>) => void
}

/** Without its place in the queue and its hold, which the market gives it. */
export interface Submission {
  readonly _tag: "Submit"
  readonly order: InternalOrder
  /** Of a dealer's own account: on whose word its money is held. */
  readonly authority?: Authority | undefined
  /** Wall ms: too late after it. */
  readonly notAfter: number
}
export interface Cancellation {
  readonly _tag: "Cancel"
  readonly account: TradingAccountId
  readonly tradeOrderId: TradeOrderId
}
interface Amendment {
  readonly _tag: "Amend"
  readonly account: TradingAccountId
  readonly tradeOrderId: TradeOrderId
  readonly to: VenueAmend
}
export type MarketMessage = Submission | Cancellation | Amendment

export interface Take {
  readonly _tag: "Take"
  order: InternalOrder
  readonly arrival: Arrival
  /** The ledger holds for it. */
  isReady: boolean
}
export interface Change extends Amendment {
  readonly sequence: number
}
export type Entry = Take | Cancellation | Change

export interface Batch {
  readonly settlement: Settlement
  readonly entries: Array<Take | Cancellation>
  paused: InternalOrder | null
}

/** The order as its owner wants it, or why it stays as it is. */
export const amendedOf = (
  book: InternalBook,
  instrument: Instrument,
  order: InternalOrder,
  to: VenueAmend,
  at: number,
): InternalOrder | string => {
  if (to.stopPrice !== null) return "triggers are not supported here"
  const quantity = Decimal.of(to.quantity)
  const limitPrice = to.limitPrice === null ? order.limitPrice : Decimal.of(to.limitPrice)
  const wanted: InternalOrder = { ...order, quantity, limitPrice, updatedAt: at }
  if (!restOf(wanted).isPositive()) return "that quantity is already executed"
  const off = stepsRefusalOf(instrument, wanted)
  if (off !== undefined) return off.text
  if ((to.postOnly ?? isPostOnly(wanted)) && book.wouldTake(wanted)) return "post-only order would trade at once"
  return wanted
}

/** Less at the same price; anything else goes to the back of the queue. */
export const keepsPlace = (wanted: InternalOrder, order: InternalOrder): boolean =>
  wanted.limitPrice!.equals(order.limitPrice!) && wanted.quantity.atMost(order.quantity)
