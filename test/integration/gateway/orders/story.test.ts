/** A newcomer's whole story on MOCK, over HTTP and the official client; each test is one chapter with a user of its own. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PositionRecord } from "../../../../src/domain/account/trading-account.ts"
import type { OrderBookRecord, TickerRecord, TradeRecord } from "../../../../src/domain/market/market.ts"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type AccountEvent, ClientBook, closeClients, connectClient, gapsIn, listen, pairs } from "../markets/socket.ts"
import { holdings, signUp, signUpWithMock, type Trader } from "../users/people.ts"

const INSTRUMENT = "MOCK:BTC/USDT"
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ env: { MOCK_TICK_MS: "50" } })
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const order = (trader: Trader, fields: Readonly<Record<string, unknown>>) => ({
  tradingAccountId: trader.tradingAccountId,
  instrumentId: INSTRUMENT,
  ...fields,
})

/** Far below the market, so that it rests. */
const resting = (trader: Trader, fields: Readonly<Record<string, unknown>> = {}) =>
  order(trader, { orderSide: "BUY", orderType: "LIMIT", quantity: "0.01", limitPrice: "1000", ...fields })

const market = (trader: Trader, fields: Readonly<Record<string, unknown>> = {}) =>
  order(trader, { orderSide: "BUY", orderType: "MARKET", quantity: "0.02", awaitClosed: true, ...fields })

const accountEvents = async (trader: Trader) => {
  const client = await connectClient(gateway, trader.session.accessToken)
  return listen<AccountEvent>(client, `tradingAccount:${trader.tradingAccountId}`)
}

const eventsOf = (events: ReadonlyArray<AccountEvent>, tradeOrderId: string): ReadonlyArray<AccountEvent> =>
  events.filter(({ data }) => data["tradeOrderId"] === tradeOrderId)

