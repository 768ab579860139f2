/** Money that the internal venue has acknowledged can be traded at once: each deposit, transfer and release is followed by an order over all of it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import { type InternalMarket, type InternalTrader, internalMarket } from "../../../kit/desks/internal-market.ts"
import { endGateways, startGateway, taken } from "../../../kit/servers/gateway.ts"

const TIMES = 200
const LIMITS = {
  orderSubmit: { perSecond: 10_000, burst: 10_000 },
  orderCancel: { perSecond: 10_000, burst: 10_000 },
  openOrders: 10_000,
  http: { perSecond: 10_000, burst: 10_000 },
}

describe("money that was just acknowledged", () => {
  let market: InternalMarket
  let trader: InternalTrader

  beforeAll(async () => {
    const gateway = await startGateway({ env: { MOCK_TICK_MS: "0", RATE_LIMITS: JSON.stringify(LIMITS) } })
    market = await internalMarket(gateway)
    trader = await market.trader()
  })
  afterAll(endGateways)

  /** A buy of everything that should be free: refused, the answer says why. */
  const buy = (quantity: string) =>
    taken(() =>
      trader.calls.post<{ readonly tradeOrderId: string }>("/tradeOrder/submit", {
        tradingAccountId: trader.tradingAccountId,
        instrumentId: market.instrumentId,
        orderSide: "BUY",
        orderType: "LIMIT",
        limitPrice: "10",
        quantity,
      }),
    )

  it("is there for the next order after a deposit", async () => {
    const refused: Array<unknown> = []
    for (let i = 0; i < TIMES; i++) {
      await market.deposit(trader.walletId, "USD", "10")
      const { status, envelope } = await buy("1")
      if (status !== 200) refused.push([i, envelope.errno, envelope.details])
    }
    expect(refused).toEqual([])
  })

  it("is there after a transfer in, and seen in the portfolio", async () => {
    const wallet = (await trader.calls.post<WalletRecord>("/wallet/create", {})).record
    await market.deposit(wallet.walletId, "USD", String(10 * TIMES))
    const wrong: Array<unknown> = []
    for (let i = 0; i < TIMES; i++) {
      const move = { sourceWalletId: wallet.walletId, destWalletId: trader.walletId, asset: "USD", amount: "10" }
      const moved = await taken(() => trader.calls.post("/wallet/transfer", move))
      expect(moved.status).toBe(200)
      const seen = (await trader.portfolio())["USD"]?.[0]
      if (seen !== "10") wrong.push([i, seen])
      const { status, envelope } = await buy("1")
      if (status !== 200) wrong.push([i, envelope.errno, envelope.details])
    }
    expect(wrong).toEqual([])
  })

  it("is free again after a cancel", async () => {
    await market.deposit(trader.walletId, "USD", "10")
    const wrong: Array<unknown> = []
    for (let i = 0; i < TIMES; i++) {
      const { status, envelope, record } = await buy("1")
      if (status !== 200) wrong.push([i, envelope.errno, envelope.details])
      else await trader.calls.cancelled(trader.tradingAccountId, record.tradeOrderId)
    }
    expect(wrong).toEqual([])
  })
})
