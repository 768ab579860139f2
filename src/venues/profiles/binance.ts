/** Binance Spot and its testnet. */
import type { VenueId } from "../../domain/ids.ts"
import type { VenueProfile } from "../profile.ts"

/** The venue's own clock difference is loaded at start, and `recvWindow` is the expiry Binance enforces (contract C3). */
const BINANCE_RECV_WINDOW_MILLIS = 5000

const binanceSpot = {
  exchange: "binance",
  features: ["SPOT"],
  needsPassphrase: false,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  orderExpiryMillis: BINANCE_RECV_WINDOW_MILLIS,
  lists: "spot",
  feeInQuote: false,
  needsCurrencies: false,
  bareNumbers: false,
  unsubscribes: true,
  refusesRepeats: false,
  snapshotsAsked: false,
  options: {
    defaultType: "spot",
    fetchMarkets: { types: ["spot"] },
    fetchMargins: false,
    fetchCurrencies: false,
    fetchOpenOrders: { warnWithoutSymbol: false },
    warnOnFetchOpenOrdersWithoutSymbol: false,
    recvWindow: BINANCE_RECV_WINDOW_MILLIS,
  },
  tickerParams: { name: "ticker" },
  lastQuantityField: "Q",
  // ccxt would ask for aggregates, which have ids of their own.
  tradeHistory: { fetchTradesMethod: "publicGetTrades", limit: 1000 },
  fillsWithOrders: true,
  fillsPage: "fromId",
  clientIdParam: "origClientOrderId",
  quirks: "binance",
} as const satisfies Omit<VenueProfile, "venue" | "name" | "sandbox" | "hosts">

export const BINANCE: ReadonlyArray<VenueProfile> = [
  {
    ...binanceSpot,
    venue: "BINANCE" as VenueId,
    name: "Binance",
    sandbox: false,
    hosts: ["api.binance.com:443", "stream.binance.com:9443", "ws-api.binance.com:443"],
  },
  {
    ...binanceSpot,
    venue: "BINANCE_UAT" as VenueId,
    name: "Binance Spot Testnet",
    sandbox: true,
    hosts: ["testnet.binance.vision:443", "stream.testnet.binance.vision:443", "ws-api.testnet.binance.vision:443"],
  },
]
