/**
 * Undelivered mails (security A.2). They are written in the transaction that causes them and taken from here one by one: no crash loses one. The
 * one thing to know: a mail is claimed before it is sent, so one that was claimed when the process crashed is sent again later.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { instant } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

export interface WaitingMail {
  readonly mailId: string
  readonly kind: string
  /** As sealed by the caller; opaque here. */
  readonly envelope: unknown
  readonly createdAt: number
  readonly expiresAt: number
}

export interface ClaimedMail extends WaitingMail {
  /** This one included. */
  readonly attempts: number
}

interface ClaimedRow {
  readonly mail_id: string
  readonly kind: string
  readonly envelope: unknown
  readonly attempts: number
  readonly created_at: string
  readonly expires_at: string
}

const KEPT_MILLIS = 7 * 86_400_000

export class MailOutbox extends Effect.Service<MailOutbox>()("store/MailOutbox", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** One of an id that is there, or was within a week, is not written again. */
      insert: (mail: WaitingMail, kid: string): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          INSERT INTO mail_outbox (mail_id, kind, envelope, kid, next_at, expires_at, created_at)
          VALUES (${mail.mailId}, ${mail.kind}, ${JSON.stringify(mail.envelope)}::json, ${kid}, ${mail.createdAt},
            ${mail.expiresAt}, ${mail.createdAt})
          ON CONFLICT (mail_id) DO NOTHING`).pipe(Effect.asVoid),

      /** Those that are due, longest waiting first; no other caller gets them for `leaseMillis`. */
      claim: (
        now: number,
        count: number,
        leaseMillis: number,
      ): Effect.Effect<ReadonlyArray<ClaimedMail>, StorageUnavailable> =>
        orUnavailable(sql<ClaimedRow>`
          UPDATE mail_outbox SET attempts = attempts + 1, next_at = ${now + leaseMillis}
          WHERE mail_id IN (
            SELECT mail_id FROM mail_outbox WHERE envelope IS NOT NULL AND next_at <= ${now}
            ORDER BY next_at LIMIT ${count} FOR UPDATE SKIP LOCKED)
          RETURNING mail_id, kind, envelope, attempts, created_at, expires_at`).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              mailId: row.mail_id,
              kind: row.kind,
              envelope: row.envelope,
              attempts: row.attempts,
              createdAt: instant(row.created_at),
              expiresAt: instant(row.expires_at),
            })),
          ),
        ),

      /** What it said is forgotten with it: it may have held a token. */
      sent: (mailId: string, at: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE mail_outbox SET envelope = NULL, kid = NULL, sent_at = ${at}
          WHERE mail_id = ${mailId} AND envelope IS NOT NULL`).pipe(Effect.asVoid),

      later: (mailId: string, nextAt: number, error: string): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql`UPDATE mail_outbox SET next_at = ${nextAt}, last_error = ${error} WHERE mail_id = ${mailId}`,
        ).pipe(Effect.asVoid),

      /** It is not retried. */
      failed: (mailId: string, at: number, error: string): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE mail_outbox SET envelope = NULL, kid = NULL, failed_at = ${at}, last_error = ${error}
          WHERE mail_id = ${mailId} AND envelope IS NOT NULL`).pipe(Effect.asVoid),

      /** How many wait, when the next is due and since when the oldest has been waiting; null without any. */
      waiting: orUnavailable(
        sql<{ count: string; next_at: string | null; created_at: string | null }>`
          SELECT count(*) AS count, min(next_at) AS next_at, min(created_at) AS created_at FROM mail_outbox
          WHERE envelope IS NOT NULL`,
      ).pipe(
        Effect.map(([row]) =>
          row === undefined || row.next_at === null || row.created_at === null
            ? null
            : { count: Number(row.count), nextAt: instant(row.next_at), oldestAt: instant(row.created_at) },
        ),
      ),

      /** Run now and then. */
      forgetOld: (now: number): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`DELETE FROM mail_outbox WHERE envelope IS NULL AND created_at < ${now - KEPT_MILLIS}`).pipe(
          Effect.asVoid,
        ),
    }
  }),
}) {}
