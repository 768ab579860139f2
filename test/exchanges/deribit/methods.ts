/** The methods of an account whose request has been verified: a method answers its `result`, or throws a refusal. */
import { amend } from "../amend.ts"
import type { Market } from "../binance/market.ts"
import { executedQuantity, isOpen, type Order, type Side } from "../binance/model.ts"
import { positionOf } from "../binance-usdm/model.ts"
import { type Core, isTrue, type Method, type Params, textOf } from "./core.ts"
import { accountLists } from "./lists.ts"
import { type DeribitAccount, orderOf, setWords, wordsOf } from "./model.ts"
import { checkTime, isTrigger, type ReadOrder, readAmount, readOrder, readPrice } from "./order-request.ts"
import {
  invalidAmount,
  invalidParams,
  noSuchInstrument,
  notOpenOrder,
  orderNotFound,
  orderOverlap,
  postOnlyReject,
  reduceDirection,
  refusalOf,
} from "./refusal.ts"
import { currenciesOf, inverseRow, orderRow, positionRow, summaryRow, tradeRow, triggerRow } from "./wire.ts"

/** Whether an order has a place in the lists of what is recent: "30 minutes". */
const RECENT_ORDERS_MILLIS = 30 * 60_000

export const isRecent = (core: Core, order: Order): boolean =>
  isOpen(order) || order.updatedAt > Math.max(core.now() - RECENT_ORDERS_MILLIS, core.faults.forgottenUntil)

export const marketOf = (core: Core, params: Params): Market => {
  const market = core.matching.markets.get(textOf(params, "instrument_name") ?? "")
  if (market === undefined) throw noSuchInstrument()
  return market
}

// Orders.

const place =
  (side: Side): Method =>
  (core, account, params) => {
    const label = textOf(params, "label") ?? ""
    try {
      const market = marketOf(core, params)
      checkTime(params, core.now())
      if (isTrigger(params)) return { order: placeTrigger(core, account, side, params), trades: [] }
      const read = readOrder(market, side, params)
      checkBook(market, account, read)
      const order = work(core, account, read)
      if (label !== "") core.placements.created(label, order.orderId)
      return { order: orderRow(order), trades: order.fills.map((fill) => tradeRow(core, account, fill)) }
    } catch (cause) {
      const refusal = refusalOf(cause)
      if (refusal === undefined) throw cause
      if (label !== "") core.placements.refused(label, refusal.code)
      throw refusal
    }
  }

const placeTrigger = (core: Core, account: DeribitAccount, side: Side, params: Params): object => {
  const id = `USDC-SLMB-${19_641 + account.triggers.size}`
  const row = triggerRow(id, side.toLowerCase(), params, core.now())
  account.triggers.set(id, row)
  core.told(account, row)
  return row
}

/** What the venue turns away before it is an order. */
const checkBook = (market: Market, account: DeribitAccount, { request, words }: ReadOrder): void => {
  if (request.isReduceOnly === true) {
    const { amount } = positionOf(account, request.symbol)
    if (request.quantity > (request.side === "BUY" ? -amount : amount)) throw reduceDirection()
  }
  const reached = [...(request.side === "BUY" ? market.asks : market.bids).reachable(request.price)]
  // `self_trading_reject_mode: "reject_taker"`.
  if (reached.some(({ entry }) => entry.order?.account === account)) throw orderOverlap()
  if (words.isPostOnly && reached.length > 0) throw postOnlyReject()
}

const work = (core: Core, account: DeribitAccount, { request, words }: ReadOrder): Order => {
  core.placing = words
  try {
    const order = core.matching.place(account, request)
    core.placed(order)
    return order
  } finally {
    core.placing = undefined
  }
}

const ordersOf = (account: DeribitAccount): ReadonlyArray<Order> => [...account.orders.values()]

const named = (core: Core, account: DeribitAccount, params: Params): Order => {
  const order = account.orders.get(orderOf(textOf(params, "order_id") ?? ""))
  if (order === undefined || !isRecent(core, order)) throw orderNotFound()
  return order
}

const end = (core: Core, order: Order): void => {
  wordsOf(order).cancelReason = "user_request"
  core.matching.cancel(order, order.symbol)
}

