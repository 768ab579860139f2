/** The keeper of a dealer's hedges in a small world: once, netted, in doubt, without a market, built again. */
import { describe, expect, it } from "vitest"
import type { HedgeIntent } from "../../../../src/domain/dealer/dealer.ts"
import { QUOTES_NAMED } from "../../../../src/domain/dealer/hedging/intent-queue.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { NotionalBelowMinimum } from "../../../../src/domain/errors/order-parameters.ts"
import { InsufficientBalance } from "../../../../src/domain/errors/risk.ts"
import type { VenueId } from "../../../../src/domain/ids.ts"
import { HEDGES_KEPT } from "../../../../src/ports/hedge-store.ts"
import { DEALER, intentOf, LINKED, pair } from "../../../kit/records/hedges.ts"
import { HedgeWorld, OTHER } from "../../../kit/worlds/hedge-world.ts"

const sell = (n: number, quantity = "1") => intentOf(n, { orderSide: "SELL", quantity: Decimal.of(quantity) })
const buy = (n: number, quantity = "1") => intentOf(n, { quantity: Decimal.of(quantity) })
const noMoney = () => new InsufficientBalance({ asset: "USDT", required: "1", available: "0" })

describe("an executed quote", () => {
  it("is hedged at once, at its venue, by an order that says for whom", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    expect(world.sent()).toEqual(["BUY 1 @ 100.25"])
    expect(world.order()).toMatchObject({
      tradingAccountId: LINKED,
      instrumentId: "MOCK:BTC/USDT",
      timeInForce: "IOC",
      idempotencyKey: `hedge:${DEALER}:${intentOf(1).hedgeIntentId}`,
      dealerAccountId: DEALER,
      hedgeForQuoteIds: [intentOf(1).quoteId],
    })
    expect(world.keeper.isFlat()).toBe(false)
    world.becomes("FILLED", "1")
    world.pass(60_000)
    expect(world.orders).toHaveLength(1)
    expect([world.keeper.isFlat(), world.keeper.positions().size, world.held.size]).toEqual([true, 0, 0])
  })

  it("waits while a hedge of its pair is at work, then goes with what is left of it", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    world.executed(buy(2, "2"))
    world.pass(60_000)
    expect(world.orders).toHaveLength(1)
    world.becomes("CANCELLED", "0.4")
    world.pass(500)
    expect(world.sent()).toEqual(["BUY 1 @ 100.25", "BUY 2.6 @ 100.25"])
    expect(world.order().hedgeForQuoteIds).toEqual([intentOf(1).quoteId, intentOf(2).quoteId])
  })

  it("costs the last of many what it cost the first, while nothing can be hedged", () => {
    const world = new HedgeWorld({}, [])
    let reads = 0
    /** Every look at an executed quote is counted. */
    const counted = (n: number): HedgeIntent =>
      new Proxy(buy(n), {
        get: (of, name) => {
          reads++
          return Reflect.get(of, name)
        },
      })
    const costOf = (from: number, to: number): number => {
      reads = 0
      for (let n = from; n <= to; n++) world.executed(counted(n))
      return reads
    }
    const first = costOf(1, 100)
    costOf(101, 1_900)
    expect(costOf(1_901, 2_000) / first).toBeLessThan(1.3)
    expect(world.keeper.report()).toMatchObject([{ position: "-2000", openHedgeIds: [] }])
    // The order that closes all of it names a hundred of them.
    world.dealer = { ...world.dealer, linkedAccountIds: [LINKED] }
    world.keeper.dealerChanged()
    const { quantity, hedgeForQuoteIds, hedgeForQuoteCount } = world.order()
    expect([`${quantity}`, hedgeForQuoteIds.length, hedgeForQuoteCount]).toEqual(["2000", QUOTES_NAMED, 2_000])
    expect([hedgeForQuoteIds[0], hedgeForQuoteIds.at(-1)]).toEqual([intentOf(1).quoteId, intentOf(2_000).quoteId])
  })

  it("is covered by an opposite one, and no order leaves", () => {
    const world = new HedgeWorld({ nettingWindowMs: 1_000 })
    world.executed(buy(1))
    world.pass(900)
    world.executed(sell(2, "0.7"))
    world.pass(200)
    expect(world.sent()).toEqual(["BUY 0.3 @ 100.25"])
    world.becomes("FILLED", "0.3")
    world.executed(sell(3))
    world.executed(buy(4))
    world.pass(60_000)
    expect(world.orders).toHaveLength(1)
    expect(world.keeper.isFlat()).toBe(true)
  })

  it("that is too small for its venue waits for others, without an alert", () => {
    const world = new HedgeWorld()
    world.instruments.set("MOCK:BTC/USDT", pair({ minQuantity: Decimal.of("2") }))
    world.executed(buy(1))
    world.pass(600_000)
    expect([world.orders.length, world.alerts.length]).toEqual([0, 0])
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING", position: "-1" }])
    expect([world.keeper.isFlat(), world.keeper.isIdle()]).toEqual([true, true])
    // Too little to be hedged is too little to be a risk.
    expect(world.keeper.positions().size).toBe(0)
    world.executed(buy(2))
    expect(world.sent()).toEqual(["BUY 2 @ 100.25"])
  })
})

