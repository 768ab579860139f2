/**
 * One account's private session at its venue. Orders are sent and reports arrive as plain calls; only calls with a result are Effects. Decimals
 * are text in the venue's own digits.
 */

import type { Effect } from "effect"
import type { VenueUnavailable } from "../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId } from "../domain/ids.ts"
import type { TriggerSource } from "../domain/order/terms.ts"
import type { OrderSide, PlainOrderType, StoredTimeInForce } from "../domain/order/trade-order.ts"
import type { ViewEnding, ViewStatus } from "../domain/order/view.ts"
import type { Actor } from "../domain/user/act.ts"

/** An order on its way out. The venue's client order id is `venueClientId(tradeOrderId)`. */
export interface VenueOrder {
  readonly tradeOrderId: TradeOrderId
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  /** With a trigger: what the venue places when it fires. */
  readonly orderType: PlainOrderType
  readonly timeInForce: StoredTimeInForce
  /** In base, decimal text. */
  readonly quantity: string
  readonly limitPrice: string | null
  /** The venue watches it itself. Absent: to the book at once. */
  readonly trigger?: VenueTrigger
  /** Of GTD and DAY, wall ms, where the venue ends the order itself; absent: it need not. */
  readonly expireAt?: number
  /** A market buy of so much quote asset, decimal text; `quantity` is an estimate then. */
  readonly cost?: string
  readonly leverage?: number
  /** Of a contract: it must never open a position, or turn one; absent: it may. */
  readonly reduceOnly?: true
  /** Who asked for it, for venues of ours; absent: the gateway itself, or it was asked before a restart. */
  readonly actor?: Actor
  /** The other leg, with which it is placed in one request as a list of the venue's own; each is reported for itself. */
  readonly pairedWith?: VenueOrder
  /** Not to be signed after this instant (wall ms): then the report is NotSent. */
  readonly notAfter: number
}

export interface VenueTrigger {
  readonly kind: "STOP" | "TAKE_PROFIT" | "TRAILING_STOP"
  readonly on: "RISE" | "FALL"
  readonly stopPrice: string
  readonly source: TriggerSource
  /** Basis points. */
  readonly trailingDelta?: number
  /** In price. */
  readonly trailingAmount?: string
}

/** What a working order is changed to, all of it absolute. `quantity` is the total, what is executed included. */
export interface VenueAmend {
  readonly quantity: string
  readonly limitPrice: string | null
  readonly stopPrice: string | null
  /** Its new price must not take: the change is refused then, or the venue ends the order. */
  readonly postOnly?: boolean
  /** Wall ms: tells the answer to this change from that to an earlier one of the order, which may come late. */
  readonly askedAt: number
  /** Wall ms, our clock. What has not left by then is not sent: the gateway may have said since that nothing was changed. */
  readonly notAfter: number
}

/** How an order is found at the venue. */
export interface VenueOrderRef {
  readonly tradeOrderId: TradeOrderId
  readonly externalOrderId: string | null
  readonly instrumentId: InstrumentId
}

export type VenueOrderStatus = ViewStatus

/** An order as the venue shows it. OPEN with executedQuantity > 0 is a partial fill. */
export interface VenueOrderState {
  /** Null for an order that is not ours. */
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  readonly clientId: string | null
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  /** The venue's words in ours where they fit, else LIMIT or MARKET by whether there is a price. */
  readonly orderType: PlainOrderType
  readonly timeInForce: StoredTimeInForce
  readonly limitPrice: string | null
  readonly quantity: string
  readonly executedQuantity: string
  readonly status: VenueOrderStatus
  readonly ending: ViewEnding | null
  /** The venue's own trigger has fired; absent: it has not, or there is none. */
  readonly isTriggered?: boolean
  readonly createdAt: number | null
  /** Venue time of this state; null where the venue gives none. */
  readonly updatedAt: number | null
}

export interface VenueFee {
  readonly asset: string
  readonly quantity: string
}

