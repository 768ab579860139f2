/** Signed REST of a main account of Bitstamp. A route gets an account whose signature has been verified; it answers the body, or throws a refusal. */
import { multiply } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import { type Fill, isOpen, type Order } from "../binance/model.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf, TOKEN_SECONDS } from "./core.ts"
import { fees } from "./fees.ts"
import { pathOf } from "./markets.ts"
import { type BitstampAccount, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import { type Fields, type Kind, type Placement, readPlacement } from "./order-request.ts"
import {
  type BitstampRefusal,
  insufficient,
  invalidId,
  malformed,
  marketNotFound,
  missing,
  noOrders,
  notInBook,
  orderNotFound,
  refusalOf,
} from "./refusal.ts"
import { balanceRow, cancelledRow, depositRow, openRow, placedRow, statusRow, tradeRow } from "./wire-private.ts"

export interface Signed {
  readonly account: BitstampAccount
  readonly fields: Fields
  /** Behind `/api/v2/`, in parts. */
  readonly parts: ReadonlyArray<string>
}

type PrivateRoute = (core: Core, signed: Signed) => unknown

const sideOf = (part: string | undefined): "BUY" | "SELL" => (part === "buy" ? "BUY" : "SELL")

const marketNamed = (core: Core, path: string | undefined): Market => {
  const market = marketOf(core, path ?? "")
  if (market === undefined) throw marketNotFound()
  return market
}

/** `buy/btcusd`, `sell/market/btcusd`, `buy/instant/btcusd`. */
const place: PrivateRoute = (core, { account, fields, parts }) => {
  const id = fields.get("client_order_id") ?? ""
  const side = sideOf(parts[0])
  const kind: Kind = parts[1] === "market" || parts[1] === "instant" ? parts[1] : "limit"
  try {
    const market = marketNamed(core, parts.at(-1))
    const placement = readPlacement(market, side, kind, fields)
    const order = isKilled(market, placement)
      ? killed(core, account, market, placement)
      : work(core, account, market, placement)
    core.placements.created(id, order.orderId)
    return placedRow(order)
  } catch (cause) {
    const refusal: BitstampRefusal | undefined = refusalOf(cause)
    if (refusal === undefined) throw cause
    core.placements.refused(id, refusal.code)
    throw refusal
  }
}

/** Of a limit buy the fee is put aside beside what it costs. */
const work = (core: Core, account: BitstampAccount, market: Market, { request, words }: Placement): Order => {
  const { price, quantity, side } = request
  const opposite = side === "BUY" ? market.asks : market.bids
  if (request.type === "MARKET" && opposite.best === undefined)
    throw noOrders(side === "BUY" ? "buy" : "sell", pathOf(market.rules.symbol))
  const cost = price === undefined || quantity === undefined ? 0n : multiply(price, quantity)
  const balance = account.balances.get(market.rules.quote)
  if (side === "BUY" && (balance?.free ?? 0n) < (request.quoteOrderQuantity ?? cost) + fees.needed(side, cost))
    throw insufficient(market.rules.quote)
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    if (words.clientOrderId !== undefined) account.byName.set(words.clientOrderId, order)
    return order
  } finally {
    core.placing = undefined
  }
}

const isKilled = (market: Market, { request, words }: Placement): boolean => {
  if (words.subtype !== "MOC") return false
  const opposite = request.side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, request.price)
}

/** "In case it would be filled when placed, the order is cancelled." It has an id, and never stood in the book. */
const killed = (core: Core, account: BitstampAccount, market: Market, { request, words }: Placement): Order => {
  const order = stillbornOrder(market, account, request, { orderId: core.nextStillbornId(), placedAt: core.now() })
  if (order === undefined) throw orderNotFound()
  setWords(order, words)
  if (words.clientOrderId !== undefined) account.byName.set(words.clientOrderId, order)
  order.status = "CANCELED"
  core.tell(order, "order_deleted")
  return order
}

const KEPT_MILLIS = 30 * 86_400_000

/** "For closed orders, this call only returns information for the last 30 days." */
const isKept = (core: Core, order: Order): boolean => isOpen(order) || core.now() - order.updatedAt <= KEPT_MILLIS

const named = (core: Core, { account, fields }: Signed): Order | undefined => {
  const [id, name] = [fields.get("id"), fields.get("client_order_id")]
  if (id === null && name === null) throw missing("id")
  if (id !== null && !/^\d+$/.test(id)) throw invalidId()
  const order = id !== null ? account.orders.get(orderOf(id)) : account.byName.get(name ?? "")
  return order !== undefined && isKept(core, order) ? order : undefined
}

const status: PrivateRoute = (core, signed) => {
  const order = named(core, signed)
  if (order === undefined) throw orderNotFound()
  const { transactions, ...row } = statusRow(order)
  return signed.fields.get("omit_transactions") === "True" ? row : { ...row, transactions }
}

