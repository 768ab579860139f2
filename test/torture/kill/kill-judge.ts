/**
 * What must be true after the kills. Each verdict is one sentence with its figure; nothing is believed that can be asked: the
 * exchange is asked for its orders, the database for its events, HTTP for every order that was acknowledged.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { type Answer, until } from "../../kit/servers/gateway.ts"
import { historyOf, judgeEvents, readEvents } from "./kill-events.ts"
import { type KillAccount, type Load, TERMINAL } from "./kill-load.ts"
import { none, short, type Verdict } from "./kill-verdict.ts"

interface ExchangeOrder {
  readonly clientOrderId: string
  readonly status: string
  readonly executedQty: string
  readonly cummulativeQuoteQty: string
}

interface Placement {
  readonly clientOrderId: string
  readonly count: number
  readonly created: number
}

/**
 * Up to a proof: 2 s to leave, 5 s of the venue's window, 10 s of margin, three answers (contract C3); and the audits' floors. The rest is
 * for slowness.
 */
const SETTLE_MILLIS = 300_000

/** What a verdict needs of an order; of hundreds of thousands no more is kept. */
export type Brief = Pick<
  TradeOrderRecord,
  | "tradeOrderId"
  | "orderListId"
  | "orderStatus"
  | "orderType"
  | "timeInForce"
  | "limitPrice"
  | "triggeredAt"
  | "inDoubt"
  | "idempotencyKey"
  | "executedQuantity"
>

export const briefOf = (order: TradeOrderRecord): Brief => {
  const { tradeOrderId, orderListId, orderStatus, orderType, timeInForce, limitPrice, triggeredAt } = order
  const { inDoubt, idempotencyKey, executedQuantity } = order
  const terms = { orderType, timeInForce, limitPrice, triggeredAt }
  return { tradeOrderId, orderListId, orderStatus, ...terms, inDoubt, idempotencyKey, executedQuantity }
}

type Account = Pick<KillAccount, "calls" | "tradingAccountId">

export const ordersOf = (account: Account): Promise<ReadonlyArray<TradeOrderRecord>> =>
  eachOf(account, (order) => order)

/** fetch says TypeError for a connection that the server closed, idle for 10 s, in the moment of the question. */
const lostAnswer = (error: unknown): null => {
  if (error instanceof TypeError) return null
  throw error
}

/** A database that is slow for a moment is no fault of the orders'. */
const answeredAtLast = <A>(ask: () => Promise<Answer<A>>): Promise<Answer<A>> =>
  until("an answer other than 503 and 504", async () => {
    const answer = await ask().catch(lostAnswer)
    return answer !== null && answer.status !== 503 && answer.status !== 504 && answer
  })

export const eachOf = async <A>(
  { calls, tradingAccountId }: Account,
  take: (order: TradeOrderRecord) => A,
): Promise<ReadonlyArray<A>> => {
  const taken: Array<A> = []
  let cursor: string | undefined
  do {
    const page = await answeredAtLast(() => calls.orders({ tradingAccountId, limit: 1000, cursor }))
    for (const order of page.record) taken.push(take(order))
    cursor = page.envelope.pagination?.cursor ?? undefined
  } while (cursor !== undefined)
  return taken
}

/** It takes what there is and is over: when it is shown as accepted, more is on its way. */
const isFleeting = ({ orderType, timeInForce, limitPrice, triggeredAt }: Brief): boolean =>
  orderType === "MARKET" ||
  orderType === "QUOTED" ||
  (orderType === "LIMIT" && (timeInForce === "IOC" || timeInForce === "FOK")) ||
  (triggeredAt !== null && limitPrice === null)

const isSettled = (order: Brief): boolean => {
  const { orderStatus, inDoubt } = order
  const isOpen = orderStatus === "ACCEPTED" || orderStatus === "PARTIALLY_FILLED"
  return !inDoubt && (TERMINAL.has(orderStatus) || (isOpen && !isFleeting(order)))
}

