/** Signed REST of Binance USDⓈ-M. A route gets an account whose signature has been verified, and answers or throws a `Refusal`. */
import { amend } from "../amend.ts"
import type { Market } from "../binance/market.ts"
import { isOpen, type Order } from "../binance/model.ts"
import { required } from "../binance/wire/order-request.ts"
import { missingParameter, Refusal } from "../binance/wire/refusal.ts"
import type { Parameters } from "../binance/wire/signature.ts"
import type { Core } from "./core.ts"
import { leverageOf, positionOf, type UsdmAccount } from "./model.ts"
import { checkPositionSide, type Placement, readPlacement, readPrice, readQuantity } from "./order-request.ts"
import {
  fokRejected,
  makerRejected,
  marginTypeIsSet,
  modeIsSet,
  noSuchOrder,
  nothingToChange,
  reduceOnlyRejected,
  refusalOf,
  unknownOrder,
} from "./refusal.ts"
import {
  accountJson,
  answeredJson,
  balanceJson,
  fillJson,
  orderJson,
  positionJson,
  symbolConfigJson,
} from "./wire-private.ts"
import { setWords, wordsOf } from "./words.ts"

export interface Signed {
  readonly account: UsdmAccount
  readonly parameters: Parameters
}

export type PrivateRoute = (core: Core, signed: Signed) => unknown

const DAY_MILLIS = 86_400_000
const WINDOW_MILLIS = 7 * DAY_MILLIS

const marketOf = (core: Core, parameters: Parameters): Market => core.matching.market(required(parameters, "symbol"))

const place: PrivateRoute = (core, { account, parameters }) => {
  const clientOrderId = parameters["newClientOrderId"]
  try {
    const market = marketOf(core, parameters)
    const placement = readPlacement(market, account, parameters)
    checkBook(core, market, account, placement)
    const order = work(core, account, placement)
    if (clientOrderId !== undefined) core.placements.created(clientOrderId, order.orderId)
    return answeredJson(order)
  } catch (cause) {
    const refusal = refusalOf(cause)
    if (clientOrderId !== undefined && refusal !== undefined) core.placements.refused(clientOrderId, refusal.code)
    throw refusal ?? cause
  }
}

/** What the venue turns away before it is an order. */
const checkBook = (core: Core, market: Market, account: UsdmAccount, { request, words }: Placement): void => {
  core.matching.check(account, request)
  const opposite = request.side === "BUY" ? market.asks : market.bids
  const takes = opposite.best !== undefined && opposite.isReached(opposite.best.price, request.price)
  if (words.timeInForce === "GTX" && takes) throw makerRejected()
  if (words.timeInForce === "FOK" && !core.matching.couldFill(market, account, request)) throw fokRejected()
  const { amount } = positionOf(account, request.symbol)
  const reduces = request.side === "BUY" ? amount < 0n : amount > 0n
  if (request.isReduceOnly === true && !reduces) throw reduceOnlyRejected()
}

const work = (core: Core, account: UsdmAccount, { request, words }: Placement): Order => {
  core.placing = words
  try {
    return core.matching.place(account, request)
  } finally {
    core.placing = undefined
  }
}

const named = ({ account, parameters }: Signed): Order | undefined => {
  const { orderId, origClientOrderId } = parameters
  if (orderId === undefined && origClientOrderId === undefined) throw missingParameter("orderId")
  const order =
    orderId === undefined ? account.byClientOrderId.get(origClientOrderId ?? "") : account.orders.get(Number(orderId))
  return order?.symbol === parameters["symbol"] ? order : undefined
}

const cancel: PrivateRoute = (core, signed) => {
  const { symbol } = marketOf(core, signed.parameters).rules
  const order = named(signed)
  if (order === undefined || !isOpen(order)) throw unknownOrder()
  return answeredJson(core.matching.cancel(order, symbol))
}

const cancelAll: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = marketOf(core, parameters).rules
  for (const order of [...account.orders.values()])
    if (isOpen(order) && order.symbol === symbol) core.matching.cancel(order, symbol)
  return { code: 200, msg: "The operation of cancel all open order is done." }
}