/** "Order might already be filled or canceled." */
const cancel: PrivateRoute = (core, signed) => {
  const order = named(core, signed)
  if (order === undefined || !isOpen(order)) throw notInBook()
  if (core.heldCancels.has(order)) return cancelledRow(order, "Cancel pending")
  if (core.faults.cancelsHeld) core.heldCancels.add(order)
  else core.matching.cancel(order, order.symbol)
  return cancelledRow(order, "Canceled")
}

const openOf = (account: BitstampAccount, path: string | undefined): ReadonlyArray<Order> =>
  [...account.orders.values()].filter(
    (order) => isOpen(order) && (path === undefined || path === "all" || pathOf(order.symbol) === path),
  )

const cancelAll: PrivateRoute = (core, { account, parts }) => {
  const open = openOf(account, parts[1])
  for (const order of open) core.matching.cancel(order, order.symbol)
  return { canceled: open.map((order) => cancelledRow(order, "Canceled")), success: true }
}

/** Another order in its place, atomically: it has an id of its own. */
const replace: PrivateRoute = (core, signed) => {
  const { account, fields } = signed
  const [id, name] = [fields.get("id"), fields.get("orig_client_order_id")]
  const order = id !== null ? account.orders.get(orderOf(id)) : account.byName.get(name ?? "")
  if (order === undefined || !isOpen(order)) throw notInBook()
  const market = core.matching.market(order.symbol)
  const placement = readPlacement(market, order.side, "limit", fields)
  core.matching.cancel(order, order.symbol)
  const next = work(core, account, market, placement)
  const { id: order_id, type, ...row } = placedRow(next)
  const before = { orig_order_id: orderIdOf(order.orderId), orig_client_order_id: wordsOf(order).clientOrderId }
  return { ...row, order_id: Number(order_id), order_type: type, ...before, status: "Open" }
}

/** "This API call is cached for 10 seconds." */
const openOrders: PrivateRoute = (core, { account, parts }) => {
  const path = parts[1] ?? "all"
  const now = performance.now()
  const known = account.cached.get(path)
  if (known !== undefined && now - known.at < core.cachedMillis) return known.rows
  const rows = openOf(account, path).map(openRow)
  account.cached.set(path, { at: now, rows })
  return rows
}

const numberOf = (
  fields: Fields,
  name: string,
  otherwise: number,
  [least, most]: readonly [number, number],
): number => {
  const value = Number(fields.get(name) ?? otherwise)
  if (!(value >= least && value <= most)) throw malformed(`400.0${name === "offset" ? 10 : 11}`, name)
  return value
}

const LIMIT_MOST = 1000

/** The venue's own words for a deposit: it has the number of the trade that it came before. */
const DEPOSIT_ID = 1

const userTransactions: PrivateRoute = (core, { account, fields, parts }) => {
  const [path] = parts.slice(1)
  if (path !== undefined) marketNamed(core, path)
  const isAscending = fields.get("sort") === "asc"
  const since = Number(fields.get("since_timestamp") ?? 0) * 1000
  if (since > 0 && core.now() - since > KEPT_MILLIS) throw malformed("400.013", "since_timestamp")
  const sinceId = fields.get("since_id")
  const limit = sinceId === null ? numberOf(fields, "limit", 100, [1, LIMIT_MOST]) : LIMIT_MOST
  const offset = numberOf(fields, "offset", 0, [0, 200_000])
  const isWanted = ({ symbol, filledAt }: Fill): boolean =>
    filledAt >= since && (path === undefined || pathOf(symbol) === path)
  const trades = account.fills.filter(isWanted).map(tradeRow)
  const rows = [...(path === undefined ? [depositRow(DEPOSIT_ID, 1_500_000_000_000)] : []), ...trades].filter(
    ({ id }) => sinceId === null || id >= Number(sinceId),
  )
  return (isAscending ? rows : rows.reverse()).slice(offset, offset + limit)
}

const balances: PrivateRoute = (_, { account }) =>
  [...account.balances.keys()].map((asset) => balanceRow(account, asset))

const tradingFees: PrivateRoute = (core) =>
  [...core.matching.markets.keys()].map((symbol) => ({
    currency_pair: pathOf(symbol),
    market: pathOf(symbol),
    fees: { maker: "0.30000", taker: "0.40000" },
  }))

const token: PrivateRoute = (core, { account }) => ({
  valid_sec: TOKEN_SECONDS,
  token: core.tokenFor(account),
  user_id: account.accountNumber,
})

/** By the first part of the path. */
export const privateRoutes: Readonly<Record<string, PrivateRoute>> = {
  buy: place,
  sell: place,
  order_status: status,
  cancel_order: cancel,
  cancel_all_orders: cancelAll,
  replace_order: replace,
  open_orders: openOrders,
  user_transactions: userTransactions,
  account_balances: balances,
  fees: tradingFees,
  websockets_token: token,
}
