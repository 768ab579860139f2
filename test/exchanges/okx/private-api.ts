/**
 * Signed REST of OKX. A route gets an account whose signature has been verified; it answers rows, or throws a refusal of the request
 * or of its one operation. Lists come newest first, `after` asks for what is older than an id.
 */
import { amend } from "../amend.ts"
import { toFixed8 } from "../binance/fixed.ts"
import { isOpen, type Order } from "../binance/model.ts"
import { stillbornOrder } from "../stillborn.ts"
import { type Core, marketOf } from "./core.ts"
import { billIdOf, type OkxAccount, orderIdOf, ordIdOf, setWords, wordsOf } from "./model.ts"
import { checkSize, type Fields, fieldOf, type Placement, readPlacement } from "./order-request.ts"
import {
  cannotAmend,
  cannotCancel,
  duplicateClientOrderId,
  expired,
  missingOrderId,
  noSuchInstrument,
  OperationRefusal,
  operationRefusal,
  orderDoesNotExist,
  postOnlyAmend,
  unknownInstrument,
} from "./refusal.ts"
import { balanceData, configData, fillRow, orderRow } from "./wire-private.ts"

export interface Signed {
  readonly account: OkxAccount
  readonly query: URLSearchParams
  /** The body: one object, or the objects of a batch. */
  readonly fields: ReadonlyArray<Fields>
  /** The header `expTime`, ms. */
  readonly expiresAt: number | undefined
}

type Rows = ReadonlyArray<object>
export type PrivateRoute = (core: Core, signed: Signed) => Rows

/** A row of an operation, whether it was refused or not. */
interface OperationRow {
  readonly clOrdId: string
  readonly ordId: string
  readonly tag?: string
  readonly ts: string
  readonly sCode: string
  readonly sMsg: string
}

/** Runs the operation for each row of the body; the envelope says whether all, some or none worked (rest.ts). */
const operations =
  (run: (core: Core, signed: Signed, fields: Fields) => Order): PrivateRoute =>
  (core, signed) =>
    signed.fields.map((fields): OperationRow => {
      const said = { clOrdId: fieldOf(fields, "clOrdId") ?? "", ts: String(core.now()) }
      try {
        const order = run(core, signed, fields)
        return { ...said, ordId: ordIdOf(order.orderId), tag: fieldOf(fields, "tag") ?? "", sCode: "0", sMsg: "" }
      } catch (cause) {
        const market = marketOf(core, fieldOf(fields, "instId"))
        const asset = fields["side"] === "sell" ? market?.rules.base : market?.rules.quote
        const refusal = operationRefusal(cause, asset ?? "")
        if (refusal === undefined) throw cause
        return { ...said, ordId: fieldOf(fields, "ordId") ?? "", sCode: refusal.code, sMsg: refusal.message }
      }
    })

const place = operations((core, { account, expiresAt }, fields) => {
  const clOrdId = fieldOf(fields, "clOrdId")
  try {
    if (expiresAt !== undefined && core.now() > expiresAt) throw expired()
    const market = marketOf(core, fieldOf(fields, "instId"))
    if (market === undefined) throw noSuchInstrument()
    const placement = readPlacement(market, fields)
    const order = wouldTake(core, placement) ? stillborn(core, account, placement) : work(core, account, placement)
    if (clOrdId !== undefined) core.placements.created(clOrdId, order.orderId)
    return order
  } catch (cause) {
    const refusal = operationRefusal(cause, "")
    if (clOrdId !== undefined && refusal !== undefined) core.placements.refused(clOrdId, Number(refusal.code))
    throw cause
  }
})

const work = (core: Core, account: OkxAccount, { request, ordType, tgtCcy, tag }: Placement): Order => {
  core.placing = { ordType, tgtCcy, tag, cancelSource: "", lastFill: undefined }
  try {
    return core.matching.place(account, request)
  } finally {
    core.placing = undefined
  }
}

interface Asked {
  readonly request: Pick<Placement["request"], "symbol" | "side" | "price">
  readonly ordType: string
}

const wouldTake = (core: Core, { request, ordType }: Asked): boolean => {
  if (ordType !== "post_only") return false
  const market = core.matching.market(request.symbol)
  const opposite = request.side === "BUY" ? market.asks : market.bids
  return opposite.best !== undefined && opposite.isReached(opposite.best.price, request.price)
}

/** A post-only order that would take is accepted, and cancelled by the venue at once. */
const stillborn = (core: Core, account: OkxAccount, { request, ordType, tgtCcy, tag }: Placement): Order => {
  const order = stillbornOrder(core.matching.market(request.symbol), account, request, {
    orderId: core.nextStillbornId(),
    placedAt: core.now(),
  })
  if (order === undefined) throw duplicateClientOrderId()
  setWords(order, { ordType, tgtCcy, tag, cancelSource: "", lastFill: undefined })
  core.announce(order)
  order.status = "CANCELED"
  setWords(order, { ordType, tgtCcy, tag, cancelSource: "31", lastFill: undefined })
  core.announce(order)
  return order
}

