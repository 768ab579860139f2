/** What an account at KRAKENFUTURES has open, through a gateway. */
import { randomBytes } from "node:crypto"
import { connectKrakenFutures } from "../../../exchanges/ccxt-client.ts"
import { startKrakenFuturesExchange } from "../../../exchanges/kraken-futures/exchange.ts"
import { BTC } from "../../venues/krakenfutures/futures-kit.ts"
import { describePositions } from "./exchange-positions.ts"

describePositions({
  venue: "KRAKENFUTURES",
  pair: "BTC/USD",
  symbol: BTC,
  start: startKrakenFuturesExchange,
  keysOf: () => ({ apiKey: randomBytes(28).toString("base64"), apiSecret: randomBytes(48).toString("base64") }),
  positionOf: (exchange, apiKey) => {
    const position = exchange.position(apiKey, BTC)
    return position === undefined ? "0" : `${position.side === "short" ? "-" : ""}${position.size}`
  },
  soldBy: (exchange, apiKey) =>
    exchange.fills(apiKey).flatMap(({ side, fill_id }) => (side === "sell" ? [fill_id] : [])),
  connect: connectKrakenFutures,
})
