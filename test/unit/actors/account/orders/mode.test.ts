/** What an account takes in each trading mode of the installation: its actor in the simulated world. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { TradingMode } from "../../../../../src/domain/account/trading-mode.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradingHalted } from "../../../../../src/domain/errors/risk.ts"
import type { DealerAccountId } from "../../../../../src/domain/ids.ts"
import type { SubmitRequest } from "../../../../../src/domain/order/submit-request.ts"
import { BTC_USDT } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, errorOf, okOf, World } from "../../../../sim/world.ts"

let world: World
beforeEach(() => {
  world = new World()
  world.start()
  world.advance(2_000)
})
afterEach(() => world.crash())

const submit = (patch: Partial<SubmitRequest> = {}) => {
  const asked = world.submit({ limitPrice: "90" as never, ...patch })
  world.advance(100)
  return asked
}

const HALTS: ReadonlyArray<TradingMode> = ["cancel_only", "post_only", "maintenance"]

describe("an account", () => {
  it.each(HALTS)("refuses orders that may take in %s, says why, and stores and sends nothing", (mode) => {
    world.mode = mode
    for (const patch of [
      {},
      { orderType: "MARKET" },
      { timeInForce: "IOC" },
      { orderType: "LIMIT_MAKER", takeProfitPrice: "120", stopLossPrice: "80" },
      { orderType: "STOP_LOSS", timeInForce: "GTX", stopPrice: "80" },
      { orderType: "QUOTED", quoteId: "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" },
    ] as ReadonlyArray<Partial<SubmitRequest>>) {
      const asked = submit(patch)
      expect([patch, errorOf(asked)]).toEqual([patch, "TradingHalted"])
      const { tradingMode } = (asked.answer as { readonly error: TradingHalted }).error
      expect(tradingMode).toBe(mode)
    }
    expect(world.database.orders.size).toBe(0)
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("takes orders that can only rest in post_only, and in no stricter mode", () => {
    world.mode = "post_only"
    expect(okOf(submit({ orderType: "LIMIT_MAKER" })).order.orderType).toBe("LIMIT_MAKER")
    expect(okOf(submit({ timeInForce: "GTX" })).order.timeInForce).toBe("GTX")
    for (const mode of ["cancel_only", "maintenance"] as const) {
      world.mode = mode
      expect(errorOf(submit({ orderType: "LIMIT_MAKER" }))).toBe("TradingHalted")
    }
  })

  it.each(HALTS)("cancels in %s, and answers a repeat of what was accepted before", (mode) => {
    const first = okOf(submit({ idempotencyKey: "before" }))
    world.mode = mode
    const again = okOf(submit({ idempotencyKey: "before" }))
    expect([again.replayed, again.order.tradeOrderId]).toEqual([true, first.order.tradeOrderId])
    const cancelled = world.cancel(first.order.tradeOrderId)
    world.advance(1_000)
    expect(okOf(cancelled).orderStatus).toBe("CANCELLED")
    world.mode = "online"
    expect(errorOf(submit())).toBeUndefined()
  })

  it("judges a change as it would a new order", () => {
    const taker = okOf(submit()).order.tradeOrderId
    const maker = okOf(submit({ orderType: "LIMIT_MAKER" })).order.tradeOrderId
    const replace = (tradeOrderId: typeof taker) => {
      const asked = world.replace(tradeOrderId, { limitPrice: "91" })
      world.advance(1_500)
      return errorOf(asked)
    }
    world.mode = "cancel_only"
    expect([replace(taker), replace(maker)]).toEqual(["TradingHalted", "TradingHalted"])
    world.mode = "post_only"
    expect([replace(taker), replace(maker)]).toEqual(["TradingHalted", undefined])
  })

  it.each(HALTS)("takes a change that only ends the order, or changes nothing, in %s", (mode) => {
    const { tradeOrderId } = okOf(submit({ quantity: "3" as never })).order
    const [sim] = [...world.venue.orders.values()]
    world.venue.fill(sim!, Decimal.ONE)
    world.advance(100)
    world.mode = mode
    const replace = (asked: { readonly quantity: string | null; readonly limitPrice: string | null }) => {
      const answer = world.replace(tradeOrderId, asked)
      world.advance(1_500)
      return answer
    }
    expect(okOf(replace({ quantity: null, limitPrice: "90" })).orderStatus).toBe("PARTIALLY_FILLED")
    expect(errorOf(replace({ quantity: "2", limitPrice: null }))).toBe("TradingHalted")
    expect(okOf(replace({ quantity: "1", limitPrice: null })).orderStatus).toBe("CANCELLED")
  })

  it("lets what was accepted go on: an armed trigger fires in a halt", () => {
    world.trade("100")
    const order = okOf(
      submit({ orderType: "STOP_LOSS", orderSide: "SELL", stopPrice: "95" as never, limitPrice: null }),
    )
    world.mode = "cancel_only"
    world.trade("94")
    world.advance(1_000)
    expect(world.read(order.order.tradeOrderId).orderStatus).toBe("FILLED")
  })

  it("hedges executed quotes in every mode but maintenance", () => {
    const hedge = (key: string) => {
      const asked = world.ask((reply) => ({
        _tag: "SubmitOrder",
        request: {
          tradingAccountId: ACCOUNT,
          instrumentId: BTC_USDT,
          orderSide: "BUY",
          orderType: "MARKET",
          quantity: "1" as never,
          idempotencyKey: key,
        },
        hedge: { dealerAccountId: "d" as DealerAccountId, quotes: { quoteIds: [], count: 0 } },
        receivedAt: world.monotonic(),
        named: () => undefined,
        reply,
      }))
      world.advance(100)
      return errorOf(asked)
    }
    for (const mode of ["online", "post_only", "cancel_only"] as const) {
      world.mode = mode
      expect([mode, hedge(mode)]).toEqual([mode, undefined])
    }
    world.mode = "maintenance"
    expect(hedge("maintenance")).toBe("TradingHalted")
  })
})
