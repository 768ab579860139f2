/**
 * API keys: authentication for programs instead of a session. The one thing to know: a key may do what both its user's rights and its scopes
 * allow, and nothing that needs a recent authentication, because possession of a key does not prove who uses it.
 */
import { Schema } from "effect"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import type { ApiKeyId, TenantId, TradingAccountId, UserId } from "../ids.ts"
import type { Permission } from "./user.ts"

export const ApiKeyScope = Schema.Literal("read", "trade", "admin")
export type ApiKeyScope = typeof ApiKeyScope.Type

/** Each implies those before it, as rights do. */
const LADDER: ReadonlyArray<readonly [ApiKeyScope, Permission]> = [
  ["read", "read"],
  ["trade", "write"],
  ["admin", "admin"],
]

export const PERMISSION_OF: Readonly<Record<ApiKeyScope, Permission>> = { read: "read", trade: "write", admin: "admin" }

/** With all that they imply, in order. */
export const scopesOf = (asked: ReadonlyArray<ApiKeyScope>): ReadonlyArray<ApiKeyScope> => {
  const highest = LADDER.findLastIndex(([scope]) => asked.includes(scope))
  return LADDER.slice(0, highest + 1).map(([scope]) => scope)
}

/** Of what its user may do now, what the key may. */
export const permissionsOf = (
  scopes: ReadonlyArray<ApiKeyScope>,
  held: ReadonlyArray<Permission>,
): ReadonlyArray<Permission> =>
  LADDER.flatMap(([scope, permission]) => (scopes.includes(scope) && held.includes(permission) ? [permission] : []))

/** As it is stored: the secret itself is nowhere. */
export interface ApiKey {
  readonly keyId: ApiKeyId
  readonly userId: UserId
  readonly tenantId: TenantId
  readonly name: string
  /** The first letters of the secret, by which people know it again. */
  readonly prefix: string
  /** SHA-256 of the secret. */
  readonly secretHash: Buffer
  readonly scopes: ReadonlyArray<ApiKeyScope>
  /** Null: whatever its user reaches. */
  readonly tradingAccountIds: ReadonlyArray<TradingAccountId> | null
  /** As `203.0.113.0/24`; null: from everywhere. */
  readonly ipAllow: ReadonlyArray<string> | null
  /** Whether its creator had verified the second factor. */
  readonly secondFactor: boolean
  readonly createdAt: number
  /** Null: never. */
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  readonly lastUsedAt: number | null
  readonly lastUsedIp: string | null
}

/** What it is limited to beside its scopes. */
export const ACCOUNTS_MAX = 100
export const NETWORKS_MAX = 32
/** Keys of one user that are neither revoked nor expired. */
export const KEYS_MAX = 50
/** A key that is over is told of, by lists and to its holder, for so long. */
export const KEPT_MILLIS = 30 * 86_400_000
/** And of one user so many, the newest. */
export const KEPT_MAX = 100

type ApiKeyStatus = "ACTIVE" | "EXPIRED" | "REVOKED"

export const ApiKeyRecord = Schema.Struct({
  apiKeyId: Schema.String,
  name: Schema.String,
  prefix: Schema.String.annotations({ description: "The first characters of the key" }),
  scopes: Schema.Array(ApiKeyScope).annotations({ description: "With those that they imply" }),
  tradingAccountIds: Schema.NullOr(Schema.Array(Schema.String)).annotations({
    description: "The accounts that the key is limited to; null: all accounts of its user",
  }),
  ipAllow: Schema.NullOr(Schema.Array(Schema.String)).annotations({
    description: "The networks that the key may be used from; null: any that are allowed for its user",
  }),
  status: Schema.Literal("ACTIVE", "EXPIRED", "REVOKED"),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  expiresAt: Schema.NullOr(Schema.Int),
  expiresAtDateTime: Schema.NullOr(Schema.String),
  revokedAt: Schema.NullOr(Schema.Int),
  revokedAtDateTime: Schema.NullOr(Schema.String),
  lastUsedAt: Schema.NullOr(Schema.Int).annotations({ description: "To the second; null: never used" }),
  lastUsedAtDateTime: Schema.NullOr(Schema.String),
  lastUsedIp: Schema.NullOr(Schema.String),
}).annotations({ identifier: "ApiKey" })
export type ApiKeyRecord = typeof ApiKeyRecord.Type

/** The one answer that has the secret. */
export const CreatedApiKey = Schema.Struct({
  ...ApiKeyRecord.fields,
  apiKey: Schema.String.annotations({
    description:
      "The key itself, shown only once: the Bearer token over HTTP and the token of the WebSocket's connect command",
  }),
}).annotations({ identifier: "CreatedApiKey" })
export type CreatedApiKey = typeof CreatedApiKey.Type

export const isExpired = ({ expiresAt }: Pick<ApiKey, "expiresAt">, now: number): boolean =>
  expiresAt !== null && expiresAt <= now

const statusOf = (key: ApiKey, now: number): ApiKeyStatus =>
  key.revokedAt !== null ? "REVOKED" : isExpired(key, now) ? "EXPIRED" : "ACTIVE"

export const apiKeyRecord = (key: ApiKey, now: number): ApiKeyRecord => ({
  apiKeyId: key.keyId,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  tradingAccountIds: key.tradingAccountIds,
  ipAllow: key.ipAllow,
  status: statusOf(key, now),
  createdAt: key.createdAt,
  createdAtDateTime: dateTime(key.createdAt),
  expiresAt: key.expiresAt,
  expiresAtDateTime: dateTimeOrNull(key.expiresAt),
  revokedAt: key.revokedAt,
  revokedAtDateTime: dateTimeOrNull(key.revokedAt),
  lastUsedAt: key.lastUsedAt,
  lastUsedAtDateTime: dateTimeOrNull(key.lastUsedAt),
  lastUsedIp: key.lastUsedIp,
})
