/**
 * Signed REST of Bybit, spot. A route gets an account whose signature has been verified; it answers `result`, or throws a refusal. Lists come
 * newest first; a page that has rows has a cursor, also when it was the last.
 */
import { amend } from "../amend.ts"
import { type Fill, isOpen, type Order } from "../binance/model.ts"
import { pageAfter } from "../cursor-page.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf } from "./core.ts"
import { type BybitAccount, execIdOf, linkIdOf, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import { type Fields, fieldOf, type Placement, readPlacement, readPrice, readQuantity } from "./order-request.ts"
import {
  alreadyCancelled,
  alreadyFilled,
  type BybitRefusal,
  duplicateLinkId,
  invalidSymbol,
  orderNotFound,
  parameterError,
  refusalOf,
} from "./refusal.ts"
import { executionRow, orderRow, walletRow } from "./wire-private.ts"

export interface Signed {
  readonly account: BybitAccount
  readonly query: URLSearchParams
  readonly fields: Fields
}

export type PrivateRoute = (core: Core, signed: Signed) => object

const DAY_MILLIS = 86_400_000
const WINDOW_MILLIS = 7 * DAY_MILLIS

const namesOf = (order: Order) => ({ orderId: orderIdOf(order.orderId), orderLinkId: linkIdOf(order) })

const place: PrivateRoute = (core, { account, fields }) => {
  const linkId = fieldOf(fields, "orderLinkId")
  try {
    const market = marketOf(core, fields["symbol"])
    if (market === undefined) throw invalidSymbol()
    const placement = readPlacement(market, fields)
    if (linkId !== undefined && account.linkIds.has(linkId)) throw duplicateLinkId()
    const order = wouldTake(core, placement) ? stillborn(core, account, placement) : work(core, account, placement)
    if (linkId !== undefined) {
      account.linkIds.add(linkId)
      core.placements.created(linkId, order.orderId)
    }
    return namesOf(order)
  } catch (cause) {
    const refusal: BybitRefusal | undefined = refusalOf(cause)
    if (linkId !== undefined && refusal !== undefined) core.placements.refused(linkId, refusal.retCode)
    throw refusal ?? cause
  }
}

const work = (core: Core, account: BybitAccount, { request, words }: Placement): Order => {
  core.placing = words
  try {
    return core.matching.place(account, request)
  } finally {
    core.placing = undefined
  }
}

const wouldTake = (core: Core, { request, words }: Placement): boolean => {
  if (words.timeInForce !== "PostOnly") return false
  const market = core.matching.market(request.symbol)
  const opposite = request.side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, request.price)
}

/** A post-only order that would take is accepted, and cancelled by the venue at once. */
const stillborn = (core: Core, account: BybitAccount, { request, words }: Placement): Order => {
  const at = { orderId: core.nextStillbornId(), placedAt: core.now() }
  const order = stillbornOrder(core.matching.market(request.symbol), account, request, at)
  if (order === undefined) throw duplicateLinkId()
  setWords(order, { ...words, rejectReason: "EC_PostOnlyWillTakeLiquidity" })
  order.status = "CANCELED"
  core.announce(order)
  return order
}

/** The venue's id comes first where both are given. */
const named = (
  account: BybitAccount,
  name: (field: string) => string | undefined,
): { readonly isNamed: boolean; readonly order: Order | undefined } => {
  const [orderId, linkId] = [name("orderId"), name("orderLinkId")]
  const order = orderId === undefined ? account.byClientOrderId.get(linkId ?? "") : account.orders.get(orderOf(orderId))
  return { isNamed: orderId !== undefined || linkId !== undefined, order }
}

/** Throws where there is no such order, or none that works. */
const workingOrder = (core: Core, { account, fields }: Signed): Order => {
  if (fields["category"] !== "spot") throw parameterError("category")
  const { isNamed, order } = named(account, (field) => fieldOf(fields, field))
  if (!isNamed) throw parameterError("orderId or orderLinkId")
  if (order === undefined || order.symbol !== fields["symbol"]) throw orderNotFound()
  if (isOpen(order) || core.heldCancels.has(order)) return order
  if (core.released.has(order)) throw orderNotFound()
  throw order.status === "FILLED" ? alreadyFilled() : alreadyCancelled()
}

const cancel: PrivateRoute = (core, signed) => {
  const order = workingOrder(core, signed)
  if (core.faults.cancelsHeld) core.heldCancels.add(order)
  else cancelNow(core, order)
  return namesOf(order)
}

export const cancelNow = (core: Core, order: Order): void => {
  wordsOf(order).cancelType = "CancelByUser"
  core.matching.cancel(order, order.symbol)
}

const change: PrivateRoute = (core, signed) => {
  const { fields } = signed
  const order = workingOrder(core, signed)
  const market = core.matching.market(order.symbol)
  const quantity = fieldOf(fields, "qty") === undefined ? undefined : readQuantity(market, fields)
  const price = fieldOf(fields, "price") === undefined ? undefined : readPrice(market, fields)
  if (quantity === undefined && price === undefined) throw parameterError("nothing to change")
  const amended = amend(core.matching, market, order, { price, quantity }, (from, to) => setWords(to, wordsOf(from)))
  if (amended === undefined) throw orderNotFound()
  return namesOf(amended)
}