describe("dust", () => {
  it.each(["unlinked", "disconnected"])(
    "that its last place took no order for keeps no other account away once that is %s",
    (how) => {
      const world = new HedgeWorld({}, [OTHER])
      world.venues.set(LINKED, "BINANCE").set(OTHER, "KRAKEN")
      world.instruments.set("KRAKEN:BTC/USDT", pair({ minQuantity: Decimal.of("0.01") }))
      world.executed(intentOf(1, { venue: "BINANCE" as VenueId, quantity: Decimal.of("0.005") }))
      world.pass(60_000)
      expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING", position: "-0.005" }])
      if (how === "unlinked") world.dealer = { ...world.dealer, linkedAccountIds: [] }
      else world.statuses.set(OTHER, "DISCONNECTED")
      world.keeper.dealerChanged()
      world.pass(60_000)
      expect(world.keeper.venuesOwing()).toEqual([])
      expect([world.orders, world.alerts, world.keeper.isFlat()]).toEqual([[], [], true])
      // Where it is worth an order, it is one.
      world.dealer = { ...world.dealer, linkedAccountIds: [LINKED] }
      world.keeper.dealerChanged()
      expect(world.sent()).toEqual(["BUY 0.005 @ 100.25"])
    },
  )

  it("does not hide what comes to it, while opposite quotes are waited for", () => {
    const world = new HedgeWorld({ nettingWindowMs: 1_000 })
    world.instruments.set("MOCK:BTC/USDT", pair({ minQuantity: Decimal.of("2") }))
    world.executed(buy(1))
    world.pass(1_000)
    expect(world.keeper.positions().size).toBe(0)
    world.executed(buy(2, "5"))
    expect(world.orders).toHaveLength(0)
    expect(world.keeper.positions().get("BTC")?.low.toString()).toBe("-6")
  })
})

