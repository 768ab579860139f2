/**
 * The steps of a list's legs: each is the next image of one order, with the effects of its commit. A released order is dispatched from the commit
 * callback unless something has happened meanwhile that forbids it. Where the exits of an entry become the venue's own list (contract C4), the
 * take-profit is cancelled first, then both legs are sent in one request: what the gateway watched until then ends in the unit that creates the
 * pair, never before.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { changeOf, isRenewal, isRenewing } from "../../../domain/order/change.ts"
import { isOnItsWay } from "../../../domain/order/evidence/law.ts"
import { cancelled, eventOf, moved, requestedReason } from "../../../domain/order/evidence/progress.ts"
import type { Pairing } from "../../../domain/order/list-pair.ts"
import { native } from "../../../domain/order/rules/trigger.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { NO_TERMS, type OrderTerms } from "../../../domain/order/terms.ts"
import {
  type CancelReason,
  isFired,
  type OrderType,
  placeOf,
  type TradeOrder,
} from "../../../domain/order/trade-order.ts"
import type { AccountCore } from "../core.ts"
import { cancelling, sendCancel } from "../orders/cancel.ts"
import { deadlinesFrom, dispatch, holdUntilReady, isLate } from "../orders/dispatch.ts"
import { heirOf, release } from "../orders/new-order.ts"
import { changing } from "../orders/replace.ts"
import { inquire } from "../venue/question.ts"
import type { Consequence, WorkingOrder } from "../working-order.ts"
import { stampedAt } from "./trigger.ts"

/** So long the confirmation of a cancel is waited for; then the venue is asked. */
export const CONFIRM_MILLIS = 1_500

const AT_MARKET: ReadonlySet<OrderType> = new Set(["STOP", "STOP_LOSS", "TAKE_PROFIT"])

interface Sized {
  readonly baseQuantity: Decimal
  readonly held: Decimal
}

export const sized = (order: TradeOrder, { baseQuantity, held }: Sized): TradeOrder =>
  baseQuantity.equals(order.baseQuantity)
    ? { ...order, held }
    : { ...order, baseQuantity, quantity: baseQuantity, orderQuantityType: "BASE", held }

/** A new order that does again what `order` did; version 0 until its first image is in a unit. */
export const successorOf = (core: AccountCore, order: TradeOrder): TradeOrder => {
  // A stop at market has a limit, and another time in force, only where the venue knows no market orders, and only from its firing on.
  const isAtMarket = AT_MARKET.has(order.orderType)
  return heirOf(core, order, {
    terms: order.terms && unfired(order.terms),
    limitPrice: isAtMarket ? null : order.limitPrice,
    timeInForce: isAtMarket && isFired(order) ? "GTC" : order.timeInForce,
    held: Decimal.ZERO,
  })
}

const unfired = (terms: OrderTerms): OrderTerms => ({
  ...terms,
  change: null,
  pairedWith: null,
  trigger: terms.trigger && {
    ...terms.trigger,
    // The list that the venue kept is over: from now on the gateway watches.
    execution: terms.pairedWith === null ? terms.trigger.execution : "EMULATED",
    armedAt: null,
    triggeredAt: null,
    triggeredBy: null,
    triggerPrice: null,
    health: "LIVE",
  },
})

export const create = (working: WorkingOrder): Consequence => ({
  live: working,
  next: working.order,
  kind: "TRADE_ORDER.CREATED",
  committed: () => nowStored(working),
})

/** Callers waiting for the order continue; not while it is being dispatched, since then it can be neither withdrawn nor cancelled. */
const nowStored = (working: WorkingOrder): void => {
  if (working.stored || isGoing(working.order)) return
  working.stored = true
  for (const run of working.whenStored.splice(0)) run(true)
}

const isGoing = (order: TradeOrder): boolean => order.orderStatus === "CREATED" && isOnItsWay(order)

export const withdraw = (core: AccountCore, working: WorkingOrder, cancelReason: CancelReason): Consequence => {
  const next = moved(working.order, "REVOKED", { cancelReason, canceledAt: core.parts.clock.now() })
  return { live: working, next, kind: eventOf(next) }
}

/** It is being cancelled to make place for another already: the same cancel ends it, and nothing takes its place. */
export const isMakingWay = ({ order, cancels }: WorkingOrder): boolean =>
  isRenewal(changeOf(order)) && !order.cancelRequested && cancels._tag !== "UNSENT"

export const cancel = (core: AccountCore, working: WorkingOrder): Consequence => {
  if (!isMakingWay(working)) working.cancels = { _tag: "UNSENT", sent: working.cancels.sent }
  const next = cancelling(core, working.order, "OCO_SIBLING")
  return {
    live: working,
    next,
    kind: eventOf(next),
    committed: () => {
      if (working.cancels._tag === "UNSENT") sendCancel(core, working)
      core.self.later(CONFIRM_MILLIS, () => {
        if (working.order.cancelRequested && !isTerminal(working.order.orderStatus))
          inquire(core, working, "its cancel was not confirmed")
      })
    },
  }
}

/** Told as the state that it stays in, with its new size: no amend was made (contract C1). */
export const size = (working: WorkingOrder, to: Sized): Consequence => {
  const next = sized(working.order, to)
  return { live: working, next, kind: next.baseQuantity === working.order.baseQuantity ? null : eventOf(next) }
}

/** The gateway watches its trigger from now on. */
export const arm = (core: AccountCore, working: WorkingOrder, to: Sized): Consequence => {
  const order = sized(working.order, to)
  const { terms } = order
  const next = moved(order, "ACCEPTED", {
    terms: terms && { ...terms, trigger: terms.trigger && stampedAt(core, terms.trigger, core.parts.clock.now()) },
  })
  return {
    live: working,
    next,
    kind: eventOf(next),
    committed: () => {
      nowStored(working)
      release(core, working)
    },
  }
}

