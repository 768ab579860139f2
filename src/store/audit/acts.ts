/**
 * Acts of users, operators and the gateway itself that are statements of the pool, each with its row of the audit. The one thing to know:
 * there is no act without its row and no row without its act, for both are one transaction; what was refused has a row, too.
 */
import { SqlClient } from "@effect/sql"
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { Act } from "../../domain/user/act.ts"
import { allOrUnavailable, orUnavailable } from "../postgres/storage-failure.ts"
import { orFound } from "../postgres/whole-transactions.ts"
import { actRow, auditWrite, laneOf } from "./write.ts"

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

export interface ActsOptions {
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