/** Neither at rest nor terminal. A leg may wait as long as another order of its list is at rest. */
export const unsettled = <O extends Brief>(orders: ReadonlyArray<O>): ReadonlyArray<O> => {
  const resting = orders.filter((order) => isSettled(order) && !TERMINAL.has(order.orderStatus))
  const livingLists = new Set(resting.map(({ orderListId }) => orderListId))
  return orders.filter((order) => {
    const { orderListId, tradeOrderId, orderStatus } = order
    const isLeg = orderListId !== null && orderListId !== tradeOrderId
    const waits = isLeg && orderStatus === "CREATED" && !order.inDoubt && livingLists.has(orderListId)
    return !waits && !isSettled(order)
  })
}

/** The gateway keeps it: the venue has not been asked for it. */
export const isKeptHere = ({ orderStatus, execution, triggeredAt, externalOrderId }: TradeOrderRecord): boolean =>
  externalOrderId === null &&
  (orderStatus === "CREATED" || orderStatus === "REVOKED" || (execution === "EMULATED" && triggeredAt === null))

/**
 * Waits until every order is at rest or terminal, without a doubt, and as the exchange has it: what that did is told later. Gives up
 * quietly, the judge then names what is stuck or different.
 */
export const settle = async (
  load: Load,
  exchangeUrl: string | undefined,
  progress: (line: string) => void,
): Promise<void> => {
  const deadlineAt = Date.now() + SETTLE_MILLIS
  await until(
    "orders to settle",
    async () => {
      const orders = (await Promise.all(load.accounts.map(ordersOf))).flat()
      const open = unsettled(orders)
      const known = new Map(orders.map((order) => [order.tradeOrderId, order]))
      const verdicts = exchangeUrl === undefined ? [] : await atTheExchange(load, known, exchangeUrl)
      progress(`${open.length} orders not settled`)
      return (open.length === 0 && verdicts.every(({ passed }) => passed)) || Date.now() > deadlineAt
    },
    2 * SETTLE_MILLIS,
  )
}

/** `stop` ends the gateway and answers the URL under which its database can then be read. */
export const judge = async (
  load: Load,
  exchangeUrl: string | undefined,
  stop: () => Promise<string>,
): Promise<ReadonlyArray<Verdict>> => {
  const byAccount = new Map<KillAccount, ReadonlyArray<TradeOrderRecord>>()
  for (const account of load.accounts) byAccount.set(account, await ordersOf(account))
  const orders = [...byAccount.values()].flat()
  const known = new Map(orders.map((order) => [order.tradeOrderId, order]))
  const verdicts: Array<Verdict> = [
    await acknowledgedLost(load),
    onePerKey(load, orders),
    takenBack(load, known),
    executionsAddUp(orders),
    none("stuck", unsettled(orders).map(short), `${orders.length} orders`),
  ]
  if (exchangeUrl !== undefined) verdicts.push(...(await atTheExchange(load, known, exchangeUrl)))
  else verdicts.push(await balancesAddUp(byAccount))
  const silent = load.unanswered()
  verdicts.push({ name: "never answered", passed: silent === 0, says: `${silent} of ${load.wanted.size} requests` })
  const stored = await readEvents(await stop())
  verdicts.push(...judgeEvents(load, known, stored))
  return verdicts.map((verdict) =>
    verdict.passed ? verdict : { ...verdict, says: verdict.says + historyOf(verdict, stored) },
  )
}

const acknowledgedLost = async (load: Load): Promise<Verdict> => {
  const lost: Array<string> = []
  for (const [tradeOrderId, { account }] of load.acknowledged) {
    const { status, envelope } = await account.calls.order(account.tradingAccountId, tradeOrderId)
    if (status !== 200 || envelope.data?.tradeOrderId !== tradeOrderId) lost.push(`${tradeOrderId}: ${envelope.error}`)
  }
  return none("acknowledged orders lost", lost, String(load.acknowledged.size))
}

