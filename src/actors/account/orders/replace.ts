/**
 * A change of a working order (contract C1, PENDING_REPLACE): by the venue itself where it can, else by cancel and a new order in its
 * place. The new order is made in the unit that ends the old one, and only when it is known how much of that was executed. A client
 * (`tradeOrder/replace`) is answered after the venue's answer or after 1 s; an order that has just left waits for its acknowledgement first.
 */

import { changeHalted } from "../../../domain/account/trading-mode.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { InstrumentNotFound } from "../../../domain/errors/market.ts"
import { InsufficientBalance } from "../../../domain/errors/risk.ts"
import { ChangeRejected, OrderClosed, OrderNotChangeable } from "../../../domain/errors/trade-order.ts"
import { AccountDisconnected, AccountNotActive, AccountReconciling } from "../../../domain/errors/trading-account.ts"
import { VenueInactive } from "../../../domain/errors/venue.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import { type Instrument, tradingFault } from "../../../domain/instrument/instrument.ts"
import { ordersFault } from "../../../domain/instrument/venue-capabilities.ts"
import { changed, changeOf, isRenewal, type OrderChange, withChange } from "../../../domain/order/change.ts"
import { isOnItsWay, maySend, replaceWayOf } from "../../../domain/order/evidence/law.ts"
import { eventOf, IllegalTransition, moved } from "../../../domain/order/evidence/progress.ts"
import { holdChanged } from "../../../domain/order/hold.ts"
import { changeableError, checkChange } from "../../../domain/order/rules/change.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { RequestedChange } from "../../../domain/order/terms.ts"
import { heldAssetOf, placeOf, type TradeOrder } from "../../../domain/order/trade-order.ts"
import type { PlacedBy } from "../../../domain/user/act.ts"
import { onceOrAfter } from "../../../kernel/behaviour.ts"
import type { VenueAmend } from "../../../ports/venue-session.ts"
import { COLLAR_MILLIS } from "../../market/last-prices.ts"
import { armTrigger } from "../contingent/trigger.ts"
import type { AccountCore } from "../core.ts"
import type { ReplaceOrder } from "../messages.ts"
import { whenCurrent } from "../venue/balances.ts"
import { take } from "../venue/evidence.ts"
import { type ChangeOutcome, type Consequence, NO_CANCELS, tellChange, type WorkingOrder } from "../working-order.ts"
import { ANSWER_MILLIS, requestCancel, sendCancel, withOrder } from "./cancel.ts"
import { NOT_AFTER_MILLIS, partnerOf } from "./dispatch.ts"

export interface ChangeAsk {
  /** Absent: as the venue can. */
  readonly how?: RequestedChange["how"]
  /** What the changed order holds; absent: in proportion to what it holds now. */
  readonly held?: Decimal
  /** Absent: no request asks for it. */
  readonly by?: PlacedBy | undefined
  /** Told once, from the commit callback of the unit that decided it. */
  readonly done?: (outcome: ChangeOutcome) => void
}

/**
 * In the row where the venue does not have the order, else by amend or renewal. The caller has checked the values, and that the order
 * is ACCEPTED, PARTIALLY_FILLED, armed or waiting, with no cancel and no other change under way.
 */
export const changeOrder = (
  core: AccountCore,
  working: WorkingOrder,
  change: OrderChange,
  ask: ChangeAsk = {},
): void => {
  const { next, kind, committed } = changing(core, working, change, ask)
  core.change(working, next, kind, { ...(committed && { committed }) })
}

/** As `changeOrder`, for a unit that changes other orders too: an answer to `consequences`, or one of `others`. */
export const changing = (
  core: AccountCore,
  working: WorkingOrder,
  change: OrderChange,
  ask: ChangeAsk = {},
): Consequence => {
  const { order } = working
  const next = changed(order, change)
  const held = ask.held ?? holdChanged(order, next, core.venue)
  if (ask.done !== undefined) working.changeWaiters.push(ask.done)
  const way = replaceWayOf(order)
  if (way === "NONE") throw new IllegalTransition(order, "changed")
  if (way === "HERE")
    return {
      live: working,
      next: { ...next, held },
      // REPLACED is the word of an amend that a venue has made (contract C1).
      kind: eventOf(next),
      committed: (stored) => {
        // Watched at its new price from now on.
        if (placeOf(working.order) === "ARMED") armTrigger(core, working)
        tellChange(working, { _tag: "Changed", order: stored })
      },
    }
  const asked: RequestedChange = {
    how: ask.how ?? wayOf(core, change),
    baseQuantity: change.baseQuantity ?? null,
    limitPrice: change.limitPrice ?? null,
    stopPrice: change.stopPrice ?? null,
    askedAt: core.parts.clock.now(),
    executedBefore: order.executedQuantity,
    heldBefore: order.held,
    held,
    ...(ask.by && { by: ask.by }),
  }
  working.cancels = NO_CANCELS
  return {
    live: working,
    next: moved(withChange(order, asked), "PENDING_REPLACE", {
      statusBeforeCancel: order.orderStatus,
      held: Decimal.max(order.held, held),
    }),
    kind: "TRADE_ORDER.PENDING_REPLACE",
    committed: () => send(core, working),
  }
}

