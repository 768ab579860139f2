/** An account at KUCOIN, through a gateway. */

import { connectKucoin } from "../../../exchanges/ccxt-client.ts"
import { startKucoinExchange } from "../../../exchanges/kucoin/exchange.ts"
import { BTC, CANCEL, KUCOIN_SECRETS, PLACE } from "../../venues/kucoin/kucoin-kit.ts"
import { describeAccount } from "./exchange-account.ts"

describeAccount({
  venue: "KUCOIN",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startKucoinExchange,
  user: { ...KUCOIN_SECRETS, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: "GET /api/v1/hf/fills",
  page: 100,
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) => exchange.orders(key).filter(({ active }) => active).length,
  buyElsewhere: async (routes, { apiKey, apiSecret, apiPassphrase }) => {
    const elsewhere = await connectKucoin(routes, { apiKey, secret: apiSecret, password: apiPassphrase })
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
