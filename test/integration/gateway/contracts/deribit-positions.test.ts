/** What an account at DERIBIT has open, through a gateway. */
import { randomBytes } from "node:crypto"
import { connectDeribit } from "../../../exchanges/ccxt-client.ts"
import { startDeribitExchange } from "../../../exchanges/deribit/exchange.ts"
import { BTC } from "../../venues/deribit/deribit-kit.ts"
import { describePositions } from "./exchange-positions.ts"

describePositions({
  venue: "DERIBIT",
  pair: "BTC/USDC",
  symbol: BTC,
  start: startDeribitExchange,
  keysOf: () => ({ apiKey: randomBytes(6).toString("base64url"), apiSecret: randomBytes(32).toString("base64url") }),
  positionOf: (exchange, apiKey) => String(exchange.position(apiKey, BTC)?.size_currency ?? 0),
  soldBy: (exchange, apiKey) =>
    exchange.fills(apiKey).flatMap(({ direction, trade_id }) => (direction === "sell" ? [trade_id] : [])),
  connect: connectDeribit,
})
