/**
 * Periodic audits of a working account: stream silence, open orders, trades, balances (contract C3). Audits skip what changed a moment ago,
 * because the stream may be about to report it; a skipped trade is examined by the next audit.
 */
import { type Effect, Exit } from "effect"
import type { InstrumentId, TradingAccountId } from "../../../domain/ids.ts"
import { changeOf } from "../../../domain/order/change.ts"
import { isFiredUnshown } from "../../../domain/order/evidence/doubt.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { VenueSession } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { AuditKind } from "../messages.ts"
import { mayBeThere, type WorkingOrder } from "../working-order.ts"
import { applyBalances, fetchBalances } from "./balances.ts"
import { seen, take } from "./evidence.ts"
import { seeStray } from "./foreign.ts"
import { auditEnded } from "./lingering.ts"
import { listedFills } from "./names.ts"
import { attempt } from "./quarantine.ts"
import { inquire } from "./question.ts"
import { auditFills, auditOpen } from "./reconcile.ts"

// Orders that were given up are asked for by our id again: a venue may list a trade, and show an order that it has filled, later than the
// proof takes that the order was never placed. What it shows then is booked like any late evidence.

/** Those whose time it is. One whose question fails is due again in a moment. */
const askForLate = (core: AccountCore): void => {
  const { session } = core.connection
  if (session === null || core.venue.inProcess || !core.connection.isAuditable) return
  for (const { tradeOrderId, instrumentId } of core.late.due()) {
    const ref = { tradeOrderId, externalOrderId: null, instrumentId }
    core.self.fork(core.connection.budget(session.fetchOrder(ref)), (exit) => {
      if (Exit.isFailure(exit)) return
      core.late.looked(tradeOrderId)
      if (exit.value._tag === "NotFound") return
      const state = { ...exit.value.state, tradeOrderId }
      const working = core.orders.get(tradeOrderId)
      if (working === undefined) return seeStray(core, state)
      attempt(core, working, state, () => {
        core.orders.knowAs(working, state.externalOrderId)
        seen(core, working, state, true)
      })
    })
  }
}

const WATCH_MILLIS = 5_000
/** A submit or a cancel without an answer for this long is a doubt. */
const SILENCE_MILLIS = 5_000
const OPEN_AUDIT_MILLIS = 10_000
/**
 * An account that rests is asked about its open orders and its balances this often, or up to a quarter sooner: each by its own period, so
 * that a thousand that opened together are not asked together.
 */
const IDLE_AUDIT_MILLIS = 600_000
const IDLE_SPREAD = 0.25
const FILLS_AUDIT_MILLIS = 60_000
const BALANCES_AUDIT_MILLIS = 30_000
/** Orders touched more recently than this are left to the stream. */
const QUIET_MILLIS = 5_000
/**
 * So long after an order of an instrument was touched its trades are asked for: where no event told a trade of an order that is over, nothing else
 * finds it. A venue's history is taken to list a trade within a minute; this is twice that, and costs an instrument at rest two questions.
 */
const LISTED_LATE_MILLIS = 120_000
/** From the answer of an audit that took longer than its period to the next. */
const BREATH_MILLIS = 1_000

/** The last digits: those of ids that were made together differ. The tick that asks may come a period later. */
const idleMillisOf = (id: TradingAccountId): number =>
  Math.round(IDLE_AUDIT_MILLIS * (1 - (IDLE_SPREAD * Number.parseInt(id.slice(-8), 16)) / 0xffff_ffff)) -
  BALANCES_AUDIT_MILLIS

/** What is asked again and again, and how that went lately (monotonic ms). */
interface Looks {
  /** When the newest one that was answered was asked. */
  answeredAt: number
  askedAt: number
  /** Since then. */
  failures: number
}

