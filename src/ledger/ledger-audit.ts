/**
 * Schedules the audit of the ledger and keeps its findings and their time. The one thing to know: a failed run does not count as a run. It is
 * logged and counted, and the age of the last completed run, which is part of health, keeps growing.
 */
import { Effect } from "effect"
import type { Notice } from "../foundation/log-line.ts"
import type { LedgerAuditHealth } from "../ports/ledger-port.ts"
import { type AuditLook, AuditUnfinished, lookAtLedger } from "../store/ledger/audit-run.ts"

// How much of each look goes to the pass over the whole journal: pure. As much as brings it to its end in time, whatever the length of the
// journal, but never more than half of the time that passes; where that is too little, it says by how much.

/** At least: a short journal is gone through in one look. */
export const STEP_MILLIS = 5_000
/** At most: what is new waits for the end of a step. Where a pass needs more of the time, looks come sooner instead. */
export const STEP_MOST_MILLIS = 60_000
const DAY_MILLIS = 86_400_000
/** Of the time that a pass has: the rest is for a journal that grows, and for a night in which the database is slower. */
const AIM = 0.75

/** A pass begins a day after the last one has ended, or sooner where passes must not be that old. */
export const wholeEveryMillis = (maxAgeMillis: number): number => Math.min(DAY_MILLIS, maxAgeMillis / 2)

interface Pace {
  readonly stepMillis: number
  /** From the end of the step to the beginning of the next: what is asked for, or less where steps of their length are not enough. */
  readonly restMillis: number
  /** Until the pass ends, if it goes on like that; null: not known yet. */
  readonly endsInMillis: number | null
  /** Half of all time is too little: the last pass will be too old before this one ends, or the first one comes that late. */
  readonly isLate: boolean
}

export const paceOf = ({
  left,
  perMilli,
  ageMillis,
  isFirst,
  maxAgeMillis,
  restMillis,
}: {
  /** Rows that the pass still has to go through, and how many it goes through in a millisecond; null: not known yet. */
  readonly left: number
  readonly perMilli: number | null
  /** Of the last pass, and from which one on it is too old. Before the first one, which is as fast as may be: since it is waited for. */
  readonly ageMillis: number
  readonly isFirst: boolean
  readonly maxAgeMillis: number
  /** From the end of one step to the beginning of the next, where nothing else is needed. */
  readonly restMillis: number
}): Pace => {
  if (perMilli === null) return { stepMillis: STEP_MILLIS, restMillis, endsInMillis: null, isLate: false }
  const most = Math.max(STEP_MILLIS, restMillis)
  const every = wholeEveryMillis(maxAgeMillis)
  const aim = isFirst ? 0 : every + (maxAgeMillis - every) * AIM - ageMillis
  const work = left / perMilli
  const wanted = work >= aim / 2 ? most : (restMillis * work) / (aim - work)
  const step = Math.min(most, Math.max(STEP_MILLIS, wanted))
  const endsInMillis = Math.round((work * (step + restMillis)) / step)
  const part = Math.min(1, STEP_MOST_MILLIS / step)
  return {
    stepMillis: Math.min(step, STEP_MOST_MILLIS),
    restMillis: restMillis * part,
    endsInMillis,
    isLate: ageMillis + endsInMillis > maxAgeMillis,
  }
}

/** Of a pass over a long journal, which takes hours. */
const PROGRESS_MILLIS = 600_000
/** Between two looks at least, whatever a pass needs. */
const PAUSE_LEAST_MILLIS = 1_000

interface LedgerAudit {
  readonly look: Effect.Effect<void, AuditUnfinished>
  /** From the end of the newest look to the next; before the first there is none. */
  readonly pauseMillis: () => number
  readonly health: () => LedgerAuditHealth
}

export const makeLedgerAudit = (options: {
  readonly url: string
  readonly enter?: Parameters<typeof lookAtLedger>[0]["enter"]
  readonly now: () => number
  readonly notice: Notice
  /** From the end of one look to the next, where no pass needs more. */
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
  /** Of the newest look; null: it came to its end. */
  let trouble: string | null = null
  let toldAt = 0
  /** Of the pass over the whole journal: rows in a millisecond, and what a look does beside its step. */
  let perMilli: number | null = null
  let besideMillis = 0

  const ageOf = (at: number | null): number | null => (at === null ? null : Math.max(0, now() - at))
  const pace = (left: number, wholeAt: number | null, since: number | null) =>
    paceOf({
      left,
      perMilli,
      ageMillis: ageOf(wholeAt ?? since) ?? 0,
      isFirst: wholeAt === null,
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
    trouble = null
  }

  const failed = (error: unknown): AuditUnfinished => {
    failures++
    // The loop tries again soon: the same words are said once.
    if (trouble !== String(error))
      notice("the ledger could not be audited", { error: String(error), failures }, "error")
    trouble = String(error)
    return error instanceof AuditUnfinished ? error : new AuditUnfinished({ message: String(error) })
  }

  return {
    look: Effect.tryPromise({
      try: async () => {
        const begun = performance.now()
        const found = await look({
          url: options.url,
          enter: options.enter,
          now,
          progress,
          wholeEveryMillis: wholeEveryMillis(wholeMaxAgeMillis),
          stepMillis: (left, wholeAt) => pace(left, wholeAt, last?.since ?? null).stepMillis,
        })
        succeeded(found, performance.now() - begun)
      },
      catch: failed,
    }),
    pauseMillis: () => {
      if (last?.whole == null) return auditedAt === null ? 0 : pauseMillis
      const { restMillis } = pace(last.whole.left, last.wholeAt, last.since)
      return Math.min(pauseMillis, Math.max(PAUSE_LEAST_MILLIS, restMillis - besideMillis))
    },
    health: () => {
      const ageMillis = Math.max(0, now() - (auditedAt ?? madeAt))
      const wholeAt = last?.wholeAt ?? null
      const wholeAgeMillis = ageOf(wholeAt)
      const step = last?.whole ?? null
      const since = last?.since ?? null
      const { endsInMillis, isLate } = pace(step?.left ?? 0, wholeAt, since)
      return {
        violations: last?.violations ?? [],
        auditedAt,
        wholeAt,
        isFailing: trouble !== null,
        ageMillis,
        isOld: ageMillis > maxAgeMillis,
        wholeAgeMillis,
        unauditedMillis: ageOf(wholeAt ?? since),
        isWholeOld: wholeAgeMillis === null || wholeAgeMillis > wholeMaxAgeMillis,
        wholePass: step === null ? null : { left: step.left, of: step.of, endsInMillis, isLate },
        failures,
        tookMillis,
      }
    },
  }
}
