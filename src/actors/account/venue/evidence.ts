/**
 * The only place where a venue's evidence about an order is read, folded by the reducer (domain/order/evidence/evidence.ts), and its effects are
 * carried out. A view that names more executed quantity than the trades explain waits for the trades (5 s, then they are fetched, then an
 * inferred execution fills the gap).
 */

import { Effect, Exit } from "effect"
import { Decimal } from "../../../domain/decimal.ts"
import { CancelRejected } from "../../../domain/errors/trade-order.ts"
import type { ExecutionId } from "../../../domain/ids.ts"
import type { Effects, Known, OrderEffect, OrderEvidence, Told } from "../../../domain/order/evidence/effects.ts"
import { fold } from "../../../domain/order/evidence/evidence.ts"
import { noted } from "../../../domain/order/evidence/progress.ts"
import type { Execution, TradeOrder } from "../../../domain/order/trade-order.ts"
import { isEnd, type OrderView } from "../../../domain/order/view.ts"
import type { VenueFill, VenueOrderState } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import { cancelAtVenue, mayCancel } from "../orders/cancel.ts"
import { dispatchLater, leftAtOf, partnerOf, resend, tradesSince } from "../orders/dispatch.ts"
import { endCancelled } from "../orders/renewal.ts"
import { tellChange, type WorkingOrder } from "../working-order.ts"
import { askBalances } from "./balances.ts"
import { listedFills } from "./names.ts"
import { attempt, decimal, instant, quarantine, venueId } from "./quarantine.ts"
import { inquire } from "./question.ts"
import { FILLS_MARGIN_MILLIS } from "./trades.ts"

const TRADES_MILLIS = 5_000
/** From a trade that does not fit the order that the stream names to the question for the truth. */
const MISFIT_MILLIS = 1_000
/** An older price says nothing about an execution. */
const REMEMBERED_MILLIS = 3_600_000
/** One fill. `isListed`: not by the stream alone, but in a list that was asked for. Whether it was new. */
export const applyFill = (core: AccountCore, working: WorkingOrder, fill: VenueFill, isListed = true): boolean => {
  const countedFor = core.orders.ownerOf(fill) ?? null
  if (countedFor === working.order.tradeOrderId) return false
  const execution = executionOf(core, working, fill)
  take(core, working, {
    _tag: "Trade",
    execution,
    externalOrderId: venueId(fill.externalOrderId),
    countedFor,
    isListed,
  })
  return true
}

const executionOf = (core: AccountCore, { order }: WorkingOrder, fill: VenueFill): Execution => {
  const executedQuantity = decimal(fill.quantity)
  const executedPrice = decimal(fill.price)
  return {
    executionId: core.parts.ids.uuid() as ExecutionId,
    externalTradeId: venueId(fill.externalTradeId),
    tradeOrderId: order.tradeOrderId,
    tradingAccountId: core.id,
    venue: order.venue,
    instrumentId: order.instrumentId,
    orderSide: fill.orderSide,
    replaces: null,
    executedQuantity,
    executedPrice,
    executedCost: executedPrice.multiply(executedQuantity),
    fees: fill.fees.map((fee) => ({ asset: fee.asset, venue: order.venue, quantity: decimal(fee.quantity) })),
    inferred: false,
    executedAt: instant(fill.executedAt),
  }
}

/** A view of an order. `asked`: the answer to a question of ours, so never older than what it answers. */
export const seen = (core: AccountCore, working: WorkingOrder, state: VenueOrderState, asked: boolean): void =>
  void take(core, working, { _tag: "View", view: viewOf(state), asked })

/** What a view says of the change that is under way, and nothing else. */
export const weighChange = (core: AccountCore, working: WorkingOrder, state: VenueOrderState, asked: boolean): void =>
  void take(core, working, { _tag: "Terms", view: viewOf(state), asked })

/** The venue has the order. */
export const applyAcknowledgement = (
  core: AccountCore,
  working: WorkingOrder,
  externalOrderId: string,
  at: number | null,
): void => void take(core, working, { _tag: "Accepted", externalOrderId: venueId(externalOrderId), at })