const cancel: Method = (core, account, params) => {
  const id = textOf(params, "order_id") ?? ""
  const trigger = account.triggers.get(id)
  if (trigger !== undefined) {
    account.triggers.delete(id)
    return { ...trigger, order_state: "cancelled", cancel_reason: "user_request" }
  }
  const order = named(core, account, params)
  if (!isOpen(order)) throw notOpenOrder()
  end(core, order)
  return orderRow(order)
}

/** Answers how many: a label may name several. */
const cancelByLabel: Method = (core, account, params) => {
  const label = textOf(params, "label")
  const found = ordersOf(account).filter((order) => isOpen(order) && wordsOf(order).label === label)
  for (const order of found) end(core, order)
  return found.length
}

const cancelAll: Method = (core, account) => {
  const found = ordersOf(account).filter(isOpen)
  for (const order of found) end(core, order)
  return found.length
}

/** `amount` is that of the whole order, of which a part may be filled. */
const edit: Method = (core, account, params) => {
  checkTime(params, core.now())
  const order = named(core, account, params)
  if (!isOpen(order)) throw notOpenOrder()
  const market = core.matching.market(order.symbol)
  const price = params["price"] === undefined ? order.price : readPrice(market, params)
  const quantity = readAmount(market, params)
  if (quantity <= executedQuantity(order)) throw invalidAmount()
  const opposite = order.side === "BUY" ? market.asks : market.bids
  const takes = opposite.best !== undefined && opposite.isReached(opposite.best.price, price)
  if (takes && isTrue(params, "post_only") && isTrue(params, "reject_post_only")) {
    wordsOf(order).cancelReason = "edit_post_only_reject"
    core.matching.cancel(order, order.symbol)
    throw postOnlyReject()
  }
  const before = order.fills.length
  const amended = amend(core.matching, market, order, { price, quantity }, (from, to) =>
    setWords(to, { ...wordsOf(from), isReplaced: true }),
  )
  if (amended === undefined) throw notOpenOrder()
  const trades = amended.fills.slice(before).map((fill) => tradeRow(core, account, fill))
  return { order: orderRow(amended), trades }
}

// What there is of them.

const state: Method = (core, account, params) => orderRow(named(core, account, params))

const stateByLabel: Method = (core, account, params) => {
  if (textOf(params, "currency") === undefined) throw invalidParams("currency", "value required")
  const label = textOf(params, "label")
  return ordersOf(account)
    .filter((order) => isRecent(core, order) && wordsOf(order).label === label)
    .reverse()
    .map(orderRow)
}

const openOrders: Method = (_, account, params) => {
  const symbol = textOf(params, "instrument_name")
  const label = textOf(params, "label")
  const found = ordersOf(account).filter(
    (order) =>
      isOpen(order) &&
      (symbol === undefined || order.symbol === symbol) &&
      (label === undefined || wordsOf(order).label === label),
  )
  return [...found.map(orderRow), ...account.triggers.values()]
}

const summaries: Method = (core, account, params) => ({
  ...(isTrue(params, "extended") && {
    id: account.userId,
    email: "user@example.com",
    username: "user",
    system_name: "user",
    type: "main",
    self_trading_reject_mode: "reject_taker",
  }),
  summaries: currenciesOf(account).map((currency) => summaryRow(core, account, currency)),
})

const positions: Method = (core, account) => [
  ...[...account.positions.keys()].flatMap((symbol) => positionRow(core, account, symbol) ?? []),
  inverseRow,
]

export const privateMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["private/buy", place("BUY")],
  ["private/sell", place("SELL")],
  ["private/edit", edit],
  ["private/cancel", cancel],
  ["private/cancel_by_label", cancelByLabel],
  ["private/cancel_all", cancelAll],
  ["private/get_order_state", state],
  ["private/get_order_state_by_label", stateByLabel],
  ["private/get_open_orders", openOrders],
  ["private/get_open_orders_by_currency", openOrders],
  ["private/get_open_orders_by_instrument", openOrders],
  ["private/get_open_orders_by_label", openOrders],
  ["private/get_account_summaries", summaries],
  [
    "private/get_account_summary",
    (core, account, params) => summaryRow(core, account, textOf(params, "currency") ?? ""),
  ],
  ["private/get_positions", positions],
  ...accountLists,
])
