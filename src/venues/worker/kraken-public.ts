/**
 * What a public instance of ccxt's Kraken needs to be right: books that the venue's checksum proves (checked-book.ts), trades once and
 * in order (numbered-trades.ts), streams that end one by one, subscriptions that are refused or lost, and the venue's clock to the
 * millisecond. Each function replaces one of ccxt's on the instance, before its first call.
 */
import type { VenueProfile } from "../profile.ts"
import type { CcxtExchange } from "./ccxt.ts"
import { checkBooks } from "./kraken-books.ts"
import { watchClock } from "./kraken-clock.ts"
import { ASSET_NAMES, type KrakenExchange } from "./kraken-exchange.ts"
import { KrakenSubscriptions } from "./kraken-subscriptions.ts"
import { orderTrades } from "./kraken-trades.ts"
import { waitsOf } from "./waits.ts"

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
