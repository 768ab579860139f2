/** An account at BYBIT, through a gateway. */
import { startBybitExchange } from "../../../exchanges/bybit/exchange.ts"
import { connectBybit } from "../../../exchanges/ccxt-client.ts"
import { BTC, BYBIT_SECRETS, CANCEL, PLACE } from "../../venues/bybit/bybit-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = BYBIT_SECRETS

describeAccount({
  venue: "BYBIT",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startBybitExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: "GET /v5/execution/list",
  page: 100,
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) =>
    exchange.orders(key).filter(({ orderStatus }) => orderStatus === "New" || orderStatus === "PartiallyFilled").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectBybit(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