describe("what a hedge did not close", () => {
  it("is tried again every 500 ms at the market's price, ten times, and then stays open with one alert", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    world.book = [["200", "5"]]
    for (let count = 1; count <= 10; count++) {
      expect(world.orders).toHaveLength(count)
      world.becomes("CANCELLED", "0")
      world.pass(499)
      expect(world.orders).toHaveLength(count)
      world.pass(1)
    }
    expect(world.sent().slice(0, 3)).toEqual(["BUY 1 @ 100.25", "BUY 1 @ 200.5", "BUY 1 @ 200.5"])
    expect(new Set(world.orders.map(({ order }) => order.idempotencyKey)).size).toBe(10)
    expect(world.alerts).toEqual(["-1 BTC is open: only 0 of 1 could be executed"])
    expect(world.keeper.report()).toMatchObject([{ state: "OPEN", position: "-1" }])
    expect([...world.counts.open.values()]).toEqual([1])
    world.pass(9_000)
    expect(world.orders).toHaveLength(10)
    // And is tried again for ever.
    world.pass(1_000)
    expect(world.orders).toHaveLength(11)
    world.becomes("FILLED", "1")
    expect(world.keeper.isFlat()).toBe(true)
    expect([...world.counts.open.values()]).toEqual([0])
  })

  it("goes at market after the last attempt, where the dealer allows it", () => {
    const world = new HedgeWorld({ allowMarket: true, attemptsMax: 2, repriceMs: 100 })
    world.executed(buy(1))
    world.becomes("CANCELLED", "0.25")
    world.pass(100)
    world.becomes("CANCELLED", "0")
    world.pass(100)
    expect(world.sent()).toEqual(["BUY 1 @ 100.25", "BUY 0.75 @ 100.25", "BUY 0.75 @ market"])
    world.becomes("CANCELLED", "0.5")
    expect(world.alerts).toHaveLength(1)
    world.pass(10_000)
    expect(world.sent()[3]).toBe("BUY 0.25 @ 100.25")
  })

  it("waits for a market that is gone, and goes when it is back", () => {
    const world = new HedgeWorld()
    world.book = []
    world.executed(buy(1))
    world.becomes("CANCELLED", "0")
    world.pass(30_000)
    expect([world.orders.length, world.alerts.length]).toEqual([1, 1])
    expect(world.keeper.report()).toMatchObject([{ trouble: "MOCK:BTC/USDT has no order book" }])
    expect([...world.held]).toEqual(["MOCK:BTC/USDT"])
    world.book = [["101", "5"]]
    world.pass(10_000)
    expect(world.sent()[1]).toBe("BUY 1 @ 101.25")
  })

  it("waits for an account that is away, and does not wait when a new quote says that the market is there", () => {
    const world = new HedgeWorld()
    world.statuses.set(LINKED, "UNAVAILABLE")
    world.executed(buy(1))
    world.pass(10_000)
    expect([world.orders.length, world.alerts.length]).toEqual([0, 1])
    world.statuses.set(LINKED, "ACTIVE")
    world.executed(buy(2))
    expect(world.sent()).toEqual(["BUY 2 @ 100.25"])
  })

  it("goes to another linked account when one is gone for good, or stays away for a whole round", () => {
    const world = new HedgeWorld({}, [LINKED, OTHER])
    world.statuses.set(LINKED, "DISCONNECTED")
    world.executed(buy(1))
    expect(world.order().tradingAccountId).toBe(OTHER)
    world.becomes("FILLED", "1")
    world.statuses.set(LINKED, "UNAVAILABLE")
    world.executed(buy(2))
    world.pass(4_500)
    expect(world.orders).toHaveLength(1)
    world.pass(10_000)
    expect(world.orders).toHaveLength(2)
    expect(world.order().tradingAccountId).toBe(OTHER)
  })

  it("waits for an account to be linked where there is none", () => {
    const world = new HedgeWorld({}, [])
    world.executed(buy(1))
    world.pass(20_000)
    expect(world.alerts).toEqual([
      "-1 BTC is open: no linked account can hedge BTC/USDT: it needs one that is SIMULATED",
    ])
    world.dealer = { ...world.dealer, linkedAccountIds: [OTHER] }
    world.keeper.dealerChanged()
    expect(world.order().tradingAccountId).toBe(OTHER)
  })

  it("stays open while its account has no money, and says so", () => {
    const world = new HedgeWorld({ attemptsMax: 1 })
    world.failures = [noMoney(), noMoney()]
    world.executed(buy(1))
    expect(world.alerts).toEqual(["-1 BTC is open: Insufficient balance"])
    world.pass(10_000)
    expect(world.orders).toHaveLength(0)
    world.pass(20_000)
    expect(world.sent()).toEqual(["BUY 1 @ 100.25"])
    expect(world.alerts).toHaveLength(1)
  })
})