/** An amend whose outcome gets lost is told by the order itself: only where the venue shows what was changed. */
const wayOf = (core: AccountCore, { baseQuantity, limitPrice }: OrderChange): RequestedChange["how"] =>
  core.venue.capabilities.amend && core.connection.session?.amend !== undefined && (baseQuantity || limitPrice)
    ? "AMEND"
    : "RENEW"

const send = (core: AccountCore, working: WorkingOrder): void => {
  const { order } = working
  const change = changeOf(order)
  if (change === null || !maySend(order, isRenewal(change) ? "CANCEL" : "AMEND")) return
  const { session } = core.connection
  if (session === null || (change.how === "AMEND" && session.amend === undefined)) {
    take(core, working, { _tag: "Unmade", reason: "the venue session is gone" })
    return
  }
  if (isRenewal(change)) sendCancel(core, working)
  else {
    working.changeKnownAt = core.parts.clock.monotonic()
    session.amend?.(core.refOf(order), amendOf(order, change, core.parts.clock.now() + NOT_AFTER_MILLIS))
    core.parts.failpoint.hit("amend.dispatched")
  }
}

const amendOf = (order: TradeOrder, change: RequestedChange, notAfter: number): VenueAmend => {
  const { baseQuantity, limitPrice, terms } = changed(order, change)
  const trigger = terms?.trigger ?? null
  const isWaiting = trigger !== null && trigger.execution === "NATIVE" && trigger.triggeredAt === null
  return {
    quantity: baseQuantity.toString(),
    limitPrice: limitPrice?.toString() ?? null,
    stopPrice: isWaiting ? trigger.stopPrice.toString() : null,
    ...((order.orderType === "LIMIT_MAKER" || order.timeInForce === "GTX") && { postOnly: true }),
    askedAt: change.askedAt,
    notAfter,
  }
}

// The client's change

export const replaceOrder = (core: AccountCore, message: ReplaceOrder): void =>
  whenCurrent(core, () => replace(core, message), message.reply.fail)

const replace = (core: AccountCore, message: ReplaceOrder): void => {
  const { by, reply } = message
  const error = core.limits.changeError() ?? accountError(core)
  if (error !== null) return reply.fail(error)
  withOrder(core, by, reply, (working) => {
    if (isOnItsWay(working.order)) whenAcknowledged(core, working, message)
    else change(core, working, message)
  })
}

/** A change asks the venue something: as a submit, it needs a venue that is there and agreed with. */
const accountError = (core: AccountCore): DomainError | null => {
  const { status } = core.account
  if (status === "DISCONNECTED") return new AccountDisconnected({})
  if (status === "LOCKED" || status === "INACTIVE") return new AccountNotActive({ status })
  if (core.venue.status === "INACTIVE") return new VenueInactive({})
  return core.connection.session === null || core.connection.phase !== "ready"
    ? new AccountReconciling({ reason: core.connection.awayReason })
    : null
}

/** A client may change what it has just submitted: the venue must have it first. */
const whenAcknowledged = (core: AccountCore, working: WorkingOrder, message: ReplaceOrder): void => {
  const { reply } = message
  let isOver = false
  const once = (run: () => void): void => {
    if (isOver) return
    isOver = true
    run()
  }
  const go = (): void => once(() => change(core, working, message))
  working.waiters.push({
    until: "ACCEPTED",
    replayed: false,
    reply: { ok: go, fail: (error) => once(() => reply.fail(error)) },
  })
  core.self.later(waitOf(core, message), go)
}

const waitOf = (core: AccountCore, { receivedAt }: ReplaceOrder): number =>
  Math.max(0, receivedAt + ANSWER_MILLIS - core.parts.clock.monotonic())

