/**
 * Kraken Futures' orders in its answers, its lists, its history and its feed, as one. The venue counts what is left of an order where others count the
 * whole; ccxt 4.5.84 takes the one for the other, adds up what its feed repeats, and leaves the price out.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { NewestByName } from "../../../foundation/newest.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { record, rows, word } from "../adapter.ts"

/** `0E-11`, `1e-7` and floats in plain digits. */
export const decimalOf = (value: unknown): Decimal => Decimal.fromVenue(String(value ?? "")) ?? Decimal.ZERO

const millisOf = (value: unknown): number | undefined => {
  const millis = typeof value === "string" && value.includes("-") ? Date.parse(value) : Number(value)
  return Number.isFinite(millis) ? millis : undefined
}

/** Undefined: no market that is loaded. Some of the venue's surfaces write its ids in small letters. */
export const symbolOf = (exchange: CcxtExchange, id: unknown): string | undefined => {
  try {
    return exchange.market(String(id).toUpperCase()).symbol
  } catch {
    return undefined
  }
}

/** What one row says of an order, whichever surface it is of. */
interface Said {
  readonly id: unknown
  readonly clientId: unknown
  readonly market: unknown
  readonly side: unknown
  readonly type: string
  readonly left: Decimal
  readonly filled: Decimal
  readonly price: unknown
  readonly created: unknown
  readonly updated: unknown
}

type Status = "open" | "closed" | "canceled" | "rejected"

/** Of the feed, of lists and of the history; a stop waits for its trigger, and is no order before. */
const TYPES: Readonly<Record<string, readonly [type: string, timeInForce: string, postOnly: boolean]>> = {
  post: ["limit", "PO", true],
  ioc: ["limit", "IOC", false],
  fok: ["limit", "FOK", false],
  mkt: ["market", "IOC", false],
  market: ["market", "IOC", false],
  liquidation: ["market", "IOC", false],
}

const LIMIT = ["limit", "GTC", false] as const

const orderOf = (exchange: CcxtExchange, said: Said, status: Status, reason: string | null): CcxtOrder => {
  const [type, timeInForce, postOnly] = TYPES[said.type] ?? LIMIT
  const raw = word({ raw: said.clientId }, "raw")
  const { filled } = said
  // Nothing is left of what is filled, in whichever way the venue counts.
  const amount = status === "closed" ? filled : said.left.add(filled)
  return {
    id: String(said.id),
    clientOrderId: readBack(raw) ?? raw ?? undefined,
    symbol: symbolOf(exchange, said.market),
    type,
    timeInForce,
    postOnly,
    side: String(said.side).toLowerCase(),
    price: type === "market" ? undefined : decimalOf(said.price).toString(),
    amount: amount.toString(),
    filled: filled.toString(),
    status,
    timestamp: millisOf(said.created),
    lastUpdateTimestamp: millisOf(said.updated),
    lastTradeTimestamp: undefined,
    trades: undefined,
    info: { reason: reason?.toLowerCase() ?? null, isImmediate: timeInForce === "IOC" },
  } as CcxtOrder
}

// Answers: events of orders, `{orderId, cliOrdId, quantity, filled, limitPrice, …}`.

const saidInEvent = (row: Raw): Said => ({
  id: row["orderId"],
  clientId: row["cliOrdId"],
  market: row["symbol"],
  side: row["side"],
  type: String(row["type"]).toLowerCase(),
  left: decimalOf(row["quantity"]),
  filled: decimalOf(row["filled"]),
  price: row["limitPrice"],
  created: row["timestamp"],
  updated: row["lastUpdateTimestamp"],
})

/** What was asked for, which the answer to an order does not say once a part of it is filled. */
export interface Asked {
  readonly amount: string
  readonly orderType: string
}

/**
 * An order as its answer leaves it: what stands in the book is placed, all else was executed, and of one that never rests it is over. Without trades: of
 * their fees the answer says nothing, and the feed tells them.
 */
