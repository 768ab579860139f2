/** What an account has at its venue: known again soon wherever the words of it cannot be put in order. */
import { describe, expect, it } from "vitest"
import { BalanceReadings } from "../../../../../src/actors/account/positions.ts"
import { positionRecord } from "../../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { positionIdOf } from "../../../../../src/domain/ids.ts"
import type { VenueBalances } from "../../../../../src/ports/venue-session.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { retold } from "../../../../kit/worlds/retold.ts"
import { BTC_USDT } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, type World } from "../../../../sim/world.ts"

const HOUR = 3_600_000
const SOON_MILLIS = 3_000

const known = (world: World) => world.portfolio().map((it) => `${it.currency} ${it.available.add(it.locked)}`)
const atVenue = (world: World) => [...world.venue.totals].map(([asset, total]) => `${asset} ${total}`)

it("are dated by the venue's clock, also for what orders hold, where ours is a minute ahead", () => {
  const ahead = 60_000
  const world = readyWorld()
  world.wallAheadMillis = ahead
  world.venue.tell({ _tag: "BalancesSeen", balances: world.venue.balances() })
  world.advance(SOON_MILLIS)
  const order = placed(world)
  world.advance(SOON_MILLIS)
  const [position] = world.portfolio().filter(({ locked }) => locked.isPositive())
  const heldSince = order.createdAt - ahead
  expect(Math.abs((position?.updatedAt ?? 0) - heldSince)).toBeLessThan(HOUR / 60 / 10)
})

describe("two words of balances of one instant", () => {
  const toldReversed = () => {
    const world = readyWorld()
    const order = placed(world)
    const before = world.venue.balances().balances
    const sim = world.venue.find(order)!
    world.venue.fill(sim, Decimal.of("1"))
    const { balances: after, at } = world.venue.balances()
    world.venue.tell({ _tag: "BalancesSeen", balances: { complete: false, balances: after, at } })
    world.advance(100)
    return { world, older: { complete: false, balances: before, at } }
  }

  it("that differ have fresh balances asked for", () => {
    const { world, older } = toldReversed()
    world.advance(SOON_MILLIS)
    world.venue.tell({ _tag: "BalancesSeen", balances: older })
    world.advance(SOON_MILLIS)
    expect(known(world)).toEqual(atVenue(world))
  })

  it("that say the same cost no question", () => {
    const { world, older } = toldReversed()
    world.advance(SOON_MILLIS)
    const word = { ...older, balances: world.venue.balances().balances, at: world.time.now }
    const asked = () => {
      const before = world.venue.questions
      world.venue.tell({ _tag: "BalancesSeen", balances: word })
      world.advance(1_500)
      return world.venue.questions - before
    }
    asked()
    expect(asked()).toBe(0)
  })
})

describe("an execution that the venue gave no time for", () => {
  const inferred = () => {
    const world = readyWorld()
    const order = placed(world)
    world.wallAheadMillis = HOUR
    world.venue.fates.stream = () => "drop"
    const sim = world.venue.find(order)!
    world.venue.fill(sim, Decimal.of("0.5"))
    sim.fills.length = 0
    world.venue.fates.stream = () => "deliver"
    world.venue.tell({ _tag: "OrderSeen", state: { ...world.venue.stateOf(sim), updatedAt: null } })
    world.advance(6_000)
    expect(world.read(order.tradeOrderId).executions.map((it) => it.inferred)).toEqual([true])
    return world
  }

  it("has fresh balances asked for", () => {
    const world = inferred()
    world.advance(SOON_MILLIS)
    expect(known(world)).toEqual(atVenue(world))
  })

  it("is counted once, while the gateway's clock is an hour ahead", () => {
    const world = inferred()
    world.advance(60_000)
    expect(known(world)).toEqual(atVenue(world))
  })
})

describe("a reading of a venue of this process that fails", () => {
  it("is asked for again: no audit looks there, and the account's next execution may be an hour away", () => {
    const world = readyWorld({ venue: { inProcess: true } })
    const order = placed(world)
    const sim = world.venue.find(order)!
    const { balances: before } = world.venue.balances()
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.of("0.5"))
    const [fill] = sim.fills
    world.venue.fates.stream = () => "deliver"
    // Of the fill's own instant, and without it.
    world.venue.tell({ _tag: "BalancesSeen", balances: { complete: false, balances: before, at: fill!.executedAt } })
    world.venue.fates.query = () => false
    world.venue.tell({ _tag: "Filled", fill: fill! })
    world.advance(10_000)
    expect(known(world)).not.toEqual(atVenue(world))
    world.venue.fates.query = () => true
    world.advance(10_000)
    expect(known(world)).toEqual(atVenue(world))
  })
})

