/**
 * The keeper of an account's private session: opens it, agrees with the venue before the account is ACTIVE, agrees again whenever the
 * stream was interrupted, and audits while it works. Without a session the account is UNAVAILABLE and keeps trying.
 */
import { Cause, Effect, Exit, Option } from "effect"
import type { SessionReport, VenueSession } from "../ports/venue-session.ts"
import { startAudits } from "./trading-account-audit.ts"
import { sendCancel } from "./trading-account-cancel.ts"
import type { AccountCore } from "./trading-account-core.ts"
import { askAgain } from "./trading-account-doubt.ts"
import { applyView, fetchView } from "./trading-account-reconcile.ts"
import { applyReport, type OrderReport } from "./trading-account-reports.ts"

const BACKOFF_MILLIS = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]

export interface SessionKeeper {
  readonly open: () => void
  readonly close: () => void
  /** `session`: who says it. A session that is over is not believed. */
  readonly report: (report: SessionReport, session: object) => void
  /** No credential works: the session ends and the account is INACTIVE. */
  readonly refused: (reason: string) => void
  /** No session, and none will come by itself. */
  readonly isHopeless: () => boolean
  /** A session is open, or being opened. */
  readonly isTrying: () => boolean
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
  /** Events may be missing: until the stream is up again and the venue agreed with, the account is not ready, but it is audited. */
  let isStreamDown = false
  let hopeless = false

  const backoff = (run: () => void): void => {
    const pause = BACKOFF_MILLIS[Math.min(attempt, BACKOFF_MILLIS.length - 1)]!
    attempt++
    self.later(pause, run)
  }

  const wanted = (): boolean => core.account.status !== "DISCONNECTED" && core.account.status !== "INACTIVE"

  const unavailable = (): void => {
    if (core.account.status === "ACTIVE") core.saveAccount({ status: "UNAVAILABLE" })
  }

  const open = (): void => {
    if (!wanted() || end !== null) return
    hopeless = false
    core.isWaking = core.venue.inProcess && core.account.status !== "LOCKED"
    unavailable()
    const session = {}
    current = session
    isStreamDown = false
    let isClosed = false
    let resumed: (() => void) | null = null
    const close = (): void => {
      isClosed = true
      resumed?.()
    }
    const closed = Effect.async<void>((resume) => {
      if (isClosed) resume(Effect.void)
      else resumed = () => resume(Effect.void)
    })
    end = close
    const work = Effect.scoped(
      Effect.gen(function* () {
        const needsSecrets = parts.venues.find(core.account.venue)?.needsCredentials === true
        const secrets = needsSecrets ? yield* parts.vault.secretsOf(core.id) : null
        const report = (it: SessionReport): void => post(it, session)
        const opening = yield* parts.venues.openSession({ account: core.account, secrets, report })
        yield* Effect.sync(self.turn(() => opened(opening)))
        yield* closed
      }),
    )
    self.fork(work, (exit) => {
      if (end === close) end = null
      if (Exit.isSuccess(exit)) return
      const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
      if (failure?._tag === "CredentialRevoked") return refused("no usable credential")
      awake()
      backoff(open)
    })
  }

  const opened = (session: VenueSession): void => {
    if (end === null) return
    core.session = session
    reconcile()
  }

  const close = (): void => {
    core.session = null
    core.phase = "away"
    current = null
    end?.()
    end = null
  }

  const reconcile = (): void => {
    const { session } = core
    if (session === null) return
    if (core.phase === "reconciling") {
      again = true
      return
    }
    core.phase = "reconciling"
    again = false
    unavailable()
    self.fork(fetchView(core, session), (exit) => {
      if (core.session !== session) return
      if (Exit.isFailure(exit)) {
        core.phase = "away"
        flush()
        awake()
        backoff(reconcile)
        return
      }
      attempt = 0
      const corrections = applyView(core, exit.value)
      flush()
      core.phase = "away"
      if (again) return reconcile()
      if (isStreamDown) {
        takeUp()
        settle()
        return
      }
      ready({ from: exit.value.from, to: parts.clock.now(), ...corrections })
    })
  }

  const flush = (): void => {
    const reports = core.buffered
    core.buffered = []
    for (const report of reports) order(report)
  }

  const awake = (): void => {
    core.isWaking = false
    for (const run of core.deferred.splice(0)) run()
  }

  /** Whoever waited for the account goes on, ready or not. */
  const settle = (): void => {
    awake()
    for (const run of core.whenReady.splice(0)) run()
  }

  const ready = (reconciled: object): void => {
    core.phase = "ready"
    const event = core.news.of("TRADING_ACCOUNT.RECONCILED", JSON.stringify(reconciled))
    const { status } = core.account
    if (status === "CREATED" || status === "UNAVAILABLE" || status === "NEW")
      core.saveAccount({ status: "ACTIVE" }, { after: [event] })
    else core.commit([], [event])
    takeUp()
    for (const run of core.becameReady) run()
    settle()
  }

  /** What was asked while there was no session. */
  const takeUp = (): void => {
    for (const live of core.openLives()) {
      // What was asked while the venue was away is sent now; a cancel whose submit is in doubt is part of that doubt.
      if (live.order.cancelRequested && live.cancelSentAt === null) sendCancel(core, live)
    }
    askAgain(core)
  }

  const refused = (reason: string): void => {
    close()
    hopeless = true
    if (core.account.status === "LOCKED" || core.account.status === "DISCONNECTED") return
    core.saveAccount({ status: "INACTIVE" })
    for (const live of core.openLives())
      if (live.stored && !live.order.inDoubt)
        core.change(live, { ...live.order, inDoubt: true }, null, { portfolio: false })
    core.alert({ code: "CREDENTIAL_REFUSED", severity: "CRITICAL", message: reason, tradeOrderId: null })
    settle()
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
        isStreamDown = true
        if (core.phase === "ready") core.phase = "away"
        unavailable()
        return
      case "StreamUp":
        isStreamDown = false
        reconcile()
        return
      case "SessionRefused":
        refused(it.reason)
        return
      default:
        if (core.phase === "reconciling") core.buffered.push(it)
        else order(it)
    }
  }

  startAudits(core, () => core.phase === "ready" || (core.phase === "away" && isStreamDown))
  return {
    open,
    close,
    report,
    refused,
    isHopeless: () => hopeless || (core.session === null && !wanted()),
    isTrying: () => end !== null || wanted(),
  }
}