export const placedOrder = (exchange: CcxtExchange, answer: Raw, asked: Asked): CcxtOrder => {
  const events = rows(answer["orderEvents"])
  const rest = events.find(({ type }) => type === "PLACE")
  const executions = events.filter(({ type }) => type === "EXECUTION")
  const executed = executions.reduce((sum, { amount }) => sum.add(decimalOf(amount)), Decimal.ZERO)
  const row = record(rest?.["order"] ?? executions[0]?.["orderPriorExecution"])
  const id = word(answer, "order_id")
  // An answer that names the order alone.
  if (row["orderId"] === undefined || id === null) return { id: id ?? undefined } as CcxtOrder
  const ordered = decimalOf(asked.amount)
  const filled = Decimal.max(executed, rest === undefined ? Decimal.ZERO : decimalOf(row["filled"]))
  const left = ordered.subtract(filled)
  const isImmediate = TYPES[asked.orderType]?.[1] === "IOC"
  const status = !left.isPositive() ? "closed" : isImmediate ? "canceled" : "open"
  const updated = answer["receivedTime"] ?? row["lastUpdateTimestamp"]
  const said = { ...saidInEvent(row), id, type: asked.orderType, left, filled, updated }
  return orderOf(exchange, said, status, null)
}

/** Null: the answer names no order that was cancelled. */
export const cancelledOrder = (exchange: CcxtExchange, answer: Raw): CcxtOrder | null => {
  const event = rows(answer["orderEvents"]).find(({ type }) => type === "CANCEL")
  const row = record(event?.["order"])
  return row["orderId"] === undefined ? null : orderOf(exchange, saidInEvent(row), "canceled", "cancelled_by_user")
}

// Lists.

const STOPS: ReadonlyArray<unknown> = ["stp", "take_profit", "trailing_stop"]

/** Of GET openorders; what waits for its trigger is left out. */
export const openOrder = (exchange: CcxtExchange, row: Raw): ReadonlyArray<CcxtOrder> => {
  if (STOPS.includes(row["orderType"])) return []
  const said: Said = {
    id: row["order_id"],
    clientId: row["cliOrdId"] ?? row["cli_ord_id"],
    market: row["symbol"],
    side: row["side"],
    type: String(row["orderType"]),
    left: decimalOf(row["unfilledSize"]),
    filled: decimalOf(row["filledSize"]),
    price: row["limitPrice"],
    created: row["receivedTime"],
    updated: row["lastUpdateTime"],
  }
  return [orderOf(exchange, said, "open", null)]
}

const STATUSES: Readonly<Record<string, Status>> = {
  ENTERED_BOOK: "open",
  FULLY_EXECUTED: "closed",
  CANCELLED: "canceled",
  REJECTED: "rejected",
}

const isOfPostOnly = (reason: string | null): boolean => reason !== null && /post.*would/i.test(reason)

/** A post-only order that would have taken is no order that was turned away: it has an end of its own. */
const endOf = (status: Status, reason: string | null): Status =>
  status === "rejected" && isOfPostOnly(reason) ? "canceled" : status

/** Of `orders/status`; none where it is not an order, or in a state that this does not know. */
export const statusOrder = (exchange: CcxtExchange, row: Raw): CcxtOrder | undefined => {
  const order = record(row["order"])
  const status = STATUSES[String(row["status"])]
  if (status === undefined || order["type"] === "TRIGGER_ORDER") return undefined
  const reason = word(row, "updateReason", "error")
  return orderOf(exchange, saidInEvent(order), endOf(status, reason), reason)
}

// The history: what happened to orders, each as it was then.

const saidInHistory = (row: Raw): Said => ({
  id: row["uid"],
  clientId: row["clientId"],
  market: row["tradeable"],
  side: row["direction"],
  type: String(row["orderType"]).toLowerCase(),
  left: decimalOf(row["quantity"]),
  filled: decimalOf(row["filled"]),
  price: row["limitPrice"],
  created: row["timestamp"],
  updated: row["lastUpdateTimestamp"],
})

