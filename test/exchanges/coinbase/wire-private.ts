/**
 * The JSON of orders, fills and accounts, field by field as Coinbase sends them; the names are those that ccxt 4.5.84 parses and the venue
 * documents.
 */
import { UNIT } from "../binance/fixed.ts"
import { balanceOf, executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { fees } from "./fees.ts"
import { type CoinbaseAccount, orderIdOf, timeText, tradeIdOf, wordsOf } from "./model.ts"

const NEVER = "0001-01-01T00:00:00Z"

const statusOf = (order: Order): string => (isOpen(order) ? "OPEN" : order.status === "FILLED" ? "FILLED" : "CANCELLED")

const sumsOf = (order: Order) => {
  const executed = executedQuantity(order)
  const paid = order.fills.reduce((sum, fill) => sum + fees.paidFor(fill).amount, 0n)
  return {
    executed,
    paid,
    average: executed === 0n ? "0" : plain((order.cost * UNIT) / executed),
    share: order.quantity === 0n ? "0" : plain((executed * 100n * UNIT) / order.quantity),
    withFees: order.cost + (order.side === "BUY" ? paid : -paid),
  }
}

/** An order as orders/historical shows it. It says what was asked for first, and beside that what was edited since. */
export const orderRow = (order: Order, isCancelled = false) => {
  const said = wordsOf(order)
  const { executed, paid, average, share, withFees } = sumsOf(order)
  return {
    order_id: orderIdOf(order.orderId),
    product_id: order.symbol,
    user_id: `user-${order.account.accountNumber}`,
    order_configuration: said.configuration,
    side: order.side,
    client_order_id: order.clientOrderId,
    status: isCancelled && isOpen(order) ? "CANCEL_QUEUED" : statusOf(order),
    time_in_force: said.timeInForce,
    created_time: timeText(order.placedAt),
    completion_percentage: share,
    filled_size: plain(executed),
    average_filled_price: average,
    fee: "",
    number_of_fills: String(order.fills.length),
    filled_value: plain(order.cost),
    pending_cancel: isCancelled,
    size_in_quote: said.isInQuote,
    total_fees: plain(paid),
    size_inclusive_of_fees: said.isInQuote,
    total_value_after_fees: plain(withFees),
    trigger_status: "INVALID_ORDER_TYPE",
    order_type: order.type,
    reject_reason: "REJECT_REASON_UNSPECIFIED",
    settled: order.status === "FILLED",
    product_type: "SPOT",
    reject_message: "",
    cancel_message: said.cancelMessage,
    order_placement_source: "RETAIL_ADVANCED",
    outstanding_hold_amount: plain(isOpen(order) ? order.reserved + fees.heldOf(order) : 0n),
    is_liquidation: false,
    last_fill_time: order.fills.length === 0 ? null : timeText(order.fills.at(-1)?.filledAt ?? 0),
    edit_history: said.edits,
    leverage: "",
    margin_type: "UNKNOWN_MARGIN_TYPE",
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = { LIMIT: "Limit", MARKET: "Market" }

/** In the channel `user`: not what was ordered, but what is done and what is left of it; nothing is left of what has ended. */
export const orderEvent = (order: Order) => {
  const said = wordsOf(order)
  const { executed, paid, average, share, withFees } = sumsOf(order)
  return {
    avg_price: average,
    cancel_reason: said.cancelMessage,
    client_order_id: order.clientOrderId,
    completion_percentage: share,
    contract_expiry_type: "UNKNOWN_CONTRACT_EXPIRY_TYPE",
    cumulative_quantity: plain(executed),
    filled_value: plain(order.cost),
    leaves_quantity: plain(isOpen(order) ? order.left : 0n),
    limit_price: order.type === "LIMIT" ? plain(order.price) : "0",
    number_of_fills: String(order.fills.length),
    order_id: orderIdOf(order.orderId),
    order_side: order.side,
    order_type: TYPE_WORDS[order.type] ?? "UNKNOWN_ORDER_TYPE",
    outstanding_hold_amount: plain(isOpen(order) ? order.reserved + fees.heldOf(order) : 0n),
    post_only: String(said.isPostOnly),
    product_id: order.symbol,
    product_type: "SPOT",
    reject_reason: "",
    retail_portfolio_id: (order.account as CoinbaseAccount).portfolioId,
    risk_managed_by: "UNKNOWN_RISK_MANAGEMENT_TYPE",
    status: statusOf(order),
    stop_price: "",
    time_in_force: said.timeInForce,
    total_fees: plain(paid),
    total_value_after_fees: plain(withFees),
    trigger_status: "INVALID_ORDER_TYPE",
    creation_time: timeText(order.placedAt),
    end_time: NEVER,
    start_time: NEVER,
  }
}

/** All 16 places: what an order in quote is filled with is an amount of the quote asset. */
const exactCost = ({ price, quantity }: Fill): string => {
  const digits = String(price * quantity).padStart(17, "0")
  return `${digits.slice(0, -16)}.${digits.slice(-16)}`.replace(/\.?0+$/, "")
}

/** `order` is the fill's. */
export const fillRow = (order: Order, fill: Fill) => {
  const { isInQuote } = wordsOf(order)
  return {
    entry_id: `entry-${tradeIdOf(fill)}`,
    trade_id: tradeIdOf(fill),
    order_id: orderIdOf(fill.orderId),
    trade_time: timeText(fill.filledAt),
    trade_type: "FILL",
    price: plain(fill.price),
    size: isInQuote ? exactCost(fill) : plain(fill.quantity),
    commission: plain(fees.paidFor(fill).amount),
    product_id: fill.symbol,
    sequence_timestamp: timeText(fill.filledAt),
    liquidity_indicator: fill.isMaker ? "MAKER" : "TAKER",
    size_in_quote: isInQuote,
    user_id: `user-${order.account.accountNumber}`,
    side: fill.isBuyer ? "BUY" : "SELL",
    retail_portfolio_id: (order.account as CoinbaseAccount).portfolioId,
  }
}

/** GET accounts: one wallet of an asset. */
export const walletRow = (account: CoinbaseAccount, currency: string) => {
  const { free, locked } = balanceOf(account, currency)
  return {
    uuid: `wallet-${account.accountNumber}-${currency}`,
    name: `${currency} Wallet`,
    currency,
    available_balance: { value: plain(free), currency },
    default: true,
    active: true,
    created_at: "2023-01-04T06:20:06.456Z",
    updated_at: "2023-01-04T06:20:07.181Z",
    deleted_at: null,
    type: currency === "USD" ? "ACCOUNT_TYPE_FIAT" : "ACCOUNT_TYPE_CRYPTO",
    ready: true,
    hold: { value: plain(locked), currency },
    retail_portfolio_id: account.portfolioId,
    platform: "ACCOUNT_PLATFORM_CONSUMER",
  }
}
