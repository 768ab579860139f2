/** An order that the venue had and says nothing of any more (contract C3): it may have been filled, and its trades are still to come. */
import { describe, expect, it, vi } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { ListWorld, STOP_LOSS, TAKE_PROFIT } from "../../../../kit/worlds/list-world.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { PLAIN_TRAITS } from "../../../../sim/traits.ts"
import type { World } from "../../../../sim/world.ts"

vi.mock("../../../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../../../kit/worlds/newest-core.ts")).keepingCore(original),
)

const LAG_MILLIS = 60_000
const GONE_MILLIS = 300_000

/** For a minute nothing tells of a fill: neither the stream, nor questions, nor the list of trades. */
const hideFills = (world: World): void => {
  const { venue } = world
  venue.fates.stream = () => "drop"
  venue.isKnown = (sim) => sim.status !== "FILLED" || world.time.now - sim.updatedAt > LAG_MILLIS
  venue.traits = { ...PLAIN_TRAITS, historyLagMillis: LAG_MILLIS }
  venue.random.between = (_from, to) => to
}

/** What it cancelled it knows no more, and the stream says nothing of it. */
const forgetCancelled = ({ venue }: World): void => {
  venue.isKnown = (sim) => sim.status !== "CANCELLED"
  venue.fates.stream = (report) => (report._tag === "OrderSeen" || report._tag === "Filled" ? "drop" : "deliver")
}

describe("an order that the venue had and does not show", () => {
  it("is not over before its trades can be known: no other leg of its list is sent", () => {
    const world = new ListWorld("pair")
    world.wake()
    hideFills(world)
    world.venue.fill(world.atVenue("TAKE_PROFIT")!, Decimal.of("10"))
    world.fire("STOP_LOSS")
    world.advance(LAG_MILLIS - 5_000)
    expect(world.leg("TAKE_PROFIT")).toMatchObject({ orderStatus: "PENDING_CANCEL", doubt: null })
    world.advance(120_000)
    expect(world.rows().map((it) => `${it.orderType} ${it.orderStatus} ${it.executedQuantity}`)).toEqual([
      "LIMIT FILLED 10",
      "STOP_LOSS REVOKED 0",
    ])
    expect(world.venue.arrivals.get(TAKE_PROFIT)).toBe(1)
    expect(world.venue.arrivals.get(STOP_LOSS)).toBeUndefined()
  })

  it("is over when it was silent for long, counted from when the venue showed it last", () => {
    const world = readyWorld()
    const order = placed(world)
    world.advance(600_000)
    world.venue.isKnown = () => false
    world.venue.fates.stream = () => "drop"
    world.venue.end(world.venue.find(order)!, "CANCELLED")
    world.advance(GONE_MILLIS - 10_000)
    expect(world.read(order.tradeOrderId).orderStatus).toBe("ACCEPTED")
    world.advance(90_000)
    expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "VENUE" })
    expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("0")
  })

  it.each(["the same", "a later"])(
    "was there when its cancel was confirmed, though its submit had no answer: %s process",
    (life) => {
      const world = readyWorld()
      world.venue.fates.submit = () => "silentAfter"
      forgetCancelled(world)
      const order = placed(world)
      world.cancel(order.tradeOrderId)
      world.advance(100)
      expect(world.read(order.tradeOrderId)).toMatchObject({ orderStatus: "PENDING_CANCEL", externalOrderId: null })
      if (life === "a later") {
        world.crash()
        world.start()
      }
      world.advance(GONE_MILLIS + 60_000)
      const end = world.read(order.tradeOrderId)
      expect(end).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST", rejectReason: null })
      expect(world.portfolio("USDT")[0]!.locked.toString()).toBe("0")
    },
  )
})

describe("an exit whose cancel is confirmed, and that the venue does not know any more", () => {
  const fired = (before: (world: ListWorld) => void = () => undefined): ListWorld => {
    const world = new ListWorld("pair")
    world.wake()
    forgetCancelled(world)
    before(world)
    world.fire("STOP_LOSS")
    return world
  }
  const stop = ({ venue }: ListWorld): string | undefined =>
    venue.find({ tradeOrderId: STOP_LOSS, externalOrderId: null })?.quantity.toString()

  it("lets the stop go once balances say that nothing of it was executed", () => {
    const world = fired()
    world.advance(1_000)
    expect(stop(world)).toBeUndefined()
    world.advance(4_000)
    expect(world.leg("TAKE_PROFIT")).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "OCO_SIBLING" })
    expect(stop(world)).toBe("10")
  })

  it("keeps the stop while balances say that some of it was, until its trade says how much", () => {
    const world = fired((it) => {
      hideFills(it)
      forgetCancelled(it)
      it.venue.fill(it.atVenue("TAKE_PROFIT")!, Decimal.of("4"))
    })
    world.advance(LAG_MILLIS - 5_000)
    expect(stop(world)).toBeUndefined()
    world.advance(75_000)
    expect(world.leg("TAKE_PROFIT").executedQuantity.toString()).toBe("4")
    expect(stop(world)).toBe("6")
  })

  it("keeps it while something else has moved what they sell, which balances do not tell apart", () => {
    const world = fired(({ venue }) => venue.totals.set("BTC", venue.totals.get("BTC")!.subtract(Decimal.ONE)))
    world.advance(60_000)
    expect(stop(world)).toBeUndefined()
    world.advance(GONE_MILLIS)
    expect(stop(world)).toBe("10")
  })

  it("keeps it while balances cannot be read, which leave what they sell as it was", () => {
    const world = fired((it) => {
      const { venue } = it
      hideFills(it)
      forgetCancelled(it)
      const balances = venue.balances.bind(venue)
      venue.balances = (account) => {
        const told = balances(account)
        return { ...told, balances: told.balances.map((row) => ({ ...row, locked: "?" })) }
      }
      venue.fill(it.atVenue("TAKE_PROFIT")!, Decimal.of("4"))
    })
    world.advance(LAG_MILLIS - 5_000)
    expect(stop(world)).toBeUndefined()
    world.advance(GONE_MILLIS + 60_000)
    expect(world.database.orders.get(TAKE_PROFIT)!.order.executedQuantity.toString()).toBe("4")
    expect(stop(world)).toBe("6")
  })

  it("keeps it in a process that did not send the exit", () => {
    const world = fired()
    world.advance(100)
    world.restart()
    world.advance(60_000)
    expect(stop(world)).toBeUndefined()
    world.advance(GONE_MILLIS)
    expect(stop(world)).toBe("10")
  })
})
