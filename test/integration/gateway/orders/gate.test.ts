/** An account at GATE, through a gateway. */

import { readBack } from "../../../../src/venues/worker/session/client-ids.ts"
import { connectGate } from "../../../exchanges/ccxt-client.ts"
import { startGateExchange } from "../../../exchanges/gate/exchange.ts"
import { BTC, CANCEL, FILLS, GATE_SECRETS, PLACE } from "../../venues/gate/gate-kit.ts"
import { describeAccount } from "./exchange-account.ts"

const { apiKey, apiSecret } = GATE_SECRETS

describeAccount({
  venue: "GATE",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startGateExchange,
  user: { apiKey, apiSecret, balances: {} },
  place: PLACE,
  cancel: CANCEL,
  list: FILLS,
  page: 1000,
  read: (text) => readBack(text) ?? text,
  countOpen: (exchange, key) => exchange.orders(key).filter(({ status }) => status === "open").length,
  buyElsewhere: async (routes, user) => {
    const elsewhere = await connectGate(routes, { apiKey: user.apiKey, secret: user.apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    return id
  },
})
