/** Signed REST under `/derivatives/api/v3`. A route gets an account whose signature has been verified, and answers or throws a refusal. */
import { amend } from "../amend.ts"
import type { Market } from "../binance/market.ts"
import { executedQuantity, isOpen, type Order } from "../binance/model.ts"
import { positionOf } from "../binance-usdm/model.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, iso } from "./core.ts"
import { type FuturesAccount, orderIdOf, orderOf, setWords, wordsOf } from "./model.ts"
import { checkTime, type ReadOrder, readOrder, readPrice, readSize, required } from "./order-request.ts"
import { argumentMissing, invalidArgument, REASONS, StatusRefusal, statusRefusalOf } from "./refusal.ts"
import {
  accountsRow,
  eventRow,
  executionEvent,
  fillRow,
  openOrderRow,
  positionRows,
  statusRow,
} from "./wire-private.ts"

export interface Signed {
  readonly account: FuturesAccount
  readonly query: URLSearchParams
}

export type PrivateRoute = (core: Core, signed: Signed) => object

/** "Which are open or were filled/cancelled in the last 5 seconds". */
const REMEMBERED_MILLIS = 5000
const FILLS_PAGE = 100

export const marketOf = (core: Core, query: URLSearchParams): Market => {
  const market = core.matching.markets.get(required(query, "symbol").toUpperCase())
  if (market === undefined) throw invalidArgument("symbol")
  return market
}

/** The order that a cancel or a change names; the newest of a client id. */
const named = ({ account, query }: Signed, idName: string): Order | undefined => {
  const [id, cliOrdId] = [query.get(idName), query.get("cliOrdId")]
  if (id === null && cliOrdId === null) throw argumentMissing()
  return id === null ? account.byClientOrderId.get(cliOrdId ?? "") : account.orders.get(orderOf(id))
}

const place: PrivateRoute = (core, { account, query }) => {
  const cliOrdId = query.get("cliOrdId")
  const receivedTime = iso(core.now())
  const market = marketOf(core, query)
  try {
    checkTime(query, core.now())
    const read = readOrder(market, query)
    checkAccount(account, read)
    checkBook(core, market, account, read)
    const order = work(core, account, read)
    if (cliOrdId !== null) {
      account.usedIds.add(cliOrdId)
      core.placements.created(cliOrdId, order.orderId)
    }
    const orderEvents = [...executionsOf(order), ...(isOpen(order) ? [placed(order)] : [])]
    const ids = { order_id: orderIdOf(order.orderId), ...(cliOrdId !== null && { cliOrdId }) }
    return { sendStatus: { ...ids, status: "placed", receivedTime, orderEvents } }
  } catch (cause) {
    const refusal = statusRefusalOf(cause)
    if (refusal === undefined) throw cause
    if (cliOrdId !== null) core.placements.refused(cliOrdId, refusal.said)
    const reason = REASONS[refusal.said]
    const orderEvents = reason === undefined ? [] : [{ type: "REJECT", uid: orderIdOf(0), reason }]
    return { sendStatus: { status: refusal.said, receivedTime, orderEvents } }
  }
}

const placed = (order: Order) => ({ type: "PLACE", order: eventRow(order), reducedQuantity: null })

const executionsOf = (order: Order): ReadonlyArray<object> => {
  let left = order.quantity
  return order.fills.map((fill) => {
    const before = { left, filled: order.quantity - left }
    left -= fill.quantity
    return executionEvent(order, fill, before)
  })
}

const checkAccount = (account: FuturesAccount, { request, words: { cliOrdId } }: ReadOrder): void => {
  if (cliOrdId !== null && account.usedIds.has(cliOrdId)) throw new StatusRefusal("clientOrderIdAlreadyExist")
  if (request.isReduceOnly !== true) return
  const { amount } = positionOf(account, request.symbol)
  const most = request.side === "BUY" ? -amount : amount
  if (request.quantity > most) throw new StatusRefusal("wouldNotReducePosition")
}

/** What the venue turns away before it is an order. */
const checkBook = (core: Core, market: Market, account: FuturesAccount, { request, words }: ReadOrder): void => {
  const opposite = request.side === "BUY" ? market.asks : market.bids
  const reached = [...opposite.reachable(request.price)]
  // "Would be filled against an existing order belonging to the same account": the strategy of an account that has set none.
  if (reached.some(({ entry }) => entry.order?.account === account)) throw new StatusRefusal("selfFill")
  if (words.type === "post" && reached.length > 0) {
    bury(core, market, account, { request, words })
    throw new StatusRefusal("postWouldExecute")
  }
  if (request.timeInForce === "IOC" && reached.length === 0) throw new StatusRefusal("iocWouldNotExecute")
}

/** A post-only order that would take has an id, and is told of as rejected. */
const bury = (core: Core, market: Market, account: FuturesAccount, { request, words }: ReadOrder): void => {
  const [orderId, placedAt] = [core.nextStillbornId(), core.now()]
  const order = stillbornOrder(market, account, request, { orderId, placedAt })
  if (order === undefined) throw new StatusRefusal("clientOrderIdAlreadyExist")
  order.status = "EXPIRED"
  setWords(order, { ...words, reason: "POST_WOULD_EXECUTE_REASON" })
  core.stillborn(account, order)
}