describe("a newcomer", () => {
  it("sees the venues and connects a MOCK account that starts with balances", async () => {
    const newcomer = await signUp(gateway)
    const venues = (await newcomer.calls.venues()).record
    expect(venues.map(({ venue }) => venue)).toEqual(expect.arrayContaining(["MOCK", "BINANCE", "BINANCE_UAT"]))
    expect(venues.find(({ venue }) => venue === "MOCK")).toMatchObject({ status: "ACTIVE", features: ["SPOT"] })

    const account = (await newcomer.calls.connectMock("first")).record
    expect(account).toMatchObject({ venue: "MOCK", status: "ACTIVE", externalTradingAccountId: "first" })
    const again = (await newcomer.calls.connectMock("first")).record
    expect(again.tradingAccountId).toBe(account.tradingAccountId)
    const found = await holdings({ calls: newcomer.calls, tradingAccountId: account.tradingAccountId })
    expect(found["USDT"]).toEqual(["1000000", "1000000", "0"])
  })

  it("rebuilds the live book from SNAPSHOT and DIFF, equal to the HTTP book of the same sequence", async () => {
    const user = await signUp(gateway)
    // The read opens the book: its SNAPSHOT then comes with the subscription, without a place in the stream.
    await user.calls.orderBook(INSTRUMENT)
    const client = await connectClient(gateway, user.session.accessToken)
    const book = new ClientBook()
    const states = new Map<number, string>()
    const text = (bids: unknown, asks: unknown): string => JSON.stringify([bids, asks])
    const feed = await listen<OrderBookRecord>(client, `market:orderbook:${INSTRUMENT}`, (record) => {
      book.apply(record)
      states.set(record.sequence, text(book.side("bids", 1000), book.side("asks", 1000)))
    })
    await until("ten updates", () => feed.received.length > 10)
    expect(feed.records()[0]?.updateType).toBe("SNAPSHOT")
    expect(feed.received[0]?.offset ?? 0).toBe(0)

    for (let reads = 0; reads < 5; reads += 1) {
      const answer = (await user.calls.orderBook(INSTRUMENT)).record
      await until(`sequence ${answer.sequence}`, () => states.has(answer.sequence))
      expect(text(pairs(answer.bids), pairs(answer.asks))).toBe(states.get(answer.sequence))
    }
    const offsets = feed.received.slice(1).map(({ offset }) => offset ?? 0)
    expect(gapsIn(offsets)).toEqual([])
    expect(book.faults).toEqual([])
  })

  it("places a resting order and cancels it, and the funds are held and freed", async () => {
    const trader = await signUpWithMock(gateway)
    const feed = await accountEvents(trader)
    const submitted = await trader.calls.submit(resting(trader, { clientOrderId: "mine-1" }))
    expect(submitted.status).toBe(200)
    expect(submitted.record).toMatchObject({
      status: "PENDING",
      executedQuantity: "0",
      executedCost: "0",
      executedPrice: null,
      averagePrice: null,
      clientOrderId: "mine-1",
      timeInForce: "GTC",
      limitPrice: "1000",
    })
    const { tradeOrderId } = submitted.record
    await until("ACCEPTED", () => feed.records().some(({ kind }) => kind === "TRADE_ORDER.ACCEPTED"))
    const open = (await trader.calls.order(trader.tradingAccountId, tradeOrderId)).record
    expect(open).toMatchObject({ status: "OPEN", orderStatus: "ACCEPTED", inDoubt: false })
    expect((await holdings(trader))["USDT"]).toEqual(["1000000", "999990", "10"])

    const cancelled = await trader.calls.cancelled(trader.tradingAccountId, tradeOrderId)
    expect(cancelled).toMatchObject({ status: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(cancelled.canceledAt).toBeGreaterThan(0)
    expect((await holdings(trader))["USDT"]).toEqual(["1000000", "1000000", "0"])
    const repeated = await trader.calls.cancel(trader.tradingAccountId, tradeOrderId)
    expect([repeated.status, repeated.record.status]).toEqual([200, "CANCELLED"])

    await until("CANCELLED", () => feed.records().some(({ kind }) => kind === "TRADE_ORDER.CANCELLED"))
    const kinds = eventsOf(feed.records(), tradeOrderId).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind !== "TRADE_ORDER.SUBMITTED")).toEqual([
      "TRADE_ORDER.CREATED",
      "TRADE_ORDER.ACCEPTED",
      "TRADE_ORDER.PENDING_CANCEL",
      "TRADE_ORDER.CANCELLED",
    ])
  })

  it("buys at market: execution, order and portfolio events come in that order and add up", async () => {
    const trader = await signUpWithMock(gateway)
    const feed = await accountEvents(trader)
    const filled = await trader.calls.submitted(market(trader))
    expect(filled).toMatchObject({ status: "FILLED", orderStatus: "FILLED", executedQuantity: "0.02" })
    expect(filled.executions.length).toBeGreaterThan(0)
    await until("the portfolio", () => {
      const kinds = feed.records().map(({ kind }) => kind)
      return (
        kinds.lastIndexOf("PORTFOLIO.UPDATED") > kinds.indexOf("TRADE_ORDER.FILLED") &&
        kinds.includes("TRADE_ORDER.FILLED")
      )
    })
    const events = feed.records()
    expect(gapsIn(events.map(({ sequence }) => sequence))).toEqual([])
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(events.length)
    for (const [index, { kind }] of events.entries()) {
      if (kind !== "EXECUTION.CREATED") continue
      expect(events[index + 1]?.kind).toMatch(/^TRADE_ORDER\.(PARTIALLY_FILLED|FILLED)$/)
      expect(events[index + 2]?.kind).toBe("PORTFOLIO.UPDATED")
    }
    const last = events.findLast(({ kind }) => kind === "TRADE_ORDER.FILLED")
    const read = (await trader.calls.order(trader.tradingAccountId, filled.tradeOrderId)).record
    expect(last?.data, "the event's data is the record that HTTP shows").toEqual(read)

    const scaled = (value: string): bigint => {
      const [whole = "0", fraction = ""] = value.split(".")
      return BigInt(whole + fraction.padEnd(18, "0"))
    }
    const positions = (await trader.calls.portfolio(trader.tradingAccountId)).record
    for (const position of positions)
      expect(scaled(position.balance), position.currency).toBe(scaled(position.available) + scaled(position.locked))
    const usdt = positions.find(({ currency }) => currency === "USDT")
    const spent = read.fees.filter(({ asset }) => asset === "USDT").reduce((sum, fee) => sum + scaled(fee.quantity), 0n)
    expect(scaled(usdt?.balance ?? "0")).toBe(scaled("1000000") - scaled(read.executedCost) - spent)
    const published = events.findLast(({ kind }) => kind === "PORTFOLIO.UPDATED")?.data as unknown
    for (const position of published as ReadonlyArray<PositionRecord>)
      expect(positions.find(({ currency }) => currency === position.currency)).toEqual(position)
  })

  it("buys at market twice at once where nobody has looked at the book yet", async () => {
    const trader = await signUpWithMock(gateway)
    const body = market(trader, { instrumentId: "MOCK:ETH/USDT", quantity: "0.1" })
    const answers = await Promise.all([body, body, body].map((each) => trader.calls.submit(each)))
    expect(answers.map(({ status, text }) => (status === 200 ? "placed" : text))).toEqual([
      "placed",
      "placed",
      "placed",
    ])
    const filled = answers.map(({ record }) => record.tradeOrderId)
    expect(new Set(filled).size).toBe(3)
  })

  it("gets the same order back for the same key, and 409 for another order under it", async () => {
    const trader = await signUpWithMock(gateway)
    const body = market(trader, { idempotencyKey: `key-${randomUUID()}` })
    const [first, second] = await Promise.all([trader.calls.submit(body), trader.calls.submit(body)])
    expect(second.record.tradeOrderId).toBe(first.record.tradeOrderId)
    const replayed = [first, second].map(({ headers }) => headers.get("idempotency-replayed"))
    expect(replayed.toSorted()).toEqual(["true", null].toSorted())
    const spelled = await trader.calls.submit({ ...body, quantity: "0.020", timeInForce: "GTC", awaitClosed: false })
    expect(spelled.record.tradeOrderId).toBe(first.record.tradeOrderId)
    expect(spelled.headers.get("idempotency-replayed")).toBe("true")
    const clash = await trader.calls.submit({ ...body, quantity: "0.03" })
    expect([clash.status, clash.envelope.errno]).toEqual([409, -110006])
    expect(clash.envelope.details?.metadata["tradeOrderId"]).toBe(first.record.tradeOrderId)
    expect((await trader.calls.orders({ tradingAccountId: trader.tradingAccountId })).record).toHaveLength(1)
  })

  it("lists its orders newest first, by status in either vocabulary, page by page", async () => {
    const trader = await signUpWithMock(gateway)
    const placed: Array<string> = []
    for (let index = 0; index < 5; index += 1)
      placed.push((await trader.calls.submitted(resting(trader, { awaitAccepted: true }))).tradeOrderId)
    await trader.calls.cancelled(trader.tradingAccountId, placed[0]!)
    const ids = (records: ReadonlyArray<TradeOrderRecord>) => records.map(({ tradeOrderId }) => tradeOrderId)
    const { tradingAccountId } = trader
    const newestFirst = placed.toReversed()
    expect(ids((await trader.calls.orders({ tradingAccountId })).record)).toEqual(newestFirst)
    expect(ids((await trader.calls.orders({ tradingAccountId, ascending: true })).record)).toEqual(placed)
    for (const status of ["OPEN", "ACCEPTED"])
      expect(ids((await trader.calls.orders({ tradingAccountId, status })).record)).toEqual(newestFirst.slice(0, 4))
    expect(ids((await trader.calls.orders({ tradingAccountId, orderStatus: "CANCELLED" })).record)).toEqual([placed[0]])

    const paged: Array<string> = []
    let cursor: string | undefined
    do {
      const page = await trader.calls.orders({ tradingAccountId, limit: 2, cursor })
      paged.push(...ids(page.record))
      expect(page.envelope.pagination?.total).toBe(5)
      cursor = page.envelope.pagination?.cursor ?? undefined
    } while (cursor !== undefined)
    expect(paged).toEqual(newestFirst)
  })

  it("hears tickers and trades of the market", async () => {
    const trader = await signUpWithMock(gateway)
    const client = await connectClient(gateway, trader.session.accessToken)
    const tickers = await listen<TickerRecord>(client, `market:ticker:${INSTRUMENT}`)
    const fan = await listen<TickerRecord>(client, "market:ticker:MOCK")
    const trades = await listen<TradeRecord>(client, `market:trade:${INSTRUMENT}`)
    const filled = await trader.calls.submitted(market(trader))
    const wanted = filled.executions.map(({ externalTradeId }) => externalTradeId)
    await until("our own trades", () => {
      const seen = trades.records().map(({ externalTradeId }) => externalTradeId)
      return wanted.every((id) => seen.includes(id))
    })
    const mine = trades.records().find(({ externalTradeId }) => externalTradeId === wanted[0])
    expect(mine).toMatchObject({ instrumentId: INSTRUMENT, side: "BUY", price: filled.executions[0]?.executedPrice })
    expect(gapsIn(trades.records().map(({ sequence }) => sequence))).toEqual([])
    await until("a ticker on both channels", () => tickers.received.length > 0 && fan.received.length > 0)
    const shown = (await trader.calls.ticker(INSTRUMENT)).record
    expect(Object.keys(tickers.records()[0] ?? {}).toSorted()).toEqual(Object.keys(shown).toSorted())
  })

  it("subscribes to an order book once, lists it and unsubscribes, repeatably", async () => {
    const user = await signUp(gateway)
    const first = (await user.calls.subscribeBook({ instrumentId: INSTRUMENT })).record
    expect(first).toMatchObject({
      status: "ACTIVE",
      instrumentId: INSTRUMENT,
      venue: "MOCK",
      subscriptionType: "MARKET.SUBSCRIPTION.ORDERBOOK",
    })
    expect((await user.calls.subscribeBook({ instrumentId: INSTRUMENT })).record.subscriptionId).toBe(
      first.subscriptionId,
    )
    expect((await user.calls.bookSubscriptions()).record).toHaveLength(1)
    for (let times = 0; times < 2; times += 1) {
      const ended = await user.calls.unsubscribeBook({ subscriptionId: first.subscriptionId })
      expect([ended.status, ended.record.status]).toEqual([200, "INACTIVE"])
    }
    expect((await user.calls.bookSubscriptions()).record).toEqual([])
    const unknown = await user.calls.unsubscribeBook({ subscriptionId: randomUUID() })
    expect([unknown.status, unknown.envelope.errno]).toEqual([404, -132001])
  })

  it("disconnects: open orders end, the channel ends with the account's last event, nothing is accepted any more", async () => {
    const trader = await signUpWithMock(gateway)
    const feed = await accountEvents(trader)
    const { tradeOrderId } = await trader.calls.submitted(resting(trader, { awaitAccepted: true }))
    await trader.calls.subscribeBook({ instrumentId: INSTRUMENT, tradingAccountId: trader.tradingAccountId })

    const gone = (await trader.calls.disconnect(trader.tradingAccountId)).record
    expect(gone.status).toBe("DISCONNECTED")
    expect(gone.disconnectedAt).toBeGreaterThan(0)
    const ended = await until("the end of the channel", feed.ended)
    expect(ended.code).toBeLessThan(2500)
    const events = feed.records()
    expect(events.at(-1)).toMatchObject({ kind: "TRADING_ACCOUNT.UPDATED", data: { status: "DISCONNECTED" } })
    expect(gapsIn(events.map(({ sequence }) => sequence))).toEqual([])
    const order = (await trader.calls.order(trader.tradingAccountId, tradeOrderId)).record
    expect(order).toMatchObject({ status: "CANCELLED", cancelReason: "ACCOUNT_DISCONNECTED" })

    expect((await trader.calls.disconnect(trader.tradingAccountId)).status).toBe(200)
    const refused = await trader.calls.submit(resting(trader))
    expect(refused.envelope.success).toBe(false)
    expect(refused.status).toBe(400)
    expect((await trader.calls.bookSubscriptions()).record).toEqual([])
    expect((await trader.calls.accounts()).record).toEqual([])
    const anew = (await trader.calls.connectMock()).record
    expect(anew.tradingAccountId).not.toBe(trader.tradingAccountId)
  })

  it("is refused in words before anything is stored", async () => {
    const trader = await signUpWithMock(gateway)
    const refusals: ReadonlyArray<readonly [number, number, object]> = [
      [400, -111000, resting(trader, { quantity: "5000" })],
      [404, -131001, resting(trader, { instrumentId: "MOCK:NOPE/USDT" })],
      [400, -112003, order(trader, { orderSide: "BUY", orderType: "LIMIT", quantity: "1" })],
      [400, -112034, resting(trader, { limitPrice: "1000.001" })],
      [400, -112031, resting(trader, { quantity: "0.0000000001" })],
      [400, -104003, resting(trader, { quantity: 1 })],
      [404, -120002, { ...resting(trader), tradingAccountId: randomUUID() }],
    ]
    for (const [status, errno, body] of refusals) {
      const answer = await trader.calls.submit(body as Record<string, unknown>)
      expect([answer.status, answer.envelope.errno], JSON.stringify(body)).toEqual([status, errno])
    }
    expect((await trader.calls.orders({ tradingAccountId: trader.tradingAccountId })).record).toEqual([])
  })
})
