/** The floor of `venue`: a script that calls unmodified ccxt.pro directly, as its users do. */
import { type Binance, connectBinance } from "../../test/exchanges/ccxt-client.ts"
import type { Routes } from "../../test/exchanges/route-ccxt.ts"
import { answer } from "../kit/child.ts"
import { nowMicros, openLoop } from "../kit/clock.ts"
import type { Credentials, OrderTimes, Pace } from "./venue-wire.ts"

let client: Binance | undefined

answer(
  {
    start: async ({ routes, user }: { readonly routes: Routes; readonly user: Credentials }): Promise<void> => {
      client = connectBinance(routes, {
        apiKey: user.apiKey,
        secret: user.apiSecret,
        enableRateLimit: true,
        // As in the gateway: ccxt's default one would space the orders.
        rateLimiterAlgorithm: "rollingWindow",
        timeout: 10_000,
      })
      await client.loadMarkets()
    },
    /** Withdraws all that rests. */
    clear: () => client?.cancelAllOrders("BTC/USDT"),
    run: async ({ perSecond, millis, name }: Pace): Promise<ReadonlyArray<OrderTimes>> => {
      const orders: Array<Promise<OrderTimes>> = []
      await openLoop(perSecond, millis, (n, plannedAt) => {
        const clientOrderId = `${name}-${n}`
        const params = { clientOrderId }
        const placed = client?.createOrder("BTC/USDT", "limit", "buy", 0.0001, 50_000 + (n % 100), params)
        orders.push(Promise.resolve(placed).then(() => ({ clientOrderId, plannedAt, answeredAt: nowMicros() })))
      })
      return Promise.all(orders)
    },
  },
  async () => {
    await client?.close()
  },
)
