/**
 * Evidence about an order, what is known besides its image, and the resulting effects: all of it data. The reducer is evidence.ts; the account's
 * actor carries the effects out, in their order.
 */
import type { AccountAlert, AccountEventKind } from "../../account/event.ts"
import type { Decimal } from "../../decimal.ts"
import type { ExecutionId, TradeOrderId } from "../../ids.ts"
import type { Venue } from "../../instrument/venue.ts"
import type { AppliedExecution, Execution, TradeOrder } from "../trade-order.ts"
import type { OrderView } from "../view.ts"
import { eventOf } from "./progress.ts"

/** An order and what its image does not say of it. */
export interface Known {
  readonly order: TradeOrder
  /** Executed quantity that the venue has named and no trade has explained yet. */
  readonly owed: OrderView | null
  /** The other leg of a pair that the venue keeps. */
  readonly partner: TradeOrder | null
  /** It was CREATED when an older process ended. */
  readonly isRestarted: boolean
  /** There is a session to the venue. */
  readonly isConnected: boolean
  /** Wall ms. */
  readonly now: number
  /** By a monotonic clock: for how long this process has known the change that is under way. The wall clock may have been set meanwhile. */
  readonly changeKnownMillis: number
  readonly venue: Pick<Venue, "inProcess" | "orderExpiryMillis">
}

interface Answered {
  /** Wall ms, the venue's where it gives one; null: now. */
  readonly at: number | null
}

/** What was answered to a submit, a cancel or a change, or what became of it on the way there. */
export type Answer = Answered &
  (
    | { readonly _tag: "Accepted"; readonly externalOrderId: string }
    | { readonly _tag: "Refused"; readonly code: string; readonly text: string }
    /** Provably not a byte left. */
    | { readonly _tag: "NotSent"; readonly reason: string }
    | { readonly _tag: "InDoubt"; readonly reason: string }
    | { readonly _tag: "CancelAccepted" }
    | { readonly _tag: "CancelRefused"; readonly unknownOrder: boolean; readonly text: string }
    | { readonly _tag: "CancelInDoubt"; readonly reason: string }
    /** `askedAt`: of the change that is answered, which may be an earlier one than the order's. */
    | { readonly _tag: "AmendAccepted"; readonly askedAt: number; readonly externalOrderId: string }
    | { readonly _tag: "AmendRefused"; readonly askedAt: number; readonly unknownOrder: boolean; readonly text: string }
    | { readonly _tag: "AmendInDoubt"; readonly askedAt: number; readonly reason: string }
  )

export type OrderEvidence =
  | Answer
  /** `countedFor`: the order under which its trade id is counted already. `isListed`: not by the stream alone, but in a list that was asked for. */
  | {
      readonly _tag: "Trade"
      readonly execution: Execution
      readonly externalOrderId: string
      readonly countedFor: TradeOrderId | null
      readonly isListed: boolean
    }
  /**
   * The trades were read, and do not explain what is owed. `price`: the best that is known; null: none is. `namedAt`: venue ms of the word
   * that named it, which may say no time itself.
   */
  | {
      readonly _tag: "Unexplained"
      readonly executionId: ExecutionId
      readonly price: Decimal | null
      readonly namedAt: number
    }
  /** `asked`: the answer to a question, so never older than what it answers. */
  | { readonly _tag: "View"; readonly view: OrderView; readonly asked: boolean }
  /** Of a view only what it says of the change that is under way. */
  | { readonly _tag: "Terms"; readonly view: OrderView; readonly asked: boolean }
  /**
   * The venue does not know it. `step`: a proof that has come so much further, in ms, is stored. `provesFrom`: as in its doubt; null: an order
   * that may be this one was not shown.
   */
  | {
      readonly _tag: "NotFound"
      readonly proof:
        | "WHOLE"
        | {
            readonly notFounds: number
            readonly knownMillis: number
            readonly step: number
            readonly provesFrom: number | null
          }
    }
  /** The process that had it before ended: what that let go may be at the venue, and is never sent again. */
  | { readonly _tag: "Restarted" }
  /** It can neither be sent now nor later. */
  | { readonly _tag: "Unsendable"; readonly reason: string; readonly at: number | null }
  /** The change that is under way was not made, and will not be. */
  | { readonly _tag: "Unmade"; readonly reason: string }

