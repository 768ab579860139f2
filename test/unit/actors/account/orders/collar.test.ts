/** The price collar of a limit order: the same answer whether or not a client reads the market, and no wait where none is needed. */
import { afterEach, describe, expect, it } from "vitest"
import type { SubmitOrder } from "../../../../../src/actors/account/messages.ts"
import type { DealerAccountId, QuoteId } from "../../../../../src/domain/ids.ts"
import { PLAIN_CAPABILITIES } from "../../../../../src/domain/instrument/venue-capabilities.ts"
import { ORDER_LIMITS } from "../../../../../src/domain/order/rates.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { IdleMarket } from "../../../../kit/worlds/idle-market.ts"
import { BTC_USDT } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, errorOf, okOf, START, World } from "../../../../sim/world.ts"

let world: World
afterEach(() => world.crash())

const text = (value: string) => value as never
/** Twice the market and more. */
const FAR = { limitPrice: text("201") }
const NEAR = { limitPrice: text("99") }
const MINUTE = 60_000

/** `tickerMillis`: how long the ticker takes to come, or to fail. */
const worldOf = (
  market: IdleMarket,
  tickerMillis = 50,
  options: ConstructorParameters<typeof World>[0] = {},
): IdleMarket => {
  world = new World(options)
  world.market = market
  world.tickerMillis = tickerMillis
  world.start()
  world.advance(2_000)
  return market
}

describe("the price collar", () => {
  it("refuses the same order whether a client reads the market or not", () => {
    const market = worldOf(new IdleMarket("100"))
    const idle = world.submit(FAR)
    world.advance(100)
    expect(errorOf(idle)).toBe("PriceOutsideCollar")
    market.read()
    expect(errorOf(world.submit(FAR))).toBe("PriceOutsideCollar")
    expect(world.database.orders.size).toBe(0)
  })

  it("asks for no price that is known", () => {
    const market = worldOf(new IdleMarket("100"), 5_000)
    market.read()
    const asked = world.submit(NEAR)
    world.advance(20)
    expect(okOf(asked).replayed).toBe(false)
    expect(market.asked).toBe(0)
  })

  it("is waited for a second at most, and of a market that says nothing not by every order", () => {
    worldOf(new IdleMarket(null), 5_000)
    const first = world.submit(FAR)
    world.advance(900)
    expect(first.answer).toBeUndefined()
    world.advance(120)
    expect(okOf(first).order.limitPrice?.toString()).toBe("201")
    const second = world.submit(FAR)
    world.advance(20)
    expect(okOf(second).replayed).toBe(false)
  })

  it("asks once for all orders that wait", () => {
    const market = worldOf(new IdleMarket("100"))
    const all = [world.submit(NEAR), world.submit(FAR), world.submit(NEAR)]
    world.advance(100)
    expect(all.map(errorOf)).toEqual([undefined, "PriceOutsideCollar", undefined])
    expect(market.asked).toBe(1)
  })

  it("lets an order pass by the price of the last minute, and refuses none by it while a newer one can be had", () => {
    const market = worldOf(new IdleMarket("100"))
    market.read()
    world.submit(NEAR)
    world.advance(20)
    expect(world.database.orders.size).toBe(1)
    market.close()
    market.price = "150"
    world.tickerMillis = 500
    world.advance(MINUTE - 2_000)
    const near = world.submit(NEAR)
    const far = world.submit(FAR)
    world.advance(20)
    expect(okOf(near).replayed).toBe(false)
    expect(far.answer).toBeUndefined()
    world.advance(500)
    expect(okOf(far).order.limitPrice?.toString()).toBe("201")
  })

  it("is judged by the price of the last minute where none comes, and not by an older one", () => {
    const market = worldOf(new IdleMarket("100"))
    market.read()
    world.submit(NEAR)
    world.advance(20)
    expect(world.database.orders.size).toBe(1)
    market.close()
    market.price = null
    const young = world.submit(FAR)
    world.advance(1_100)
    expect(errorOf(young)).toBe("PriceOutsideCollar")
    world.advance(MINUTE)
    const old = world.submit(FAR)
    world.advance(1_100)
    expect(okOf(old).replayed).toBe(false)
  })

  it("is not waited for by the repeat of an order that has left memory", () => {
    const market = worldOf(new IdleMarket("100"), 5_000)
    market.read()
    const first = world.submit({ limitPrice: text("100"), clientOrderId: "first" })
    world.advance(1_000)
    for (let n = 0; n < 20; n++) {
      world.submit({ limitPrice: text("100") })
      world.advance(1_000)
    }
    market.close()
    world.advance(2 * MINUTE)
    market.asked = 0
    const again = world.submit({ limitPrice: text("100"), clientOrderId: "first" })
    world.advance(50)
    expect(okOf(again)).toMatchObject({ replayed: true, order: { tradeOrderId: okOf(first).order.tradeOrderId } })
    world.advance(5_000)
    expect(market.asked).toBe(0)
  })
})