const change = (core: AccountCore, working: WorkingOrder, message: ReplaceOrder, mayWait = true): void => {
  const { order } = working
  const { reply } = message
  const fail = (error: DomainError): void => core.whenDurable(() => reply.fail(error))
  const instrument = core.parts.instruments.find(order.instrumentId, order.tenantId)
  const refusal = changeableError(order) ?? pairError(core, order) ?? accountError(core)
  if (refusal !== null) return fail(refusal)
  if (instrument === undefined) return fail(new InstrumentNotFound({ instrumentId: order.instrumentId }))
  const { lastPrices } = core.parts
  const checked = checkChange(order, message.asked, {
    instrument,
    lastPrice: (id) => lastPrices.now(id),
    recentPrice: (id) => lastPrices.recent(id),
    mayAwaitCollar: (id) => mayWait && !lastPrices.isSilent(id),
    sibling: siblingOf(core, working),
  })
  if (checked === "COLLAR") return whenCollared(core, message, order.instrumentId)
  if (checked === "SAME") {
    core.whenDurable(() => reply.ok(order))
    return
  }
  if (checked !== "CANCEL" && "error" in checked) return fail(checked.error)
  // A cancel works in every mode, in these words too.
  const halted = checked === "CANCEL" ? null : changeHalted(core.parts.mode.current(), order)
  if (halted !== null) return fail(halted)
  const wanted = checked === "CANCEL" ? null : checked.change
  const error =
    wanted === null ? null : (additionError(core, working, wanted, instrument) ?? fundsError(core, working, wanted))
  if (error !== null) return fail(error)
  let isAnswered = false
  const answer = (run: () => void): void => {
    if (isAnswered) return
    isAnswered = true
    run()
  }
  core.self.later(waitOf(core, message), () => {
    const now = working.order
    core.whenDurable(() => answer(() => reply.ok(now)))
  })
  if (wanted !== null) {
    changeOrder(core, working, wanted, {
      by: message.placedBy,
      done: (outcome) => answer(() => tell(outcome, reply)),
    })
    return
  }
  working.cancelWaiters.push({
    ok: (closed) => answer(() => reply.ok(closed)),
    fail: (error) => answer(() => reply.fail(error)),
  })
  requestCancel(core, working, "USER_REQUEST")
}

/** Checked again from the beginning when the last price is known, or after a while without: the order may be another by then. */
const whenCollared = (core: AccountCore, message: ReplaceOrder, instrumentId: InstrumentId): void => {
  const { lastPrices } = core.parts
  const again = onceOrAfter(core.self, COLLAR_MILLIS, () => {
    lastPrices.waited(instrumentId)
    withOrder(core, message.by, message.reply, (working) => change(core, working, message, false))
  })
  lastPrices.ask(instrumentId, core.self.turn(again))
}

/** To change one leg of a list that the venue keeps would end the other. */
const pairError = (core: AccountCore, order: TradeOrder): DomainError | null => {
  const partner = partnerOf(core, order)
  return partner === null || isTerminal(partner.order.orderStatus)
    ? null
    : new OrderNotChangeable({
        reason: "the venue holds it and its other leg as one list: cancel both and submit again",
      })
}

/** The other exit of its pair, while it is open. */
const siblingOf = (core: AccountCore, { order }: WorkingOrder): TradeOrder | null => {
  if (order.orderListId === null || (order.terms?.leg ?? null) === null) return null
  const others = core.orders.ofList(order.orderListId).map((it) => it.order)
  const isOther = (it: TradeOrder): boolean => (it.terms?.leg ?? null) !== null && it.terms?.leg !== order.terms?.leg
  return others.find((it) => isOther(it) && !isTerminal(it.orderStatus)) ?? null
}

/** Where no new order is taken, of the venue or of the instrument, a change may only take back of what is there. */
const additionError = (
  core: AccountCore,
  { order }: WorkingOrder,
  wanted: OrderChange,
  instrument: Instrument,
): DomainError | null => {
  const next = changed(order, wanted)
  const isMore =
    next.baseQuantity.greaterThan(order.baseQuantity) || holdChanged(order, next, core.venue).greaterThan(order.held)
  return isMore ? (ordersFault(core.venue) ?? tradingFault(instrument) ?? null) : null
}

/** What the change needs beyond what the order holds already. */
const fundsError = (core: AccountCore, { order }: WorkingOrder, wanted: OrderChange): DomainError | null => {
  const held = holdChanged(order, changed(order, wanted), core.venue)
  const more = held.subtract(order.held)
  if (!more.isPositive()) return null
  const asset = heldAssetOf(order)
  const { available } = core.positions.portfolio.of(asset)
  if (more.atMost(available)) return null
  return new InsufficientBalance({ asset, required: more.toString(), available: available.toString() })
}

const tell = (outcome: ChangeOutcome, reply: ReplaceOrder["reply"]): void => {
  switch (outcome._tag) {
    case "Changed":
    case "Renewed":
      return reply.ok(outcome.order)
    case "Refused":
      return reply.fail(new ChangeRejected({ reason: outcome.reason }))
    case "Ended": {
      const { orderStatus } = outcome.order
      // Cancelled to be replaced, with nothing left to be placed: that is what became of it.
      if (outcome.order.cancelReason === "REPLACED") return reply.ok(outcome.order)
      return reply.fail(new OrderClosed({ status: orderStatus }))
    }
  }
}