describe("a hedge that is refused", () => {
  const NO = "INSUFFICIENT_BALANCE: Account has insufficient balance for requested action."
  const TOO_SMALL = "INVALID_ORDER: Filter failure: NOTIONAL"
  /** Whatever leaves is refused. */
  const refuseFor = (world: HedgeWorld, seconds: number, reason: string): void => {
    for (let second = 0; second < seconds; second++) {
      world.pass(1_000)
      if (world.order().orderStatus === "CREATED") world.refuses(reason)
    }
  }

  it("for good is sent less and less often, and at once when the exposure is another", () => {
    const world = new HedgeWorld({ repriceMs: 1_000 })
    world.executed(buy(1))
    world.refuses(NO)
    refuseFor(world, 1_800, NO)
    // Ten, then 10, 20, 40, 80, 160, 300, 300 … s apart.
    expect(world.orders).toHaveLength(10 + 9)
    expect(world.keeper.report()).toMatchObject([{ state: "OPEN", trouble: NO }])
    // Another quote of the same side does not help.
    world.executed(buy(2))
    expect(world.orders).toHaveLength(19)
    world.executed(sell(3, "5"))
    expect(world.sent().at(-1)).toBe("SELL 3 @ 99.75")
  })

  it("by an account that is not ready is tried as often as ever", () => {
    const world = new HedgeWorld({ attemptsMax: 1 })
    world.statuses.set(LINKED, "UNAVAILABLE")
    world.executed(buy(1))
    world.pass(600_000)
    world.statuses.set(LINKED, "ACTIVE")
    world.pass(10_000)
    expect(world.orders).toHaveLength(1)
  })

  it("as too small says what the venue's smallest is: it waits for more, and is tried again an hour later", () => {
    const world = new HedgeWorld()
    world.executed(buy(1, "0.002"))
    world.refuses(TOO_SMALL)
    world.executed(buy(2, "0.003"))
    expect(world.sent()).toEqual(["BUY 0.002 @ 100.25", "BUY 0.005 @ 100.25"])
    world.refuses(TOO_SMALL)
    world.pass(3_599_000)
    expect([world.orders.length, world.alerts]).toEqual([2, []])
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING", position: "-0.005" }])
    expect([world.keeper.isFlat(), world.keeper.positions().size]).toEqual([true, 0])
    world.pass(1_000)
    expect(world.orders).toHaveLength(3)
    world.refuses(TOO_SMALL)
    world.failures = [new NotionalBelowMinimum({ minNotional: "5" })]
    world.executed(buy(3, "0.001"))
    world.executed(buy(4, "0.001"))
    expect(world.sent().at(-1)).toBe("BUY 0.007 @ 100.25")
  })

  it("as too small is dust for that hour alone, also when its place is gone", () => {
    const world = new HedgeWorld()
    world.executed(buy(1, "0.002"))
    world.refuses(TOO_SMALL)
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING" }])
    world.dealer = { ...world.dealer, linkedAccountIds: [] }
    world.keeper.dealerChanged()
    world.pass(3_500_000)
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING" }])
    world.pass(200_000)
    expect(world.keeper.report()).not.toMatchObject([{ state: "ACCUMULATING" }])
    expect(world.keeper.venuesOwing()).toEqual(["MOCK"])
  })

  it("as too small leaves nothing large waiting for that hour", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    const first = world.order().tradeOrderId
    world.becomes("FILLED", "1")
    world.executed(buy(2, "0.002"))
    world.refuses(TOO_SMALL)
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING" }])
    // The venue executed more of the first than it was asked for.
    world.becomes("FILLED", "3", first)
    expect(world.sent().at(-1)).toMatch(/^SELL 1\.998 /)
  })

  it("as too small although it is large is refused like any other", () => {
    const world = new HedgeWorld({ attemptsMax: 1 })
    world.executed(buy(1))
    world.refuses(TOO_SMALL)
    expect(world.alerts).toEqual([`-1 BTC is open: ${TOO_SMALL}`])
    world.pass(10_000)
    expect(world.orders).toHaveLength(2)
  })
})