it("are dated in whole milliseconds, although the monotonic clock has fractions", () => {
  const readings = new BalanceReadings()
  expect(readings.venueTimeAt(1)).toBeNull()
  readings.venueClock = { at: 1_795_834_803_210, heardAt: 17.25 }
  expect(readings.venueTimeAt(18.0476)).toBe(1_795_834_803_211)
})

describe("an execution where the venue keeps positions", () => {
  it("moves nothing: base is not delivered and quote is not paid, and nothing is asked for: the venue's stream has it asked", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    const order = placed(world)
    const sim = world.venue.find(order)!
    const before = known(world)
    const asked = world.venue.questions
    const { externalOrderId, instrumentId, orderSide } = world.venue.stateOf(sim)
    const terms = { externalOrderId, instrumentId, orderSide, quantity: "0.5", price: "100" }
    const fees = [{ asset: "USDT", quantity: "0.1" }]
    const { tradeOrderId } = order
    const fill = { ...terms, tradeOrderId, externalTradeId: "of a contract", fees, executedAt: world.time.now }
    world.published.length = 0
    world.venue.tell({ _tag: "Filled", fill })
    world.advance(100)
    expect(world.read(order.tradeOrderId).executedQuantity.toString()).toBe("0.5")
    expect(known(world)).toEqual(before)
    expect(world.published.filter(({ json }) => json.includes("PORTFOLIO.UPDATED"))).toEqual([])
    world.advance(SOON_MILLIS)
    expect(world.venue.questions).toBe(asked)
  })

  it("has balances asked for where it is inferred", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    const order = placed(world)
    world.venue.fates.stream = () => "drop"
    const sim = world.venue.find(order)!
    world.venue.fill(sim, Decimal.of("0.5"))
    sim.fills.length = 0
    world.venue.fates.stream = () => "deliver"
    world.venue.tell({ _tag: "OrderSeen", state: { ...world.venue.stateOf(sim), updatedAt: null } })
    const isInferred = () => world.read(order.tradeOrderId).executions.some((it) => it.inferred)
    for (let waited = 0; !isInferred() && waited < 60; waited++) world.advance(100)
    const asked = world.venue.questions
    world.advance(1_500)
    expect(world.venue.questions).toBeGreaterThan(asked)
  })
})

