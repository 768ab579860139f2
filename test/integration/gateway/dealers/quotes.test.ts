/** Firm quotes as clients and dealers see them: over HTTP and the socket, with ledger, accounts and books behind them. */

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { QuoteRecord } from "../../../../src/domain/dealer/quote.ts"
import type { SecurityRecord } from "../../../../src/domain/instrument/instrument.ts"
import { type Client, type Desk, INVENTORY, openDesk } from "../../../kit/desks/quoting.ts"
import { founder } from "../../../kit/servers/founder.ts"
import type { Api, Gateway } from "../../../kit/servers/gateway.ts"
import { endGateways, startGateway, until } from "../../../kit/servers/gateway.ts"
import { type AccountEvent, closeClients, connectClient, gapsIn, listen } from "../markets/socket.ts"

let gateway: Gateway
let admin: Api
let desk: Desk

beforeAll(async () => {
  gateway = await startGateway()
  admin = await founder(gateway)
  desk = await openDesk(gateway, admin)
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const cost = (price: string, quantity: string): bigint => scaled(price) * scaled(quantity)
const scaled = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(9, "0"))
}
const of18 = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(18, "0"))
}

const closed = async (client: Client, tradeOrderId: string) =>
  until("the order to be over", async () => {
    const { record } = await client.calls.order(client.tradingAccountId, tradeOrderId)
    return ["FILLED", "REJECTED", "EXPIRED"].includes(record.status) && record
  })

describe("a quote", () => {
  it("is firm, reserved, executed whole at its price, and told on both channels", async () => {
    const client = await desk.client()
    const socket = await connectClient(gateway, client.calls.token!)
    const feed = await listen<AccountEvent>(socket, `tradingAccount:${client.tradingAccountId}`)
    const quote = await client.quote({ quoteRequestId: "one" })
    expect(quote).toMatchObject({
      venue: "INTERNAL",
      instrumentId: "INTERNAL:BTC/USDT",
      traderAccountId: client.tradingAccountId,
      orderSide: "BUY",
      quantityType: "BASE",
      quantity: "0.5",
      quoteRequestId: "one",
      rejectReason: null,
      receipt: { venue: "MOCK", levels: null, markupBps: null, tradingAccountId: null },
    })
    expect(quote.expireAt - quote.createdAt).toBe(10_000)
    expect((await desk.wallet(desk.dealer.walletId!))["BTC"]?.[1]).toBe("0.5")
    const answer = await client.execute(quote)
    const order = await closed(client, answer.record.tradeOrderId)
    expect(order).toMatchObject({
      status: "FILLED",
      rejectReason: null,
      orderType: "QUOTED",
      quoteId: quote.quoteId,
      dealerAccountId: desk.dealer.dealerAccountId,
      executedQuantity: "0.5",
      averagePrice: quote.price,
      executions: [{ executedPrice: quote.price, executedQuantity: "0.5" }],
    })
    const mine = await desk.wallet(client.walletId)
    expect(mine["BTC"]).toEqual(["10.5", "0"])
    expect(of18("1000000") - of18(mine["USDT"]![0])).toBe(cost(quote.price!, "0.5"))
    const theirs = await desk.wallet(desk.dealer.walletId!)
    expect(theirs["BTC"]).toEqual(["99.5", "0"])
    expect(of18(theirs["USDT"]![0]) - of18(INVENTORY.USDT)).toBe(cost(quote.price!, "0.5"))
    expect(await client.quoteNow(quote.quoteId)).toMatchObject({
      status: "EXECUTED",
      tradeOrderId: order.tradeOrderId,
    })
    await until(
      "both events of the quote",
      () =>
        feed.records().filter(({ kind, data }) => kind === "QUOTE.UPDATED" && data["quoteId"] === quote.quoteId)
          .length === 2,
    )
    const told = feed.records()
    expect(gapsIn(told.map(({ sequence }) => sequence))).toEqual([])
    const ofQuote = told.filter(({ kind }) => kind === "QUOTE.UPDATED").map(({ data }) => data)
    expect(ofQuote.find(({ quoteId }) => quoteId === quote.quoteId)).toMatchObject({
      status: "CREATED",
      receipt: { levels: null },
    })
  })

  it("sells as it buys", async () => {
    const client = await desk.client()
    const before = await desk.wallet(desk.dealer.walletId!)
    const quote = await client.quote({ orderSide: "SELL", quantity: "0.25" })
    expect((await desk.wallet(desk.dealer.walletId!))["USDT"]?.[1]).not.toBe("0")
    const order = await closed(client, (await client.execute(quote)).record.tradeOrderId)
    expect(order).toMatchObject({ status: "FILLED", averagePrice: quote.price })
    const mine = await desk.wallet(client.walletId)
    expect(mine["BTC"]).toEqual(["9.75", "0"])
    expect(of18(mine["USDT"]![0]) - of18("1000000")).toBe(cost(quote.price!, "0.25"))
    const after = await desk.wallet(desk.dealer.walletId!)
    expect(of18(after["BTC"]![0]) - of18(before["BTC"]![0])).toBe(of18("0.25"))
  })
})

