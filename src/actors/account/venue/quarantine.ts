/**
 * Parses a venue's values, and quarantines what is invalid: evidence that cannot be applied, or that the store refuses, is stored raw for
 * operators, and its order is queried. The one thing to know: everything a venue reports goes through `attempt`, so that no report ends the actor
 * (order-path 3). What the store refused is retried after a pause with the venue's state at that time.
 */
import { cleaned, isClean } from "../../../domain/clean-text.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { AccountCore } from "../core.ts"
import type { WorkingOrder } from "../working-order.ts"
import { inquire } from "./question.ts"

// A venue's texts as values; what is none is refused, and put into quarantine by the caller.

/** An id of the venue: it must stay what it is, so one that cannot be stored is no id. */
export const venueId = (text: string): string => {
  if (!isClean(text)) throw new Error(`not a venue id: ${text.slice(0, 60)}`)
  return text
}

export const decimal = (text: string): Decimal => {
  const value = Decimal.fromVenue(text)
  if (value === undefined) throw new Error(`not a venue decimal: ${text.slice(0, 60)}`)
  return value
}

/** Venue time, ms. */
export const instant = (at: number): number => {
  if (!Number.isSafeInteger(at)) throw new Error(`not an instant: ${at}`)
  return at
}

const REPORT_LENGTH_MAX = 100_000

/** Applies evidence; a throw puts it into quarantine, and the answer is undefined. Each step computes the next image before it installs it. */
export const attempt = <A>(
  core: AccountCore,
  working: WorkingOrder | null,
  evidence: unknown,
  apply: () => A,
): A | undefined => {
  const outer = core.outlet.cause
  core.outlet.cause = evidence
  try {
    if (!core.refusals.allows(evidence)) throw new Error("the store refused it twice")
    return apply()
  } catch (reason) {
    core.outlet.cause = null
    quarantine(core, working, evidence, reason)
    const pause = working === null ? null : core.refusals.pauseOf(evidence)
    if (working !== null && pause !== null) core.sequels.readAgain(core, working, pause)
    return undefined
  } finally {
    core.outlet.cause = outer
  }
}

/**
 * The same evidence is stored once, and is no reason to ask the venue again: its answer would be the same. Why it could not be applied may be
 * a word of the program's inside or of the store: it stands in the report's row, for operators; the order, which clients read, names the row.
 */
export const quarantine = (
  core: AccountCore,
  working: WorkingOrder | null,
  evidence: unknown,
  reason: unknown,
): void => {
  if (!core.quarantine.add(evidence)) return
  const why = cleaned(reason instanceof Error ? reason.message : String(reason))
  const report = cleaned(JSON.stringify(evidence).slice(0, REPORT_LENGTH_MAX))
  const tradeOrderId = working?.order.tradeOrderId ?? null
  const id = core.parts.ids.uuid()
  const at = core.parts.clock.now()
  core.outlet.commit([{ _tag: "Quarantined", id, tradeOrderId, report, reason: why, at }], [])
  if (working !== null)
    inquire(core, working, `a report from the venue was not applied and is kept for operators under ${id}`)
}