describe("contracts that are open at the venue", () => {
  const opened = (quantity: string, profit = "-1.5") => {
    const of = { instrumentId: BTC_USDT, asset: "USDT", entryPrice: "60000.1", unrealizedProfit: profit }
    return [{ ...of, quantity }]
  }
  const told = (world: World, contracts: NonNullable<VenueBalances["contracts"]>, at = world.time.now) => {
    world.venue.tell({ _tag: "BalancesSeen", balances: { ...world.venue.balances(), contracts, at } })
    world.advance(100)
  }
  const shown = (world: World) => world.portfolio().map((it) => JSON.parse(JSON.stringify(positionRecord(it))))

  it("are shown with the currency of their margin, under the id that orders have, as the venue said them last", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    told(world, opened("-0.5"))
    const record = {
      positionId: positionIdOf(ACCOUNT, BTC_USDT),
      instrumentId: BTC_USDT,
      side: "SHORT",
      quantity: "0.5",
      entryPrice: "60000.1",
      unrealizedProfit: "-1.5",
    }
    const [btc, usdt] = shown(world)
    expect(btc).not.toHaveProperty("contracts")
    expect(usdt).toMatchObject({ currency: "USDT", contracts: [record] })
    const events = () =>
      world.database.events.get(ACCOUNT)!.filter(({ payload }) => payload.includes("PORTFOLIO.UPDATED"))
    expect(JSON.parse(world.published.at(-1)?.json ?? "")).toMatchObject({ data: [{ contracts: [record] }] })
    for (const event of events()) expect(retold(world.database, ACCOUNT, event)).toBe(event.payload)

    told(world, [], world.time.now - 60_000)
    expect(shown(world)[1]).toMatchObject({ contracts: [record] })
    told(world, opened("2"))
    expect(shown(world)[1]).toMatchObject({ contracts: [{ ...record, side: "LONG", quantity: "2" }] })
    told(world, [])
    expect(shown(world)[1]).not.toHaveProperty("contracts")
    expect(JSON.parse(world.published.at(-1)?.json ?? "").data[0]).not.toHaveProperty("contracts")
  })

  it("that an order names are made smaller by it at most, also by executions that the venue has not counted yet", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    told(world, opened("-2"))
    const positionId = positionIdOf(ACCOUNT, BTC_USDT)
    const first = placed(world, { positionId, quantity: "1.5" })
    expect(first.terms).toMatchObject({ reduces: true })
    const sim = world.venue.find(first)!
    expect(sim.order.reduceOnly).toBe(true)
    world.venue.fates.query = () => false
    const { externalOrderId, instrumentId, orderSide } = world.venue.stateOf(sim)
    const terms = { externalOrderId, instrumentId, orderSide, quantity: "1.5", price: "100", fees: [] }
    const fill = { ...terms, tradeOrderId: first.tradeOrderId, externalTradeId: "1", executedAt: world.time.now + 1 }
    world.venue.tell({ _tag: "Filled", fill })
    world.advance(100)
    expect(world.submit({ positionId, quantity: "1" } as never).answer).toMatchObject({
      error: { _tag: "QuantityExceedsPosition", open: "-0.5" },
    })
    told(world, opened("-0.25"), fill.executedAt + 1)
    expect(world.submit({ positionId, quantity: "1" } as never).answer).toMatchObject({ error: { open: "-0.25" } })
    expect(placed(world, { positionId, quantity: "0.25" }).terms).toMatchObject({ reduces: true })
  })

  it("are counted once where an execution is told after the venue's word that contains it", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    const order = placed(world)
    const { externalOrderId, instrumentId, orderSide } = world.venue.stateOf(world.venue.find(order)!)
    const executedAt = world.time.now
    told(world, opened("-2"), executedAt + 1)
    const terms = { externalOrderId, instrumentId, orderSide, quantity: "0.5", price: "100", fees: [] }
    world.venue.tell({
      _tag: "Filled",
      fill: { ...terms, tradeOrderId: order.tradeOrderId, externalTradeId: "1", executedAt },
    })
    world.advance(100)
    const positionId = positionIdOf(ACCOUNT, BTC_USDT)
    expect(world.submit({ positionId, quantity: "2.5" } as never).answer).toMatchObject({ error: { open: "-2" } })
  })

  it("are counted once where an execution that was inferred has another time than the venue's, and more of it comes", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    const order = placed(world)
    world.wallAheadMillis = HOUR
    const sim = world.venue.find(order)!
    const positionId = positionIdOf(ACCOUNT, BTC_USDT)
    const open = () => world.submit({ positionId, quantity: "50" } as never).answer
    const inferring = (quantity: string): void => {
      world.venue.fates.stream = () => "drop"
      world.venue.fill(sim, Decimal.of(quantity))
      sim.fills.length = 0
      world.venue.fates.stream = () => "deliver"
      world.venue.tell({ _tag: "OrderSeen", state: { ...world.venue.stateOf(sim), updatedAt: null } })
    }
    const executed = () => world.read(order.tradeOrderId).executedQuantity.toString()
    const until = (quantity: string): void => {
      for (let waited = 0; executed() !== quantity && waited < 80; waited++) world.advance(100)
      expect(executed()).toBe(quantity)
    }
    told(world, opened("-2"))
    inferring("0.25")
    until("0.25")
    expect(open()).toMatchObject({ error: { open: "-1.75" } })
    inferring("0.25")
    until("0.5")
    expect(open()).toMatchObject({ error: { open: "-1.5" } })
    world.venue.contracts = opened("-1.5")
    world.advance(SOON_MILLIS)
    expect(open()).toMatchObject({ error: { open: "-1.5" } })
  })

  it("are told once while they stay the same, and again when their profit is another", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    const updates = () => world.published.filter(({ json }) => json.includes("PORTFOLIO.UPDATED")).length
    for (const profit of ["1", "1", "1", "2"]) told(world, opened("1", profit))
    expect(updates()).toBe(2)
  })

  it("that cannot be read are left out, and in quarantine", () => {
    const world = readyWorld({ venue: { features: ["FUTURES"] } })
    told(world, [...opened("1"), ...opened("many")])
    expect(shown(world)[1].contracts).toHaveLength(1)
    expect(world.database.quarantined.size).toBe(1)
  })
})
