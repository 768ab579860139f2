/** Mirrors of linked accounts: their wallets, their fills, and how far each has come. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { DealerAccountId, TradingAccountId } from "../../domain/ids.ts"
import { type MirrorState, MirrorStore, type StoredDifference, type StoredFill } from "../../ports/mirror-store.ts"
import { type FundingRow, fundingOf } from "../dealers/dealer-rows.ts"
import { decimal, EXECUTION_COLUMNS, type ExecutionRow, executionJson, executionOf, instant } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { Wallets } from "./wallets.ts"

export interface FillRow extends ExecutionRow {
  readonly number: string
  readonly base_asset: string
  readonly quote_asset: string
  readonly is_hedge: boolean
  readonly replaced: ExecutionRow | null
}

/** Of account $1 behind number $2, $3 at most, with the execution whose place each took. `more`: what else they have to be, of x and o. */
export const fillsWhere = (more: string): string => `
  SELECT ${EXECUTION_COLUMNS}, x.number, o.base_asset, o.quote_asset,
    o.dealer_account_id IS NOT NULL AS is_hedge,
    (SELECT ${executionJson("r")} FROM execution r WHERE r.execution_id = x.replaces) AS replaced
  FROM execution x JOIN trade_order o USING (trade_order_id)
  WHERE x.trading_account_id = $1 AND x.number > $2 AND ${more} ORDER BY x.number LIMIT $3`

const FILLS = fillsWhere("true")

export const fillOf = (row: FillRow): StoredFill => ({
  number: Number(row.number),
  execution: executionOf(row),
  replaced: row.replaced === null ? null : executionOf(row.replaced),
  baseAsset: row.base_asset,
  quoteAsset: row.quote_asset,
  isHedge: row.is_hedge,
})

interface MirrorRow {
  readonly trading_account_id: TradingAccountId
  readonly dealer_account_id: DealerAccountId | null
  readonly last_number: string
  readonly opened: boolean
  readonly was_opened: boolean
  readonly arrears: {
    readonly balances: Readonly<Record<string, string>>
    readonly differences: ReadonlyArray<Omit<StoredDifference, "change"> & { readonly change: string }>
  } | null
}

const stateOf = (row: MirrorRow): MirrorState => ({
  keeper: row.dealer_account_id,
  last: Number(row.last_number),
  opened: row.opened,
  wasOpened: row.was_opened,
  arrears: row.arrears && {
    balances: new Map(Object.entries(row.arrears.balances).map(([asset, amount]) => [asset, decimal(amount)])),
    differences: row.arrears.differences.map((it) => ({ ...it, change: decimal(it.change) })),
  },
})

export const mirrorStoreLayer = Layer.effect(
  MirrorStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wallets = yield* Wallets
    return MirrorStore.of({
      all: (since) =>
        orUnavailable(
          sql<MirrorRow>`
            SELECT trading_account_id, dealer_account_id, last_number, opened, was_opened, arrears FROM exchange_mirror m
            WHERE dealer_account_id IS NOT NULL OR arrears IS NOT NULL OR EXISTS (SELECT FROM exchange_difference d
              WHERE d.trading_account_id = m.trading_account_id AND d.at >= ${since})`,
        ).pipe(Effect.map((rows) => new Map(rows.map((row) => [row.trading_account_id, stateOf(row)])))),
      begin: (account, wallet, loss, keeper) =>
        Effect.gen(function* () {
          for (const one of [wallet, loss]) yield* wallets.insert(one)
          const [row] = yield* orUnavailable(sql<MirrorRow>`
            INSERT INTO exchange_mirror AS m (trading_account_id, wallet_id, last_number, dealer_account_id)
            SELECT ${account}::uuid, ${wallet.walletId}::uuid, coalesce(max(number), 0), ${keeper}::uuid FROM execution
            WHERE trading_account_id = ${account}
            ON CONFLICT (trading_account_id) DO UPDATE SET dealer_account_id = excluded.dealer_account_id, opened = false,
              was_opened = m.was_opened OR m.opened,
              last_number = CASE WHEN m.was_opened OR m.opened OR m.arrears IS NOT NULL THEN m.last_number
                ELSE greatest(m.last_number, excluded.last_number) END
            RETURNING trading_account_id, dealer_account_id, last_number, opened, was_opened, arrears`)
          return stateOf(row!)
        }),
      pass: (account, to) =>
        Effect.gen(function* () {
          if (to !== null) yield* wallets.insert(to.loss)
          yield* orUnavailable(sql`
            UPDATE exchange_mirror SET dealer_account_id = ${to?.keeper ?? null} WHERE trading_account_id = ${account}`)
        }),
      differences: (account, since) =>
        orUnavailable(
          sql<{
            asset: string
            change: string
            loser: DealerAccountId | null
            code: StoredDifference["code"]
            at: string
          }>`
            SELECT asset, change, dealer_account_id AS loser, code, at FROM exchange_difference
            WHERE trading_account_id = ${account} AND at >= ${since} ORDER BY at`,
        ).pipe(Effect.map((rows) => rows.map((row) => ({ ...row, change: decimal(row.change), at: instant(row.at) })))),
      fundings: orUnavailable(
        sql.unsafe<FundingRow>("SELECT * FROM exchange_funding WHERE open ORDER BY created_at, funding_id"),
      ).pipe(Effect.map((rows) => rows.map(fundingOf))),
      endFunding: (id) =>
        orUnavailable(sql`UPDATE exchange_funding SET open = false WHERE funding_id = ${id}`).pipe(Effect.asVoid),
      fills: (account, after, limit) =>
        orUnavailable(sql.unsafe<FillRow>(FILLS, [account, after, limit])).pipe(Effect.map((rows) => rows.map(fillOf))),
      advance: (account, number) =>
        orUnavailable(
          sql`UPDATE exchange_mirror SET last_number = ${number} WHERE trading_account_id = ${account} AND last_number < ${number}`,
        ).pipe(Effect.asVoid),
    })
  }),
)
