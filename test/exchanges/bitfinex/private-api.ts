/**
 * Signed REST of Bitfinex, all of it POST. A route gets an account whose signature has been verified; it answers the body, or throws a refusal. What is asked for
 * (`auth/w`) is answered by a notification that says nothing of what became of it.
 */
import { amend } from "../amend.ts"
import type { Market } from "../binance/market.ts"
import { executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf } from "./core.ts"
import { type BitfinexAccount, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import {
  checkSize,
  type Fields,
  type Placement,
  pairOf,
  readPlacement,
  readPrice,
  recordOf,
  signedAmount,
} from "./order-request.ts"
import { invalid, orderNotFound, refusalOf } from "./refusal.ts"
import { notification, orderRow, tradeRow, walletRow } from "./wire-private.ts"

export interface Signed {
  readonly account: BitfinexAccount
  readonly fields: Fields
  /** What stands in the path for `{symbol}`. */
  readonly symbol: string
  /** Behind it, where an order is named there. */
  readonly id: string
}

interface Route {
  readonly scope: "account" | "wallets" | "orders" | "history"
  readonly answer: (core: Core, signed: Signed) => unknown
}

const reaches = (market: Market, side: Order["side"], price: bigint | undefined): boolean => {
  const opposite = side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, price)
}

const POST_ONLY = 4096

const submit: Route["answer"] = (core, { account, fields }) => {
  const cid = String(fields["cid"] ?? "")
  const market = marketOf(core, fields["symbol"])
  try {
    if (market === undefined) throw invalid("symbol")
    const placement = readPlacement(market, fields)
    const { request, words } = placement
    const isKilled = (words.flags & POST_ONLY) !== 0 && reaches(market, request.side, request.price)
    const order = isKilled ? killed(core, account, market, placement) : work(core, account, placement)
    core.placements.created(cid, orderIdOf(order.orderId))
    return notification(core.now(), "on-req", [orderRow(order, true)], "Submitting 1 orders.")
  } catch (cause) {
    const { amount, price } = fields
    const refusal = refusalOf(cause, {
      amount: String(amount),
      pair: market === undefined ? "" : pairOf(market),
      price: String(price ?? "market"),
    })
    if (refusal === undefined) throw cause
    core.placements.refused(cid, refusal.code)
    throw refusal
  }
}

const work = (core: Core, account: BitfinexAccount, { request, words }: Placement): Order => {
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    if (isOpen(order)) {
      wordsOf(order).isTold = true
      core.tell(order, "on")
    }
    return order
  } finally {
    core.placing = undefined
  }
}

/** A post-only order that would take: it is submitted, and over. */
const killed = (core: Core, account: BitfinexAccount, market: Market, { request, words }: Placement): Order => {
  const at = { orderId: core.nextStillbornId(), placedAt: core.now() }
  const order = stillbornOrder(market, account, request, at)
  if (order === undefined) throw invalid("cid")
  setWords(order, { ...words, isKilled: true })
  order.status = "CANCELED"
  core.notify(order, "on-req")
  core.tell(order, "oc")
  return order
}

const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** By the venue's id, or by the client's and the day on which it was made. */
const named = ({ account: { orders }, fields: { id, cid, cid_date } }: Signed): Order | undefined => {
  if (id !== undefined) return orders.get(orderOf(id))
  if (cid === undefined) throw invalid("id")
  if (!/^\d{4}-\d\d-\d\d$/.test(String(cid_date ?? ""))) throw invalid("cid_date")
  return [...orders.values()].findLast((it) => wordsOf(it).cid === cid && dateOf(it.placedAt) === cid_date)
}

const working = (signed: Signed): Order => {
  const order = named(signed)
  if (order === undefined || !isOpen(order)) throw orderNotFound()
  return order
}

const cancel: Route["answer"] = (core, signed) => {
  const order = working(signed)
  const row = orderRow(order)
  const text = `Submitted for cancellation; waiting for confirmation (ID: ${orderIdOf(order.orderId)}).`
  core.notify(order, "oc-req")
  if (core.faults.cancelsHeld) core.heldCancels.add(order)
  else core.matching.cancel(order, order.symbol)
  return notification(core.now(), "oc-req", row, text)
}

