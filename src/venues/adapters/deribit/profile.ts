/** Deribit perpetuals and its testnet. */
import { plain, UNFOLLOWED_POSITIONS } from "../plain.ts"
import type { VenueFacts, VenueProfile } from "../profile.ts"

const perpetuals = {
  features: ["FUTURES"],
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  lists: "perpetual",
  bareNumbers: true,
  // None is documented but 32 connections of one address at once.
  connects: { most: 32, withinMillis: 60_000 },
  // private/cancel answers with the order, `order_state: "cancelled"`.
  cancelAnswer: "DONE",
  // private/edit answers with the order as it is then.
  amendAnswer: "DONE",
  // private/get_open_orders_by_currency: all of them.
  openOrders: { way: "WHOLE" },
  // private/get_user_trades_by_instrument_and_time: ten unless told, `sorting: "asc"` is oldest first.
  fills: {
    of: "INSTRUMENT",
    paging: { way: "AFTER_TIME", size: 100, params: { sorting: "asc" }, last: "EMPTY" },
  },
  // private/get_order_history_by_instrument: `count` at most 1,000, `offset`, newest first.
  endedOrders: {
    of: "INSTRUMENT",
    lists: ["fetchClosedOrders"],
    starts: "CREATION",
    paging: {
      way: "OFFSET",
      param: "offset",
      size: 100,
      params: { include_unfilled: true, include_old: true },
      last: "SHORT",
    },
  },
  // `last_update_timestamp`; ccxt gives it for filled orders only.
  orderTimes: { created: "timestamp", updated: "info.last_update_timestamp" },
  // ccxt sends no `valid_until`.
  orderExpiryMillis: null,
  // Private/get_order_state takes the id alone.
  orderIds: "VENUE",
  orders: UNFOLLOWED_POSITIONS,
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
