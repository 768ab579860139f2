/**
 * What an order carries beyond side, price and quantity: the trigger that it waits for, its place in a list of orders, its exits, a change in
 * progress. Null on plain orders, so that those cost nothing.
 */
import { Decimal } from "../decimal.ts"
import type { TradeOrderId } from "../ids.ts"
import type { TimeInForce } from "../instrument/venue-capabilities.ts"
import type { PlacedBy } from "../user/act.ts"

/** What a trigger is compared with (contract C5). BID_ASK: a BUY looks at the ask, a SELL at the bid. */
export type TriggerSource = "LAST_TRADE" | "BID_ASK" | "MID" | "MARK"

/** TRADE, QUOTE: seen live. RECOVERY: the price had passed while the gateway was away. VENUE: a native trigger. */
export type TriggeredBy = "TRADE" | "QUOTE" | "RECOVERY" | "VENUE"

/** The stop follows the best price since arming at a distance, and never goes back. */
export interface Trailing {
  /** Distance in basis points of the high-water mark; null: `amount` holds. */
  readonly delta: number | null
  /** Distance in price. */
  readonly amount: Decimal | null
  /** limitPrice − stopPrice as ordered: the released order's limit keeps this offset to the stop. Null: released as MARKET. */
  readonly limitOffset: Decimal | null
  /** Best price since arming: highest for a SELL, lowest for a BUY. */
  readonly highWaterMark: Decimal
}

export interface Trigger {
  readonly kind: "STOP" | "TAKE_PROFIT" | "TRAILING_STOP"
  /** Who watches: the venue itself, or the gateway. Never changes once the order is accepted (contract C5). */
  readonly execution: "NATIVE" | "EMULATED"
  readonly source: TriggerSource
  /** RISE: triggers at prices ≥ stopPrice; FALL: at prices ≤ stopPrice. */
  readonly on: "RISE" | "FALL"
  /** The price that triggers now: a trailing one moves. */
  readonly stopPrice: Decimal
  readonly trailing: Trailing | null
  /** From when on prices count; null while the order waits for its parent. */
  readonly armedAt: number | null
  /** By how much the venue's clock was ahead of ours when it was armed, ms; absent: by no second, or that clock had not been heard. */
  readonly venueAhead?: number
  /**
   * No price was known when it was armed: whether the market was beyond the stop already is judged by the first one that is. Absent on
   * every other trigger.
   */
  readonly isUnpriced?: true
  readonly triggeredAt: number | null
  readonly triggeredBy: TriggeredBy | null
  /** The price that did it. */
  readonly triggerPrice: Decimal | null
  /** STALE: neither trades nor a book arrive, so nothing can trigger. */
  readonly health: "LIVE" | "STALE"
}

/** Take-profit and stop-loss as given with an entry; the orders they make are orders of their own. */
export interface Exits {
  readonly takeProfitPrice: Decimal | null
  readonly takeProfitLimitPrice: Decimal | null
  readonly takeProfitTimeInForce: TimeInForce | null
  readonly stopLossPrice: Decimal | null
  readonly stopLossLimitPrice: Decimal | null
  readonly stopLossTimeInForce: TimeInForce | null
}

/** A change of a working order that was asked for and has no end yet. Absolute values; null: stays as it is. */
export interface RequestedChange {
  /**
   * AMEND: the venue changes its order. RENEW: it is cancelled, and a new order of the gateway's takes its place. PAIR: the same, and what
   * takes its place is a list of the venue's own, made by the keeper of lists.
   */
  readonly how: "AMEND" | "RENEW" | "PAIR"
  /** Total in base, what is executed included. */
  readonly baseQuantity: Decimal | null
  readonly limitPrice: Decimal | null
  readonly stopPrice: Decimal | null
  /** Wall ms. */
  readonly askedAt: number
  /** What was executed and held when it was asked for. */
  readonly executedBefore: Decimal
  readonly heldBefore: Decimal
  /** What the changed order holds if nothing is executed meanwhile. */
  readonly held: Decimal
  /** By whose request, for the row of the order that takes its place. Absent: the gateway's own affair. */
  readonly by?: PlacedBy
}

export interface OrderTerms {
  readonly trigger: Trigger | null
  readonly exits: Exits | null
  /** The entry whose fills this order protects. */
  readonly parentId: TradeOrderId | null
  /** Which leg of a list it is; null on entries and on orders outside of lists. */
  readonly leg: "TAKE_PROFIT" | "STOP_LOSS" | null
  /** The other leg, with which it is one list of the venue's own: both are placed in one request, and the venue ends one by the other. */
  readonly pairedWith: TradeOrderId | null
  readonly leverage: number | null
  /** Of a contract: it makes its position smaller, and never opens or turns one; the venue sees to it. Absent: it may do either. */
  readonly reduces?: true
  /** A market buy of so much quote: done when less than one lot's price is left of `amount`. */
  readonly budget: { readonly amount: Decimal; readonly lot: Decimal } | null
  readonly change: RequestedChange | null
}

export const NO_TERMS: OrderTerms = {
  trigger: null,
  exits: null,
  parentId: null,
  leg: null,
  pairedWith: null,
  leverage: null,
  budget: null,
  change: null,
}

/** As JSON made them: decimals are text. */
type Stored<A> = A extends Decimal
  ? string
  : A extends string | number
    ? A
    : A extends object
      ? { readonly [K in keyof A]: Stored<A[K]> }
      : A

const decimal = (text: string): Decimal => {
  const value = Decimal.fromVenue(text)
  if (value === undefined) throw new Error(`not a decimal in the terms of an order: ${text.slice(0, 60)}`)
  return value
}
const decimalOrNull = (text: string | null): Decimal | null => (text === null ? null : decimal(text))

/** Of its own JSON. */
export const triggerOf = (stored: unknown): Trigger => {
  const trigger = stored as Stored<Trigger>
  return {
    ...trigger,
    stopPrice: decimal(trigger.stopPrice),
    triggerPrice: decimalOrNull(trigger.triggerPrice),
    trailing: trigger.trailing && {
      ...trigger.trailing,
      amount: decimalOrNull(trigger.trailing.amount),
      limitOffset: decimalOrNull(trigger.trailing.limitOffset),
      highWaterMark: decimal(trigger.trailing.highWaterMark),
    },
  }
}

/** Of their own JSON, as the store keeps it. */
export const termsOf = (stored: unknown): OrderTerms => {
  const { trigger, exits, budget, change, ...rest } = stored as Stored<OrderTerms>
  return {
    ...rest,
    // Of rows from before there were such pairs.
    pairedWith: rest.pairedWith ?? null,
    trigger: trigger && triggerOf(trigger),
    exits: exits && {
      ...exits,
      takeProfitPrice: decimalOrNull(exits.takeProfitPrice),
      takeProfitLimitPrice: decimalOrNull(exits.takeProfitLimitPrice),
      stopLossPrice: decimalOrNull(exits.stopLossPrice),
      stopLossLimitPrice: decimalOrNull(exits.stopLossLimitPrice),
    },
    budget: budget && { amount: decimal(budget.amount), lot: decimal(budget.lot) },
    change: change && {
      ...change,
      baseQuantity: decimalOrNull(change.baseQuantity),
      limitPrice: decimalOrNull(change.limitPrice),
      stopPrice: decimalOrNull(change.stopPrice),
      executedBefore: decimal(change.executedBefore),
      heldBefore: decimal(change.heldBefore),
      held: decimal(change.held),
    },
  }
}
