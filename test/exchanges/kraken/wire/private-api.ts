/**
 * Private REST of Kraken: methods by name, each from a verified request to `result`. A method throws a `KrakenRefusal`.
 * Histories come 50 rows at a time, newest first; `ofs` asks for older ones.
 */
import { multiply } from "../../binance/fixed.ts"
import type { Core } from "../core.ts"
import { isOpen, type KrakenAccount, type KrakenOrder } from "../model.ts"
import { checkDeadline, readClOrdId, readPlaceRequest, readPrice, readVolume } from "./order-request.ts"
import { insufficientFunds, invalidArguments, invalidOrder, KrakenRefusal, postOnly, unknownOrder } from "./refusal.ts"
import type { Parameters, Signed } from "./signature.ts"
import { describe, extendedBalances, fillJson, orderJson, plainBalances } from "./wire-private.ts"

export type PrivateMethod = (core: Core, signed: Signed) => unknown

const PAGE = 50

/** Also what WebSocket's `add_order` does, its parameters in REST's words. */
export const placeOrder = (core: Core, account: KrakenAccount, parameters: Parameters): KrakenOrder => {
  const clOrdId = parameters["cl_ord_id"]
  try {
    const ask = readPlaceRequest(core.pairs, parameters, core.now())
    checkDeadline(parameters["deadline"], core.now())
    core.limits.placed(account, ask.pair.symbol)
    const order = core.desk.place(account, ask)
    if (clOrdId !== undefined) core.placements.created(clOrdId, order.txid)
    return order
  } catch (cause) {
    if (clOrdId !== undefined && cause instanceof KrakenRefusal) core.placements.refused(clOrdId, cause.message)
    throw cause
  }
}

const addOrder: PrivateMethod = (core, { account, parameters }) => {
  if (parameters["validate"] === "true") {
    const ask = readPlaceRequest(core.pairs, parameters, core.now())
    core.desk.check(account, ask)
    return { descr: { order: describe(ask) } }
  }
  const order = placeOrder(core, account, parameters)
  return { descr: { order: describe(order) }, txid: [order.txid] }
}

/** The order that is meant, in the words of the venue for one that never was and for one that is over. */
const openOrder = (core: Core, account: KrakenAccount, parameters: Parameters): KrakenOrder => {
  const clOrdId = readClOrdId(parameters["cl_ord_id"])
  const { txid } = parameters
  const found =
    clOrdId === undefined
      ? core.desk.find(account, txid ?? "")
      : core.desk.ordersOf(account).findLast((order) => order.clOrdId === clOrdId)
  if (found === undefined && clOrdId === undefined) throw txid === undefined ? invalidArguments() : invalidOrder()
  if (found === undefined || !isOpen(found)) throw unknownOrder()
  return found
}

/** Also what WebSocket's `cancel_order` does. */
export const cancelOrder = (core: Core, account: KrakenAccount, parameters: Parameters): KrakenOrder => {
  const order = openOrder(core, account, parameters)
  core.limits.cancelled(account, order.pair.symbol, order.openedAt)
  core.desk.cancel(order)
  return order
}

/** Also what WebSocket's `cancel_all` does. */
export const cancelAll = (core: Core, account: KrakenAccount): { readonly count: number } => {
  const open = core.desk.ordersOf(account).filter(isOpen)
  for (const order of open) core.desk.cancel(order)
  return { count: open.length }
}

/** Also what WebSocket's `amend_order` does. */
export const amendOrder = (core: Core, account: KrakenAccount, parameters: Parameters) => {
  const order = openOrder(core, account, parameters)
  const { pair } = order
  const price = parameters["limit_price"] === undefined ? order.price : readPrice(parameters["limit_price"], pair)
  const quantity = parameters["order_qty"] === undefined ? order.quantity : readVolume(parameters["order_qty"], pair)
  const stopPrice = parameters["trigger_price"] === undefined ? undefined : readPrice(parameters["trigger_price"], pair)
  checkDeadline(parameters["deadline"], core.now())
  if (parameters["post_only"] === "true" && core.desk.wouldTake(order, price)) throw postOnly()
  core.desk.amend(order, price, quantity, stopPrice)
  return { amend_id: core.ids.amend() }
}