const viewOf = (state: VenueOrderState): OrderView => ({
  externalOrderId: venueId(state.externalOrderId),
  status: state.status,
  ending: state.ending,
  quantity: Decimal.fromVenue(state.quantity) ?? null,
  limitPrice: state.limitPrice === null ? null : (Decimal.fromVenue(state.limitPrice) ?? null),
  executedQuantity: decimal(state.executedQuantity),
  isTriggered: state.isTriggered === true,
  createdAt: state.createdAt,
  updatedAt: state.updatedAt === null ? null : instant(state.updatedAt),
})

/** Evidence, folded and carried out. Answers what followed. */
export const take = (core: AccountCore, working: WorkingOrder, evidence: OrderEvidence): Effects => {
  if (evidence._tag === "CancelAccepted" || (evidence._tag === "View" && isEnd(evidence.view))) core.late.gone(working)
  if (evidence._tag === "CancelAccepted") working.cancelledAt = core.parts.clock.monotonic()
  const { effects } = fold(knownOf(core, working), evidence)
  for (const effect of effects) carryOut(core, working, effect)
  if (!core.late.isEmpty && working.order.externalOrderId !== null) core.late.named(working.order.tradeOrderId)
  return effects
}

const knownOf = (core: AccountCore, { order, owed, restarted, changeKnownAt }: WorkingOrder): Known => ({
  order,
  owed: owed?.view ?? null,
  partner: partnerOf(core, order)?.order ?? null,
  isRestarted: restarted,
  isConnected: core.connection.session !== null,
  now: core.parts.clock.now(),
  changeKnownMillis: core.parts.clock.monotonic() - changeKnownAt,
  venue: core.venue,
})

const carryOut = (core: AccountCore, working: WorkingOrder, effect: OrderEffect): void => {
  switch (effect._tag) {
    case "Change":
      change(core, working, effect)
      return
    case "Keep":
      core.amend(working, effect.next)
      return
    case "End":
      endCancelled(core, working, effect.next, effect.at)
      return
    case "Heard":
      core.positions.acknowledged(working, effect.at)
      return
    case "Owe":
      owe(core, working, effect.view)
      return
    case "Ask":
      inquire(core, working, effect.why)
      return
    case "Quarantine":
      quarantine(core, working, core.outlet.cause, effect.why)
      return
    case "CancelThere": {
      const ref = { ...core.refOf(working.order), externalOrderId: effect.externalOrderId }
      core.late.appeared(working)
      // That it was given up may not be stored yet.
      core.whenDurable(() => {
        if (core.connection.session !== null && mayCancel(core, working)) cancelAtVenue(core, working, ref)
      })
      return
    }
    case "SendAgain": {
      const { reason, at } = effect
      const giveUp = (since: number | null): void => void take(core, working, { _tag: "Unsendable", reason, at: since })
      if (!dispatchLater(core, working) && !resend(core, working, reason, () => giveUp(null))) giveUp(at)
      return
    }
    case "ReadAgain":
      working.order = noted(working.order, core.parts.clock.now(), effect.why)
      core.sequels.readAgain(core, working, MISFIT_MILLIS)
      return
    case "Watch":
      core.late.watch(working.order, leftAtOf(working))
      return
    case "FreshBalances":
      askBalances(core)
      return
    case "Then":
      take(core, working, effect.evidence)
  }
}

type ChangeEffect = Extract<OrderEffect, { readonly _tag: "Change" }>

const change = (core: AccountCore, working: WorkingOrder, effect: ChangeEffect): void => {
  const { next, kind, at, isReport, executions, alerts, further, tells } = effect
  const committed = tells && toldOnce(working, tells)
  core.change(working, next, kind, {
    at,
    portfolio: isReport,
    ...(executions && { executions }),
    ...(alerts && { alerts }),
    ...(further ? { others: [{ live: working, ...further, committed }] } : committed && { committed }),
  })
}

/** Those who wait are answered with the image that is stored. */
const toldOnce = (working: WorkingOrder, told: Told): ((stored: TradeOrder) => void) => {
  switch (told._tag) {
    case "Changed":
      return (order) => tellChange(working, { _tag: "Changed", order })
    case "ChangeRefused":
      return (order) => tellChange(working, { _tag: "Refused", order, reason: told.reason })
    case "CancelRefused": {
      const waiters = working.cancelWaiters.splice(0)
      return () => {
        for (const reply of waiters) reply.fail(new CancelRejected({ reason: told.reason }))
      }
    }
  }
}

