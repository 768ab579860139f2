/**
 * An order of ours as ccxt is asked to create it. What a venue needs for a trigger, an expiry or a cost stands in its adapter; where
 * nothing stands there, such an order is refused here, before a byte leaves.
 */
import { venueClientId } from "../../../domain/ids.ts"
import type { VenueOrder } from "../../../ports/venue-session.ts"
import type { ExchangeAdapter } from "../../adapters/adapter.ts"
import { adapterOf } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder } from "../exchange/ccxt.ts"
import type { Listing } from "../exchange/listing.ts"
import { NotSupported } from "./order-terms.ts"

/** No spot venue lends for an order without being told so in its own words. */
const refuseLeverage = ({ leverage = 1 }: VenueOrder): void => {
  if (leverage !== 1) throw new NotSupported("orders with leverage are not sent to this venue")
}

/** Perpetuals too get plain orders only: what a family of venues has in common ends there. */
const termsOf = (order: VenueOrder, { terms }: ExchangeAdapter, { lists }: VenueProfile) => {
  refuseLeverage(order)
  if (terms !== undefined && lists === "spot") return terms(order)
  if (order.trigger !== undefined || order.cost !== undefined)
    throw new NotSupported("the gateway sends this venue plain orders only")
  return {}
}

/** The orders of the answer: of a list there are two. Throws `NotSupported` for what was never proved at this venue. */
export const createAt = async (
  exchange: CcxtExchange,
  listing: Listing,
  profile: VenueProfile,
  order: VenueOrder,
): Promise<ReadonlyArray<CcxtOrder>> => {
  if (order.pairedWith === undefined) return [await createOne(exchange, listing, profile, order)]
  const { placePair } = adapterOf(profile)
  if (placePair === undefined || profile.lists !== "spot")
    throw new NotSupported("the gateway sends this venue no order lists")
  for (const leg of [order, order.pairedWith]) refuseLeverage(leg)
  return placePair(exchange, listing.symbolOf(order.instrumentId), [order, order.pairedWith])
}

const createOne = async (
  exchange: CcxtExchange,
  listing: Listing,
  profile: VenueProfile,
  order: VenueOrder,
): Promise<CcxtOrder> => {
  const isMarket = order.orderType === "MARKET"
  const isPostOnly = order.orderType === "LIMIT_MAKER" || order.timeInForce === "GTX"
  const isImmediate = order.timeInForce === "IOC" || order.timeInForce === "FOK"
  // Without an id of ours ccxt would send its broker's.
  const params: Record<string, unknown> = { clientOrderId: venueClientId(order.tradeOrderId) }
  if (isPostOnly) params["postOnly"] = true
  else if (!isMarket && isImmediate) params["timeInForce"] = order.timeInForce
  // A price on a market buy would silently become a quote quantity (venues 4.10).
  const price = isMarket ? undefined : (order.limitPrice ?? undefined)
  return exchange.createOrder(
    listing.symbolOf(order.instrumentId),
    isMarket ? "market" : "limit",
    order.orderSide === "BUY" ? "buy" : "sell",
    order.quantity,
    price,
    { ...params, ...termsOf(order, adapterOf(profile), profile) },
  )
}
