/**
 * What must be true of bots after the kills and cuts. Three ledgers are held against each other: what a bot has in memory, what the gateway lists, and
 * what the exchange itself has, which nothing of ours wrote.
 */
import type { TradeOrder } from "../../../clients/typescript/src/index.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { until } from "../../kit/servers/gateway.ts"
import { mayBeAbsent, ordersOf, plain, STATUS, unsettled } from "../kill/kill-judge.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import type { Report } from "./sdk-process.ts"
import type { Trading } from "./sdk-trading.ts"

interface ExchangeOrder {
  readonly clientOrderId: string
  readonly status: string
  readonly executedQty: string
}

interface Placement {
  readonly clientOrderId: string
  readonly count: number
  readonly created: number
}

/** As the judge of `kill-orders`: up to a proof that an order was never placed. */
const SETTLE_MILLIS = 300_000

interface Ledgers {
  readonly trading: Trading
  readonly report: Report
  readonly stored: ReadonlyArray<TradeOrderRecord>
  /** Of the exchange, by our id; empty where there is none outside. */
  readonly outside: ReadonlyMap<string, ExchangeOrder>
}

const ask = async <A>(url: string, path: string): Promise<A> =>
  JSON.parse(await (await fetch(`${url}/__control/${path}`)).text()) as A

const short = (order: TradeOrder | TradeOrderRecord): string =>
  `${order.tradeOrderId} ${order.orderStatus} ${order.executedQuantity}${order.inDoubt ? " in doubt" : ""}`

const ledgersOf = async (trading: Trading, url: string): Promise<Ledgers> => {
  const stored = await ordersOf(trading)
  const orders =
    trading.venue === "MOCK" ? [] : await ask<ReadonlyArray<ExchangeOrder>>(url, `orders?apiKey=${trading.exchangeKey}`)
  const outside = new Map(orders.map((order) => [order.clientOrderId, order]))
  return { trading, report: await trading.bot.report(), stored, outside }
}

const outsideId = (tradeOrderId: string): string => tradeOrderId.replaceAll("-", "")

/** What a bot thinks of its orders and what the exchange has: lost on either side, or another state or quantity. */
const differences = ({ trading, report, outside }: Ledgers): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const thought = new Map(report.orders.map((order) => [outsideId(order.tradeOrderId), order]))
  for (const [id, there] of outside) {
    const order = thought.get(id)
    if (order === undefined) wrong.push(`${id} ${there.status} at the exchange, and the bot knows of none`)
    else if (!STATUS[there.status]?.includes(order.orderStatus) || plain(there.executedQty) !== order.executedQuantity)
      wrong.push(`the bot has ${short(order)}, the exchange ${there.status} ${there.executedQty}`)
  }
  if (trading.venue === "MOCK") return wrong
  for (const [id, order] of thought)
    if (!outside.has(id) && !mayBeAbsent(order as unknown as TradeOrderRecord))
      wrong.push(`the bot has ${short(order)}, the exchange nothing`)
  return wrong
}

/** Of every order: bot and gateway say the same, and the open ones are the same set. */
const disagreements = ({ report, stored }: Ledgers): ReadonlyArray<string> => {
  const thought = new Map(report.orders.map((order) => [order.tradeOrderId, order]))
  const wrong = stored.flatMap((order) => {
    const mine = thought.get(order.tradeOrderId)
    const isSame = mine?.orderStatus === order.orderStatus && mine.executedQuantity === order.executedQuantity
    return isSame ? [] : [`the gateway has ${short(order)}, the bot ${mine === undefined ? "nothing" : short(mine)}`]
  })
  const open = stored.filter(({ status }) => ["PENDING", "OPEN", "PARTIALLY_FILLED"].includes(status))
  const [ours, theirs] = [new Set(report.open), new Set(open.map(({ tradeOrderId }) => tradeOrderId))]
  for (const id of new Set([...ours, ...theirs]))
    if (ours.has(id) !== theirs.has(id))
      wrong.push(`${id} is open to ${ours.has(id) ? "the bot" : "the gateway"} alone`)
  return wrong
}

