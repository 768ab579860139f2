/**
 * The JSON of orders, fills and balances, field by field as KuCoin sends them; the names are those that ccxt 4.5.84 parses and that the venue's own SDK
 * has (github.com/Kucoin/kucoin-universal-sdk at 78c90c77, spec/rest and spec/ws).
 */
import { balanceOf, executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import type { OrderEventType } from "./core.ts"
import { fees } from "./fees.ts"
import { clientOidOf, type KucoinAccount, orderIdOf, tradeIdOf, wordsOf } from "./model.ts"

/** A number that JavaScript would write another way: the door takes the mark and the quotes away. */
export const bare = (digits: string | bigint): string => `#${digits}`

/** As GET hf/orders/:id and the lists show it. An order by value has no size. */
export const orderRow = (order: Order) => {
  const { timeInForce, isPostOnly, funds } = wordsOf(order)
  const executed = executedQuantity(order)
  const isDone = !isOpen(order)
  const isCancelled = isDone && order.status !== "FILLED"
  const paid = order.fills.reduce((sum, fill) => sum + fees.paidFor(fill).amount, 0n)
  const byValue = funds > 0n
  const cancelled = isCancelled ? order.left : 0n
  return {
    id: orderIdOf(order.orderId),
    clientOid: clientOidOf(order),
    symbol: order.symbol,
    opType: "DEAL",
    type: order.type === "MARKET" ? "market" : "limit",
    side: order.side === "BUY" ? "buy" : "sell",
    price: order.type === "MARKET" ? "0" : plain(order.price),
    size: byValue ? "0" : plain(order.quantity),
    funds: byValue ? plain(funds) : "0",
    dealSize: plain(executed),
    dealFunds: plain(order.cost),
    remainSize: isDone || byValue ? "0" : plain(order.left),
    remainFunds: "0",
    cancelledSize: byValue ? "0" : plain(cancelled),
    cancelledFunds: "0",
    fee: plain(paid),
    feeCurrency: order.fills[0] === undefined ? (order.symbol.split("-")[1] ?? "") : fees.paidFor(order.fills[0]).asset,
    stp: null,
    timeInForce,
    postOnly: isPostOnly,
    hidden: false,
    iceberg: false,
    visibleSize: "0",
    cancelAfter: 0,
    channel: "API",
    remark: null,
    tags: null,
    cancelExist: isCancelled,
    tradeType: "TRADE",
    inOrderBook: order.isResting,
    active: !isDone,
    tax: "0",
    createdAt: order.placedAt,
    lastUpdatedAt: order.updatedAt,
  }
}

const STATUS: Readonly<Record<OrderEventType, string>> = {
  received: "new",
  open: "open",
  match: "match",
  filled: "done",
  canceled: "done",
}

/** On the topics of orders. A maker's match is one of the status `open`; what is new says little of itself. */
export const orderEvent = (order: Order, type: OrderEventType, at: number, fill?: Fill) => {
  const isMarket = order.type === "MARKET"
  const { funds } = wordsOf(order)
  const size = funds > 0n ? undefined : plain(order.quantity)
  const named = {
    clientOid: clientOidOf(order),
    orderId: orderIdOf(order.orderId),
    orderTime: order.placedAt,
    orderType: isMarket ? "market" : "limit",
    originSize: size,
    ...(!isMarket && { price: plain(order.price) }),
    side: order.side === "BUY" ? "buy" : "sell",
    status: fill?.isMaker === true ? "open" : STATUS[type],
    symbol: order.symbol,
    ts: bare(BigInt(at) * 1_000_000n),
    type,
  }
  if (type === "received") return named
  const isCancelled = type === "canceled"
  return {
    ...named,
    canceledSize: isCancelled ? plain(order.left) : "0",
    filledSize: plain(executedQuantity(order)),
    remainSize: isCancelled ? "0" : plain(order.left),
    size,
    ...(fill !== undefined && {
      feeType: fill.isMaker ? "makerFee" : "takerFee",
      liquidity: fill.isMaker ? "maker" : "taker",
      matchPrice: plain(fill.price),
      matchSize: plain(fill.quantity),
      tradeId: tradeIdOf(fill),
    }),
  }
}

/** GET hf/fills; `id` is what its pages go by. */
export const fillRow = (order: Order, fill: Fill, id: bigint) => {
  const { asset, amount } = fees.paidFor(fill)
  return {
    id: bare(id),
    orderId: orderIdOf(fill.orderId),
    counterOrderId: orderIdOf(0),
    tradeId: bare(tradeIdOf(fill)),
    symbol: fill.symbol,
    side: fill.isBuyer ? "buy" : "sell",
    liquidity: fill.isMaker ? "maker" : "taker",
    type: order.type === "MARKET" ? "market" : "limit",
    forceTaker: false,
    price: plain(fill.price),
    size: plain(fill.quantity),
    funds: plain(fill.cost),
    fee: plain(amount),
    feeRate: "0.001",
    feeCurrency: asset,
    stop: "",
    tradeType: "TRADE",
    taxRate: "0",
    tax: "0",
    createdAt: fill.filledAt,
  }
}

/** GET accounts. */
export const accountRow = (account: KucoinAccount, currency: string) => {
  const { free, locked } = balanceOf(account, currency)
  return {
    id: `${account.accountNumber}${currency}`,
    currency,
    type: "trade",
    balance: plain(free + locked),
    available: plain(free),
    holds: plain(locked),
  }
}

/** On the topic /account/balance. */
export const balanceEvent = (account: KucoinAccount, currency: string, at: number) => {
  const { free, locked } = balanceOf(account, currency)
  return {
    accountId: `${account.accountNumber}${currency}`,
    currency,
    total: plain(free + locked),
    available: plain(free),
    hold: plain(locked),
    availableChange: "0",
    holdChange: "0",
    relationContext: {},
    relationEvent: "trade.setted",
    relationEventId: String(at),
    time: String(at),
  }
}