export const startAudits = (core: AccountCore): void => {
  const { parts, self } = core
  let lastFillsAuditAt = parts.clock.monotonic()
  const idleMillis = idleMillisOf(core.id)
  const looksOf = (): Looks => ({ answeredAt: parts.clock.monotonic(), askedAt: Number.NEGATIVE_INFINITY, failures: 0 })
  const openLooks = looksOf()
  const balanceLooks = looksOf()
  /** What was locked by no order of ours when the open orders were last seen. */
  let locksSeen = ""
  /** Orders that are over here and were on the newest list of open ones. */
  let lingering: ReadonlySet<WorkingOrder> = new Set()
  /** Instruments of fills that the newest audit left to the stream. */
  let sparedInstruments: ReadonlySet<InstrumentId> = new Set()

  const every = (millis: number, run: () => void): void => {
    self.later(millis, () => {
      run()
      every(millis, run)
    })
  }

  /** The venue has something to say of it. */
  const isAwaited = (order: TradeOrder): boolean =>
    order.orderStatus === "SUBMITTED" || order.cancelRequested || isFiredUnshown(order) || changeOf(order) !== null

  /** Silence is a doubt: a submit or cancel without an answer. */
  const watch = (): void => {
    const now = parts.clock.monotonic()
    const wall = parts.clock.now()
    core.late.sweep()
    askForLate(core)
    // One look at each, and nothing made of it: an account may have thousands of orders at rest.
    let doubts = 0
    const awaited: Array<WorkingOrder> = []
    for (const id of core.orders.open) {
      const working = core.orders.get(id)!
      if (working.order.doubt !== null) doubts++
      if (working.question === null && isAwaited(working.order)) awaited.push(working)
    }
    parts.doubts(core.account, doubts)
    for (const working of awaited) {
      if (working.question !== null || !mayBeThere(working)) continue
      const { order } = working
      const change = changeOf(order)
      const isSent = order.orderStatus === "SUBMITTED" || (order.orderStatus === "ACCEPTED" && isFiredUnshown(order))
      if (isSent && wall > (order.submitDeadline ?? order.notAfter ?? 0) + SILENCE_MILLIS)
        take(core, working, { _tag: "InDoubt", reason: "no answer to the submit", at: null })
      else if (order.cancelRequested && working.cancels._tag !== "UNSENT" && now - working.cancels.at > SILENCE_MILLIS)
        inquire(core, working, "no answer to the cancel")
      else if (change !== null && wall > change.askedAt + SILENCE_MILLIS)
        take(core, working, { _tag: "AmendInDoubt", askedAt: change.askedAt, reason: "no answer", at: null })
    }
  }

  /** `done` is told in any case, also when nothing was asked. */
  const audit = <A>(
    question: (session: VenueSession) => Effect.Effect<A, unknown>,
    use: (answer: A) => void,
    done: () => void,
    looks: Looks | null = null,
  ): void => {
    const { session } = core.connection
    if (session === null || !core.connection.isAuditable) return done()
    const askedAt = parts.clock.monotonic()
    if (looks !== null) looks.askedAt = askedAt
    self.fork(core.connection.listing(question(session)), (exit) => {
      if (looks !== null && Exit.isSuccess(exit)) Object.assign(looks, { answeredAt: askedAt, failures: 0 })
      else if (looks !== null) looks.failures++
      if (Exit.isSuccess(exit) && core.connection.session === session && core.connection.isAuditable) use(exit.value)
      done()
    })
  }

  /** It has no order that could move. */
  const isResting = (): boolean => core.orders.open.size === 0 && core.late.isEmpty && lingering.size === 0

  /** Of an account that rests. What the venue has no time for is asked more and more seldom. */
  const mayWait = ({ askedAt, failures }: Looks, seenAt: number, floorMillis: number): boolean => {
    const now = parts.clock.monotonic()
    return (
      now - seenAt < idleMillis || (failures > 0 && now - askedAt < Math.min(idleMillis, floorMillis * 2 ** failures))
    )
  }

  const haveBalancesMoved = (): boolean =>
    core.balances.movedAt >= core.balances.seenAt ||
    core.orders.touchedSince(core.balances.seenAt - QUIET_MILLIS).length > 0

  /** An audit again and again, the next only after the answer: where the venue's budget makes it wait, its period stretches. */
  const repeat = (kind: AuditKind, floorMillis: number, ask: (done: () => void) => void): void => {
    let lastAt = parts.clock.monotonic()
    const next = (pauseMillis: number): void => {
      self.later(pauseMillis, () => {
        const now = parts.clock.monotonic()
        parts.audited(core.account, kind, now - lastAt)
        lastAt = now
        ask(() => next(Math.max(floorMillis - (parts.clock.monotonic() - now), BREATH_MILLIS)))
      })
    }
    next(floorMillis)
  }

  const askFills = (done: () => void): void => {
    // Before the first whole view of this process an audit of some instruments says nothing about the others.
    if (!core.trades.areRead || core.trades.scan !== null) return done()
    const now = parts.clock.monotonic()
    const active = core.orders.activeSince(lastFillsAuditAt - LISTED_LATE_MILLIS)
    const open = core.orders.openLives().map((working) => working.order.instrumentId)
    // One that is filled at once when it comes after all is on no list of open orders.
    const late = core.late.newest().map(([, { instrumentId }]) => instrumentId)
    const instruments = [...new Set([...open, ...active, ...late, ...sparedInstruments])]
    if (instruments.length === 0) return done()
    const since = core.trades.since()
    audit(
      (session) => listedFills(core, session, since, instruments),
      (fills) => {
        lastFillsAuditAt = now
        sparedInstruments = auditFills(core, fills, QUIET_MILLIS)
        if (sparedInstruments.size === 0) core.trades.saw(since, fills)
      },
      done,
    )
  }

  every(WATCH_MILLIS, watch)
  if (!core.venue.inProcess) {
    repeat("openOrders", OPEN_AUDIT_MILLIS, (done) => {
      const locks = core.positions.portfolio.foreignLocks()
      // Funds that no known order locks: one was placed elsewhere, and the stream has not said so.
      if (isResting() && locks === locksSeen && mayWait(openLooks, openLooks.answeredAt, OPEN_AUDIT_MILLIS))
        return done()
      audit(
        (session) => session.fetchOpenOrders,
        (open) => {
          locksSeen = locks
          auditOpen(core, open, QUIET_MILLIS)
          lingering = auditEnded(core, open, QUIET_MILLIS, lingering)
        },
        done,
        openLooks,
      )
    })
    repeat("fills", FILLS_AUDIT_MILLIS, askFills)
    repeat("balances", BALANCES_AUDIT_MILLIS, (done) => {
      // What moves them is told by the stream, as long as there is one.
      const isQuiet = core.connection.phase === "ready" && isResting() && !haveBalancesMoved()
      if (isQuiet && mayWait(balanceLooks, core.balances.seenAt, BALANCES_AUDIT_MILLIS)) return done()
      audit(
        (session) => fetchBalances(core, session),
        (balances) => applyBalances(core, balances),
        done,
        balanceLooks,
      )
    })
  }
}
