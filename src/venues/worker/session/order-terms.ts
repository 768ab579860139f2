/** How adapters express an order's trigger and cost in ccxt's terms, and their refusal of what was never proven at their venue. */
import type { VenueOrder } from "../../../ports/venue-session.ts"

/** Of ccxt's name, by which it is classified: a definite no. */
export class NotSupported extends Error {
  override readonly name = "NotSupported"
}

/**
 * ccxt's own words for a stop or a take-profit. The side says the direction: a stop buys what rises and sells what falls, a take-profit
 * the other way round. Venues look at their last trade.
 */
export const triggerTerms = ({ trigger }: VenueOrder): Readonly<Record<string, unknown>> => {
  if (trigger === undefined) return {}
  if (trigger.source !== "LAST_TRADE") throw new NotSupported(`the venue's triggers do not support ${trigger.source}`)
  switch (trigger.kind) {
    case "STOP":
      return { stopLossPrice: trigger.stopPrice }
    case "TAKE_PROFIT":
      return { takeProfitPrice: trigger.stopPrice }
    case "TRAILING_STOP":
      throw new NotSupported("a trailing stop follows the gateway's own high-water mark")
  }
}

/** Of a market buy of so much quote asset. */
export const costTerms = ({ cost }: VenueOrder): Readonly<Record<string, unknown>> =>
  cost === undefined ? {} : { cost }
