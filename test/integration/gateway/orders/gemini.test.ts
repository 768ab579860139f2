/** An account at GEMINI, through a gateway; its key is paced as the venue recommends. */

import { connectGemini } from "../../../exchanges/ccxt-client.ts"
import { startGeminiExchange } from "../../../exchanges/gemini/exchange.ts"
import { BTC, CANCEL, FILLS, GEMINI_SECRETS, PLACE } from "../../venues/gemini/gemini-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = GEMINI_SECRETS

describeAccount({
  venue: "GEMINI",
  pair: "BTC/USD",
  symbol: BTC,
  name: "my account",
  start: startGeminiExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: FILLS,
  page: 500,
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) => exchange.orders(key).filter((order) => order.is_live).length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectGemini(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USD", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
