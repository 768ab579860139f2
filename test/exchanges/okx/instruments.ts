/** The instruments of the loopback OKX, with steps like the venue's own. */
import type { SymbolRules } from "../binance/model.ts"

/** The venue's own numbers of instruments, by id; its socket takes orders by them alone. */
const codes = new Map<string, number>()
const FIRST_CODE = 10_458

export const instIdCodeOf = (instId: string): number => {
  const known = codes.get(instId)
  if (known !== undefined) return known
  const code = FIRST_CODE + codes.size
  codes.set(instId, code)
  return code
}

export const instIdOf = (code: unknown): string | undefined => [...codes].find(([, known]) => known === code)?.[0]

/** OKX has no smallest worth of an order. */
const anyWorth = { minNotional: "0", levelNotional: "20000" }

export const OKX_INSTRUMENTS: ReadonlyArray<SymbolRules> = [
  {
    ...anyWorth,
    symbol: "BTC-USDT",
    base: "BTC",
    quote: "USDT",
    tickSize: "0.1",
    stepSize: "0.00000001",
    minQuantity: "0.00001",
    startPrice: "60000",
  },
  {
    ...anyWorth,
    symbol: "ETH-USDT",
    base: "ETH",
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.000001",
    minQuantity: "0.0001",
    startPrice: "3000",
  },
  {
    ...anyWorth,
    symbol: "SOL-USDT",
    base: "SOL",
    quote: "USDT",
    tickSize: "0.01",
    stepSize: "0.0001",
    minQuantity: "0.001",
    startPrice: "150",
  },
  {
    ...anyWorth,
    symbol: "XRP-USDT",
    base: "XRP",
    quote: "USDT",
    tickSize: "0.0001",
    stepSize: "0.000001",
    minQuantity: "1",
    startPrice: "0.6",
  },
  {
    ...anyWorth,
    levelNotional: "2",
    symbol: "ETH-BTC",
    base: "ETH",
    quote: "BTC",
    tickSize: "0.00001",
    stepSize: "0.000001",
    minQuantity: "0.0001",
    startPrice: "0.05",
  },
]
