/**
 * Signed REST of a KuCoin spot account of high frequency. A route gets an account whose signature has been verified; it answers `data`, or throws a
 * refusal. Lists come newest first; a page that has rows says the last one's id, also when it was the last page.
 */
import { multiply } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import { isOpen, type Order } from "../binance/model.ts"
import { pageAfter } from "../cursor-page.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf } from "./core.ts"
import { fees } from "./fees.ts"
import { type KucoinAccount, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import { type Fields, type Placement, readPlacement } from "./order-request.ts"
import { bullet } from "./public-api.ts"
import {
  duplicateClientOid,
  insufficientBalance,
  notCancellable,
  orderNotFound,
  parameterError,
  refusalOf,
  unsupportedSymbol,
} from "./refusal.ts"
import { accountRow, bare, fillRow, orderRow } from "./wire-private.ts"

export interface Signed {
  readonly account: KucoinAccount
  readonly query: URLSearchParams
  readonly fields: Fields
  /** What stands at the end of the path. */
  readonly id: string
}

export type PrivateRoute = (core: Core, signed: Signed) => unknown

const place: PrivateRoute = (core, { account, fields }) => {
  const id = String(fields["clientOid"] ?? "")
  try {
    const market = marketOf(core, fields["symbol"])
    if (market === undefined) throw unsupportedSymbol()
    const placement = readPlacement(market, fields)
    const known = account.byClientOrderId.get(id)
    // Of orders that work: an id whose order has ended is free again.
    if (known !== undefined && isOpen(known)) throw duplicateClientOid()
    const order = wouldTake(market, placement)
      ? stillborn(core, account, market, placement)
      : work(core, account, market, placement)
    core.placements.created(id, order.orderId)
    return { orderId: orderIdOf(order.orderId), clientOid: id }
  } catch (cause) {
    const refusal = refusalOf(cause)
    if (refusal === undefined) throw cause
    core.placements.refused(id, refusal.code)
    throw refusal
  }
}

/** Of a limit buy the fee is put aside beside what it costs. */
const work = (core: Core, account: KucoinAccount, market: Market, { request, words }: Placement): Order => {
  const { price, quantity, side } = request
  const cost = price === undefined || quantity === undefined ? 0n : multiply(price, quantity)
  const balance = account.balances.get(market.rules.quote)
  const due = (request.quoteOrderQuantity ?? cost) + fees.needed(side, cost)
  if (side === "BUY" && (balance?.free ?? 0n) < due) throw insufficientBalance()
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    if (isOpen(order) && order.isResting) {
      wordsOf(order).hasRested = true
      core.tell(order, "open")
    }
    return order
  } finally {
    core.placing = undefined
  }
}

const wouldTake = (market: Market, { request, words }: Placement): boolean => {
  if (!words.isPostOnly) return false
  const opposite = request.side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, request.price)
}

/** A post-only order that would take is accepted, and cancelled by the venue at once. */
const stillborn = (core: Core, account: KucoinAccount, market: Market, { request, words }: Placement): Order => {
  const at = { orderId: core.nextStillbornId(), placedAt: core.now() }
  const order = stillbornOrder(market, account, request, at)
  if (order === undefined) throw duplicateClientOid()
  setWords(order, words)
  core.tell(order, "received")
  order.status = "CANCELED"
  core.tell(order, "canceled")
  return order
}

/** Throws where the account has no such order of the pair that is named. */
const named = ({ account, query, id }: Signed, by: "orderId" | "clientOid"): Order => {
  const order = by === "orderId" ? account.orders.get(orderOf(id)) : account.byClientOrderId.get(id)
  const symbol = query.get("symbol")
  if (symbol === null) throw parameterError("symbol")
  if (order === undefined || order.symbol !== symbol) throw orderNotFound()
  return order
}

const cancel =
  (by: "orderId" | "clientOid"): PrivateRoute =>
  (core, signed) => {
    const order = named(signed, by)
    if (!isOpen(order) && !core.heldCancels.has(order)) throw notCancellable()
    if (core.faults.cancelsHeld) core.heldCancels.add(order)
    else core.matching.cancel(order, order.symbol)
    return { [by]: signed.id }
  }

const show =
  (by: "orderId" | "clientOid"): PrivateRoute =>
  (_, signed) =>
    orderRow(named(signed, by))

const symbolOf = (core: Core, query: URLSearchParams): string => {
  const symbol = query.get("symbol")
  if (marketOf(core, symbol) === undefined) throw parameterError("symbol")
  return symbol ?? ""
}

const working = ({ orders }: KucoinAccount): ReadonlyArray<Order> => [...orders.values()].filter(isOpen)

const activeSymbols: PrivateRoute = (_, { account }) => ({
  symbols: [...new Set(working(account).map(({ symbol }) => symbol))],
})

const active: PrivateRoute = (core, { account, query }) => {
  const symbol = symbolOf(core, query)
  return working(account)
    .filter((order) => order.symbol === symbol)
    .sort((a, b) => b.updatedAt - a.updatedAt || b.orderId - a.orderId)
    .map(orderRow)
}

