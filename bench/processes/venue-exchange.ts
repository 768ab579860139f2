/**
 * The loopback exchange of `venue` in a process of its own. Notes when each placement arrives, on the monotonic clock that all processes of
 * one machine share.
 */
import { subscribe } from "node:diagnostics_channel"
import type { IncomingMessage } from "node:http"
import { type BinanceExchange, startBinanceExchange } from "../../test/exchanges/binance/exchange.ts"
import { answer } from "../kit/child.ts"
import { nowMicros } from "../kit/clock.ts"
import type { Credentials } from "./venue-wire.ts"

const BALANCES = { USDT: "1000000000", BTC: "10000" }

let exchange: BinanceExchange | undefined
/** In order of arrival, as `placements` lists them. */
const arrivals: Array<number> = []

subscribe("http.server.request.start", (message) => {
  const { request } = message as { readonly request: IncomingMessage }
  if (request.method === "POST" && request.url?.startsWith("/api/v3/order") === true) arrivals.push(nowMicros())
})

answer(
  {
    start: async (users: ReadonlyArray<Credentials>) => {
      exchange = await startBinanceExchange({
        market: "still",
        users: users.map((user) => ({ ...user, balances: BALANCES })),
      })
      return exchange.routes
    },
    /** Client order id → µs of its arrival. */
    arrivals: (): ReadonlyMap<string, number> => {
      const placements = exchange?.placements() ?? []
      if (placements.length !== arrivals.length || placements.some((it) => it.count !== 1))
        throw new Error(`${arrivals.length} arrivals, ${placements.length} placements: some came twice`)
      return new Map(placements.map(({ clientOrderId }, i) => [clientOrderId, arrivals[i]!]))
    },
  },
  () => exchange?.stop(),
)
