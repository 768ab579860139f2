/**
 * Submit, stage by stage (order-path: the walk of a submit): held up, repeat, awaits its account, admitted, awaits its share, planned,
 * funded, stored; then, from the commit of its unit, settled: dispatched, answered and published. An order whose commit came after
 * `notAfter` is never dispatched (order-path 3).
 */

import { submitHalted } from "../../../domain/account/trading-mode.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { InsufficientBalance } from "../../../domain/errors/risk.ts"
import { Busy } from "../../../domain/errors/service.ts"
import { cancelWayOf } from "../../../domain/order/evidence/law.ts"
import { cancelled, eventOf, moved } from "../../../domain/order/evidence/progress.ts"
import type { OrderPlan, Wanted } from "../../../domain/order/plan.ts"
import { checkOrder } from "../../../domain/order/rules/rules.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { fingerprint } from "../../../domain/order/submit-request.ts"
import { placeOf, type TradeOrder } from "../../../domain/order/trade-order.ts"
import { onceOrAfter } from "../../../kernel/behaviour.ts"
import { COLLAR_MILLIS } from "../../market/last-prices.ts"
import { watchExpiry } from "../contingent/expiry.ts"
import type { AccountCore } from "../core.ts"
import type { SubmitOrder } from "../messages.ts"
import { isBehind, whenCurrent } from "../venue/balances.ts"
import type { WorkingOrder } from "../working-order.ts"
import { circumstancesOf, holdOf, refusalOf } from "./admission.ts"
import { answeredUnlessOlder, awaitFurther, findOlder, olderInMemory, replay, waitOf, withLinked } from "./answer.ts"
import { forgo, leavesAlone, NOT_AFTER_MILLIS, partnerOf, prepare } from "./dispatch.ts"
import { type NewLives, type NewOrder, release, storeNew } from "./new-order.ts"
import { submitQuoted } from "./quoted.ts"
import { whenKnown } from "./recall.ts"
import type { WaitingSubmit } from "./waiting-submits.ts"

/** How long a check waits for prices of an instrument that is not followed yet. */
const PRICES_MILLIS = 2_000
/** How long a submit waits for those of its user that are being stored. */
const SHARE_MILLIS = 1_000

/** What a submit has behind it, when a pass begins. */
interface Passed {
  /** Its account's limits have counted it. */
  readonly counted: boolean
  /** It asks no more for its user's share: its turn came, or something is asked that it must be there for. */
  readonly due: boolean
  /** It has waited for the prices of its instrument. */
  readonly priced: boolean
}

const NOTHING: Passed = { counted: false, due: false, priced: false }

/** Begins anew: what a stage saw may be another by then. */
type Again = (passed: Passed) => void

export const submitOrder = (core: AccountCore, asked: SubmitOrder): void => pass(core, asked, NOTHING)

/**
 * The stages, in order. Each of them ends the pass where it answers the submit, or has it wait; one that waited comes again from the first
 * stage on.
 */
const pass = (core: AccountCore, asked: SubmitOrder, passed: Passed): void => {
  const { parts } = core
  parts.failpoint.hit("submit.parsed")
  const message = answeredUnlessOlder(core, asked)
  const again: Again = (next) => pass(core, asked, next)
  if (isHeldUp(core, message, passed, again)) return
  if (isRepeat(core, message, again)) return
  if (awaitsAccount(core, message, passed, again)) return
  const refusal = admissionError(core, message, passed)
  if (refusal !== undefined) return message.reply.fail(refusal)
  if (awaitsShare(core, message, passed, again)) return
  // Not of what is refused: it costs more than the refusal.
  const print = fingerprint(message.request)
  if (message.request.orderType === "QUOTED") return submitQuoted(core, message, print)
  const now = parts.clock.now()
  const plan = planned(core, message, print, now, passed, again)
  if (plan === null) return
  const held = holdOf(core, plan)
  if (held instanceof InsufficientBalance) return message.reply.fail(held)
  const { request, hedge } = message
  store(core, message, { request, plan, held, fingerprint: print, now, hedge })
}

