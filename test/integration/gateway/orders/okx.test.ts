/** An account at OKX, through a gateway. */
import { connectOkx } from "../../../exchanges/okx/client.ts"
import { startOkxExchange } from "../../../exchanges/okx/exchange.ts"
import { BTC, CANCEL, OKX_SECRETS, PLACE } from "../../venues/okx/okx-kit.ts"
import { describeAccount } from "./exchange-account.ts"

describeAccount({
  venue: "OKX",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startOkxExchange,
  user: { ...OKX_SECRETS, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: "GET /api/v5/trade/fills-history",
  page: 100,
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) =>
    exchange.orders(key).filter(({ state }) => state === "live" || state === "partially_filled").length,
  buyElsewhere: async (routes, { apiKey, apiSecret, apiPassphrase }) => {
    const elsewhere = connectOkx(routes, { apiKey, secret: apiSecret, password: apiPassphrase })
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