/** "Modify Order": side, price and quantity are all mandatory; the quantity is the whole of it. */
const change: PrivateRoute = (core, signed) => {
  const { parameters, account } = signed
  const market = marketOf(core, parameters)
  const side = required(parameters, "side")
  checkPositionSide(account, parameters)
  const order = named(signed)
  if (order === undefined || !isOpen(order) || order.side !== side) throw noSuchOrder()
  const [price, quantity] = [readPrice(market, parameters), readQuantity(market, parameters)]
  if (order.price === price && order.quantity === quantity) throw nothingToChange()
  const opposite = order.side === "BUY" ? market.asks : market.bids
  const takes = opposite.best !== undefined && opposite.isReached(opposite.best.price, price)
  // "When the order is GTX and the new price will cause it to be executed immediately" it is cancelled.
  if (wordsOf(order).timeInForce === "GTX" && takes) return answeredJson(core.matching.cancel(order, order.symbol))
  const amended = amend(core.matching, market, order, { price, quantity }, (from, to) => setWords(to, wordsOf(from)))
  if (amended === undefined) throw noSuchOrder()
  return answeredJson(amended)
}

const show: PrivateRoute = (core, signed) => {
  marketOf(core, signed.parameters)
  const order = named(signed)
  if (order === undefined || core.forgotten.has(order)) throw noSuchOrder()
  return orderJson(order)
}

const openOrders: PrivateRoute = (core, { account, parameters }) => {
  const symbol = parameters["symbol"]
  if (symbol !== undefined) core.matching.market(symbol)
  return [...account.orders.values()]
    .filter((order) => isOpen(order) && (symbol === undefined || order.symbol === symbol))
    .map(orderJson)
}

/** From an id on, or within seven days; `name` is what an id is called. */
const pageOf = <A>(
  core: Core,
  parameters: Parameters,
  rows: ReadonlyArray<A>,
  of: { readonly name: string; readonly id: (row: A) => number; readonly at: (row: A) => number },
): ReadonlyArray<A> => {
  const limit = Number(parameters["limit"] ?? 500)
  if (!(limit >= 1 && limit <= 1000)) throw new Refusal(400, -1130, "Data sent for parameter 'limit' is not valid.")
  const [id, start, end] = [of.name, "startTime", "endTime"].map((name) =>
    parameters[name] === undefined ? undefined : Number(parameters[name]),
  )
  if (id !== undefined) {
    if (of.name === "fromId" && (start !== undefined || end !== undefined))
      throw new Refusal(400, -1128, "Combination of optional parameters invalid.")
    return rows.filter((row) => of.id(row) >= id).slice(0, limit)
  }
  if (start !== undefined && end !== undefined && end - start > WINDOW_MILLIS)
    throw new Refusal(400, -4165, "Invalid time interval: maximum is 7 days.")
  const from = start ?? (end ?? core.now()) - WINDOW_MILLIS
  const until = end ?? from + WINDOW_MILLIS
  const within = rows.filter((row) => of.at(row) >= from && of.at(row) <= until)
  // Given where to start, the oldest rows come first; otherwise the newest count.
  return start === undefined ? within.slice(-limit) : within.slice(0, limit)
}

const allOrders: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = marketOf(core, parameters).rules
  const orders = [...account.orders.values()].filter((order) => order.symbol === symbol && !core.forgotten.has(order))
  const of = { name: "orderId", id: (order: Order) => order.orderId, at: (order: Order) => order.placedAt }
  return pageOf(core, parameters, orders, of).map(orderJson)
}

const userTrades: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = marketOf(core, parameters).rules
  const orderId = parameters["orderId"]
  const fills = account.fills.filter(
    (fill) => fill.symbol === symbol && (orderId === undefined || fill.orderId === Number(orderId)),
  )
  const of = {
    name: "fromId",
    id: (fill: (typeof fills)[0]) => fill.tradeId,
    at: (fill: (typeof fills)[0]) => fill.filledAt,
  }
  return pageOf(core, parameters, fills, of).map((fill) => fillJson(core, fill))
}

