/**
 * Signed REST of Binance Spot, and the same operations under their WebSocket API names.
 * A route gets an account whose signature has been verified, and answers or throws a `Refusal`.
 */
import type { Core } from "../core.ts"
import type { Order } from "../model.ts"
import { isOpen } from "../model.ts"
import { readListRequest, readOrderRequest, required } from "./order-request.ts"
import { missingParameter, orderDoesNotExist, Refusal, unknownOrderSent } from "./refusal.ts"
import type { Parameters, Signed } from "./signature.ts"
import { accountJson, cancelJson, fillJson, listJson, orderJson, placedJson } from "./wire-private.ts"

export type PrivateRoute = (core: Core, signed: Signed) => unknown

const place: PrivateRoute = (core, { account, parameters }) => {
  const clientOrderId = parameters["newClientOrderId"]
  try {
    const request = readOrderRequest(parameters)
    const order = core.matching.place(account, request)
    if (clientOrderId !== undefined) core.placements.created(clientOrderId, order.orderId)
    return placedJson(order, widthOf(parameters, request.type))
  } catch (cause) {
    if (clientOrderId !== undefined && cause instanceof Refusal) core.placements.refused(clientOrderId, cause.code)
    throw cause
  }
}

/** Both orders count as placed, under their own client ids. */
const placeList: PrivateRoute = (core, { account, parameters }) => {
  const ids = clientIdsOfList((name) => parameters[name])
  try {
    const list = core.matching.placeList(account, readListRequest(parameters))
    for (const { clientOrderId, orderId } of list.orders) core.placements.created(clientOrderId, orderId)
    const width = parameters["newOrderRespType"] === "ACK" ? "ACK" : "RESULT"
    return listJson(list, core.now(), (order) => placedJson(order, width))
  } catch (cause) {
    if (cause instanceof Refusal) for (const id of ids) core.placements.refused(id, cause.code)
    throw cause
  }
}

export const clientIdsOfList = (parameter: (name: string) => string | null | undefined): ReadonlyArray<string> =>
  ["aboveClientOrderId", "belowClientOrderId"].flatMap((name) => parameter(name) ?? [])

/** One order of a list takes the other with it, and the answer is the list's. */
const cancel: PrivateRoute = (core, { account, parameters }) => {
  const symbol = required(parameters, "symbol")
  core.matching.market(symbol)
  const order = core.matching.cancel(findOrder({ account, parameters }), symbol)
  return order.list === undefined ? cancelJson(order) : listJson(order.list, core.now(), cancelJson)
}

const show: PrivateRoute = (core, signed) => {
  const symbol = required(signed.parameters, "symbol")
  core.matching.market(symbol)
  const order = findOrder(signed)
  if (order === undefined || order.symbol !== symbol) throw orderDoesNotExist()
  return orderJson(order)
}

const openOrders: PrivateRoute = (core, { account, parameters }) => {
  const symbol = parameters["symbol"]
  if (symbol !== undefined) core.matching.market(symbol)
  return [...account.orders.values()]
    .filter((order) => isOpen(order) && (symbol === undefined || order.symbol === symbol))
    .map(orderJson)
}

const cancelAll: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = core.matching.market(required(parameters, "symbol")).rules
  const open = [...account.orders.values()].filter((order) => isOpen(order) && order.symbol === symbol)
  if (open.length === 0) throw unknownOrderSent()
  // A cancel may have ended another of them.
  return open.flatMap((order) => (isOpen(order) ? [cancelJson(core.matching.cancel(order, symbol))] : []))
}

const allOrders: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = core.matching.market(required(parameters, "symbol")).rules
  const from = Number(parameters["orderId"] ?? 0)
  const since = Number(parameters["startTime"] ?? 0)
  const until = Number(parameters["endTime"] ?? Number.POSITIVE_INFINITY)
  const orders = [...account.orders.values()].filter(
    (order) => order.symbol === symbol && order.orderId >= from && order.placedAt >= since && order.placedAt <= until,
  )
  return page(orders, parameters, ["orderId", "startTime"]).map(orderJson)
}

const myTrades: PrivateRoute = (core, { account, parameters }) => {
  const { symbol } = core.matching.market(required(parameters, "symbol")).rules
  const orderId = parameters["orderId"]
  const from = Number(parameters["fromId"] ?? 0)
  const since = Number(parameters["startTime"] ?? 0)
  const until = Number(parameters["endTime"] ?? Number.POSITIVE_INFINITY)
  const fills = account.fills.filter(
    (fill) =>
      fill.symbol === symbol &&
      (orderId === undefined || fill.orderId === Number(orderId)) &&
      fill.tradeId >= from &&
      fill.filledAt >= since &&
      fill.filledAt <= until,
  )
  return page(fills, parameters, ["fromId", "startTime"]).map(fillJson)
}

