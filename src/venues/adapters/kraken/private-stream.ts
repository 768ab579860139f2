/**
 * Kraken's private stream, read into ccxt's caches with everything the venue sent: `executions` merged row by row, our own client id, every fee.
 * A refused subscription, or a gap in the sequence, closes the socket: both are then restarted.
 */
import { Decimal } from "../../../domain/decimal.ts"
import { NewestByName } from "../../../foundation/newest.ts"
import type { CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { LOST_PLACE } from "../../worker/exchange/errors.ts"
import { endSocket } from "../../worker/exchange/sockets.ts"
import { record, word } from "../adapter.ts"
import type { KrakenExchange } from "./exchange.ts"

// Kraken's `executions` channel, put together: the first report of an order says everything, later ones little more than its id, and
// a message may hold several of different kinds. ccxt looks at the first row alone, keeps trades from orders and orders from trades,
// and loses what has no symbol. Rows are the venue's, numbers as text (digits.ts).

/** What one report comes to. */
interface Execution {
  /** The order with all that is known of it; null while that is too little to say which order it is. */
  readonly order: Raw | null
  readonly orderId: string
  readonly isTrade: boolean
  readonly report: Raw
}

const REMEMBERED = 10_000

const decimal = (value: unknown): Decimal =>
  (typeof value === "string" ? Decimal.fromVenue(value) : undefined) ?? Decimal.ZERO

/** A market buy of so much quote: what it buys is known only when it has ended. */
const isByCost = (order: Raw): boolean => decimal(order["cash_order_qty"]).isPositive()

const hasQuantity = (order: Raw): boolean => order["order_qty"] !== undefined || isByCost(order)

class Executions {
  readonly #orders = new NewestByName<Raw>(REMEMBERED)
  /** By connection: each counts anew. */
  readonly #sequences = new WeakMap<CcxtSocket, number>()

  /** The hole before a message of the channel, in words. */
  holeBefore(socket: CcxtSocket, message: Raw): string | undefined {
    const sequence = Number(message["sequence"])
    const previous = this.#sequences.get(socket)
    this.#sequences.set(socket, sequence)
    if (message["type"] === "snapshot" || previous === undefined || sequence === previous + 1) return undefined
    return `executions jumped from ${previous} to ${sequence}`
  }

  /** In the venue's order. */
  read(message: Raw): ReadonlyArray<Execution> {
    const { data } = message
    return Array.isArray(data) ? data.map((row) => this.#one(record(row))) : []
  }

  #one(report: Raw): Execution {
    const orderId = String(report["order_id"])
    const known = this.#orders.get(orderId)
    const isTrade = report["exec_type"] === "trade"
    const order: Record<string, unknown> = { ...known, ...report, created: known?.["created"] ?? report["timestamp"] }
    if (isTrade) {
      // Of the order, not of this trade; a venue that leaves it out lets it be counted.
      order["cum_qty"] = report["cum_qty"] ?? decimal(known?.["cum_qty"]).add(decimal(report["last_qty"])).toString()
      // The report that the order is filled comes by itself; until then the venue calls it partially filled.
      const isWhole =
        !isByCost(order) &&
        order["order_qty"] !== undefined &&
        decimal(order["cum_qty"]).atLeast(decimal(order["order_qty"]))
      if (isWhole) order["order_status"] = "filled"
    }
    this.#orders.set(orderId, order)
    const isKnown = order["symbol"] !== undefined && order["side"] !== undefined && hasQuantity(order)
    return { order: isKnown ? order : null, orderId, isTrade, report }
  }
}

const instant = (value: unknown): number | undefined => {
  const at = Date.parse(typeof value === "string" ? value : "")
  return Number.isNaN(at) ? undefined : at
}

const STATUS: Readonly<Record<string, string>> = {
  pending_new: "open",
  new: "open",
  partially_filled: "open",
  filled: "closed",
  canceled: "canceled",
  expired: "expired",
}

const text = (raw: Raw, name: string): string | undefined => word(raw, name) ?? undefined

/** `order` is all that is known of it. */
const orderOf = (order: Raw): Partial<CcxtOrder> => ({
  id: text(order, "order_id"),
  clientOrderId: text(order, "cl_ord_id"),
  symbol: text(order, "symbol"),
  type: text(order, "order_type"),
  timeInForce: text(order, "time_in_force"),
  postOnly: order["post_only"] === true,
  side: text(order, "side"),
  price: order["limit_price"],
  amount: isByCost(order) ? undefined : order["order_qty"],
  filled: order["cum_qty"] ?? "0",
  status: STATUS[String(order["order_status"])],
  timestamp: instant(order["created"]),
  lastUpdateTimestamp: instant(order["timestamp"]),
  trades: [],
  info: order,
})

const tradeOf = (trade: Raw): Partial<CcxtTrade> => ({
  id: text(trade, "exec_id"),
  order: text(trade, "order_id"),
  symbol: text(trade, "symbol"),
  side: text(trade, "side"),
  price: trade["last_price"],
  amount: trade["last_qty"],
  timestamp: instant(trade["timestamp"]),
  fees: (Array.isArray(trade["fees"]) ? trade["fees"] : []).map((fee) => ({
    cost: record(fee)["qty"],
    currency: text(record(fee), "asset"),
  })),
  info: trade,
})

export const readPrivateStream = (exchange: KrakenExchange): void => {
  const executions = new Executions()
  exchange.parseWsOrder = orderOf
  exchange.parseWsTrade = tradeOf
  const tell = (socket: CcxtSocket, { order, orderId, isTrade, report }: Execution): void => {
    // First the fill, then what it made of the order.
    if (isTrade) exchange.handleMyTrades(socket, { data: [{ ...order, ...report }] })
    if (order !== null) exchange.handleOrders(socket, { data: [order] })
    else {
      exchange
        .fetchOrder(orderId, "", {})
        .then((found) => exchange.orders?.append(found))
        // An audit asks again for whatever is open.
        .catch(() => undefined)
    }
  }
  const handle = exchange.handleMessage.bind(exchange)
  exchange.handleMessage = (socket, message) => {
    const event = record(message)
    if (event["method"] === "subscribe" && event["success"] === false) {
      endSocket(socket, String(event["error"]))
      return undefined
    }
    if (event["channel"] !== "executions") return handle(socket, message)
    const hole = executions.holeBefore(socket, event)
    if (hole === undefined) for (const execution of executions.read(event)) tell(socket, execution)
    else endSocket(socket, `${LOST_PLACE} ${hole}`)
    return undefined
  }
}

/** Why the venue ended an order, in its words. */
const reasonOf = (order: CcxtOrder): string => word(order.info, "reason", "cancel_reason") ?? ""

const isUntouched = (filled: unknown): boolean =>
  typeof filled !== "string" || (Decimal.fromVenue(filled) ?? Decimal.ZERO).isZero()

/** Accepted and cancelled in one breath, instead of refused. */
export const wasPostOnly = (order: CcxtOrder): boolean =>
  order.status === "canceled" && isUntouched(order.filled) && /post.?only/i.test(reasonOf(order))

export const endedBySelfTrade = (order: CcxtOrder): boolean => /self.?trade|\bstp\b/i.test(reasonOf(order))
