/**
 * Changes to existing users, and notices of changes made by another program. The one thing to know: changes that depend on each other run inside
 * one transaction, under the lock of `Users.lockBy…`.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import type { Permission, UserEnvironment } from "../../domain/user/user.ts"
import { isCurrent } from "../postgres/server-check.ts"
import { constraintOf, orUnavailable } from "../postgres/storage-failure.ts"

// Users and tenants that another program changed (the command line, another gateway), and users whose sessions were revoked. The program that
// does so leaves their ids here in the transaction of the change, which rings (store/postgres/news-bell.ts); each gateway reads them and looks
// again. A table beside the bell: what was left while a gateway did not listen is found all the same. One that starts has read everything itself.

const NEWS_KEPT = "1 hour"

interface ChangedUsers {
  readonly users: ReadonlySet<UserId>
  readonly tenants: ReadonlySet<TenantId>
}

/** For one reader. */
export interface NewsReader {
  readonly read: Effect.Effect<ChangedUsers, StorageUnavailable>
}

interface NewsRow {
  readonly horizon: string
  readonly news_id: string | null
  readonly user_id: string | null
  readonly tenant_id: string | null
  /** Its transaction was not over for all when it was read. */
  readonly again: boolean | null
}

/** The oldest transaction that still runs: all before it are over, and visible if they were committed. */
const horizonOf = (sql: SqlClient.SqlClient): Effect.Effect<string, StorageUnavailable> =>
  orUnavailable(sql<{ horizon: string }>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon`).pipe(
    Effect.map(([row]) => row?.horizon ?? "0"),
  )

export class UserNews extends Effect.Service<UserNews>()("store/UserNews", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Whether the database is as new as this program. */
      isThere: isCurrent(sql),

      leave: (userId: UserId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`INSERT INTO user_news (user_id) VALUES (${userId})`).pipe(Effect.asVoid),

      /** Of all users in it. */
      leaveOf: (tenantId: TenantId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`INSERT INTO user_news (tenant_id) VALUES (${tenantId})`).pipe(Effect.asVoid),

      /**
       * What is left from now on, for one reader: each `read` answers what those before it did not. A commit becomes visible at any time after its row got
       * its place, so `read` goes back to the oldest transaction that was still running, and leaves out what it has told.
       */
      follow: Effect.map(horizonOf(sql), (now) => {
        let horizon = now
        let told: ReadonlySet<string> = new Set()
        const read: Effect.Effect<ChangedUsers, StorageUnavailable> = Effect.suspend(() =>
          orUnavailable(sql<NewsRow>`
            SELECT h.horizon::text, n.news_id, n.user_id, n.tenant_id, n.xid >= h.horizon AS again
            FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) h LEFT JOIN user_news n ON n.xid >= ${horizon}::xid8`),
        ).pipe(
          Effect.map((rows) => {
            const fresh = rows.filter(({ news_id }) => news_id !== null && !told.has(news_id))
            horizon = rows[0]?.horizon ?? horizon
            told = new Set(rows.flatMap(({ news_id, again }) => (news_id !== null && again === true ? [news_id] : [])))
            return {
              users: new Set(fresh.flatMap((row) => (row.user_id === null ? [] : [row.user_id as UserId]))),
              tenants: new Set(fresh.flatMap((row) => (row.tenant_id === null ? [] : [row.tenant_id as TenantId]))),
            }
          }),
        )
        return { read }
      }),

      /** What every process has read by far. Run now and then. */
      forgetOld: (): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM user_news WHERE at < now() - ${NEWS_KEPT}::interval`).pipe(Effect.asVoid),
    }
  }),
}) {}