/** One fill of one order. */
export interface VenueFill {
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  readonly externalTradeId: string
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  readonly quantity: string
  readonly price: string
  readonly fees: ReadonlyArray<VenueFee>
  readonly executedAt: number
}

export interface VenueBalance {
  readonly asset: string
  readonly available: string
  readonly locked: string
}

/** What is open in one contract. */
export interface VenueContract {
  readonly instrumentId: InstrumentId
  /** The asset of its margin. */
  readonly asset: string
  /** Of the base asset; below zero where it is short. */
  readonly quantity: string
  /** Null where the venue does not say it. */
  readonly entryPrice: string | null
  readonly unrealizedProfit: string | null
}

export interface VenueBalances {
  /** Only what changed, or all there is. */
  readonly complete: boolean
  readonly balances: ReadonlyArray<VenueBalance>
  /** All that are open. Absent: the venue keeps none, or this word says nothing of them. */
  readonly contracts?: ReadonlyArray<VenueContract>
  readonly at: number
  /** Of a venue with `VenueSession.movedTo`: up to which change from elsewhere they contain everything. */
  readonly movedTo?: number
}

/** What a session tells its account. Order of arrival is order of sending per session; nothing else is promised. */
export type SessionReport =
  /** The venue took the order: at least acknowledged. */
  | {
      readonly _tag: "Accepted"
      readonly tradeOrderId: TradeOrderId
      readonly externalOrderId: string
      readonly at: number
    }
  /** A definite no of the venue: never on its book. `code` is ours (contract C3, REFUSED), `text` short and clean of secrets. */
  | {
      readonly _tag: "Refused"
      readonly tradeOrderId: TradeOrderId
      readonly code: string
      readonly text: string
      readonly at: number
    }
  /** Proven that no byte left this host, or `notAfter` had passed. */
  | { readonly _tag: "NotSent"; readonly tradeOrderId: TradeOrderId; readonly reason: string; readonly at: number }
  /** The submit may or may not have arrived. */
  | { readonly _tag: "InDoubt"; readonly tradeOrderId: TradeOrderId; readonly reason: string; readonly at: number }
  | { readonly _tag: "CancelAccepted"; readonly tradeOrderId: TradeOrderId; readonly at: number }
  /** `unknownOrder`: the venue does not know it (any more): look before believing anything. */
  | {
      readonly _tag: "CancelRefused"
      readonly tradeOrderId: TradeOrderId
      readonly unknownOrder: boolean
      readonly text: string
      readonly at: number
    }
  | {
      readonly _tag: "CancelInDoubt"
      readonly tradeOrderId: TradeOrderId
      readonly reason: string
      readonly at: number
    }
  /** The change is made: the order is as it was asked to be. */
  | {
      readonly _tag: "AmendAccepted"
      readonly tradeOrderId: TradeOrderId
      /** Of the change that is answered. */
      readonly askedAt: number
      readonly externalOrderId: string
      readonly at: number
    }
  /** Nothing was changed. `unknownOrder` as with cancels. */
  | {
      readonly _tag: "AmendRefused"
      readonly tradeOrderId: TradeOrderId
      readonly askedAt: number
      readonly unknownOrder: boolean
      readonly text: string
      readonly at: number
    }
  /** Whether it was changed is unknown: never repeated, the order itself says (contract C3). */
  | {
      readonly _tag: "AmendInDoubt"
      readonly tradeOrderId: TradeOrderId
      readonly askedAt: number
      readonly reason: string
      readonly at: number
    }
  | { readonly _tag: "OrderSeen"; readonly state: VenueOrderState }
  | { readonly _tag: "Filled"; readonly fill: VenueFill }
  | { readonly _tag: "BalancesSeen"; readonly balances: VenueBalances }
  /** The private stream is lost: events may be missing until `StreamUp`, after which the account reconciles. */
  | { readonly _tag: "StreamDown"; readonly reason: string }
  | { readonly _tag: "StreamUp" }
  /** The credential no longer works: no further call is made. */
  | { readonly _tag: "SessionRefused"; readonly reason: string }