const findOrder = (account: OkxAccount, instId: string | undefined, name: (field: string) => string | undefined) => {
  const ordId = name("ordId")
  const clOrdId = name("clOrdId")
  if (ordId === undefined && clOrdId === undefined) throw missingOrderId()
  const order = ordId === undefined ? account.byClientOrderId.get(clOrdId ?? "") : account.orders.get(orderIdOf(ordId))
  return order?.symbol === instId ? order : undefined
}

const cancel = operations((core, { account }, fields) => {
  const order = findOrder(account, fieldOf(fields, "instId"), (name) => fieldOf(fields, name))
  if (order === undefined || !isOpen(order)) throw cannotCancel()
  if (core.faults.cancelsHeld) core.heldCancels.add(order)
  else core.matching.cancel(order, order.symbol)
  return order
})

const change = operations((core, { account, expiresAt }, fields) => {
  if (expiresAt !== undefined && core.now() > expiresAt) throw expired()
  const order = findOrder(account, fieldOf(fields, "instId"), (name) => fieldOf(fields, name))
  const market = marketOf(core, fieldOf(fields, "instId"))
  if (order === undefined || market === undefined) throw cannotAmend()
  const [newPx, newSz] = [fieldOf(fields, "newPx"), fieldOf(fields, "newSz")]
  if (newPx === undefined && newSz === undefined)
    throw new OperationRefusal("51500", "You must enter a price, quantity, or TP/SL")
  const quantity = newSz === undefined ? undefined : toFixed8(newSz)
  if (quantity !== undefined) checkSize(market, quantity)
  const price = newPx === undefined ? order.price : toFixed8(newPx)
  if (wouldTake(core, { request: { symbol: order.symbol, side: order.side, price }, ordType: wordsOf(order).ordType }))
    throw postOnlyAmend()
  const to = { price: newPx === undefined ? undefined : toFixed8(newPx), quantity }
  const amended = amend(core.matching, market, order, to, (from, next) => setWords(next, wordsOf(from)))
  if (amended === undefined) throw cannotAmend()
  return amended
})

const show: PrivateRoute = (core, { account, query }) => {
  const instId = query.get("instId") ?? undefined
  if (marketOf(core, instId) === undefined) throw unknownInstrument()
  const order = findOrder(account, instId, (name) => query.get(name) ?? undefined)
  if (order === undefined || core.forgotten.has(order)) throw orderDoesNotExist()
  return [orderRow(order)]
}

const LIST_MOST = 100

const ordersOf = (account: OkxAccount, query: URLSearchParams, wanted: (order: Order) => boolean): Rows => {
  const [instType, instId, after] = [query.get("instType"), query.get("instId"), query.get("after")]
  if (instType !== null && instType !== "SPOT") return []
  const below = after === null ? Number.POSITIVE_INFINITY : orderIdOf(after)
  return [...account.orders.values()]
    .filter((order) => wanted(order) && (instId === null || order.symbol === instId) && order.orderId < below)
    .sort((a, b) => b.orderId - a.orderId)
    .slice(0, Math.min(Number(query.get("limit") ?? LIST_MOST), LIST_MOST))
    .map(orderRow)
}

const pending: PrivateRoute = (_, { account, query }) => ordersOf(account, query, isOpen)

const history: PrivateRoute = (_, { account, query }) => {
  const state = query.get("state")
  return ordersOf(
    account,
    query,
    (order) => !isOpen(order) && (state === null || (state === "filled") === (order.status === "FILLED")),
  )
}

const fills: PrivateRoute = (_, { account, query }) => {
  const [instId, ordId, after] = [query.get("instId"), query.get("ordId"), query.get("after")]
  const begin = Number(query.get("begin") ?? 0)
  const end = Number(query.get("end") ?? Number.POSITIVE_INFINITY)
  return account.fills
    .map((fill, index) => ({ fill, index }))
    .filter(
      ({ fill, index }) =>
        (instId === null || fill.symbol === instId) &&
        (ordId === null || fill.orderId === orderIdOf(ordId)) &&
        (after === null || BigInt(billIdOf(index)) < BigInt(after)) &&
        fill.filledAt >= begin &&
        fill.filledAt <= end,
    )
    .reverse()
    .slice(0, Math.min(Number(query.get("limit") ?? LIST_MOST), LIST_MOST))
    .map(({ fill, index }) => fillRow(account, fill, index))
}

const balance: PrivateRoute = (core, { account, query }) => [
  balanceData(account, query.get("ccy")?.split(","), core.now()),
]

export const privateRoutes: ReadonlyMap<string, PrivateRoute> = new Map([
  ["GET /api/v5/account/balance", balance],
  ["GET /api/v5/account/config", (_, { account }) => [configData(account)]],
  ["GET /api/v5/asset/currencies", () => []],
  ["POST /api/v5/trade/order", place],
  ["POST /api/v5/trade/batch-orders", place],
  ["POST /api/v5/trade/cancel-order", cancel],
  ["POST /api/v5/trade/cancel-batch-orders", cancel],
  ["POST /api/v5/trade/amend-order", change],
  ["GET /api/v5/trade/order", show],
  ["GET /api/v5/trade/orders-pending", pending],
  ["GET /api/v5/trade/orders-history", history],
  ["GET /api/v5/trade/orders-history-archive", history],
  ["GET /api/v5/trade/fills", fills],
  ["GET /api/v5/trade/fills-history", fills],
])
