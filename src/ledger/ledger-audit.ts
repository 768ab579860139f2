/**
 * The audit of the ledger, look by look: what was found, and when. The one thing to know: a look that fails is no look. It is told, it
 * counts, and what was audited grows old, which is part of health.
 */
import { Effect } from "effect"
import type { Notice } from "../domain/log-line.ts"
import type { LedgerAuditHealth } from "../ports/ledger-watch.ts"
import { type AuditLook, lookAtLedger } from "../store/ledger-audit-run.ts"

/** Of a first pass over a long journal. */
const PROGRESS_MILLIS = 10_000

export interface LedgerAudit {
  readonly look: Effect.Effect<void>
  readonly health: () => LedgerAuditHealth
}

export const makeLedgerAudit = (options: {
  readonly url: string
  readonly now: () => number
  readonly notice: Notice
  readonly maxAgeMillis: number
  readonly wholeMaxAgeMillis: number
}): LedgerAudit => {
  const { now, notice, maxAgeMillis, wholeMaxAgeMillis } = options
  let last: AuditLook | null = null
  let auditedAt: number | null = null
  let tookMillis: number | null = null
  let failures = 0
  const madeAt = now()
  let isFailing = false
  let toldAt = 0

  const progress: Parameters<typeof lookAtLedger>[0]["progress"] = ({ pass, transfers }, mark) => {
    if (now() - toldAt < PROGRESS_MILLIS) return
    toldAt = now()
    notice("the whole ledger is being audited", { pass, transfer: transfers, of: mark.transfers }, "info")
  }

  const succeeded = (found: AuditLook, millis: number): void => {
    const { violations } = found
    if (violations.length > 0 && violations.join() !== last?.violations.join())
      notice("the ledger is violated", { violations: violations.slice(0, 20), count: violations.length }, "error")
    last = found
    auditedAt = now()
    tookMillis = millis
    isFailing = false
  }

  const failed = (error: unknown): void => {
    failures++
    isFailing = true
    notice("the ledger could not be audited", { error: String(error), failures }, "error")
  }

  return {
    look: Effect.promise(async () => {
      const begun = performance.now()
      try {
        succeeded(await lookAtLedger({ url: options.url, now, progress }), performance.now() - begun)
      } catch (error) {
        failed(error)
      }
    }),
    health: () => {
      const ageMillis = Math.max(0, now() - (auditedAt ?? madeAt))
      const wholeAt = last?.wholeAt ?? null
      const wholeAgeMillis = wholeAt === null ? null : Math.max(0, now() - wholeAt)
      return {
        violations: last?.violations ?? [],
        auditedAt,
        wholeAt,
        isFailing,
        ageMillis,
        isOld: ageMillis > maxAgeMillis,
        wholeAgeMillis,
        isWholeOld: wholeAgeMillis === null || wholeAgeMillis > wholeMaxAgeMillis,
        failures,
        tookMillis,
      }
    },
  }
}