const work = (core: Core, account: FuturesAccount, { request, words }: ReadOrder): Order => {
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    core.placed(account, order)
    return order
  } finally {
    core.placing = undefined
  }
}

const cancel: PrivateRoute = (core, signed) => {
  const order = named(signed, "order_id")
  const receivedTime = iso(core.now())
  if (order === undefined || !isOpen(order))
    return { cancelStatus: { status: order?.status === "FILLED" ? "filled" : "notFound", receivedTime } }
  wordsOf(order).reason = "CANCELLED_BY_USER"
  core.matching.cancel(order, order.symbol)
  const order_id = orderIdOf(order.orderId)
  const orderEvents = core.faults.areCancelsBare ? [] : [{ type: "CANCEL", uid: order_id, order: eventRow(order) }]
  return { cancelStatus: { status: "cancelled", order_id, receivedTime, orderEvents } }
}

const cancelAll: PrivateRoute = (core, { account, query }) => {
  const symbol = query.get("symbol")
  const open = [...account.orders.values()].filter((it) => isOpen(it) && (symbol === null || it.symbol === symbol))
  for (const order of open) {
    wordsOf(order).reason = "CANCELLED_BY_USER"
    core.matching.cancel(order, order.symbol)
  }
  const cancelledOrders = open.map(({ orderId }) => ({ order_id: orderIdOf(orderId) }))
  return { cancelStatus: { status: "cancelled", receivedTime: iso(core.now()), cancelOnly: "all", cancelledOrders } }
}

/** `qtyMode`: "ABSOLUTE means that the total order size, including past fills, is set to size. RELATIVE means that the current open order size is". */
const edit: PrivateRoute = (core, signed) => {
  const { query } = signed
  const receivedTime = iso(core.now())
  try {
    checkTime(query, core.now())
    const order = named(signed, "orderId")
    if (order === undefined || !isOpen(order)) throw new StatusRefusal("orderForEditNotFound")
    const market = core.matching.market(order.symbol)
    const price = query.has("limitPrice") ? readPrice(market, query) : order.price
    const executed = executedQuantity(order)
    const size = query.has("size") ? readSize(market, query) : undefined
    const quantity = size === undefined ? order.quantity : query.get("qtyMode") === "ABSOLUTE" ? size : size + executed
    if (quantity <= executed) throw new StatusRefusal("invalidSize")
    const opposite = order.side === "BUY" ? market.asks : market.bids
    const takes = opposite.best !== undefined && opposite.isReached(opposite.best.price, price)
    if (wordsOf(order).type === "post" && takes) throw new StatusRefusal("postWouldExecute")
    const old = eventRow(order)
    const amended = amend(core.matching, market, order, { price, quantity }, (from, to) => setWords(to, wordsOf(from)))
    if (amended === undefined) throw new StatusRefusal("orderForEditNotFound")
    const orderEvents = [{ type: "EDIT", old, new: eventRow(amended), reducedQuantity: null }]
    return { editStatus: { status: "edited", orderId: old.orderId, receivedTime, orderEvents } }
  } catch (cause) {
    const refusal = statusRefusalOf(cause)
    if (refusal === undefined) throw cause
    return { editStatus: { status: refusal.said, orderId: null, receivedTime, orderEvents: [] } }
  }
}

const isRemembered = (core: Core, order: Order): boolean =>
  isOpen(order) || order.updatedAt > Math.max(core.now() - REMEMBERED_MILLIS, core.faults.forgottenUntil)

const status: PrivateRoute = (core, { account, query }) => {
  const [ids, cliOrdIds] = [query.getAll("orderIds"), query.getAll("cliOrdIds")]
  const found = [
    ...ids.map((id) => account.orders.get(orderOf(id))),
    ...cliOrdIds.map((id) => account.byClientOrderId.get(id)),
  ]
  return {
    orders: found.flatMap((order) => (order !== undefined && isRemembered(core, order) ? [statusRow(order)] : [])),
  }
}

const openOrders: PrivateRoute = (_, { account }) => ({
  openOrders: [...account.orders.values()].filter(isOpen).map(openOrderRow),
})

/** "The 100 entries before lastFillTime", newest first. */
const fills: PrivateRoute = (_, { account, query }) => {
  const until = query.get("lastFillTime")
  const before = until === null ? Number.POSITIVE_INFINITY : Date.parse(until)
  if (Number.isNaN(before)) throw invalidArgument("lastFillTime")
  const found = account.fills.filter(({ filledAt }) => filledAt < before)
  return {
    fills: found
      .slice(-FILLS_PAGE)
      .reverse()
      .map((fill) => fillRow(account, fill)),
  }
}

export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map<string, PrivateRoute>([
  ["POST sendorder", place],
  ["POST cancelorder", cancel],
  ["POST cancelallorders", cancelAll],
  ["POST editorder", edit],
  ["GET orders/status", status],
  ["POST orders/status", status],
  ["GET openorders", openOrders],
  ["GET fills", fills],
  ["GET openpositions", (core, { account }) => ({ openPositions: positionRows(core, account) })],
  ["GET accounts", (core, { account }) => ({ accounts: accountsRow(core, account) })],
  ["GET leveragepreferences", () => ({ leveragePreferences: [] })],
])
