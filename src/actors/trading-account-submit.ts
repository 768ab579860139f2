/**
 * Submit: key look-up, then state, rules and funds, then one unit; dispatch, answer and publication from its commit callback.
 * An order whose commit came after `notAfter` is never dispatched (order-path 3).
 */

import { InsufficientBalance } from "../domain/errors/risk.ts"
import { Busy } from "../domain/errors/service.ts"
import { fingerprint } from "../domain/fingerprint.ts"
import { cancelWayOf } from "../domain/order-law.ts"
import type { Wanted } from "../domain/order-plan.ts"
import { cancelled, eventOf, moved } from "../domain/order-progress.ts"
import { checkOrder } from "../domain/order-rules.ts"
import { isTerminal } from "../domain/order-status.ts"
import { placeOf, type TradeOrder } from "../domain/trade-order.ts"
import { submitHalted } from "../domain/trading-mode.ts"
import { onceOrAfter } from "../kernel/once-or-after.ts"
import type { SubmitOrder } from "./account-messages.ts"
import { COLLAR_MILLIS } from "./last-prices.ts"
import { circumstancesOf, refusalOf, whenKnown } from "./trading-account-admission.ts"
import { awaitFurther, replay, waitOf, withLinked } from "./trading-account-answer.ts"
import { isBehind, whenCurrent } from "./trading-account-balances.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { NOT_AFTER_MILLIS, partnerOf } from "./trading-account-dispatch.ts"
import { watchExpiry } from "./trading-account-expiry.ts"
import { holdOf } from "./trading-account-hold.ts"
import type { Live } from "./trading-account-live.ts"
import { answeredUnlessOlder, findOlder, olderInMemory } from "./trading-account-older.ts"
import { submitQuoted } from "./trading-account-quoted.ts"
import { release } from "./trading-account-release.ts"
import { type NewLives, storeNew } from "./trading-account-stored.ts"

/** Submits that wait for a waking account of an in-process venue. */
const DEFERRED_MAX = 256
/** How long prices that a check needs are waited for, when nobody follows the instrument yet. */
const PRICES_MILLIS = 2_000

export const submitOrder = (core: AccountCore, asked: SubmitOrder, mayWait = true): void => {
  const { parts } = core
  parts.failpoint.hit("submit.parsed")
  const message = answeredUnlessOlder(core, asked)
  const { request, reply } = message
  const turn = core.quoting.holdUp(request, () => submitOrder(core, asked, mayWait))
  if (turn === "full") reply.fail(new Busy({ retryAfterSeconds: 1 }))
  if (turn !== "free") return
  const known = olderInMemory(core, request)
  if (known !== undefined) {
    whenKnown(core, known.tradeOrderId, (live) => {
      if (live === null) submitOrder(core, asked)
      else replay(core, message, live, known.by, fingerprint(request))
    })
    return
  }
  if (core.connection.isWaking && core.connection.waitsAwake(() => submitOrder(core, asked), DEFERRED_MAX)) return
  if (request.orderType !== "QUOTED" && isBehind(core)) {
    whenCurrent(core, () => submitOrder(core, asked, mayWait), reply.fail)
    return
  }
  // Once per request: one that waits for prices has been counted.
  const refusal =
    submitHalted(parts.mode.current(), request, message.hedge !== undefined) ??
    (mayWait
      ? core.limits.submitError(core.orders.open.size, message.hedge !== undefined)
      : core.limits.openError(core.orders.open.size)) ??
    refusalOf(core)
  if (refusal !== undefined) {
    reply.fail(refusal)
    return
  }
  // Not of what is refused: it costs more than the refusal.
  const print = fingerprint(request)
  if (request.orderType === "QUOTED") {
    submitQuoted(core, message, print)
    return
  }
  const now = parts.clock.now()
  const checked = checkOrder(request, circumstancesOf(core, now, mayWait, message.hedge !== undefined))
  if ("error" in checked) {
    reply.fail(checked.error)
    return
  }
  if ("wanted" in checked) {
    const { wanted } = checked
    const goOn = (): void => submitOrder(core, asked, false)
    if (wanted.kind === "COLLAR") whenCollared(core, message, print, wanted, goOn)
    else whenPriced(core, wanted, goOn)
    return
  }
  const { plan } = checked
  const held = holdOf(core, plan)
  if (held instanceof InsufficientBalance) {
    reply.fail(held)
    return
  }
  const checkedAt = parts.clock.monotonic()
  const made = { request, plan, held, fingerprint: print, now, hedge: message.hedge }
  storeNew(core, message, made, {
    stored: (lives, json) => {
      parts.failpoint.hit("submit.committed")
      settle(core, lives, message, json, checkedAt)
    },
  })
  parts.failpoint.hit("submit.handedToWriter")
}

