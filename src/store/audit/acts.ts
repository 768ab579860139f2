/**
 * Acts of users, operators and the gateway itself as statements and as rows of the audit. The one thing to know: there is no act without its row
 * and no row without its act, for both are one transaction; what was refused has a row, too. The row is the last statement, since its lock on
 * the lane's head is held until the commit.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import { cleaned } from "../../domain/clean-text.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { Act } from "../../domain/user/act.ts"
import { allOrUnavailable, orUnavailable } from "../postgres/storage-failure.ts"
import { orFound } from "../postgres/transactions.ts"

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

/** What is learnt of an act while it is done. */
export type Learnt = Partial<Pick<Act, "object" | "otherId" | "asset" | "amount" | "what">>

/** Stores what it is given in the transaction of an act, with the act's row. */
export type Audited<A> = (storing: Effect.Effect<A, StorageUnavailable>) => Effect.Effect<A, StorageUnavailable>

export class Acts extends Context.Tag("store/Acts")<
  Acts,
  {
    /**
     * Does `work` and writes its row, both or neither. StorageUnavailable: it may have been done all the same, with its row. Any other
     * failure: nothing of it was done, and a row says so.
     */
    readonly commit: <A, E extends DomainError, R>(
      act: Act,
      work: (learn: (learnt: Learnt) => void) => Effect.Effect<A, E, R>,
    ) => Effect.Effect<A, E | StorageUnavailable, R>
    /** Writes the row of an act that another writer refused. */
    readonly refused: (act: Act, result: string) => Effect.Effect<void>
    /** What another writer has committed: for the logs. */
    readonly told: (act: Act, result: string) => void
  }
>() {}

interface ActsOptions {
  /** Hears of each act once its row is stored, and of those that found the database away. */
  readonly told: (act: Act, result: string) => void
  /** Wall time, ms. */
  readonly now: () => number
  readonly uuid: () => string
}

export const actsLayer = ({ told, now, uuid }: ActsOptions): Layer.Layer<Acts, never, SqlClient.SqlClient> =>
  Layer.effect(
    Acts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      /** Not under the act's own id: the act may be tried again under it, and be done then. */
      const refused = (act: Act, result: string): Effect.Effect<void> =>
        orUnavailable(auditWrite(sql, laneOf(act), [actRow({ ...act, actId: uuid() }, now(), result)])).pipe(
          // The act itself left nothing that a row would have to answer for.
          Effect.ignore,
          Effect.zipRight(Effect.sync(() => told(act, result))),
          Effect.uninterruptible,
        )

      const commit = <A, E extends DomainError, R>(
        act: Act,
        work: (learn: (learnt: Learnt) => void) => Effect.Effect<A, E, R>,
      ): Effect.Effect<A, E | StorageUnavailable, R> =>
        Effect.suspend(() => {
          let known = act
          let isNew = false
          const both = Effect.gen(function* () {
            const answer = yield* work((learnt) => {
              known = { ...known, ...learnt }
            })
            const written = yield* auditWrite(sql, laneOf(known), [actRow(known, now(), "ok")])
            // Of a commit without an answer the row may be found by the act's second try.
            isNew ||= written > 0
            return answer
          })
          // The row of an act says that it was done: a commit without an answer is looked up by it.
          const isStored = sql`SELECT FROM audit_row WHERE act_id = ${act.actId}`.pipe(
            Effect.map((rows) => rows.length === 1),
          )
          const whole = allOrUnavailable(sql.withTransaction(both).pipe(orFound(isStored))) as Effect.Effect<
            A,
            E | StorageUnavailable,
            R
          >
          return Effect.onExit(whole, (exit) => {
            if (Exit.isSuccess(exit)) return Effect.sync(() => (isNew ? told(known, "ok") : undefined))
            const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
            const tag = failure?._tag ?? "InternalDefect"
            return tag === "StorageUnavailable" ? Effect.sync(() => told(known, tag)) : refused(known, tag)
          })
        })

      return { commit, refused, told }
    }),
  )
