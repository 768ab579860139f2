/** An account at BITFINEX, through a gateway. */
import { venueClientId } from "../../../../src/domain/ids.ts"
import { spelled } from "../../../../src/venues/worker/session/client-ids.ts"
import { startBitfinexExchange } from "../../../exchanges/bitfinex/exchange.ts"
import { connectBitfinex } from "../../../exchanges/ccxt-client.ts"
import { BITFINEX_SECRETS, BTC, CANCEL, FILLS, PLACE } from "../../venues/bitfinex/bitfinex-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = BITFINEX_SECRETS

describeAccount({
  venue: "BITFINEX",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startBitfinexExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: FILLS,
  page: 1000,
  isOurs: (cid, id) => cid === spelled(venueClientId(id), "number"),
  holdCancels: (exchange, on) => exchange.fault({ fault: "holdCancels", on }),
  countOpen: (exchange, key) => exchange.orders(key).filter(({ isOpen }) => isOpen).length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectBitfinex(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    // Nonces of one key rise: a program beside the gateway counts microseconds, too, by a clock that is a second ahead.
    elsewhere.nonce = () => (Date.now() + 1000) * 1000
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
