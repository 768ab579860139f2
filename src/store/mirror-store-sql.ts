/** Mirrors of linked accounts: their wallets, their fills, and how far each has come. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { type DifferenceBook, MirrorStore, type StoredFill } from "../ports/mirror-store.ts"
import { decimal, EXECUTION_COLUMNS, type ExecutionRow, executionJson, executionOf, instant } from "./rows.ts"
import { orUnavailable } from "./storage-failure.ts"
import { Wallets } from "./wallets.ts"

export interface FillRow extends ExecutionRow {
  readonly number: string
  readonly base_asset: string
  readonly quote_asset: string
  readonly is_hedge: boolean
  readonly replaced: ExecutionRow | null
}

/** Of an account, with the execution whose place each took. */
export const FILLS = `
  SELECT ${EXECUTION_COLUMNS}, x.number, o.base_asset, o.quote_asset, o.dealer_account_id,
    o.dealer_account_id IS NOT NULL AS is_hedge,
    (SELECT ${executionJson("r")} FROM execution r WHERE r.execution_id = x.replaces) AS replaced
  FROM execution x JOIN trade_order o USING (trade_order_id)
  WHERE x.trading_account_id = $1 AND x.number > $2 ORDER BY x.number LIMIT $3`

export const fillOf = (row: FillRow): StoredFill => ({
  number: Number(row.number),
  execution: executionOf(row),
  replaced: row.replaced === null ? null : executionOf(row.replaced),
  baseAsset: row.base_asset,
  quoteAsset: row.quote_asset,
  isHedge: row.is_hedge,
})

export const mirrorStoreLayer = Layer.effect(
  MirrorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wallets = yield* Wallets
    return MirrorStore.of({
      open: (account, wallet, books) =>
        Effect.gen(function* () {
          for (const one of [wallet, ...books]) yield* wallets.insert(one)
          yield* orUnavailable(sql`
            INSERT INTO exchange_mirror (trading_account_id, wallet_id, last_number)
            SELECT ${account}::uuid, ${wallet.walletId}::uuid, coalesce(max(number), 0) FROM execution
            WHERE trading_account_id = ${account} ON CONFLICT DO NOTHING`)
          const [row] = yield* orUnavailable(
            sql<{ last_number: string; opened: boolean }>`
              SELECT last_number, opened FROM exchange_mirror WHERE trading_account_id = ${account}`,
          )
          return { last: Number(row!.last_number), opened: row!.opened }
        }),
      opened: (account) =>
        orUnavailable(sql`UPDATE exchange_mirror SET opened = true WHERE trading_account_id = ${account}`).pipe(
          Effect.asVoid,
        ),
      differences: (account, since) =>
        orUnavailable(
          sql<{ asset: string; change: string; book: DifferenceBook; at: string }>`
            SELECT asset, change, book, at FROM exchange_difference
            WHERE trading_account_id = ${account} AND at >= ${since} ORDER BY at`,
        ).pipe(
          Effect.map((rows) =>
            rows.map(({ asset, change, book, at }) => ({ asset, change: decimal(change), book, at: instant(at) })),
          ),
        ),
      fills: (account, after, limit) =>
        orUnavailable(sql.unsafe<FillRow>(FILLS, [account, after, limit])).pipe(Effect.map((rows) => rows.map(fillOf))),
      advance: (account, number) =>
        orUnavailable(
          sql`UPDATE exchange_mirror SET last_number = ${number} WHERE trading_account_id = ${account} AND last_number < ${number}`,
        ).pipe(Effect.asVoid),
    })
  }),
)
