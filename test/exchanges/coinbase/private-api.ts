/**
 * Signed REST of Coinbase. A route gets an account whose signature has been verified; it answers the body, or throws a refusal. Lists come newest
 * first.
 */
import { amend } from "../amend.ts"
import { multiply } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import { isOpen, type Order } from "../binance/model.ts"
import { pageAfter } from "../cursor-page.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, marketOf } from "./core.ts"
import { fees } from "./fees.ts"
import { type CoinbaseAccount, orderIdOf, orderOf, setWords, timeText, wordsOf } from "./model.ts"
import { type Fields, type Placement, readPlacement, readPrice, readSize } from "./order-request.ts"
import {
  insufficientFund,
  invalidArgument,
  invalidProduct,
  orderNotFound,
  orderRefusalOf,
  wouldTake,
} from "./refusal.ts"
import { fillRow, orderRow, walletRow } from "./wire-private.ts"

export interface Signed {
  readonly account: CoinbaseAccount
  readonly query: URLSearchParams
  readonly fields: Fields
  /** What stands at the end of the path. */
  readonly id: string
}

export type PrivateRoute = (core: Core, signed: Signed) => object

const placed = (order: Order) => ({
  success: true,
  success_response: {
    order_id: orderIdOf(order.orderId),
    product_id: order.symbol,
    side: order.side,
    client_order_id: order.clientOrderId,
    attached_order_id: "",
  },
  order_configuration: wordsOf(order).configuration,
})

const place: PrivateRoute = (core, { account, fields }) => {
  const id = String(fields["client_order_id"] ?? "")
  // "If the ID provided is not unique, the order will not be created and the order corresponding with that ID will be returned instead."
  const known = account.byClientOrderId.get(id)
  if (known !== undefined) return placed(known)
  try {
    const market = marketOf(core, fields["product_id"])
    if (market === undefined) throw invalidProduct()
    const placement = readPlacement(market, fields)
    if (takesAlthoughPostOnly(market, placement)) throw wouldTake()
    const order = work(core, account, market, placement)
    core.placements.created(id, order.orderId)
    return placed(order)
  } catch (cause) {
    const refusal = orderRefusalOf(cause)
    if (refusal === undefined) throw cause
    core.placements.refused(id, refusal.reason)
    return {
      success: false,
      error_response: {
        error: refusal.reason,
        message: refusal.message,
        error_details: "",
        preview_failure_reason: refusal.preview,
      },
      order_configuration: fields["order_configuration"] ?? null,
    }
  }
}

/** As another program of the user places it; throws a refusal. */
export const placeElsewhere = (core: Core, account: CoinbaseAccount, fields: Fields): Order => {
  const market = marketOf(core, fields["product_id"])
  if (market === undefined) throw invalidProduct()
  return work(core, account, market, readPlacement(market, fields))
}

/** Of a limit buy the fee is put aside beside what it costs. */
const work = (core: Core, account: CoinbaseAccount, market: Market, { request, words }: Placement): Order => {
  const { price, quantity, side } = request
  const cost = price === undefined || quantity === undefined ? 0n : multiply(price, quantity)
  const fee = fees.needed(side, cost)
  const balance = account.balances.get(market.rules.quote)
  if (side === "BUY" && (balance?.free ?? 0n) < (request.quoteOrderQuantity ?? cost) + fee) throw insufficientFund()
  core.placing = { ...words, edits: [] }
  try {
    return core.matching.place(account, request)
  } finally {
    core.placing = undefined
  }
}

const takesAlthoughPostOnly = (market: Market, { request, words }: Placement): boolean => {
  if (!words.isPostOnly) return false
  const opposite = request.side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, request.price)
}