const cancelMany: Route["answer"] = (core, signed) => {
  const { id, all } = signed.fields
  const ids = Array.isArray(id) ? id : []
  const orders = [...signed.account.orders.values()]
    .filter(isOpen)
    .filter(({ orderId }) => all === 1 || ids.includes(orderIdOf(orderId)))
  const rows = orders.map((order) => orderRow(order))
  for (const order of orders) core.matching.cancel(order, order.symbol)
  return notification(core.now(), "oc_multi-req", rows, `Submitting ${rows.length} order cancellations.`)
}

/**
 * `delta` is put on what is left, and so on the whole. A change that may only make, and whose price takes, ends the order: one that does not say so takes, whatever
 * the order was placed as.
 */
const update: Route["answer"] = (core, signed) => {
  const { fields } = signed
  const order = working(signed)
  const market = core.matching.market(order.symbol)
  if (fields["amount"] !== undefined) throw invalid("amount: not served by the loopback exchange")
  const delta = fields["delta"] === undefined ? 0n : signedAmount(fields, "delta")
  const quantity = order.quantity + (order.side === "SELL" ? -delta : delta)
  const price = fields["price"] === undefined ? order.price : readPrice(fields)
  if (quantity <= executedQuantity(order)) throw invalid("delta")
  checkSize(market, quantity)
  const row = (it: Order) => notification(core.now(), "ou-req", orderRow(it), "Submitting update to order.")
  const words = wordsOf(order)
  if ((Number(fields["flags"] ?? 0) & POST_ONLY) !== 0 && reaches(market, order.side, price)) {
    core.notify(order, "ou-req")
    words.isKilled = true
    const before = row(order)
    core.matching.cancel(order, order.symbol)
    return before
  }
  try {
    const changed = amend(core.matching, market, order, { price, quantity }, (from, to) => {
      setWords(to, wordsOf(from))
      core.notify(to, "ou-req")
    })
    if (changed === undefined) throw orderNotFound()
    return row(changed)
  } catch (cause) {
    const refusal = refusalOf(cause, { amount: plain(quantity), pair: pairOf(market), price: plain(price) })
    throw refusal ?? cause
  }
}

const idsOf = ({ fields: { id } }: Signed): ReadonlyArray<unknown> | undefined =>
  id === undefined ? undefined : Array.isArray(id) ? id : [id]

const ofSymbol = ({ symbol }: Signed, order: Pick<Order, "symbol">): boolean => symbol === "" || order.symbol === symbol

const active: Route["answer"] = (_, signed) => {
  const ids = idsOf(signed)
  const { cid, cid_date } = signed.fields
  return [...signed.account.orders.values()]
    .filter((order) => isOpen(order) && ofSymbol(signed, order))
    .filter(({ orderId }) => ids === undefined || ids.includes(orderIdOf(orderId)))
    .filter((it) => cid === undefined || (wordsOf(it).cid === cid && dateOf(it.placedAt) === cid_date))
    .reverse()
    .map((order) => orderRow(order))
}

const PAGE = 25
const PAGE_MOST = 2500
const KEPT_MILLIS = 14 * 86_400_000

const limitOf = ({ fields: { limit = PAGE } }: Signed): number => {
  if (typeof limit !== "number" || !(limit >= 1 && limit <= PAGE_MOST)) throw invalid("limit")
  return limit
}

const isWithin = ({ fields: { start, end } }: Signed, at: number): boolean =>
  at >= Number(start ?? 0) && at <= Number(end ?? Number.MAX_SAFE_INTEGER)

const history: Route["answer"] = (core, signed) => {
  const ids = idsOf(signed)
  const timeOf = (order: Order): number => (core.historyBy === "CREATION" ? order.placedAt : order.updatedAt)
  return [...signed.account.orders.values()]
    .filter((it) => !isOpen(it) && !core.faults.isEndedHeld && ofSymbol(signed, it))
    .filter(({ updatedAt }) => core.now() - updatedAt <= KEPT_MILLIS)
    .filter(({ orderId }) => ids === undefined || ids.includes(orderIdOf(orderId)))
    .filter((order) => isWithin(signed, timeOf(order)))
    .sort((a, b) => timeOf(b) - timeOf(a) || b.orderId - a.orderId)
    .slice(0, limitOf(signed))
    .map((order) => orderRow(order))
}