describe("what was priced at a real venue", () => {
  const real = (n: number) => intentOf(n, { venue: "BINANCE" as VenueId })
  const worldAtBinance = () => {
    const world = new HedgeWorld({ attemptsMax: 1 }, [LINKED, OTHER])
    world.venues.set(LINKED, "BINANCE")
    return world
  }

  it.each([true, false])(
    "is never closed at a simulated one, whatever its account runs into (allowed: %s)",
    (allowed) => {
      const world = worldAtBinance()
      world.dealer = { ...world.dealer, config: { ...world.dealer.config, allowSimulatedVenues: allowed } }
      world.statuses.set(LINKED, "UNAVAILABLE")
      world.executed(real(1))
      world.pass(60_000)
      world.statuses.set(LINKED, "DISCONNECTED")
      world.pass(60_000)
      world.dealer = { ...world.dealer, linkedAccountIds: [OTHER] }
      world.keeper.dealerChanged()
      world.pass(60_000)
      // At once, then after 1 and 3 min.
      expect([world.orders.length, world.alerts.length, world.keeper.isFlat()]).toEqual([0, 3, false])
      world.venues.set(OTHER, "BINANCE")
      world.pass(10_000)
      expect(world.order().tradingAccountId).toBe(OTHER)
    },
  )

  it("keeps what was priced at a simulated one with it, where both leave as one", () => {
    const world = worldAtBinance()
    world.statuses.set(LINKED, "UNAVAILABLE")
    world.dealer = {
      ...world.dealer,
      config: { ...world.dealer.config, hedge: { ...world.dealer.config.hedge, nettingWindowMillis: 100 } },
    }
    world.executed(intentOf(1, { tradingAccountId: OTHER }))
    world.executed(real(2))
    world.pass(60_000)
    expect(world.orders).toHaveLength(0)
    world.statuses.set(LINKED, "ACTIVE")
    world.pass(10_000)
    expect(world.order()).toMatchObject({ tradingAccountId: LINKED, instrumentId: "BINANCE:BTC/USDT" })
  })

  it("and a simulated account is no place at all where the dealer does not allow it", () => {
    const world = new HedgeWorld({ attemptsMax: 1 })
    world.dealer = { ...world.dealer, config: { ...world.dealer.config, allowSimulatedVenues: false } }
    world.executed(buy(1))
    world.pass(59_000)
    expect([world.orders.length, world.keeper.isFlat()]).toEqual([0, false])
    expect(world.alerts).toEqual([
      "-1 BTC is open: no linked account can hedge BTC/USDT: it needs one that is SIMULATED",
    ])
  })
})

describe("a fee in base", () => {
  it("is open again, and is hedged when the venue takes an order so small", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    world.becomes("FILLED", "1", undefined, "0.001")
    expect(world.sent()).toEqual(["BUY 1 @ 100.25", "BUY 0.001 @ 100.25"])
    world.becomes("FILLED", "0.001", undefined, "0.000001")
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING", position: "-0.000001" }])
    expect([world.keeper.isFlat(), world.keeper.isIdle()]).toEqual([true, true])
    for (const how of ["restart", "kill"] as const) {
      world[how]()
      world.pass(60_000)
      expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING", position: "-0.000001" }])
    }
    expect(world.orders).toHaveLength(2)
  })

  it("is no exposure to worry about when its account is gone, either", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    world.becomes("FILLED", "1", undefined, "0.0001")
    world.dealer = { ...world.dealer, linkedAccountIds: [] }
    world.keeper.dealerChanged()
    world.pass(60_000)
    expect(world.keeper.report()).toMatchObject([{ state: "ACCUMULATING", position: "-0.0001" }])
    expect([world.alerts, world.keeper.isFlat(), world.keeper.isHedgingOn(LINKED)]).toEqual([[], true, false])
  })

  it("that is told after the fill counts once, whatever is told again", () => {
    const world = new HedgeWorld()
    world.instruments.set("MOCK:BTC/USDT", pair({ minQuantity: Decimal.of("0.002") }))
    for (const [n, fee] of [
      [1, "0.001"],
      [2, "0.001"],
    ] as const) {
      world.executed(buy(n))
      const { tradeOrderId, quantity } = world.order()
      for (const told of [undefined, fee, fee]) world.becomes("FILLED", `${quantity}`, tradeOrderId, told)
    }
    // The first fee leaves with the second quote.
    expect(world.sent()).toEqual(["BUY 1 @ 100.25", "BUY 1.001 @ 100.25"])
  })

  it("of a sale was not there to be sold: it is bought back", () => {
    const world = new HedgeWorld()
    world.executed(sell(1))
    world.becomes("FILLED", "1", undefined, "0.001")
    expect(world.sent()).toEqual(["SELL 1 @ 99.75", "BUY 0.001 @ 100.25"])
  })
})

