/** Mirrors of linked accounts: their wallets, their fills, and how far each has come. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { MirrorStore } from "../ports/mirror-store.ts"
import { EXECUTION_COLUMNS, type ExecutionRow, executionJson, executionOf } from "./rows.ts"
import { orUnavailable } from "./storage-failure.ts"
import { Wallets } from "./wallets.ts"

interface FillRow extends ExecutionRow {
  readonly number: string
  readonly base_asset: string
  readonly quote_asset: string
  readonly is_hedge: boolean
  readonly replaced: ExecutionRow | null
}

/** The execution whose place another one took. */
const REPLACED = executionJson("r")

export const mirrorStoreLayer = Layer.effect(
  MirrorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wallets = yield* Wallets
    return MirrorStore.of({
      open: (account, wallet) =>
        Effect.gen(function* () {
          yield* wallets.insert(wallet)
          yield* orUnavailable(sql`
            INSERT INTO exchange_mirror (trading_account_id, wallet_id, last_number)
            SELECT ${account}::uuid, ${wallet.walletId}::uuid, coalesce(max(number), 0) FROM execution
            WHERE trading_account_id = ${account} ON CONFLICT DO NOTHING`)
          const [row] = yield* orUnavailable(
            sql<{ last_number: string }>`SELECT last_number FROM exchange_mirror WHERE trading_account_id = ${account}`,
          )
          return Number(row!.last_number)
        }),
      fills: (account, after, limit) =>
        orUnavailable(
          sql.unsafe<FillRow>(
            `SELECT ${EXECUTION_COLUMNS}, x.number, o.base_asset, o.quote_asset, o.dealer_account_id IS NOT NULL AS is_hedge,
               (SELECT ${REPLACED} FROM execution r WHERE r.execution_id = x.replaces) AS replaced
             FROM execution x JOIN trade_order o USING (trade_order_id)
             WHERE x.trading_account_id = $1 AND x.number > $2 ORDER BY x.number LIMIT $3`,
            [account, after, limit],
          ),
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              number: Number(row.number),
              execution: executionOf(row),
              replaced: row.replaced === null ? null : executionOf(row.replaced),
              baseAsset: row.base_asset,
              quoteAsset: row.quote_asset,
              isHedge: row.is_hedge,
            })),
          ),
        ),
      advance: (account, number) =>
        orUnavailable(
          sql`UPDATE exchange_mirror SET last_number = ${number} WHERE trading_account_id = ${account} AND last_number < ${number}`,
        ).pipe(Effect.asVoid),
    })
  }),
)
