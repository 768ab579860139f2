/**
 * Evidence from the venue, applied: one fill, one view of an order. Repeats and stale views change nothing; a view that names more
 * than the trades explain waits for the trades (5 s, then they are fetched, then an inferred execution closes the gap).
 */
import { Effect, Exit } from "effect"
import type { Decimal } from "../domain/decimal.ts"
import type { ExecutionId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { CancelReason, Execution, TradeOrder } from "../domain/trade-order.ts"
import type { VenueFill, VenueOrderState } from "../ports/venue-session.ts"
import { cancelAtVenue, mayCancel } from "./trading-account-cancel.ts"
import { type AccountCore, FILLS_MARGIN_MILLIS } from "./trading-account-core.ts"
import type { Alert, Live } from "./trading-account-live.ts"
import {
  acknowledged,
  cancelled,
  endingOf,
  eventOf,
  filled,
  IllegalTransition,
  moved,
} from "./trading-account-progress.ts"
import { attempt } from "./trading-account-quarantine.ts"
import { lossOf, partnerOf, submittedAt } from "./trading-account-release.ts"
import { endCancelled, weighChange, withoutChange } from "./trading-account-replace.ts"
import { decimal, instant, venueId } from "./trading-account-text.ts"
import { firedAtVenue } from "./trading-account-trigger.ts"

const TRADES_MILLIS = 5_000
/** An older price says nothing about an execution. */
const REMEMBERED_MILLIS = 3_600_000

/** One fill. Whether it was new. */
export const applyFill = (core: AccountCore, live: Live, fill: VenueFill): boolean => {
  const { order } = live
  const externalTradeId = venueId(fill.externalTradeId)
  if (order.executions.some((it) => it.externalTradeId === externalTradeId)) return false
  // A trade that an inferred execution already stands for.
  if (order.executions.some((it) => it.inferred && fill.executedAt <= it.executedAt)) return false
  if (fill.orderSide !== order.orderSide) throw new Error(`fill ${fill.externalTradeId} has the other side`)
  const owner = core.ownerOf(fill)
  if (owner !== undefined) throw new Error(`fill ${externalTradeId} is counted for order ${owner}`)
  const executedQuantity = decimal(fill.quantity)
  const executedPrice = decimal(fill.price)
  if (!executedQuantity.isPositive()) throw new Error(`fill ${fill.externalTradeId} of nothing`)
  record(core, live, venueId(fill.externalOrderId), {
    ...executionOf(core, order),
    externalTradeId,
    executedQuantity,
    executedPrice,
    executedCost: executedPrice.multiply(executedQuantity),
    fees: fill.fees.map((fee) => ({ asset: fee.asset, venue: order.venue, quantity: decimal(fee.quantity) })),
    inferred: false,
    executedAt: instant(fill.executedAt),
  })
  return true
}

const executionOf = (core: AccountCore, order: TradeOrder) => ({
  executionId: core.parts.ids.uuid() as ExecutionId,
  tradeOrderId: order.tradeOrderId,
  tradingAccountId: core.id,
  venue: order.venue,
  instrumentId: order.instrumentId,
  orderSide: order.orderSide,
})

const record = (core: AccountCore, live: Live, externalOrderId: string | null, execution: Execution): void => {
  // Nothing of it trades before its trigger fires.
  if (live.order.terms !== null) firedAtVenue(core, live, execution.executedAt)
  const before = live.order
  const { order, kind, late, overfilled } = filled(before, execution, externalOrderId)
  const { tradeOrderId } = order
  const alerts: Array<Alert> = []
  if (overfilled)
    alerts.push({ code: "OVERFILL", severity: "CRITICAL", message: "executed more than ordered", tradeOrderId })
  if (late && before.orderStatus === "REJECTED")
    alerts.push({
      code: "FILL_AFTER_REJECT",
      severity: "CRITICAL",
      message: "a rejected order was filled",
      tradeOrderId,
    })
  if (late && before.cancelReason === "REPLACED")
    alerts.push({
      code: "FILL_AFTER_REPLACE",
      severity: "CRITICAL",
      message: "an order was filled after another had taken its place",
      tradeOrderId,
    })
  live.acceptedAt ??= execution.executedAt
  core.change(live, order, kind, { execution, alerts, at: execution.executedAt })
  explained(core, live)
}

/** After a fill: when everything the venue named is explained, its word is applied. */
const explained = (core: AccountCore, live: Live): void => {
  const { owed } = live
  if (owed === null || live.order.executedQuantity.lessThan(namedQuantity(live.order, owed.state))) return
  owed.callOff()
  live.owed = null
  seen(core, live, owed.state, false)
}

/** Executed quantity by the venue's word; FILLED without a quantity names all of it. */
const namedQuantity = (order: TradeOrder, state: VenueOrderState): Decimal => {
  const named = decimal(state.executedQuantity)
  if (state.status !== "FILLED" || !named.isZero()) return named
  return order.terms?.budget ? order.executedQuantity : order.baseQuantity
}

/** A view of an order. `asked`: the answer to a question of ours, so never older than what it answers. */
export const seen = (core: AccountCore, live: Live, state: VenueOrderState, asked: boolean): void => {
  const at = state.updatedAt === null ? null : instant(state.updatedAt)
  if (state.isTriggered === true && live.order.terms !== null && !isTerminal(live.order.orderStatus)) {
    acknowledge(core, live, state)
    firedAtVenue(core, live, at)
  }
  const before = live.order
  venueId(state.externalOrderId)
  live.acceptedAt ??= state.createdAt ?? at ?? core.parts.clock.now()
  if (namedQuantity(before, state).greaterThan(before.executedQuantity)) {
    if (!isTerminal(before.orderStatus)) acknowledge(core, live, state)
    owe(core, live, state)
    return
  }
  if (isTerminal(before.orderStatus)) {
    if (state.status === "OPEN") appeared(core, live, state.externalOrderId)
    return
  }
  switch (state.status) {
    case "OPEN":
    case "UNKNOWN":
      // A word of lower rank with an older venue time says nothing new.
      if (!asked && at !== null && before.venueUpdatedAt !== null && at < before.venueUpdatedAt) return
      acknowledge(core, live, state)
      weighChange(core, live, state, asked)
      return
    case "FILLED":
      acknowledge(core, live, state)
      finish(core, live, moved(live.order, "FILLED"), at)
      return
    case "CANCELLED":
    case "EXPIRED":
      ended(core, live, state, at)
      return
    case "REJECTED":
      if (before.executedQuantity.isZero()) rejected(core, live, state, at)
      // A word that may not be (contract C1.3): the venue is asked, and if it says so again it has ended the rest.
      else if (asked) ended(core, live, { ...state, status: "CANCELLED" }, at)
      else throw new IllegalTransition(before, "REJECTED")
      return
  }
}

/** Without a word of ours, or by it. */
const ended = (core: AccountCore, live: Live, state: VenueOrderState, at: number | null): void => {
  const { order } = live
  const { to, cancelReason } = endingOf(order, state, reasonOf(core, live), core.parts.clock.now())
  const patch = withVenueId(order, state)
  const next =
    to === "EXPIRED" || cancelReason === null
      ? moved(order, "EXPIRED", patch)
      : { ...cancelled(order, cancelReason, at ?? core.parts.clock.now()), ...patch }
  endCancelled(core, live, next, at)
}

/** Nothing that is being changed is rejected (contract C1.3): its change ends first, in the same unit, so that no list asks for it again. */
const rejected = (core: AccountCore, live: Live, state: VenueOrderState, at: number | null): void => {
  const { order } = live
  const back = order.cancelRequested ? order : withoutChange(order)
  const next = moved(back, "REJECTED", {
    ...withVenueId(order, state),
    rejectReason: state.ending === "WOULD_TAKE" ? "WOULD_TAKE: the venue ended it at once" : "VENUE: rejected",
  })
  if (back === order) finish(core, live, next, at)
  else
    core.change(live, back, eventOf(back), { at, others: [{ live, next, kind: eventOf(next), alerts: lossOf(next) }] })
}

/** Why it ends if the venue does not say: of a pair that the venue keeps, a leg that was not asked to end follows the other. */
const reasonOf = (core: AccountCore, live: Live): CancelReason => {
  const partner = live.order.cancelRequested ? null : partnerOf(core, live.order)?.order
  const isFollowed = partner && (partner.cancelRequested || isTerminal(partner.orderStatus))
  return isFollowed ? "OCO_SIBLING" : live.cancelReason
}

const withVenueId = (order: TradeOrder, state: VenueOrderState): Partial<TradeOrder> => ({
  externalOrderId: order.externalOrderId ?? state.externalOrderId,
  venueUpdatedAt: Math.max(order.venueUpdatedAt ?? 0, state.updatedAt ?? 0) || null,
})

const finish = (core: AccountCore, live: Live, next: TradeOrder, at: number | null): void =>
  core.change(live, next, eventOf(next), { at, alerts: next.orderStatus === "REJECTED" ? lossOf(next) : [] })

const acknowledge = (core: AccountCore, live: Live, state: VenueOrderState): void =>
  applyAcknowledgement(core, live, state.externalOrderId, state.updatedAt)

/** The venue has the order. */
export const applyAcknowledgement = (
  core: AccountCore,
  live: Live,
  externalOrderId: string,
  at: number | null,
): void => {
  const before = live.order
  live.acceptedAt ??= at ?? core.parts.clock.now()
  const next = acknowledged(before, venueId(externalOrderId), at)
  if (next === before) return
  if (next.orderStatus !== before.orderStatus) core.change(live, next, eventOf(next), { at })
  else if (next.inDoubt !== before.inDoubt) core.change(live, next, null, { at, portfolio: false })
  else core.amend(live, next)
}

/** An order that is over shows up: one that was "never placed" must not work on (contract C3, 6). */
export const appeared = (core: AccountCore, live: Live, externalOrderId: string): void => {
  const { order } = live
  if (order.orderStatus !== "REJECTED" || core.session === null) return
  const first = order.externalOrderId === null
  const next = { ...order, externalOrderId: order.externalOrderId ?? venueId(externalOrderId) }
  if (mayCancel(core, live)) cancelAtVenue(core, live, core.refOf(next))
  if (!first) return
  const message = "an order that was proven not placed appeared at the venue and is being cancelled"
  const { tradeOrderId } = order
  core.change(live, next, null, {
    portfolio: false,
    alerts: [{ code: "LATE_APPEARANCE", severity: "CRITICAL", message, tradeOrderId }],
  })
}

/** The trades of a quantity that the venue named: they get 5 s to arrive, then they are fetched. */
const owe = (core: AccountCore, live: Live, state: VenueOrderState): void => {
  if (live.owed !== null) {
    const known = namedQuantity(live.order, live.owed.state)
    if (state.status !== "OPEN" || namedQuantity(live.order, state).greaterThan(known)) live.owed.state = state
    return
  }
  live.owed = { state, callOff: core.self.later(TRADES_MILLIS, () => fetchOwed(core, live)) }
}

const fetchOwed = (core: AccountCore, live: Live): void => {
  const { owed, order } = live
  const { session } = core
  if (owed === null) return
  const again = (millis = TRADES_MILLIS): void => {
    if (live.owed !== null) live.owed.callOff = core.self.later(millis, () => fetchOwed(core, live))
  }
  if (session === null) {
    again()
    return
  }
  const since = Math.min(submittedAt(order), owed.state.createdAt ?? order.createdAt) - FILLS_MARGIN_MILLIS
  // Questions wait for each other: by its turn the answer to another order's may have told the trades of this one.
  const question = Effect.suspend(() =>
    live.owed === null ? Effect.succeed(null) : session.fetchFills(since, [order.instrumentId]),
  )
  core.self.fork(core.listing(question), (exit) => {
    if (live.owed === null) return
    if (Exit.isFailure(exit)) return again()
    if (exit.value === null) return
    /** Until the store is given a trade of it again. */
    let pause: number | null = null
    for (const fill of exit.value) {
      const isOwn = fill.tradeOrderId === order.tradeOrderId || fill.externalOrderId === owed.state.externalOrderId
      const known = isOwn ? live : core.findAtVenue(fill.tradeOrderId, fill.externalOrderId)
      const owner = known === live || known?.owed ? known : undefined
      if (owner !== undefined) attempt(core, owner, fill, () => applyFill(core, owner, fill))
      if (owner === live && !core.refusals.isHopeless(fill)) pause ??= core.refusals.pauseOf(fill)
    }
    // The trade is known: an execution of ours in its place would have another price, and no fees.
    if (pause !== null) return again(Math.max(TRADES_MILLIS, pause))
    const { owed: rest } = live
    if (rest !== null && attempt(core, live, rest.state, () => infer(core, live, rest.state)) !== true) again()
  })
}

/** What the order would have met, by the best that is known: the book, the newest trade, what the instrument cost within the hour. */
const marketPrice = ({ parts }: AccountCore, { instrumentId, orderSide }: TradeOrder): Decimal | null => {
  const top = parts.markets.topOfBook(instrumentId, orderSide === "BUY" ? "asks" : "bids", 1)[0]?.[0]
  const text = top ?? parts.markets.lastPrice(instrumentId)
  return text === null ? parts.prices.find(instrumentId, parts.clock.now() - REMEMBERED_MILLIS) : decimal(text)
}

/** No trade explains what the venue named: an execution of ours does, at the best price known. */
const infer = (core: AccountCore, live: Live, state: VenueOrderState): boolean => {
  const { order } = live
  const executedQuantity = namedQuantity(order, state).subtract(order.executedQuantity)
  const executedPrice = order.limitPrice ?? order.executedPrice ?? marketPrice(core, order)
  if (executedPrice === null) return false
  record(core, live, state.externalOrderId, {
    ...executionOf(core, order),
    externalTradeId: `inferred:${order.tradeOrderId}:${order.executions.length}`,
    executedQuantity,
    executedPrice,
    executedCost: executedPrice.multiply(executedQuantity),
    fees: [],
    inferred: true,
    executedAt: state.updatedAt ?? core.parts.clock.now(),
  })
  return true
}
