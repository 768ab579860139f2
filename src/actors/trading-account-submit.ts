/**
 * Submit: key look-up, then state, rules and funds, then one unit; dispatch, answer and publication from its commit callback.
 * An order whose commit came after `notAfter` is never dispatched (order-path 3).
 */
import { Decimal } from "../domain/decimal.ts"
import {
  AccountDisconnected,
  AccountNotActive,
  AccountReconciling,
  Busy,
  type DomainError,
  DuplicateClientOrderId,
  IdempotencyConflict,
  InsufficientBalance,
  VenueInactive,
} from "../domain/errors.ts"
import { fingerprint } from "../domain/fingerprint.ts"
import type { TradeOrderId } from "../domain/ids.ts"
import { checkOrder, type OrderPlan } from "../domain/order-rules.ts"
import { isTerminal } from "../domain/order-status.ts"
import { walkCost } from "../domain/portfolio.ts"
import { type TradeOrder, UNPLACED } from "../domain/trade-order.ts"
import { tradeOrderJson } from "../domain/trade-order-record.ts"
import type { SubmitOrder } from "./account-messages.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"
import { cancelled, eventOf, moved } from "./trading-account-progress.ts"
import { release } from "./trading-account-release.ts"

/** Past commit + 2 s an order is not signed any more. */
const NOT_AFTER_MILLIS = 2_000
/** How long awaitClosed and awaitAccepted wait, from the moment the request was read. */
export const AWAIT_MILLIS = 1_000
/** Rows of the book that price a market order. */
const WALK_ROWS = 100
/** Submits that wait for a waking account of an in-process venue. */
const DEFERRED_MAX = 256
const MARKET_CLAMP = Decimal.of("1.05")
/** Where the venue keeps a buy's fee in quote: 0.1 %, the usual base rate of a spot venue. */
const FEE_RATE = Decimal.of("0.001")

export const submitOrder = (core: AccountCore, message: SubmitOrder): void => {
  const { parts } = core
  parts.failpoint.hit("submit.parsed")
  const { request, reply } = message
  const print = fingerprint(request)
  const known = knownBy(core, request.idempotencyKey ?? null, request.clientOrderId ?? null)
  if (known !== undefined) {
    afterStored(known.live, (exists) => {
      if (exists) replay(core, message, known.live, known.by, print)
      else submitOrder(core, message)
    })
    return
  }
  if (core.isWaking && core.deferred.length < DEFERRED_MAX) {
    core.deferred.push(() => submitOrder(core, message))
    return
  }
  const refusal = refusalOf(core)
  if (refusal !== undefined) {
    reply.fail(refusal)
    return
  }
  const now = parts.clock.now()
  const { venue } = core
  const checked = checkOrder(request, { venue, findInstrument: parts.instruments.find, now })
  if ("error" in checked) {
    reply.fail(checked.error)
    return
  }
  const hold = holdOf(core, checked.plan)
  if (hold instanceof InsufficientBalance) {
    reply.fail(hold)
    return
  }
  const order = created(core, message, checked.plan, hold, print, now)
  message.named(order.tradeOrderId)
  const live = core.add(order)
  const json = tradeOrderJson(order)
  core.commit(
    [{ _tag: "Order", order }],
    [core.news.ofOrder("TRADE_ORDER.CREATED", order, now, json)],
    () => {
      parts.failpoint.hit("submit.committed")
      settle(core, live, message, json)
    },
    () => undefined,
    (outcome) => {
      core.undo(live)
      const older = core.find({ tradeOrderId: outcome.order.tradeOrderId }) ?? core.adopt(outcome.order)
      for (const run of live.whenStored.splice(0)) run(false)
      replay(core, message, older, outcome.by, print)
    },
  )
  parts.failpoint.hit("submit.handedToWriter")
}

const knownBy = (core: AccountCore, key: string | null, clientOrderId: string | null) => {
  const governing = key ?? clientOrderId
  const byKey = governing === null ? undefined : core.findKey(governing)
  if (byKey !== undefined) return { live: byKey, by: "idempotencyKey" as const }
  const byClient = clientOrderId === null ? undefined : core.find({ clientOrderId })
  return byClient === undefined ? undefined : { live: byClient, by: "clientOrderId" as const }
}

/** At once for an order in the database, else when its unit is settled. */
export const afterStored = (live: Live, run: (exists: boolean) => void): void => {
  if (live.stored) run(true)
  else live.whenStored.push(run)
}

/** The same key again: the existing order in its current state, or 409. */
const replay = (
  core: AccountCore,
  { request, reply, receivedAt }: SubmitOrder,
  live: Live,
  by: "idempotencyKey" | "clientOrderId",
  print: string,
): void => {
  const { tradeOrderId } = live.order
  if (live.order.fingerprint !== print) {
    const governs = by === "idempotencyKey" || (request.idempotencyKey ?? null) === null
    const error = governs ? new IdempotencyConflict({ tradeOrderId }) : new DuplicateClientOrderId({ tradeOrderId })
    core.whenDurable(() => reply.fail(error))
    return
  }
  const wait = waitOf(request)
  if (wait !== null) awaitFurther(core, live, { until: wait, reply, replayed: true }, receivedAt)
  else answerNow(core, live, reply, true)
}

/** The image of now, once it is durable: what comes meanwhile may not be. */
const answerNow = (core: AccountCore, { order }: Live, reply: SubmitOrder["reply"], replayed: boolean): void =>
  core.whenDurable(() => reply.ok({ order, replayed }))

const waitOf = (request: SubmitOrder["request"]): "CLOSED" | "ACCEPTED" | null =>
  request.awaitClosed === true ? "CLOSED" : request.awaitAccepted === true ? "ACCEPTED" : null