/** A cursor says how many rows were left behind its page. */
const pageOf = <R>(
  query: URLSearchParams,
  rows: ReadonlyArray<R>,
  { usual, most }: { readonly usual: number; readonly most: number },
): { readonly page: ReadonlyArray<R>; readonly nextPageCursor: string } => {
  const limit = Number(query.get("limit") ?? usual)
  if (!(limit >= 1 && limit <= most)) throw parameterError("limit")
  const cursor = query.get("cursor")
  const left = cursor === null ? null : Number(/^(\d+):page$/.exec(cursor)?.[1] ?? Number.NaN)
  if (Number.isNaN(left)) throw parameterError("cursor")
  const { page, left: behind } = pageAfter(rows, left, limit)
  // Escaped, as the venue's are.
  return { page, nextPageCursor: page.length === 0 ? "" : `${behind}%3Apage` }
}

const spotOnly = (query: URLSearchParams): void => {
  if (query.get("category") !== "spot") throw parameterError("category")
}

const newestFirst = (account: BybitAccount): ReadonlyArray<Order> =>
  [...account.orders.values()].sort((a, b) => b.placedAt - a.placedAt || b.orderId - a.orderId)

/** From `startTime` and for seven days, or the last seven. */
const windowOf = (query: URLSearchParams, now: number): readonly [from: number, to: number] => {
  const [start, end] = [query.get("startTime"), query.get("endTime")].map((text) =>
    text === null ? null : Number(text),
  )
  if (start !== null && start !== undefined && end !== null && end !== undefined && end - start > WINDOW_MILLIS)
    throw parameterError("the time range cannot exceed 7 days")
  const from = start ?? (end ?? now) - WINDOW_MILLIS
  return [from, end ?? from + WINDOW_MILLIS]
}

const ORDERS = { usual: 20, most: 50 }
const EXECUTIONS = { usual: 50, most: 100 }

const realtime: PrivateRoute = (core, { account, query }) => {
  spotOnly(query)
  const { isNamed, order } = named(account, (field) => query.get(field) ?? undefined)
  const symbol = query.get("symbol")
  const wanted = isNamed
    ? order === undefined || core.released.has(order) || core.forgotten.has(order)
      ? []
      : [order]
    : newestFirst(account).filter((it) => isOpen(it) && (symbol === null || it.symbol === symbol))
  const { page, nextPageCursor } = pageOf(query, wanted, ORDERS)
  return { category: "spot", list: page.map(orderRow), nextPageCursor }
}

const history: PrivateRoute = (core, { account, query }) => {
  spotOnly(query)
  const { isNamed, order } = named(account, (field) => query.get(field) ?? undefined)
  const [symbol, status] = [query.get("symbol"), query.get("orderStatus")]
  const [from, to] = windowOf(query, core.now())
  const wanted = (isNamed ? [order].flatMap((it) => it ?? []) : newestFirst(account)).filter(
    (it) =>
      !isOpen(it) &&
      !core.forgotten.has(it) &&
      (isNamed || (it.placedAt >= from && it.placedAt <= to)) &&
      (symbol === null || it.symbol === symbol) &&
      (status === null || orderRow(it).orderStatus === status),
  )
  const { page, nextPageCursor } = pageOf(query, wanted, ORDERS)
  return { category: "spot", list: page.map(orderRow), nextPageCursor }
}

const executions: PrivateRoute = (core, { account, query }) => {
  spotOnly(query)
  const { isNamed, order } = named(account, (field) => query.get(field) ?? undefined)
  const symbol = query.get("symbol")
  const [from, to] = windowOf(query, core.now())
  const wanted = account.fills
    .filter((fill) =>
      isNamed
        ? fill.orderId === order?.orderId
        : fill.filledAt >= from && fill.filledAt <= to && (symbol === null || fill.symbol === symbol),
    )
    .reverse()
  const { page, nextPageCursor } = pageOf(query, wanted, EXECUTIONS)
  return { category: "spot", list: page.map((fill) => rowOf(account, fill)), nextPageCursor }
}

const rowOf = (account: BybitAccount, fill: Fill) => {
  const order = account.orders.get(fill.orderId)
  if (order === undefined) throw new Error(`no order of the fill ${execIdOf(fill.tradeId, fill.isBuyer)}`)
  return executionRow(order, fill)
}

const wallet: PrivateRoute = (_, { account, query }) => {
  if (query.get("accountType") !== "UNIFIED") throw parameterError("accountType")
  return { list: [walletRow(account, query.get("coin")?.split(","))] }
}

const keyInfo: PrivateRoute = (_, { account }) => ({
  id: String(account.accountNumber),
  note: "loopback",
  apiKey: account.apiKey,
  readOnly: 0,
  secret: "",
  permissions: { Spot: ["SpotTrade"], Wallet: ["AccountTransfer"] },
  type: 1,
  unified: 0,
  uta: 1,
  userID: account.accountNumber,
  isMaster: true,
})

export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["POST /v5/order/create", place],
  ["POST /v5/order/cancel", cancel],
  ["POST /v5/order/amend", change],
  ["GET /v5/order/realtime", realtime],
  ["GET /v5/order/history", history],
  ["GET /v5/execution/list", executions],
  ["GET /v5/account/wallet-balance", wallet],
  ["GET /v5/user/query-api", keyInfo],
])
