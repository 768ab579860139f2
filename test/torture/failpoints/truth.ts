/** Whether the gateway knows what the exchange knows, and what must be true of a trader when everything has come to rest. */

import { setTimeout as sleep } from "node:timers/promises"
import type { QuoteRecord } from "../../../src/domain/dealer/quote.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { hedgingOf } from "../../kit/desks/hedging-desk.ts"
import { executionsAddUp, isKeptHere, mayBeAbsent, ordersOf, plain, STATUS, unsettled } from "../kill/kill-judge.ts"
import { short } from "../kill/kill-verdict.ts"
import type { OrderThere } from "./exchanges.ts"
import type { Stage, Trader } from "./stage.ts"

/** How an order ends that was proven never placed: by the process that sent it, or by the next one. */
const UNPLACED = ["NOT_PLACED", "GATEWAY_RESTART"]

/** Between two looks. */
const LOOK_MILLIS = 250

type Judged = Pick<Stage, "exchange" | "others">

/** Our id of an order, as the exchange of its account has it. */
const clientIdAt =
  ({ others }: Judged, { venue }: Trader) =>
  ({ tradeOrderId }: TradeOrderRecord): string => {
    const clientId = tradeOrderId.replaceAll("-", "")
    return others[venue]?.spell?.(clientId) ?? clientId
  }

/** What the exchange of its account has; null: its account is at none. */
const ordersThere = ({ exchange, others }: Judged, { venue, apiKey }: Trader): ReadonlyArray<OrderThere> | null =>
  venue === "binance"
    ? exchange.orders(apiKey).map(({ clientOrderId, status, executedQty, cummulativeQuoteQty }) => ({
        clientOrderId,
        status,
        executed: executedQty,
        cost: cummulativeQuoteQty,
      }))
    : (others[venue]?.orders(apiKey) ?? null)

/** Of the orders that the exchange has: which of them the gateway shows otherwise, or not at all. */
const untrue = (
  there: ReadonlyArray<OrderThere>,
  orders: ReadonlyArray<TradeOrderRecord>,
  clientIdOf: (order: TradeOrderRecord) => string,
): ReadonlyArray<string> => {
  const ours = new Map(orders.map((order) => [clientIdOf(order), order]))
  return there.flatMap(({ clientOrderId, status, executed, cost }) => {
    const order = ours.get(clientOrderId)
    if (order === undefined) return [`${clientOrderId} is at the exchange, and unknown here`]
    const isTrue =
      plain(executed) === order.executedQuantity &&
      (cost === null || plain(cost) === order.executedCost) &&
      STATUS[status]?.includes(order.orderStatus) === true
    return isTrue ? [] : [`${short(order)}, there ${status} ${executed}`]
  })
}

/** The linked account of a client's dealer, as a trader of its own; none of others. */
export const linkedOf = (trader: Trader): ReadonlyArray<Trader> => {
  const { desk, apiKey } = trader
  if (desk === null) return []
  const { calls, linkedAccountId: tradingAccountId } = desk
  return [{ ...trader, venue: "binance", calls, tradingAccountId, apiKey, desk: null, acknowledged: new Set() }]
}

/** Fees in base are open until they are enough for an order: 5 USDT. Each quote is for a hundred times this. */
const DUST = Decimal.of("0.0001")

/** What of the executed quotes is not covered, or is covered twice: by what the exchange itself did, and took for it. */
const uncovered = async (
  { exchange }: Pick<Stage, "exchange">,
  { calls, desk, apiKey }: Trader,
): Promise<ReadonlyArray<string>> => {
  if (desk === null) return []
  const quotes: Array<QuoteRecord> = []
  let cursor: string | undefined
  do {
    const page = await calls.get<ReadonlyArray<QuoteRecord>>("/quote/list", { limit: 1000, ...(cursor && { cursor }) })
    quotes.push(...page.record)
    cursor = page.envelope.pagination?.cursor ?? undefined
  } while (cursor !== undefined)
  const sum = (amounts: ReadonlyArray<readonly [side: string, quantity: string]>): Decimal =>
    amounts.reduce(
      (all, [side, quantity]) => (side === "BUY" ? all.add(Decimal.of(quantity)) : all.subtract(Decimal.of(quantity))),
      Decimal.ZERO,
    )
  const executed = quotes.filter(({ status }) => status === "EXECUTED")
  const owed = sum(executed.map(({ orderSide, quantity }) => [orderSide, quantity ?? "0"]))
  const hedged = sum(
    exchange
      .fills(apiKey)
      .flatMap(({ isBuyer, qty, commission, commissionAsset }) => [
        [isBuyer ? "BUY" : "SELL", plain(qty)] as const,
        ...(commissionAsset === "BTC" ? [["SELL", plain(commission)] as const] : []),
      ]),
  )
  const gap = owed.subtract(hedged)
  return (gap.isNegative() ? gap.negate() : gap).lessThan(DUST)
    ? []
    : [`${executed.length} quotes come to ${owed}, their hedges to ${hedged}`]
}

