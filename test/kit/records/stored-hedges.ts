/** What a dealer reads when it wakes, as the store of hedges sums it up (test/integration/store/hedge-store.test.ts holds that one to it). */
import type { HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import {
  countedOf,
  exposureOf,
  type HedgeVerdict,
  noTotals,
  restOf,
  spanOf,
  withIntent,
  withProgress,
} from "../../../src/domain/dealer/hedging/hedging.ts"
import type { HedgeIntentId, TradeOrderId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { HEDGES_KEPT, type StoredHedge, type StoredHedges } from "../../../src/ports/hedge-store.ts"
import { intentsWithin } from "./open-intents.ts"

/** Of one dealer: its intents in the order of their commits, its hedges in the order of their making. */
export const storedHedges = (
  intents: ReadonlyArray<HedgeIntent>,
  orders: ReadonlyArray<TradeOrder>,
  verdicts: ReadonlyMap<TradeOrderId, HedgeVerdict>,
): ReadonlyArray<StoredHedges> => {
  const isRecent = new Set(orders.slice(-HEDGES_KEPT))
  const lines = new Map<string, Array<HedgeIntent>>()
  for (const intent of intents) {
    const symbol = `${intent.baseAsset}/${intent.quoteAsset}`
    lines.set(symbol, [...(lines.get(symbol) ?? []), intent])
  }
  return [...lines.values()].map((own): StoredHedges => {
    const { baseAsset, quoteAsset } = own[0]!
    const hedges = orders
      .filter((order) => order.baseAsset === baseAsset && order.quoteAsset === quoteAsset)
      .map((order) => ({ order, hedge: hedgeOf(order, verdicts) }))
    const owed = own.reduce(withIntent, noTotals(baseAsset))
    const totals = hedges.reduce(
      (sums, { hedge }) => withProgress(sums, null, countedOf(hedge, hedge.isOver, hedge.verdict)),
      owed,
    )
    const rests = hedges.map(({ hedge }) => ({ orderSide: hedge.orderSide, rest: restOf(hedge) }))
    const newestFirst = own.toReversed()
    const open = intentsWithin(newestFirst, spanOf(exposureOf(totals), rests))
    const kept = newestFirst.filter((intent, index) => index === 0 || open.has(intent))
    const sent = new Map<HedgeIntentId, number>()
    for (const { order } of hedges) {
      const intent = order.idempotencyKey!.split(":")[2] as HedgeIntentId
      if (kept.some(({ hedgeIntentId }) => hedgeIntentId === intent)) sent.set(intent, (sent.get(intent) ?? 0) + 1)
    }
    return {
      baseAsset,
      quoteAsset,
      totals,
      intents: kept,
      sent,
      hedges: hedges.filter(({ order, hedge }) => !hedge.isOver || isRecent.has(order)).map(({ hedge }) => hedge),
    }
  })
}

const hedgeOf = (order: TradeOrder, verdicts: ReadonlyMap<TradeOrderId, HedgeVerdict>): StoredHedge => ({
  tradeOrderId: order.tradeOrderId,
  tradingAccountId: order.tradingAccountId,
  version: order.version,
  isOver: isTerminal(order.orderStatus),
  isInDoubt: order.doubt !== null,
  orderSide: order.orderSide,
  baseQuantity: order.baseQuantity,
  executedQuantity: order.executedQuantity,
  executedCost: order.executedCost,
  fees: order.fees.map(({ asset, quantity }) => ({ asset, quantity })),
  createdAt: order.createdAt,
  updatedAt: order.updatedAt,
  verdict: verdicts.get(order.tradeOrderId) ?? null,
})
