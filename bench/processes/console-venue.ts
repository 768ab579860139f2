/** The venue of `console`: the loopback OKX with many instruments, whose books all change at a given pace. */
import { type OkxExchange, startOkxExchange } from "../../test/exchanges/okx/exchange.ts"
import { answer } from "../kit/child.ts"

export interface ConsoleVenue {
  readonly books: number
  /** Between two changes of each book. */
  readonly everyMillis: number
}

let exchange: OkxExchange | undefined

const instrument = (n: number) => {
  const base = `C${String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))}`
  return {
    symbol: `${base}-USDT`,
    base,
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.0001",
    startPrice: String(100 + n),
    minNotional: "0",
    levelNotional: "20000",
  }
}

answer(
  {
    start: async ({ books, everyMillis }: ConsoleVenue) => {
      const instruments = Array.from({ length: books }, (_, n) => instrument(n))
      exchange = await startOkxExchange({ instruments, stepMillis: everyMillis, bookMillis: everyMillis })
      return {
        routes: exchange.routes,
        instrumentIds: instruments.map(({ base, quote }) => `OKX:${base}/${quote}`),
      }
    },
  },
  () => exchange?.stop(),
)