/** The trades of a quantity that the venue named: they get 5 s to arrive, then they are fetched. */
const owe = (core: AccountCore, working: WorkingOrder, view: OrderView | null): void => {
  if (view === null) {
    working.owed?.callOff()
    working.owed = null
    return
  }
  // By the venue's clock: ours may be ahead of it, and balances that are told after this contain what it names.
  const namedAt = core.venueTime()
  const { owed } = working
  if (owed === null)
    working.owed = { view, namedAt, callOff: core.self.later(TRADES_MILLIS, () => fetchOwed(core, working)) }
  else {
    if (!view.executedQuantity.equals(owed.view.executedQuantity)) owed.namedAt = namedAt
    owed.view = view
  }
}

const fetchOwed = (core: AccountCore, working: WorkingOrder): void => {
  const { owed, order } = working
  const { session } = core.connection
  if (owed === null) return
  const again = (millis = TRADES_MILLIS): void => {
    if (working.owed !== null) working.owed.callOff = core.self.later(millis, () => fetchOwed(core, working))
  }
  // The trades of an absence are being read, this order's among them.
  if (session === null || core.trades.scan !== null) {
    again()
    return
  }
  const since = Math.min(tradesSince(core, working), (owed.view.createdAt ?? order.createdAt) - FILLS_MARGIN_MILLIS)
  // Questions wait for each other: by its turn the answer to another order's may have told the trades of this one.
  const question = Effect.suspend(() =>
    working.owed === null ? Effect.succeed(null) : listedFills(core, session, since, [order.instrumentId]),
  )
  core.self.fork(core.connection.listing(question), (exit) => {
    if (working.owed === null) return
    if (Exit.isFailure(exit)) return again()
    if (exit.value === null) return
    /** Until the store is given a trade of it again. */
    let pause: number | null = null
    for (const fill of exit.value) {
      const isOwn = fill.tradeOrderId === order.tradeOrderId || fill.externalOrderId === owed.view.externalOrderId
      const known = isOwn ? working : core.orders.findAtVenue(fill)
      const owner = known === working || known?.owed ? known : undefined
      if (owner !== undefined) attempt(core, owner, fill, () => applyFill(core, owner, fill))
      if (owner === working && !core.refusals.isHopeless(fill)) pause ??= core.refusals.pauseOf(fill)
    }
    // The trade is known: an execution of ours in its place would have another price, and no fees.
    if (pause !== null) return again(Math.max(TRADES_MILLIS, pause))
    const { owed: rest } = working
    if (rest !== null && isPriced(core, working)) attempt(core, working, rest.view, () => infer(core, working))
    if (working.owed !== null) again()
  })
}

/** What the order would have met, by the best that is known: the book, the newest trade, what the instrument cost within the hour. */
const marketPrice = ({ parts }: AccountCore, { instrumentId, orderSide }: TradeOrder): Decimal | null => {
  const top = parts.markets.topOfBook(instrumentId, orderSide === "BUY" ? "asks" : "bids", 1)[0]?.[0]
  const text = top ?? parts.markets.lastPrice(instrumentId)
  return text === null ? parts.prices.find(instrumentId, parts.clock.now() - REMEMBERED_MILLIS) : decimal(text)
}

const priceOf = (core: AccountCore, order: TradeOrder): Decimal | null =>
  order.limitPrice ?? order.executedPrice ?? marketPrice(core, order)

/** An execution of ours could stand for what is owed. Else the market is asked what it would have met. */
export const isPriced = (core: AccountCore, { order, owed }: WorkingOrder): boolean => {
  if (owed === null || priceOf(core, order) !== null) return true
  core.parts.lastPrices.ask(order.instrumentId, () => undefined)
  return false
}

/**
 * The account ends: what its trades were is not learned any more, so an execution of ours stands for what the venue has named. False: none
 * could, and it is not counted.
 */
export const closeOwed = (core: AccountCore, working: WorkingOrder): boolean => {
  const { owed } = working
  if (owed === null) return true
  attempt(core, working, owed.view, () => infer(core, working))
  const isCounted = working.owed === null
  working.owed?.callOff()
  working.owed = null
  return isCounted
}

/** The trades were read, and do not explain what is owed; without a price that stays so. */
const infer = (core: AccountCore, working: WorkingOrder): void => {
  const { order, owed } = working
  const price = priceOf(core, order)
  if (price === null || owed === null) return
  const { namedAt } = owed
  take(core, working, { _tag: "Unexplained", executionId: core.parts.ids.uuid() as ExecutionId, price, namedAt })
}
