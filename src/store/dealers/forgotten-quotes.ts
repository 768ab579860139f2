/**
 * Deletes quotes that were not executed, some days after they ended, at least 7: as long as other request keys are kept (contract C2). The one thing to
 * know: what was executed stays for ever, for the ledger's transfers, trades and hedges name it.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

const DAY_MILLIS = 86_400_000
const DAYS_KEPT = 7
/** Rows of one statement: some milliseconds of work, so that no commit waits for it. */
const PAGE = 1_000
/** Between pages: the disk is the writers' as well. */
const PAGE_PAUSE = "50 millis"

/** Run now and then, with the wall time; answers how many went. */
export const forgetQuotes = (now: number, daysKept = DAYS_KEPT): Effect.Effect<number, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let gone = 0
    for (;;) {
      const rows = yield* sql`
        DELETE FROM quote WHERE quote_id IN (
          SELECT quote_id FROM quote
          WHERE status IN ('REJECTED', 'EXPIRED', 'CANCELLED') AND updated_at < ${now - daysKept * DAY_MILLIS}
          ORDER BY updated_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED) RETURNING 1`
      gone += rows.length
      if (rows.length < PAGE) return gone
      yield* Effect.sleep(PAGE_PAUSE)
    }
  })
