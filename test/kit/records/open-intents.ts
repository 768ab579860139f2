/** Which executed quotes are open, as it is defined: a walk through all of them. */
import type { HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import { type Span, sideOf } from "../../../src/domain/dealer/hedging/hedging.ts"
import type { OpenIntent } from "../../../src/domain/dealer/hedging/intent-queue.ts"
import { Decimal } from "../../../src/domain/decimal.ts"

/**
 * Oldest first: first in, first covered, opposite ones covering each other, so that the newest of the open side make up the exposure. Their
 * sum falls short of it where hedges executed more than was owed, or a sale was charged in base.
 */
export const walkedIntents = (
  newestFirst: ReadonlyArray<HedgeIntent>,
  exposure: Decimal,
): ReadonlyArray<OpenIntent> => {
  const side = sideOf(exposure)
  let rest = exposure.abs()
  const found: Array<OpenIntent> = []
  for (const intent of newestFirst) {
    if (!rest.isPositive()) break
    if (intent.orderSide !== side) continue
    const open = Decimal.min(rest, intent.quantity)
    found.push({ intent, open })
    rest = rest.subtract(open)
  }
  return found.reverse()
}

/** Those that make up the exposure wherever in the span it is. */
export const intentsWithin = (newestFirst: ReadonlyArray<HedgeIntent>, { low, high }: Span): ReadonlySet<HedgeIntent> =>
  new Set([
    ...walkedIntents(newestFirst, low).map(({ intent }) => intent),
    ...walkedIntents(newestFirst, high).map(({ intent }) => intent),
  ])
