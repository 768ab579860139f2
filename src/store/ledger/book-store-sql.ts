/** Books of dealers: what is booked, and what is not yet. Only the ledger changes them (ledger_guard_dealer_book). */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { soldTo } from "../../domain/dealer/books.ts"
import type { QuoteId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { OrderSide } from "../../domain/order/trade-order.ts"
import { dealerBook } from "../../domain/wallet/wallet.ts"
import { BookStore } from "../../ports/book-store.ts"
import { decimal } from "../orders/rows.ts"
import { allOrUnavailable, orUnavailable } from "../postgres/storage-failure.ts"
import { type FillRow, fillOf, fillsWhere } from "./mirror-store-sql.ts"
import { Wallets } from "./wallets.ts"

interface Pair {
  readonly base_asset: string
  readonly quote_asset: string
}

// Of a hedge that is not over an admin's word counts where it is more (`countedOf`).
const VERDICTS = `
  SELECT * FROM (
    SELECT o.trade_order_id, o.base_asset, o.quote_asset, o.order_side,
      CASE WHEN o.open AND v.executed_quantity > o.executed_quantity THEN v.executed_quantity - o.executed_quantity ELSE 0 END AS quantity,
      CASE WHEN o.open AND v.executed_quantity > o.executed_quantity THEN v.executed_cost - o.executed_cost ELSE 0 END AS cost,
      coalesce(b.quantity, 0) AS booked_quantity, coalesce(b.cost, 0) AS booked_cost
    FROM hedge_verdict v JOIN trade_order o USING (trade_order_id) LEFT JOIN dealer_book_verdict b USING (trade_order_id)
    WHERE o.dealer_account_id = $1
  ) v WHERE (quantity, cost) <> (booked_quantity, booked_cost) ORDER BY trade_order_id LIMIT $2`

/** Fills are looked at so many at a time: of an account that others trade on, few are hedges. */
const LOOKED_AT_ONCE = 5_000
const LOOKED_AT = `
  SELECT max(number) AS last, count(*) AS looked FROM (
    SELECT number FROM execution WHERE trading_account_id = $1 AND number > $2 ORDER BY number LIMIT ${LOOKED_AT_ONCE}) x`
const HEDGE_FILLS = fillsWhere("x.number <= $4 AND o.dealer_account_id = $5 AND o.order_type <> 'QUOTED'")

export const bookStoreLayer = Layer.effect(
  BookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const wallets = yield* Wallets
    return BookStore.of({
      open: (dealer, at) =>
        allOrUnavailable(
          Effect.gen(function* () {
            const id = dealer.dealerAccountId
            const [position, profit, trading] = (["POSITION", "PROFIT", "TRADING"] as const).map((purpose) =>
              dealerBook(dealer, purpose, at),
            )
            const header = sql<{ version: string; last_intent: string }>`
              SELECT version, last_intent FROM dealer_books WHERE dealer_account_id = ${id}`
            let [row] = yield* header
            if (row === undefined) {
              for (const wallet of [position!, profit!, trading!]) yield* wallets.insert(wallet)
              yield* sql`INSERT INTO dealer_books VALUES
                (${id}, 1, 0, ${position!.walletId}, ${profit!.walletId}, ${trading!.walletId}) ON CONFLICT DO NOTHING`
              row = (yield* header)[0]!
            }
            const pairs = yield* sql<Pair & { position: string; cash: string; profit: string }>`
              SELECT * FROM dealer_book WHERE dealer_account_id = ${id}`
            const cursors = yield* sql<{ trading_account_id: string; last_number: string }>`
              SELECT trading_account_id, last_number FROM dealer_book_cursor WHERE dealer_account_id = ${id}`
            return {
              version: Number(row.version),
              lastIntent: Number(row.last_intent),
              pairs: new Map(
                pairs.map((it) => [
                  `${it.base_asset}/${it.quote_asset}`,
                  { position: decimal(it.position), cash: decimal(it.cash), profit: decimal(it.profit) },
                ]),
              ),
              fills: new Map(
                cursors.map((it) => [it.trading_account_id as TradingAccountId, Number(it.last_number)] as const),
              ),
            }
          }),
        ),
      quotes: (dealer, after, limit) =>
        orUnavailable(
          sql<
            Pair & { number: string; quote_id: string; order_side: OrderSide; quantity: string; quote_price: string }
          >`
            SELECT number, quote_id, base_asset, quote_asset, order_side, quantity, quote_price FROM hedge_intent
            WHERE dealer_account_id = ${dealer} AND number > ${after} ORDER BY number LIMIT ${limit}`,
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              number: Number(row.number),
              quoteId: row.quote_id as QuoteId,
              baseAsset: row.base_asset,
              quoteAsset: row.quote_asset,
              change: soldTo({
                orderSide: row.order_side,
                quantity: decimal(row.quantity),
                quotePrice: decimal(row.quote_price),
              }),
            })),
          ),
        ),
      fills: (dealer, account, after, limit) =>
        allOrUnavailable(
          Effect.gen(function* () {
            const [at] = yield* sql.unsafe<{ last: string | null; looked: string }>(LOOKED_AT, [account, after])
            if (at!.last === null) return { fills: [], last: after, looked: 0 }
            const rows = yield* sql.unsafe<FillRow>(HEDGE_FILLS, [account, after, limit, at!.last, dealer])
            const last = rows.length < limit ? at!.last : rows.at(-1)!.number
            return { fills: rows.map(fillOf), last: Number(last), looked: Number(at!.looked) }
          }),
        ),
      verdicts: (dealer, limit) =>
        orUnavailable(
          sql.unsafe<
            Pair & {
              readonly trade_order_id: string
              readonly order_side: OrderSide
            } & Readonly<Record<"quantity" | "cost" | "booked_quantity" | "booked_cost", string>>
          >(VERDICTS, [dealer, limit]),
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              tradeOrderId: row.trade_order_id as TradeOrderId,
              baseAsset: row.base_asset,
              quoteAsset: row.quote_asset,
              orderSide: row.order_side,
              quantity: decimal(row.quantity),
              cost: decimal(row.cost),
              bookedQuantity: decimal(row.booked_quantity),
              bookedCost: decimal(row.booked_cost),
            })),
          ),
        ),
    })
  }),
)