describe("an order that has waited for the collar", () => {
  it("is held to the limit of open orders again", () => {
    worldOf(new IdleMarket("100"), 50, { limits: { ...ORDER_LIMITS, openOrders: 2 } })
    const all = [world.submit(NEAR), world.submit(NEAR), world.submit(NEAR)]
    world.advance(200)
    expect(all.map(errorOf)).toEqual([undefined, undefined, "TooManyOpenOrders"])
    expect(world.database.orders.size).toBe(2)
  })

  it("is counted once by the rate of submits", () => {
    const limits = { ...ORDER_LIMITS, orderSubmit: { perSecond: 1, burst: 3 } }
    worldOf(new IdleMarket("100"), 50, { limits })
    const all = [world.submit(NEAR), world.submit(NEAR), world.submit(NEAR)]
    world.advance(200)
    expect(all.map(errorOf)).toEqual([undefined, undefined, undefined])
  })
})

describe("a hedge", () => {
  const hedge = { dealerAccountId: "dealer" as DealerAccountId, quotes: { quoteIds: ["quote" as QuoteId], count: 1 } }
  const submitted = (limitPrice: string) => {
    let message: SubmitOrder | undefined
    return world.ask<Parameters<SubmitOrder["reply"]["ok"]>[0]>((reply) => {
      message = {
        _tag: "SubmitOrder",
        hedge,
        request: {
          tradingAccountId: ACCOUNT,
          instrumentId: BTC_USDT,
          orderSide: "BUY",
          orderType: "LIMIT",
          quantity: text("1"),
          limitPrice: text(limitPrice),
        },
        receivedAt: world.time.now - START,
        named: () => undefined,
        reply,
      }
      return message
    })
  }

  it("does not wait for a ticker", () => {
    const market = worldOf(new IdleMarket("100"), 5_000)
    const asked = submitted("201")
    world.advance(20)
    expect(okOf(asked).order.limitPrice?.toString()).toBe("201")
    expect(market.asked).toBe(0)
  })

  it("is held to the price that is known", () => {
    const market = worldOf(new IdleMarket("100"), 5_000)
    market.read()
    expect(errorOf(submitted("201"))).toBe("PriceOutsideCollar")
  })
})

describe("the collar of a change", () => {
  const placed = (): TradeOrder => {
    const asked = world.submit(NEAR)
    world.advance(1_500)
    return world.read(okOf(asked).order.tradeOrderId)
  }
  const AMENDS = { venue: { capabilities: { ...PLAIN_CAPABILITIES, amend: true } } }
  /** An order that rests, of a market of which nothing is known since more than a minute. */
  const forgotten = (price: string | null, tickerMillis = 50): [IdleMarket, TradeOrder] => {
    const market = worldOf(new IdleMarket("100"), 20, AMENDS)
    market.read()
    const order = placed()
    market.close()
    market.price = price
    world.tickerMillis = tickerMillis
    world.advance(2 * MINUTE)
    market.close()
    market.asked = 0
    return [market, order]
  }

  it("is the same whether a client reads the market or not", () => {
    const [market, order] = forgotten("100")
    const idle = world.replace(order.tradeOrderId, FAR)
    world.advance(100)
    expect(errorOf(idle)).toBe("PriceOutsideCollar")
    expect(market.asked).toBe(1)
    market.read()
    const read = world.replace(order.tradeOrderId, FAR)
    world.advance(20)
    expect(errorOf(read)).toBe("PriceOutsideCollar")
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED" })
  })

  it("is waited for a second at most; then the venue judges", () => {
    const [, order] = forgotten(null, 5_000)
    const asked = world.replace(order.tradeOrderId, FAR)
    world.advance(900)
    expect(asked.answer).toBeUndefined()
    world.advance(300)
    expect(world.read(order.tradeOrderId).limitPrice?.toString()).toBe("201")
  })

  it("asks for no price where none is changed", () => {
    const [market, order] = forgotten("100")
    const asked = world.replace(order.tradeOrderId, { quantity: "2" })
    world.advance(100)
    expect(okOf(asked).baseQuantity.toString()).toBe("2")
    expect(market.asked).toBe(0)
  })

  it("of an order that was cancelled meanwhile ends with its cancel", () => {
    const [, order] = forgotten("100", 500)
    const asked = world.replace(order.tradeOrderId, { limitPrice: "98" })
    world.advance(50)
    world.cancel(order.tradeOrderId)
    world.advance(1_000)
    expect(errorOf(asked)).toBe("OrderClosed")
  })
})