const cancelOne = (core: Core, account: CoinbaseAccount, id: unknown) => {
  const said = (failure_reason: string, success = false) => ({ success, failure_reason, order_id: String(id) })
  const order = account.orders.get(orderOf(String(id)))
  if (order === undefined) return said("UNKNOWN_CANCEL_ORDER")
  if (order.status === "FILLED") return said("ORDER_IS_FULLY_FILLED")
  if (!isOpen(order)) return said("UNKNOWN_CANCEL_ORDER")
  if (core.heldCancels.has(order)) return said("DUPLICATE_CANCEL_REQUEST")
  if (core.faults.cancelsHeld) core.heldCancels.add(order)
  else cancelNow(core, order)
  return said("UNKNOWN_CANCEL_FAILURE_REASON", true)
}

const cancel: PrivateRoute = (core, { account, fields }) => {
  const { order_ids } = fields
  if (!Array.isArray(order_ids) || order_ids.length === 0) throw invalidArgument("order_ids")
  return { results: order_ids.map((id) => cancelOne(core, account, id)) }
}

export const cancelNow = (core: Core, order: Order): void => {
  wordsOf(order).cancelMessage = "User requested cancel"
  core.matching.cancel(order, order.symbol)
}

const notEdited = (edit_failure_reason: string, preview_failure_reason = "UNKNOWN_PREVIEW_FAILURE_REASON") => ({
  success: false,
  errors: [{ edit_failure_reason, preview_failure_reason }],
})

const edit: PrivateRoute = (core, { account, fields }) => {
  const order = account.orders.get(orderOf(String(fields["order_id"])))
  if (order === undefined || !isOpen(order)) return notEdited("ORDER_NOT_FOUND")
  const said = wordsOf(order)
  if (order.type !== "LIMIT" || order.timeInForce !== "GTC") return notEdited("ONLY_LIMIT_ORDER_EDITS_SUPPORTED")
  const market = core.matching.market(order.symbol)
  try {
    const price = fields["price"] === undefined ? order.price : readPrice(market, fields, "price")
    const quantity = fields["size"] === undefined ? order.quantity : readSize(market, fields, "size")
    if (quantity <= order.quantity - order.left) return notEdited("CANNOT_EDIT_TO_BELOW_FILLED_SIZE")
    const left = quantity - (order.quantity - order.left)
    const cost = multiply(price, left)
    const needed = order.side === "BUY" ? cost + fees.needed("BUY", cost) : left
    const asset = order.side === "BUY" ? market.rules.quote : market.rules.base
    const free = account.balances.get(asset)?.free ?? 0n
    if (free + order.reserved + fees.heldOf(order) < needed) throw insufficientFund()
    fees.release(order, 0n)
    const replace_accept_timestamp = timeText(core.now())
    said.edits.push({ price: plain(price), size: plain(quantity), replace_accept_timestamp })
    amend(core.matching, market, order, { price, quantity }, (from, to) => {
      setWords(to, wordsOf(from))
      fees.hold(to, fees.needed(to.side, cost))
    })
    return { success: true, errors: [] }
  } catch (cause) {
    const refusal = orderRefusalOf(cause)
    if (refusal === undefined) throw cause
    return notEdited("UNKNOWN_EDIT_ORDER_FAILURE_REASON", refusal.preview)
  }
}

/** A cursor says how many rows were left behind its page. */
const pageOf = <R>(query: URLSearchParams, rows: ReadonlyArray<R>, most: number) => {
  const limit = Number(query.get("limit") ?? 100)
  if (!(limit >= 1 && limit <= most)) throw invalidArgument("limit")
  const cursor = query.get("cursor")
  const left = cursor === null || cursor === "" ? null : Number(/^page-(\d+)$/.exec(cursor)?.[1] ?? Number.NaN)
  if (Number.isNaN(left)) throw invalidArgument("cursor")
  return pageAfter(rows, left, limit)
}

const ORDERS_MOST = 1000
const FILLS_MOST = 250
const WALLETS_MOST = 250

const instantOf = (query: URLSearchParams, name: string, absent: number): number => {
  const text = query.get(name)
  const at = text === null ? absent : Date.parse(text)
  if (Number.isNaN(at)) throw invalidArgument(name)
  return at
}

