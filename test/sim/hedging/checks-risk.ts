/** A firm quote is made only where the worst end of what is open, and of what is promised, is within the dealer's threshold. */

import { isFirm } from "../../../src/domain/dealer/quote.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId } from "../../../src/domain/ids.ts"
import type { LineChecks } from "./checks.ts"
import { PAIRS, pairOfSymbol } from "./listing.ts"
import { sizeOf, viewOf } from "./view.ts"
import type { HedgingWorld } from "./world.ts"

/** No book shows less of what a pair cost in the beginning. */
const LEAST = Decimal.of("0.88")

export const judgeRisk = (
  world: HedgingWorld,
  lines: LineChecks,
  quote: Readonly<Record<string, unknown>>,
  say: (violation: string) => void,
): void => {
  const id = quote["dealerAccountId"] as DealerAccountId
  const { riskThreshold } = world.directory.find(id)!
  if (riskThreshold === null || quote["status"] !== "CREATED" || !lines.isAwake(id)) return
  let worth = Decimal.ZERO
  for (const { symbol, baseAsset } of PAIRS) {
    let [low, high] = [Decimal.ZERO, Decimal.ZERO]
    // Dust is no risk.
    if (lines.stateOf(id, symbol) !== "ACCUMULATING") {
      const view = viewOf(world.database, id, symbol, (intent) => world.heard.has(intent))
      ;[low, high] = [view.high.negate(), view.low.negate()]
    }
    const promised = [...world.database.quotes.values()].filter(
      (it) => isFirm(it) && it.dealerAccountId === id && it.status === "CREATED" && it.baseAsset === baseAsset,
    )
    if (quote["baseAsset"] === baseAsset) {
      const quantity = Decimal.of(quote["quantity"] as string)
      if (quote["orderSide"] === "BUY") low = low.subtract(quantity)
      else high = high.add(quantity)
    }
    for (const { orderSide, quantity } of promised)
      if (orderSide === "BUY") low = low.subtract(quantity!)
      else high = high.add(quantity!)
    const most = Decimal.max(sizeOf(low), sizeOf(high))
    worth = worth.add(most.multiply(leastOf(symbol)))
  }
  if (worth.greaterThan(riskThreshold))
    say(`${id.slice(-2)} is firm with at least ${worth} at risk, where ${riskThreshold} is allowed`)
}

/** In USDT. */
const leastOf = (symbol: string): Decimal => {
  const { price, quoteAsset } = pairOfSymbol(symbol)
  const own = price.multiply(LEAST)
  return quoteAsset === "USDT" ? own : own.multiply(leastOf(`${quoteAsset}/USDT`))
}
