/** Firm quotes as clients and dealers see them: over HTTP and the socket, with ledger, accounts and books behind them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Client, type Dealing, dealing, INVENTORY, signUp } from "../../kit/dealing.ts"
import type { Api, Gateway } from "../../kit/gateway.ts"
import { endGateways, startGateway, until } from "../../kit/gateway.ts"
import { type AccountEvent, closeClients, connectClient, gapsIn, listen } from "./socket.ts"

let gateway: Gateway
let admin: Api
let desk: Dealing

beforeAll(async () => {
  gateway = await startGateway()
  admin = await signUp(gateway)
  desk = await dealing(gateway, admin)
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
