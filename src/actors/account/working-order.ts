/**
 * One order in an account's memory: the state that its stored image does not have, and the callers that wait for it; also what an account keeps
 * of waiting commands and of trades being read.
 */
import type { Exit } from "effect"
import type { AccountAlert, AccountEventKind } from "../../domain/account/event.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { OrderClosed } from "../../domain/errors/trade-order.ts"
import type { VenueUnavailable } from "../../domain/errors/venue.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import { isAsked } from "../../domain/order/evidence/law.ts"
import type { AcknowledgedHold } from "../../domain/order/hold.ts"
import { type AppliedExecution, heldAssetOf, type TradeOrder } from "../../domain/order/trade-order.ts"
import type { OrderView } from "../../domain/order/view.ts"
import type { Reply } from "../../domain/reply.ts"
import type { Actor, PlacedBy } from "../../domain/user/act.ts"
import type { Row } from "../../ports/account-store.ts"
import type { VenueFill } from "../../ports/venue-session.ts"
import type { TriggerWatch } from "../market/triggers/board.ts"
import type { SubmitAnswer } from "./messages.ts"

/** A caller that waits for an order to advance beyond PENDING. */
export interface Waiter {
  readonly until: "CLOSED" | "ACCEPTED"
  readonly reply: Reply<SubmitAnswer, DomainError>
  readonly replayed: boolean
}

/** A question to the venue that stays open until it has an answer (contract C3). */
export interface Question {
  attempt: number
  /** Explicit "unknown order" answers, those that an older process heard included. */
  notFounds: number
  /** Monotonic ms of the first of them since the venue last showed the order to this process; null: none. */
  missingSince: number | null
  /** This process has stored how far the proof is. */
  isKept: boolean
  /** Monotonic ms of the next question. */
  dueAt: number
  /** It has had its turn, and the answer is to come. */
  isUnderWay: boolean
  /** The newest question had no answer, and the next waits for its time. */
  isUnanswered: boolean
  callOff: () => void
}

/** Cancels of an order at its venue: none since it was last asked for, or the newest, without or with an answer. `at`: monotonic ms. */
export type Cancels =
  /** `sent`: those of before that still make the next ones wait longer. */
  | { readonly _tag: "UNSENT"; readonly sent: number }
  | { readonly _tag: "OUT"; readonly sent: number; readonly at: number }
  | { readonly _tag: "ANSWERED"; readonly sent: number; readonly at: number }

export const NO_CANCELS: Cancels = { _tag: "UNSENT", sent: 0 }

/** Of an order's two assets, what no known execution explains. */
export interface Unexplained {
  readonly base: Decimal
  readonly quote: Decimal
}

/** An order in memory: its newest image and what the image does not say. */
export interface WorkingOrder {
  order: TradeOrder
  /** The submit is in the database. No image says it: the first one is made before its unit is stored. */
  stored: boolean
  /** It left while its unit was being stored: whatever is handed to the store after that comes behind its unit. */
  hasLeftAhead: boolean
  /** A trigger let it go, and the unit that says so is not stored: not a byte of it has left. */
  isUnsent: boolean
  /** The image at dispatch: its SUBMITTED event rides with the next commit. */
  unsavedSubmit: TradeOrder | null
  /** What it holds, and from when on the venue's snapshots contain that; null before it is acknowledged. */
  acknowledged: AcknowledgedHold | null
  /** Monotonic ms: since when this process has the order, or has sent it. The wall clock may be set meanwhile. */
  knownAt: number
  /** Monotonic ms: since when this process has it with the change that is under way, or has sent that. */
  changeKnownAt: number
  /** For how long older processes knew it after its submit, ms; null: this process sends it. */
  knownBefore: number | null
  /** An older process was shown an order that may be this one: so long it has to be known before "not found" proves anything. Null: none. */
  readonly provesFrom: number | null
  /** Monotonic ms of the newest change. */
  touchedAt: number
  /** A cancel came before the submit was stored: then it is never dispatched. Not of the image: nothing of an order that is undone is told. */
  cancelledEarly: boolean
  cancels: Cancels
  /** Monotonic ms of the newest answer that its cancel was carried out; null: this process has heard none. */
  cancelledAt: number | null
  /** What was unexplained of its assets when it left; null: another process sent it, or balances say nothing of it. */
  departedWith: Unexplained | null
  /** Monotonic ms of the first departure of one that provably did not leave, and is sent again since; null: of none. */
  sentFirstAt: number | null
  /** How often it was let go although it provably never left. */
  releases: number
  /** Its trigger on the board. */
  watch: TriggerWatch | null
  /** Calls off the timer of its expiry. */
  expiry: (() => void) | null
  question: Question | null
  /** Executed quantity that the venue has named and no trade has explained yet, when it was named (venue ms), and the look-up that will. */
  owed: { view: OrderView; namedAt: number; callOff: () => void } | null
  /** It was CREATED when the process ended, and this one has not sent it: the bytes may have left. */
  restarted: boolean
  waiters: Array<Waiter>
  cancelWaiters: Array<Reply<TradeOrder, DomainError>>
  /** Told once how the change that is under way ended. */
  changeWaiters: Array<(outcome: ChangeOutcome) => void>
  /** Runs once the submit is settled; false when it was undone. */
  whenStored: Array<(exists: boolean) => void>
  /** Who asked for it, where the venue asks for the right; null after a restart, too. */
  actor: Actor | null
}

