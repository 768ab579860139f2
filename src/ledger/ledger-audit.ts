/**
 * The audit of the ledger, look by look: what was found, and when. The one thing to know: a look that fails is no look. It is told, it
 * counts, and what was audited grows old, which is part of health.
 */
import { Effect } from "effect"
import type { Notice } from "../foundation/log-line.ts"
import type { LedgerAuditHealth } from "../ports/ledger-watch.ts"
import { type AuditLook, AuditUnfinished, lookAtLedger } from "../store/ledger/audit-run.ts"
import { paceOf, wholeEveryMillis } from "./audit-pace.ts"

/** Of a pass over a long journal, which takes hours. */
const PROGRESS_MILLIS = 600_000

export interface LedgerAudit {
  readonly look: Effect.Effect<void, AuditUnfinished>
  readonly health: () => LedgerAuditHealth
}

export const makeLedgerAudit = (options: {
  readonly url: string
  readonly now: () => number
  readonly notice: Notice
  /** From the end of one look to the next. */
  readonly pauseMillis: number
  readonly maxAgeMillis: number
  readonly wholeMaxAgeMillis: number
  readonly look?: typeof lookAtLedger
}): LedgerAudit => {
  const { now, notice, pauseMillis, maxAgeMillis, wholeMaxAgeMillis, look = lookAtLedger } = options
  let last: AuditLook | null = null
  let auditedAt: number | null = null
  let tookMillis: number | null = null
  let failures = 0
  const madeAt = now()
  let isFailing = false
  let toldAt = 0
  /** Of the pass over the whole journal: rows in a millisecond, and what a look does beside its step. */
  let perMilli: number | null = null
  let besideMillis = 0

  const ageOf = (wholeAt: number | null): number | null => (wholeAt === null ? null : Math.max(0, now() - wholeAt))
  const pace = (left: number, wholeAt: number | null) =>
    paceOf({
      left,
      perMilli,
      ageMillis: ageOf(wholeAt),
      maxAgeMillis: wholeMaxAgeMillis,
      restMillis: pauseMillis + besideMillis,
    })

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
    const step = found.whole
    if (step !== null && step.rows > 0) {
      const rate = step.rows / Math.max(1, step.millis)
      perMilli = perMilli === null ? rate : (perMilli + rate) / 2
      besideMillis = Math.max(0, millis - step.millis)
    }
    auditedAt = now()
    tookMillis = millis
    isFailing = false
  }

  const failed = (error: unknown): AuditUnfinished => {
    failures++
    isFailing = true
    notice("the ledger could not be audited", { error: String(error), failures }, "error")
    return error instanceof AuditUnfinished ? error : new AuditUnfinished({ message: String(error) })
  }

  return {
    look: Effect.tryPromise({
      try: async () => {
        const begun = performance.now()
        const found = await look({
          url: options.url,
          now,
          progress,
          wholeEveryMillis: wholeEveryMillis(wholeMaxAgeMillis),
          stepMillis: (left, wholeAt) => pace(left, wholeAt).stepMillis,
        })
        succeeded(found, performance.now() - begun)
      },
      catch: failed,
    }),
    health: () => {
      const ageMillis = Math.max(0, now() - (auditedAt ?? madeAt))
      const wholeAt = last?.wholeAt ?? null
      const wholeAgeMillis = ageOf(wholeAt)
      const step = last?.whole ?? null
      const { endsInMillis, isLate } = pace(step?.left ?? 0, wholeAt)
      return {
        violations: last?.violations ?? [],
        auditedAt,
        wholeAt,
        isFailing,
        ageMillis,
        isOld: ageMillis > maxAgeMillis,
        wholeAgeMillis,
        isWholeOld: wholeAgeMillis === null || wholeAgeMillis > wholeMaxAgeMillis,
        wholePass: step === null ? null : { left: step.left, of: step.of, endsInMillis, isLate },
        failures,
        tookMillis,
      }
    },
  }
}
