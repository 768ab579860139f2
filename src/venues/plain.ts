/**
 * The profile of a venue that needs nothing special: one line of the registry brings any exchange of ccxt.pro. What differs is said
 * in `special`; nothing is promised that nobody has proved (post-only, IOC, FOK).
 */
import type { VenueId } from "../domain/ids.ts"
import type { VenueProfile } from "./profile.ts"

export const plain = (venue: string, exchange: string, special: Partial<VenueProfile> = {}): VenueProfile => ({
  venue: venue as VenueId,
  name: venue,
  exchange,
  sandbox: false,
  features: ["SPOT"],
  needsPassphrase: false,
  timesInForce: ["GTC"],
  lists: "spot",
  orderExpiryMillis: null,
  feeInQuote: false,
  hosts: [],
  options: {},
  needsCurrencies: false,
  bareNumbers: false,
  unsubscribes: false,
  refusesRepeats: false,
  snapshotsAsked: false,
  tickerParams: {},
  lastQuantityField: null,
  fillsWithOrders: false,
  fillsPage: "since",
  clientIdParam: "clientOrderId",
  quirks: "none",
  ...special,
})
