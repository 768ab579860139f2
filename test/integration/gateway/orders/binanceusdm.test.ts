/** An account at BINANCEUSDM, through a gateway. */

import { startUsdmExchange } from "../../../exchanges/binance-usdm/exchange.ts"
import { connectUsdm } from "../../../exchanges/ccxt-client.ts"
import { BTC, CANCEL, PLACE, TRADES, USDM_SECRETS } from "../../venues/binanceusdm/usdm-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = USDM_SECRETS

describeAccount({
  venue: "BINANCEUSDM",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startUsdmExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: TRADES,
  page: 1_000,
  countOpen: (exchange, key) =>
    exchange.orders(key).filter(({ status }) => status === "NEW" || status === "PARTIALLY_FILLED").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectUsdm(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USDT:USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
