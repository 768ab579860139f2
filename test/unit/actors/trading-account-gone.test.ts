/** An order that the venue had and says nothing of any more (contract C3): it may have been filled, and its trades are still to come. */
import { describe, expect, it, vi } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { ListWorld, STOP_LOSS, TAKE_PROFIT } from "../../kit/list-world.ts"
import { placed, readyWorld } from "../../kit/ready-world.ts"
import { PLAIN_TRAITS } from "../../sim/traits.ts"
import type { World } from "../../sim/world.ts"

vi.mock("../../../src/actors/trading-account-session.ts", async (original) =>
  (await import("../../kit/newest-core.ts")).keepingCore(original),
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
})
