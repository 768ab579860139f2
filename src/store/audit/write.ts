/**
 * Acts as rows of the audit: the text that audit_write takes, and the lane in which a row stands. The one thing to know: it is the last
 * statement of a transaction, since its lock on the lane's head is held until the commit.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { cleaned } from "../../domain/clean-text.ts"
import type { Act } from "../../domain/user/act.ts"

const WHAT_LENGTH_MAX = 500

/** An act as audit_write reads it. `result`: `ok`, or the failure's tag; absent where the statement says it. */
export const actRow = (act: Act, at: number, result?: string) => ({
  ...act,
  at,
  ...(result === undefined ? {} : { result }),
  actor: { ...act.actor, userAgent: act.actor.userAgent === null ? null : cleaned(act.actor.userAgent) },
  ...(act.what === undefined ? {} : { what: cleaned(act.what.slice(0, WHAT_LENGTH_MAX)) }),
})

const PEOPLE_LANES = 8

/** Of acts that have a transaction of their own: users do not wait for each other, and each user's acts stand in one lane. */
export const laneOf = ({ actor }: Act): string => {
  if (actor.kind !== "USER") return actor.kind.toLowerCase()
  return `people-${actor.userId === null ? 0 : Number.parseInt(actor.userId.slice(-2), 16) % PEOPLE_LANES}`
}

/** Within the transaction of the act. Answers how many rows are new: an act that is known has its own already. */
export const auditWrite = (
  sql: SqlClient.SqlClient,
  lane: string,
  rows: ReadonlyArray<ReturnType<typeof actRow>>,
): Effect.Effect<number, SqlError> =>
  sql<{ written: number }>`SELECT audit_write(${lane}, ${JSON.stringify(rows)}::jsonb) AS written`.pipe(
    Effect.map(([row]) => row?.written ?? 0),
  )
