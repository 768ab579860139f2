/**
 * Mailed tokens, by their SHA-256 (security A.1). Each can be used once: taking it removes it. The one thing to know: a token of a signup carries
 * that signup's password and metadata, so that confirming never gives an account another person's password.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { UserId } from "../../domain/ids.ts"
import { instant } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

/** signup_repeated opens nothing: it only remembers that a mail went out. */
export type OneTimeTokenType = "signup" | "signup_repeated" | "recovery" | "email_change_current" | "email_change_new"

export interface OneTimeToken {
  readonly tokenHash: Buffer
  readonly userId: UserId
  readonly type: OneTimeTokenType
  readonly passwordHash: string | null
  readonly userMetadata: Readonly<Record<string, unknown>> | null
  readonly createdAt: number
  readonly expiresAt: number
}

interface Row {
  readonly token_hash: Buffer
  readonly user_id: string
  readonly type: OneTimeTokenType
  readonly password_hash: string | null
  readonly user_metadata: Readonly<Record<string, unknown>> | null
  readonly created_at: string
  readonly expires_at: string
}

const tokenOf = (row: Row): OneTimeToken => ({
  tokenHash: row.token_hash,
  userId: row.user_id as UserId,
  type: row.type,
  passwordHash: row.password_hash,
  userMetadata: row.user_metadata,
  createdAt: instant(row.created_at),
  expiresAt: instant(row.expires_at),
})

export class OneTimeTokens extends Effect.Service<OneTimeTokens>()("store/OneTimeTokens", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      insert: (token: OneTimeToken): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          INSERT INTO one_time_token (token_hash, user_id, type, password_hash, user_metadata, created_at, expires_at)
          VALUES (${token.tokenHash}, ${token.userId}, ${token.type}, ${token.passwordHash},
            ${token.userMetadata === null ? null : JSON.stringify(token.userMetadata)}::jsonb, ${token.createdAt},
            ${token.expiresAt})`).pipe(Effect.asVoid),

      find: (tokenHash: Buffer, now: number): Effect.Effect<OneTimeToken | null, StorageUnavailable> =>
        orUnavailable(
          sql<Row>`SELECT * FROM one_time_token WHERE token_hash = ${tokenHash} AND expires_at > ${now}`,
        ).pipe(Effect.map(([row]) => (row === undefined ? null : tokenOf(row)))),

      /** Of two that take one token at once, one gets null. */
      take: (tokenHash: Buffer, now: number): Effect.Effect<OneTimeToken | null, StorageUnavailable> =>
        orUnavailable(
          sql<Row>`DELETE FROM one_time_token WHERE token_hash = ${tokenHash} AND expires_at > ${now} RETURNING *`,
        ).pipe(Effect.map(([row]) => (row === undefined ? null : tokenOf(row)))),

      /** A user's tokens of these types that are good now, newest first. */
      pending: (
        userId: UserId,
        types: ReadonlyArray<OneTimeTokenType>,
        now: number,
      ): Effect.Effect<ReadonlyArray<OneTimeToken>, StorageUnavailable> =>
        orUnavailable(sql<Row>`
          SELECT * FROM one_time_token
          WHERE user_id = ${userId} AND type = ANY(string_to_array(${types.join(",")}, ',')) AND expires_at > ${now}
          ORDER BY created_at DESC LIMIT 20`).pipe(Effect.map((rows) => rows.map(tokenOf))),

      remove: (userId: UserId, type: OneTimeTokenType): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM one_time_token WHERE user_id = ${userId} AND type = ${type}`).pipe(Effect.asVoid),

      /** All of a user's. */
      wipe: (userId: UserId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM one_time_token WHERE user_id = ${userId}`).pipe(Effect.asVoid),

      /** Signups that wait still prove the address, and make no password the user's. */
      dropPasswords: (userId: UserId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE one_time_token SET password_hash = NULL, user_metadata = NULL
          WHERE user_id = ${userId} AND type = 'signup'`).pipe(Effect.asVoid),

      /** Run now and then. */
      forgetOld: (now: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM one_time_token WHERE expires_at <= ${now}`).pipe(Effect.asVoid),
    }
  }),
}) {}
