/**
 * Keeps an account's private session: opens it, reconciles before the account is ACTIVE and after every interruption of the stream, applies its
 * reports, and audits while it is up. Without a session the account is UNAVAILABLE and retries. A report that cannot be applied is kept raw and
 * the order is queried: no report from a venue ends the actor (order-path 3).
 */

import { Cause, Effect, Exit, Option } from "effect"
import type { CredentialId, TradeOrderId } from "../../../domain/ids.ts"
import { doubtWhenLost } from "../../../domain/order/evidence/doubt.ts"
import type { OrderEvidence } from "../../../domain/order/evidence/effects.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { SessionReport, VenueSession } from "../../../ports/venue-session.ts"
import { isOfList, listsOf } from "../contingent/list.ts"
import type { AccountCore } from "../core.ts"
import { cancelAnswered, sendFirstCancel } from "../orders/cancel.ts"
import { dispatchIfReady } from "../orders/dispatch.ts"
import { mayBeThere, type WorkingOrder } from "../working-order.ts"
import { startAudits } from "./audit.ts"
import { applyBalances } from "./balances.ts"
import { askAgain } from "./doubt.ts"
import { applyFill, seen, take } from "./evidence.ts"
import { seeStray, strayFill, withStray } from "./foreign.ts"
import { attempt, venueId } from "./quarantine.ts"
import { applyView, type Corrections, fetchView, readRest } from "./reconcile.ts"
import { mayBeShown } from "./unnamed.ts"

// What the private session reports, applied to its order. A report that cannot be applied is kept raw, and the order is asked for:
// the actor never dies of a venue's word (order-path 3).

/** Reports of orders and balances; what concerns the session itself is its keeper's affair. */
export type OrderReport = Exclude<
  SessionReport,
  { readonly _tag: "StreamDown" } | { readonly _tag: "StreamUp" } | { readonly _tag: "SessionRefused" }
>

export const applyReport = (core: AccountCore, report: OrderReport): void => {
  switch (report._tag) {
    case "BalancesSeen":
      applyBalances(core, report.balances)
      return
    case "OrderSeen": {
      const { state } = report
      const working = core.orders.findAtVenue(state)
      if (working !== undefined) {
        attempt(core, working, report, () => seen(core, working, state, false))
        return
      }
      seeStray(core, state, report)
      return
    }
    case "Filled": {
      const { fill } = report
      const working = core.orders.findAtVenue(fill)
      // Memory may have forgotten whose the trade is.
      const isUnsure =
        working === undefined || isTerminal(working.order.orderStatus) || core.orders.mayBeForgotten(fill)
      if (isUnsure) strayFill(core, fill, false)
      else attempt(core, working, fill, () => applyFill(core, working, fill, false))
      return
    }
    default: {
      const working = core.orders.get(report.tradeOrderId)
      if (working !== undefined) {
        attempt(core, working, report, () => applyOutcome(core, working, report))
        return
      }
      withStray(core, stranger(report.tradeOrderId), (found) =>
        attempt(core, found, report, () => applyOutcome(core, found, report)),
      )
      return
    }
  }
}

const stranger = (tradeOrderId: TradeOrderId) => ({
  tradeOrderId,
  externalOrderId: "",
  state: null,
  instrumentId: null,
})

/** The venue takes no orders for an instrument at all: so its book is not a usable price, least of all for dealers. */
const MARKET_CLOSED = "MARKET_CLOSED"

type Outcome = Exclude<OrderReport, { readonly _tag: "BalancesSeen" | "OrderSeen" | "Filled" }>

const applyOutcome = (core: AccountCore, working: WorkingOrder, report: Outcome): void => {
  if (report._tag === "CancelAccepted" || report._tag === "CancelRefused" || report._tag === "CancelInDoubt")
    cancelAnswered(working)
  if ("externalOrderId" in report) venueId(report.externalOrderId)
  tellMarket(core, working.order, report)
  const isUnproven = report._tag === "Refused" && mayBeShown(core, working)
  take(core, working, isUnproven ? unproven(report) : report)
}

const tellMarket = ({ parts: { markets } }: AccountCore, order: TradeOrder, report: Outcome): void => {
  if (report._tag === "Refused" && report.code === MARKET_CLOSED) markets.marketClosed(order.instrumentId)
  else if (report._tag === "Accepted" && mayTake(order)) markets.marketOpen(order.instrumentId, order.createdAt)
}