describe("the execution of a quote", () => {
  it("happens once, of 200 orders at the same time", async () => {
    const client = await desk.client()
    const quote = await client.quote({ ttl: 60 })
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => client.execute(quote, { idempotencyKey: `order-${n}` })),
    )
    const won = answers.filter(({ envelope }) => envelope.success)
    expect(won).toHaveLength(1)
    expect(await closed(client, won[0]!.record.tradeOrderId)).toMatchObject({ status: "FILLED" })
    const lost = answers.filter(({ envelope }) => !envelope.success)
    expect(new Set(lost.map(({ status, envelope }) => `${status} ${envelope.errno}`))).toEqual(new Set(["409 -140008"]))
    expect((await desk.wallet(client.walletId))["BTC"]).toEqual(["10.5", "0"])
    expect((await client.calls.orders({ tradingAccountId: client.tradingAccountId })).record).toHaveLength(1)
  })

  it("is the same order under the same key, however often and at whatever moment it is asked for", async () => {
    const client = await desk.client()
    const quote = await client.quote({ ttl: 60 })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.execute(quote, { idempotencyKey: "the-one" })),
    )
    expect(new Set(answers.map(({ record }) => record.tradeOrderId)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true")).toHaveLength(19)
    const other = await client.execute(quote, { idempotencyKey: "the-one", quantity: "0.4" })
    expect(other.envelope.errno).toBe(-110006)
    expect((await desk.wallet(client.walletId))["BTC"]).toEqual(["10.5", "0"])
  })

  it("makes no order of what does not match the quote, and leaves it as it was", async () => {
    const client = await desk.client()
    const stranger = await desk.client()
    const quote = await client.quote({ ttl: 60 })
    const errnoOf = async (fields: Record<string, unknown>) => (await client.execute(quote, fields)).envelope.errno
    expect(await errnoOf({ quantity: "0.51" })).toBe(-140009)
    expect(await errnoOf({ orderSide: "SELL" })).toBe(-140009)
    expect(await errnoOf({ instrumentId: "INTERNAL:ETH/USDT" })).toBe(-140009)
    expect(await errnoOf({ limitPrice: "1" })).toBe(-140009)
    expect(await errnoOf({ quoteId: "0198f3a2-9f50-7072-9b63-ae5f40617284" })).toBe(-140001)
    expect(await errnoOf({ quoteId: null })).toBe(-112007)
    expect(await errnoOf({ stopPrice: "1" })).toBe(-112005)
    expect((await stranger.execute(quote)).envelope.errno).toBe(-140001)
    const mock = (await client.calls.connectMock()).record.tradingAccountId
    expect(await errnoOf({ tradingAccountId: mock })).toBe(-112001)
    expect((await client.calls.orders({ tradingAccountId: client.tradingAccountId })).record).toEqual([])
    expect(await client.quoteNow(quote.quoteId)).toMatchObject({ status: "CREATED" })
    const executed = await client.execute(quote, {
      quantity: "0.500",
      limitPrice: quote.price,
      instrumentId: "INTERNAL:BTC/USDT",
    })
    expect((await closed(client, executed.record.tradeOrderId)).status).toBe("FILLED")
  })

  it("needs the client's funds, without which the quote binds on", async () => {
    const client = await desk.client({ USDT: "10" })
    // As long as one binds that its client cannot pay for.
    const quote = await client.quote({ ttl: 10 })
    const refused = await client.execute(quote, { idempotencyKey: "later" })
    expect(refused).toMatchObject({ status: 400, envelope: { errno: -111000 } })
    expect(await client.quoteNow(quote.quoteId)).toMatchObject({ status: "CREATED", tradeOrderId: null })
    expect(await desk.wallet(client.walletId)).toEqual({ USDT: ["10", "0"] })
    await desk.deposit(client.walletId, "USDT", "1000000")
    const order = await closed(client, (await client.execute(quote, { idempotencyKey: "later" })).record.tradeOrderId)
    expect(order.status).toBe("FILLED")
  })

  it("does nothing by halves while a wallet is frozen", async () => {
    const client = await desk.client()
    const quote = await client.quote({ ttl: 60 })
    for (const walletId of [client.walletId, desk.dealer.walletId!]) {
      const before = [await desk.wallet(client.walletId), await desk.wallet(desk.dealer.walletId!)]
      expect((await admin.post("/wallet/freeze", { walletId })).envelope.errno).toBe(0)
      expect(await client.execute(quote)).toMatchObject({ status: 400, envelope: { errno: -150002 } })
      expect([await desk.wallet(client.walletId), await desk.wallet(desk.dealer.walletId!)]).toEqual(before)
      expect((await admin.post("/wallet/unfreeze", { walletId })).envelope.errno).toBe(0)
    }
    expect((await client.calls.orders({ tradingAccountId: client.tradingAccountId })).record).toEqual([])
    const order = await closed(client, (await client.execute(quote)).record.tradeOrderId)
    expect(order.status).toBe("FILLED")
  })

  it("may bring exits along, which trade on the internal venue", async () => {
    const client = await desk.client()
    const quote = await client.quote({ ttl: 60 })
    const price = Number(quote.price)
    const exits = { takeProfitPrice: `${Math.round(price * 1.1)}`, stopLossPrice: `${Math.round(price * 0.9)}` }
    expect(await client.execute(quote, exits)).toMatchObject({ envelope: { errno: -131001 } })
    const terms = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.00001" }
    const listed = await admin.post<SecurityRecord>("/market/instrument/create", terms)
    expect(listed.envelope.errno).toBe(0)
    // While the market is retired the quote stands, and nothing may wait there.
    const { securityId: instrumentId } = listed.record
    expect((await admin.post("/market/instrument/retire", { instrumentId })).envelope.errno).toBe(0)
    expect(await client.execute(quote, exits)).toMatchObject({ envelope: { errno: -131003 } })
    expect((await admin.post("/market/instrument/create", terms)).envelope.errno).toBe(0)
    const wrong = { ...exits, stopLossPrice: `${Math.round(price * 1.2)}` }
    expect(await client.execute(quote, wrong)).toMatchObject({ envelope: { errno: -112012 } })
    const answer = await client.execute(quote, exits)
    expect(answer.envelope.errno).toBe(0)
    const order = await closed(client, answer.record.tradeOrderId)
    expect(order).toMatchObject({ status: "FILLED", contingencyType: "OTOCO" })
    const children = await until("both exits at work", async () => {
      const { record } = await client.calls.orders({
        tradingAccountId: client.tradingAccountId,
        orderListId: order.tradeOrderId,
      })
      return record.length === 2 && record.every(({ status }) => status === "OPEN") && record
    })
    expect(children.map(({ orderSide, quantity, quoteId }) => [orderSide, quantity, quoteId])).toEqual([
      ["SELL", "0.5", null],
      ["SELL", "0.5", null],
    ])
  })
})

