/**
 * The JSON of orders, fills and balances, field by field as Gate sends them; the names are those that ccxt 4.5.84 parses and that the venue documents
 * (www.gate.com/docs/developers/apiv4, and its page on spot WebSockets).
 */
import { UNIT } from "../binance/fixed.ts"
import { balanceOf, executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { OrderEventType } from "./core.ts"
import { type PaidFee, paidFor } from "./fees.ts"
import { type GateAccount, orderIdOf, tradeIdOf, wordsOf } from "./model.ts"

const NOTHING: PaidFee = { fee: 0n, gt: 0n, point: 0n }

const seconds = (millis: number): string => String(Math.floor(millis / 1000))

/** What is left of the amount, which is of the quote asset where the order buys at the market. */
const leftOf = (order: Order): bigint => {
  const { budget } = wordsOf(order)
  return budget > 0n ? budget - order.cost : order.left
}

/** "Any order that is not filled totally is cancelled", a market buy by the crumbs that it leaves as well. */
const finishOf = (order: Order): string => {
  const { timeInForce, isKilled } = wordsOf(order)
  if (isOpen(order)) return "open"
  if (order.status === "FILLED") return leftOf(order) === 0n ? "filled" : timeInForce
  if (isKilled) return "poc"
  if (order.status === "EXPIRED_IN_MATCH") return "stp"
  return order.status === "EXPIRED" ? timeInForce : "cancelled"
}

/** In REST and in the stream alike. */
const shared = (order: Order) => {
  const { text, timeInForce, budget } = wordsOf(order)
  const isMarket = order.type === "MARKET"
  const executed = executedQuantity(order)
  const paid = order.fills
    .map(paidFor)
    .reduce((sum, { fee, gt, point }) => ({ fee: sum.fee + fee, gt: sum.gt + gt, point: sum.point + point }), NOTHING)
  const [base = "", quote = ""] = order.symbol.split("_")
  return {
    id: orderIdOf(order.orderId),
    text,
    amend_text: "-",
    create_time: seconds(order.placedAt),
    update_time: seconds(order.updatedAt),
    currency_pair: order.symbol,
    type: isMarket ? "market" : "limit",
    account: "spot",
    side: order.side === "BUY" ? "buy" : "sell",
    amount: plain(budget > 0n ? budget : order.quantity),
    price: isMarket ? "0" : plain(order.price),
    time_in_force: timeInForce,
    left: plain(leftOf(order)),
    filled_amount: plain(executed),
    filled_total: plain(order.cost),
    avg_deal_price: executed === 0n ? "0" : plain((order.cost * UNIT) / executed),
    fee: plain(paid.fee),
    fee_currency: order.side === "BUY" ? base : quote,
    point_fee: plain(paid.point),
    gt_fee: plain(paid.gt),
    rebated_fee: "0",
    rebated_fee_currency: order.side === "BUY" ? quote : base,
    stp_id: 0,
    stp_act: "-",
    finish_as: finishOf(order),
  }
}

/** As GET /spot/orders/{order_id} and the lists show it. */
export const orderRow = (order: Order) => {
  const finish = finishOf(order)
  return {
    ...shared(order),
    create_time_ms: order.placedAt,
    update_time_ms: order.updatedAt,
    status: finish === "open" ? "open" : finish === "filled" ? "closed" : "cancelled",
    iceberg: "0",
    fill_price: plain(order.cost),
    gt_maker_fee: "0",
    gt_taker_fee: "0",
    gt_discount: false,
  }
}

/** On the channel spot.orders. */
export const orderEvent = (order: Order, event: OrderEventType) => ({
  ...shared(order),
  create_time_ms: String(order.placedAt),
  update_time_ms: String(order.updatedAt),
  user: order.account.accountNumber,
  event,
  biz_info: "-",
})

const tradeTime = ({ filledAt }: Fill): string => `${filledAt}.123`

/** GET /spot/my_trades. */
export const tradeRow = (order: Order, fill: Fill) => {
  const { fee, gt, point } = paidFor(fill)
  return {
    id: String(tradeIdOf(fill.symbol, fill.tradeId)),
    create_time: seconds(fill.filledAt),
    create_time_ms: tradeTime(fill),
    currency_pair: fill.symbol,
    order_id: orderIdOf(fill.orderId),
    side: fill.isBuyer ? "buy" : "sell",
    role: fill.isMaker ? "maker" : "taker",
    amount: plain(fill.quantity),
    price: plain(fill.price),
    fee: plain(fee),
    fee_currency: fill.feeAsset,
    point_fee: plain(point),
    gt_fee: plain(gt),
    amend_text: "-",
    sequence_id: String(fill.tradeId),
    text: wordsOf(order).text,
  }
}

/** On the channel spot.usertrades; its example has no `fee_currency`. */
export const tradeEvent = (order: Order, fill: Fill) => {
  const { id, create_time, sequence_id: _, amend_text: __, fee_currency: ___, ...row } = tradeRow(order, fill)
  const numbers = { id: Number(id), create_time: Number(create_time), id_market: fill.tradeId }
  return { ...row, ...numbers, user_id: order.account.accountNumber }
}

/** GET /spot/accounts. */
export const accountRow = (account: GateAccount, currency: string) => {
  const { free, locked } = balanceOf(account, currency)
  return { currency, available: plain(free), locked: plain(locked), update_id: 98 }
}

/** On the channel spot.balances. */
export const balanceEvent = (account: GateAccount, currency: string, at: number) => {
  const { free, locked } = balanceOf(account, currency)
  return {
    timestamp: seconds(at),
    timestamp_ms: String(at),
    user: String(account.accountNumber),
    currency,
    change: "0",
    total: plain(free + locked),
    available: plain(free),
    freeze: plain(locked),
    freeze_change: "0",
    change_type: "order-update",
  }
}