/** Trades at once or ends. A venue that only collects orders takes those that may rest: they say nothing of a market that is open. */
const mayTake = ({ orderType, timeInForce }: TradeOrder): boolean =>
  orderType === "MARKET" || (orderType === "LIMIT" && (timeInForce === "IOC" || timeInForce === "FOK"))

/** The refusal of an order that may be shown without our id. */
const unproven = ({ code, at }: Extract<Outcome, { readonly _tag: "Refused" }>): OrderEvidence => ({
  _tag: "InDoubt",
  reason: `rejected, but the venue lists an order that may be it: ${code}`,
  at,
})

const BACKOFF_MILLIS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]

export interface SessionKeeper {
  readonly open: () => void
  readonly close: () => void
  /** `session`: who says it. A session that is over is not believed. */
  readonly report: (report: SessionReport, session: object) => void
  /** No credential works: the session ends and the account is INACTIVE. */
  readonly refused: (reason: string) => void
  /** A credential is revoked while others are left: a session that signs with it ends, and one with another of them opens. */
  readonly withdrawn: (credentialId: CredentialId) => void
  /** No session, and none will come by itself. */
  readonly isHopeless: () => boolean
  /** A session is open, or being opened. */
  readonly isTrying: () => boolean
}

/** What waited for a session is looked at. */
const becameReady = (core: AccountCore): void => {
  for (const working of core.orders.openLives()) dispatchIfReady(core, working)
  if (core.orders.openLives().some(isOfList)) listsOf(core).becameReady()
}

