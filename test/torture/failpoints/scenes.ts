/** What a trader does so that the gateway comes by a named place, and how often it may come by before it dies there. */
import type { QuoteRecord } from "../../../src/domain/dealer/quote.ts"
import type { FailpointName } from "../../../src/ports/failpoint.ts"
import { until } from "../../kit/servers/gateway.ts"
import { call, type Stage, type StageVenue, submit, type Trader } from "./stage.ts"

export interface Scene {
  readonly venue: StageVenue
  /** `….unanswered`: the exchange has the order, or the hedge, and keeps its answer; the process is killed from outside. */
  readonly place: FailpointName | "submit.unanswered" | "hedge.unanswered"
  /** The N of the kill is drawn from 1 to this. */
  readonly hitsMax: number
  /** With the gateway that runs before. */
  readonly prepare?: (stage: Stage, trader: Trader) => Promise<void>
  /** One round; repeated until the gateway is gone. Absent: its start alone leads there. */
  readonly provoke?: (trader: Trader, stage: Stage) => Promise<void>
  /** Each run has an account of its own: this one ends with it. */
  readonly endsAccount?: boolean
}

const REST = { BUY: "30000", SELL: "120000" }
const resting = { orderSide: "BUY", orderType: "LIMIT", limitPrice: REST.BUY }
const market = (orderSide: "BUY" | "SELL") => ({ orderSide, orderType: "MARKET" })
/** Within the collar of prices, and beyond what the market there walks in a run. */
const TAKES = { BUY: "61000", SELL: "59000" }
/** GEMINI has limit orders only. */
const atOnce = ({ venue }: Trader, orderSide: "BUY" | "SELL") =>
  venue === "gemini"
    ? { orderSide, orderType: "LIMIT", timeInForce: "IOC", limitPrice: TAKES[orderSide] }
    : market(orderSide)

const submits = async (trader: Trader): Promise<void> => {
  await submit(trader, resting)
  await submit(trader, { ...atOnce(trader, "BUY"), awaitClosed: true })
  await submit(trader, { ...atOnce(trader, "SELL"), awaitAccepted: true })
}

const cancels = async (trader: Trader): Promise<void> => {
  const order = await submit(trader, { ...resting, awaitAccepted: true })
  if (order === undefined) return
  const { tradingAccountId } = trader
  await call(trader, "/tradeOrder/cancel", { tradingAccountId, tradeOrderId: order.tradeOrderId })
}

const replaces = async (trader: Trader): Promise<void> => {
  const order = await submit(trader, { ...resting, awaitAccepted: true })
  if (order === undefined) return
  const { tradingAccountId } = trader
  const limitPrice = "31000"
  await call(trader, "/tradeOrder/replace", { tradingAccountId, tradeOrderId: order.tradeOrderId, limitPrice })
}

/** Behind the market by next to nothing: the next trades fire it. */
const trails = async (trader: Trader): Promise<void> => {
  await submit(trader, { orderSide: "SELL", orderType: "TRAILING_STOP", trailingAmount: "0.01", awaitAccepted: true })
  await submit(trader, { orderSide: "BUY", orderType: "TRAILING_STOP", trailingAmount: "0.01", awaitAccepted: true })
}

/** An entry at market whose take-profit goes to the venue when it is filled. */
const lists = async (trader: Trader): Promise<void> => {
  await submit(trader, { ...market("BUY"), takeProfitLimitPrice: "200000", stopLossPrice: "10000", awaitClosed: true })
}

const disconnects = async (trader: Trader): Promise<void> => {
  await call(trader, "/tradingAccount/disconnect", { tradingAccountId: trader.tradingAccountId })
}

const rests = async (_: Stage, trader: Trader): Promise<void> => {
  for (let count = 0; count < 3; count += 1) await submit(trader, { ...resting, awaitAccepted: true })
}

/** Whatever a reconciliation can find: an order whose answer and fills were lost, one that rests, one that is being cancelled. */
const leavesDoubt = async (stage: Stage, trader: Trader): Promise<void> => {
  await rests(stage, trader)
  if (trader.venue === "mock") return
  stage.exchange.fault({ fault: "suppressUserEvents", on: true })
  await holdsAnswer(stage, trader)
}

/** On a busy machine an order may be too late to leave, or come before the account is ready: it ends, and another is sent. */
const LEAVES_MILLIS = 5_000
const SUBMITS_MILLIS = 60_000

const holdsAnswer = async (stage: Stage, trader: Trader): Promise<void> => {
  const other = stage.others[trader.venue]
  const exchange = other ?? stage.exchange
  const before = exchange.orders(trader.apiKey).length
  exchange.fault({ fault: "answer", match: other?.place ?? stage.place, action: { kind: "apply-then-hang" } })
  const isThere = (): boolean => exchange.orders(trader.apiKey).length > before
  const again = async (): Promise<boolean> => {
    // COINBASE and GATE buy at the market by cost alone.
    await submit(trader, atOnce(trader, trader.venue === "coinbase" || trader.venue === "gate" ? "SELL" : "BUY"))
    return until("the order at the exchange", isThere, LEAVES_MILLIS).then(
      () => true,
      () => false,
    )
  }
  await until("an order that left in time", again, SUBMITS_MILLIS)
}

