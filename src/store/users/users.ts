/** Users, as the authentication edge needs them. A tenant's row is there before its first user. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { UserExists } from "../../domain/errors/user.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import type { Permission, User } from "../../domain/user/user.ts"
import { instant, instantOrNull } from "../orders/rows.ts"
import { constraintOf, orUnavailable } from "../postgres/storage-failure.ts"

export interface NewUser {
  readonly userId: UserId
  /** As it is shown; unique without regard to case. */
  readonly email: string
  readonly passwordHash: string
  readonly tenantId: TenantId
  readonly environments: ReadonlyArray<"PROD" | "UAT">
  readonly userMetadata: Readonly<Record<string, unknown>>
  readonly at: number
  /** The address need not be proven. */
  readonly confirmed: boolean
}

/** A user with what proves it. */
export interface UserWithHash {
  readonly user: User
  readonly passwordHash: string
}

export interface UserRow {
  readonly user_id: string
  readonly email: string
  readonly tenant_id: string
  readonly permissions: ReadonlyArray<Permission>
  readonly environments: ReadonlyArray<"PROD" | "UAT">
  readonly user_metadata: Readonly<Record<string, unknown>>
  readonly email_confirmed_at: string | null
  readonly last_sign_in_at: string | null
  readonly banned_at: string | null
  readonly ban_reason: string | null
  readonly pending_email: string | null
  readonly second_factor_at: string | null
  readonly user_created_at: string
  readonly user_updated_at: string
}

/** Select list of UserRow, for a table or alias `u`. */
export const USER_COLUMNS = `u.user_id, u.email, u.tenant_id, u.permissions, u.environments, u.user_metadata, u.email_confirmed_at,
  u.last_sign_in_at, u.banned_at, u.ban_reason, u.pending_email, u.second_factor_at, u.created_at AS user_created_at, u.updated_at AS user_updated_at`

export const userOf = (row: UserRow): User => ({
  userId: row.user_id as UserId,
  email: row.email,
  tenantId: row.tenant_id as TenantId,
  permissions: row.permissions,
  environments: row.environments,
  userMetadata: row.user_metadata,
  emailConfirmedAt: instantOrNull(row.email_confirmed_at),
  lastSignInAt: instantOrNull(row.last_sign_in_at),
  bannedAt: instantOrNull(row.banned_at),
  banReason: row.ban_reason,
  pendingEmail: row.pending_email,
  secondFactorAt: instantOrNull(row.second_factor_at),
  createdAt: instant(row.user_created_at),
  updatedAt: instant(row.user_updated_at),
})

/** Transaction advisory lock of signups that would become the first admin ("user" in ASCII). */
const FIRST_ADMIN_LOCK = 0x75736572

/** One who can act: an installation whose only admin is banned has none. */
const AN_ADMIN = "SELECT FROM app_user WHERE 'admin' = ANY(permissions) AND banned_at IS NULL"

const NEWCOMERS: ReadonlyArray<Permission> = ["read", "write"]