export class UserChanges extends Effect.Service<UserChanges>()("store/UserChanges", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      setPassword: (userId: UserId, passwordHash: string, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET password_hash = ${passwordHash}, updated_at = ${at} WHERE user_id = ${userId}`).pipe(
          Effect.asVoid,
        ),

      /** The same password, hashed otherwise. False: it is another one by now. */
      replaceHash: (userId: UserId, from: string, to: string): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET password_hash = ${to} WHERE user_id = ${userId} AND password_hash = ${from}
          RETURNING user_id`).pipe(Effect.map((rows) => rows.length === 1)),

      setMetadata: (
        userId: UserId,
        metadata: Readonly<Record<string, unknown>>,
        at: number,
      ): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET user_metadata = ${JSON.stringify(metadata)}::jsonb, updated_at = ${at}
          WHERE user_id = ${userId}`).pipe(Effect.asVoid),

      /** The address is the user's, proven by a mail that reached it. */
      confirmEmail: (userId: UserId, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET email_confirmed_at = ${at}, updated_at = ${at}
          WHERE user_id = ${userId} AND email_confirmed_at IS NULL`).pipe(Effect.asVoid),

      /** A new wish takes the place of an older one, whose confirmations it forgets. */
      askForEmail: (userId: UserId, email: string | null, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET pending_email = ${email}, current_email_confirmed = false, pending_email_confirmed = false,
            updated_at = ${at}
          WHERE user_id = ${userId}`).pipe(Effect.asVoid),

      /** One of the two confirmations; what stands then. */
      confirmHalf: (
        userId: UserId,
        half: "current" | "new",
      ): Effect.Effect<{ readonly current: boolean; readonly new: boolean }, StorageUnavailable> =>
        orUnavailable(sql<{ current: boolean; new: boolean }>`
          UPDATE app_user SET current_email_confirmed = current_email_confirmed OR ${half === "current"},
            pending_email_confirmed = pending_email_confirmed OR ${half === "new"}
          WHERE user_id = ${userId} RETURNING current_email_confirmed AS current, pending_email_confirmed AS new`).pipe(
          Effect.map(([row]) => row ?? { current: false, new: false }),
        ),

      /** Which of the two confirmations are there. */
      confirmations: (
        userId: UserId,
      ): Effect.Effect<{ readonly current: boolean; readonly new: boolean }, StorageUnavailable> =>
        orUnavailable(sql<{ current: boolean; new: boolean }>`
          SELECT current_email_confirmed AS current, pending_email_confirmed AS new FROM app_user
          WHERE user_id = ${userId}`).pipe(Effect.map(([row]) => row ?? { current: false, new: false })),

      /** False: another user has the address by now. Alone in its own transaction, or in one that ends with it. */
      takePendingEmail: (userId: UserId, at: number): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(
          sql
            .withTransaction(
              sql`UPDATE app_user SET email = pending_email, email_confirmed_at = ${at}, pending_email = NULL,
                    current_email_confirmed = false, pending_email_confirmed = false, updated_at = ${at}
                  WHERE user_id = ${userId} AND pending_email IS NOT NULL RETURNING user_id`,
            )
            .pipe(
              Effect.map((rows) => rows.length === 1),
              Effect.catchIf(
                (error) => constraintOf(error) === "app_user_email",
                () => Effect.succeed(false),
              ),
            ),
        ),

      /** A user who is banned already keeps the first date and reason. */
      ban: (userId: UserId, reason: string | null, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET banned_at = ${at}, ban_reason = ${reason}, updated_at = ${at}
          WHERE user_id = ${userId} AND banned_at IS NULL`).pipe(Effect.asVoid),

      unban: (userId: UserId, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE app_user SET banned_at = NULL, ban_reason = NULL, updated_at = ${at}
          WHERE user_id = ${userId} AND banned_at IS NOT NULL`).pipe(Effect.asVoid),

      /**
       * Give all that the highest implies: admin, write and read. Keys that let admin through lose that for good with the right. The news goes
       * with it: an act whose answer was lost is learnt all the same.
       */
      setPermissions: (
        userId: UserId,
        permissions: ReadonlyArray<Permission>,
        at: number,
      ): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe(
            `WITH keys AS (
               UPDATE api_key SET scopes = array_remove(scopes, 'admin')
               WHERE user_id = $1 AND 'admin' = ANY (scopes) AND 'admin' <> ALL ($2::text[])
             ), told AS (INSERT INTO user_news (user_id) VALUES ($1))
             UPDATE app_user SET permissions = $2::text[], updated_at = $3 WHERE user_id = $1`,
            [userId, `{${permissions.join(",")}}`, at],
          ),
        ).pipe(Effect.asVoid),

      setEnvironments: (
        userId: UserId,
        environments: ReadonlyArray<UserEnvironment>,
        at: number,
      ): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe("UPDATE app_user SET environments = $2::text[], updated_at = $3 WHERE user_id = $1", [
            userId,
            `{${environments.join(",")}}`,
            at,
          ]),
        ).pipe(Effect.asVoid),

      /**
       * Of a user who holds nothing: records stay with the tenant that they were made in (`Tenants.heldBy`). What was answered under a key
       * there is no answer here.
       */
      move: (userId: UserId, tenantId: TenantId, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          Effect.zipRight(
            sql`DELETE FROM idempotent_answer WHERE user_id = ${userId}`,
            sql`UPDATE app_user SET tenant_id = ${tenantId}, updated_at = ${at} WHERE user_id = ${userId}`,
          ),
        ).pipe(Effect.asVoid),
    }
  }),
}) {}