/** Waits until nothing moves any more and the ledgers agree; what does not come to that is named by the judge. */
export const settleBots = async (
  all: ReadonlyArray<Trading>,
  url: string,
  progress: (line: string) => void,
): Promise<void> => {
  const giveUpAt = performance.now() + SETTLE_MILLIS
  await until(
    "orders to settle",
    async () => {
      const ledgers = await Promise.all(all.map((trading) => ledgersOf(trading, url)))
      const open = ledgers.reduce((sum, { stored }) => sum + unsettled(stored).length, 0)
      const wrong = ledgers.reduce((sum, it) => sum + differences(it).length + disagreements(it).length, 0)
      progress(`${open} orders not settled, ${wrong} differences`)
      return (open === 0 && wrong === 0) || performance.now() > giveUpAt
    },
    2 * SETTLE_MILLIS,
  )
}

export const judgeBots = async (all: ReadonlyArray<Trading>, url: string): Promise<ReadonlyArray<Verdict>> => {
  const ledgers = await Promise.all(all.map((trading) => ledgersOf(trading, url)))
  const asked = all.flatMap((trading) => trading.asked)
  const keys = new Map<string, ReadonlyArray<string>>()
  for (const { stored } of ledgers)
    for (const { idempotencyKey, tradeOrderId } of stored)
      if (idempotencyKey !== null) keys.set(idempotencyKey, [...(keys.get(idempotencyKey) ?? []), tradeOrderId])
  const placements = await ask<ReadonlyArray<Placement>>(url, "placements")
  const outside = ledgers.reduce((sum, it) => sum + it.outside.size, 0)
  const told = ledgers.reduce((sum, { report }) => sum + report.orders.length, 0)
  const doubled = asked.flatMap(({ key, ids }) => {
    const there = key === null ? [] : (keys.get(key) ?? [])
    return new Set([...ids, ...there]).size > 1 ? [`${key}: ${[...ids, ...there].join(", ")}`] : []
  })
  const lost = asked.flatMap(({ key, ids }) => {
    const there = keys.get(key ?? "") ?? []
    return [...ids].filter((id) => !there.includes(id)).map((id) => `${key}: told ${id}, and it is not there`)
  })
  const refused = asked.flatMap(({ key, refused }) =>
    refused !== null && keys.has(key ?? "") ? [`${key}: ${refused}`] : [],
  )
  const nobodys = ledgers.flatMap(({ trading, stored }) =>
    stored.flatMap(({ idempotencyKey }) =>
      idempotencyKey !== null && trading.bot.persisted.has(idempotencyKey)
        ? []
        : [`${idempotencyKey}: never persisted`],
    ),
  )
  const unanswered = asked.filter((one) => one.unanswered > 0)
  const open = unanswered.filter(({ ids, refused }) => ids.size === 0 && refused === null)
  const books = await Promise.all(all.map(({ bot }) => bot.verify()))
  const gaps = ledgers.flatMap(({ report, trading }) =>
    report.proof?.gaps === 0 ? [] : [`${trading.venue}: no proof`],
  )
  const resyncs = all.reduce((sum, { bot }) => sum + bot.resyncs, 0)
  return [
    none("lost: told to a bot, and not there", lost, `${asked.length} orders`),
    none("doubled: more than one order of a key", doubled, `${keys.size} keys`),
    none(
      "doubled: sent to the exchange more than once",
      placements
        .filter(({ count, created }) => count > 1 || created > 1)
        .map((it) => `${it.clientOrderId}: ${it.count}`),
      `${placements.length} placements`,
    ),
    none("refused, but there", refused, `${asked.length} orders`),
    none("orders of a key that no bot had persisted before", nobodys, `${keys.size} keys`),
    none(
      "Unanswered that its key did not resolve",
      open.map(({ key }) => `${key}`),
      `${unanswered.length} Unanswered`,
    ),
    none("bots and the exchange's own ledger", ledgers.flatMap(differences), `${outside} orders at the exchange`),
    none("bots and the gateway", ledgers.flatMap(disagreements), `${told} orders`),
    none("accounts without a proof", gaps, `${all.length} (${resyncs} resyncs were told)`),
    none(
      "books that differ",
      books.flatMap(({ isSame, sequence }) => (isSame ? [] : [`at ${sequence}`])),
      `${books.length}`,
    ),
  ]
}
