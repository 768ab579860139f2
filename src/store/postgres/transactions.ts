/**
 * Transactions that callers can rely on: several statements of several repositories as one, all of them committed, or none. The one thing to
 * know: inside a transaction no caller may stop waiting on its own, because its statement would continue on a connection that belongs to another
 * caller by then; only the owner of the transaction may stop.
 */

import { SqlClient } from "@effect/sql"
import type { SqlClient as Client } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Option } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { Awaited, allOrUnavailable, Patience, untilAvailable } from "./storage-failure.ts"

/** COMMIT was sent and not acknowledged: it may have succeeded. */
class CommitUnanswered extends SqlError {
  constructor(
    cause: unknown,
    /** What the transaction answers if it was done. */
    readonly answer: unknown,
  ) {
    super({ cause, message: "The commit was not acknowledged" })
  }
}

/** Taken back, or not even begun, while that is still certain. */
const unlessForNobody: Effect.Effect<void, SqlError> = Effect.flatMap(Awaited, (isAwaited) =>
  isAwaited() ? Effect.void : new SqlError({ message: "The caller of this transaction has gone" }),
)

/**
 * `withTransaction` of a SQL client, but a connection that is lost at its end is a failure as it is anywhere else in it (the client's own
 * dies), and a transaction whose caller has gone is not committed.
 */
export const whole =
  (withTransaction: Client["withTransaction"]): Client["withTransaction"] =>
  (work) =>
    Effect.suspend(() => {
      let sent: { readonly answer: unknown } | undefined
      const inside = unlessForNobody.pipe(
        Effect.zipRight(Effect.provideService(work, Patience, null)),
        Effect.zipLeft(unlessForNobody),
        Effect.tap((answer) => {
          sent = { answer }
        }),
      )
      return Effect.catchSomeDefect(withTransaction(inside), (defect) =>
        defect instanceof SqlError
          ? Option.some(Effect.fail(sent === undefined ? defect : new CommitUnanswered(defect.cause, sent.answer)))
          : Option.none(),
      )
    })

/**
 * The outcome of an unacknowledged COMMIT is looked up as soon as the database responds. One that is not done may still be at
 * work: the transaction, whose ids are its own, is repeated, for its first row waits for the same row of the other.
 */
export const orFound =
  (isStored: Effect.Effect<boolean, SqlError>) =>
  <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchIf(
      transaction,
      (error) => error instanceof CommitUnanswered,
      (error) => {
        const { answer } = error as CommitUnanswered
        const ifThere = <E2>(otherwise: Effect.Effect<A, E2, R>): Effect.Effect<A, E2, R> =>
          Effect.flatMap(untilAvailable(isStored), (isThere) => (isThere ? Effect.succeed(answer as A) : otherwise))
        // Even if the caller has gone: what follows must know the outcome.
        const again = Effect.provideService(transaction, Awaited, () => true)
        return ifThere(Effect.catchAll(again, (failure) => ifThere(Effect.fail(failure))))
      },
    )

export class Transactions extends Effect.Service<Transactions>()("store/Transactions", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** A failure or a defect takes everything back. StorageUnavailable at the commit: it may have been done all the same. */
      all: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
        allOrUnavailable(sql.withTransaction(work)) as Effect.Effect<A, E | StorageUnavailable, R>,
    }
  }),
}) {}
