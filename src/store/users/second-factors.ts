/**
 * Second factors and recovery codes. The one thing to know: a code is taken by one compare-and-set statement, so that of several concurrent
 * requests with one code only one succeeds.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

/** As sealed by the caller; opaque here. */
export interface SealedSecret {
  /** JSON. */
  readonly envelope: string
  readonly kid: string
}

export class SecondFactors extends Effect.Service<SecondFactors>()("store/SecondFactors", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** In a transaction that holds the user's lock: takes the place of one that was not confirmed. */
      put: (userId: UserId, { envelope, kid }: SealedSecret, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          INSERT INTO second_factor (user_id, secret, kid, created_at) VALUES (${userId}, ${envelope}::json, ${kid}, ${at})
          ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, kid = excluded.kid, created_at = excluded.created_at,
            last_step = 0`).pipe(Effect.asVoid),

      /** The sealed secret, confirmed or not; null: none, or its key is lost. */
      secretOf: (userId: UserId): Effect.Effect<string | null, StorageUnavailable> =>
        orUnavailable(
          sql<{
            envelope: string | null
          }>`SELECT secret::text AS envelope FROM second_factor WHERE user_id = ${userId}`,
        ).pipe(Effect.map(([row]) => row?.envelope ?? null)),

      /** False: a code of this step, or of a later one, was taken before. */
      takeStep: (userId: UserId, step: number): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE second_factor SET last_step = ${step} WHERE user_id = ${userId} AND last_step < ${step}
          RETURNING user_id`).pipe(Effect.map((rows) => rows.length === 1)),

      /** From here on sign-ins need it. */
      confirm: (userId: UserId, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET second_factor_at = ${at}, updated_at = ${at} WHERE user_id = ${userId}`).pipe(
          Effect.asVoid,
        ),

      /** With its recovery codes, and what sessions and API keys had proven by it. */
      remove: (userId: UserId, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          WITH codes AS (DELETE FROM recovery_code WHERE user_id = ${userId}),
          factor AS (DELETE FROM second_factor WHERE user_id = ${userId}),
          proofs AS (UPDATE session SET second_factor = false WHERE user_id = ${userId} AND second_factor),
          keys AS (UPDATE api_key SET second_factor = false WHERE user_id = ${userId} AND second_factor),
          told AS (INSERT INTO user_news (user_id) VALUES (${userId}))
          UPDATE app_user SET second_factor_at = NULL, updated_at = ${at} WHERE user_id = ${userId}`).pipe(
          Effect.asVoid,
        ),

      /** The session that the factor was confirmed in has proven it. */
      proven: (sessionId: SessionId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`UPDATE session SET second_factor = true WHERE session_id = ${sessionId}`).pipe(Effect.asVoid),

      /** Those of before are gone. */
      replaceCodes: (
        userId: UserId,
        hashes: ReadonlyArray<Buffer>,
        at: number,
      ): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          Effect.zipRight(
            sql`DELETE FROM recovery_code WHERE user_id = ${userId}`,
            sql`INSERT INTO recovery_code ${sql.insert(hashes.map((hash) => ({ code_hash: hash, user_id: userId, created_at: at })))}`,
          ),
        ).pipe(Effect.asVoid),

      /** False: it is none of the user's, or was taken before. */
      takeCode: (userId: UserId, hash: Buffer, at: number): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE recovery_code SET used_at = ${at} WHERE code_hash = ${hash} AND user_id = ${userId} AND used_at IS NULL
          RETURNING user_id`).pipe(Effect.map((rows) => rows.length === 1)),

      /** Recovery codes that were not taken yet. */
      codesLeft: (userId: UserId): Effect.Effect<number, StorageUnavailable> =>
        orUnavailable(sql<{ n: number }>`
          SELECT count(*)::int AS n FROM recovery_code WHERE user_id = ${userId} AND used_at IS NULL`).pipe(
          Effect.map(([row]) => row?.n ?? 0),
        ),
    }
  }),
}) {}