/** To the venue. `mayLeave` is asked when the image is stored. */
export const send = (core: AccountCore, working: WorkingOrder, to: Sized, mayLeave: () => boolean): Consequence => {
  const { notAfter, submitDeadline } = deadlinesFrom(core, core.parts.clock.now())
  const letGoAt = core.parts.clock.monotonic()
  // Until it has left, a cancel waits as for an order that is not stored yet.
  if (working.order.orderStatus === "CREATED") working.stored = false
  else working.isUnsent = true
  return {
    live: working,
    next: { ...sized(working.order, to), notAfter, submitDeadline },
    kind: null,
    committed: () => {
      core.parts.failpoint.hit("list.committed")
      working.isUnsent = false
      const { order } = working
      if (isTerminal(order.orderStatus)) return nowStored(working)
      if (order.cancelRequested) endUnsent(core, working)
      // Not a byte of it left: it waits again, and the list is looked at anew.
      else if (isLate(core, notAfter, letGoAt) || working.cancelledEarly || !mayLeave()) holdUntilReady(core, working)
      else release(core, working)
      nowStored(working)
    },
  }
}

const endUnsent = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  const next = cancelled(order, requestedReason(order), core.parts.clock.now())
  core.change(working, next, eventOf(next))
}

// The venue's own list of both exits

/** The resting take-profit is cancelled: a change of it that is under way says so, also after a restart, and a client's cancel wins. */
export const move = (core: AccountCore, working: WorkingOrder): Consequence => {
  const step = changing(core, working, {}, { how: "PAIR" })
  return {
    ...step,
    committed: (stored) => {
      step.committed?.(stored)
      core.self.later(CONFIRM_MILLIS, () => {
        if (isRenewing(working.order)) inquire(core, working, "its cancel was not confirmed")
      })
    },
  }
}

export interface PairWatch {
  /** Asked when the pair is stored: whether nothing that happened since forbids that it leaves. */
  readonly mayLeave: (lives: ReadonlyArray<WorkingOrder>) => boolean
  /** It may not, or it is too late: the gateway keeps the exits for a while. */
  readonly kept: () => void
}

/** Both legs in one unit, with the end of what the gateway watched. */
export const pair = (
  core: AccountCore,
  due: Extract<Pairing, { readonly _tag: "Pair" }>,
  { mayLeave, kept }: PairWatch,
): ReadonlyArray<Consequence> => {
  const { baseQuantity } = due
  const deadlines = deadlinesFrom(core, core.parts.clock.now())
  const letGoAt = core.parts.clock.monotonic()
  const ends = due.orders.flatMap((order) => {
    const watched = placeOf(order) === "ARMED" ? core.orders.get(order.tradeOrderId) : undefined
    return watched === undefined ? [] : [withdraw(core, watched, "REPLACED")]
  })
  const waiting = due.orders.map((order) => placeOf(order) === "WAITING")
  const [profit, stop] = due.orders.map((order, i) => (waiting[i] ? order : successorOf(core, order)))
  if (profit === undefined || stop === undefined) return []
  const paired = (order: TradeOrder, other: TradeOrder): TradeOrder => {
    const terms = order.terms ?? NO_TERMS
    const trigger = terms.trigger && native(terms.trigger)
    // The amount is held once.
    const held = order === profit ? due.held : Decimal.ZERO
    return {
      ...sized(order, { baseQuantity, held }),
      ...deadlines,
      terms: { ...terms, trigger, pairedWith: other.tradeOrderId },
    }
  }
  const images = [paired(profit, stop), paired(stop, profit)]
  const lives = images.map((image) => core.orders.get(image.tradeOrderId) ?? core.add(image))
  // Until they have left, a cancel waits as for an order that is not stored yet.
  for (const working of lives) working.stored = false
  const leave = (): void => {
    core.parts.failpoint.hit("list.committed")
    const isWhole = lives.every(({ order, cancelledEarly }) => order.orderStatus === "CREATED" && !cancelledEarly)
    if (isWhole && !isLate(core, deadlines.notAfter, letGoAt) && mayLeave(lives)) dispatch(core, lives[0]!)
    else {
      kept()
      keepApart(core, lives)
    }
    for (const working of lives) nowStored(working)
  }
  const steps = lives.map((working, i): Consequence => {
    const isLast = i === lives.length - 1
    return {
      live: working,
      next: images[i]!,
      kind: waiting[i] ? toldOf(working.order) : "TRADE_ORDER.CREATED",
      ...(isLast && { committed: leave }),
    }
  })
  return [...ends, ...steps]
}

/** Of a leg that waits: who watches its trigger is told, its size goes with its next event. */
const toldOf = (order: TradeOrder): Consequence["kind"] =>
  (order.terms?.trigger ?? null) === null ? null : eventOf(order)

/** Not a byte of the pair left: both legs wait again, each for itself. */
const keepApart = (core: AccountCore, lives: ReadonlyArray<WorkingOrder>): void => {
  const [first, ...others] = lives
    .filter(({ order }) => order.orderStatus === "CREATED")
    .map((working) => ({ live: working, next: alone(working.order), kind: toldOf(working.order) }))
  if (first !== undefined) core.change(first.live, first.next, first.kind, { portfolio: false, others })
}

const alone = (order: TradeOrder): TradeOrder => {
  const trigger = order.terms?.trigger && { ...order.terms.trigger, execution: "EMULATED" as const }
  return {
    ...order,
    notAfter: null,
    submitDeadline: null,
    terms: order.terms && { ...order.terms, trigger: trigger ?? null, pairedWith: null },
  }
}
