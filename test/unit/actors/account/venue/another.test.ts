/** Two accounts of the gateway on one account of the venue: what one of them placed there is never taken for an order of the other. */
import { describe, expect, it } from "vitest"
import { foreignOrderId } from "../../../../../src/actors/account/venue/foreign.ts"
import type { TradingAccount } from "../../../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../../../src/domain/order/trade-order.ts"
import { DISCONNECTING } from "../../../../kit/records/disconnecting.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { BTC_USDT, simVenue } from "../../../../sim/venue/listing.ts"
import { ACCOUNT, okOf, simAccount, type World } from "../../../../sim/world.ts"

const SECOND = "0aaaaaaa-0000-4000-8000-000000000002" as TradingAccountId
const second = simAccount({ tradingAccountId: SECOND, channelEpoch: "second" })

const storedOf = (world: World, id: TradeOrderId): TradeOrder => world.database.orders.get(id)!.order
const ofSecond = (world: World): ReadonlyArray<TradeOrder> =>
  [...world.database.orders.values()].map(({ order }) => order).filter((it) => it.tradingAccountId === SECOND)
const foreignIdOf = (externalOrderId: string): TradeOrderId =>
  foreignOrderId({ account: second, id: SECOND, venue: simVenue }, { instrumentId: BTC_USDT, externalOrderId })
const answered = (world: World, seconds = 60): World => {
  world.advance(seconds * 1_000)
  return world
}

/** Placed, its answer lost; then the account is disconnected by force while nobody can say what became of it. */
const leftInDoubt = (): { readonly world: World; readonly id: TradeOrderId } => {
  const world = readyWorld()
  world.venue.fates.submit = () => "silentAfter"
  world.venue.fates.cancel = () => "silentBefore"
  world.venue.fates.query = () => false
  world.venue.fates.stream = () => "drop"
  const asked = world.submit({ quantity: "2" as never, limitPrice: "90" as never })
  world.advance(12_000)
  const [placed] = [...world.database.orders.values()]
  const gone = world.ask<TradingAccount>((reply) => ({
    _tag: "DisconnectAccount",
    force: true,
    act: DISCONNECTING,
    reply,
  }))
  answered(world, 40)
  expect(okOf(gone).status).toBe("DISCONNECTED")
  expect(okOf(asked).order.tradeOrderId).toBe(placed!.order.tradeOrderId)
  world.venue.fates.submit = () => "accept"
  world.venue.fates.cancel = () => "accept"
  world.venue.fates.query = () => true
  world.venue.fates.stream = () => "deliver"
  return { world, id: placed!.order.tradeOrderId }
}

describe("an order in doubt of an account that was disconnected by force", () => {
  it("is imported by the account that is connected in its place, under an id of its own", () => {
    const { world, id } = leftInDoubt()
    const left = storedOf(world, id)
    expect(left).toMatchObject({ tradingAccountId: ACCOUNT, externalOrderId: null, doubt: { kind: "SUBMIT" } })
    world.connect(second)
    answered(world)
    const sim = world.venue.find(left)!
    const imported = foreignIdOf(sim.externalOrderId)
    expect(ofSecond(world)).toMatchObject([
      {
        tradeOrderId: imported,
        origin: "EXTERNAL",
        orderStatus: "ACCEPTED",
        externalOrderId: sim.externalOrderId,
        evidence: [{ what: `imported: placed by another account, or another gateway, as order ${id}` }],
      },
    ])
    expect(storedOf(world, id)).toEqual(left)
    expect(world.status(SECOND)).toBe("ACTIVE")
    expect(world.portfolio("USDT", SECOND)[0]!.locked.toString()).toBe("180")
    // What becomes of it, by the stream and by the lists, is told of the imported one.
    world.venue.fill(sim, Decimal.of("0.5"))
    answered(world, 5)
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.of("0.5"))
    answered(world, 180)
    expect(storedOf(world, imported)).toMatchObject({ orderStatus: "PARTIALLY_FILLED" })
    expect(storedOf(world, imported).executedQuantity.toString()).toBe("1")
    world.venue.fates.stream = () => "deliver"
    world.cancel(imported, SECOND)
    answered(world, 5)
    expect(storedOf(world, imported).orderStatus).toBe("CANCELLED")
    expect(ofSecond(world)).toHaveLength(1)
    expect(storedOf(world, id)).toEqual(left)
  })

  it("is imported once, also when its trade is seen first, or the process ends in between", () => {
    const { world, id } = leftInDoubt()
    const left = storedOf(world, id)
    world.connect(second)
    world.venue.fates.query = () => false
    answered(world, 2)
    world.venue.fill(world.venue.find(left)!, Decimal.of("0.5"))
    answered(world, 5)
    world.crash()
    world.venue.fates.query = () => true
    world.start()
    answered(world)
    expect(ofSecond(world)).toMatchObject([{ origin: "EXTERNAL", orderStatus: "PARTIALLY_FILLED" }])
    expect(ofSecond(world)[0]!.executedQuantity.toString()).toBe("0.5")
    expect(storedOf(world, id)).toEqual(left)
    expect(world.status(SECOND)).toBe("ACTIVE")
  })
})

describe("two accounts that work on one account of the venue", () => {
  it("import each other's orders, and each has its own", () => {
    const world = readyWorld()
    world.connect(second)
    answered(world, 10)
    expect([world.status(), world.status(SECOND)]).toEqual(["ACTIVE", "ACTIVE"])
    const asked = world.submit()
    const other = world.submit({ tradingAccountId: SECOND, limitPrice: "80" as never })
    answered(world, 30)
    const [mine, theirs] = [okOf(asked).order, okOf(other).order]
    const orders = [...world.database.orders.values()].map(({ order }) => order)
    expect(orders).toHaveLength(4)
    for (const order of [mine, theirs]) {
      expect(storedOf(world, order.tradeOrderId)).toMatchObject({
        tradingAccountId: order.tradingAccountId,
        origin: "GATEWAY",
        orderStatus: "ACCEPTED",
      })
      const { externalOrderId } = storedOf(world, order.tradeOrderId)
      const [copy, ...more] = orders.filter(
        (it) => it.externalOrderId === externalOrderId && it.tradeOrderId !== order.tradeOrderId,
      )
      expect([copy?.origin, copy?.tradingAccountId !== order.tradingAccountId, more]).toEqual(["EXTERNAL", true, []])
    }
    world.venue.fill(world.venue.find(mine)!, Decimal.ONE)
    answered(world, 30)
    const filled = [...world.database.orders.values()].filter(({ order }) => order.orderStatus === "FILLED")
    expect(filled.map(({ order }) => order.tradingAccountId).sort()).toEqual([ACCOUNT, SECOND])
    expect(world.accounts.stats().restarts).toBe(0)
  })
})
