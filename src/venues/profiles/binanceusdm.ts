/** Binance USDⓈ-M perpetuals. ccxt refuses their testnet, so there is no `_UAT`. */
import { plain } from "../plain.ts"
import type { VenueProfile } from "../profile.ts"

const RECV_WINDOW_MILLIS = 5000

export const BINANCEUSDM: ReadonlyArray<VenueProfile> = [
  plain("BINANCEUSDM", "binanceusdm", {
    name: "Binance USDⓈ-M Futures",
    features: ["FUTURES"],
    timesInForce: ["GTC", "IOC", "FOK", "GTX"],
    lists: "perpetual",
    orderExpiryMillis: RECV_WINDOW_MILLIS,
    hosts: ["fapi.binance.com:443", "fstream.binance.com:443"],
    unsubscribes: true,
    options: {
      defaultType: "swap",
      fetchMargins: false,
      fetchOpenOrders: { warnWithoutSymbol: false },
      warnOnFetchOpenOrdersWithoutSymbol: false,
      recvWindow: RECV_WINDOW_MILLIS,
    },
    tickerParams: { name: "ticker" },
    lastQuantityField: "Q",
    fillsWithOrders: true,
    fillsPage: "fromId",
    clientIdParam: "origClientOrderId",
    quirks: "binance",
  }),
]
