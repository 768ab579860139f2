/**
 * Signed REST of a classic spot account of Gate. A route gets an account whose signature has been verified; it answers the body, or throws a refusal. Lists
 * come newest first, page by page; those of what is over go by the time at which it ended.
 */
import { amend } from "../amend.ts"
import type { Market } from "../binance/market.ts"
import { isOpen, type Order } from "../binance/model.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf } from "./core.ts"
import { type GateAccount, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import { type Fields, type Placement, readAmount, readPlacement, readPrice } from "./order-request.ts"
import {
  fokNotFilled,
  forbidden,
  invalidPair,
  invalidValue,
  missingParameter,
  noChange,
  orderCancelled,
  orderClosed,
  orderNotFound,
  refusalOf,
  textNotFound,
  wouldTake,
} from "./refusal.ts"
import { accountRow, orderRow, tradeRow } from "./wire-private.ts"

export interface Signed {
  readonly account: GateAccount
  readonly query: URLSearchParams
  readonly fields: Fields
  /** What stands at the end of the path. */
  readonly id: string
}

export type PrivateRoute = (core: Core, signed: Signed) => unknown

const reaches = (market: Market, side: Order["side"], price: bigint | undefined): boolean => {
  const opposite = side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, price)
}

const place: PrivateRoute = (core, { account, fields }) => {
  const text = String(fields["text"] ?? "")
  try {
    const market = marketOf(core, fields["currency_pair"])
    if (market === undefined) throw invalidPair()
    const placement = readPlacement(market, fields)
    const { request, words } = placement
    if (words.timeInForce === "poc" && reaches(market, request.side, request.price))
      throw killed(core, account, market, placement)
    if (
      words.timeInForce === "fok" &&
      request.quantity !== undefined &&
      !core.matching.couldFill(market, account, request)
    )
      throw fokNotFilled()
    const order = work(core, account, placement)
    core.placements.created(text, order.orderId)
    return orderRow(order)
  } catch (cause) {
    const refusal = refusalOf(cause)
    if (refusal === undefined) throw cause
    core.placements.refused(text, refusal.label)
    throw refusal
  }
}

const work = (core: Core, account: GateAccount, { request, words }: Placement): Order => {
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    account.byText.set(words.text, order)
    if (isOpen(order)) core.tell(order, "put")
    return order
  } finally {
    core.placing = undefined
  }
}

/** A post-only order that would take: the stream tells of one that is over, and the answer is a refusal. */
const killed = (core: Core, account: GateAccount, market: Market, { request, words }: Placement) => {
  const order = stillbornOrder(market, account, request, { orderId: core.nextStillbornId(), placedAt: core.now() })
  if (order !== undefined) {
    setWords(order, { ...words, isKilled: true })
    order.status = "CANCELED"
    core.tell(order, "finish")
  }
  return wouldTake()
}

/** "Orders that filled nothing are not kept": for so long they may be asked for. */
const FORGOTTEN_MILLIS = 60_000

const isKept = (order: Order, now: number): boolean =>
  isOpen(order) || order.fills.length > 0 || now - order.updatedAt <= FORGOTTEN_MILLIS

/** By `text` only what works. Throws where the account has no such order of the pair that is named. */
const named = (core: Core, { account, query, fields, id }: Signed): Order => {
  const byText = id.startsWith("t-")
  const order = byText ? account.byText.get(id) : account.orders.get(orderOf(id))
  const pair = fields["currency_pair"] ?? query.get("currency_pair")
  if (pair === null || pair === undefined) throw missingParameter("currency_pair")
  if (byText && (order === undefined || !isOpen(order))) throw textNotFound(id)
  if (order === undefined || order.symbol !== pair || !isKept(order, core.now())) throw orderNotFound()
  return order
}

const workingOrder = (core: Core, signed: Signed): Order => {
  const order = named(core, signed)
  if (!isOpen(order)) throw order.status === "FILLED" ? orderClosed() : orderCancelled()
  return order
}

const cancel: PrivateRoute = (core, signed) => {
  const order = workingOrder(core, signed)
  return orderRow(core.matching.cancel(order, order.symbol))
}

/** The whole amount, what is executed with it. A post-only order whose new price takes is over. */
const change: PrivateRoute = (core, signed) => {
  const { account, fields } = signed
  const order = workingOrder(core, signed)
  const market = core.matching.market(order.symbol)
  const quantity = fields["amount"] === undefined ? undefined : readAmount(market, fields)
  const price = fields["price"] === undefined ? undefined : readPrice(market, fields)
  if (quantity === undefined && price === undefined) throw missingParameter("amount or price")
  if ((quantity ?? order.quantity) === order.quantity && (price ?? order.price) === order.price) throw noChange()
  const words = wordsOf(order)
  if (words.timeInForce === "poc" && reaches(market, order.side, price ?? order.price)) {
    words.isKilled = true
    return orderRow(core.matching.cancel(order, order.symbol))
  }
  const amended = amend(core.matching, market, order, { price, quantity }, (from, to) => {
    setWords(to, wordsOf(from))
    account.byText.set(words.text, to)
  })
  if (amended === undefined) throw orderNotFound()
  return orderRow(amended)
}

