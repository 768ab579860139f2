/**
 * The immutable identity of a row: its owner and its kind. A later image with another identity is another thing under a used id; the
 * unit that holds it is refused, by the statement or before it is sent.
 */

import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { TradeOrderId } from "../../domain/ids.ts"
import type { Execution, TradeOrder } from "../../domain/order/trade-order.ts"
import type { Row, Unit } from "../../ports/account-store.ts"
import { constraintOf, detailOf } from "../postgres/storage-failure.ts"
import { ORDER_CONSTANTS } from "./order-columns.ts"

/** JSON has no equality in the database; what it says of an order follows from the rest. */
const NOT_COMPARED: ReadonlySet<string> = new Set(["trade_order_id", "hedge_for_quote_ids", "placed_by"])

const ORDER_IDENTITY: ReadonlyArray<string> = [...ORDER_CONSTANTS].filter((name) => !NOT_COMPARED.has(name))
const EXECUTION_IDENTITY = [
  "tenant_id",
  "trading_account_id",
  "trade_order_id",
  "venue",
  "external_trade_id",
  "instrument_id",
  "order_side",
  "executed_quantity",
  "executed_price",
  "executed_cost",
  "inferred",
  "executed_at",
]
const ACCOUNT_IDENTITY = ["tenant_id", "user_id", "venue", "channel_epoch", "created_at"]
const REPORT_IDENTITY = ["tenant_id", "trading_account_id"]

/** The stored row `t` is not what `excluded` would be an image of. */
const differs = (columns: ReadonlyArray<string>): string =>
  `(${columns.map((name) => `t.${name}`).join(", ")}) IS DISTINCT FROM (${columns.map((name) => `excluded.${name}`).join(", ")})`

/** Ends the statement with SQLSTATE 23000 and the constraint `<table>_identity` (migration 0016). Of type bigint. */
const refused = (table: string, id: string): string => `row_of_another('${table}', t.${id})`

/** The order id that such an end names. */
export const anotherOrderOf = (error: unknown): string | undefined =>
  constraintOf(error) === "trade_order_identity" ? /=\(([0-9a-f-]{36})\)/.exec(detailOf(error))?.[1] : undefined

/** `ON CONFLICT` of an immutable row: the same one is forgiven, another under its id is not. `column` is any that a bigint fits. */
const forgiving = (table: string, id: string, column: string, columns: ReadonlyArray<string>): string =>
  `ON CONFLICT (${id}) DO UPDATE SET ${column} = ${refused(table, id)} WHERE ${differs(columns)}`

/** `ON CONFLICT` of an image: a later one replaces an older one, an older one changes nothing. Costs an insert nothing. */
const replacing = (table: string, id: string, sets: string, columns: ReadonlyArray<string>): string =>
  `ON CONFLICT (${id}) DO UPDATE SET version = CASE WHEN ${differs(columns)} THEN ${refused(table, id)} ELSE excluded.version END, ${sets}
      WHERE excluded.version > t.version OR ${differs(columns)}`

export const onOrderConflict = (sets: string): string =>
  replacing("trade_order", "trade_order_id", sets, ORDER_IDENTITY)
export const onAccountConflict = (sets: string): string =>
  replacing("trading_account", "trading_account_id", sets, ACCOUNT_IDENTITY)
export const ON_EXECUTION_CONFLICT = forgiving("execution", "execution_id", "executed_at", EXECUTION_IDENTITY)
export const ON_REPORT_CONFLICT = forgiving("quarantined_report", "quarantined_report_id", "at", REPORT_IDENTITY)

export const isSameOrder = (a: TradeOrder, b: TradeOrder): boolean =>
  a.tradingAccountId === b.tradingAccountId &&
  a.tenantId === b.tenantId &&
  a.venue === b.venue &&
  a.instrumentId === b.instrumentId &&
  a.orderListId === b.orderListId &&
  a.contingencyType === b.contingencyType &&
  a.quoteId === b.quoteId &&
  a.positionId === b.positionId &&
  a.replacesTradeOrderId === b.replacesTradeOrderId &&
  a.dealerAccountId === b.dealerAccountId &&
  a.baseAsset === b.baseAsset &&
  a.quoteAsset === b.quoteAsset &&
  a.orderSide === b.orderSide &&
  a.orderType === b.orderType &&
  a.quantityRounding === b.quantityRounding &&
  a.clientOrderId === b.clientOrderId &&
  a.idempotencyKey === b.idempotencyKey &&
  a.fingerprint === b.fingerprint &&
  a.origin === b.origin &&
  a.createdAt === b.createdAt

export const isSameExecution = (a: Execution, b: Execution): boolean =>
  a.tradingAccountId === b.tradingAccountId &&
  a.tradeOrderId === b.tradeOrderId &&
  a.venue === b.venue &&
  a.externalTradeId === b.externalTradeId &&
  a.instrumentId === b.instrumentId &&
  a.orderSide === b.orderSide &&
  a.executedQuantity.equals(b.executedQuantity) &&
  a.executedPrice.equals(b.executedPrice) &&
  a.executedCost.equals(b.executedCost) &&
  a.inferred === b.inferred &&
  a.executedAt === b.executedAt

export const isSameAccount = (a: TradingAccount, b: TradingAccount): boolean =>
  a.tenantId === b.tenantId &&
  a.userId === b.userId &&
  a.venue === b.venue &&
  a.channelEpoch === b.channelEpoch &&
  a.createdAt === b.createdAt

const hasOrder = (rows: ReadonlyArray<Row>, id: TradeOrderId): boolean =>
  rows.some((row) => row._tag === "Order" && row.order.tradeOrderId === id)

/** Whether the row says itself that it is another account's, or another tenant's. */
const isStrange = (row: Row, { accountId, rows }: Unit, tenantId: string): boolean => {
  switch (row._tag) {
    case "Order":
      return row.order.tradingAccountId !== accountId || row.order.tenantId !== tenantId
    case "Execution":
      // Whose its order is, the order's own image is compared for.
      return row.execution.tradingAccountId !== accountId || !hasOrder(rows, row.execution.tradeOrderId)
    case "Account":
      return row.account.tradingAccountId !== accountId || row.account.tenantId !== tenantId
    case "Audited":
      return row.act.object !== null && row.act.object.id !== accountId
    case "SubscriptionsEnded":
      return row.tradingAccountId !== accountId
    default:
      return false
  }
}

/** The kind of the first row of a unit that is not its account's; undefined when all are. */
export const strangerIn = (unit: Unit, tenantId: string): string | undefined =>
  unit.rows.find((row) => isStrange(row, unit, tenantId))?._tag
