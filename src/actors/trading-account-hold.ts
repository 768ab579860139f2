/** What new orders hold of the account's funds until they are over (contract C10), or why they cannot. */
import { Decimal } from "../domain/decimal.ts"
import { InsufficientBalance } from "../domain/errors/risk.ts"
import type { OrderPlan } from "../domain/order-plan.ts"
import { FEE_RATE } from "../domain/order-rules-quantity.ts"
import { walkCost } from "../domain/portfolio.ts"
import { isSpot } from "../domain/venue.ts"
import type { AccountCore } from "./trading-account-core.ts"

/** Rows of the book that price a market order. */
export const WALK_ROWS = 100
/** At market a buy may cost so much more than is seen of the book, or than its trigger says. */
export const MARKET_CLAMP = Decimal.of("1.05")
/** By a price that was seen within this time and is not seen any more. */
const REMEMBERED_MILLIS = 3_600_000
const REMEMBERED_CLAMP = Decimal.of("1.2")

/** For the submitted order and all that comes with it: exits hold nothing of their own, a pair holds once. */
export const holdOf = (core: AccountCore, plan: OrderPlan): Decimal | InsufficientBalance => {
  const { instrument, orderSide, baseQuantity } = plan
  if (!isSpot(core.venue)) return Decimal.ZERO
  const asset = orderSide === "BUY" ? instrument.quoteAsset : instrument.baseAsset
  const { available, locked } = core.portfolio.of(asset)
  const refuse = (need: Decimal): InsufficientBalance =>
    new InsufficientBalance({ asset, required: need.toString(), available: available.toString() })
  if (orderSide === "SELL") return baseQuantity.greaterThan(available) ? refuse(baseQuantity) : baseQuantity
  const withFee = (cost: Decimal): Decimal => (core.venue.feeInQuote ? cost.add(cost.multiply(FEE_RATE)) : cost)
  const fixed = fixedCostOf(plan)
  const cost = fixed ?? walked(core, plan)
  if (cost === undefined) {
    if (!available.add(locked).isPositive()) return refuse(Decimal.ZERO)
    // What it costs is not known for certain: the venue decides, and what is held until the fills say leaves room for other orders.
    const about = estimate(core, plan)
    return about === null ? available : Decimal.min(available, withFee(about))
  }
  const need = withFee(cost)
  if (need.greaterThan(available)) return refuse(need)
  return fixed === undefined ? Decimal.min(available, need.multiply(MARKET_CLAMP)) : need
}

/** What a buy at market costs by the book; undefined without one. */
const walked = ({ parts }: AccountCore, { instrument, baseQuantity }: OrderPlan): Decimal | undefined => {
  const { instrumentId } = instrument
  const rows = parts.markets.topOfBook(instrumentId, "asks", WALK_ROWS)
  const best = rows[0] === undefined ? undefined : Decimal.fromVenue(rows[0][0])
  if (best !== undefined) parts.prices.note(instrumentId, best, parts.clock.now())
  return walkCost(rows, baseQuantity)
}

/** What it costs at most, by the newest trade, else by what the instrument cost a while ago; null where neither is known. */
const estimate = ({ parts }: AccountCore, { instrument, baseQuantity }: OrderPlan): Decimal | null => {
  const last = parts.markets.lastPrice(instrument.instrumentId)
  const traded = last === null ? undefined : Decimal.fromVenue(last)
  if (traded !== undefined) return traded.multiply(baseQuantity).multiply(MARKET_CLAMP)
  const known = parts.prices.find(instrument.instrumentId, parts.clock.now() - REMEMBERED_MILLIS)
  return known === null ? null : known.multiply(baseQuantity).multiply(REMEMBERED_CLAMP)
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
