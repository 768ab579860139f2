/** Users, and the identity behind a request. */
import { Schema } from "effect"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import type { ApiKeyId, SessionId, TenantId, TradingAccountId, UserId } from "../ids.ts"

export const Permission = Schema.Literal("read", "write", "admin")
export type Permission = typeof Permission.Type

/** Each implies those before it. */
const RANKS: ReadonlyArray<Permission> = ["read", "write", "admin"]

/** With the right, and those that it implies. */
export const granted = (held: ReadonlyArray<Permission>, permission: Permission): ReadonlyArray<Permission> =>
  RANKS.filter((it) => held.includes(it) || RANKS.indexOf(it) <= RANKS.indexOf(permission))

/** Without the right, and those that imply it. */
export const withheld = (held: ReadonlyArray<Permission>, permission: Permission): ReadonlyArray<Permission> =>
  RANKS.filter((it) => held.includes(it) && RANKS.indexOf(it) < RANKS.indexOf(permission))

/** The installation's venues, and those that the venues run for tests (`_UAT`). */
export const UserEnvironment = Schema.Literal("PROD", "UAT")
export type UserEnvironment = typeof UserEnvironment.Type

export interface User {
  readonly userId: UserId
  readonly email: string
  readonly tenantId: TenantId
  /** admin implies write implies read; stored with all it implies. */
  readonly permissions: ReadonlyArray<Permission>
  readonly environments: ReadonlyArray<UserEnvironment>
  readonly userMetadata: Readonly<Record<string, unknown>>
  readonly emailConfirmedAt: number | null
  readonly lastSignInAt: number | null
  readonly bannedAt: number | null
  /** Why, in the admin's words; null without a ban. */
  readonly banReason: string | null
  /** Asked for and not yet confirmed by both addresses. */
  readonly pendingEmail: string | null
  /** Since when sign-ins need the second factor; null: there is none. */
  readonly secondFactorAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** What a request speaks by beside its user: an API key, and what it is limited to. */
export interface KeyTerms {
  readonly keyId: ApiKeyId
  /** Null: whatever its user reaches. */
  readonly accounts: ReadonlySet<TradingAccountId> | null
}

interface Speaker {
  readonly userId: UserId
  readonly tenantId: TenantId
  /** Of a key: those of its user that its scopes let through. */
  readonly permissions: ReadonlyArray<Permission>
  readonly environments: ReadonlyArray<UserEnvironment>
  /** When it was last proven who that is, in wall ms: at the sign-in, or since. Of a key 0: it proves nothing of who holds it. */
  readonly provenAt: number
  /** lacking: the user has one, which this session, or the one that made this key, has not proven. */
  readonly secondFactor: "none" | "lacking" | "proven"
  /** The user is admin, but not without the second factor: `permissions` are without it. */
  readonly isAdminWithheld: boolean
}

export interface SessionPrincipal extends Speaker {
  readonly sessionId: SessionId
  readonly key: null
  /** By a token of the console where that only reads: no operation that changes anything. */
  readonly isReading?: true
}

export interface KeyPrincipal extends Speaker {
  readonly sessionId: null
  readonly key: KeyTerms
}

/** Who a request speaks for: read from the live session or key each time, never from the token (order-path 5). */
export type Principal = SessionPrincipal | KeyPrincipal

/** What a socket speaks by: it ends with it. */
export type SpeakerId = SessionId | ApiKeyId

export const speakerOf = (principal: Principal): SpeakerId =>
  principal.key === null ? principal.sessionId : principal.key.keyId

/** Whether the account is among those that a key is limited to; a session is limited to none. */
export const reaches = ({ key }: Pick<Principal, "key">, account: TradingAccountId): boolean =>
  key === null || key.accounts === null || key.accounts.has(account)

export const UserRecord = Schema.Struct({
  id: Schema.String,
  email: Schema.String,
  phone: Schema.NullOr(Schema.String),
  emailConfirmedAt: Schema.NullOr(Schema.String),
  phoneConfirmedAt: Schema.NullOr(Schema.String),
  lastSignInAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  role: Schema.Literal("authenticated"),
  appMetadata: Schema.Struct({ tenantId: Schema.String, environments: Schema.Array(Schema.String) }),
  userMetadata: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  /** Asked for and not yet confirmed by both addresses; absent otherwise. */
  newEmail: Schema.optional(Schema.String),
  identities: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      userId: Schema.String,
      identityData: Schema.Struct({ email: Schema.String }),
      provider: Schema.Literal("email"),
      lastSignInAt: Schema.NullOr(Schema.String),
      createdAt: Schema.String,
      updatedAt: Schema.String,
    }),
  ),
}).annotations({ identifier: "User" })
export type UserRecord = typeof UserRecord.Type