describe("a hedge in doubt", () => {
  it("keeps its pair waiting for as long as it takes, and is never sent again; people are told again and again", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    world.becomes("UNKNOWN", "0")
    world.executed(buy(2))
    world.pass(3_600_000)
    expect(world.orders).toHaveLength(1)
    // At once, then after 1, 3, 7, 15 and 31 min.
    expect(world.alerts).toHaveLength(6)
    expect(world.alerts.slice(0, 2)).toEqual([
      "the outcome of a hedge of BTC/USDT is not known",
      "the outcome of a hedge of BTC/USDT is not known, for 1 min now, -2 BTC in all",
    ])
    expect(world.keeper.report()).toMatchObject([{ state: "IN_DOUBT", ageMs: 3_600_000, carried: "0" }])
    world.becomes("FILLED", "1")
    expect(world.sent()).toEqual(["BUY 1 @ 100.25", "BUY 1 @ 100.25"])
    world.becomes("FILLED", "1")
    world.pass(3_600_000)
    expect(world.alerts).toHaveLength(6)
  })

  it("that was declared never placed and is executed after all is taken back", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    const { tradeOrderId } = world.order()
    world.becomes("REJECTED", "0")
    world.pass(500)
    world.becomes("FILLED", "1")
    expect(world.keeper.isFlat()).toBe(true)
    world.becomes("FILLED", "1", tradeOrderId)
    expect(`${world.keeper.positions().get("BTC")?.high}`).toBe("1")
    world.pass(500)
    expect(world.sent()[2]).toBe("SELL 1 @ 99.75")
    expect(world.order().hedgeForQuoteIds).toEqual([])
    world.becomes("FILLED", "1")
    expect(world.keeper.isFlat()).toBe(true)
  })
})