export class Users extends Effect.Service<Users>()("store/Users", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const one = (where: string, value: string) =>
      orUnavailable(
        sql.unsafe<UserRow & { password_hash: string }>(
          `SELECT ${USER_COLUMNS}, u.password_hash FROM app_user u WHERE ${where}`,
          [value],
        ),
      ).pipe(
        Effect.map(([row]): UserWithHash | null =>
          row === undefined ? null : { user: userOf(row), passwordHash: row.password_hash },
        ),
      )

    const hasAdmin = Effect.map(
      sql.unsafe<{ found: boolean }>(`SELECT EXISTS (${AN_ADMIN}) AS found`),
      ([row]) => row?.found === true,
    )

    const insertRow = (user: NewUser, permissions: ReadonlyArray<Permission>) =>
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO tenant (tenant_id, created_at) VALUES (${user.tenantId}, ${user.at}) ON CONFLICT DO NOTHING`
          const rows = yield* sql.unsafe<UserRow>(
            `INSERT INTO app_user AS u (user_id, email, password_hash, tenant_id, permissions, environments, user_metadata,
               email_confirmed_at, created_at, updated_at)
             VALUES ($1, $2, $3, $4, $5::text[], $6::text[], $7::jsonb, $9, $8, $8) RETURNING ${USER_COLUMNS}`,
            [
              user.userId,
              user.email,
              user.passwordHash,
              user.tenantId,
              `{${permissions.join(",")}}`,
              `{${user.environments.join(",")}}`,
              JSON.stringify(user.userMetadata),
              user.at,
              user.confirmed ? user.at : null,
            ],
          )
          return userOf(rows[0]!)
        }),
      )

    /** `work` inserts a user. */
    const orUserExists = <A extends User | null>(
      work: Effect.Effect<A, SqlError.SqlError>,
    ): Effect.Effect<A, UserExists | StorageUnavailable> =>
      orUnavailable(
        work.pipe(
          Effect.map((stored): A | undefined => stored),
          Effect.catchIf(
            (error) => constraintOf(error) === "app_user_email",
            () => Effect.succeed(undefined),
          ),
        ),
      ).pipe(Effect.flatMap((stored) => (stored === undefined ? new UserExists() : Effect.succeed(stored))))

    return {
      insert: (user: NewUser): Effect.Effect<User, UserExists | StorageUnavailable> =>
        orUserExists(insertRow(user, NEWCOMERS)),

      /** As admin, decided together with the insertion; null and nothing stored: the installation has one. */
      insertFirstAdmin: (user: NewUser): Effect.Effect<User | null, UserExists | StorageUnavailable> =>
        orUserExists(
          sql.withTransaction(
            Effect.gen(function* () {
              // Two at once: the second waits here and then finds the first.
              yield* sql`SELECT pg_advisory_xact_lock(${FIRST_ADMIN_LOCK})`
              return (yield* hasAdmin) ? null : yield* insertRow(user, [...NEWCOMERS, "admin"])
            }),
          ),
        ),

      /** Whether there is an admin who is not banned. */
      hasAdmin: orUnavailable(hasAdmin),

      findByEmail: (email: string): Effect.Effect<UserWithHash | null, StorageUnavailable> =>
        one("lower(u.email) = lower($1)", email),

      findById: (userId: UserId): Effect.Effect<User | null, StorageUnavailable> =>
        one("u.user_id = $1", userId).pipe(Effect.map((found) => found?.user ?? null)),

      findWithHash: (userId: UserId): Effect.Effect<UserWithHash | null, StorageUnavailable> =>
        one("u.user_id = $1", userId),

      /** Of one tenant, or all; by address. */
      list: (tenantId: TenantId | null): Effect.Effect<ReadonlyArray<User>, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<UserRow>(
            `SELECT ${USER_COLUMNS} FROM app_user u WHERE $1::text IS NULL OR u.tenant_id = $1 ORDER BY lower(u.email)`,
            [tenantId],
          ),
        ).pipe(Effect.map((rows) => rows.map(userOf))),

      /** A page of one tenant's, by address without regard to case; `after`: the address of the last one before it. */
      page: (asked: {
        readonly tenantId: TenantId
        readonly after: string | null
        readonly limit: number
        readonly offset: number
      }): Effect.Effect<ReadonlyArray<User>, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<UserRow>(
            `SELECT ${USER_COLUMNS} FROM app_user u
             WHERE u.tenant_id = $1 AND ($2::text IS NULL OR lower(u.email) > lower($2))
             ORDER BY lower(u.email) LIMIT $3 OFFSET $4`,
            [asked.tenantId, asked.after, asked.limit, asked.offset],
          ),
        ).pipe(Effect.map((rows) => rows.map(userOf))),

      /** Of one tenant, up to COUNTED_MAX + 1. */
      count: (tenantId: TenantId): Effect.Effect<number, StorageUnavailable> =>
        orUnavailable(
          sql<{
            n: number
          }>`SELECT count(*)::int AS n FROM (SELECT FROM app_user WHERE tenant_id = ${tenantId} LIMIT ${COUNTED_MAX + 1}) counted`,
        ).pipe(Effect.map(([row]) => row?.n ?? 0)),

      /** As `lockByEmail`, and no other transaction stores anything of this user's either. */
      lockAllOf: (userId: UserId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`SELECT FROM app_user WHERE user_id = ${userId} FOR UPDATE`).pipe(Effect.asVoid),

      /** In a transaction: no other transaction changes this user until it ends. */
      lockByEmail: (email: string): Effect.Effect<UserWithHash | null, StorageUnavailable> =>
        one("lower(u.email) = lower($1) FOR NO KEY UPDATE", email),

      /** As `lockByEmail`. */
      lockById: (userId: UserId): Effect.Effect<UserWithHash | null, StorageUnavailable> =>
        one("u.user_id = $1 FOR NO KEY UPDATE", userId),

      /** As `lockByEmail`: the user who requested this address last. */
      lockByPendingEmail: (email: string): Effect.Effect<UserWithHash | null, StorageUnavailable> =>
        one("lower(u.pending_email) = lower($1) ORDER BY u.updated_at DESC LIMIT 1 FOR NO KEY UPDATE", email),

      /**
       * Removes users who signed up before that instant and never proved their address, so many at a time. Users with a valid pending mail are
       * kept, and banned users: a new sign-up would be a new user.
       */
      forgetUnconfirmed: (before: number, now: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          WITH gone AS (
            SELECT u.user_id FROM app_user u
            WHERE u.email_confirmed_at IS NULL AND u.created_at < ${before} AND u.banned_at IS NULL
              AND NOT EXISTS (SELECT FROM one_time_token WHERE user_id = u.user_id AND expires_at > ${now})
              AND NOT EXISTS (SELECT FROM session WHERE user_id = u.user_id)
              AND NOT EXISTS (SELECT FROM api_key WHERE user_id = u.user_id)
              AND NOT EXISTS (SELECT FROM credential WHERE user_id = u.user_id)
              AND NOT EXISTS (SELECT FROM trading_account WHERE user_id = u.user_id)
              AND NOT EXISTS (SELECT FROM order_book_subscription WHERE user_id = u.user_id)
              AND NOT EXISTS (SELECT FROM wallet WHERE user_id = u.user_id)
              AND NOT EXISTS (SELECT FROM dealer WHERE owner_user_id = u.user_id)
            LIMIT 1000 FOR UPDATE SKIP LOCKED),
          tokens AS (DELETE FROM one_time_token t USING gone WHERE t.user_id = gone.user_id)
          DELETE FROM app_user u USING gone WHERE u.user_id = gone.user_id`).pipe(Effect.asVoid),

      touchSignIn: (userId: UserId, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`UPDATE app_user SET last_sign_in_at = ${at} WHERE user_id = ${userId}`).pipe(Effect.asVoid),
    }
  }),
}) {}
