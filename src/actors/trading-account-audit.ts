/**
 * What is looked at again and again while an account works: silence, open orders, trades, balances (contract C3). Audits spare what was
 * touched a moment ago, because the stream may be about to say it; a trade that was spared is looked at by the next audit.
 */
import { type Effect, Exit } from "effect"
import type { InstrumentId } from "../domain/ids.ts"
import { changeOf } from "../domain/order-change.ts"
import { isFired, type TradeOrder } from "../domain/trade-order.ts"
import type { VenueSession } from "../ports/venue-session.ts"
import type { AuditKind } from "./account-messages.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { eventOf, moved } from "./trading-account-progress.ts"
import { auditFill, auditOpen } from "./trading-account-reconcile.ts"
import { applyBalances } from "./trading-account-reports.ts"

const WATCH_MILLIS = 5_000
/** A submit or a cancel without an answer for this long is a doubt. */
const SILENCE_MILLIS = 5_000
const OPEN_AUDIT_MILLIS = 10_000
/** An account without open orders, of which no lock at the venue tells more, is asked about them this often. */
const IDLE_AUDIT_MILLIS = 600_000
const FILLS_AUDIT_MILLIS = 60_000
const BALANCES_AUDIT_MILLIS = 30_000
/** Orders touched more recently than this are left to the stream. */
const QUIET_MILLIS = 5_000
const BALANCES_SOON_MILLIS = 1_000
/** From the answer of an audit that took longer than its period to the next. */
const BREATH_MILLIS = 1_000

/** Its trigger fired, it was let go, and the venue has said nothing of it. */
const isUnheardOf = (order: TradeOrder): boolean =>
  order.orderStatus === "ACCEPTED" && order.externalOrderId === null && order.notAfter !== null && isFired(order)

/** `isDue`: whether the venue can be asked and its answers be applied. */
export const startAudits = (core: AccountCore, isDue: () => boolean): void => {
  const { parts, self } = core
  let balancesDue = false
  let lastFillsAuditAt = parts.clock.monotonic()
  let lastOpenAuditAt = parts.clock.monotonic()
  /** What was locked by no order of ours when the open orders were last seen. */
  let locksSeen = ""
  /** Instruments of fills that the newest audit left to the stream. */
  const sparedInstruments = new Set<InstrumentId>()

  const every = (millis: number, run: () => void): void => {
    self.later(millis, () => {
      run()
      every(millis, run)
    })
  }

  /** Silence is a doubt: a submit or cancel that nobody answered. */
  const watch = (): void => {
    const now = parts.clock.monotonic()
    const wall = parts.clock.now()
    parts.doubts(core.account, core.openLives().filter(({ order }) => order.inDoubt).length)
    for (const [id, until] of core.watched) if (until < now) core.watched.delete(id)
    for (const live of core.openLives()) {
      if (!live.stored || live.doubt !== null) continue
      const { order } = live
      if (order.orderStatus === "SUBMITTED" && wall > (order.submitDeadline ?? order.notAfter ?? 0) + SILENCE_MILLIS) {
        const next = moved(order, "UNKNOWN", { inDoubt: true })
        core.change(live, next, eventOf(next))
        core.look(live, "no answer to the submit")
      } else if (isUnheardOf(order) && wall > (order.submitDeadline ?? order.notAfter ?? 0) + SILENCE_MILLIS) {
        core.change(live, { ...order, inDoubt: true }, null, { portfolio: false })
        core.look(live, "no answer to the submit of a triggered order")
      } else if (order.cancelRequested && live.cancelSentAt !== null && now - live.cancelSentAt > SILENCE_MILLIS)
        core.look(live, "no answer to the cancel")
      else if (wall > (changeOf(order)?.askedAt ?? wall) + SILENCE_MILLIS) {
        if (!order.inDoubt) core.change(live, { ...order, inDoubt: true }, null, { portfolio: false })
        core.look(live, "no answer to the change")
      }
    }
  }

  /** `done` is told in any case, also when nothing was asked. */
  const audit = <A>(
    question: (session: VenueSession) => Effect.Effect<A, unknown>,
    use: (answer: A) => void,
    done: () => void = () => undefined,
  ): void => {
    const { session } = core
    if (session === null || !isDue()) return done()
    self.fork(core.listing(question(session)), (exit) => {
      if (Exit.isSuccess(exit) && core.session === session && isDue()) use(exit.value)
      done()
    })
  }

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

  const auditFills = (done: () => void): void => {
    // Before the first whole view of this process an audit of some instruments says nothing about the others.
    if (core.fillsSeenAt === null) return done()
    const now = parts.clock.monotonic()
    // The last audit left alone what was fresh then.
    const touched = core.touchedSince(lastFillsAuditAt - QUIET_MILLIS)
    const askedAt = parts.clock.now()
    const open = core.openLives().map((live) => live.order.instrumentId)
    const instruments = [...new Set([...open, ...touched, ...sparedInstruments])]
    if (instruments.length === 0) return done()
    const since = core.fillsSince()
    audit(
      (session) => session.fetchFills(since, instruments),
      (fills) => {
        lastFillsAuditAt = now
        sparedInstruments.clear()
        for (const fill of fills) if (!auditFill(core, fill, QUIET_MILLIS)) sparedInstruments.add(fill.instrumentId)
        if (sparedInstruments.size === 0) core.fillsSeenAt = askedAt
      },
      done,
    )
  }

  core.askBalances = () => {
    if (balancesDue) return
    balancesDue = true
    self.later(BALANCES_SOON_MILLIS, () => {
      balancesDue = false
      audit(
        (session) => session.fetchBalances,
        (balances) => applyBalances(core, balances),
      )
    })
  }

  every(WATCH_MILLIS, watch)
  if (!core.venue.inProcess) {
    repeat("openOrders", OPEN_AUDIT_MILLIS, (done) => {
      const now = parts.clock.monotonic()
      const locks = core.portfolio.foreignLocks()
      const isIdle = core.open.size === 0 && core.watched.size === 0
      // Funds that no known order locks: one was placed elsewhere, and the stream has not said so.
      if (isIdle && locks === locksSeen && now - lastOpenAuditAt < IDLE_AUDIT_MILLIS) return done()
      audit(
        (session) => session.fetchOpenOrders,
        (open) => {
          lastOpenAuditAt = now
          locksSeen = locks
          auditOpen(core, open, QUIET_MILLIS)
        },
        done,
      )
    })
    repeat("fills", FILLS_AUDIT_MILLIS, auditFills)
    repeat("balances", BALANCES_AUDIT_MILLIS, (done) =>
      audit(
        (session) => session.fetchBalances,
        (balances) => applyBalances(core, balances),
        done,
      ),
    )
  }
}