/** Answers when the order comes that far, or with whatever it is 1 s after the request was read. */
const awaitFurther = (core: AccountCore, live: Live, waiter: Live["waiters"][number], receivedAt: number): void => {
  const { reply, replayed } = waiter
  const { order } = live
  if (isTerminal(order.orderStatus) || (waiter.until === "ACCEPTED" && order.externalOrderId !== null)) {
    answerNow(core, live, reply, replayed)
    return
  }
  live.waiters.push(waiter)
  core.self.later(Math.max(0, receivedAt + AWAIT_MILLIS - core.parts.clock.monotonic()), () => {
    if (!live.waiters.includes(waiter)) return
    live.waiters = live.waiters.filter((it) => it !== waiter)
    answerNow(core, live, reply, replayed)
  })
}

const refusalOf = (core: AccountCore): DomainError | undefined => {
  const { status } = core.account
  if (status === "DISCONNECTED") return new AccountDisconnected({})
  if (status === "LOCKED" || status === "INACTIVE") return new AccountNotActive({ status })
  if (core.venue.status === "INACTIVE") return new VenueInactive({})
  if (status !== "ACTIVE" || core.phase !== "ready") return new AccountReconciling({})
  return core.parts.store.pressure() === "full" ? new Busy({ retryAfterSeconds: 1 }) : undefined
}

/** What the order holds, or why it cannot (contract C10). */
const holdOf = (core: AccountCore, plan: OrderPlan): Decimal | InsufficientBalance => {
  const { instrument, orderSide, limitPrice, baseQuantity } = plan
  if (!core.venue.features.includes("SPOT") && core.venue.features.length > 0) return Decimal.ZERO
  const asset = orderSide === "BUY" ? instrument.quoteAsset : instrument.baseAsset
  const { available, locked } = core.portfolio.of(asset)
  const refuse = (need: Decimal): InsufficientBalance =>
    new InsufficientBalance({ asset, required: need.toString(), available: available.toString() })
  if (orderSide === "SELL") return baseQuantity.greaterThan(available) ? refuse(baseQuantity) : baseQuantity
  const cost =
    limitPrice?.multiply(baseQuantity) ??
    walkCost(core.parts.markets.topOfBook(instrument.instrumentId, "asks", WALK_ROWS), baseQuantity)
  // Without a book the cost of a market order is not known: all that is free is held until the fills say, and the venue decides.
  if (cost === undefined) return available.add(locked).isPositive() ? available : refuse(Decimal.ZERO)
  const need = core.venue.feeInQuote ? cost.add(cost.multiply(FEE_RATE)) : cost
  if (need.greaterThan(available)) return refuse(need)
  return limitPrice === null ? Decimal.min(available, need.multiply(MARKET_CLAMP)) : need
}

const created = (
  core: AccountCore,
  { request }: SubmitOrder,
  plan: OrderPlan,
  held: Decimal,
  print: string,
  now: number,
): TradeOrder => {
  const notAfter = now + NOT_AFTER_MILLIS
  const expiryMillis = core.venue.orderExpiryMillis
  return {
    ...UNPLACED,
    tradeOrderId: core.parts.ids.uuid() as TradeOrderId,
    tenantId: core.account.tenantId,
    tradingAccountId: core.id,
    venue: core.account.venue,
    instrumentId: plan.instrument.instrumentId,
    baseAsset: plan.instrument.baseAsset,
    quoteAsset: plan.instrument.quoteAsset,
    orderSide: plan.orderSide,
    orderType: plan.orderType,
    timeInForce: plan.timeInForce,
    limitPrice: plan.limitPrice,
    quantity: plan.quantity,
    quantityRounding: plan.quantityRounding,
    baseQuantity: plan.baseQuantity,
    clientOrderId: request.clientOrderId ?? null,
    idempotencyKey: request.idempotencyKey ?? null,
    fingerprint: print,
    externalOrderId: null,
    origin: "GATEWAY",
    evidence: [],
    notAfter,
    submitDeadline: expiryMillis === null ? null : notAfter + expiryMillis,
    held,
    createdAt: now,
    updatedAt: now,
  }
}

/** The submit is durable: dispatch and answer. Nothing leaves for an order that is late, cancelled or without a session. */
const settle = (core: AccountCore, live: Live, message: SubmitOrder, json: string): void => {
  live.stored = true
  const cancels = live.whenStored.splice(0)
  const { order } = live
  const now = core.parts.clock.now()
  const lost = core.session === null || core.account.status === "LOCKED" || core.account.status === "DISCONNECTED"
  const wait = waitOf(message.request)
  const { reply } = message
  const late = now > order.notAfter! || core.parts.clock.monotonic() - live.knownAt > NOT_AFTER_MILLIS
  if (late || lost || live.cancelledEarly) {
    const next =
      live.cancelledEarly || core.account.status === "LOCKED"
        ? cancelled(order, live.cancelledEarly ? "USER_REQUEST" : "ACCOUNT_DISCONNECTED", now)
        : moved(order, "REJECTED", {
            rejectReason: late ? "GATEWAY_LATE" : "NOT_SENT: the venue session is gone",
          })
    core.change(live, next, eventOf(next), { committed: (stored) => reply.ok({ order: stored, replayed: false }) })
  } else {
    release(core, live)
    if (wait === null) reply.ok({ order, replayed: false, json })
    else awaitFurther(core, live, { until: wait, reply, replayed: false }, message.receivedAt)
    core.parts.failpoint.hit("submit.answered")
  }
  for (const run of cancels) run(true)
}
