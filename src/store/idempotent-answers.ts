/**
 * What operations with an Idempotency-Key answered (contract C2): the first call claims its key before it does anything, its answer is
 * kept for 7 days. The one thing to know: a claim without an answer means that nobody knows whether the operation was done.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../domain/errors.ts"
import type { UserId } from "../domain/ids.ts"
import { orUnavailable } from "./storage-failure.ts"

const KEPT_MILLIS = 7 * 86_400_000

export interface AnswerKey {
  readonly userId: UserId
  readonly operation: string
  readonly key: string
}

export interface KeptAnswer {
  readonly fingerprint: string
  /** JSON text; null: the first call's outcome is not known. */
  readonly answer: string | null
}

export class IdempotentAnswers extends Effect.Service<IdempotentAnswers>()("store/IdempotentAnswers", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const where = ({ userId, operation, key }: AnswerKey) =>
      sql`user_id = ${userId} AND operation = ${operation} AND key = ${key}`

    return {
      /** Null: the key is the caller's now. Otherwise what an earlier call left. */
      claim: (key: AnswerKey, fingerprint: string, now: number): Effect.Effect<KeptAnswer | null, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const claimed = yield* sql`
              INSERT INTO idempotent_answer (user_id, operation, key, fingerprint, created_at)
              VALUES (${key.userId}, ${key.operation}, ${key.key}, ${fingerprint}, ${now})
              ON CONFLICT (user_id, operation, key) DO NOTHING RETURNING 1`
            if (claimed.length > 0) return null
            const [kept] = yield* sql<KeptAnswer>`SELECT fingerprint, answer FROM idempotent_answer WHERE ${where(key)}`
            // Released between the two: the earlier call did nothing, and this one did not get the key.
            return kept ?? { fingerprint, answer: null }
          }),
        ),

      keep: (key: AnswerKey, answer: string): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`UPDATE idempotent_answer SET answer = ${answer} WHERE ${where(key)}`).pipe(Effect.asVoid),

      /** Nothing was done: the key may be used again. */
      release: (key: AnswerKey): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM idempotent_answer WHERE ${where(key)} AND answer IS NULL`).pipe(Effect.asVoid),

      /** Run now and then. */
      forgetOld: (now: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM idempotent_answer WHERE created_at < ${now - KEPT_MILLIS}`).pipe(Effect.asVoid),
    }
  }),
}) {}