describe("a quote that nobody executes", () => {
  it("is over on the server's clock: released, told, and good for nothing", async () => {
    const client = await desk.client()
    const socket = await connectClient(gateway, client.calls.token!)
    const feed = await listen<AccountEvent>(socket, `tradingAccount:${client.tradingAccountId}`)
    const held = async () => (await desk.wallet(desk.dealer.walletId!))["BTC"]?.[1]
    const before = await held()
    const quote = await client.quote({ ttl: 1 })
    expect(quote.expireAt - quote.createdAt).toBe(1_000)
    const told = await until("its end on the channel", () =>
      feed
        .records()
        .find(
          ({ kind, data }) =>
            kind === "QUOTE.UPDATED" && data["status"] === "EXPIRED" && data["quoteId"] === quote.quoteId,
        ),
    )
    expect(told.timestamp).toBeGreaterThanOrEqual(quote.expireAt)
    expect(await client.quoteNow(quote.quoteId)).toMatchObject({ status: "EXPIRED", tradeOrderId: null })
    expect(await held()).toBe(before)
    expect(await client.execute(quote)).toMatchObject({ status: 400, envelope: { errno: -140005 } })
    expect((await client.calls.orders({ tradingAccountId: client.tradingAccountId })).record).toEqual([])
  })
})

