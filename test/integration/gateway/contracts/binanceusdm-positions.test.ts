/** What an account at BINANCEUSDM has open, through a gateway. */
import { randomBytes } from "node:crypto"
import { startUsdmExchange } from "../../../exchanges/binance-usdm/exchange.ts"
import { connectUsdm } from "../../../exchanges/ccxt-client.ts"
import { BTC } from "../../venues/binanceusdm/usdm-kit.ts"
import { describePositions } from "./exchange-positions.ts"

describePositions({
  venue: "BINANCEUSDM",
  pair: "BTC/USDT",
  symbol: BTC,
  start: startUsdmExchange,
  keysOf: () => ({ apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }),
  positionOf: (exchange, apiKey) => exchange.position(apiKey, BTC)?.positionAmt ?? "0",
  soldBy: (exchange, apiKey) => exchange.fills(apiKey).flatMap(({ side, id }) => (side === "SELL" ? [String(id)] : [])),
  notTaken: {
    name: "an account in hedge mode",
    set: (exchange, apiKey) => exchange.setDualSide(apiKey, true),
    word: "one-way",
  },
  connect: connectUsdm,
})
