/**
 * Wallets and their balances as they are committed. The one thing to know: only the ledger moves balances (ledger_apply); what is
 * written here is the wallet itself, and `insert` takes part in the transaction of its caller.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { WalletClosed, WalletFailed, WalletNotFound } from "../../domain/errors/wallet.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/user/act.ts"
import {
  ACCOUNTING_PURPOSES,
  accountingWallet,
  type MovedBalance,
  type Wallet,
  type WalletBalance,
  type WalletId,
  type WalletStatus,
  type WalletType,
} from "../../domain/wallet/wallet.ts"
import { decimal, instant } from "../orders/rows.ts"
import { allOrUnavailable, orUnavailable } from "../postgres/storage-failure.ts"
import { type AuthorityFailure, authorityFailure, authorityRow } from "../users/authority.ts"
import { NEWEST } from "./journal.ts"

interface WalletRow {
  readonly wallet_id: string
  readonly tenant_id: string
  readonly wallet_type: WalletType
  readonly status: WalletStatus
  readonly frozen: boolean
  readonly allow_negative: boolean
  readonly user_id: string | null
  readonly dealer_account_id: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly created_at: string
  readonly updated_at: string
}

interface BalanceRow {
  readonly wallet_id: string
  readonly asset: string
  readonly balance: string
  readonly held: string
}

interface MovedRow extends BalanceRow {
  readonly moved_at: string | null
}

const walletOf = (row: WalletRow): Wallet => ({
  walletId: row.wallet_id as WalletId,
  tenantId: row.tenant_id as TenantId,
  walletType: row.wallet_type,
  status: row.status,
  frozen: row.frozen,
  allowNegative: row.allow_negative,
  userId: row.user_id as UserId | null,
  dealerAccountId: row.dealer_account_id,
  metadata: row.metadata,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

/** Of a balance and what is held of it, as texts of the database. */
export const balanceOf = (walletId: string, asset: string, balance: string, held: string): WalletBalance => {
  const all = decimal(balance)
  const bound = decimal(held)
  return { walletId: walletId as WalletId, asset, balance: all, held: bound, available: all.subtract(bound) }
}

const rowOf = (wallet: Wallet) => ({
  wallet_id: wallet.walletId,
  tenant_id: wallet.tenantId,
  wallet_type: wallet.walletType,
  status: wallet.status,
  frozen: wallet.frozen,
  allow_negative: wallet.allowNegative,
  user_id: wallet.userId,
  dealer_account_id: wallet.dealerAccountId,
  metadata: JSON.stringify(wallet.metadata),
  created_at: wallet.createdAt,
  updated_at: wallet.updatedAt,
})

export interface WalletPage {
  readonly tenantId: TenantId
  /** Null: those of no user. */
  readonly userId: UserId | null
  readonly walletType: WalletType | null
  /** Of the last record of the page before. */
  readonly after: { readonly createdAt: number; readonly walletId: string } | null
  readonly limit: number
  readonly offset: number
}

