/** The markets of a loopback exchange, which are those of the Binance exchange's engine: how they open, who moves them, and what a user begins with. */
import { toFixed8 } from "./binance/fixed.ts"
import { type MarketView, viewOf } from "./binance/market.ts"
import type { Matching } from "./binance/matching.ts"
import type { SymbolRules } from "./binance/model.ts"
import { SyntheticMarket } from "./binance/replay/synthetic.ts"
import type { LoopbackExchange, LoopbackOptions } from "./loopback.ts"

/** The venue's clock, ms. */
export const clockOf = ({ clockAheadMillis: ahead = 0 }: Pick<LoopbackOptions<never>, "clockAheadMillis">) => {
  return (): number => Date.now() + (typeof ahead === "number" ? ahead : ahead())
}

export const freeAmounts = (balances: Readonly<Record<string, string>>) =>
  Object.entries(balances).map(([asset, free]) => [asset, { free: toFixed8(free), locked: 0n }] as const)

/** Opens them, each with its view; answers their liquidity, which is none where the market is empty. */
export const openMarkets = (
  matching: Matching,
  all: ReadonlyArray<SymbolRules>,
  views: Map<string, MarketView>,
  now: () => number,
  { market: kind, seed = 1 }: Pick<LoopbackOptions<never>, "market" | "seed">,
): ReadonlyArray<SyntheticMarket> => {
  const synthetic: Array<SyntheticMarket> = []
  for (const [index, rules] of all.entries()) {
    const market = matching.addSymbol(rules)
    views.set(rules.symbol, viewOf(market, now))
    if (kind !== "empty") synthetic.push(new SyntheticMarket(matching, market, seed + index))
  }
  return synthetic
}

type Hands = Pick<LoopbackExchange<never, never, never, never>, "setLevel" | "trade">

/** What a test does in them. */
export const byHand = (matching: Matching): Hands => ({
  setLevel: (symbol, side, price, quantity) =>
    matching.setLiquidity(matching.market(symbol), side, toFixed8(price), toFixed8(quantity)),
  trade: (symbol, side, quantity) => matching.takeAnonymously(matching.market(symbol), side, toFixed8(quantity)),
})
