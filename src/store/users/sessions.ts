/**
 * Session rows: one refresh counter and one sealed key each (security A.2). The one thing to know: `advance` is a compare and set, so
 * of two refreshes with one token only one moves the session on.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import type { SessionMethod, User } from "../../domain/user/user.ts"
import { instant, instantOrNull } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { USER_COLUMNS, type UserRow, userOf } from "./users.ts"

const KEPT_MILLIS = 30 * 86_400_000

export interface SessionRow {
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly createdAt: number
  readonly refreshedAt: number
  /** The session ends then whatever happens. */
  readonly notAfter: number
  readonly refreshCounter: number
  /** As sealed by the caller; opaque here. */
  readonly refreshKey: Buffer
  /** Id of the encryption key that it is sealed with. */
  readonly refreshKid: string
  readonly revokedAt: number | null
  readonly ip: string | null
  readonly userAgent: string | null
  readonly method: SessionMethod
  /** When the user last proved who that is. */
  readonly provenAt: number
  /** How often, since the session began. */
  readonly generation: number
  /** Whether the second factor was proven in it. */
  readonly secondFactor: boolean
}

interface JoinedRow extends UserRow {
  readonly session_id: string
  readonly created_at: string
  readonly refreshed_at: string
  readonly not_after: string
  readonly refresh_counter: string
  readonly refresh_key: Buffer
  readonly refresh_kid: string
  readonly revoked_at: string | null
  readonly ip: string | null
  readonly user_agent: string | null
  readonly method: SessionMethod
  readonly proven_at: string
  readonly generation: number
  readonly second_factor: boolean
}

const COLUMNS = `SELECT s.session_id, s.created_at, s.refreshed_at, s.not_after, s.refresh_counter, s.refresh_key, s.refresh_kid,
  s.revoked_at, s.ip, s.user_agent, s.method, s.proven_at, s.generation, s.second_factor, ${USER_COLUMNS}`
const JOINED = `${COLUMNS} FROM session s JOIN app_user u USING (user_id)`

export interface SessionWithUser {
  readonly row: SessionRow
  readonly user: User
}

const joinedOf = (row: JoinedRow): SessionWithUser => ({
  row: {
    sessionId: row.session_id as SessionId,
    userId: row.user_id as UserId,
    createdAt: instant(row.created_at),
    refreshedAt: instant(row.refreshed_at),
    notAfter: instant(row.not_after),
    refreshCounter: Number(row.refresh_counter),
    refreshKey: row.refresh_key,
    refreshKid: row.refresh_kid,
    revokedAt: instantOrNull(row.revoked_at),
    ip: row.ip,
    userAgent: row.user_agent,
    method: row.method,
    provenAt: instant(row.proven_at),
    generation: row.generation,
    secondFactor: row.second_factor,
  },
  user: userOf(row),
})

