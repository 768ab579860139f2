/**
 * Every row that holds a sealed secret, by the key that seals it, whatever its table. The one thing to know: the schema lets no row name
 * a key that is not registered, and lets no key go that a row names.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { BEFORE_ALL_IDS, instant } from "../orders/rows.ts"
import { OWNER_LOCK } from "../postgres/node.ts"
import { isCurrent } from "../postgres/server-check.ts"
import { orUnavailable, sqlStateOf } from "../postgres/storage-failure.ts"

export const SEALED_TABLES = ["credential", "session", "mail_outbox", "second_factor"] as const
export type SealedTable = (typeof SEALED_TABLES)[number]

export interface SealedRow {
  readonly id: string
  /** The user; of a mail its kind. */
  readonly ownerId: string
  /** JSON, as sealed by the caller. */
  readonly envelope: string
}

export interface RegisteredKey {
  readonly kid: string
  readonly registeredAt: number
}

export interface SealedCount {
  readonly table: SealedTable
  readonly kid: string
  readonly rows: number
}

interface Columns {
  readonly id: string
  readonly ownerId: string
  readonly kid: string
  readonly envelope: string
  /** Takes `n.envelope`, a text. */
  readonly set: string
}

const COLUMNS: { readonly [T in SealedTable]: Columns } = {
  credential: {
    id: "credential_id",
    ownerId: "user_id",
    kid: "kid",
    envelope: "secret::text",
    set: "secret = n.envelope::json",
  },
  session: {
    id: "session_id",
    ownerId: "user_id",
    kid: "refresh_kid",
    envelope: "convert_from(refresh_key, 'UTF8')",
    set: "refresh_key = convert_to(n.envelope, 'UTF8')",
  },
  mail_outbox: {
    id: "mail_id",
    ownerId: "kind",
    kid: "kid",
    envelope: "envelope::text",
    set: "envelope = n.envelope::json",
  },
  second_factor: {
    id: "user_id",
    ownerId: "user_id",
    kid: "kid",
    envelope: "secret::text",
    set: "secret = n.envelope::json",
  },
}

/** Session advisory lock of a process that changes keys ("keys" in ASCII). */
const KEYS_LOCK = 0x6b657973
const FOREIGN_KEY_VIOLATION = "23503"

