/** Signed REST of an account of Gemini. A route gets an account whose signature has been verified; it answers the body, or throws a refusal. */
import { multiply } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import { type Fill, isOpen, type Order } from "../binance/model.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf } from "./core.ts"
import { fees } from "./fees.ts"
import { type GeminiAccount, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import { type Placement, readPlacement } from "./order-request.ts"
import { insufficient, missingOrder, orderNotFound, refusalOf, wrongSymbol } from "./refusal.ts"
import type { Payload } from "./signature.ts"
import { balanceRow, orderRow, tradeRow } from "./wire-private.ts"

export interface Signed {
  readonly account: GeminiAccount
  readonly payload: Payload
}

type PrivateRoute = (core: Core, signed: Signed) => unknown

const marketNamed = (core: Core, { symbol }: Payload): Market => {
  const market = marketOf(core, String(symbol ?? ""))
  if (market === undefined) throw wrongSymbol(String(symbol))
  return market
}

const place: PrivateRoute = (core, { account, payload }) => {
  const id = String(payload["client_order_id"] ?? "")
  try {
    const market = marketNamed(core, payload)
    const placement = readPlacement(market, payload)
    const reason = killReason(market, account, placement)
    const order =
      reason === undefined ? work(core, account, market, placement) : killed(core, account, market, placement, reason)
    core.placements.created(id, order.orderId)
    return orderRow(order)
  } catch (cause) {
    const refusal = refusalOf(cause)
    if (refusal === undefined) throw cause
    core.placements.refused(id, refusal.reason)
    throw refusal
  }
}

/** Of a buy the fee is put aside beside what it costs. */
const work = (core: Core, account: GeminiAccount, market: Market, { request, words }: Placement): Order => {
  const { price = 0n, quantity = 0n, side } = request
  const cost = multiply(price, quantity)
  const free = account.balances.get(market.rules.quote)?.free ?? 0n
  if (side === "BUY" && free < cost + fees.needed(side, cost)) {
    rejected(core, account, market, { request, words })
    throw insufficient()
  }
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    if (words.clientOrderId !== undefined) account.byName.set(words.clientOrderId, order)
    if (isOpen(order)) core.tell(order, "booked")
    return order
  } finally {
    core.placing = undefined
  }
}

const stillborn = (core: Core, account: GeminiAccount, market: Market, { request, words }: Placement): Order => {
  const order = stillbornOrder(market, account, request, { orderId: core.nextStillbornId(), placedAt: core.now() })
  if (order === undefined) throw orderNotFound("")
  setWords(order, words)
  return order
}

/** It is told, and in no list. */
const rejected = (core: Core, account: GeminiAccount, market: Market, placement: Placement): void => {
  const order = stillborn(core, account, market, placement)
  account.orders.delete(order.orderId)
  order.status = "CANCELED"
  wordsOf(order).reason = "InsufficientFunds"
  core.tell(order, "rejected")
}

/**
 * "If any part of the order could be filled immediately, the whole order will instead be canceled before any execution occurs", and "when a user enters a bid
 * that is higher than that user's lowest open ask".
 */
const killReason = (market: Market, account: GeminiAccount, { request, words }: Placement): string | undefined => {
  const opposite = request.side === "BUY" ? market.asks : market.bids
  const isReached = (price: bigint): boolean => opposite.isReached(price, request.price)
  if (words.option === "maker-or-cancel" && opposite.best !== undefined && isReached(opposite.best.price))
    return "MakerOrCancelWouldTake"
  const meets = ({ symbol, side, price, isResting }: Order): boolean =>
    isResting && symbol === request.symbol && side !== request.side && isReached(price)
  return [...account.orders.values()].some(meets) ? "SelfCrossPrevented" : undefined
}

const killed = (core: Core, account: GeminiAccount, market: Market, placement: Placement, reason: string): Order => {
  const order = stillborn(core, account, market, placement)
  const { words } = placement
  if (words.clientOrderId !== undefined) account.byName.set(words.clientOrderId, order)
  core.tell(order, "accepted")
  order.status = "CANCELED"
  words.reason = reason
  core.tell(order, "cancelled")
  core.tell(order, "closed")
  return order
}

