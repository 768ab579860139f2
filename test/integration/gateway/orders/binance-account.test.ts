/** An account at BINANCE, as at any exchange; what is BINANCE's own is in `binance.test.ts`. */
import { startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { connectBinance } from "../../../exchanges/ccxt-client.ts"
import { describeAccount } from "./exchange-account.ts"

describeAccount({
  venue: "BINANCE",
  pair: "BTC/USDT",
  symbol: "BTCUSDT",
  start: startBinanceExchange,
  user: { apiKey: "keyOfAnyExchange".padEnd(64, "k"), apiSecret: "itsSecret".padEnd(64, "s"), balances: {} },
  place: "POST /api/v3/order",
  cancel: "DELETE /api/v3/order",
  list: "GET /api/v3/myTrades",
  page: 1_000,
  countOpen: (exchange, key) =>
    exchange.orders(key).filter(({ status }) => status === "NEW" || status === "PARTIALLY_FILLED").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = connectBinance(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
