/** A gateway whose MOCK market stands still and empty: its own ladder is bought and sold away, so prices are what two accounts trade at. */
import { expect } from "vitest"
import type { TradeOrderRecord } from "../../src/domain/order/trade-order-record.ts"
import { signUp } from "../integration/gateway/users/people.ts"
import { restsOf } from "../kit/readers/order-waits.ts"
import { type Answer, type Api, type Gateway, startGateway, until } from "../kit/servers/gateway.ts"

export type Submitted = TradeOrderRecord & { readonly linkedOrders?: ReadonlyArray<TradeOrderRecord> }
type Fields = Readonly<Record<string, unknown>>
type Side = "BUY" | "SELL"

const PATIENCE_MILLIS = 45_000
/** What the venue has answered to. */
const KNOWN = ["OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "EXPIRED", "REJECTED"]

/** One account. */
export interface Desk {
  readonly tradingAccountId: string
  readonly calls: Api
  readonly submit: (fields: Fields) => Promise<Answer<Submitted>>
  /** A limit order, acknowledged by the venue. */
  readonly limit: (side: Side, quantity: string, limitPrice: string, fields?: Fields) => Promise<TradeOrderRecord>
  readonly order: (tradeOrderId: string) => Promise<TradeOrderRecord>
  /** Waits until the order is in one of these narrative states. */
  readonly rests: (tradeOrderId: string, ...states: ReadonlyArray<string>) => Promise<TradeOrderRecord>
  readonly cancel: (tradeOrderId: string) => Promise<Answer<TradeOrderRecord>>
  readonly cancelAll: (instrumentId?: string) => Promise<void>
}

export interface QuietMarket {
  readonly gateway: Gateway
  readonly desk: () => Promise<Desk>
  /** One unit trades at a price; `rest` more stays there on the maker's side. */
  readonly trade: (price: number, maker?: Side, rest?: number) => Promise<void>
  /** Trades until the last price is this one, in steps that the price collar lets through. */
  readonly moveTo: (price: number) => Promise<void>
  readonly book: () => Promise<Readonly<Record<"bids" | "asks", ReadonlyArray<readonly [number, number]>>>>
  readonly lastPrice: () => Promise<number>
}

export const SOL = "MOCK:SOL/USDT"

/** Plenty of everything: the ladders of all instruments cost a part of it. */
export const BALANCES = { USDT: "1000000000000", BTC: "5000", ETH: "50000", SOL: "500000" }

export const quietGateway = (env: Readonly<Record<string, string>> = {}, dataDir?: string): Promise<Gateway> =>
  startGateway({
    env: { MOCK_TICK_MS: "0", MOCK_BALANCES: JSON.stringify(BALANCES), ...env },
    ...(dataDir !== undefined && { dataDir }),
  })

export const deskOf = (calls: Api, tradingAccountId: string, instrumentId: string): Desk => {
  const submit = (fields: Fields) =>
    calls.call<Submitted>("POST", "/tradeOrder/submit", { tradingAccountId, instrumentId, ...fields })
  const order = async (tradeOrderId: string) => (await calls.order(tradingAccountId, tradeOrderId)).record
  const rests = restsOf(order, PATIENCE_MILLIS)
  return {
    tradingAccountId,
    calls,
    submit,
    limit: async (orderSide, quantity, limitPrice, fields = {}) => {
      const asked = { orderSide, orderType: "LIMIT", quantity, limitPrice, awaitAccepted: true, ...fields }
      const { record } = await submit(asked)
      return record.status === "PENDING" ? rests(record.tradeOrderId, ...KNOWN) : record
    },
    order,
    rests,
    cancel: (tradeOrderId) => calls.cancel(tradingAccountId, tradeOrderId),
    cancelAll: async (only) => {
      const swept = await calls.post("/tradeOrder/cancelAll", {
        tradingAccountId,
        ...(only !== undefined && { instrumentId: only }),
      })
      expect(swept.envelope.errno).toBe(0)
    },
  }
}

export const quietMarket = async (gateway: Gateway, instrumentId: string = SOL): Promise<QuietMarket> => {
  const { calls } = await signUp(gateway)
  let made = 0
  const desk = async (): Promise<Desk> => {
    const { tradingAccountId } = (await calls.connectMock(`desk-${++made}`)).record
    await until(
      "an ACTIVE account",
      async () => (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
      PATIENCE_MILLIS,
    )
    return deskOf(calls, tradingAccountId, instrumentId)
  }
  const lastPrice = async (): Promise<number> => Number((await calls.ticker(instrumentId)).record.lastPrice)
  const book = async () => {
    const { bids, asks } = (await calls.orderBook(instrumentId)).record
    const numbers = (levels: typeof bids) =>
      levels.map(([price, quantity]) => [Number(price), Number(quantity)] as const)
    return { bids: numbers(bids), asks: numbers(asks) }
  }
  const maker = await desk()
  const taker = await desk()

  const trade: QuietMarket["trade"] = async (price, side = "BUY", rest = 0) => {
    // What an earlier trade left there: exits sell less than was bought, by the fee.
    await maker.cancelAll()
    await maker.limit(side, `${1 + rest}`, `${price}`)
    const taken = await taker.limit(side === "BUY" ? "SELL" : "BUY", "1", `${price}`, { timeInForce: "IOC" })
    const filled = await taker.rests(taken.tradeOrderId, "FILLED")
    expect(Number(filled.averagePrice)).toBe(price)
    await until(`a last price of ${price}`, async () => rest > 0 || (await lastPrice()) === price, PATIENCE_MILLIS)
  }

  const anchor = await lastPrice()
  for (const [side, factor] of [
    ["BUY", 1.5],
    ["SELL", 0.6],
  ] as const) {
    const limitPrice = `${Number((anchor * factor).toPrecision(4))}`
    const swept = await taker.limit(side, instrumentId === SOL ? "20000" : "3000", limitPrice, { timeInForce: "IOC" })
    await taker.rests(swept.tradeOrderId, "CANCELLED")
  }
  await until("an empty book", async () => {
    const { bids, asks } = await book()
    return bids.length + asks.length === 0
  })
  const moveTo = async (price: number): Promise<void> => {
    for (let last = await lastPrice(); last !== price; last = await lastPrice()) {
      const next = Math.min(Math.max(price, last * 0.6), last * 1.6)
      await trade(next === price ? price : Number(next.toPrecision(2)))
    }
  }
  return { gateway, desk, trade, moveTo, book, lastPrice }
}
