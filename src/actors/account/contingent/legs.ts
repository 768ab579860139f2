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
import type { Consequence, Live } from "../live.ts"
import { cancelling, sendCancel } from "../orders/cancel.ts"
import { deadlinesFrom, dispatch, isLate, keepHere } from "../orders/dispatch.ts"
import { heirOf, release } from "../orders/new-order.ts"
import { changing } from "../orders/replace.ts"
import { inquire } from "../venue/question.ts"
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

export const create = (live: Live): Consequence => ({
  live,
  next: live.order,
  kind: "TRADE_ORDER.CREATED",
  committed: () => nowStored(live),
})

/** Callers waiting for the order continue; not while it is being dispatched, since then it can be neither withdrawn nor cancelled. */
const nowStored = (live: Live): void => {
  if (live.stored || isGoing(live.order)) return
  live.stored = true
  for (const run of live.whenStored.splice(0)) run(true)
}

const isGoing = (order: TradeOrder): boolean => order.orderStatus === "CREATED" && isOnItsWay(order)

export const withdraw = (core: AccountCore, live: Live, cancelReason: CancelReason): Consequence => {
  const next = moved(live.order, "REVOKED", { cancelReason, canceledAt: core.parts.clock.now() })
  return { live, next, kind: eventOf(next) }
}

/** It is being cancelled to make place for another already: the same cancel ends it, and nothing takes its place. */
export const isMakingWay = ({ order, cancels }: Live): boolean =>
  isRenewal(changeOf(order)) && !order.cancelRequested && cancels._tag !== "UNSENT"

export const cancel = (core: AccountCore, live: Live): Consequence => {
  if (!isMakingWay(live)) live.cancels = { _tag: "UNSENT", sent: live.cancels.sent }
  const next = cancelling(core, live.order, "OCO_SIBLING")
  return {
    live,
    next,
    kind: eventOf(next),
    committed: () => {
      if (live.cancels._tag === "UNSENT") sendCancel(core, live)
      core.self.later(CONFIRM_MILLIS, () => {
        if (live.order.cancelRequested && !isTerminal(live.order.orderStatus))
          inquire(core, live, "its cancel was not confirmed")
      })
    },
  }
}

/** Told as the state that it stays in, with its new size: no amend was made (contract C1). */
export const size = (live: Live, to: Sized): Consequence => {
  const next = sized(live.order, to)
  return { live, next, kind: next.baseQuantity === live.order.baseQuantity ? null : eventOf(next) }
}

/** The gateway watches its trigger from now on. */
export const arm = (core: AccountCore, live: Live, to: Sized): Consequence => {
  const order = sized(live.order, to)
  const { terms } = order
  const next = moved(order, "ACCEPTED", {
    terms: terms && { ...terms, trigger: terms.trigger && stampedAt(core, terms.trigger, core.parts.clock.now()) },
  })
  return {
    live,
    next,
    kind: eventOf(next),
    committed: () => {
      nowStored(live)
      release(core, live)
    },
  }
}

/** To the venue. `mayLeave` is asked when the image is stored. */
export const send = (core: AccountCore, live: Live, to: Sized, mayLeave: () => boolean): Consequence => {
  const { notAfter, submitDeadline } = deadlinesFrom(core, core.parts.clock.now())
  const letGoAt = core.parts.clock.monotonic()
  // Until it has left, a cancel waits as for an order that is not stored yet.
  if (live.order.orderStatus === "CREATED") live.stored = false
  else live.isUnsent = true
  return {
    live,
    next: { ...sized(live.order, to), notAfter, submitDeadline },
    kind: null,
    committed: () => {
      core.parts.failpoint.hit("list.committed")
      live.isUnsent = false
      const { order } = live
      if (isTerminal(order.orderStatus)) return nowStored(live)
      if (order.cancelRequested) endUnsent(core, live)
      // Not a byte of it left: it waits again, and the list is looked at anew.
      else if (isLate(core, notAfter, letGoAt) || live.cancelledEarly || !mayLeave()) keepHere(core, live)
      else release(core, live)
      nowStored(live)
    },
  }
}

const endUnsent = (core: AccountCore, live: Live): void => {
  const { order } = live
  const next = cancelled(order, requestedReason(order), core.parts.clock.now())
  core.change(live, next, eventOf(next))
}

// The venue's own list of both exits

/** The resting take-profit is cancelled: a change of it that is under way says so, also after a restart, and a client's cancel wins. */
export const move = (core: AccountCore, live: Live): Consequence => {
  const step = changing(core, live, {}, { how: "PAIR" })
  return {
    ...step,
    committed: (stored) => {
      step.committed?.(stored)
      core.self.later(CONFIRM_MILLIS, () => {
        if (isRenewing(live.order)) inquire(core, live, "its cancel was not confirmed")
      })
    },
  }
}

export interface PairWatch {
  /** Asked when the pair is stored: whether nothing that happened since forbids that it leaves. */
  readonly mayLeave: (lives: ReadonlyArray<Live>) => boolean
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
  for (const live of lives) live.stored = false
  const leave = (): void => {
    core.parts.failpoint.hit("list.committed")
    const isWhole = lives.every(({ order, cancelledEarly }) => order.orderStatus === "CREATED" && !cancelledEarly)
    if (isWhole && !isLate(core, deadlines.notAfter, letGoAt) && mayLeave(lives)) dispatch(core, lives[0]!)
    else {
      kept()
      keepApart(core, lives)
    }
    for (const live of lives) nowStored(live)
  }
  const steps = lives.map((live, i): Consequence => {
    const isLast = i === lives.length - 1
    return {
      live,
      next: images[i]!,
      kind: waiting[i] ? toldOf(live.order) : "TRADE_ORDER.CREATED",
      ...(isLast && { committed: leave }),
    }
  })
  return [...ends, ...steps]
}

/** Of a leg that waits: who watches its trigger is told, its size goes with its next event. */
const toldOf = (order: TradeOrder): Consequence["kind"] =>
  (order.terms?.trigger ?? null) === null ? null : eventOf(order)

/** Not a byte of the pair left: both legs wait again, each for itself. */
const keepApart = (core: AccountCore, lives: ReadonlyArray<Live>): void => {
  const [first, ...others] = lives
    .filter(({ order }) => order.orderStatus === "CREATED")
    .map((live) => ({ live, next: alone(live.order), kind: toldOf(live.order) }))
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
