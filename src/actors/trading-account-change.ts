/**
 * The client's change of an order (`tradeOrder/replace`): rules, funds, then the change itself; answered after the venue's answer or
 * after 1 s. An order that has just left waits for its acknowledgement first.
 */
import type { DomainError } from "../domain/errors/domain-error.ts"
import { InstrumentNotFound } from "../domain/errors/market.ts"
import { InsufficientBalance } from "../domain/errors/risk.ts"
import { ChangeRejected, OrderClosed, OrderNotChangeable } from "../domain/errors/trade-order.ts"
import { AccountDisconnected, AccountNotActive, AccountReconciling } from "../domain/errors/trading-account.ts"
import { VenueInactive } from "../domain/errors/venue.ts"
import type { InstrumentId } from "../domain/ids.ts"
import { changed, type OrderChange } from "../domain/order-change.ts"
import { changeableError, checkChange } from "../domain/order-change-rules.ts"
import { holdChanged } from "../domain/order-hold.ts"
import { isOnItsWay } from "../domain/order-law.ts"
import { isTerminal } from "../domain/order-status.ts"
import { heldAssetOf, type TradeOrder } from "../domain/trade-order.ts"
import { changeHalted } from "../domain/trading-mode.ts"
import { onceOrAfter } from "../kernel/once-or-after.ts"
import type { ReplaceOrder } from "./account-messages.ts"
import { COLLAR_MILLIS } from "./last-prices.ts"
import { whenCurrent } from "./trading-account-balances.ts"
import { ANSWER_MILLIS, requestCancel, withOrder } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { partnerOf } from "./trading-account-dispatch.ts"
import type { ChangeOutcome, Live } from "./trading-account-live.ts"
import { changeOrder } from "./trading-account-replace.ts"

export const replaceOrder = (core: AccountCore, message: ReplaceOrder): void =>
  whenCurrent(core, () => replace(core, message), message.reply.fail)

const replace = (core: AccountCore, message: ReplaceOrder): void => {
  const { by, reply } = message
  const error = core.limits.changeError() ?? accountError(core)
  if (error !== null) return reply.fail(error)
  withOrder(core, by, reply, (live) => {
    if (isOnItsWay(live.order)) whenAcknowledged(core, live, message)
    else change(core, live, message)
  })
}

/** A change asks the venue something: as a submit, it needs a venue that is there and agreed with. */
const accountError = (core: AccountCore): DomainError | null => {
  const { status } = core.account
  if (status === "DISCONNECTED") return new AccountDisconnected({})
  if (status === "LOCKED" || status === "INACTIVE") return new AccountNotActive({ status })
  if (core.venue.status === "INACTIVE") return new VenueInactive({})
  return core.connection.session === null || core.connection.phase !== "ready" ? new AccountReconciling({}) : null
}

/** A client may change what it has just submitted: the venue must have it first. */
const whenAcknowledged = (core: AccountCore, live: Live, message: ReplaceOrder): void => {
  const { reply } = message
  let isOver = false
  const once = (run: () => void): void => {
    if (isOver) return
    isOver = true
    run()
  }
  const go = (): void => once(() => change(core, live, message))
  live.waiters.push({
    until: "ACCEPTED",
    replayed: false,
    reply: { ok: go, fail: (error) => once(() => reply.fail(error)) },
  })
  core.self.later(waitOf(core, message), go)
}

const waitOf = (core: AccountCore, { receivedAt }: ReplaceOrder): number =>
  Math.max(0, receivedAt + ANSWER_MILLIS - core.parts.clock.monotonic())

const change = (core: AccountCore, live: Live, message: ReplaceOrder, mayWait = true): void => {
  const { order } = live
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
    sibling: siblingOf(core, live),
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
  const poor = wanted === null ? null : fundsError(core, live, wanted)
  if (poor !== null) return fail(poor)
  let isAnswered = false
  const answer = (run: () => void): void => {
    if (isAnswered) return
    isAnswered = true
    run()
  }
  core.self.later(waitOf(core, message), () => {
    const now = live.order
    core.whenDurable(() => answer(() => reply.ok(now)))
  })
  if (wanted !== null) {
    changeOrder(core, live, wanted, { done: (outcome) => answer(() => tell(outcome, reply)) })
    return
  }
  live.cancelWaiters.push({
    ok: (closed) => answer(() => reply.ok(closed)),
    fail: (error) => answer(() => reply.fail(error)),
  })
  requestCancel(core, live, "USER_REQUEST")
}

/** Checked again from the beginning when the last price is known, or after a while without: the order may be another by then. */
const whenCollared = (core: AccountCore, message: ReplaceOrder, instrumentId: InstrumentId): void => {
  const { lastPrices } = core.parts
  const again = onceOrAfter(core.self, COLLAR_MILLIS, () => {
    lastPrices.waited(instrumentId)
    withOrder(core, message.by, message.reply, (live) => change(core, live, message, false))
  })
  lastPrices.ask(instrumentId, core.self.turn(again))
}

/** To change one leg of a list that the venue keeps would end the other. */
const pairError = (core: AccountCore, order: TradeOrder): DomainError | null => {
  const partner = partnerOf(core, order)
  return partner === null || isTerminal(partner.order.orderStatus)
    ? null
    : new OrderNotChangeable({ reason: "the venue keeps it and its other leg as one: cancel them and submit anew" })
}

/** The other exit of its pair, while it is open. */
const siblingOf = (core: AccountCore, { order }: Live): TradeOrder | null => {
  if (order.orderListId === null || (order.terms?.leg ?? null) === null) return null
  const others = core.orders.ofList(order.orderListId).map((it) => it.order)
  const isOther = (it: TradeOrder): boolean => (it.terms?.leg ?? null) !== null && it.terms?.leg !== order.terms?.leg
  return others.find((it) => isOther(it) && !isTerminal(it.orderStatus)) ?? null
}

/** What the change needs beyond what the order holds already. */
const fundsError = (core: AccountCore, { order }: Live, wanted: OrderChange): DomainError | null => {
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
