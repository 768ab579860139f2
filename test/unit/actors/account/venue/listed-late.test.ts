/** A trade that the venue's history lists up to a minute late, of an order that is over by then and in whose instrument nothing else happens. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { okOf } from "../../../../sim/world.ts"

const LAG_MILLIS = 58_000

describe("a trade that no event tells, of an order that our cancel ended without a word of it, listed a minute later", () => {
  // The account's trades are asked for each minute: at any moment of it.
  it.each(
    [0, 10_000, 20_000, 30_000, 40_000, 50_000].flatMap((at) => [[at, "goes on"] as const, [at, "dies"] as const]),
  )("is booked where the order ended %i ms into a minute and the process %s", (at, process) => {
    const world = readyWorld()
    world.advance(at)
    const asked = world.submit({ quantity: "2" as never })
    world.advance(100)
    const { tradeOrderId } = okOf(asked).order
    const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
    world.venue.traits = { ...world.venue.traits, historyLagMillis: LAG_MILLIS }
    world.venue.random.between = (_from, to) => to
    world.venue.fates.stream = () => "drop"
    world.venue.fill(sim, Decimal.of("0.5"))
    world.cancel(tradeOrderId)
    world.advance(1_000)
    if (process === "dies") {
      world.crash()
      world.venue.fates.stream = () => "deliver"
      world.start()
    }
    world.advance(240_000)
    const { order } = world.database.orders.get(tradeOrderId)!
    expect([order.orderStatus, order.executedQuantity.toString()]).toEqual(["CANCELLED", "0.5"])
  })
})
