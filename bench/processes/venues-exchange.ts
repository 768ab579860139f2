/** The loopback Binance of `venues`, with as many symbols as a large venue has. */
import { type BinanceExchange, startBinanceExchange } from "../../test/exchanges/binance/exchange.ts"
import { answer } from "../kit/child.ts"

let exchange: BinanceExchange | undefined

answer(
  {
    start: async (count: number) => {
      const symbols = Array.from({ length: count }, (_, i) => ({
        symbol: `C${i}USDT`,
        base: `C${i}`,
        quote: "USDT",
        tickSize: "0.01",
        stepSize: "0.001",
        startPrice: "100",
      }))
      exchange = await startBinanceExchange({ symbols, market: "still" })
      return exchange.routes
    },
  },
  async () => exchange?.stop(),
)
