/**
 * The JSON of orders, trades and balances, field by field as Bitstamp sends them; the names are those that ccxt 4.5.84 parses and that the venue documents
 * (www.bitstamp.net/api and www.bitstamp.net/websocket/v2).
 */
import { balanceOf, executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { fees } from "./fees.ts"
import { nameOf } from "./markets.ts"
import { type BitstampAccount, orderIdOf, SUBTYPES, tradeIdOf, wordsOf } from "./model.ts"

/** `2021-11-25 12:59:59.322000`, UTC. */
const dateText = (millis: number): string => new Date(millis).toISOString().replace("T", " ").replace("Z", "000")

const sideOf = ({ side }: Order): "0" | "1" => (side === "BUY" ? "0" : "1")

/** "Only returned if parameter was used in request." */
const named = (order: Order): { readonly client_order_id?: string } => {
  const { clientOrderId } = wordsOf(order)
  return clientOrderId === undefined ? {} : { client_order_id: clientOrderId }
}

/** What a market order stands for in the stream of public orders: it buys at any price. */
const priceOf = ({ type, side, price }: Order): string =>
  type === "LIMIT" ? plain(price) : side === "BUY" ? "999999999.00" : "0.01"

/** Answer to a new order. */
export const placedRow = (order: Order) => ({
  id: String(orderIdOf(order.orderId)),
  market: nameOf(order.symbol),
  datetime: dateText(order.placedAt),
  type: sideOf(order),
  price: priceOf(order),
  amount: plain(order.quantity),
  ...named(order),
})

/** In the lists of open orders. */
export const openRow = (order: Order) => ({
  id: String(orderIdOf(order.orderId)),
  datetime: dateText(order.placedAt),
  type: sideOf(order),
  price: plain(order.price),
  amount: plain(order.left),
  amount_at_create: plain(order.quantity),
  currency_pair: nameOf(order.symbol),
  market: nameOf(order.symbol),
  ...named(order),
})

const STATUS_OF = (order: Order): "Open" | "Finished" | "Canceled" =>
  isOpen(order) ? "Open" : order.status === "FILLED" ? "Finished" : "Canceled"

const amountsOf = ({ symbol, quantity, cost }: Fill): Readonly<Record<string, string>> => {
  const [base = "", quote = ""] = symbol.toLowerCase().split("-")
  return { [base]: plain(quantity), [quote]: plain(cost) }
}

/** POST order_status: of the order's own terms it says the side and what remains. */
export const statusRow = (order: Order) => ({
  id: orderIdOf(order.orderId),
  datetime: dateText(order.placedAt),
  type: sideOf(order),
  status: STATUS_OF(order),
  market: nameOf(order.symbol),
  transactions: order.fills.map((fill) => ({
    tid: tradeIdOf(fill.symbol, fill.tradeId),
    price: plain(fill.price),
    ...amountsOf(fill),
    fee: plain(fees.paidFor(fill).amount),
    datetime: dateText(fill.filledAt),
    type: 2,
  })),
  amount_remaining: plain(order.left),
  ...named(order),
})

/** POST cancel_order. */
export const cancelledRow = (order: Order, status: "Canceled" | "Cancel pending") => ({
  id: orderIdOf(order.orderId),
  amount: Number(plain(order.left)),
  price: Number(priceOf(order)),
  type: Number(sideOf(order)),
  market: nameOf(order.symbol),
  status,
})

/** POST user_transactions: what is received is above zero, what is given below; assets that have nothing to do with it are zeros. */
export const tradeRow = (fill: Fill) => {
  const [base = "", quote = ""] = fill.symbol.toLowerCase().split("-")
  const sign = (isReceived: boolean, amount: bigint): string => plain(isReceived ? amount : -amount)
  return {
    id: tradeIdOf(fill.symbol, fill.tradeId),
    datetime: dateText(fill.filledAt),
    type: "2",
    fee: plain(fees.paidFor(fill).amount),
    eur: 0,
    [base]: sign(fill.isBuyer, fill.quantity),
    [quote]: sign(!fill.isBuyer, fill.cost),
    [`${base}_${quote}`]: Number(plain(fill.price)),
    order_id: orderIdOf(fill.orderId),
    self_trade: false,
  }
}

/** A deposit stands among the trades of an account. */
export const depositRow = (id: number, at: number) => ({
  id,
  datetime: dateText(at),
  type: "0",
  fee: "0.00",
  btc: "0.10000000",
  usd: 0,
})

/** `data` on private-my_orders: `amount` is what remains, together with `amount_traded` what was ordered. */
export const orderEvent = (order: Order) => {
  const { subtype } = wordsOf(order)
  const id = orderIdOf(order.orderId)
  return {
    id,
    id_str: String(id),
    order_type: Number(sideOf(order)),
    order_subtype: SUBTYPES[subtype],
    datetime: String(Math.floor(order.updatedAt / 1000)),
    microtimestamp: String(order.updatedAt * 1000),
    amount: Number(plain(order.left)),
    amount_str: plain(order.left),
    amount_traded: plain(executedQuantity(order)),
    amount_at_create: plain(order.quantity),
    price: Number(priceOf(order)),
    price_str: priceOf(order),
    is_liquidation: false,
    trade_account_id: 0,
    ...named(order),
  }
}

/** `data` on private-my_trades. */
export const tradeEvent = (fill: Fill) => ({
  id: tradeIdOf(fill.symbol, fill.tradeId),
  amount: plain(fill.quantity),
  price: plain(fill.price),
  microtimestamp: String(fill.filledAt * 1000),
  fee: plain(fees.paidFor(fill).amount),
  order_id: String(orderIdOf(fill.orderId)),
  trade_account_id: 0,
  side: fill.isBuyer ? "buy" : "sell",
})

/** POST account_balances. */
export const balanceRow = (account: BitstampAccount, asset: string) => {
  const { free, locked } = balanceOf(account, asset)
  return {
    currency: asset.toLowerCase(),
    total: plain(free + locked),
    available: plain(free),
    reserved: plain(locked),
  }
}
