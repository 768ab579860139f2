/**
 * `archive`: moves orders that ended before a day out of the tables that orders are written to, with or without a running gateway. They can be
 * read as before. The one thing to know: the act's row is written before the first order is moved, and an interrupted run can simply be repeated.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { Actor } from "../domain/user/act.ts"
import { Acts } from "../store/audit/acts.ts"
import { ARCHIVED_AFTER_MILLIS, type Archived, archiveOrders, isArchiveThere } from "../store/orders/archive.ts"

export interface ArchiveCommand {
  readonly _tag: "Archive"
  /** As it was given. */
  readonly day: string
}

export const ARCHIVE_USAGE = `  archive --before YYYY-MM-DD      move orders that ended before that day (UTC) to the archive, where they can still be read and listed
`

/** Undefined: the words are another command, or none. */
export const parseArchive = ([name, option, day, ...more]: ReadonlyArray<string>): ArchiveCommand | undefined =>
  name === "archive" && option === "--before" && day !== undefined && more.length === 0
    ? { _tag: "Archive", day }
    : undefined

const PROGRESS_MILLIS = 5_000

const instantOf = (day: string, now: number): Effect.Effect<number, InvalidParameter> => {
  const before = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
  const newest = new Date(now - ARCHIVED_AFTER_MILLIS).toISOString().slice(0, 10)
  // 2026-02-30 is parsed as a day in March.
  if (Number.isNaN(before) || new Date(before).toISOString().slice(0, 10) !== day || day > newest)
    return Effect.fail(
      new InvalidParameter({
        parameter: "--before",
        reason: `must be a day, YYYY-MM-DD, not after ${newest}, not "${day}"`,
      }),
    )
  return Effect.succeed(before)
}

/** What was moved. */
export const runArchive = ({ day }: ArchiveCommand, now: number, actor: Actor) =>
  Effect.gen(function* () {
    const before = yield* instantOf(day, now)
    if (!(yield* isArchiveThere))
      return yield* new InvalidParameter({
        parameter: "database",
        reason: "this version of the gateway has not used it yet: start the gateway once",
      })
    const act = { actId: randomUUID(), action: "orders.archive" as const, actor, object: null }
    yield* (yield* Acts).commit({ ...act, what: `ended before ${day}` }, () => Effect.void)
    let toldAt = now
    const progress = ({ orders }: Archived): void => {
      if (Date.now() - toldAt < PROGRESS_MILLIS) return
      toldAt = Date.now()
      process.stderr.write(`${orders} orders moved\n`)
    }
    return { before: day, ...(yield* archiveOrders({ before, progress })) }
  })