export class SealedRows extends Effect.Service<SealedRows>()("store/SealedRows", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Whether the database is as new as this program. */
      isThere: isCurrent(sql),

      /** Exclusive until the scope ends: two concurrent changes of one file would lose one of the keys. */
      alone: orUnavailable(
        Effect.gen(function* () {
          const connection = yield* sql.reserve
          const say = (text: string) => connection.executeUnprepared(text, [], undefined)
          yield* Effect.acquireRelease(say(`SELECT pg_advisory_lock(${KEYS_LOCK})`), () =>
            Effect.ignore(say(`SELECT pg_advisory_unlock(${KEYS_LOCK})`)),
          )
        }),
      ),

      /** In a transaction: whether no gateway owns the database. If so, none can until the transaction ends. */
      unowned: orUnavailable(sql<{ taken: boolean }>`SELECT pg_try_advisory_xact_lock(${OWNER_LOCK}) AS taken`).pipe(
        Effect.map(([row]) => row?.taken === true),
      ),

      /** From here on rows may name it. */
      register: (kid: string, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql`INSERT INTO encryption_key (kid, created_at) VALUES (${kid}, ${at}) ON CONFLICT DO NOTHING`,
        ).pipe(Effect.asVoid),

      /** Newest first. */
      registered: orUnavailable(
        sql<{
          kid: string
          created_at: string
        }>`SELECT kid, created_at FROM encryption_key ORDER BY created_at DESC, kid`,
      ).pipe(
        Effect.map((rows) =>
          rows.map(({ kid, created_at }): RegisteredKey => ({ kid, registeredAt: instant(created_at) })),
        ),
      ),

      /** Whether any user has signed up: distinguishes a database without a key from an empty one. */
      hasUsers: orUnavailable(sql<{ there: boolean }>`SELECT EXISTS (SELECT FROM app_user) AS there`).pipe(
        Effect.map(([row]) => row?.there === true),
      ),

      /** False, and nothing is done, while a row names it. */
      forget: (kid: string): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(
          sql`DELETE FROM encryption_key WHERE kid = ${kid}`.pipe(
            Effect.as(true),
            Effect.catchIf(
              (error) => sqlStateOf(error) === FOREIGN_KEY_VIOLATION,
              () => Effect.succeed(false),
            ),
          ),
        ),

      /** The keys that rows name. */
      kidsInUse: orUnavailable(sql<{ kid: string }>`
        SELECT kid FROM encryption_key k
        WHERE EXISTS (SELECT FROM credential WHERE kid = k.kid) OR EXISTS (SELECT FROM session WHERE refresh_kid = k.kid)
          OR EXISTS (SELECT FROM mail_outbox WHERE kid = k.kid) OR EXISTS (SELECT FROM second_factor WHERE kid = k.kid)
        ORDER BY kid`).pipe(Effect.map((rows) => rows.map(({ kid }) => kid))),

      /** A few rows that name a key, of each table: what tells whether a key is the one that its name stands for. */
      some: (
        kid: string,
        count: number,
      ): Effect.Effect<ReadonlyArray<SealedRow & { readonly table: SealedTable }>, StorageUnavailable> =>
        Effect.forEach(SEALED_TABLES, (table) => {
          const { id, ownerId, kid: kidColumn, envelope } = COLUMNS[table]
          return orUnavailable(
            // tidy: names of our own tables and columns, never a value
            sql.unsafe<{ id: string; owner_id: string; envelope: string }>(
              `SELECT ${id} AS id, ${ownerId} AS owner_id, ${envelope} AS envelope FROM ${table} WHERE ${kidColumn} = $1 LIMIT $2`,
              [kid, count],
            ),
          ).pipe(
            Effect.map((rows) =>
              rows.map((row) => ({ table, id: row.id, ownerId: row.owner_id, envelope: row.envelope })),
            ),
          )
        }).pipe(Effect.map((tables) => tables.flat())),

      /** Reads all of them: for operators. */
      counts: orUnavailable(sql<{ table: SealedTable; kid: string; rows: number }>`
        SELECT 'credential' AS "table", kid, count(*)::int AS rows FROM credential WHERE kid IS NOT NULL GROUP BY kid
        UNION ALL SELECT 'session', refresh_kid, count(*)::int FROM session GROUP BY refresh_kid
        UNION ALL SELECT 'mail_outbox', kid, count(*)::int FROM mail_outbox WHERE kid IS NOT NULL GROUP BY kid
        UNION ALL SELECT 'second_factor', kid, count(*)::int FROM second_factor WHERE kid IS NOT NULL GROUP BY kid
        ORDER BY 1, 2`).pipe(Effect.map((rows): ReadonlyArray<SealedCount> => rows)),

      /**
       * In a transaction: so many rows of a key in order of their ids, after that id, which nobody else changes until it ends. Rows that
       * another transaction is changing are left out: this never waits for a lock, so it never blocks others for long.
       */
      lock: (
        table: SealedTable,
        kid: string,
        after: string | null,
        count: number,
      ): Effect.Effect<ReadonlyArray<SealedRow>, StorageUnavailable> => {
        const { id, ownerId, kid: kidColumn, envelope } = COLUMNS[table]
        return orUnavailable(
          // tidy: names of our own tables and columns, never a value
          sql.unsafe<{ id: string; owner_id: string; envelope: string }>(
            `SELECT ${id} AS id, ${ownerId} AS owner_id, ${envelope} AS envelope FROM ${table}
             WHERE ${kidColumn} = $1 AND ${id} > $2 ORDER BY ${id} LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
            [kid, after ?? BEFORE_ALL_IDS, count],
          ),
        ).pipe(Effect.map((rows) => rows.map((row) => ({ id: row.id, ownerId: row.owner_id, envelope: row.envelope }))))
      },

      /** In the same transaction. */
      replace: (
        table: SealedTable,
        kid: string,
        rows: ReadonlyArray<Pick<SealedRow, "id" | "envelope">>,
      ): Effect.Effect<void, StorageUnavailable> => {
        const { id, kid: kidColumn, set } = COLUMNS[table]
        return orUnavailable(
          // tidy: names of our own tables and columns, never a value
          sql.unsafe(
            `UPDATE ${table} AS t SET ${set}, ${kidColumn} = $1
             FROM json_to_recordset($2::json) AS n (id uuid, envelope text) WHERE t.${id} = n.id`,
            [kid, JSON.stringify(rows)],
          ),
        ).pipe(Effect.asVoid)
      },

      /** In a transaction: gives up what a lost key sealed. Credentials are revoked, sessions end, mails fail, and of second factors the recovery codes are left. */
      abandon: (kid: string, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          Effect.all(
            [
              sql`UPDATE credential SET status = 'REVOKED', revoked_at = ${at}, updated_at = ${at}, secret = NULL, kid = NULL
                WHERE kid = ${kid}`,
              sql`DELETE FROM session WHERE refresh_kid = ${kid}`,
              sql`UPDATE mail_outbox SET envelope = NULL, kid = NULL, failed_at = ${at}, last_error = 'its key is lost'
                WHERE kid = ${kid}`,
              sql`UPDATE second_factor SET secret = NULL, kid = NULL WHERE kid = ${kid}`,
            ],
            { discard: true },
          ),
        ),

      /** How many rows of a key are left. */
      left: (table: SealedTable, kid: string): Effect.Effect<number, StorageUnavailable> =>
        orUnavailable(
          // tidy: names of our own tables and columns, never a value
          sql.unsafe<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${table} WHERE ${COLUMNS[table].kid} = $1`, [
            kid,
          ]),
        ).pipe(Effect.map(([row]) => row?.rows ?? 0)),
    }
  }),
}) {}