const WINDOW_MILLIS = 7 * 86_400_000
const PAGE_MOST = 100
/** What the numbers of rows begin at: 0 is no row's. */
const FIRST_ROW = 19_814_995_255_305n

/** "The start and end time range cannot exceed 7 days"; one of them alone says the other. */
const windowOf = (query: URLSearchParams, now: number): readonly [from: number, to: number] => {
  const [start, end] = ["startAt", "endAt"].map((name) => (query.has(name) ? Number(query.get(name)) : undefined))
  const from = start ?? (end ?? now) - WINDOW_MILLIS
  const to = end ?? from + WINDOW_MILLIS
  if (!(to - from <= WINDOW_MILLIS)) throw parameterError("the time range cannot exceed 7 days")
  return [from, to]
}

/** `lastId` says how many rows were left behind its page. */
const pageOf = <R>(query: URLSearchParams, rows: ReadonlyArray<R>) => {
  const limit = Number(query.get("limit") ?? 20)
  if (!(limit >= 1 && limit <= PAGE_MOST)) throw parameterError("limit")
  const lastId = query.get("lastId")
  if (lastId !== null && !/^\d{14}$/.test(lastId)) throw parameterError("lastId")
  const { page, left } = pageAfter(rows, lastId === null ? null : Number(BigInt(lastId) - FIRST_ROW), limit)
  return { page, lastId: page.length === 0 ? 0 : bare(FIRST_ROW + BigInt(left)) }
}

const done: PrivateRoute = (core, { account, query }) => {
  const symbol = symbolOf(core, query)
  const [from, to] = windowOf(query, core.now())
  const rows = [...account.orders.values()]
    .filter((it) => !isOpen(it) && it.symbol === symbol && it.updatedAt >= from && it.updatedAt <= to)
    .sort((a, b) => b.updatedAt - a.updatedAt || b.orderId - a.orderId)
  const { page, lastId } = pageOf(query, rows)
  return { lastId, items: page.map(orderRow) }
}

const fills: PrivateRoute = (core, { account, query }) => {
  const symbol = symbolOf(core, query)
  const orderId = query.get("orderId")
  const [from, to] = windowOf(query, core.now())
  const rows = account.fills
    .filter((it) => it.symbol === symbol && core.heldFills?.has(it) !== true)
    .filter((it) => (orderId === null ? it.filledAt >= from && it.filledAt <= to : orderIdOf(it.orderId) === orderId))
    .reverse()
  const { page, lastId } = pageOf(query, rows)
  const items = page.flatMap((fill, nth) => {
    const order = account.orders.get(fill.orderId)
    return order === undefined ? [] : [fillRow(order, fill, FIRST_ROW + BigInt(rows.length - nth))]
  })
  return { items, lastId }
}

/** What another account of the user's holds is in the same list. */
const accounts: PrivateRoute = (_, { account, query }) => {
  const type = query.get("type")
  const main = { id: "63355cd156298d0001b66e61", currency: "USDT", type: "main" }
  const all = [
    ...[...account.balances.keys()].map((currency) => accountRow(account, currency)),
    { ...main, balance: "77", available: "77", holds: "0" },
  ]
  return all.filter((row) => type === null || row.type === type)
}

const keyInfo: PrivateRoute = (_, { account }) => ({
  remark: "loopback",
  apiKey: account.apiKey,
  apiVersion: 3,
  permission: "General,Spot",
  ipWhitelist: "",
  createdAt: 1_729_577_515_444,
  uid: account.accountNumber,
  isMaster: true,
})

/** By `METHOD /path`; a path that ends with "/" has an id behind it. */
export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["POST /api/v1/hf/orders", place],
  ["DELETE /api/v1/hf/orders/client-order/", cancel("clientOid")],
  ["DELETE /api/v1/hf/orders/", cancel("orderId")],
  ["GET /api/v1/hf/orders/active/symbols", activeSymbols],
  ["GET /api/v1/hf/orders/active", active],
  ["GET /api/v1/hf/orders/done", done],
  ["GET /api/v1/hf/orders/client-order/", show("clientOid")],
  ["GET /api/v1/hf/orders/", show("orderId")],
  ["GET /api/v1/hf/fills", fills],
  ["GET /api/v1/accounts", accounts],
  ["GET /api/v1/user/api-key", keyInfo],
  ["GET /api/v1/hf/accounts/opened", (_, { account }) => account.kind === "HIGH_FREQUENCY"],
  [
    "GET /api/ua/v1/account/mode",
    (_, { account }) => ({ selfAccountMode: account.kind === "UNIFIED" ? "UNIFIED" : "CLASSIC" }),
  ],
  // ccxt asks for both with the pairs.
  ["GET /api/v3/margin/symbols", ({ now }) => ({ timestamp: now(), items: [] })],
  ["GET /api/v1/isolated/symbols", () => []],
  ["POST /api/v1/bullet-private", (core, { account }) => bullet(core, account)],
])

/** The route of a request, and how it is counted. */
export const routeOf = (key: string): string | undefined =>
  privateRoutes.has(key) ? key : [...privateRoutes.keys()].find((route) => route.endsWith("/") && key.startsWith(route))
