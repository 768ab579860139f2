/** Venues that number the orders of each instrument: two orders of one number are two orders. */
import { describe, expect, it } from "vitest"
import { foreignOrderId } from "../../../../../src/actors/account/venue/foreign.ts"
import type { InstrumentId, TradeOrderId } from "../../../../../src/domain/ids.ts"
import type { OrderIds } from "../../../../../src/domain/instrument/venue.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import type { VenueOrderState } from "../../../../../src/ports/venue-session.ts"
import { PROFILES } from "../../../../../src/venues/adapters/registry.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { BTC_USDT, ETH_BTC, INSTRUMENTS, simVenue } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, simAccount, type World } from "../../../../sim/world.ts"

const worldOf = (orderIds: OrderIds): World => {
  const world = readyWorld({ venue: { orderIds } })
  world.instruments = [...INSTRUMENTS.values()]
  // What is not told by the stream says nothing here: the exchange of the tests counts its orders once.
  world.venue.fates.query = () => false
  return world
}

const idOf = (orderIds: OrderIds, instrumentId: InstrumentId, externalOrderId: string): TradeOrderId =>
  foreignOrderId(
    { account: simAccount(), id: ACCOUNT, venue: { ...simVenue, orderIds } },
    { instrumentId, externalOrderId },
  )

const shown = (instrumentId: InstrumentId, externalOrderId: string): VenueOrderState => ({
  tradeOrderId: null,
  externalOrderId,
  clientId: null,
  instrumentId,
  orderSide: "SELL",
  orderType: "LIMIT",
  timeInForce: "GTC",
  limitPrice: "0.05",
  quantity: "2",
  executedQuantity: "0",
  status: "OPEN",
  ending: null,
  createdAt: null,
  updatedAt: null,
})

const ordersOf = (world: World): ReadonlyArray<TradeOrder> =>
  [...world.database.orders.values()].map(({ order }) => order)
const told = (world: World, state: VenueOrderState): void => {
  world.venue.tell({ _tag: "OrderSeen", state })
  world.advance(200)
}

describe("an order of another instrument with the number of a known one", () => {
  it("is an order of its own, and so is its trade", () => {
    const world = worldOf("INSTRUMENT")
    const own = placed(world)
    const { externalOrderId } = world.venue.find(own)!
    told(world, shown(ETH_BTC, externalOrderId))
    const [first, second, ...more] = ordersOf(world)
    expect([first, second, more]).toMatchObject([
      { tradeOrderId: own.tradeOrderId, instrumentId: BTC_USDT, orderStatus: "ACCEPTED" },
      { origin: "EXTERNAL", instrumentId: ETH_BTC, orderStatus: "ACCEPTED", externalOrderId },
      [],
    ])
    world.venue.tell({
      _tag: "Filled",
      fill: {
        tradeOrderId: null,
        externalOrderId,
        externalTradeId: "T1",
        instrumentId: ETH_BTC,
        orderSide: "SELL",
        quantity: "0.5",
        price: "0.05",
        fees: [],
        executedAt: world.time.now,
      },
    })
    world.advance(200)
    expect(ordersOf(world).map((it) => it.executedQuantity.toString())).toEqual(["0", "0.5"])
    expect([...world.database.quarantined.values()]).toEqual([])
  })

  it("is imported beside one that was placed elsewhere", () => {
    const world = worldOf("INSTRUMENT")
    told(world, shown(BTC_USDT, "7"))
    told(world, shown(ETH_BTC, "7"))
    told(world, shown(BTC_USDT, "7"))
    expect(ordersOf(world).map(({ tradeOrderId, instrumentId }) => [tradeOrderId, instrumentId])).toEqual([
      [idOf("INSTRUMENT", BTC_USDT, "7"), BTC_USDT],
      [idOf("INSTRUMENT", ETH_BTC, "7"), ETH_BTC],
    ])
  })

  it("is imported beside one that was imported when the instrument was no part of its id, which stays as it is", () => {
    const world = worldOf("VENUE")
    told(world, shown(BTC_USDT, "7"))
    told(world, { ...shown(BTC_USDT, "7"), status: "CANCELLED" })
    world.crash()
    Object.assign(world.venue.venue, { orderIds: "INSTRUMENT" })
    world.venue.fates.query = () => true
    world.start()
    world.advance(1_000)
    world.venue.fates.query = () => false
    told(world, { ...shown(BTC_USDT, "7"), status: "CANCELLED" })
    told(world, shown(ETH_BTC, "7"))
    expect(ordersOf(world).map(({ tradeOrderId, instrumentId }) => [tradeOrderId, instrumentId])).toEqual([
      [idOf("VENUE", BTC_USDT, "7"), BTC_USDT],
      [idOf("INSTRUMENT", ETH_BTC, "7"), ETH_BTC],
    ])
  })
})

describe("the id of an order that was placed elsewhere", () => {
  it("is what it always was where a venue counts its orders once", () => {
    expect(idOf("VENUE", BTC_USDT, "7")).toBe(idOf("VENUE", ETH_BTC, "7"))
    expect(idOf("VENUE", BTC_USDT, "7")).toBe("3e62eee1-9449-5c1b-a2bd-c539fcf70959")
  })

  it("has the instrument in it at BINANCE alone", () => {
    const venues = PROFILES.filter(({ orderIds }) => orderIds === "INSTRUMENT").map(({ exchange }) => exchange)
    expect([...new Set(venues)].sort()).toEqual(["binance", "binanceusdm"])
  })
})