export class Wallets extends Effect.Service<Wallets>()("store/Wallets", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const findAll = (ids: ReadonlyArray<WalletId>): Effect.Effect<ReadonlyArray<Wallet>, StorageUnavailable> =>
      orUnavailable(sql<WalletRow>`SELECT * FROM wallet WHERE ${sql.in("wallet_id", ids)}`).pipe(
        Effect.map((rows) => rows.map(walletOf)),
      )

    /**
     * A wallet of this id that is there already stays as it is. A tenant's first wallet brings its accounting wallets along. No conflict is
     * named, so that each of the table's two unique indexes may find it: beside a named one the other raises an error in a race of two firsts.
     */
    const insert = (wallet: Wallet): Effect.Effect<void, StorageUnavailable> =>
      orUnavailable(
        sql`INSERT INTO wallet ${sql.insert(
          [...ACCOUNTING_PURPOSES.map((it) => accountingWallet(wallet.tenantId, it, wallet.createdAt)), wallet].map(
            rowOf,
          ),
        )} ON CONFLICT DO NOTHING`,
      ).pipe(Effect.asVoid)

    /** Of balance b, on one side. */
    const newestOf = (column: "debit_wallet_id" | "credit_wallet_id") => sql`
      (SELECT at FROM ledger_transfer WHERE (${sql(column)}, asset, number) >= (b.wallet_id, b.asset, 0)
         AND (${sql(column)}, asset, number) < (b.wallet_id, b.asset, ${NEWEST}::bigint)
       ORDER BY ${sql(column)} DESC, asset DESC, number DESC LIMIT 1)`

    return {
      findAll,

      find: (id: WalletId): Effect.Effect<Wallet | null, StorageUnavailable> =>
        Effect.map(findAll([id]), ([wallet]) => wallet ?? null),

      insert,

      /** As `insert`, for a CLIENT wallet: a user has at most `max` of them, closed ones too. */
      insertOwn: (wallet: Wallet, max: number): Effect.Effect<void, WalletFailed | StorageUnavailable> =>
        allOrUnavailable(
          sql.withTransaction(
            Effect.gen(function* () {
              // One at a time of a user, or two would count the same.
              yield* sql`SELECT 1 FROM app_user WHERE user_id = ${wallet.userId} FOR NO KEY UPDATE`
              const [counted] = yield* sql<{ total: number; is_there: boolean }>`
                SELECT count(*)::int AS total, coalesce(bool_or(wallet_id = ${wallet.walletId}), false) AS is_there
                FROM wallet WHERE user_id = ${wallet.userId} AND wallet_type = 'CLIENT'`
              if (counted!.is_there) return
              if (counted!.total >= max) return yield* new WalletFailed({ reason: `a user has at most ${max} wallets` })
              yield* insert(wallet)
            }),
          ),
        ),

      /** Newest first; `total` without limit and offset. */
      list: (
        page: WalletPage,
      ): Effect.Effect<{ readonly rows: ReadonlyArray<Wallet>; readonly total: number }, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const mine = sql`${page.userId === null ? sql`user_id IS NULL` : sql`user_id = ${page.userId}`}
              AND tenant_id = ${page.tenantId} AND (${page.walletType}::text IS NULL OR wallet_type = ${page.walletType})`
            const behind =
              page.after === null
                ? sql`true`
                : sql`(created_at, wallet_id) < (${page.after.createdAt}::bigint, ${page.after.walletId}::uuid)`
            const rows = yield* sql<WalletRow>`
              SELECT * FROM wallet WHERE ${mine} AND ${behind}
              ORDER BY created_at DESC, wallet_id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
            const counted = yield* sql<{ total: number }>`SELECT count(*)::int AS total FROM wallet WHERE ${mine}`
            return { rows: rows.map(walletOf), total: counted[0]!.total }
          }),
        ),

      /** By asset. Without when they moved, which quotes, mirrors and the internal venue do not ask for. */
      balances: (id: WalletId): Effect.Effect<ReadonlyArray<WalletBalance>, StorageUnavailable> =>
        orUnavailable(
          sql<BalanceRow>`
            SELECT wallet_id, asset, credits_posted - debits_posted AS balance, debits_pending AS held
            FROM wallet_balance WHERE wallet_id = ${id} ORDER BY asset COLLATE "C"`,
        ).pipe(Effect.map((rows) => rows.map((row) => balanceOf(row.wallet_id, row.asset, row.balance, row.held)))),

      /**
       * Of all these wallets by one statement; by wallet, then asset. The journal says when each last moved: two looks into its indexes, as rows,
       * for by equal columns the planner may walk the whole journal along its numbers to find what moved long ago.
       */
      movedBalances: (ids: ReadonlyArray<WalletId>): Effect.Effect<ReadonlyArray<MovedBalance>, StorageUnavailable> =>
        ids.length === 0
          ? Effect.succeed([])
          : orUnavailable(
              sql<MovedRow>`
                SELECT wallet_id, asset, credits_posted - debits_posted AS balance, debits_pending AS held, greatest(
                  ${newestOf("debit_wallet_id")}, ${newestOf("credit_wallet_id")}) AS moved_at
                FROM wallet_balance b WHERE ${sql.in("wallet_id", ids)} ORDER BY wallet_id, asset COLLATE "C"`,
            ).pipe(
              Effect.map((rows) =>
                rows.map((row) => ({
                  ...balanceOf(row.wallet_id, row.asset, row.balance, row.held),
                  movedAt: row.moved_at === null ? 0 : instant(row.moved_at),
                })),
              ),
            ),

      /**
       * The wallet as it is then; on one that has the status already nothing changes. Null: it has holds. An OWNER's or DEALER's only way is
       * CLOSED; a wallet that the right does not reach is not found.
       */
      setStatus: (
        id: WalletId,
        status: WalletStatus,
        at: number,
        authority: Authority,
      ): Effect.Effect<
        Wallet | null,
        WalletNotFound | WalletClosed | WalletFailed | AuthorityFailure | StorageUnavailable
      > =>
        Effect.gen(function* () {
          const asked = JSON.stringify(authorityRow(authority))
          const [said] = yield* orUnavailable(
            sql<{ word: string | null; provided: ReadonlyArray<string> | null }>`
              SELECT word, (SELECT let_through(u.permissions, k.scopes) FROM app_user u LEFT JOIN api_key k ON k.key_id = ${authority.actor.keyId}
                WHERE word IS NOT NULL AND u.user_id = ${authority.actor.userId}) AS provided
              FROM wallet_set_status(${id}, ${status}, ${at}, ${asked}::jsonb) AS said (word)`,
          )
          const refused = said?.word ? authorityFailure(said.word, said.provided ?? []) : undefined
          if (refused !== undefined) return yield* Effect.fail(refused)
          if (said?.word === "WalletNotFound") return yield* new WalletNotFound()
          if (said?.word === "WalletClosed") return yield* new WalletClosed()
          if (said?.word === "accounting")
            return yield* new WalletFailed({ reason: "an accounting wallet cannot be frozen or closed" })
          if (said?.word === "WalletHasHolds") return null
          const [wallet] = yield* findAll([id])
          return wallet ?? (yield* new WalletNotFound())
        }),
    }
  }),
}) {}