/** A quote of either side, executed: each leaves a hedge. */
const quotes = async (trader: Trader): Promise<void> => {
  for (const orderSide of ["BUY", "SELL"]) {
    const { desk, tradingAccountId: traderAccountId, instrumentId } = trader
    const asked = { traderAccountId, instrumentId, orderSide, quantity: "0.01", ttl: 300 }
    const answer = await call<QuoteRecord>(trader, "/quote/request", {
      ...asked,
      dealerAccountId: desk?.dealerAccountId,
    })
    const quote = answer?.envelope.data
    if (quote?.status !== "CREATED") continue
    await submit(trader, {
      orderType: "QUOTED",
      quoteId: quote.quoteId,
      orderSide,
      quantity: quote.quantity,
      awaitClosed: true,
    })
  }
}

const holdsHedge = async (trader: Trader, { exchange, place }: Stage): Promise<void> => {
  const before = exchange.orders(trader.apiKey).length
  exchange.fault({ fault: "suppressUserEvents", on: true })
  exchange.fault({ fault: "answer", match: place, action: { kind: "apply-then-hang" } })
  await until("the hedge at the exchange", async () => {
    await quotes(trader)
    return exchange.orders(trader.apiKey).length > before
  })
}

const syncs = (venue: StageVenue) => async (trader: Trader) => {
  await submit(trader, resting)
  await call(trader, "/market/instrument/sync", { venue: venue.toUpperCase() })
}

const onSubmits = (venue: StageVenue): ReadonlyArray<Scene> =>
  (
    [
      ["submit.parsed", 4],
      ["submit.handedToWriter", 4],
      ["submit.written", 4],
      ["submit.committed", 4],
      ["submit.dispatched", 4],
      ["submit.answered", 2],
      ["report.received", 4],
      ["report.handedToWriter", 4],
      ["fill.received", 3],
      ["fill.written", 3],
      ["report.committed", 4],
      ["report.published", 4],
    ] as const
  ).map(([place, hitsMax]) => ({ venue, place, hitsMax, provoke: submits }))

/** The way of a submit, of an answer that never came, and of a cancel. */
const onOrders = (venue: StageVenue): ReadonlyArray<Scene> => [
  ...onSubmits(venue),
  { venue, place: "submit.unanswered", hitsMax: 1, provoke: (trader, stage) => holdsAnswer(stage, trader) },
  { venue, place: "cancel.accepted", hitsMax: 2, provoke: cancels },
  { venue, place: "cancel.dispatched", hitsMax: 2, provoke: cancels },
]

export const SCENES: ReadonlyArray<Scene> = [
  ...onOrders("binance"),
  {
    venue: "binance",
    place: "disconnect.halfway",
    hitsMax: 1,
    prepare: rests,
    provoke: disconnects,
    endsAccount: true,
  },
  // The first is of the in-process venue, in the start.
  { venue: "binance", place: "sync.halfway", hitsMax: 3, provoke: syncs("binance") },
  { venue: "binance", place: "reconcile.halfway", hitsMax: 1, prepare: leavesDoubt },
  { venue: "binance", place: "trigger.committed", hitsMax: 2, provoke: trails },
  { venue: "binance", place: "list.committed", hitsMax: 2, provoke: lists },
  { venue: "binance", place: "renew.confirmed", hitsMax: 2, provoke: replaces },
  { venue: "binance", place: "renew.committed", hitsMax: 2, provoke: replaces },
  ...onSubmits("mock"),
  { venue: "mock", place: "cancel.accepted", hitsMax: 2, provoke: cancels },
  { venue: "mock", place: "cancel.dispatched", hitsMax: 2, provoke: cancels },
  { venue: "mock", place: "disconnect.halfway", hitsMax: 1, prepare: rests, provoke: disconnects, endsAccount: true },
  { venue: "mock", place: "trigger.committed", hitsMax: 2, provoke: trails },
  { venue: "mock", place: "list.committed", hitsMax: 2, provoke: lists },
  { venue: "mock", place: "amend.dispatched", hitsMax: 2, provoke: replaces },
  ...(
    [
      ["quote.handedToLedger", 2],
      ["quote.committed", 2],
      ["quote.taken", 2],
      ["quote.held", 2],
      ["quote.settling", 2],
      ["ledger.written", 6],
      ["quote.settled", 2],
      ["hedge.decided", 2],
      ["submit.written", 3],
      ["submit.dispatched", 2],
      ["hedge.submitted", 2],
      ["hedge.filled", 2],
    ] as const
  ).map(([place, hitsMax]): Scene => ({ venue: "desk", place, hitsMax, provoke: quotes })),
  { venue: "desk", place: "hedge.unanswered", hitsMax: 1, provoke: holdsHedge },
]

/** Of the other venues whose orders are proven. */
export const SCENES_ELSEWHERE: ReadonlyArray<Scene> = [
  ...onOrders("okx"),
  ...onOrders("kraken"),
  ...onOrders("bybit"),
  ...onOrders("coinbase"),
  ...onOrders("binanceusdm"),
  ...onOrders("kucoin"),
  ...onOrders("gate"),
  ...onOrders("krakenfutures"),
  ...onOrders("bitstamp"),
  ...onOrders("gemini"),
  ...onOrders("deribit"),
  ...onOrders("bitfinex"),
]