/** What is not yet as the venue has it. MOCK is in the process: what is in doubt there is not true yet. */
export const falsehoods = async (stage: Stage, trader: Trader): Promise<ReadonlyArray<string>> => {
  const orders = await ordersOf(trader)
  const there = ordersThere(stage, trader)
  if (there !== null) return untrue(there, orders, clientIdAt(stage, trader))
  for (const linked of linkedOf(trader)) {
    const found = await falsehoods(stage, linked)
    if (found.length > 0) return found
  }
  return orders.filter(({ inDoubt, orderStatus }) => inDoubt || orderStatus === "UNKNOWN").map(short)
}

export const restless = async (trader: Trader): Promise<ReadonlyArray<string>> => {
  const found = unsettled(await ordersOf(trader)).map(short)
  for (const linked of linkedOf(trader)) found.push(...(await restless(linked)))
  const hedging = trader.desk === null ? undefined : await hedgingOf(trader.desk)
  if (hedging !== undefined && !["FLAT", "ACCUMULATING"].includes(hedging.state))
    found.push(`${hedging.position} is ${hedging.state}`)
  return found
}

export interface Findings {
  readonly orders: number
  readonly lost: ReadonlyArray<string>
  readonly twice: ReadonlyArray<string>
  readonly stuck: ReadonlyArray<string>
  readonly different: ReadonlyArray<string>
  /** From its deadline's beginning to its end, of orders that were proven never placed: ms. */
  readonly proofs: ReadonlyArray<number>
}

const examine = async (stage: Judged, trader: Trader): Promise<Findings> => {
  const orders = await ordersOf(trader)
  const byId = new Map(orders.map((order) => [order.tradeOrderId, order]))
  const different = executionFaults(orders)
  const there = ordersThere(stage, trader)
  if (there !== null) {
    const clientIdOf = clientIdAt(stage, trader)
    different.push(...untrue(there, orders, clientIdOf))
    const ids = new Set(there.map(({ clientOrderId }) => clientOrderId))
    for (const order of orders)
      if (!ids.has(clientIdOf(order)) && !mayBeAbsent(order)) different.push(`${short(order)}, there nothing`)
  }
  const linked = await Promise.all(linkedOf(trader).map((it) => examine(stage, it)))
  different.push(...linked.flatMap((it) => it.different), ...(await uncovered(stage, trader)))
  return {
    orders: orders.length,
    lost: [...trader.acknowledged].filter((id) => !byId.has(id)),
    twice: [...sentTwice(stage, trader), ...doubled(orders), ...linked.flatMap((it) => it.twice)],
    stuck: await restless(trader),
    different,
    proofs: orders
      .filter(({ rejectReason }) => rejectReason !== null && UNPLACED.some((it) => rejectReason.startsWith(it)))
      .map(({ createdAt, triggeredAt, updatedAt }) => updatedAt - (triggeredAt ?? createdAt)),
  }
}

/**
 * Looks until nobody has anything stuck or otherwise than at the venue, and at most for so long: what the exchange did is told later, and
 * the two are asked one after the other. What never comes true is in the last look.
 */
export const examineUntilTrue = async (
  stage: Judged,
  traders: ReadonlyArray<Trader>,
  patienceMillis: number,
): Promise<ReadonlyArray<Findings>> => {
  const deadlineAt = performance.now() + patienceMillis
  for (;;) {
    const all: Array<Findings> = []
    for (const trader of traders) all.push(await examine(stage, trader))
    const isTrue = all.every(({ stuck, different }) => stuck.length === 0 && different.length === 0)
    if (isTrue || performance.now() > deadlineAt) return all
    await sleep(LOOK_MILLIS)
  }
}

const executionFaults = (orders: ReadonlyArray<TradeOrderRecord>): Array<string> => {
  const { passed, says } = executionsAddUp(orders)
  return passed ? [] : [says]
}

const sentTwice = ({ exchange, others }: Judged, { venue, apiKey }: Trader): ReadonlyArray<string> =>
  (others[venue] ?? exchange)
    .placements()
    .filter((placement) => placement.apiKey === apiKey && (placement.count > 1 || placement.created > 1))
    .map(({ clientOrderId, count, created }) => `${clientOrderId}: arrived ${count}, created ${created}`)

/** Two orders for one key, or two in the place of one. */
const doubled = (orders: ReadonlyArray<TradeOrderRecord>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  for (const name of ["idempotencyKey", "replacesTradeOrderId"] as const) {
    const seen = new Map<string, number>()
    for (const order of orders) {
      const value = order[name]
      // A leg that was taken back before it left may be made again: only what left counts.
      if (value === null || (name === "replacesTradeOrderId" && isKeptHere(order))) continue
      seen.set(value, (seen.get(value) ?? 0) + 1)
    }
    for (const [value, count] of seen) if (count > 1) faults.push(`${name} ${value}: ${count} orders`)
  }
  return faults
}
