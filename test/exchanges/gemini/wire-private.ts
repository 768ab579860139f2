/**
 * The JSON of orders, trades, events and balances, field by field as Gemini sends them; the names are those that ccxt 4.5.84 parses and that the venue
 * documents (developer.gemini.com, and "Order events" of docs.gemini.com/websocket-api).
 */
import { UNIT } from "../binance/fixed.ts"
import { balanceOf, executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { EventName } from "./core.ts"
import { fees } from "./fees.ts"
import { idOf, nameOf } from "./markets.ts"
import { type GeminiAccount, orderIdOf, tradeIdOf, wordsOf } from "./model.ts"

const seconds = (millis: number): number => Math.floor(millis / 1000)

const sideOf = ({ side }: Order): "buy" | "sell" => (side === "BUY" ? "buy" : "sell")

const averageOf = (order: Order): string => {
  const executed = executedQuantity(order)
  return executed === 0n ? "0.00" : plain((order.cost * UNIT) / executed)
}

const isStop = ({ type }: Order): boolean => type === "STOP_LOSS_LIMIT"

/** What answers and events say alike. */
const common = (order: Order) => {
  const { clientOrderId, reason } = wordsOf(order)
  return {
    order_id: orderIdOf(order.orderId),
    ...(clientOrderId !== undefined && { client_order_id: clientOrderId }),
    symbol: idOf(order.symbol),
    side: sideOf(order),
    is_live: isOpen(order),
    is_cancelled: !isOpen(order) && order.status !== "FILLED",
    is_hidden: false,
    ...(reason !== undefined && { reason }),
    price: plain(order.price),
    ...(isStop(order) && { stop_price: plain(order.stopPrice) }),
    original_amount: plain(order.quantity),
  }
}

const amountsOf = (order: Order) => ({
  avg_execution_price: averageOf(order),
  executed_amount: plain(executedQuantity(order)),
  remaining_amount: plain(order.left),
})

/** Of order/new, order/status, order/cancel, orders. */
export const orderRow = (order: Order) => {
  const { option } = wordsOf(order)
  return {
    ...common(order),
    id: orderIdOf(order.orderId),
    exchange: "gemini",
    type: isStop(order) ? "stop-limit" : "exchange limit",
    timestamp: String(seconds(order.placedAt)),
    timestampms: order.placedAt,
    was_forced: false,
    options: option === undefined ? [] : [option],
    ...amountsOf(order),
  }
}

/** Of mytrades, and of order/status with its trades. `tid` is a JSON number that a float does not hold. */
export const tradeRow = (fill: Fill, clientOrderId: string | undefined) => {
  const { asset, amount } = fees.paidFor(fill)
  return {
    price: plain(fill.price),
    amount: plain(fill.quantity),
    timestamp: seconds(fill.filledAt),
    timestampms: fill.filledAt,
    type: fill.isBuyer ? "Buy" : "Sell",
    aggressor: !fill.isMaker,
    fee_currency: asset,
    fee_amount: plain(amount),
    tid: tradeIdOf(fill.symbol, fill.tradeId),
    order_id: orderIdOf(fill.orderId),
    exchange: "gemini",
    is_auction_fill: false,
    is_clearing_fill: false,
    symbol: nameOf(fill.symbol),
    ...(clientOrderId !== undefined && { client_order_id: clientOrderId }),
  }
}

/** One event of /v1/order/events; the connection numbers it. */
export const eventRow = (order: Order, type: EventName | "initial", eventId: string, fill: Fill | undefined) => {
  const { option } = wordsOf(order)
  const at = type === "initial" || type === "accepted" ? order.placedAt : (fill?.filledAt ?? order.updatedAt)
  return {
    type,
    ...common(order),
    event_id: eventId,
    account_name: "primary",
    api_session: order.account.apiKey,
    order_type: isStop(order) ? "exchange stop limit" : "exchange limit",
    ...(option !== undefined && { behavior: option }),
    timestamp: String(seconds(at)),
    timestampms: at,
    // Of an order that has just come the amounts are not said.
    ...(type === "accepted" ? { is_live: true, is_cancelled: false } : amountsOf(order)),
    ...(fill !== undefined && {
      fill: {
        trade_id: String(tradeIdOf(fill.symbol, fill.tradeId)),
        liquidity: fill.isMaker ? "Maker" : "Taker",
        price: plain(fill.price),
        amount: plain(fill.quantity),
        fee: plain(fees.paidFor(fill).amount),
        fee_currency: fees.paidFor(fill).asset,
      },
    }),
  }
}

/** Of balances. */
export const balanceRow = (account: GeminiAccount, asset: string) => {
  const { free, locked } = balanceOf(account, asset)
  return {
    type: "exchange",
    currency: asset,
    amount: plain(free + locked),
    available: plain(free),
    availableForWithdrawal: plain(free),
    pendingWithdrawal: "0",
    pendingDeposit: "0",
  }
}

/** Numbers that are longer than a float is exact are written in full. */
export const written = (value: unknown): string =>
  JSON.stringify(value, (_, it) => (typeof it === "bigint" ? `#${it}#` : it)).replace(/"#(\d+)#"/g, "$1")
