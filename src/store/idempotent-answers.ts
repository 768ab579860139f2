/**
 * The answers of operations with an Idempotency-Key (contract C2): the first call claims its key before it does anything, its answer is kept for
 * 7 days, or longer where that is set. The one thing to know: a claim without an answer means that it is unknown whether the operation was
 * performed.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { UserId } from "../domain/ids.ts"
import { Awaited, orUnavailable } from "./postgres/storage-failure.ts"

const DAY_MILLIS = 86_400_000
const DAYS_KEPT = 7

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

export interface KeyClaim {
  /** A uuid: the same until the claim is released or forgotten. */
  readonly claimId: string
  /** What an earlier call left; null: the key is the caller's now. */
  readonly kept: KeptAnswer | null
}

export class IdempotentAnswers extends Effect.Service<IdempotentAnswers>()("store/IdempotentAnswers", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const where = ({ userId, operation, key }: AnswerKey) =>
      sql`user_id = ${userId} AND operation = ${operation} AND key = ${key}`

    /** The caller has gone without using the key: a repeat must not be answered "outcome unknown". */
    const freeUnlessAwaited = (key: AnswerKey, claimId: string | undefined) =>
      Effect.flatMap(Awaited, (isAwaited) =>
        claimId === undefined || isAwaited()
          ? Effect.void
          : Effect.asVoid(sql`DELETE FROM idempotent_answer WHERE ${where(key)} AND claim_id = ${claimId}`),
      )

    const claim = (key: AnswerKey, fingerprint: string, now: number): Effect.Effect<KeyClaim, StorageUnavailable> =>
      Effect.gen(function* () {
        const [claimed] = yield* orUnavailable(
          sql<{ claim_id: string }>`
            INSERT INTO idempotent_answer (user_id, operation, key, fingerprint, created_at)
            VALUES (${key.userId}, ${key.operation}, ${key.key}, ${fingerprint}, ${now})
            ON CONFLICT (user_id, operation, key) DO NOTHING RETURNING claim_id`.pipe(
            Effect.tap(([claimed]) => freeUnlessAwaited(key, claimed?.claim_id)),
          ),
        )
        if (claimed !== undefined) return { claimId: claimed.claim_id, kept: null }
        const [row] = yield* orUnavailable(
          sql<
            KeptAnswer & { claim_id: string }
          >`SELECT claim_id, fingerprint, answer FROM idempotent_answer WHERE ${where(key)}`,
        )
        // Released between the two: it is free.
        if (row === undefined) return yield* claim(key, fingerprint, now)
        return { claimId: row.claim_id, kept: { fingerprint: row.fingerprint, answer: row.answer } }
      })

    return {
      claim,

      keep: (claimId: string, key: AnswerKey, answer: string): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql`UPDATE idempotent_answer SET answer = ${answer} WHERE ${where(key)} AND claim_id = ${claimId}`,
        ).pipe(Effect.asVoid),

      /** Nothing was done: the key may be used again. A claim made since stays. */
      release: (claimId: string, key: AnswerKey): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql`DELETE FROM idempotent_answer WHERE ${where(key)} AND claim_id = ${claimId} AND answer IS NULL`,
        ).pipe(Effect.asVoid),

      /** Run now and then. */
      forgetOld: (now: number, daysKept = DAYS_KEPT): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM idempotent_answer WHERE created_at < ${now - daysKept * DAY_MILLIS}`).pipe(
          Effect.asVoid,
        ),
    }
  }),
}) {}
