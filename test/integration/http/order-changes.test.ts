/** Changes and sweeps of orders over HTTP, at MOCK: replace, cancelAll, cancelAllAfter, and the limits of an account. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { Api, endGateways, type Gateway, startGateway } from "../../kit/servers/gateway.ts"

interface Swept {
  readonly cancelled: ReadonlyArray<string>
  readonly pending: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
}

const LIMITS = {
  orderSubmit: { perSecond: 0.001, burst: 12 },
  orderCancel: { perSecond: 1_000, burst: 1_000 },
  openOrders: 5,
  // Whoever waits for an order asks again and again.
  http: { perSecond: 10_000, burst: 10_000 },
}

describe("changes of orders over HTTP", () => {
  let gateway: Gateway
  let ada: Api
  let accounts: ReadonlyArray<string>

  beforeAll(async () => {
    gateway = await startGateway({ env: { MOCK_TICK_MS: "0", RATE_LIMITS: JSON.stringify(LIMITS) } })
    const nobody = new Api(gateway.http)
    ada = nobody.as((await nobody.signup("ada@example.com")).record.accessToken)
    accounts = await Promise.all(
      ["a", "b", "c"].map(async (name) => (await ada.connectMock(name)).record.tradingAccountId),
    )
  })
  afterAll(endGateways)

  const accountAt = (index: number): string => accounts[index] ?? ""

  const resting = async (tradingAccountId: string, limitPrice = "20000"): Promise<TradeOrderRecord> =>
    ada.submitted({
      tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.01",
      limitPrice,
      awaitAccepted: true,
    })

  it("replaces an order, and says which order stands for it", async () => {
    const tradingAccountId = accountAt(0)
    const order = await resting(tradingAccountId)
    const answer = await ada.post<TradeOrderRecord>("/tradeOrder/replace", {
      tradingAccountId,
      tradeOrderId: order.tradeOrderId,
      quantity: "0.02",
      limitPrice: "21000",
    })
    expect(answer.status).toBe(200)
    const stands = answer.record
    if (stands.tradeOrderId !== order.tradeOrderId) {
      expect(stands.replacesTradeOrderId).toBe(order.tradeOrderId)
      const old = (await ada.order(tradingAccountId, order.tradeOrderId)).record
      expect(old).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "REPLACED" })
    }
    await expect
      .poll(async () => (await ada.order(tradingAccountId, stands.tradeOrderId)).record, { timeout: 45_000 })
      .toMatchObject({ orderStatus: "ACCEPTED", limitPrice: "21000", quantity: "0.02" })
    const refused = await ada.post("/tradeOrder/replace", {
      tradingAccountId,
      tradeOrderId: stands.tradeOrderId,
      limitPrice: "21000.001",
    })
    expect([refused.status, refused.envelope.errno]).toEqual([400, -112034])
    const nothing = await ada.post("/tradeOrder/replace", { tradingAccountId, tradeOrderId: stands.tradeOrderId })
    expect([nothing.status, nothing.envelope.errno]).toEqual([400, -104002])
    await ada.cancelled(tradingAccountId, stands.tradeOrderId)
    const over = await ada.post("/tradeOrder/replace", {
      tradingAccountId,
      tradeOrderId: stands.tradeOrderId,
      limitPrice: "21001",
    })
    expect([over.status, over.envelope.errno]).toEqual([400, -110011])
  })

  it("bounds working orders and submits, never cancels, and cancels all of them at once", async () => {
    const tradingAccountId = accountAt(1)
    const orders: Array<TradeOrderRecord> = []
    for (let i = 0; i < 5; i++) orders.push(await resting(tradingAccountId, `${20_000 + i}`))
    const body = {
      tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.01",
      limitPrice: "20000",
    }
    const full = await ada.submit(body)
    expect([full.status, full.envelope.errno]).toEqual([429, -103005])
    // Six of twelve tokens are spent; a submit that is refused for another reason costs one too.
    for (let i = 0; i < 6; i++) await ada.submit(body)
    const limited = await ada.submit(body)
    expect([limited.status, limited.envelope.errno]).toEqual([429, -103002])
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    const elsewhere = await ada.post<Swept>("/tradeOrder/cancelAll", {
      tradingAccountId,
      instrumentId: "MOCK:ETH/USDT",
    })
    expect(elsewhere.record).toEqual({ cancelled: [], pending: [], failed: [] })
    const swept = (await ada.post<Swept>("/tradeOrder/cancelAll", { tradingAccountId })).record
    expect([...swept.cancelled, ...swept.pending].sort()).toEqual(orders.map((it) => it.tradeOrderId).sort())
    expect(swept.failed).toEqual([])
    for (const { tradeOrderId } of orders)
      await expect
        .poll(async () => (await ada.order(tradingAccountId, tradeOrderId)).record.orderStatus, { timeout: 45_000 })
        .toBe("CANCELLED")
  })

  it("cancels all orders of a client that falls silent", async () => {
    const tradingAccountId = accountAt(2)
    const order = await resting(tradingAccountId)
    const on = await ada.post<{ cancelAllAt: number; cancelAllAtDateTime: string }>("/tradeOrder/cancelAllAfter", {
      tradingAccountId,
      timeoutMs: 600_000,
    })
    expect(new Date(on.record.cancelAllAtDateTime).getTime()).toBe(on.record.cancelAllAt)
    const off = await ada.post("/tradeOrder/cancelAllAfter", { tradingAccountId, timeoutMs: 0 })
    expect(off.record).toEqual({ tradingAccountId, cancelAllAt: null, cancelAllAtDateTime: null })
    await ada.post("/tradeOrder/cancelAllAfter", { tradingAccountId, timeoutMs: 500 })
    await expect
      .poll(async () => (await ada.order(tradingAccountId, order.tradeOrderId)).record, { timeout: 45_000 })
      .toMatchObject({ orderStatus: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH" })
    const bad = await ada.post("/tradeOrder/cancelAllAfter", { tradingAccountId, timeoutMs: -1 })
    expect([bad.status, bad.envelope.errno]).toEqual([400, -104003])
  })
})