/** The answer to "do you know this order?". */
export type OrderLookup =
  | { readonly _tag: "Found"; readonly state: VenueOrderState }
  /** The venue said explicitly that it does not know it. `definite`: an in-process venue, for which that is proof. */
  | { readonly _tag: "NotFound"; readonly definite: boolean }

/** A part of a list of fills. `next`: where it goes on, a text of the venue's own; null: this was the last. */
export interface FillsPage {
  readonly fills: ReadonlyArray<VenueFill>
  readonly next: string | null
}

export interface EndedOrdersPage {
  readonly orders: ReadonlyArray<VenueOrderState>
  readonly next: string | null
}

/** From where the orders of a market that are over are wanted. */
export interface EndedSince {
  readonly instrumentId: InstrumentId
  /** Creation of the oldest, venue ms. */
  readonly since: number
  /** The smallest of their ids at the venue; null where ids are no numbers. */
  readonly oldestId: string | null
}

/** One account's private session at its venue. */
export interface VenueSession {
  /**
   * The order is being stored, and `submit` will ask for the same: the session may build and sign it, and sends nothing of it. No report. Absent
   * where that gains nothing.
   */
  readonly prepare?: (order: VenueOrder) => void
  /**
   * What was prepared is not submitted after all; of a venue that follows the journal, what was submitted is not stored: it rests no more, and
   * nothing of it is reported. What is neither ends with its `notAfter`.
   */
  readonly forgo?: (tradeOrderId: TradeOrderId) => void
  /** Hands the order over; the outcome is a report. Never throws, never waits. */
  readonly submit: (order: VenueOrder) => void
  readonly cancel: (order: VenueOrderRef) => void
  /** Changes a working order; only where the venue's capabilities say `amend`. The outcome is a report. */
  readonly amend?: (order: VenueOrderRef, to: VenueAmend) => void
  readonly fetchOrder: (order: VenueOrderRef) => Effect.Effect<OrderLookup, VenueUnavailable>
  /** All open orders of the account, foreign ones too. */
  readonly fetchOpenOrders: Effect.Effect<ReadonlyArray<VenueOrderState>, VenueUnavailable>
  /** Fills of the named instruments since an instant (venue time, inclusive), oldest first, all pages. */
  readonly fetchFills: (
    since: number,
    instruments: ReadonlyArray<InstrumentId>,
  ) => Effect.Effect<ReadonlyArray<VenueFill>, VenueUnavailable>
  /**
   * The same page by page, each with a deadline of its own, so that a long list is read over a time and goes on where it was interrupted.
   * `cursor`: `next` of the page before, null for the first. Absent where a list is never long.
   */
  readonly fetchFillsPage?: (
    since: number,
    instruments: ReadonlyArray<InstrumentId>,
    cursor: string | null,
  ) => Effect.Effect<FillsPage, VenueUnavailable>
  /** Orders that are over, many at once; absent where the venue tells of them one at a time. */
  readonly fetchEnded?: (
    markets: ReadonlyArray<EndedSince>,
    cursor: string | null,
  ) => Effect.Effect<EndedOrdersPage, VenueUnavailable>
  readonly fetchBalances: Effect.Effect<VenueBalances, VenueUnavailable>
  /**
   * Of a venue in this process: the number of the newest change of the account's money from elsewhere (a deposit, a transfer, a quote) that
   * was acknowledged to a client. Absent where the venue does not tell.
   */
  readonly movedTo?: () => number
  /** The same questions where an order in doubt waits for the answer: they go before audits. Absent where nothing waits. */
  readonly forProof?: Pick<VenueSession, "fetchOpenOrders" | "fetchFills">
  /** The same questions of an account that agrees with its venue before it works: they go before the audits of others. */
  readonly forOpening?: () => VenueLists
}

export type VenueLists = Pick<
  VenueSession,
  "fetchOpenOrders" | "fetchFills" | "fetchFillsPage" | "fetchEnded" | "fetchBalances"
>
