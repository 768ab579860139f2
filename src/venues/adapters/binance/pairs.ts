/**
 * A pair of exits as Binance's own order list (POST /api/v3/orderList/oco, which ccxt has no unified method for): one request, two orders
 * under client ids of ours, of which the venue ends one when the other is executed, triggered or cancelled.
 */
import { venueClientId } from "../../../domain/ids.ts"
import type { VenueOrder } from "../../../ports/venue-session.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "../../worker/exchange/ccxt.ts"
import { NotSupported } from "../../worker/session/order-terms.ts"

/** The order belongs to a list: `g` of an event, `orderListId` of an answer; -1 for none. */
export const isInBinanceList = ({ info }: CcxtOrder): boolean => {
  const list = info?.["g"] ?? info?.["orderListId"] ?? -1
  return String(list) !== "-1"
}

/** In the venue's words for a leg; without a trigger it rests as maker. */
const wordsOf = ({ trigger, limitPrice, tradeOrderId }: VenueOrder): Readonly<Record<string, string>> => {
  const ClientOrderId = venueClientId(tradeOrderId)
  const price = limitPrice === null ? {} : { Price: limitPrice }
  if (trigger === undefined) {
    if (limitPrice === null) throw new NotSupported("a leg of a list has a price or a trigger")
    return { Type: "LIMIT_MAKER", ClientOrderId, ...price }
  }
  if (trigger.source !== "LAST_TRADE") throw new NotSupported(`a native trigger does not look at ${trigger.source}`)
  if (trigger.kind === "TRAILING_STOP")
    throw new NotSupported("a trailing stop follows the gateway's own high-water mark")
  const type = trigger.kind === "STOP" ? "STOP_LOSS" : "TAKE_PROFIT"
  const StopPrice = trigger.stopPrice
  return limitPrice === null
    ? { Type: type, ClientOrderId, StopPrice }
    : { Type: `${type}_LIMIT`, ClientOrderId, StopPrice, TimeInForce: "GTC", ...price }
}

/** It waits for the price to rise. */
const isAbove = ({ trigger, orderSide }: VenueOrder): boolean =>
  trigger === undefined ? orderSide === "SELL" : trigger.on === "RISE"

export const placeBinancePair = async (
  exchange: CcxtExchange,
  symbol: string,
  legs: readonly [VenueOrder, VenueOrder],
): Promise<ReadonlyArray<CcxtOrder>> => {
  const [one, other] = legs
  const place = exchange.privatePostOrderListOco
  if (place === undefined) throw new NotSupported("ccxt does not know the venue's lists")
  if (isAbove(one) === isAbove(other) || one.quantity !== other.quantity)
    throw new NotSupported("the legs of a list are of one size, with the market between them")
  const market = exchange.market(symbol)
  const request: Record<string, string> = {
    symbol: market.id,
    side: one.orderSide,
    quantity: one.quantity,
    newOrderRespType: "RESULT",
  }
  for (const leg of legs)
    for (const [name, value] of Object.entries(wordsOf(leg)))
      request[`${isAbove(leg) ? "above" : "below"}${name}`] = value
  const answer = await place.call(exchange, request)
  const reports = answer["orderReports"]
  return Array.isArray(reports) ? reports.map((report: Raw) => exchange.parseOrder(report, market)) : []
}