const rowOf =
  ({ orders }: BitfinexAccount) =>
  (fill: Fill): ReadonlyArray<ReadonlyArray<unknown>> => {
    const order = orders.get(fill.orderId)
    return order === undefined ? [] : [tradeRow(order, fill)]
  }

/** Newest first unless they are asked for otherwise. */
const trades: Route["answer"] = (_, signed) => {
  const { account, fields } = signed
  const found = account.fills.filter((fill) => ofSymbol(signed, fill) && isWithin(signed, fill.filledAt))
  if (fields["sort"] !== 1) found.reverse()
  return found.slice(0, limitOf(signed)).flatMap(rowOf(account))
}

const tradesOfOrder: Route["answer"] = (_, { account, symbol, id }) =>
  account.fills
    .filter((fill) => fill.symbol === symbol && orderIdOf(fill.orderId) === Number(id))
    .flatMap(rowOf(account))

const USER_CELLS = 55

const user: Route["answer"] = (_, { account }) => {
  const row: Array<unknown> = Array.from({ length: USER_CELLS }, () => null)
  row[0] = account.accountNumber
  row[1] = "somebody@example.com"
  return row
}

/** What is held in other wallets stands beside it. */
const wallets: Route["answer"] = (_, { account }) => [
  ...[...account.balances.keys()].map((currency) => walletRow(account, currency)),
  ["margin", "UST", 7, 0, null, null, null],
  ["funding", "BTC", 3, 0, 3, null, null],
]

const SCOPES = ["account", "history", "orders", "wallets"]

const permissions: Route["answer"] = (_, { account }) =>
  SCOPES.map((scope) => [scope, account.mayNotRead.includes(scope) ? 0 : 1, 1])

/** By path; `:symbol` is a pair, `:order` a pair and an order. */
export const privateRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["/v2/auth/w/order/submit", { scope: "orders", answer: submit }],
  ["/v2/auth/w/order/cancel", { scope: "orders", answer: cancel }],
  ["/v2/auth/w/order/cancel/multi", { scope: "orders", answer: cancelMany }],
  ["/v2/auth/w/order/update", { scope: "orders", answer: update }],
  ["/v2/auth/r/orders", { scope: "orders", answer: active }],
  ["/v2/auth/r/orders/:symbol", { scope: "orders", answer: active }],
  ["/v2/auth/r/orders/hist", { scope: "orders", answer: history }],
  ["/v2/auth/r/orders/:symbol/hist", { scope: "orders", answer: history }],
  ["/v2/auth/r/trades/hist", { scope: "history", answer: trades }],
  ["/v2/auth/r/trades/:symbol/hist", { scope: "history", answer: trades }],
  ["/v2/auth/r/order/:order/trades", { scope: "history", answer: tradesOfOrder }],
  ["/v2/auth/r/wallets", { scope: "wallets", answer: wallets }],
  ["/v2/auth/r/info/user", { scope: "account", answer: user }],
  ["/v2/auth/r/permissions", { scope: "account", answer: permissions }],
])

const NAMED_ORDER = /\/order\/(t[A-Z0-9:]+):(\d+)\//
const NAMED_PAIR = /\/(t[A-Z0-9:]+)(?=\/|$)/

/** The route of a path, and what stands in it. */
export const routeOf = (path: string): { readonly route: string; readonly symbol: string; readonly id: string } => {
  const [, ofOrder, id = ""] = NAMED_ORDER.exec(path) ?? []
  if (ofOrder !== undefined) return { route: path.replace(NAMED_ORDER, "/order/:order/"), symbol: ofOrder, id }
  const [, symbol = ""] = NAMED_PAIR.exec(path) ?? []
  return { route: symbol === "" ? path : path.replace(NAMED_PAIR, "/:symbol"), symbol, id }
}

export const fieldsOf = (body: string): Fields => {
  try {
    return recordOf(JSON.parse(body))
  } catch {
    return {}
  }
}
