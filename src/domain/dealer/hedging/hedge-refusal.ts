/**
 * What it means for the next hedge that one was refused. The one thing to know: a venue that finds an order too small says so in words of
 * its own, so the words are looked for; what is not known to pass by itself is taken to be for good, and is tried seldom.
 */
import type { DomainError } from "../../errors/domain-error.ts"
import type { TradeOrder } from "../../order/trade-order.ts"

/**
 * PASSING: not an answer to the order, another moment is another answer. CLOSED: nobody's order is taken there now, which passes, but not from
 * one attempt to the next. TOO_SMALL: this quantity, and any below it.
 */
export type HedgeRefusal = "PASSING" | "CLOSED" | "TOO_SMALL" | "FOR_GOOD"

/** The account or the gateway was not ready: nothing was said about the order. */
const PASSING: ReadonlySet<DomainError["_tag"]> = new Set<DomainError["_tag"]>([
  "AccountReconciling",
  "AccountNotActive",
  "AccountDisconnected",
  "Busy",
  "OrderRateLimited",
  "TooManyOpenOrders",
  "TradingHalted",
  "VenueInactive",
  "VenueUnavailable",
  "OrderBookUnavailable",
])

export const refusalOfSubmit = ({ _tag }: DomainError): HedgeRefusal =>
  _tag === "QuantityBelowMinimum" || _tag === "NotionalBelowMinimum"
    ? "TOO_SMALL"
    : PASSING.has(_tag)
      ? "PASSING"
      : "FOR_GOOD"

/** Reasons of our own: the order never reached the venue. */
const OURS = /^(GATEWAY_|NOT_SENT|NOT_PLACED)/
/** The connector's word for a venue that takes no orders for the instrument (venues/connector/wire.ts). */
const CLOSED = /^MARKET_CLOSED\b/
/**
 * BINANCE "Filter failure: NOTIONAL", KRAKEN "volume minimum not met", OKX and KUCOIN "below the minimum", BYBIT "exceeded lower limit",
 * BITFINEX "minimum size for", COINBASE "too small", our own venues QUANTITY_BELOW_MINIMUM and NOTIONAL_BELOW_MINIMUM.
 */
const SMALL = /\bNOTIONAL\b|MIN_NOTIONAL|_BELOW_MINIMUM|\bminimum\b|too[ _]small|lower limit/i

/** Of an order that ended with nothing executed; null: it was not refused. */
export const refusalOfOrder = ({ orderStatus, rejectReason }: TradeOrder): HedgeRefusal | null => {
  if (orderStatus !== "REJECTED") return null
  const reason = rejectReason ?? ""
  if (OURS.test(reason)) return "PASSING"
  if (CLOSED.test(reason)) return "CLOSED"
  return SMALL.test(reason) ? "TOO_SMALL" : "FOR_GOOD"
}
