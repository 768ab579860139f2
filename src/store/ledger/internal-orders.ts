/** The journal of the platform's own venue, read: its rows are written in the ledger's transactions (migration 0007). */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { InstrumentId, QuoteId, TenantId, TradeOrderId, TradingAccountId, UserId } from "../../domain/ids.ts"
import type { InternalOrder, InternalTrade } from "../../domain/order/internal-order.ts"
import type { OrderSide, PlainOrderType, StoredTimeInForce } from "../../domain/order/trade-order.ts"
import type { WalletId } from "../../domain/wallet/wallet.ts"
import { InternalStore } from "../../ports/journal-port.ts"
import { decimal, instant } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

interface OrderRow {
  readonly trade_order_id: string
  readonly trading_account_id: string
  readonly tenant_id: string
  readonly user_id: string
  readonly wallet_id: string
  readonly instrument_id: string
  readonly order_side: string
  readonly order_type: string
  readonly time_in_force: string
  readonly limit_price: string | null
  readonly quantity: string
  readonly budget: string | null
  readonly executed: string
  readonly status: string
  readonly ending: string | null
  readonly sequence: string
  readonly hold_id: string | null
  readonly held: string
  readonly created_at: string
  readonly updated_at: string
}

const ORDER_COLUMNS = `trade_order_id, trading_account_id, tenant_id, user_id, wallet_id, instrument_id, order_side, order_type,
  time_in_force, limit_price, quantity, budget, executed, status, ending, sequence, hold_id, held, created_at, updated_at`

const orderOf = (row: OrderRow): InternalOrder => ({
  tradeOrderId: row.trade_order_id as TradeOrderId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  tenantId: row.tenant_id as TenantId,
  ownerId: row.user_id as UserId,
  walletId: row.wallet_id as WalletId,
  instrumentId: row.instrument_id as InstrumentId,
  orderSide: row.order_side as OrderSide,
  orderType: row.order_type as PlainOrderType,
  timeInForce: row.time_in_force as StoredTimeInForce,
  limitPrice: row.limit_price === null ? null : decimal(row.limit_price),
  quantity: decimal(row.quantity),
  budget: row.budget === null ? null : decimal(row.budget),
  executed: decimal(row.executed),
  status: row.status as InternalOrder["status"],
  ending: row.ending as InternalOrder["ending"],
  sequence: Number(row.sequence),
  holdId: row.hold_id,
  held: decimal(row.held),
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

interface TradeRow {
  readonly trade_id: string
  readonly instrument_id: string
  readonly price: string
  readonly quantity: string
  readonly taker_side: string
  readonly maker_order_id: string | null
  readonly maker_account_id: string
  readonly maker_fee: string
  readonly taker_order_id: string
  readonly taker_account_id: string
  readonly taker_fee: string
  readonly quote_id: string | null
  readonly executed_at: string
}

const TRADE_COLUMNS = `trade_id, instrument_id, price, quantity, taker_side, maker_order_id, maker_account_id, maker_fee, taker_order_id,
  taker_account_id, taker_fee, quote_id, executed_at`

const tradeOf = (row: TradeRow): InternalTrade => ({
  tradeId: row.trade_id,
  instrumentId: row.instrument_id as InstrumentId,
  price: decimal(row.price),
  quantity: decimal(row.quantity),
  takerSide: row.taker_side as OrderSide,
  makerOrderId: row.maker_order_id as TradeOrderId | null,
  makerAccountId: row.maker_account_id as TradingAccountId,
  makerFee: decimal(row.maker_fee),
  takerOrderId: row.taker_order_id as TradeOrderId,
  takerAccountId: row.taker_account_id as TradingAccountId,
  takerFee: decimal(row.taker_fee),
  quoteId: row.quote_id as QuoteId | null,
  executedAt: instant(row.executed_at),
})

interface SecondRow {
  readonly at: string
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string
  readonly last_quantity: string
}

const SECONDS = `SELECT second * 1000 AS at, (array_agg(price ORDER BY ordinal))[1] AS open, max(price) AS high, min(price) AS low,
    (array_agg(price ORDER BY ordinal DESC))[1] AS close, sum(quantity) AS volume,
    (array_agg(quantity ORDER BY ordinal DESC))[1] AS last_quantity
  FROM (SELECT executed_at / 1000 AS second, price, quantity, ordinal FROM internal_trade
    WHERE instrument_id = $1 AND quote_id IS NULL ORDER BY executed_at DESC LIMIT $2) AS newest
  GROUP BY second ORDER BY second`

export const InternalStoreLive = Layer.effect(
  InternalStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const orders = (where: string, values: ReadonlyArray<unknown>) =>
      orUnavailable(sql.unsafe<OrderRow>(`SELECT ${ORDER_COLUMNS} FROM internal_order WHERE ${where}`, values)).pipe(
        Effect.map((rows) => rows.map(orderOf)),
      )
    const trades = (rest: string, values: ReadonlyArray<unknown>) =>
      orUnavailable(sql.unsafe<TradeRow>(`SELECT ${TRADE_COLUMNS} FROM internal_trade ${rest}`, values)).pipe(
        Effect.map((rows) => rows.map(tradeOf)),
      )
    return {
      openOrders: (instrumentId) => orders("instrument_id = $1 AND status = 'OPEN' ORDER BY sequence", [instrumentId]),
      seconds: (instrumentId, limit) =>
        orUnavailable(sql.unsafe<SecondRow>(SECONDS, [instrumentId, limit])).pipe(
          Effect.map((rows) =>
            rows.map(({ at, last_quantity, ...prices }) => ({
              ...prices,
              at: instant(at),
              lastQuantity: last_quantity,
            })),
          ),
        ),
      order: (tradeOrderId) => Effect.map(orders("trade_order_id = $1", [tradeOrderId]), (found) => found[0] ?? null),
      quotedTrade: (tradeOrderId) =>
        Effect.map(
          trades("WHERE taker_order_id = $1 AND quote_id IS NOT NULL", [tradeOrderId]),
          (found) => found[0] ?? null,
        ),
      openOrdersOf: (account) => orders("trading_account_id = $1 AND status = 'OPEN' ORDER BY sequence", [account]),
      tradesOf: (account, since, instruments) =>
        trades(
          `WHERE trade_id IN (
             SELECT trade_id FROM internal_trade WHERE maker_account_id = $1 AND executed_at >= $2 AND instrument_id = ANY($3)
             UNION SELECT trade_id FROM internal_trade WHERE taker_account_id = $1 AND executed_at >= $2 AND instrument_id = ANY($3))
           ORDER BY ordinal`,
          [account, since, [...instruments]],
        ),
    }
  }),
)