describe("a request for a quote", () => {
  it("is answered the same quote under its id, and 409 when it asks for something else", async () => {
    const client = await desk.client()
    await client.quote()
    const fields = { quoteRequestId: "again", ttl: 60 }
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.ask(fields)))
    expect(new Set(answers.map(({ record }) => record.quoteId)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === "true")).toHaveLength(19)
    expect(await client.ask({ ...fields, quantity: "0.50" })).toMatchObject({ envelope: { errno: 0 } })
    expect(await client.ask({ ...fields, quantity: "0.6" })).toMatchObject({
      status: 409,
      envelope: { errno: -140013 },
    })
    const other = await desk.client()
    expect((await other.ask(fields)).record.quoteId).not.toBe(answers[0]!.record.quoteId)
  })

  it("is refused by its words before it is a quote", async () => {
    const client = await desk.client()
    await client.quote()
    const errnoOf = async (fields: Record<string, unknown>) => (await client.ask(fields)).envelope.errno
    expect(await errnoOf({ quoteQuantity: "1", quantity: "1" })).toBe(-140010)
    expect(await errnoOf({ quantity: null })).toBe(-140010)
    expect(await errnoOf({ quantity: "0" })).toBe(-104003)
    expect(await errnoOf({ quantity: 1 })).toBe(-104003)
    expect(await errnoOf({ ttl: 5, expireAt: new Date(Date.now() + 5_000).toISOString() })).toBe(-140011)
    expect(await errnoOf({ ttl: 0 })).toBe(-140011)
    expect(await errnoOf({ ttl: 301 })).toBe(-140011)
    expect(await errnoOf({ expireAt: "tomorrow" })).toBe(-140011)
    expect(await errnoOf({ expireAt: new Date(Date.now() - 1).toISOString() })).toBe(-140011)
    expect(await errnoOf({ expireAt: new Date(Date.now() + 301_000).toISOString() })).toBe(-140011)
    expect(await errnoOf({ orderSide: "UNKNOWN" })).toBe(-140012)
    expect(await errnoOf({ pricingProfileId: "0198f3a2-9f50-7072-9b63-ae5f40617284" })).toBe(-140003)
    expect(await errnoOf({ instrumentId: "MOCK:NO/SUCH" })).toBe(-131001)
    expect(await errnoOf({ instrumentId: "nonsense" })).toBe(-131002)
    expect(await errnoOf({ instrumentId: null })).toBe(-104002)
    expect(await errnoOf({ instrumentId: "INTERNAL:ETH/BTC" })).toBe(-140004)
    expect(await errnoOf({ instrumentId: "INTERNAL:XXX/USDT" })).toBe(-140002)
    expect(await errnoOf({ quantity: "0.123456789012345678" })).toBe(-112031)
    expect(await errnoOf({ quantity: "9".repeat(24), orderSide: "SELL" })).toBe(0)
    expect(await errnoOf({ quantity: "9".repeat(25), orderSide: "SELL" })).toBe(-112035)
    expect(await errnoOf({ dealerAccountId: "0198f3a2-9f50-7072-9b63-ae5f40617284" })).toBe(-141001)
    expect(await errnoOf({ traderAccountId: "0198f3a2-9f50-7072-9b63-ae5f40617284" })).toBe(-120002)
    expect(await errnoOf({ traderAccountId: desk.linkedAccountId })).toBe(-102001)
  })

  it("names the pair as the venue does, or by its assets", async () => {
    const client = await desk.client()
    await client.quote()
    const ids = [
      { instrumentId: "MOCK:BTC/USDT" },
      { instrumentId: null, baseAsset: "BTC", quoteAsset: "USDT" },
      { traderAccountId: client.tradingAccountId },
    ]
    for (const fields of ids) expect((await client.ask(fields)).record.instrumentId).toBe("INTERNAL:BTC/USDT")
  })

  it("is a rejected quote where a rule of the dealer says no", async () => {
    const client = await desk.client()
    await client.quote()
    const much = (await client.ask({ quantity: "90000000" })).record
    expect(much).toMatchObject({
      status: "REJECTED",
      rejectReason: "INSUFFICIENT_LIQUIDITY",
      rejectErrno: -140006,
      price: null,
    })
    expect(await client.quoteNow(much.quoteId)).toMatchObject({ status: "REJECTED" })
    expect((await client.execute({ ...much, quantity: "90000000" })).envelope.errno).toBe(-140001)
  })

  it("in quote asset buys what that comes to, in whole lots", async () => {
    const client = await desk.client()
    await client.quote()
    const quote = await client.quote({ quoteQuantity: "1000", ttl: 60 })
    expect(quote).toMatchObject({ quantityType: "QUOTE", quoteQuantity: "1000" })
    expect(cost(quote.price!, quote.quantity!) <= cost("1000", "1")).toBe(true)
    const order = await closed(client, (await client.execute(quote)).record.tradeOrderId)
    expect(order).toMatchObject({ status: "FILLED", executedQuantity: quote.quantity })
  })

  it("is listed with its kind, newest first, with levels for the dealer's side alone", async () => {
    const client = await desk.client()
    const first = await client.quote({ ttl: 60 })
    const second = await client.quote({ ttl: 60 })
    const list = async (calls: Api, fields: Record<string, string>) =>
      (await calls.get<ReadonlyArray<QuoteRecord>>("/quote/list", fields)).record
    const mine = await list(client.calls, {})
    expect(mine.map(({ quoteId }) => quoteId)).toEqual([second.quoteId, first.quoteId])
    expect(mine[0]?.receipt?.levels).toBeNull()
    const { dealerAccountId } = desk.dealer
    const theirs = await list(admin, { dealerAccountId, traderAccountId: client.tradingAccountId })
    expect(theirs.map(({ quoteId }) => quoteId)).toEqual([second.quoteId, first.quoteId])
    expect(theirs[0]?.receipt?.levels?.length).toBeGreaterThan(0)
    expect(theirs[0]?.receipt).toMatchObject({ markupBps: "10", takerFeeBps: "10", ttlBps: "5" })
    const page = await client.calls.get<ReadonlyArray<QuoteRecord>>("/quote/list", { limit: "1" })
    expect(page.envelope.pagination).toMatchObject({ total: 2, hasNext: true })
    const next = await client.calls.get<ReadonlyArray<QuoteRecord>>("/quote/list", {
      limit: "1",
      cursor: page.envelope.pagination!.cursor!,
    })
    expect(next.record.map(({ quoteId }) => quoteId)).toEqual([first.quoteId])
    const stranger = await desk.client()
    expect((await stranger.calls.get("/quote/get", { quoteId: first.quoteId })).envelope.errno).toBe(-140001)
  })
})
