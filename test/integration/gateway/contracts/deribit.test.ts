/** An account at DERIBIT, through a gateway. */

import { connectDeribit } from "../../../exchanges/ccxt-client.ts"
import { startDeribitExchange } from "../../../exchanges/deribit/exchange.ts"
import { BTC, BUY, CANCEL, DERIBIT_SECRETS, TRADES } from "../../venues/deribit/deribit-kit.ts"
import { describeAccount } from "../orders/exchange-account.ts"

const { apiKey, apiSecret } = DERIBIT_SECRETS

describeAccount({
  venue: "DERIBIT",
  pair: "BTC/USDC",
  symbol: BTC,
  start: startDeribitExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: BUY,
  cancel: CANCEL,
  list: TRADES,
  page: 1000,
  countOpen: (exchange, key) => exchange.orders(key).filter(({ order_state }) => order_state === "open").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectDeribit(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USDC:USDC", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