export class SessionRows extends Effect.Service<SessionRows>()("store/SessionRows", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /**
       * False, and nothing is stored, when the user is banned, has another password or a second factor that was not proven by now. The user's row is locked meanwhile: a ban
       * or a change of the password comes before the session, which then is not, or after it and ends it.
       */
      insert: (row: SessionRow, passwordHash: string): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          INSERT INTO session (session_id, user_id, tenant_id, created_at, refreshed_at, not_after, refresh_counter, refresh_key,
            refresh_kid, revoked_at, ip, user_agent, method, proven_at, generation,
            second_factor)
          SELECT ${row.sessionId}, u.user_id, u.tenant_id, ${row.createdAt}::bigint, ${row.refreshedAt}::bigint,
            ${row.notAfter}::bigint, ${row.refreshCounter}::bigint, ${row.refreshKey}::bytea, ${row.refreshKid},
            ${row.revokedAt}::bigint, ${row.ip}::text, ${row.userAgent}::text, ${row.method},
            ${row.provenAt}::bigint, ${row.generation}::int,
            ${row.secondFactor}::boolean
          FROM app_user u
          WHERE u.user_id = ${row.userId} AND u.banned_at IS NULL AND u.password_hash = ${passwordHash}
            AND (u.second_factor_at IS NULL OR ${row.secondFactor})
          FOR SHARE
          RETURNING session_id`).pipe(Effect.map((rows) => rows.length === 1)),

      find: (sessionId: SessionId): Effect.Effect<SessionWithUser | null, StorageUnavailable> =>
        orUnavailable(sql.unsafe<JoinedRow>(`${JOINED} WHERE s.session_id = $1`, [sessionId])).pipe(
          Effect.map(([row]) => (row === undefined ? null : joinedOf(row))),
        ),

      /** To the next counter; false when the session stands elsewhere or is revoked. */
      advance: (sessionId: SessionId, fromCounter: number, at: number): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE session SET refresh_counter = refresh_counter + 1, refreshed_at = ${at}
          WHERE session_id = ${sessionId} AND refresh_counter = ${fromCounter} AND revoked_at IS NULL
          RETURNING session_id`).pipe(Effect.map((rows) => rows.length === 1)),

      /**
       * The user has proven again who that is. Null, and nothing is stored, when the session is over, or the user banned, or has another
       * password by now, or a second factor that was not proven. The refresh counter goes on by two: a refresh token of before is an old one at once, without the time that the
       * one before the newest has.
       */
      prove: (
        sessionId: SessionId,
        passwordHash: string,
        secondFactor: boolean,
        at: number,
      ): Effect.Effect<SessionRow | null, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<JoinedRow>(
            `WITH whose AS (
               SELECT u.* FROM app_user u JOIN session s USING (user_id)
               WHERE s.session_id = $1 AND u.banned_at IS NULL AND u.password_hash = $2
                 AND (u.second_factor_at IS NULL OR $4) FOR SHARE OF u
             ), s AS (
               UPDATE session SET proven_at = $3, generation = generation + 1, refresh_counter = refresh_counter + 2,
                 refreshed_at = $3, second_factor = second_factor OR $4
               FROM whose WHERE session.session_id = $1 AND session.user_id = whose.user_id AND session.revoked_at IS NULL
               RETURNING session.*
             )
             ${COLUMNS} FROM s JOIN whose u USING (user_id)`,
            [sessionId, passwordHash, at, secondFactor],
          ),
        ).pipe(Effect.map(([row]) => (row === undefined ? null : joinedOf(row).row))),

      /** False when it was revoked before, or does not exist. The first reason stays. Leaves news, as all that ends sessions. */
      revoke: (sessionId: SessionId, reason: string, at: number): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          WITH ended AS (
            UPDATE session SET revoked_at = ${at}, revoke_reason = ${reason}
            WHERE session_id = ${sessionId} AND revoked_at IS NULL RETURNING user_id
          ), told AS (INSERT INTO user_news (user_id) SELECT user_id FROM ended)
          SELECT FROM ended`).pipe(Effect.map((rows) => rows.length === 1)),

      /**
       * All of a user's but one; which of them were still good. With news of the user: the caller may not hear that it is stored, and
       * a session that ended in the store must not live on in memory.
       */
      revokeOf: (
        userId: UserId,
        except: SessionId | null,
        reason: string,
        at: number,
      ): Effect.Effect<ReadonlyArray<SessionId>, StorageUnavailable> =>
        orUnavailable(sql<{ session_id: string }>`
          WITH ended AS (
            UPDATE session SET revoked_at = ${at}, revoke_reason = ${reason}
            WHERE user_id = ${userId} AND session_id IS DISTINCT FROM ${except}::uuid AND revoked_at IS NULL
            RETURNING session_id
          ), told AS (INSERT INTO user_news (user_id) SELECT ${userId}::uuid WHERE EXISTS (SELECT FROM ended))
          SELECT session_id FROM ended`).pipe(Effect.map((rows) => rows.map((row) => row.session_id as SessionId))),

      /** A user's sessions that ended at or after that instant. */
      revokedSince: (userId: UserId, since: number): Effect.Effect<ReadonlyArray<SessionId>, StorageUnavailable> =>
        orUnavailable(sql<{ session_id: string }>`
          SELECT session_id FROM session WHERE user_id = ${userId} AND revoked_at >= ${since}`).pipe(
          Effect.map((rows) => rows.map((row) => row.session_id as SessionId)),
        ),

      /** A user's sessions that are still good, the last used first. */
      ofUser: (
        userId: UserId,
        refreshedSince: number,
        now: number,
      ): Effect.Effect<ReadonlyArray<SessionRow>, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<JoinedRow>(
            `${JOINED} WHERE s.user_id = $1 AND s.revoked_at IS NULL AND s.refreshed_at >= $2 AND s.not_after > $3
             ORDER BY s.refreshed_at DESC, s.session_id LIMIT 1000`,
            [userId, refreshedSince, now],
          ),
        ).pipe(Effect.map((rows) => rows.map((row) => joinedOf(row).row))),

      /** Addresses from which the user of this e-mail address, if any, has sessions that were not ended, newest first. */
      addressesOf: (email: string): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> =>
        orUnavailable(sql<{ ip: string }>`
          SELECT s.ip FROM session s JOIN app_user u USING (user_id)
          WHERE lower(u.email) = lower(${email}) AND s.revoked_at IS NULL AND s.ip IS NOT NULL
          ORDER BY s.created_at DESC LIMIT 1000`).pipe(Effect.map((rows) => rows.map((row) => row.ip))),

      /** Sessions that are over for a month, so many at a time. Run now and then. */
      forgetOld: (now: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          DELETE FROM session WHERE session_id IN (
            SELECT session_id FROM session WHERE not_after < ${now - KEPT_MILLIS} LIMIT 1000 FOR UPDATE SKIP LOCKED)`).pipe(
          Effect.asVoid,
        ),

      /** Sessions refreshed at or after that instant and not revoked, with their users: the live ones that start loads. */
      live: (refreshedSince: number): Effect.Effect<ReadonlyArray<SessionWithUser>, StorageUnavailable> =>
        orUnavailable(
          sql.unsafe<JoinedRow>(
            `${JOINED} WHERE s.revoked_at IS NULL AND s.refreshed_at >= $1 ORDER BY s.refreshed_at`,
            [refreshedSince],
          ),
        ).pipe(Effect.map((rows) => rows.map(joinedOf))),
    }
  }),
}) {}