/** The old way to change an order: it is cancelled, and a new one takes its place. */
const editOrder: PrivateMethod = (core, { account, parameters }) => {
  const before = openOrder(core, account, parameters)
  const { pair } = before
  const price = parameters["price"] === undefined ? before.price : readPrice(parameters["price"], pair)
  const quantity = parameters["volume"] === undefined ? before.quantity : readVolume(parameters["volume"], pair)
  const isRicher = multiply(price, quantity) > multiply(before.price, before.quantity)
  const quote = account.balances.get(pair.quote.name)
  if (before.side === "buy" && isRicher && (quote?.free ?? 0n) <= 0n) throw insufficientFunds()
  core.desk.cancel(before, "Order replaced")
  const after = core.desk.place(account, { ...before, price, quantity, clOrdId: undefined })
  return {
    status: "ok",
    txid: after.txid,
    originaltxid: before.txid,
    volume: parameters["volume"],
    price: parameters["price"],
    orders_cancelled: 1,
    descr: { order: describe(after) },
  }
}

const matches = (parameters: Parameters) => (order: KrakenOrder) =>
  (parameters["cl_ord_id"] === undefined || order.clOrdId === parameters["cl_ord_id"]) &&
  (parameters["userref"] === undefined || order.userref === Number(parameters["userref"]))

const byTxid = (orders: ReadonlyArray<KrakenOrder>, parameters: Parameters) =>
  Object.fromEntries(orders.map((order) => [order.txid, orderJson(order, parameters["trades"] === "true")]))

const openOrders: PrivateMethod = (core, { account, parameters }) => ({
  open: byTxid(core.desk.ordersOf(account).filter(isOpen).filter(matches(parameters)), parameters),
})

const closedOrders: PrivateMethod = (core, { account, parameters }) => {
  const closed = core.desk
    .ordersOf(account)
    .filter((order) => !isOpen(order) && matches(parameters)(order) && isWithin(parameters, order.closedAt ?? 0))
    .sort((a, b) => (b.closedAt ?? 0) - (a.closedAt ?? 0))
  return { closed: byTxid(page(closed, parameters), parameters), count: closed.length }
}

const queryOrders: PrivateMethod = (core, { account, parameters }) => {
  const ids = (parameters["txid"] ?? "").split(",").filter((id) => id !== "")
  if (ids.length === 0 || ids.length > PAGE) throw invalidArguments("txid")
  const found = ids.flatMap((id) => core.desk.find(account, id) ?? [])
  if (found.length === 0) throw invalidOrder()
  return byTxid(found.filter(matches(parameters)), parameters)
}

const tradesHistory: PrivateMethod = (core, { account, parameters }) => {
  const found = core.desk
    .fillsOf(account)
    .filter((fill) => isWithin(parameters, fill.filledAt))
    .toReversed()
  const trades = Object.fromEntries(page(found, parameters).map((fill) => [fill.execId, fillJson(fill)]))
  return { trades, count: found.length }
}

/** `start` exclusive, `end` inclusive, in seconds. */
const isWithin = (parameters: Parameters, atMillis: number): boolean =>
  atMillis > Number(parameters["start"] ?? 0) * 1000 &&
  atMillis <= Number(parameters["end"] ?? Number.POSITIVE_INFINITY) * 1000

const page = <A>(rows: ReadonlyArray<A>, parameters: Parameters): ReadonlyArray<A> => {
  const from = Number(parameters["ofs"] ?? 0)
  return rows.slice(from, from + PAGE)
}

export const privateMethods: ReadonlyMap<string, PrivateMethod> = new Map<string, PrivateMethod>([
  ["Balance", (_, { account }) => plainBalances(account)],
  ["BalanceEx", (_, { account }) => extendedBalances(account)],
  ["AddOrder", addOrder],
  ["AmendOrder", (core, { account, parameters }) => amendOrder(core, account, parameters)],
  ["EditOrder", editOrder],
  [
    "CancelOrder",
    (core, { account, parameters }) => {
      cancelOrder(core, account, parameters)
      return { count: 1 }
    },
  ],
  ["CancelAll", (core, { account }) => cancelAll(core, account)],
  ["OpenOrders", openOrders],
  ["ClosedOrders", closedOrders],
  ["QueryOrders", queryOrders],
  ["TradesHistory", tradesHistory],
  ["GetWebSocketsToken", (core, { account }) => core.tokens.make(account)],
])
