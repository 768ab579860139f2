/** An account at KRAKEN, through a gateway; what became of it in a long absence is in `kraken-absence.test.ts`. */
import { connectKraken } from "../../../exchanges/ccxt-client.ts"
import { startKrakenExchange } from "../../../exchanges/kraken/exchange.ts"
import { BTC, KRAKEN_SECRETS } from "../../venues/kraken/kraken-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = KRAKEN_SECRETS

describeAccount({
  venue: "KRAKEN",
  pair: "BTC/USD",
  name: "any",
  symbol: BTC,
  start: startKrakenExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: "POST /0/private/AddOrder",
  cancel: "POST /0/private/CancelOrder",
  list: "POST /0/private/TradesHistory",
  page: 50,
  trades: 100,
  countOpen: (exchange, key) => exchange.orders(key).filter(({ status }) => status === "open").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectKraken(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    // Nonces of one key rise: a program beside the gateway counts in nanoseconds, too.
    elsewhere.nonce = () => Number(`${Date.now()}000000`)
    const { id } = await elsewhere.createOrder("BTC/USD", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
