/**
 * The loopback exchange of `venue` in a process of its own. Notes when each placement arrives, on the monotonic clock that all processes of
 * one machine share.
 */
import { type BinanceExchange, startBinanceExchange } from "../../test/exchanges/binance/exchange.ts"
import { answer } from "../kit/child.ts"
import { nowMicros } from "../kit/clock.ts"
import type { Credentials } from "./venue-wire.ts"

const BALANCES = { USDT: "1000000000", BTC: "10000" }

let exchange: BinanceExchange | undefined
/** Client order id → µs of its arrival: its request is read, or its message has come. */
const arrivals = new Map<string, number>()

answer(
  {
    start: async (users: ReadonlyArray<Credentials>) => {
      exchange = await startBinanceExchange({
        market: "still",
        arrived: (clientOrderId) => arrivals.set(clientOrderId, nowMicros()),
        users: users.map((user) => ({ ...user, balances: BALANCES })),
      })
      return exchange.routes
    },
    arrivals: (): ReadonlyMap<string, number> => {
      const twice = exchange?.placements().filter((it) => it.count !== 1) ?? []
      if (twice.length > 0) throw new Error(`${twice.length} placements came twice`)
      return arrivals
    },
  },
  () => exchange?.stop(),
)
