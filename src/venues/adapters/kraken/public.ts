/**
 * What a public instance of ccxt's Kraken needs to be right: books that the venue's checksum proves (checked-book.ts), trades once and
 * in order (numbered-trades.ts), streams that end one by one, subscriptions that are refused or lost, and the venue's clock to the
 * millisecond. Each function replaces one of ccxt's on the instance, before its first call.
 */

import type { CcxtExchange } from "../../worker/exchange/ccxt.ts"
import { waitsOf } from "../../worker/waits.ts"
import type { VenueProfile } from "../profile.ts"
import { checkBooks } from "./books.ts"
import { watchClock } from "./clock.ts"
import { ASSET_NAMES, type KrakenExchange } from "./exchange.ts"
import { KrakenSubscriptions } from "./subscriptions.ts"
import { orderTrades } from "./trades.ts"

export const prepareKrakenPublic = (instance: CcxtExchange, profile: VenueProfile): void => {
  const exchange = instance as KrakenExchange
  Object.assign(exchange.commonCurrencies, ASSET_NAMES)
  // A connection may have one interval of a pair, and no bar is called closed: ours are made of the trades, of which none is missing.
  exchange.has["watchOHLCV"] = false
  const subscriptions = new KrakenSubscriptions(exchange, waitsOf(profile).acknowledgedMillis)
  checkBooks(exchange, subscriptions, profile)
  orderTrades(exchange, subscriptions)
  watchClock(exchange)
}
