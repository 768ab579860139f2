/** An account at COINBASE, through a gateway. */

import { connectCoinbase } from "../../../exchanges/ccxt-client.ts"
import { startCoinbaseExchange } from "../../../exchanges/coinbase/exchange.ts"
import { BTC, CANCEL, COINBASE_SECRETS, PLACE } from "../../venues/coinbase/coinbase-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = COINBASE_SECRETS

describeAccount({
  venue: "COINBASE",
  pair: "BTC/USD",
  symbol: BTC,
  start: startCoinbaseExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: "GET /api/v3/brokerage/orders/historical/fills",
  page: 250,
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) =>
    exchange.orders(key).filter(({ status }) => status !== "FILLED" && status !== "CANCELLED").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectCoinbase(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USD", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