/** The next image of an order, with the event that tells it; null: none. */
export interface Step {
  readonly next: TradeOrder
  readonly kind: AccountEventKind | null
  readonly alerts?: ReadonlyArray<AccountAlert>
}

/** How those who wait for the outcome of a request are answered, once the image is stored. */
export type Told =
  | { readonly _tag: "Changed" }
  | { readonly _tag: "ChangeRefused"; readonly reason: string }
  | { readonly _tag: "CancelRefused"; readonly reason: string }

export type OrderEffect =
  /** One unit. */
  | (Step & {
      readonly _tag: "Change"
      /** Venue time of the cause; null: it has none. */
      readonly at: number | null
      /** False: nothing about balances is told with it. */
      readonly isReport: boolean
      readonly executions?: ReadonlyArray<AppliedExecution>
      /** The image after it, in the same unit. */
      readonly further?: Step
      readonly tells?: Told
    })
  /** An image that no event tells of yet: it is stored with the order's next one. */
  | { readonly _tag: "Keep"; readonly next: TradeOrder }
  /** It ends by a cancel; where that made way for another, the other begins in the same unit. */
  | { readonly _tag: "End"; readonly next: TradeOrder; readonly at: number | null }
  /** The venue has it since then. */
  | { readonly _tag: "Heard"; readonly at: number }
  /** Trades are missing for what the view names; null: no more. */
  | { readonly _tag: "Owe"; readonly view: OrderView | null }
  /** The order is asked for at the venue. */
  | { readonly _tag: "Ask"; readonly why: string }
  /** The evidence is kept raw. */
  | { readonly _tag: "Quarantine"; readonly why: string }
  /** It works at the venue, and must not: it is cancelled there. */
  | { readonly _tag: "CancelThere"; readonly externalOrderId: string }
  /** Provably not a byte of it left: once more, if there is time. */
  | { readonly _tag: "SendAgain"; readonly reason: string; readonly at: number | null }
  /** It and its trades are read from the venue anew. */
  | { readonly _tag: "ReadAgain"; readonly why: string }
  /** It was given up: a late appearance is looked for. */
  | { readonly _tag: "Watch" }
  | { readonly _tag: "FreshBalances" }
  /** Further evidence, judged on the image that the effects before it have left. */
  | { readonly _tag: "Then"; readonly evidence: OrderEvidence }

export type Effects = ReadonlyArray<OrderEffect>

export const NOTHING: Effects = []

interface Circumstances {
  readonly kind?: AccountEventKind | null
  readonly alerts?: ReadonlyArray<AccountAlert>
  readonly executions?: ReadonlyArray<AppliedExecution>
  readonly further?: Step
  readonly tells?: Told
}

/** Told as the state that it has. */
export const changeTo = (next: TradeOrder, at: number | null, more: Circumstances = {}): OrderEffect => ({
  _tag: "Change",
  next,
  at,
  kind: eventOf(next),
  isReport: true,
  ...more,
})

/** Without an event of its own, and nothing about balances. */
export const quietly = (
  next: TradeOrder,
  more: { readonly at?: number | null; readonly alerts?: ReadonlyArray<AccountAlert> } = {},
): OrderEffect => ({ _tag: "Change", next, at: null, kind: null, isReport: false, ...more })

export const ask = (why: string): OrderEffect => ({ _tag: "Ask", why })

/** What people are told when an order that fired ends without ever having worked at the venue. */
export const lossOf = ({ terms, rejectReason, tradeOrderId }: TradeOrder): ReadonlyArray<AccountAlert> => {
  if ((terms?.trigger?.triggeredAt ?? null) === null) return []
  const message = `a triggered order is not at the venue: ${rejectReason ?? "rejected"}`
  return [{ code: "TRIGGERED_ORDER_REJECTED", severity: "CRITICAL", message, tradeOrderId }]
}