/** Opens the feed that knows the price, and goes on when it does, or after a while without. */
const whenPriced = (core: AccountCore, { kind, instrumentId }: Wanted, run: () => void): void => {
  const turn = core.self.turn(onceOrAfter(core.self, PRICES_MILLIS, run))
  const reply = { ok: turn, fail: turn }
  if (kind === "TICKER") core.parts.markets.readTicker(instrumentId, reply)
  else core.parts.markets.readBook(instrumentId, 1, reply)
}

/** As `whenPriced`, of a submit that is no repeat: the repeat of an order that has left memory is answered without a wait. */
const whenCollared = (
  core: AccountCore,
  message: SubmitOrder,
  print: string,
  { instrumentId }: Wanted,
  run: () => void,
): void => {
  const { lastPrices } = core.parts
  let isOver = false
  const goOn = onceOrAfter(core.self, COLLAR_MILLIS, () => {
    if (isOver) return
    isOver = true
    lastPrices.waited(instrumentId)
    run()
  })
  findOlder(core, message.request, (older) => {
    if (isOver) return
    if (older === undefined) {
      lastPrices.ask(instrumentId, core.self.turn(goOn))
      return
    }
    isOver = true
    whenKnown(core, older.tradeOrderId, (live) => {
      if (live === null) run()
      else replay(core, message, live, older.by, print)
    })
  })
}

/** The submit is durable: dispatch and answer. */
const settle = (core: AccountCore, lives: NewLives, message: SubmitOrder, json: string, checkedAt: number): void => {
  const [live, ...rest] = lives
  const committedAt = core.parts.clock.monotonic()
  const { order } = live
  const linked = rest.map((it) => it.order)
  const { reply, receivedAt } = message
  const ended = endOf(core, live, committedAt)
  if (ended !== null) {
    const told = withLinked(core, live, reply)
    core.change(live, ended, eventOf(ended), { committed: (stored) => told.ok({ order: stored, replayed: false }) })
  } else {
    release(core, live)
    const wait = waitOf(message.request)
    const timing = { receivedAt, checkedAt, committedAt, dispatchedAt: core.parts.clock.monotonic() }
    if (wait !== null) {
      const timed = {
        ok: (answer: Parameters<typeof reply.ok>[0]) => reply.ok({ ...answer, timing }),
        fail: reply.fail,
      }
      awaitFurther(core, live, { until: wait, reply: withLinked(core, live, timed), replayed: false }, receivedAt)
    } else if (rest.length === 0) reply.ok({ order, replayed: false, json, timing })
    else reply.ok({ order, replayed: false, json, timing, linked })
    core.parts.failpoint.hit("submit.answered")
  }
  for (const other of rest) letGo(core, other, committedAt)
}

/** The other leg of a pair; a child waits. What became of the submitted order may have ended it. */
const letGo = (core: AccountCore, live: Live, now: number): void => {
  const { order } = live
  if (order.orderStatus !== "CREATED") return
  if (placeOf(order) === "WAITING") {
    if (order.expireAt !== null) watchExpiry(core, live)
    return
  }
  const ended = endOf(core, live, now)
  if (ended === null) release(core, live)
  else core.change(live, ended, eventOf(ended))
}

/** How an order ends before anything was done with it; of a pair that the venue keeps no leg leaves without the other. */
const endOf = (core: AccountCore, live: Live, monotonic: number): TradeOrder | null => {
  const own = ownEndOf(core, live, monotonic)
  if (own !== null || live.order.terms === null) return own
  const partner = partnerOf(core, live.order)
  if (partner === null) return null
  const isWhole = !isTerminal(partner.order.orderStatus) && ownEndOf(core, partner, monotonic) === null
  return isWhole ? null : cancelled(live.order, "OCO_SIBLING", core.parts.clock.now())
}

/** Nothing leaves for one that is late, cancelled or without a session. */
const ownEndOf = (
  core: AccountCore,
  { order, cancelledEarly, knownAt }: Live,
  monotonic: number,
): TradeOrder | null => {
  const now = core.parts.clock.now()
  const { status } = core.account
  if (cancelledEarly) return cancelled(order, "USER_REQUEST", now)
  if (cancelWayOf(order) === "WITHDRAW")
    return status === "LOCKED" || status === "DISCONNECTED"
      ? moved(order, "REVOKED", { cancelReason: "ACCOUNT_DISCONNECTED", canceledAt: now })
      : null
  if (status === "LOCKED") return cancelled(order, "ACCOUNT_DISCONNECTED", now)
  const isLate = now > (order.notAfter ?? 0) || monotonic - knownAt > NOT_AFTER_MILLIS
  if (isLate) return moved(order, "REJECTED", { rejectReason: "GATEWAY_LATE" })
  if (core.connection.session !== null && status !== "DISCONNECTED") return null
  return moved(order, "REJECTED", { rejectReason: "NOT_SENT: the venue session is gone" })
}