describe.each(["DISCONNECTED", "INACTIVE"] as const)("a hedge left in doubt at an account that is %s", (status) => {
  const worldWithout = () => {
    const world = new HedgeWorld({ attemptsMax: 1 }, [LINKED, OTHER])
    world.executed(buy(1))
    world.becomes("SUBMITTED", "0.25")
    world.lose(LINKED, status)
    return world
  }

  it("is carried, and its pair goes on elsewhere without it", () => {
    const world = worldWithout()
    const [{ tradeOrderId }] = [world.order()]
    const carried = {
      carried: "0.75",
      position: "-0.75",
      inDoubt: [{ tradeOrderId, quantity: "0.75", isCarried: true }],
    }
    expect(world.keeper.report()).toMatchObject([{ state: "CARRIED", ...carried }])
    for (let n = 2; n <= 50; n++) {
      world.executed(buy(n))
      expect(world.order()).toMatchObject({ tradingAccountId: OTHER, hedgeForQuoteIds: [intentOf(n).quoteId] })
      world.becomes("FILLED", "1")
    }
    world.pass(2 * 86_400_000)
    expect(world.orders).toHaveLength(50)
    expect(world.keeper.report()).toMatchObject([{ state: "CARRIED", ageMs: 2 * 86_400_000, ...carried }])
    expect([world.keeper.isFlat(), world.keeper.isIdle()]).toEqual([false, false])
    // Now, then 1, 3, 7, 15, 31, 63 min later, then every hour.
    const told = world.alerts.filter((it) => it.includes("can no longer be queried"))
    expect(told).toHaveLength(6 + 47)
    expect(told.at(-1)).toContain(`BUY 0.75 BTC (${tradeOrderId})`)
    expect(told.at(-1)).toMatch(/for \d+ min now, -0\.75 BTC in all$/)
  })

  it.each(["restart", "kill"] as const)("is carried after a %s too, and told of at once", (how) => {
    const world = worldWithout()
    const before = world.alerts.length
    world[how]()
    world.pass(1_000)
    expect([world.orders.length, world.alerts.length]).toEqual([1, before + 1])
    expect(world.keeper.report()).toMatchObject([{ state: "CARRIED", carried: "0.75" }])
  })

  it("counts as open and as closed, whichever is worse", () => {
    const world = worldWithout()
    world.executed(sell(2, "0.5"))
    // Between 0.25 short and 0.5 long: nothing is sure, and nothing leaves.
    expect(world.orders).toHaveLength(1)
    expect(JSON.stringify(world.keeper.positions().get("BTC"))).toBe('{"low":"-0.25","high":"0.5"}')
    world.executed(sell(3, "0.5"))
    expect(world.sent().slice(1)).toEqual(["SELL 0.25 @ 99.75"])
  })

  it("lists hedges that are at work as open, and none that is carried or resolved", () => {
    const world = worldWithout()
    expect(world.keeper.report()).toMatchObject([{ openHedgeIds: [] }])
    world.executed(buy(2))
    const { tradeOrderId } = world.order()
    expect(world.keeper.report()).toMatchObject([{ openHedgeIds: [tradeOrderId] }])
    world.becomes("UNKNOWN", "0")
    expect(world.keeper.report()).toMatchObject([{ openHedgeIds: [tradeOrderId] }])
    world.resolve("0")
    expect(world.keeper.report()[0]!.openHedgeIds).not.toContain(tradeOrderId)
  })

  it.each(["UNKNOWN", "PARTIALLY_FILLED"] as const)(
    "counts as open and as closed at an account that can be asked, too: %s",
    (status) => {
      const world = new HedgeWorld()
      world.executed(buy(1))
      world.becomes(status, "0.25")
      // Between flat and 0.75 short.
      expect(JSON.stringify(world.keeper.positions().get("BTC"))).toBe('{"low":"-0.75","high":"0"}')
      world.executed(sell(2, "0.75"))
      expect(world.keeper.report()).toMatchObject([{ position: "0" }])
      expect(JSON.stringify(world.keeper.positions().get("BTC"))).toBe('{"low":"0","high":"0.75"}')
      world.becomes("CANCELLED", "0.25")
      expect(world.keeper.positions().size).toBe(0)
    },
  )

  it("of which two admins speak at once is what the store has of the later one", () => {
    const world = worldWithout()
    const [first, second] = world.later(() => [world.resolve("0.25", "100"), world.resolve("1", "100")])
    expect([first!.resolved?.isNew, second!.resolved?.isNew]).toEqual([true, true])
    const position = world.keeper.report()[0]!.position
    world.kill()
    expect(world.keeper.report()[0]!.position).toBe(position)
  })

  it("is no longer spoken of while its dealer is being archived, and its dealer is not archived while it is", () => {
    const world = worldWithout()
    world.resolve("1", "100")
    expect(world.keeper.isFlat()).toBe(true)
    world.later(() => {
      world.resolve("0.25", "100")
      expect(world.keeper.isFlat()).toBe(false)
    })
    const waiting: Array<() => void> = []
    world.core.changes = waiting
    const answer = world.resolve("1", "100", world.order(0).tradeOrderId)
    expect(answer).toEqual({})
    world.core.changes = null
    for (const run of waiting) run()
    expect(answer.resolved?.isNew).toBe(true)
  })

  it("is hedged by what an admin says was not executed, and flat by what was", () => {
    for (const [executed, rest] of [
      ["0.25", "0.75"],
      ["0.6", "0.4"],
      ["1", null],
    ] as const) {
      const world = worldWithout()
      const { resolved } = world.resolve(executed, "100")
      expect(resolved).toMatchObject({ isNew: true, hedging: { carried: "0", inDoubt: [] } })
      expect(world.sent().slice(1)).toEqual(rest === null ? [] : [`BUY ${rest} @ 100.25`])
      if (rest !== null) world.becomes("FILLED", rest)
      for (const how of ["restart", "kill"] as const) {
        world[how]()
        const alerts = world.alerts.length
        world.pass(86_400_000)
        expect(world.keeper.report()).toMatchObject([{ state: "FLAT", position: "0", ageMs: null }])
        expect([world.keeper.isFlat(), world.alerts.length]).toEqual([true, alerts])
      }
    }
  })

  it("is of what an admin says only until its venue tells of more", () => {
    const world = worldWithout()
    world.resolve("0.25", "100")
    world.becomes("FILLED", "0.75")
    expect(world.keeper.isFlat()).toBe(true)
    world.becomes("FILLED", "1", world.order(0).tradeOrderId)
    world.pass(1_000)
    expect(world.sent().at(-1)).toBe("SELL 0.75 @ 99.75")
  })

  it("is resolved within what is known of it, and with a price", () => {
    const world = worldWithout()
    const said = (executed: string, price: string | null) => {
      const { error } = world.resolve(executed, price)
      return error?._tag === "InvalidParameter" ? `${error.parameter}: ${error.reason}` : error?._tag
    }
    expect(said("0.2", "100")).toBe("executedQuantity: its venue reported 0.25: it must be at least that")
    expect(said("1.1", "100")).toBe("executedQuantity: the hedge was for 1: it must be at most that")
    expect(said("0.5", null)).toBe("averagePrice: an executed quantity must have a price above 0")
    expect(said("0.5", "0")).toBe("averagePrice: an executed quantity must have a price above 0")
    expect(world.resolve("0.5", "100", OTHER as never).error?._tag).toBe("OrderNotFound")
    expect(world.resolve("0.5", "100").resolved?.isNew).toBe(true)
    expect(world.resolve("0.5", "100", world.order(0).tradeOrderId).resolved?.isNew).toBe(false)
    expect(world.resolve("0").error?._tag).toBe("HedgeNotInDoubt")
  })
})

