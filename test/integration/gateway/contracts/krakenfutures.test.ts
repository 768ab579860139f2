/** An account at KRAKENFUTURES, through a gateway. */

import { connectKrakenFutures } from "../../../exchanges/ccxt-client.ts"
import { startKrakenFuturesExchange } from "../../../exchanges/kraken-futures/exchange.ts"
import { BTC, CANCEL, FILLS, FUTURES_SECRETS, PLACE } from "../../venues/krakenfutures/futures-kit.ts"
import { describeAccount } from "../orders/exchange-account.ts"

const { apiKey, apiSecret } = FUTURES_SECRETS

describeAccount({
  venue: "KRAKENFUTURES",
  pair: "BTC/USD",
  symbol: BTC,
  start: startKrakenFuturesExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: FILLS,
  page: 100,
  countOpen: (exchange, key) =>
    exchange.orders(key).filter(({ status }) => status === "NEW" || status === "PARTIALLY_FILLED").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectKrakenFutures(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USD:USD", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
