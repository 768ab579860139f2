/** One order in an account's memory: what its stored image does not say, and who waits for it. */
import type { AccountAlert, AccountEventKind } from "../domain/account-event.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { OrderClosed } from "../domain/errors/trade-order.ts"
import type { Reply } from "../domain/reply.ts"
import type { CancelReason, Execution, TradeOrder } from "../domain/trade-order.ts"
import type { Row } from "../ports/account-store.ts"
import type { VenueOrderState } from "../ports/venue-session.ts"
import type { SubmitAnswer } from "./account-messages.ts"
import type { TriggerWatch } from "./trigger-board.ts"

/** Somebody who waits for an order to come further than PENDING. */
export interface Waiter {
  readonly until: "CLOSED" | "ACCEPTED"
  readonly reply: Reply<SubmitAnswer, DomainError>
  readonly replayed: boolean
}

/** A question to the venue that stays open until it has an answer (contract C3). */
export interface Doubt {
  attempt: number
  /** Explicit "unknown order" answers in a row. */
  notFounds: number
  /** Monotonic ms of the next question. */
  dueAt: number
  /** The newest question had no answer, and the next waits for its time. */
  isUnanswered: boolean
  callOff: () => void
}

/** An order in memory: its newest image and what the image does not say. */
export interface Live {
  order: TradeOrder
  /** The submit is in the database. */
  stored: boolean
  /** The image at dispatch: its SUBMITTED event rides with the next commit. */
  unsavedSubmit: TradeOrder | null
  /** Wall ms from which the venue's snapshots contain this order's hold; null before it is acknowledged. */
  acceptedAt: number | null
  /** Monotonic ms: since when this process has the order. The wall clock may be set meanwhile. */
  readonly knownAt: number
  /** Monotonic ms of the newest change. */
  touchedAt: number
  /** A cancel came before the submit was stored: then it is never dispatched. */
  cancelledEarly: boolean
  /** Why it is being cancelled, for the day the venue confirms. */
  cancelReason: CancelReason
  /** Monotonic ms. */
  cancelSentAt: number | null
  cancelsSent: number
  /** The newest cancel has no answer yet. */
  isCancelOut: boolean
  /** Monotonic ms; null: not by this process. */
  sentAt: number | null
  /** How often it was let go although it provably never left. */
  releases: number
  /** Its trigger on the board. */
  watch: TriggerWatch | null
  /** Calls off the timer of its expiry. */
  expiry: (() => void) | null
  doubt: Doubt | null
  /** Executed quantity that the venue has named and no trade has explained yet, and the look-up that will. */
  owed: { state: VenueOrderState; callOff: () => void } | null
  /** It was CREATED when the process ended: the bytes may have left. */
  readonly restarted: boolean
  waiters: Array<Waiter>
  cancelWaiters: Array<Reply<TradeOrder, DomainError>>
  /** Told once how the change that is under way ended. */
  changeWaiters: Array<(outcome: ChangeOutcome) => void>
  /** Runs once the submit is settled; false when it was undone. */
  whenStored: Array<(exists: boolean) => void>
}

/** `stored`: as the store has it; else a new one. `now`: monotonic ms. */
export const newLive = (order: TradeOrder, stored: boolean, now: number, cancelReason: CancelReason): Live => ({
  order,
  stored,
  unsavedSubmit: null,
  acceptedAt: stored && order.externalOrderId !== null ? 0 : null,
  knownAt: now,
  touchedAt: now,
  cancelledEarly: false,
  cancelReason,
  cancelSentAt: null,
  cancelsSent: 0,
  isCancelOut: false,
  sentAt: null,
  releases: 0,
  watch: null,
  expiry: null,
  doubt: null,
  owed: null,
  restarted: stored && order.orderStatus === "CREATED",
  waiters: [],
  cancelWaiters: [],
  changeWaiters: [],
  whenStored: [],
})

/** How a change of an order ended, with the image that is stored. */
export type ChangeOutcome =
  | { readonly _tag: "Changed"; readonly order: TradeOrder }
  /** Cancelled, and `by` took its place: `order` is its image. */
  | { readonly _tag: "Renewed"; readonly order: TradeOrder; readonly by: Live }
  /** It was over before it could be changed. */
  | { readonly _tag: "Ended"; readonly order: TradeOrder }
  /** It works on as it was. */
  | { readonly _tag: "Refused"; readonly order: TradeOrder; readonly reason: string }

export type Alert = AccountAlert

export interface ChangeOptions {
  readonly execution?: Execution
  readonly alerts?: ReadonlyArray<Alert>
  readonly rows?: ReadonlyArray<Row>
  /** Venue time of the cause; our time when there is none. */
  readonly at?: number | null
  /** False: no PORTFOLIO.UPDATED with this unit. */
  readonly portfolio?: boolean
  /** In the commit callback, before publication, with the image that was stored. */
  readonly committed?: (order: TradeOrder) => void
  /** Other orders that change with it, in the same unit, after it. */
  readonly others?: ReadonlyArray<Consequence>
}

/** One order of several that change together, in one unit. */
export interface Consequence {
  readonly live: Live
  readonly next: TradeOrder
  readonly kind: AccountEventKind | null
  readonly alerts?: ReadonlyArray<Alert> | undefined
  /** In the commit callback, before publication, with the image that was stored. */
  readonly committed?: ((order: TradeOrder) => void) | undefined
}

/** What a cancel of an order that is over is answered (contract C1.4). */
export const answerClosed = (order: TradeOrder, reply: Reply<TradeOrder, DomainError>): void => {
  if (order.orderStatus === "CANCELLED" || order.orderStatus === "REVOKED") reply.ok(order)
  else reply.fail(new OrderClosed({ status: order.orderStatus }))
}