const pairOf = (core: Core, query: URLSearchParams): string => {
  const pair = query.get("currency_pair")
  if (marketOf(core, pair) === undefined) throw invalidPair()
  return pair ?? ""
}

/** Only pages by number; none begins behind row 100,000. */
const pageOf = <R>(query: URLSearchParams, rows: ReadonlyArray<R>, most: number): ReadonlyArray<R> => {
  const limit = Number(query.get("limit") ?? 100)
  const page = Number(query.get("page") ?? 1)
  if (!(limit >= 1 && limit <= most)) throw invalidValue("limit")
  if (!(page >= 1) || limit * (page - 1) > 100_000) throw invalidValue("page")
  return rows.slice((page - 1) * limit, page * limit)
}

const DAY_MILLIS = 86_400_000

/**
 * Whole seconds. "If only any parameter of `from` or `to` is specified, only 7-day data from the start (or end) of the specified time is returned. The range is
 * not allowed to exceed 30 days."
 */
const windowOf = (query: URLSearchParams, now: number): readonly [from: number, to: number] => {
  const [start, end] = ["from", "to"].map((name) => (query.has(name) ? Number(query.get(name)) * 1000 : undefined))
  const from = start ?? (end ?? now) - 7 * DAY_MILLIS
  const to = end ?? from + 7 * DAY_MILLIS
  if (!(to - from <= 30 * DAY_MILLIS)) throw invalidValue("time range")
  return [from, to]
}

const ORDERS_MOST = 100
const TRADES_MOST = 1000

const newestFirst = (a: Order, b: Order): number => b.updatedAt - a.updatedAt || b.orderId - a.orderId

const working = ({ orders }: GateAccount): ReadonlyArray<Order> => [...orders.values()].filter(isOpen).sort(newestFirst)

/** So many of each pair on a page; pairs are not paged. */
const openOrders: PrivateRoute = (_, { account, query }) => {
  const all = working(account)
  return [...new Set(all.map(({ symbol }) => symbol))].flatMap((pair) => {
    const page = pageOf(
      query,
      all.filter(({ symbol }) => symbol === pair),
      ORDERS_MOST,
    )
    return page.length === 0 ? [] : [{ currency_pair: pair, total: page.length, orders: page.map(orderRow) }]
  })
}

const orders: PrivateRoute = (core, { account, query }) => {
  const pair = pairOf(core, query)
  const status = query.get("status")
  if (status !== "open" && status !== "finished") throw invalidValue("status")
  if (status === "open")
    return pageOf(
      query,
      working(account).filter(({ symbol }) => symbol === pair),
      ORDERS_MOST,
    ).map(orderRow)
  const now = core.now()
  const [from, to] = windowOf(query, now)
  const rows = [...account.orders.values()]
    .filter((it) => !isOpen(it) && it.symbol === pair && isKept(it, now) && !core.faults.isEndedHeld)
    .filter(({ updatedAt }) => updatedAt >= from && updatedAt <= to)
    .sort(newestFirst)
  return pageOf(query, rows, ORDERS_MOST).map(orderRow)
}

const myTrades: PrivateRoute = (core, { account, query }) => {
  const pair = pairOf(core, query)
  const orderId = query.get("order_id")
  const [from, to] = windowOf(query, core.now())
  const rows = account.fills
    .filter(({ symbol, filledAt }) => symbol === pair && filledAt >= from && filledAt <= to)
    .filter((it) => orderId === null || orderIdOf(it.orderId) === orderId)
    .reverse()
  return pageOf(query, rows, TRADES_MOST).flatMap((fill) => {
    const order = account.orders.get(fill.orderId)
    return order === undefined ? [] : [tradeRow(order, fill)]
  })
}

const detail: PrivateRoute = (_, { account }) => {
  if (account.hidesAccount) throw forbidden()
  return {
    user_id: account.accountNumber,
    ip_whitelist: [],
    currency_pairs: [],
    key: { mode: account.kind === "UNIFIED" ? 2 : 1 },
    tier: 0,
    copy_trading_role: 0,
  }
}

/** By `METHOD /path`; a path that ends with "/" has an id behind it. */
export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["POST /api/v4/spot/orders", place],
  ["DELETE /api/v4/spot/orders/", cancel],
  ["PATCH /api/v4/spot/orders/", change],
  ["GET /api/v4/spot/orders/", (core: Core, signed: Signed) => orderRow(named(core, signed))],
  ["GET /api/v4/spot/orders", orders],
  ["GET /api/v4/spot/open_orders", openOrders],
  ["GET /api/v4/spot/my_trades", myTrades],
  [
    "GET /api/v4/spot/accounts",
    (_: Core, { account }: Signed) => [...account.balances.keys()].map((currency) => accountRow(account, currency)),
  ],
  ["GET /api/v4/account/detail", detail],
])

/** The route of a request, and how it is counted. */
export const routeOf = (key: string): string | undefined =>
  privateRoutes.has(key) ? key : [...privateRoutes.keys()].find((route) => route.endsWith("/") && key.startsWith(route))