/** Of before all snapshots; nothing yet, until the account counts it. */
const heldBefore = (order: TradeOrder): AcknowledgedHold => ({
  asset: heldAssetOf(order),
  held: Decimal.ZERO,
  acceptedAt: Number.NEGATIVE_INFINITY,
})

/** `stored`: as the store has it; else a new one. `now`: monotonic ms. */
export const newWorkingOrder = (order: TradeOrder, stored: boolean, now: number): WorkingOrder => ({
  order,
  stored,
  hasLeftAhead: false,
  isUnsent: false,
  unsavedSubmit: null,
  acknowledged: stored && order.externalOrderId !== null ? heldBefore(order) : null,
  knownAt: now,
  changeKnownAt: now,
  knownBefore: !stored ? null : order.doubt?.kind === "SUBMIT" ? order.doubt.knownMillis : 0,
  provesFrom: (order.doubt?.kind === "SUBMIT" ? order.doubt.provesFrom : undefined) ?? null,
  touchedAt: now,
  cancelledEarly: false,
  cancels: NO_CANCELS,
  cancelledAt: null,
  departedWith: null,
  sentFirstAt: null,
  releases: 0,
  watch: null,
  expiry: null,
  question: null,
  owed: null,
  restarted: stored && order.orderStatus === "CREATED",
  waiters: [],
  cancelWaiters: [],
  changeWaiters: [],
  whenStored: [],
  actor: null,
})

/** Its unit is stored, or goes before whatever is handed to the store now, and what is asked of it need not wait. */
export const isHandedOver = ({ stored, hasLeftAhead }: WorkingOrder): boolean => stored || hasLeftAhead

/** The venue may know it, and only the venue can say what became of it. */
export const mayBeThere = (working: WorkingOrder): boolean =>
  working.stored && !working.isUnsent && isAsked(working.order)

export const stopAsking = (working: WorkingOrder): void => {
  working.question?.callOff()
  working.question = null
}

/** How a change of an order ended, with the image that is stored. */
export type ChangeOutcome =
  | { readonly _tag: "Changed"; readonly order: TradeOrder }
  /** Cancelled, and `by` took its place: `order` is its image. */
  | { readonly _tag: "Renewed"; readonly order: TradeOrder; readonly by: WorkingOrder }
  /** It was over before it could be changed. */
  | { readonly _tag: "Ended"; readonly order: TradeOrder }
  /** It works on as it was. */
  | { readonly _tag: "Refused"; readonly order: TradeOrder; readonly reason: string }

export const tellChange = (working: WorkingOrder, outcome: ChangeOutcome): void => {
  for (const run of working.changeWaiters.splice(0)) run(outcome)
}

export type Alert = AccountAlert

export interface ChangeOptions {
  /** In order of application. */
  readonly executions?: ReadonlyArray<AppliedExecution>
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
  readonly live: WorkingOrder
  readonly next: TradeOrder
  readonly kind: AccountEventKind | null
  readonly alerts?: ReadonlyArray<Alert> | undefined
  /** Of a new order: by whose request it comes. */
  readonly by?: PlacedBy | undefined
  /** In the commit callback, before publication, with the image that was stored. */
  readonly committed?: ((order: TradeOrder) => void) | undefined
}

/** What a cancel of an order that is over is answered (contract C1.4). */
export const answerClosed = (order: TradeOrder, reply: Reply<TradeOrder, DomainError>): void => {
  if (order.orderStatus === "CANCELLED" || order.orderStatus === "REVOKED") reply.ok(order)
  else reply.fail(new OrderClosed({ status: order.orderStatus }))
}

/** Of the history: from `since` up to when its first page was asked for. */
export interface Stretch {
  readonly since: number
  cursor: string | null
}

/** The trades of an absence on their way in (`venue/fill-scan.ts`). */
export interface FillScan {
  readonly since: number
  readonly instruments: ReadonlyArray<InstrumentId>
  /** When its newest stretch was begun. Wall ms. */
  askedAt: number
  /** Of the newest trade that was read, by the venue's clock; without one, from when on they are read. */
  newestAt: number
  /** What is not read to its end; the last is read first. */
  readonly stretches: Array<Stretch>
  /** Read, and not applied yet. */
  read: ReadonlyArray<VenueFill>
  /** The question for a page that is under way; an older one is not listened to. */
  asking: object | null
  failures: number
  waiting: Array<(exit: Exit.Exit<unknown, VenueUnavailable>) => void>
  /** Runs with each page after the account has opened, and `whole` when it was the last. */
  arrived: (() => void) | null
}
