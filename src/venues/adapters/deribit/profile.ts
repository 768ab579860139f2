/** Deribit's linear perpetuals, its inverse ones for their market data alone, and its testnet. */
import { PROVEN_ORDERS } from "../../../domain/instrument/venue-capabilities.ts"
import { plain } from "../plain.ts"
import type { VenueFacts, VenueProfile } from "../profile.ts"

const perpetuals = {
  features: ["FUTURES"],
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  lists: "perpetual",
  bareNumbers: true,
  // One channel for the balances of all currencies; ccxt has four of them by name.
  options: { currencies: ["any"] },
  // None is documented but 32 connections of one address at once.
  connects: { most: 32, withinMillis: 60_000 },
  // private/cancel answers with the order, `order_state: "cancelled"`.
  cancelAnswer: "DONE",
  // private/edit answers with the order as it is then.
  amendAnswer: "DONE",
  // private/get_open_orders: all of them, of all currencies.
  openOrders: { way: "WHOLE" },
  // private/get_user_trades_by_instrument_and_time: `count` at most 1,000, oldest first; two lists are one in the adapter.
  fills: { of: "INSTRUMENT", paging: { way: "AFTER_TIME", size: 1000, last: "EMPTY" } },
  // private/get_order_history_by_instrument: `count` at most 1,000, `offset`, newest first. Of what is recent, and of all: the adapter has them as these two.
  endedOrders: {
    of: "INSTRUMENT",
    lists: ["fetchClosedOrders", "fetchCanceledOrders"],
    starts: "CREATION",
    paging: { way: "OFFSET", param: "offset", size: 1000, last: "SHORT" },
  },
  orderTimes: { created: "timestamp", updated: "lastUpdateTimestamp" },
  // `valid_until`.
  orderExpiryMillis: 5000,
  // An order is one request, and its nonce is no sequence: others may overtake it.
  signsAhead: true,
  /**
   * By account, in ccxt's costs: 5 requests a second to the matching engine, which cost 4 each, and 20 others, 20 and 100 of them at once. Less, because
   * they come closer together than they left, and others use the account.
   */
  privatePace: { burst: 60, perSecond: 18, runsOff: true, auditsShare: 0.5 },
  // `USDC-104819327443`: counted by currency, and said with it.
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  // public/get_last_trades_by_instrument: ten unless told, at most 1,000.
  tradeHistory: { way: "BY_ID", params: { count: 1000 } },
  adapter: "deribit",
} as const satisfies VenueFacts & Partial<VenueProfile>

export const DERIBIT: ReadonlyArray<VenueProfile> = [
  plain("DERIBIT", "deribit", { ...perpetuals, name: "Deribit", hosts: ["www.deribit.com:443"] }),
  plain("DERIBIT_UAT", "deribit", {
    ...perpetuals,
    name: "Deribit Testnet",
    sandbox: true,
    hosts: ["test.deribit.com:443"],
  }),
]
