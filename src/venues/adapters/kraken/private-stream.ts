/**
 * Kraken's private stream, read into ccxt's caches with all that the venue said: `executions` row by row (executions.ts), our
 * own client id, every fee. A subscription that is refused, or a hole in the numbers, ends the socket: both begin again.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtOrder, CcxtSocket, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { LOST_PLACE } from "../../worker/exchange/errors.ts"
import { word } from "../adapter.ts"
import { type KrakenExchange, record } from "./exchange.ts"
import { type Execution, Executions, isByCost } from "./executions.ts"

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

const end = (socket: CcxtSocket, reason: string): void => {
  socket.onError(new Error(reason))
  socket.close()
}

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
      end(socket, String(event["error"]))
      return undefined
    }
    if (event["channel"] !== "executions") return handle(socket, message)
    const hole = executions.holeBefore(socket, event)
    if (hole === undefined) for (const execution of executions.read(event)) tell(socket, execution)
    else end(socket, `${LOST_PLACE} ${hole}`)
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