const showAccount: PrivateRoute = (core, { account, parameters }) => {
  const shown = accountJson(account, core.now())
  if (parameters["omitZeroBalances"] !== "true") return shown
  return { ...shown, balances: shown.balances.filter(({ free, locked }) => Number(free) + Number(locked) > 0) }
}

const testOrder: PrivateRoute = (core, { account, parameters }) => {
  core.matching.check(account, readOrderRequest(parameters))
  return {}
}

const commission: PrivateRoute = (core, { parameters }) => {
  const { symbol } = core.matching.market(required(parameters, "symbol")).rules
  const none = { maker: "0.00000000", taker: "0.00000000", buyer: "0.00000000", seller: "0.00000000" }
  const standardCommission = { ...none, maker: "0.00100000", taker: "0.00100000" }
  const discount = { enabledForAccount: false, enabledForSymbol: false, discountAsset: "BNB", discount: "0.75000000" }
  return { symbol, standardCommission, specialCommission: none, taxCommission: none, discount }
}

/** Assets and their networks: what ccxt's fetchCurrencies asks for when it has keys. */
const coins: PrivateRoute = (core) => {
  const assets = new Set([...core.views.values()].flatMap(({ rules }) => [rules.base, rules.quote]))
  return [...assets].map((coin) => ({
    coin,
    name: coin,
    depositAllEnable: true,
    withdrawAllEnable: true,
    trading: true,
    isLegalMoney: false,
    free: "0",
    locked: "0",
    networkList: [
      {
        network: coin,
        coin,
        name: coin,
        isDefault: true,
        depositEnable: true,
        withdrawEnable: true,
        withdrawFee: "0.0005",
        withdrawMin: "0.001",
        withdrawMax: "1000",
        withdrawIntegerMultiple: "0.00000001",
      },
    ],
  }))
}

const tradeFees: PrivateRoute = (core) =>
  [...core.views.keys()].map((symbol) => ({ symbol, makerCommission: "0.001", takerCommission: "0.001" }))

export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["GET /api/v3/account", showAccount],
  ["GET /api/v3/account/commission", commission],
  ["POST /api/v3/order", place],
  ["POST /api/v3/orderList/oco", placeList],
  ["GET /api/v3/order", show],
  ["DELETE /api/v3/order", cancel],
  ["POST /api/v3/order/test", testOrder],
  ["GET /api/v3/openOrders", openOrders],
  ["DELETE /api/v3/openOrders", cancelAll],
  ["GET /api/v3/allOrders", allOrders],
  ["GET /api/v3/myTrades", myTrades],
  ["GET /sapi/v1/capital/config/getall", coins],
  ["GET /sapi/v1/asset/tradeFee", tradeFees],
  ["GET /sapi/v1/margin/allPairs", () => []],
  ["GET /sapi/v1/margin/isolated/allPairs", () => []],
])

/** The same operations by WebSocket API method. */
export const webSocketRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["order.place", place],
  ["order.test", testOrder],
  ["order.cancel", cancel],
  ["order.status", show],
  ["openOrders.status", openOrders],
  ["openOrders.cancelAll", cancelAll],
  ["allOrders", allOrders],
  ["myTrades", myTrades],
  ["account.status", showAccount],
])

const findOrder = ({ account, parameters }: Signed): Order | undefined => {
  const { orderId, origClientOrderId } = parameters
  if (orderId !== undefined) return account.orders.get(Number(orderId))
  if (origClientOrderId === undefined) throw missingParameter("orderId")
  return account.byClientOrderId.get(origClientOrderId)
}

/** Given where to start, the oldest rows come first; otherwise the newest count. */
const page = <A>(rows: ReadonlyArray<A>, parameters: Parameters, starts: ReadonlyArray<string>): ReadonlyArray<A> => {
  const limit = Math.min(Number(parameters["limit"] ?? 500), 1000)
  return starts.some((name) => parameters[name] !== undefined) ? rows.slice(0, limit) : rows.slice(-limit)
}

const widthOf = (parameters: Parameters, type: string): "ACK" | "RESULT" | "FULL" => {
  const asked = parameters["newOrderRespType"]
  if (asked === "ACK" || asked === "RESULT" || asked === "FULL") return asked
  return type === "MARKET" || type === "LIMIT" ? "FULL" : "ACK"
}