const productsOf = (query: URLSearchParams): ((product: string) => boolean) => {
  const named = query.getAll("product_ids")
  return (product) => named.length === 0 || named.includes(product)
}

const history: PrivateRoute = (core, { account, query }) => {
  const statuses = query.getAll("order_status")
  if (statuses.length > 1 && statuses.includes("OPEN"))
    throw invalidArgument("open orders cannot be listed with other statuses")
  const [from, to] = [
    instantOf(query, "start_date", Number.NEGATIVE_INFINITY),
    instantOf(query, "end_date", Number.POSITIVE_INFINITY),
  ]
  const isOfProduct = productsOf(query)
  const rows = [...account.orders.values()]
    .filter((order) => order.placedAt >= from && order.placedAt < to && isOfProduct(order.symbol))
    .sort((a, b) => b.placedAt - a.placedAt || b.orderId - a.orderId)
    .map((order) => orderRow(order, core.heldCancels.has(order)))
    .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
  const { page, left } = pageOf(query, rows, ORDERS_MOST)
  return { orders: page, sequence: "0", has_next: left > 0, cursor: left > 0 ? `page-${left}` : "" }
}

const one: PrivateRoute = (core, { account, id }) => {
  const order = account.orders.get(orderOf(id))
  if (order === undefined) throw orderNotFound()
  return { order: orderRow(order, core.heldCancels.has(order)) }
}

const fills: PrivateRoute = (_, { account, query }) => {
  const ids = query.getAll("order_ids")
  const from = instantOf(query, "start_sequence_timestamp", Number.NEGATIVE_INFINITY)
  const to = instantOf(query, "end_sequence_timestamp", Number.POSITIVE_INFINITY)
  const isOfProduct = productsOf(query)
  const wanted = account.fills
    .filter(
      ({ filledAt, symbol, orderId }) =>
        filledAt >= from &&
        filledAt <= to &&
        isOfProduct(symbol) &&
        (ids.length === 0 || ids.includes(orderIdOf(orderId))),
    )
    .reverse()
  const { page, left } = pageOf(query, wanted, FILLS_MOST)
  const rows = page.flatMap((fill) => {
    const order = account.orders.get(fill.orderId)
    return order === undefined ? [] : [fillRow(order, fill)]
  })
  // A page that has rows has a cursor, also the last.
  return { fills: rows, cursor: rows.length === 0 ? "" : `page-${left}` }
}

const summary: PrivateRoute = () => ({
  total_volume: "0",
  total_fees: "0",
  fee_tier: {
    pricing_tier: "Advanced 1",
    usd_from: "0",
    usd_to: "1000",
    taker_fee_rate: "0.006",
    maker_fee_rate: "0.004",
  },
})

const wallets: PrivateRoute = (_, { account, query }) => {
  const rows = [...account.balances.keys()].map((currency) => walletRow(account, currency))
  const { page, left } = pageOf(query, rows, WALLETS_MOST)
  return { accounts: page, has_next: left > 0, cursor: left > 0 ? `page-${left}` : "", size: page.length }
}

const permissions: PrivateRoute = (_, { account }) => ({
  can_view: true,
  can_trade: true,
  can_transfer: false,
  portfolio_uuid: account.portfolioId,
  portfolio_type: "DEFAULT",
})

/** By `METHOD /path`; a path that ends with "/" has an id behind it. */
export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["POST /api/v3/brokerage/orders", place],
  ["POST /api/v3/brokerage/orders/batch_cancel", cancel],
  ["POST /api/v3/brokerage/orders/edit", edit],
  ["GET /api/v3/brokerage/orders/historical/batch", history],
  ["GET /api/v3/brokerage/orders/historical/fills", fills],
  ["GET /api/v3/brokerage/orders/historical/", one],
  ["GET /api/v3/brokerage/accounts", wallets],
  ["GET /api/v3/brokerage/key_permissions", permissions],
  ["GET /api/v3/brokerage/transaction_summary", summary],
])
