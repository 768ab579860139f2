/**
 * API keys as rows. The one thing to know: every change leaves a notice about its user in the same statement, so that a gateway that did not see
 * its own commit, or another program's, reads it again (`UserNews`).
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { ApiKeyId, TenantId, TradingAccountId, UserId } from "../../domain/ids.ts"
import { type ApiKey, type ApiKeyScope, KEPT_MAX, KEPT_MILLIS } from "../../domain/user/api-key.ts"
import type { User } from "../../domain/user/user.ts"
import { instant, instantOrNull } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { USER_COLUMNS, type UserRow, userOf } from "./users.ts"

interface Row {
  readonly key_id: string
  readonly user_id: string
  readonly key_tenant_id: string
  readonly name: string
  readonly prefix: string
  readonly secret_hash: Buffer
  readonly scopes: ReadonlyArray<ApiKeyScope>
  readonly trading_account_ids: ReadonlyArray<string> | null
  readonly ip_allow: ReadonlyArray<string> | null
  readonly second_factor: boolean
  readonly key_created_at: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
  readonly last_used_ip: string | null
}

const COLUMNS = `k.key_id, k.user_id, k.tenant_id AS key_tenant_id, k.name, k.prefix, k.secret_hash, k.scopes,
  k.trading_account_ids::text[] AS trading_account_ids, k.ip_allow::text[] AS ip_allow, k.second_factor,
  k.created_at AS key_created_at, k.expires_at, k.revoked_at, k.last_used_at, k.last_used_ip`

const keyOf = (row: Row): ApiKey => ({
  keyId: row.key_id as ApiKeyId,
  userId: row.user_id as UserId,
  tenantId: row.key_tenant_id as TenantId,
  name: row.name,
  prefix: row.prefix,
  secretHash: row.secret_hash,
  scopes: row.scopes,
  tradingAccountIds: row.trading_account_ids as ReadonlyArray<TradingAccountId> | null,
  ipAllow: row.ip_allow,
  secondFactor: row.second_factor,
  createdAt: instant(row.key_created_at),
  expiresAt: instantOrNull(row.expires_at),
  revokedAt: instantOrNull(row.revoked_at),
  lastUsedAt: instantOrNull(row.last_used_at),
  lastUsedIp: row.last_used_ip,
})

/** When a key was last used, and from where. */
export interface KeyUse {
  readonly keyId: ApiKeyId
  readonly at: number
  readonly ip: string
}

/** What is over: revoked, or expired. */
const OVER_AT = "least(coalesce(k.revoked_at, k.expires_at), k.expires_at, k.revoked_at)"
const IS_OVER = "(k.revoked_at IS NOT NULL OR k.expires_at <= $2)"

const arrayText = (items: ReadonlyArray<string> | null): string | null =>
  items === null ? null : `{${items.join(",")}}`

export class ApiKeyRows extends Effect.Service<ApiKeyRows>()("store/ApiKeyRows", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Under the lock of its user, and with no more than KEPT_MAX of the user's that are over beside it. As it is stored: networks in one spelling. */
      insert: (key: ApiKey): Effect.Effect<ApiKey, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const [row] = yield* sql.unsafe<Row>(
              `WITH k AS (
                 INSERT INTO api_key (key_id, user_id, tenant_id, name, prefix, secret_hash, scopes, trading_account_ids, ip_allow,
                   second_factor, created_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7::text[], $8::uuid[],
                   (SELECT array_agg(network(it) ORDER BY network(it)) FROM unnest($9::inet[]) AS it), $10, $11, $12)
                 RETURNING *
               ), told AS (INSERT INTO user_news (user_id) SELECT user_id FROM k)
               SELECT ${COLUMNS} FROM k`,
              [
                key.keyId,
                key.userId,
                key.tenantId,
                key.name,
                key.prefix,
                key.secretHash,
                arrayText(key.scopes),
                arrayText(key.tradingAccountIds),
                arrayText(key.ipAllow),
                key.secondFactor,
                key.createdAt,
                key.expiresAt,
              ],
            )
            yield* sql.unsafe(
              `DELETE FROM api_key WHERE key_id IN (
                 SELECT k.key_id FROM api_key k WHERE k.user_id = $1 AND ${IS_OVER} ORDER BY ${OVER_AT} DESC, k.key_id OFFSET ${KEPT_MAX})`,
              [key.userId, key.createdAt],
            )
            return keyOf(row!)
          }),
        ),

      find: (keyId: ApiKeyId): Effect.Effect<ApiKey | null, StorageUnavailable> =>
        orUnavailable(sql.unsafe<Row>(`SELECT ${COLUMNS} FROM api_key k WHERE k.key_id = $1`, [keyId])).pipe(
          Effect.map(([row]) => (row === undefined ? null : keyOf(row))),
        ),

      /** All of a user's, the newest first. */
      ofUser: (userId: UserId): Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<Row>(
            `SELECT ${COLUMNS} FROM api_key k WHERE k.user_id = $1 ORDER BY k.created_at DESC, k.key_id`,
            [userId],
          ),
        ).pipe(Effect.map((rows) => rows.map(keyOf))),

      /** Of a user: those that are neither revoked nor expired. */
      countLive: (userId: UserId, now: number): Effect.Effect<number, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<{ n: number }>(
            `SELECT count(*)::int AS n FROM api_key k WHERE k.user_id = $1 AND NOT coalesce(${IS_OVER}, false)`,
            [userId, now],
          ),
        ).pipe(Effect.map(([row]) => row?.n ?? 0)),

      /** One of the user's, or all; those that were good until now. The first reason stays. */
      revoke: (
        userId: UserId,
        keyId: ApiKeyId | null,
        reason: string,
        at: number,
      ): Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<Row>(
            `WITH k AS (
               UPDATE api_key SET revoked_at = $4, revoke_reason = $3
               WHERE user_id = $1 AND ($2::uuid IS NULL OR key_id = $2) AND revoked_at IS NULL RETURNING *
             ), told AS (INSERT INTO user_news (user_id) SELECT $1::uuid WHERE EXISTS (SELECT FROM k))
             SELECT ${COLUMNS} FROM k`,
            [userId, keyId, reason, at],
          ),
        ).pipe(Effect.map((rows) => rows.map(keyOf))),

      /** All that there are, with their users: for the start. */
      all: orUnavailable(
        sql.unsafe<Row & UserRow>(`SELECT ${COLUMNS}, ${USER_COLUMNS} FROM api_key k JOIN app_user u USING (user_id)`),
      ).pipe(
        Effect.map((rows) =>
          rows.map((row): { readonly key: ApiKey; readonly user: User } => ({ key: keyOf(row), user: userOf(row) })),
        ),
      ),

      /** Of many keys at once; a use that is older than what is known says nothing. */
      used: (uses: ReadonlyArray<KeyUse>): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE api_key k SET last_used_at = u.at, last_used_ip = u.ip
          FROM json_to_recordset(${JSON.stringify(uses)}::json) AS u ("keyId" uuid, at bigint, ip text)
          WHERE k.key_id = u."keyId" AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`).pipe(Effect.asVoid),

      /** Keys that are over for a month, so many at a time. Run now and then. */
      forgetOld: (now: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe(
            `DELETE FROM api_key WHERE key_id IN (
               SELECT k.key_id FROM api_key k WHERE ${OVER_AT} < $1 LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
            [now - KEPT_MILLIS],
          ),
        ).pipe(Effect.asVoid),
    }
  }),
}) {}