describe("a dealer's actor that is built again", () => {
  it("repeats a submit without an answer with its key, and there is one order", () => {
    const world = new HedgeWorld()
    world.failures = ["LOST"]
    world.executed(buy(1))
    world.pass(250)
    expect(world.orders).toHaveLength(1)
    world.becomes("FILLED", "1")
    expect(world.keeper.isFlat()).toBe(true)
    expect(world.orders).toHaveLength(1)
  })

  it.each(["restart", "kill"] as const)("after a %s sends nothing twice, wherever that comes", (how) => {
    for (const answer of ["LOST", "UNANSWERED", undefined] as const)
      for (const status of ["CREATED", "UNKNOWN", "FILLED", "CANCELLED"] as const) {
        const world = new HedgeWorld()
        world.failures = answer === undefined ? [] : [answer]
        world.executed(buy(1))
        world[how]()
        if (status !== "CREATED") world.becomes(status, status === "FILLED" ? "1" : "0")
        world[how]()
        world.pass(1_000)
        const expected = status === "CANCELLED" ? 2 : 1
        expect([how, answer, status, world.orders.length]).toEqual([how, answer, status, expected])
        world.becomes("FILLED", "1")
        world[how]()
        world.pass(60_000)
        expect([world.orders.length, world.keeper.isFlat()]).toEqual([expected, true])
      }
  })

  it("takes the order of its key for its hedge even if it was asked for at another price", () => {
    const world = new HedgeWorld()
    world.failures = ["LOST"]
    world.executed(buy(1))
    // As after a loss of what was asked, which is not in the store yet either.
    const before = world.orders.splice(0)
    world.kill()
    expect(world.orders).toHaveLength(1)
    world.orders.splice(0, 1, ...before)
    world.book = [["90", "5"]]
    world.restart()
    expect(world.orders).toHaveLength(1)
    world.pass(60_000)
    expect(world.orders).toHaveLength(1)
  })

  it.each(["never", "meanwhile"] as const)(
    "counts late fills of a hedge that memory has forgotten, built anew %s",
    (built) => {
      const world = new HedgeWorld()
      for (let n = 1; n <= HEDGES_KEPT + 10; n++) {
        world.executed(buy(n))
        world.becomes("FILLED", "1")
      }
      if (built === "meanwhile") world.restart()
      const { tradeOrderId } = world.order(0)
      // Three fills of it: what the venue executed too much is sold, each time.
      for (const executed of ["1.5", "1.6"]) world.becomes("FILLED", executed, tradeOrderId)
      expect(world.sent().slice(-1)).toEqual(["SELL 0.5 @ 99.75"])
      world.becomes("FILLED", "0.5")
      expect(world.sent().slice(-1)).toEqual(["SELL 0.1 @ 99.75"])
      world.becomes("FILLED", "0.1")
      if (built === "meanwhile") world.restart()
      world.becomes("FILLED", "2", tradeOrderId)
      world.becomes("FILLED", "0.4")
      expect([world.keeper.isFlat(), world.keeper.report()[0]?.position]).toEqual([true, "0"])
      const { position } = world.keeper.report()[0]!
      world.kill()
      expect(world.keeper.report()[0]!.position).toBe(position)
    },
  )

  it("says what is open, what was earned and what it cost", () => {
    const world = new HedgeWorld()
    world.executed(buy(1))
    world.becomes("CANCELLED", "0.5")
    world.restart()
    expect(world.keeper.report()).toMatchObject([
      {
        symbol: "BTC/USDT",
        state: "HEDGING",
        position: "-0.5",
        exposure: "50",
        spreadCaptured: "1",
        hedgeSlippage: "0.125",
        unrealised: "0",
        profit: "0.875",
        openQuoteIds: [intentOf(1).quoteId],
      },
    ])
    expect(world.keeper.isHedgingOn(LINKED)).toBe(true)
    expect(world.keeper.isHedgingOn(OTHER)).toBe(false)
  })
})