const positionRisk: PrivateRoute = (core, { account, parameters }) => {
  const symbol = parameters["symbol"]
  const symbols = new Set([...account.positions].flatMap(([name, { amount }]) => (amount === 0n ? [] : [name])))
  for (const order of account.orders.values()) if (isOpen(order)) symbols.add(order.symbol)
  return [...symbols]
    .filter((name) => symbol === undefined || name === symbol)
    .map((name) => positionJson(core, account, name))
}

const accountConfig: PrivateRoute = (_, { account }) => ({
  feeTier: 0,
  canTrade: true,
  canDeposit: true,
  canWithdraw: true,
  dualSidePosition: account.isDualSide,
  updateTime: 0,
  multiAssetsMargin: account.isMultiAssets,
  tradeGroupId: -1,
})

const symbolConfig: PrivateRoute = (core, { account, parameters }) => {
  const symbol = parameters["symbol"]
  const names = symbol === undefined ? [...core.views.keys()] : [core.matching.market(symbol).rules.symbol]
  return names.map((name) => symbolConfigJson(account, name))
}

const setLeverage: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = marketOf(core, parameters).rules
  const leverage = Number(required(parameters, "leverage"))
  if (!(Number.isInteger(leverage) && leverage >= 1 && leverage <= 125))
    throw new Refusal(400, -4028, `Leverage ${leverage} is not valid`)
  account.leverage.set(symbol, leverage)
  const now = core.now()
  core.push(account.apiKey, { e: "ACCOUNT_CONFIG_UPDATE", E: now, T: now, ac: { s: symbol, l: leverage } })
  return { symbol, leverage: leverageOf(account, symbol), maxNotionalValue: "1000000" }
}

const setMarginType: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = marketOf(core, parameters).rules
  const type = required(parameters, "marginType")
  if (type !== "CROSSED" && type !== "ISOLATED") throw new Refusal(400, -4049, "Margin type is not valid.")
  if ((account.marginType.get(symbol) ?? "CROSSED") === type) throw marginTypeIsSet()
  account.marginType.set(symbol, type)
  return { code: 200, msg: "success" }
}

const setMode: PrivateRoute = (_, { account, parameters }) => {
  const isDual = required(parameters, "dualSidePosition") === "true"
  if (isDual === account.isDualSide) throw modeIsSet()
  account.isDualSide = isDual
  return { code: 200, msg: "success" }
}

export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map<string, PrivateRoute>([
  ["POST /fapi/v1/order", place],
  ["PUT /fapi/v1/order", change],
  ["DELETE /fapi/v1/order", cancel],
  ["GET /fapi/v1/order", show],
  ["GET /fapi/v1/openOrders", openOrders],
  ["DELETE /fapi/v1/allOpenOrders", cancelAll],
  ["GET /fapi/v1/allOrders", allOrders],
  ["GET /fapi/v1/userTrades", userTrades],
  ["GET /fapi/v2/account", (core, { account }) => accountJson(core, account)],
  ["GET /fapi/v3/account", (core, { account }) => accountJson(core, account)],
  ["GET /fapi/v2/balance", (core, { account }) => balanceJson(core, account)],
  ["GET /fapi/v3/balance", (core, { account }) => balanceJson(core, account)],
  ["GET /fapi/v2/positionRisk", positionRisk],
  ["GET /fapi/v3/positionRisk", positionRisk],
  ["GET /fapi/v1/accountConfig", accountConfig],
  ["GET /fapi/v1/symbolConfig", symbolConfig],
  ["GET /fapi/v1/positionSide/dual", (_, { account }) => ({ dualSidePosition: account.isDualSide })],
  ["POST /fapi/v1/positionSide/dual", setMode],
  ["POST /fapi/v1/leverage", setLeverage],
  ["POST /fapi/v1/marginType", setMarginType],
])
