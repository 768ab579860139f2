/** An account at BITSTAMP, through a gateway; its lists of open orders are 10 s old, as the venue's. */

import { startBitstampExchange } from "../../../exchanges/bitstamp/exchange.ts"
import { connectBitstamp } from "../../../exchanges/ccxt-client.ts"
import { BITSTAMP_SECRETS, BTC, CANCEL, FILLS, PLACE } from "../../venues/bitstamp/bitstamp-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = BITSTAMP_SECRETS

describeAccount({
  venue: "BITSTAMP",
  pair: "BTC/USD",
  symbol: BTC,
  start: startBitstampExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: FILLS,
  page: 1000,
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) => exchange.orders(key).filter(({ status }) => status === "Open").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectBitstamp(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USD", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