const onePerKey = (load: Load, orders: ReadonlyArray<TradeOrderRecord>): Verdict => {
  const wrong = [...load.wanted.values()].filter(({ ids }) => ids.size > 1).map(({ key, ids }) => `${key}: ${ids.size}`)
  const seen = new Map<string, number>()
  for (const { idempotencyKey } of orders)
    if (idempotencyKey !== null) seen.set(idempotencyKey, (seen.get(idempotencyKey) ?? 0) + 1)
  for (const [key, count] of seen) {
    if (count > 1) wrong.push(`${key}: ${count} rows`)
    if (!load.wanted.has(key)) wrong.push(`${key}: nobody asked for it`)
  }
  for (const { key, refused } of load.wanted.values())
    if (refused !== undefined && seen.has(key)) wrong.push(`${key}: refused with ${refused}, but there`)
  return none("more than one order for a key", wrong, `${load.wanted.size} keys`)
}

/** A terminal state that a client has seen must stand; only a late fill may still add to it, and here there is none. */
const takenBack = (load: Load, known: ReadonlyMap<string, TradeOrderRecord>): Verdict => {
  const wrong = [...load.final.values()].flatMap((told) => {
    const now = known.get(told.tradeOrderId)
    const same = now?.orderStatus === told.orderStatus && now.executedQuantity === told.executedQuantity
    return same ? [] : [`told ${short(told)}, now ${now === undefined ? "nothing" : short(now)}`]
  })
  return none("final answers taken back", wrong, String(load.final.size))
}

const total = (values: ReadonlyArray<string>): Decimal =>
  values.reduce((sum, value) => sum.add(Decimal.of(value)), Decimal.ZERO)

export const executionsAddUp = (orders: ReadonlyArray<TradeOrderRecord>): Verdict => {
  const seen = new Set<string>()
  let count = 0
  const wrong = orders.flatMap((order) => {
    const { executions } = order
    count += executions.length
    const faults: Array<string> = []
    for (const { externalTradeId } of executions) {
      const name = `${order.tradingAccountId} ${externalTradeId}`
      if (seen.has(name)) faults.push(`trade ${externalTradeId} counted twice`)
      seen.add(name)
    }
    // A list tells the newest of them only.
    if (order.executionCount > executions.length) return faults
    const executed = total(executions.map(({ executedQuantity }) => executedQuantity)).toString()
    if (executed !== order.executedQuantity) faults.push(`${short(order)}: its executions make ${executed}`)
    if (order.orderStatus === "FILLED" && executed !== order.baseQuantity) faults.push(`${short(order)}: not full`)
    if (order.overfillQuantity !== "0") faults.push(`${short(order)}: overfilled`)
    return faults
  })
  return none("executions that do not add up", wrong, `${count} executions`)
}

/** The venue's word for the state, and ours. */
export const STATUS: Readonly<Record<string, ReadonlyArray<string>>> = {
  NEW: ["ACCEPTED"],
  PARTIALLY_FILLED: ["PARTIALLY_FILLED"],
  FILLED: ["FILLED"],
  CANCELED: ["CANCELLED"],
  EXPIRED: ["CANCELLED"],
  EXPIRED_IN_MATCH: ["CANCELLED"],
  REJECTED: ["REJECTED"],
}

export const mayBeAbsent = (order: TradeOrderRecord): boolean =>
  order.orderStatus === "REJECTED" ||
  order.orderStatus === "CANCELLED" ||
  order.orderStatus === "EXPIRED" ||
  isKeptHere(order)

export const plain = (text: string): string => Decimal.of(text).toString()