/** A submit of a quote under its key is not decided yet. */
const isHeldUp = (core: AccountCore, { request, reply }: SubmitOrder, passed: Passed, again: Again): boolean => {
  if (core.quoting.isIdle) return false
  const turn = core.quoting.holdUp(request, () => again(passed))
  if (turn === "full") reply.fail(new Busy({ retryAfterSeconds: 1 }))
  return turn !== "free"
}

/** An order in memory has its key; where that one comes to nothing, this one is the first after all. */
const isRepeat = (core: AccountCore, message: SubmitOrder, again: Again): boolean => {
  const { request } = message
  const known = olderInMemory(core, request)
  if (known === undefined) return false
  whenKnown(core, known.tradeOrderId, (working) => {
    if (working === null) again(NOTHING)
    else replay(core, message, working, known.by, fingerprint(request))
  })
  return true
}

/** The account has just woken, or there is money that it has not read of. */
const awaitsAccount = (core: AccountCore, { request, reply }: SubmitOrder, passed: Passed, again: Again): boolean => {
  const { connection } = core
  if (connection.isWaking && connection.waitsAwake(() => again(NOTHING))) return true
  if (request.orderType === "QUOTED" || !isBehind(core)) return false
  whenCurrent(core, () => again(passed), reply.fail)
  return true
}

/** The trading mode, the limits, the account's state. */
const admissionError = (
  core: AccountCore,
  { request, hedge, counted }: SubmitOrder,
  passed: Passed,
): DomainError | undefined => {
  const { limits, orders, parts } = core
  const isHedge = hedge !== undefined
  return (
    submitHalted(parts.mode.current(), request, isHedge) ??
    (passed.counted ? limits.openError(orders.open.size) : limits.submitError(orders.open.size, isHedge, counted)) ??
    refusalOf(core)
  )
}

/**
 * As many submits of the user as may be are on their way to the store. Never for long: an order that was wanted a second ago is not
 * begun now. What a dealer hedges waits for no user.
 */
const awaitsShare = (core: AccountCore, message: SubmitOrder, passed: Passed, again: Again): boolean => {
  const { request, reply, hedge } = message
  const { shares } = core.parts
  const { userId } = core.account
  if (shares === null || userId === null || passed.due || hedge !== undefined) return false
  // A quote does not wait, and asks for little: its dealer has limits of its own.
  if (request.orderType === "QUOTED" || !shares.isUsedUp(userId)) return false
  const { waiting } = core
  const goOn = (): void => {
    if (!waiting.remove(one)) return
    callOff()
    again({ ...passed, counted: true, due: true })
  }
  const one: WaitingSubmit = { request, goOn }
  const callOff = core.self.later(SHARE_MILLIS, () => {
    if (waiting.remove(one)) reply.fail(new Busy({ retryAfterSeconds: 1 }))
  })
  waiting.add(one)
  shares.wait(userId, core.self.turn(goOn))
  return true
}

/** By the rules of its type (contract C6); null: it is refused, or waits for a price that a rule needs. */
const planned = (
  core: AccountCore,
  message: SubmitOrder,
  print: string,
  now: number,
  passed: Passed,
  again: Again,
): OrderPlan | null => {
  const { request, reply, hedge } = message
  const checked = checkOrder(request, circumstancesOf(core, now, !passed.priced, hedge !== undefined))
  if ("plan" in checked) return checked.plan
  if ("error" in checked) reply.fail(checked.error)
  else {
    const { wanted } = checked
    const goOn = (): void => again({ counted: true, due: false, priced: true })
    if (wanted.kind === "COLLAR") whenCollared(core, message, print, wanted, goOn)
    else whenPriced(core, wanted, goOn)
  }
  return null
}

/** An order that left while its unit was being stored: the image that is stored with that, and monotonic ms. */
interface Ahead {
  readonly order: TradeOrder
  readonly leftAt: number
}

