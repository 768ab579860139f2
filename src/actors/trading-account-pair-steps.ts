/**
 * The steps by which the exits of an entry become the venue's own list (contract C4): the take-profit makes way, then both legs leave in
 * one request. The one thing to know: what the gateway watched until then ends in the unit that makes the pair, never before.
 */
import { Decimal } from "../domain/decimal.ts"
import { isRenewing } from "../domain/order-change.ts"
import type { Pairing } from "../domain/order-list-pair.ts"
import { eventOf } from "../domain/order-progress.ts"
import { native } from "../domain/order-rules-trigger.ts"
import { NO_TERMS } from "../domain/order-terms.ts"
import { placeOf, type TradeOrder } from "../domain/trade-order.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { deadlinesFrom, dispatch } from "./trading-account-dispatch.ts"
import { CONFIRM_MILLIS, nowStored, sized, successorOf, withdraw } from "./trading-account-list-steps.ts"
import type { Consequence, Live } from "./trading-account-live.ts"
import { inquire } from "./trading-account-question.ts"
import { changing } from "./trading-account-replace.ts"

/** The resting take-profit is cancelled: a change of it that is under way says so, also after a restart, and a client's cancel wins. */
export const move = (core: AccountCore, live: Live): Consequence => {
  const step = changing(core, live, {}, { how: "PAIR" })
  return {
    ...step,
    committed: (stored) => {
      step.committed?.(stored)
      core.self.later(CONFIRM_MILLIS, () => {
        if (isRenewing(live.order)) inquire(core, live, "no word of its cancel")
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
    const isLate = core.parts.clock.now() > deadlines.notAfter
    if (isWhole && !isLate && mayLeave(lives)) dispatch(core, lives[0]!)
    else {
      kept()
      keepHere(core, lives)
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
const keepHere = (core: AccountCore, lives: ReadonlyArray<Live>): void => {
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
