/**
 * What is true of a line by what is stored, counted anew: the checks must not ask what they check. BUY counts above zero.
 */

import type { TradingAccountStatus } from "../../../src/domain/account/trading-account.ts"
import type { HedgeVerdict } from "../../../src/domain/dealer/hedging/hedging.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId, HedgeIntentId, TradeOrderId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { HedgingDatabase } from "./database.ts"

const { ZERO } = Decimal

/** At an account that is gone, or has no credential, nobody can ask. */
export const isLost = (status: TradingAccountStatus | undefined): boolean =>
  status === undefined || status === "DISCONNECTED" || status === "INACTIVE"

export const signed = (side: "BUY" | "SELL", amount: Decimal): Decimal => (side === "BUY" ? amount : amount.negate())

export const sizeOf = (amount: Decimal): Decimal => (amount.isNegative() ? amount.negate() : amount)

export interface LineView {
  /** What executed quotes owe. */
  readonly owed: Decimal
  /** What clients paid for it in all. */
  readonly paid: Decimal
  /** What hedges count as, and what that cost. */
  readonly hedged: Decimal
  readonly cost: Decimal
  readonly fees: ReadonlyMap<string, Decimal>
  /** Still to be bought, as far as is known. */
  readonly exposure: Decimal
  /** Whatever hedges that are not over and not spoken of executed. */
  readonly sure: Decimal
  /** The same of those alone that are carried. */
  readonly due: Decimal
  readonly low: Decimal
  readonly high: Decimal
  /** Not over. */
  readonly open: ReadonlyArray<TradeOrder>
  /** Not over, and no admin has spoken of it. */
  readonly unsettled: ReadonlyArray<TradeOrder>
  readonly carried: ReadonlyArray<TradeOrder>
}

/** `knows`: which of the executed quotes count; all by default. `verdicts`: what admins said that counts; all that is stored by default. */
export const viewOf = (
  database: HedgingDatabase,
  dealer: DealerAccountId,
  symbol: string,
  knows: (intent: HedgeIntentId) => boolean = () => true,
  verdicts: ReadonlyMap<TradeOrderId, HedgeVerdict> = database.verdicts,
): LineView => {
  let [owed, paid, hedged, cost] = [ZERO, ZERO, ZERO, ZERO]
  for (const it of database.intentsOf(dealer, symbol)) {
    if (!knows(it.hedgeIntentId)) continue
    owed = owed.add(signed(it.orderSide, it.quantity))
    paid = paid.add(signed(it.orderSide, it.quantity.multiply(it.quotePrice)))
  }
  const fees = new Map<string, Decimal>()
  const open: Array<TradeOrder> = []
  const unsettled: Array<TradeOrder> = []
  for (const order of database.hedgesOf(dealer, symbol)) {
    const verdict = verdicts.get(order.tradeOrderId)
    const isOver = isTerminal(order.orderStatus)
    const isMore = !isOver && verdict?.executedQuantity.greaterThan(order.executedQuantity) === true
    hedged = hedged.add(signed(order.orderSide, isMore ? verdict.executedQuantity : order.executedQuantity))
    cost = cost.add(signed(order.orderSide, isMore ? verdict.executedCost : order.executedCost))
    for (const { asset, quantity } of order.fees) fees.set(asset, (fees.get(asset) ?? ZERO).add(quantity))
    if (!isOver) open.push(order)
    if (!isOver && verdict === undefined) unsettled.push(order)
  }
  const [baseAsset] = symbol.split("/") as [string]
  const exposure = owed.subtract(hedged).add(fees.get(baseAsset) ?? ZERO)
  const carried = unsettled.filter(({ tradingAccountId: id }) => isLost(database.accounts.get(id)?.status))
  const all = between(exposure, unsettled)
  const { low, high } = between(exposure, carried)
  return {
    owed,
    paid,
    hedged,
    cost,
    fees,
    exposure,
    sure: sureOf(all),
    due: sureOf({ low, high }),
    low,
    high,
    open,
    unsettled,
    carried,
  }
}

/** What an order may execute beyond what is known of it. */
export const restOf = ({ baseQuantity, executedQuantity }: TradeOrder): Decimal => {
  const rest = baseQuantity.subtract(executedQuantity)
  return rest.isNegative() ? ZERO : rest
}

const between = (exposure: Decimal, orders: ReadonlyArray<TradeOrder>): { low: Decimal; high: Decimal } => {
  let [low, high] = [exposure, exposure]
  for (const order of orders)
    if (order.orderSide === "BUY") low = low.subtract(restOf(order))
    else high = high.add(restOf(order))
  return { low, high }
}

const sureOf = ({ low, high }: { readonly low: Decimal; readonly high: Decimal }): Decimal =>
  low.isPositive() ? low : high.isNegative() ? high : ZERO