/** One unit; what follows comes from its commit, but at a venue that follows the journal, where an order that is certainly new leaves at once. */
const store = (core: AccountCore, message: SubmitOrder, made: NewOrder): void => {
  const { clock, failpoint, shares } = core.parts
  const { userId } = core.account
  const checkedAt = clock.monotonic()
  const { session } = core.connection
  const isNew = core.usedNames?.areNew(message.request) === true
  let ahead: Ahead | null = null
  // Of the session that had it: the account's may be another by then, or none.
  const takeBack = ([working]: NewLives): void => session?.forgo?.(working.order.tradeOrderId)
  const lives = storeNew(core, message, made, {
    undone: (lives) => {
      takeBack(lives)
      // Names that were used are never taken for new: what was matched cannot be undone.
      if (ahead !== null) throw new Error(`order ${lives[0].order.tradeOrderId} left, and its key was used`)
    },
    refused: takeBack,
    stored: (lives, json) => {
      failpoint.hit("submit.committed")
      settle(core, lives, message, json, checkedAt, ahead)
    },
  })
  const [working] = lives
  const { order } = working
  const isAlone = lives.length === 1
  if (isAlone && isNew && leavesAlone(order)) {
    working.hasLeftAhead = true
    release(core, working)
    ahead = { order, leftAt: clock.monotonic() }
  } else if (isAlone) prepare(core, working)
  // Whatever becomes of the unit, and of the actor.
  if (shares !== null && userId !== null && message.hedge === undefined)
    core.parts.store.after(core.id, shares.enter(userId))
  failpoint.hit("submit.handedToWriter")
}

/** The submit is durable: dispatch, where it has not left, and answer. */
const settle = (
  core: AccountCore,
  lives: NewLives,
  message: SubmitOrder,
  json: string,
  checkedAt: number,
  ahead: Ahead | null,
): void => {
  const [working, ...rest] = lives
  const committedAt = core.parts.clock.monotonic()
  const order = ahead?.order ?? working.order
  const linked = rest.map((it) => it.order)
  const { reply, receivedAt } = message
  const ended = ahead === null ? endOf(core, working, committedAt) : null
  if (ended !== null) {
    forgo(core, working)
    const told = withLinked(core, working, reply)
    core.change(working, ended, eventOf(ended), { committed: (stored) => told.ok({ order: stored, replayed: false }) })
  } else {
    if (ahead === null) release(core, working)
    const wait = waitOf(message.request)
    const timing = { receivedAt, checkedAt, committedAt, dispatchedAt: ahead?.leftAt ?? core.parts.clock.monotonic() }
    if (wait !== null) {
      const timed = {
        ok: (answer: Parameters<typeof reply.ok>[0]) => reply.ok({ ...answer, timing }),
        fail: reply.fail,
      }
      awaitFurther(core, working, { until: wait, reply: withLinked(core, working, timed), replayed: false }, receivedAt)
    } else if (rest.length === 0) reply.ok({ order, replayed: false, json, timing })
    else reply.ok({ order, replayed: false, json, timing, linked })
    core.parts.failpoint.hit("submit.answered")
  }
  for (const other of rest) releaseLeg(core, other, committedAt)
}

/** The other leg of a pair; a child waits. What became of the submitted order may have ended it. */
const releaseLeg = (core: AccountCore, working: WorkingOrder, now: number): void => {
  const { order } = working
  if (order.orderStatus !== "CREATED") return
  if (placeOf(order) === "WAITING") {
    watchExpiry(core, working)
    return
  }
  const ended = endOf(core, working, now)
  if (ended === null) release(core, working)
  else core.change(working, ended, eventOf(ended))
}

/** How an order ends before anything was done with it; of a pair that the venue keeps no leg leaves without the other. */
const endOf = (core: AccountCore, working: WorkingOrder, monotonic: number): TradeOrder | null => {
  const own = ownEndOf(core, working, monotonic)
  if (own !== null || working.order.terms === null) return own
  const partner = partnerOf(core, working.order)
  if (partner === null) return null
  const isWhole = !isTerminal(partner.order.orderStatus) && ownEndOf(core, partner, monotonic) === null
  return isWhole ? null : cancelled(working.order, "OCO_SIBLING", core.parts.clock.now())
}

/** Nothing leaves for one that is late, cancelled or without a session. */
const ownEndOf = (
  core: AccountCore,
  { order, cancelledEarly, knownAt }: WorkingOrder,
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

// Waiting for prices

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
    whenKnown(core, older.tradeOrderId, (working) => {
      if (working === null) run()
      else replay(core, message, working, older.by, print)
    })
  })
}