const atTheExchange = async (
  load: Load,
  known: ReadonlyMap<string, TradeOrderRecord>,
  url: string,
): Promise<ReadonlyArray<Verdict>> => {
  const ask = async <A>(path: string): Promise<A> => JSON.parse(await (await fetch(`${url}/__control/${path}`)).text())
  const placements = await ask<ReadonlyArray<Placement>>("placements")
  const twice = placements
    .filter(({ count, created }) => count > 1 || created > 1)
    .map(({ clientOrderId, count, created }) => `${clientOrderId}: arrived ${count}, created ${created}`)
  const byClientId = new Map([...known.values()].map((order) => [order.tradeOrderId.replaceAll("-", ""), order]))
  const unknown: Array<string> = []
  const different: Array<string> = []
  const there = new Set<string>()
  for (const { apiKey } of load.accounts)
    for (const order of await ask<ReadonlyArray<ExchangeOrder>>(`orders?apiKey=${apiKey}`)) {
      there.add(order.clientOrderId)
      const ours = byClientId.get(order.clientOrderId)
      if (ours === undefined) {
        unknown.push(`${order.clientOrderId} ${order.status}`)
        continue
      }
      const executed = plain(order.executedQty) === ours.executedQuantity
      const cost = plain(order.cummulativeQuoteQty) === ours.executedCost
      if (!executed || !cost || !STATUS[order.status]?.includes(ours.orderStatus))
        different.push(`${short(ours)}, there ${order.status} ${order.executedQty}`)
    }
  for (const [clientOrderId, ours] of byClientId)
    if (!there.has(clientOrderId) && !mayBeAbsent(ours)) different.push(`${short(ours)}, there nothing`)
  // Nobody else trades on these accounts, and the exchange tells every trade.
  const mistaken = [...known.values()].flatMap((order) => {
    const inferred = order.executions.some((execution) => execution.inferred) ? [`${short(order)}: inferred`] : []
    return order.origin === "EXTERNAL" ? [...inferred, `${short(order)}: taken for foreign`] : inferred
  })
  return [
    none("sent twice", twice, `${placements.length} placements`),
    none("taken for foreign, or filled by inference", mistaken, `${known.size} orders`),
    none("at the exchange, unknown to the gateway", unknown, `${there.size} orders`),
    none("different at the exchange", different, `${there.size} orders`),
  ]
}

/** MOCK has no judge outside: its balances must be what it started with, and the executions since. */
const balancesAddUp = async (
  byAccount: ReadonlyMap<KillAccount, ReadonlyArray<TradeOrderRecord>>,
): Promise<Verdict> => {
  const wrong: Array<string> = []
  for (const [{ calls, tradingAccountId }, orders] of byAccount) {
    const wanted = new Map([
      ["USDT", Decimal.of("1000000")],
      ["BTC", Decimal.of("100")],
    ])
    const add = (asset: string, change: Decimal) => wanted.set(asset, (wanted.get(asset) ?? Decimal.ZERO).add(change))
    for (const { executions } of orders)
      for (const { orderSide, executedQuantity, executedCost, fees } of executions) {
        const [base, quote] = [Decimal.of(executedQuantity), Decimal.of(executedCost)]
        add("BTC", orderSide === "BUY" ? base : base.negate())
        add("USDT", orderSide === "BUY" ? quote.negate() : quote)
        for (const fee of fees) add(fee.asset, Decimal.of(fee.quantity).negate())
      }
    const positions = (await calls.portfolio(tradingAccountId)).record
    for (const [asset, balance] of wanted) {
      const shown = positions.find(({ currency }) => currency === asset)
      if (shown?.balance !== balance.toString())
        wrong.push(`${tradingAccountId}: ${shown?.balance} ${asset}, its executions make ${balance}`)
      const identity = total([shown?.available ?? "0", shown?.locked ?? "0"]).toString()
      if (identity !== shown?.balance) wrong.push(`${tradingAccountId} ${asset}: available + locked = ${identity}`)
    }
  }
  return none("balances that do not add up", wrong, `${2 * byAccount.size}`)
}
