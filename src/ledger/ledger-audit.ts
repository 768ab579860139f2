/**
 * The audit of the ledger: balances and open holds against each other all the time, and once a night everything that is derived from the
 * journal computed again. The one thing to know: it only reads; what it finds stands in health and metrics until it is gone.
 */
import { Effect } from "effect"
import { StorageUnavailable } from "../domain/errors/service.ts"
import type { Notice } from "../domain/log-line.ts"
import type { LedgerHealth } from "../ports/ledger-watch.ts"
import type { LedgerJournal } from "../store/ledger-journal.ts"
import { connectDedicated } from "../store/sql.ts"

const DAY_MILLIS = 86_400_000

export interface LedgerAudit {
  /** Cheap. A database that is away is no finding: the next look comes. */
  readonly look: Effect.Effect<void>
  /** Reads the whole journal, on a connection of its own. */
  readonly recompute: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** `recompute`, unless it was done this night (UTC) already; a database that is away is asked again soon. */
  readonly nightly: Effect.Effect<void>
  readonly health: () => Omit<LedgerHealth, "pressure">
}

export const makeLedgerAudit = (options: {
  readonly url: string
  readonly journal: Pick<LedgerJournal, "balanceViolations">
  readonly now: () => number
  readonly notice: Notice
}): LedgerAudit => {
  let quick: ReadonlyArray<string> = []
  let whole: ReadonlyArray<string> = []
  let auditedAt: number | null = null
  let recomputedAt: number | null = null

  const report = (found: ReadonlyArray<string>, before: ReadonlyArray<string>): void => {
    if (found.length > 0 && found.join() !== before.join())
      options.notice("the ledger is violated", { violations: found.slice(0, 20), count: found.length }, "error")
  }

  const look = options.journal.balanceViolations.pipe(
    Effect.tap((found) =>
      Effect.sync(() => {
        report(found, quick)
        quick = found
        auditedAt = options.now()
      }),
    ),
    Effect.ignore,
  )

  const readAll = async (): Promise<ReadonlyArray<string>> => {
    const client = await connectDedicated(options.url, { applicationName: "venue-gateway audit" })
    try {
      const { rows } = await client.query<{ what: string }>("SELECT what FROM ledger_violation LIMIT 100")
      return rows.map((row) => row.what)
    } finally {
      await client.end()
    }
  }

  const recompute = Effect.map(Effect.tryPromise({ try: readAll, catch: () => new StorageUnavailable() }), (found) => {
    report(found, whole)
    whole = found
    recomputedAt = options.now()
    return found
  })

  const dayOf = (at: number): number => Math.floor(at / DAY_MILLIS)

  return {
    look,
    recompute,
    nightly: Effect.suspend(() =>
      recomputedAt !== null && dayOf(recomputedAt) === dayOf(options.now()) ? Effect.void : recompute,
    ).pipe(Effect.ignore),
    health: () => ({
      violations: [...new Set([...quick, ...whole])],
      auditedAt,
      recomputedAt,
    }),
  }
}