export const keepSession = (
  core: AccountCore,
  post: (report: SessionReport, session: object) => void,
): SessionKeeper => {
  const { parts, self } = core
  let end: (() => void) | null = null
  let attempt = 0
  let again = false
  /** The session that is open or being opened. */
  let current: object | null = null
  /** Null: not known yet, or the venue needs none. */
  let signsWith: CredentialId | null = null
  let hopeless = false

  const backoff = (run: () => void): void => {
    const pause = BACKOFF_MILLIS[Math.min(attempt, BACKOFF_MILLIS.length - 1)]!
    attempt++
    self.later(pause, run)
  }

  const wanted = (): boolean => core.account.status !== "DISCONNECTED" && core.account.status !== "INACTIVE"

  /** Ends the turn in which the session opens and agrees with the venue for the first time. */
  let agreed = (): void => undefined
  /** It has slept, and nothing was different since: clients are not told that it wakes. */
  let isSilent = core.rest !== null && core.account.status === "ACTIVE"

  const unavailable = (): void => {
    if (isSilent) return
    if (core.account.status === "ACTIVE") core.saveAccount({ status: "UNAVAILABLE" })
  }

  const open = (): void => {
    if (!wanted() || end !== null) return
    hopeless = false
    core.connection.isWaking = core.venue.inProcess && core.account.status !== "LOCKED"
    unavailable()
    const session = {}
    current = session
    signsWith = null
    core.connection.isStreamDown = false
    const work = Effect.gen(function* () {
      // The vault may have to prove a key at the venue: that is part of the turn.
      if (!core.venue.inProcess) {
        const endTurn = yield* parts.openings.turn(core.account.venue)
        if (current === session) agreed = endTurn
      }
      const needsSecrets = parts.venues.find(core.account.venue)?.needsCredentials === true
      const usable = needsSecrets ? yield* parts.vault.usableOf(core.id) : null
      const secrets = usable?.secrets ?? null
      if (current === session) signsWith = usable?.credentialId ?? null
      const report = (it: SessionReport): void => post(it, session)
      return yield* parts.venues.openSession({ account: core.account, secrets, report })
    })
    let isClosed = false
    let release = (): void => undefined
    const close = (): void => {
      isClosed = true
      release()
    }
    end = close
    release = self.open(work, (exit) => {
      if (isClosed) return
      if (Exit.isSuccess(exit)) return opened(exit.value)
      end = null
      const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
      if (failure?._tag === "CredentialRevoked") return refused("no usable credential")
      isSilent = false
      core.connection.isUnreachable = true
      unavailable()
      core.connection.awake()
      backoff(open)
    })
    // In the turn in which it was opened.
    if (isClosed) release()
  }

  const opened = (session: VenueSession): void => {
    core.connection.session = session
    core.connection.isUnreachable = core.connection.isStreamDown
    reconcile()
  }

  const close = (): void => {
    core.connection.session = null
    core.connection.phase = "away"
    current = null
    end?.()
    end = null
  }

  const reconcile = (): void => {
    const { session } = core.connection
    if (session === null) return
    if (core.connection.phase === "reconciling") {
      again = true
      return
    }
    core.connection.phase = "reconciling"
    again = false
    unavailable()
    // Its own: another session may have its turn by the time of the answer.
    const endTurn = agreed
    self.fork(fetchView(core, session), (exit) => {
      endTurn()
      if (core.connection.session !== session) return
      if (Exit.isFailure(exit)) {
        core.connection.phase = "away"
        core.connection.isUnreachable = true
        isSilent = false
        unavailable()
        flush()
        core.connection.awake()
        backoff(reconcile)
        return
      }
      attempt = 0
      core.connection.isUnreachable = core.connection.isStreamDown
      const view = exit.value
      const corrections = applyView(core, view)
      flush()
      core.connection.phase = "away"
      if (again) return reconcile()
      if (core.connection.isStreamDown) {
        takeUp()
        core.connection.settle()
      } else ready(view.scan.since, corrections)
      readRest(core, session, view)
    })
  }

  const flush = (): void => {
    for (const report of core.connection.takeBuffered()) order(report)
  }

  const ready = (from: number, corrections: Corrections): void => {
    core.connection.phase = "ready"
    const reconciled = { from, to: parts.clock.now(), ...corrections }
    const event = core.outlet.news.of("TRADING_ACCOUNT.RECONCILED", JSON.stringify(reconciled))
    const { status } = core.account
    const isNews = !isSilent || corrections.backfilledExecutions + corrections.correctedOrders > 0
    isSilent = false
    if (status === "CREATED" || status === "UNAVAILABLE" || status === "NEW")
      core.saveAccount({ status: "ACTIVE" }, { after: [event] })
    else if (isNews) core.outlet.commit([], [event])
    takeUp()
    becameReady(core)
    core.connection.settle()
  }

  /** What was asked while there was no session. */
  const takeUp = (): void => {
    for (const working of core.orders.openLives()) {
      // What was asked while the venue was away is sent now; a cancel whose submit is in doubt is part of that doubt.
      if (working.order.cancelRequested && working.cancels._tag === "UNSENT") sendFirstCancel(core, working)
    }
    askAgain(core)
  }

  const refused = (reason: string): void => {
    close()
    hopeless = true
    if (core.account.status === "LOCKED" || core.account.status === "DISCONNECTED") return
    core.saveAccount({ status: "INACTIVE" })
    // What became of the orders at the venue is unknown from now on. What never left the gateway is in no doubt.
    for (const working of core.orders.openLives()) if (mayBeThere(working)) lose(working)
    core.outlet.alert({ code: "CREDENTIAL_REFUSED", severity: "CRITICAL", message: reason, tradeOrderId: null })
    core.connection.settle()
  }

  const lose = (working: WorkingOrder): void => {
    if (working.order.doubt === null)
      core.change(working, { ...working.order, doubt: doubtWhenLost(working.order) }, null, { portfolio: false })
  }

  const withdrawn = (credentialId: CredentialId): void => {
    if (end === null || (signsWith !== null && signsWith !== credentialId)) return
    close()
    isSilent = false
    // No session hears any more what the venue answers to requests that are under way.
    for (const working of core.orders.openLives())
      if (mayBeThere(working) && doubtWhenLost(working.order).kind !== "UNREACHABLE") lose(working)
    open()
  }

  const order = (report: SessionReport): void => {
    parts.failpoint.hit(report._tag === "Filled" ? "fill.received" : "report.received")
    applyReport(core, report as OrderReport)
    parts.failpoint.hit("report.handedToWriter")
  }

  const report = (it: SessionReport, session: object): void => {
    if (session !== current) return
    switch (it._tag) {
      case "StreamDown":
        core.connection.isStreamDown = true
        core.connection.isUnreachable = true
        isSilent = false
        if (core.connection.phase === "ready") core.connection.phase = "away"
        unavailable()
        return
      case "StreamUp":
        core.connection.isStreamDown = false
        core.connection.isUnreachable = false
        reconcile()
        return
      case "SessionRefused":
        refused(it.reason)
        return
      default:
        if (core.connection.phase === "reconciling") core.connection.buffer(it)
        else order(it)
    }
  }

  startAudits(core)
  return {
    open,
    close,
    report,
    refused,
    withdrawn,
    isHopeless: () => hopeless || (core.connection.session === null && !wanted()),
    isTrying: () => end !== null || wanted(),
  }
}