export const userRecord = (u: User): UserRecord => ({
  id: u.userId,
  email: u.email,
  phone: null,
  emailConfirmedAt: dateTimeOrNull(u.emailConfirmedAt),
  phoneConfirmedAt: null,
  lastSignInAt: dateTimeOrNull(u.lastSignInAt),
  createdAt: dateTime(u.createdAt),
  updatedAt: dateTime(u.updatedAt),
  role: "authenticated",
  appMetadata: { tenantId: u.tenantId, environments: u.environments },
  userMetadata: u.userMetadata,
  ...(u.pendingEmail === null ? {} : { newEmail: u.pendingEmail }),
  identities: [
    {
      id: u.userId,
      userId: u.userId,
      identityData: { email: u.email },
      provider: "email",
      lastSignInAt: dateTimeOrNull(u.lastSignInAt),
      createdAt: dateTime(u.createdAt),
      updatedAt: dateTime(u.updatedAt),
    },
  ],
})

/** How a session began: by a password, or by a token that was mailed. */
export const SessionMethod = Schema.Literal("password", "signup", "recovery")
export type SessionMethod = typeof SessionMethod.Type

/** One place where the user is logged in. */
export const SessionEntry = Schema.Struct({
  sessionId: Schema.String,
  /** The one that asks. */
  current: Schema.Boolean,
  method: SessionMethod,
  ip: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  refreshedAt: Schema.Int,
  refreshedAtDateTime: Schema.String,
  /** It ends then unless it is refreshed before. */
  expiresAt: Schema.Int,
  expiresAtDateTime: Schema.String,
}).annotations({ identifier: "SessionEntry" })
export type SessionEntry = typeof SessionEntry.Type

/** A change of address after one of its two confirmations. */
export const EmailChangeRecord = Schema.Struct({
  status: Schema.Literal("PENDING", "DONE"),
  /** Whose confirmation is still missing; null when it is done. */
  awaiting: Schema.NullOr(Schema.Literal("current", "new")),
}).annotations({ identifier: "EmailChange" })
export type EmailChangeRecord = typeof EmailChangeRecord.Type

/** A user as admins see it. */
export const AdminUserRecord = Schema.Struct({
  ...UserRecord.fields,
  permissions: Schema.Array(Permission),
  bannedAt: Schema.NullOr(Schema.String),
  banReason: Schema.NullOr(Schema.String),
  secondFactorAt: Schema.NullOr(Schema.String).annotations({
    description: "Since when sign-ins need one; null: they do not",
  }),
}).annotations({ identifier: "AdminUser" })
export type AdminUserRecord = typeof AdminUserRecord.Type

export const adminUserRecord = (u: User): AdminUserRecord => ({
  ...userRecord(u),
  permissions: u.permissions,
  bannedAt: dateTimeOrNull(u.bannedAt),
  banReason: u.banReason,
  secondFactorAt: dateTimeOrNull(u.secondFactorAt),
})

export const SessionRecord = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.String,
  tokenType: Schema.Literal("bearer"),
  /** Seconds of validity: 3600. */
  expiresIn: Schema.Int,
  /** Expiry in *seconds* since the Unix epoch (contract C14); `expiresAtDateTime` removes the doubt. */
  expiresAt: Schema.Int,
  expiresAtDateTime: Schema.String,
  user: UserRecord,
}).annotations({ identifier: "Session" })
export type SessionRecord = typeof SessionRecord.Type
