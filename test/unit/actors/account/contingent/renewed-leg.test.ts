/** A leg that is changed by cancel and renewal, while another order of its list is left at the venue. */
import { describe, expect, it, vi } from "vitest"
import { ListWorld, TAKE_PROFIT } from "../../../../kit/worlds/list-world.ts"
import type { SimOrder } from "../../../../sim/venue/exchange.ts"
import { okOf } from "../../../../sim/world.ts"

vi.mock("../../../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../../../kit/worlds/newest-core.ts")).keepingCore(original),
)

/** The take-profit was given up, its successor works, and the venue has taken the first one all the same and refuses to cancel it. */
const leftThere = (): { readonly world: ListWorld; readonly late: SimOrder } => {
  const world = new ListWorld("entry").wake()
  world.venue.fates.submit = (order) => (order.tradeOrderId === TAKE_PROFIT ? "arrivesTooLate" : "accept")
  world.venue.fates.cancel = (ref) => (ref.tradeOrderId === TAKE_PROFIT ? "refuse" : "accept")
  world.venue.random.between = () => 40_000
  world.buy("10")
  world.advance(45_000)
  const late = world.venue.find({ tradeOrderId: TAKE_PROFIT, externalOrderId: null })!
  expect(late.status).toBe("OPEN")
  return { world, late }
}

describe("a leg that is changed while one that was given up works at the venue", () => {
  it("makes way, and what takes its place goes there when that one has ended", () => {
    const { world, late } = leftThere()
    const before = world.leg("TAKE_PROFIT")
    expect([before.orderStatus, before.tradeOrderId === TAKE_PROFIT]).toEqual(["ACCEPTED", false])
    const asked = world.replace(before.tradeOrderId, { limitPrice: "112" } as never)
    world.advance(2_000)
    const heir = okOf(asked)
    expect([heir.replacesTradeOrderId, heir.limitPrice?.toString()]).toEqual([before.tradeOrderId, "112"])
    world.advance(10_000)
    const waiting = world.leg("TAKE_PROFIT")
    expect([waiting.tradeOrderId, waiting.orderStatus, waiting.held.toString()]).toEqual([
      heir.tradeOrderId,
      "CREATED",
      "10",
    ])
    expect(world.venue.arrivals.get(heir.tradeOrderId)).toBeUndefined()
    world.venue.fates.cancel = () => "accept"
    world.advance(60_000)
    expect(late.status).toBe("CANCELLED")
    expect(world.leg("TAKE_PROFIT").orderStatus).toBe("ACCEPTED")
    expect(world.venue.arrivals.get(heir.tradeOrderId)).toBe(1)
  })
})
