/** What new orders hold of the account's funds until they are over (contract C10), or why they cannot. */
import { Decimal } from "../domain/decimal.ts"
import { InsufficientBalance } from "../domain/errors.ts"
import type { OrderPlan } from "../domain/order-plan.ts"
import { FEE_RATE } from "../domain/order-rules-quantity.ts"
import { walkCost } from "../domain/portfolio.ts"
import { isSpot } from "../domain/venue.ts"
import type { AccountCore } from "./trading-account-core.ts"

/** Rows of the book that price a market order. */
export const WALK_ROWS = 100
/** At market a buy may cost so much more than is seen of the book, or than its trigger says. */
export const MARKET_CLAMP = Decimal.of("1.05")

/** For the submitted order and all that comes with it: exits hold nothing of their own, a pair holds once. */
export const holdOf = (core: AccountCore, plan: OrderPlan): Decimal | InsufficientBalance => {
  const { instrument, orderSide, baseQuantity } = plan
  if (!isSpot(core.venue)) return Decimal.ZERO
  const asset = orderSide === "BUY" ? instrument.quoteAsset : instrument.baseAsset
  const { available, locked } = core.portfolio.of(asset)
  const refuse = (need: Decimal): InsufficientBalance =>
    new InsufficientBalance({ asset, required: need.toString(), available: available.toString() })
  if (orderSide === "SELL") return baseQuantity.greaterThan(available) ? refuse(baseQuantity) : baseQuantity
  const fixed = fixedCostOf(plan)
  const cost = fixed ?? walkCost(core.parts.markets.topOfBook(instrument.instrumentId, "asks", WALK_ROWS), baseQuantity)
  // Without a book the cost of a market order is not known: all that is free is held until the fills say, and the venue decides.
  if (cost === undefined) return available.add(locked).isPositive() ? available : refuse(Decimal.ZERO)
  const need = core.venue.feeInQuote ? cost.add(cost.multiply(FEE_RATE)) : cost
  if (need.greaterThan(available)) return refuse(need)
  return fixed === undefined ? Decimal.min(available, need.multiply(MARKET_CLAMP)) : need
}

/** What a buy costs at most by its own terms; of a pair, its dearer leg. Undefined at market. */
const fixedCostOf = ({ orderType, limitPrice, baseQuantity, terms, list }: OrderPlan): Decimal | undefined => {
  if (terms === null) return orderType === "MARKET" ? undefined : limitPrice?.multiply(baseQuantity)
  if (terms.budget !== null) return terms.budget.amount
  if (orderType === "MARKET") return undefined
  const pair = list?.contingencyType === "OCO" ? list.legs : []
  const prices = [{ limitPrice, trigger: terms.trigger }, ...pair].flatMap((it) => {
    const price = it.limitPrice ?? it.trigger?.stopPrice
    return price === undefined ? [] : [price]
  })
  return prices.length === 0 ? undefined : prices.reduce(Decimal.max).multiply(baseQuantity)
}
