/** A market of the internal venue on a real ledger: orders that meet many others, wallets that are frozen meanwhile, and a market that gave up. */
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { TenantId } from "../../../src/domain/ids.ts"
import { type TestDatabase, testDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import type { InternalRig } from "../../kit/worlds/internal-rig.ts"
import { BTC_USD, openInternalRig } from "../../kit/worlds/internal-rig.ts"

let rig: InternalRig
let database: TestDatabase

const open = async (options: Parameters<typeof openInternalRig>[1] = {}): Promise<InternalRig> => {
  database = await testDatabase()
  rig = await openInternalRig(database.url, options)
  return rig
}
afterEach(async () => {
  expect(await rig.ledger.violations()).toEqual([])
  expect(rig.ledger.defects).toEqual([])
  await rig.close()
  await database.drop()
})

/** So many sellers of one BTC at 100 each, in order. */
const sellers = async (count: number) => {
  const desks = []
  for (let i = 0; i < count; i++) desks.push(await rig.desk({ BTC: "1" }))
  const asks = desks.map((desk) => ({ desk, id: desk.submit("SELL", "1", "100") }))
  for (const { desk, id } of asks) await desk.told(id, "Accepted")
  return asks
}

const filledBy = (desk: { readonly reports: InternalRig["requests"] | ReadonlyArray<{ readonly _tag: string }> }) =>
  (desk.reports as ReadonlyArray<{ readonly _tag: string }>).filter(({ _tag }) => _tag === "Filled").length

describe("a change of an order", () => {
  it("is not made after its time", async () => {
    await open()
    const buyer = await rig.desk({ USD: "1000" })
    const bid = buyer.submit("BUY", "1", "90")
    await buyer.told(bid, "Accepted")
    const to = { quantity: "2", limitPrice: "80", stopPrice: null, askedAt: 1 }
    buyer.amend(bid, { ...to, notAfter: 0 })
    expect(await buyer.told(bid, "AmendRefused")).toMatchObject({ text: "past its notAfter", unknownOrder: false })
    expect(await rig.stored()).toEqual(["1 @ 90"])
    buyer.amend(bid, { ...to, notAfter: Number.MAX_SAFE_INTEGER })
    await buyer.told(bid, "AmendAccepted")
    expect(await rig.stored()).toEqual(["2 @ 80"])
  })
})

describe("an order that meets many others", () => {
  it("trades with all of them, so many in a transaction, in the order of their queue", async () => {
    await open()
    const asks = await sellers(120)
    const buyer = await rig.desk({ USD: "12100" })
    const bid = buyer.submit("BUY", "121", "100")
    await until("all trades", () => filledBy(buyer) === 120)
    for (const { desk, id } of asks) await desk.told(id, "Filled")
    const sizes = rig.requests.map(({ transfers }) => transfers.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(300)
    const settlements = rig.requests.filter(({ facts }) => facts.some(({ tag }) => tag === "internal_trade"))
    expect(settlements.length).toBeGreaterThanOrEqual(3)
    const trades = settlements.flatMap(({ facts }) => facts.filter(({ tag }) => tag === "internal_trade"))
    expect(trades.map(({ row }) => row["maker_order_id"])).toEqual(asks.map(({ id }) => id))
    expect(await rig.stored()).toEqual(["1 @ 100"])
    expect(await rig.ledger.balance(buyer.walletId, "USD")).toEqual({ balance: "100", held: "100" })
    expect(await rig.ledger.balance(buyer.walletId, "BTC")).toEqual({ balance: "119.76", held: "0" })
    buyer.cancel(bid)
    await buyer.told(bid, "CancelAccepted")
    expect(await rig.ledger.balance(buyer.walletId, "USD")).toEqual({ balance: "100", held: "0" })
  })

  it("leaves out those whose wallet was frozen meanwhile, and nobody else", async () => {
    await open()
    const asks = await sellers(60)
    const frozen = asks[55]!
    expect(await rig.ledger.setStatus(frozen.desk.walletId, "FROZEN")).toBeNull()
    const buyer = await rig.desk({ USD: "6000" })
    buyer.submit("BUY", "60", "100")
    await until("all other trades", () => filledBy(buyer) === 59)
    expect(await frozen.desk.told(frozen.id, "OrderSeen")).toMatchObject({
      state: { status: "CANCELLED", executedQuantity: "0" },
    })
    await until("the rest on the book", async () => (await rig.stored()).join() === "1 @ 100")
    expect(await rig.ledger.balance(frozen.desk.walletId, "BTC")).toEqual({ balance: "1", held: "0" })
    for (const { desk, id } of asks) if (desk !== frozen.desk) await desk.told(id, "Filled")
  })

  it("ends when its own wallet is frozen meanwhile, and the others wait on", async () => {
    await open()
    const asks = await sellers(2)
    const buyer = await rig.desk({ USD: "6000" })
    const bid = buyer.submit("BUY", "1", "90")
    await buyer.told(bid, "Accepted")
    await rig.ledger.setStatus(buyer.walletId, "FROZEN")
    const other = await rig.desk({ BTC: "1" })
    const ask = other.submit("SELL", "1", "90")
    expect(await buyer.told(bid, "OrderSeen")).toMatchObject({ state: { status: "CANCELLED" } })
    await other.told(ask, "Accepted")
    await until("three asks", async () => (await rig.stored()).join() === "1 @ 100,1 @ 100,1 @ 90")
    const next = await rig.desk({ USD: "6000" })
    const through = next.submit("BUY", "3", "100")
    await until("all trades", () => filledBy(next) === 3)
    expect(next.reports.some((it) => it._tag === "OrderSeen")).toBe(false)
    expect(through).toBeTruthy()
    for (const { desk, id } of asks) await desk.told(id, "Filled")
  })

  it("is all or nothing with at most fifty others", async () => {
    await open()
    await sellers(51)
    const buyer = await rig.desk({ USD: "10000" })
    const killed = buyer.submit("BUY", "51", "100", { timeInForce: "FOK" })
    expect(await buyer.told(killed, "OrderSeen")).toMatchObject({ state: { status: "CANCELLED", ending: "REMAINDER" } })
    expect((await rig.stored()).length).toBe(51)
    buyer.submit("BUY", "50", "100", { timeInForce: "FOK" })
    await until("all trades", () => filledBy(buyer) === 50)
    expect(await rig.stored()).toEqual(["1 @ 100"])
  })
})

describe("orders that come at once", () => {
  it("keep their places and lose nothing, whatever the ledger refuses", async () => {
    await open()
    const poor = await rig.desk({ USD: "100" })
    const rich = await rig.desk({ BTC: "10" })
    const bids = Array.from({ length: 6 }, () => poor.submit("BUY", "0.5", "100"))
    const ask = rich.submit("SELL", "3", "100")
    // Two are paid for; of the others the ledger holds nothing.
    for (const id of bids.slice(2))
      expect(await poor.told(id, "Refused")).toMatchObject({ code: "INSUFFICIENT_BALANCE" })
    for (const id of bids.slice(0, 2)) await poor.told(id, "Filled")
    await rich.told(ask, "Filled")
    expect(await rig.stored()).toEqual(["2 @ 100"])
    expect(await rig.ledger.balance(poor.walletId, "USD")).toEqual({ balance: "0", held: "0" })
  })
})

describe("a market whose actor gave up", () => {
  it("takes no orders, gives orders back, and opens again", async () => {
    await open({ reopenMillis: 1_500 })
    const seller = await rig.desk({ BTC: "5" })
    const ask = seller.submit("SELL", "1", "100")
    const poison = seller.submit("SELL", "2", "101")
    for (const id of [ask, poison]) await seller.told(id, "Accepted")
    // A row that no market can read: each start of the actor dies of it.
    await rig.ledger.client.query("UPDATE internal_order SET limit_price = 101.001 WHERE trade_order_id = $1", [poison])
    await rig.close()
    rig = await openInternalRig(database.url, { reopenMillis: 1_500 })
    const back = await rig.reopen(seller.account)
    await until("the market to give up", () => rig.notices.includes("a market of the internal venue is halted"))
    back.cancel(ask)
    await back.told(ask, "CancelAccepted")
    expect(await rig.ledger.balance(seller.walletId, "BTC")).toEqual({ balance: "5", held: "2" })
    const again = await rig.desk({ USD: "1000" })
    const refused = again.submit("BUY", "1", "100")
    expect(await again.told(refused, "Refused")).toMatchObject({ code: "TRADING_HALTED" })
    await rig.ledger.client.query("UPDATE internal_order SET limit_price = 101 WHERE trade_order_id = $1", [poison])
    await until("the market to open again", async () => {
      const id = again.submit("BUY", "1", "101")
      return until("an answer", () => again.reports.find((it) => "tradeOrderId" in it && it.tradeOrderId === id)).then(
        ({ _tag }) => _tag === "Accepted",
      )
    })
    await until("the trade", () => filledBy(again) === 1)
    expect(await rig.stored()).toEqual(["1 @ 101"])
  })
})

describe("a market of a tenant", () => {
  const ACME = "acme" as TenantId

  it("refuses an order of another tenant, whatever let it through", async () => {
    await open()
    const seller = await rig.desk({ BTC: "1" })
    const ask = seller.submit("SELL", "1", "100")
    await seller.told(ask, "Accepted")
    const { account } = await rig.desk({ USD: "1000" })
    const stranger = await rig.reopen({ ...account, tenantId: ACME })
    const bid = stranger.submit("BUY", "1", "100")
    expect(await stranger.told(bid, "Refused")).toMatchObject({ code: "INSTRUMENT_NOT_FOUND" })
    expect(await rig.ledger.balance(stranger.walletId, "USD")).toEqual({ balance: "1000", held: "0" })
    expect(await rig.stored()).toEqual(["1 @ 100"])
  })

  it("ends at its start what users of others left in it when all shared it", async () => {
    await open()
    const seller = await rig.desk({ BTC: "1" })
    const ask = seller.submit("SELL", "1", "100")
    await seller.told(ask, "Accepted")
    await rig.close()
    rig = await openInternalRig(database.url, { instruments: [{ ...BTC_USD, tenantId: ACME }] })
    await until("an empty book", async () => (await rig.stored()).length === 0)
    expect(await rig.ledger.balance(seller.walletId, "BTC")).toEqual({ balance: "1", held: "0" })
    const back = await rig.reopen(seller.account)
    const ref = { tradeOrderId: ask, externalOrderId: null, instrumentId: BTC_USD.instrumentId }
    expect(await Effect.runPromise(back.session.fetchOrder(ref))).toMatchObject({ state: { status: "CANCELLED" } })
    back.cancel(ask)
    expect(await back.told(ask, "CancelRefused")).toMatchObject({ unknownOrder: true })
  })
})