const named = ({ account, payload }: Signed): Order => {
  const [id, name] = [payload["order_id"], payload["client_order_id"]]
  if ((id === undefined) === (name === undefined)) throw missingOrder()
  const order = id !== undefined ? account.orders.get(orderOf(String(id))) : account.byName.get(String(name))
  if (order === undefined) throw orderNotFound(String(id ?? name))
  return order
}

const status: PrivateRoute = (_, signed) => {
  const order = named(signed)
  if (signed.payload["include_trades"] !== true) return orderRow(order)
  return { ...orderRow(order), trades: order.fills.map((fill) => tradeRow(fill, wordsOf(order).clientOrderId)) }
}

/** "If the order is already canceled, the message will succeed but have no effect." */
const cancel: PrivateRoute = (core, signed) => {
  if (signed.payload["order_id"] === undefined) throw missingOrder()
  const order = named(signed)
  if (isOpen(order) && !core.heldCancels.has(order)) {
    if (core.faults.cancelsHeld) core.heldCancels.add(order)
    else core.cancel(order)
  }
  return orderRow(order)
}

const openOf = ({ orders }: GeminiAccount): ReadonlyArray<Order> => [...orders.values()].filter(isOpen)

/** Of the session, which is the key: an account of this exchange has one. */
const cancelAll: PrivateRoute = (core, { account }) => {
  const open = openOf(account)
  for (const order of open) core.cancel(order)
  const cancelledOrders = open.map(({ orderId }) => BigInt(orderIdOf(orderId)))
  return { result: "ok", details: { cancelledOrders, cancelRejects: [] } }
}

const LIMIT_MOST = 500
const LIMIT = 50

/** Seconds or milliseconds, as a number or a text. */
const sinceOf = (payload: Payload): number | undefined => {
  const given = payload["timestamp"]
  if (given === undefined) return undefined
  const value = Number(given)
  return value < 100_000_000_000 ? value * 1000 : value
}

/** Without a time the newest rows; with one the oldest on or after it. Newest first. */
const pageOf = <A>(payload: Payload, limitName: string, all: ReadonlyArray<A>, timeOf: (row: A) => number) => {
  const limit = Math.min(Number(payload[limitName] ?? LIMIT), LIMIT_MOST)
  const since = sinceOf(payload)
  if (since === undefined) return all.slice(-limit).reverse()
  return all
    .filter((row) => timeOf(row) >= since)
    .slice(0, limit)
    .reverse()
}

const myTrades: PrivateRoute = (core, { account, payload }) => {
  const { rules } = marketNamed(core, payload)
  const own = account.fills.filter(({ symbol }) => symbol === rules.symbol)
  return pageOf(payload, "limit_trades", own, ({ filledAt }: Fill) => filledAt).map((fill) => {
    const order = account.orders.get(fill.orderId)
    return tradeRow(fill, order === undefined ? undefined : wordsOf(order).clientOrderId)
  })
}

const history: PrivateRoute = (core, { account, payload }) => {
  const wanted = payload["symbol"] === undefined ? undefined : marketNamed(core, payload).rules.symbol
  const ended = [...account.orders.values()].filter(
    (order) => !isOpen(order) && (wanted === undefined || order.symbol === wanted),
  )
  return pageOf(payload, "limit_orders", ended, ({ placedAt }) => placedAt).map((order) => ({
    ...orderRow(order),
    trades: order.fills.map((fill) => tradeRow(fill, wordsOf(order).clientOrderId)),
  }))
}

const balances: PrivateRoute = (_, { account }) =>
  [...account.balances.keys()].map((asset) => balanceRow(account, asset))

const detail: PrivateRoute = () => ({
  account: { accountName: "Primary", shortName: "primary", type: "exchange", created: "1498245007981" },
  users: [],
})

const roles: PrivateRoute = () => ({ isAuditor: false, isFundManager: false, isTrader: true })

/** By the path behind `/v1/`. */
export const privateRoutes: Readonly<Record<string, PrivateRoute>> = {
  "order/new": place,
  "order/cancel": cancel,
  "order/cancel/all": cancelAll,
  "order/cancel/session": cancelAll,
  "order/status": status,
  orders: (_, { account }) => openOf(account).map(orderRow),
  "orders/history": history,
  mytrades: myTrades,
  balances,
  account: detail,
  roles,
  heartbeat: () => ({ result: "ok" }),
}
