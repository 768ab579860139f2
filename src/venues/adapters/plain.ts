/**
 * The profile of a venue that needs nothing special: the facts of its answers bring any exchange of ccxt.pro. What differs is said in
 * `special`; nothing is promised that is not proven (post-only, IOC, FOK).
 */
import type { VenueId } from "../../domain/ids.ts"
import type { VenueFacts, VenueProfile } from "./profile.ts"

export const plain = (venue: string, exchange: string, special: VenueFacts & Partial<VenueProfile>): VenueProfile => ({
  venue: venue as VenueId,
  name: venue,
  exchange,
  sandbox: false,
  features: ["SPOT"],
  needsPassphrase: false,
  timesInForce: ["GTC"],
  lists: "spot",
  feeInQuote: false,
  hosts: [],
  options: {},
  needsCurrencies: false,
  bareNumbers: false,
  refusesRepeats: false,
  snapshotsAsked: false,
  tickerParams: {},
  lastQuantityField: null,
  fillsWithOrders: false,
  clientIdParam: "clientOrderId",
  adapter: "none",
  ...special,
})