/** The order of one event. Undefined: it is of none. */
export const historicOrder = (exchange: CcxtExchange, { event }: Raw): CcxtOrder | undefined => {
  const { OrderPlaced, OrderUpdated, OrderCancelled, OrderRejected } = record(event)
  const of = (part: unknown, order: unknown, status: Status): CcxtOrder | undefined => {
    const row = record(order)
    const reason = word(record(part), "reason")
    return row["uid"] === undefined ? undefined : orderOf(exchange, saidInHistory(row), endOf(status, reason), reason)
  }
  if (OrderCancelled !== undefined) return of(OrderCancelled, record(OrderCancelled)["order"], "canceled")
  if (OrderRejected !== undefined) return of(OrderRejected, record(OrderRejected)["order"], "rejected")
  const order = record(OrderUpdated === undefined ? record(OrderPlaced)["order"] : record(OrderUpdated)["newOrder"])
  const isOver = order["quantity"] !== undefined && decimalOf(order["quantity"]).isZero()
  return of(OrderUpdated ?? OrderPlaced, order, isOver ? "closed" : "open")
}

// The feed of open orders.

const saidInFeed = (row: Raw): Said => ({
  id: row["order_id"],
  clientId: row["cli_ord_id"],
  market: row["instrument"],
  side: Number(row["direction"]) === 0 ? "buy" : "sell",
  type: String(row["type"]),
  left: decimalOf(row["qty"]),
  filled: decimalOf(row["filled"]),
  price: row["limit_price"],
  created: row["time"],
  updated: row["last_update_time"],
})

/** A trigger becomes another order when it fires. */
const FEED_STOPS: ReadonlyArray<unknown> = ["stop", "take_profit", "trailing_stop"]

const REMEMBERED = 10_000

/** What the feed has said of orders: it ends most of them by their number alone. */
export class FeedOrders {
  readonly #known = new NewestByName<CcxtOrder>(REMEMBERED)

  snapshot(exchange: CcxtExchange, message: Raw): ReadonlyArray<CcxtOrder> {
    return rows(message["orders"]).flatMap((row) => this.#noted(exchange, row, "open", null) ?? [])
  }

  /** "UNKNOWN": one ends that nothing was said of. Undefined: it is no order. */
  change(exchange: CcxtExchange, message: Raw): CcxtOrder | "UNKNOWN" | undefined {
    const { order, is_cancel: isOver, reason, order_id: id } = message
    const why = word({ reason }, "reason")
    const status: Status = isOver !== true ? "open" : why === "full_fill" ? "closed" : "canceled"
    if (order !== undefined) return this.#noted(exchange, record(order), status, why)
    if (isOver !== true) return undefined
    const known = this.#known.get(String(id))
    if (known === undefined) return "UNKNOWN"
    this.#known.delete(String(id))
    // The rest of one that is full was executed behind what was said of it last.
    const filled = status === "closed" ? known.amount : known.filled
    return { ...known, status, filled, info: { ...known.info, reason: why }, lastUpdateTimestamp: undefined }
  }

  #noted(exchange: CcxtExchange, row: Raw, status: Status, reason: string | null): CcxtOrder | undefined {
    if (FEED_STOPS.includes(row["type"])) return undefined
    const order = orderOf(exchange, saidInFeed(row), status, reason)
    const id = String(order.id)
    if (status === "open") this.#known.set(id, order)
    else this.#known.delete(id)
    return order
  }
}

// How an order ended.

export const ended = ({ info }: CcxtOrder) => {
  const reason = word(info, "reason")
  if (reason !== null && /execute_self|self_?fill/.test(reason))
    return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" } as const
  const isRest = info?.["isImmediate"] === true || (reason !== null && /^ioc/.test(reason))
  return { status: "CANCELLED", ending: isRest ? "REMAINDER" : null } as const
}

export const neverWorked = ({ info, filled }: CcxtOrder): boolean =>
  isOfPostOnly(word(info, "reason")) && decimalOf(filled).isZero()
