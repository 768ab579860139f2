/** What the ledger wrote, read back: statements of a wallet, and open holds. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TransferCode, WalletId } from "../../domain/wallet/wallet.ts"
import type { OpenHold } from "../../ports/ledger-port.ts"
import { decimal, instant, instantOrNull } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

/** A row of the journal. */
export interface JournalTransfer extends OpenHold {
  /** Grows in the order in which it was written. */
  readonly number: string
  readonly kind: "single" | "pending" | "post" | "void"
  readonly pendingId: string | null
  readonly at: number
}

/** Above every number of the journal. */
export const NEWEST = "9223372036854775807"

interface TransferRow {
  readonly transfer_id: string
  readonly number: string
  readonly kind: JournalTransfer["kind"]
  readonly pending_id: string | null
  readonly debit_wallet_id: string
  readonly credit_wallet_id: string
  readonly asset: string
  readonly amount: string
  readonly code: string
  readonly reference: string | null
  readonly expires_at: string | null
  readonly at: string
}

type HoldRow = Omit<TransferRow, "number" | "kind" | "pending_id" | "at">

const holdOf = (row: HoldRow): OpenHold => ({
  transferId: row.transfer_id,
  debitWalletId: row.debit_wallet_id as WalletId,
  creditWalletId: row.credit_wallet_id as WalletId,
  asset: row.asset,
  amount: decimal(row.amount),
  code: row.code as TransferCode,
  reference: row.reference,
  expiresAt: instantOrNull(row.expires_at),
})

const transferOf = (row: TransferRow): JournalTransfer => ({
  ...holdOf(row),
  number: row.number,
  kind: row.kind,
  pendingId: row.pending_id,
  at: instant(row.at),
})

export interface StatementPage {
  readonly walletId: WalletId
  readonly asset: string | null
  /** Number of the last row of the page before. */
  readonly before: string | null
  readonly limit: number
  readonly offset: number
}

export class LedgerJournal extends Effect.Service<LedgerJournal>()("store/LedgerJournal", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** Newest first. Each asset and side has its place in an index: at most a page of each is read, and what is skipped. */
      statement: (page: StatementPage): Effect.Effect<ReadonlyArray<JournalTransfer>, StorageUnavailable> => {
        const last = page.limit + page.offset
        // As rows: by equal columns and the number alone the planner may walk the whole journal along the numbers, to find a few.
        const side = (column: "debit_wallet_id" | "credit_wallet_id") => sql`
          (SELECT t.* FROM wallet_balance b CROSS JOIN LATERAL
             (SELECT * FROM ledger_transfer
              WHERE (${sql(column)}, asset, number) >= (b.wallet_id, b.asset, 0)
                AND (${sql(column)}, asset, number) < (b.wallet_id, b.asset, coalesce(${page.before}::bigint, ${NEWEST}))
              ORDER BY ${sql(column)} DESC, asset DESC, number DESC LIMIT ${last}) t
           WHERE b.wallet_id = ${page.walletId} AND (${page.asset}::text IS NULL OR b.asset = ${page.asset}))`
        return orUnavailable(
          sql<TransferRow>`
            SELECT * FROM (${side("debit_wallet_id")} UNION ALL ${side("credit_wallet_id")}) t
            ORDER BY number DESC LIMIT ${page.limit} OFFSET ${page.offset}`,
        ).pipe(Effect.map((rows) => rows.map(transferOf)))
      },

      /** Up to COUNTED_MAX + 1. */
      count: (walletId: WalletId, asset: string | null): Effect.Effect<number, StorageUnavailable> => {
        const side = (column: "debit_wallet_id" | "credit_wallet_id") => sql`
          (SELECT 1 FROM ledger_transfer WHERE ${sql(column)} = ${walletId} AND (${asset}::text IS NULL OR asset = ${asset})
           LIMIT ${COUNTED_MAX + 1})`
        return orUnavailable(
          sql<{ total: number }>`
            SELECT least(count(*), ${COUNTED_MAX + 1}::int)::int AS total
            FROM (${side("debit_wallet_id")} UNION ALL ${side("credit_wallet_id")}) t`,
        ).pipe(Effect.map((rows) => rows[0]!.total))
      },

      /** Of either side; in order of their making. */
      openHolds: (walletId: WalletId): Effect.Effect<ReadonlyArray<OpenHold>, StorageUnavailable> =>
        orUnavailable(
          sql<HoldRow>`
            SELECT h.* FROM ledger_hold h JOIN ledger_transfer t USING (transfer_id)
            WHERE h.debit_wallet_id = ${walletId} OR h.credit_wallet_id = ${walletId} ORDER BY t.number`,
        ).pipe(Effect.map((rows) => rows.map(holdOf))),

      /** The oldest that are due, of one wallet or of all. */
      dueHolds: (
        now: number,
        limit: number,
        walletId: WalletId | null = null,
      ): Effect.Effect<ReadonlyArray<OpenHold>, StorageUnavailable> =>
        orUnavailable(
          sql<HoldRow>`
            SELECT * FROM ledger_hold WHERE expires_at <= ${now}
              AND (${walletId}::uuid IS NULL OR debit_wallet_id = ${walletId} OR credit_wallet_id = ${walletId})
            ORDER BY expires_at LIMIT ${limit}`,
        ).pipe(Effect.map((rows) => rows.map(holdOf))),

      /** The first end of all that are open, wall ms; null: none ends. */
      nextDue: orUnavailable(
        sql<{ next: string | null }>`SELECT min(expires_at) AS next FROM ledger_hold WHERE expires_at IS NOT NULL`,
      ).pipe(Effect.map(([row]) => (row?.next == null ? null : Number(row.next)))),
    }
  }),
}) {}
