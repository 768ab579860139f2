/** Submits that provably did not leave, and orders that were declared never placed and appear after all. */
import { describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../../../src/domain/account/trading-account.ts"
import { CREDENTIAL, placedElsewhere, readyWorld } from "../../../../kit/worlds/ready-world.ts"
import { okOf } from "../../../../sim/world.ts"

describe("a submit that did not leave", () => {
  it("is sent again under the same id while there is time, and arrives once", () => {
    const world = readyWorld()
    let lost = 2
    world.venue.fates.submit = () => (lost-- > 0 ? "notSent" : "accept")
    const asked = world.submit()
    world.advance(1_000)
    const { tradeOrderId } = okOf(asked).order
    const order = world.read(tradeOrderId)
    expect(order.orderStatus).toBe("ACCEPTED")
    expect(order.evidence.filter((it) => it.what.startsWith("not sent, once more"))).toHaveLength(2)
    expect(world.venue.arrivals.get(tradeOrderId)).toBe(1)
  })

  it("is rejected with the reason when the time is over", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "notSent"
    const asked = world.submit({ awaitClosed: true })
    world.advance(1_100)
    expect(okOf(asked).order.orderStatus).toBe("SUBMITTED")
    world.advance(1_500)
    expect(world.read(okOf(asked).order.tradeOrderId)).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: "NOT_SENT: simulated",
    })
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("is not sent once its two seconds are over, where the wall clock is set back meanwhile", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "notSent"
    const asked = world.submit({ awaitClosed: true })
    world.venue.gatewayNow = () => world.wall()
    world.advance(1_000)
    world.wallAheadMillis = -3_600_000
    world.advance(3_000)
    world.venue.fates.submit = () => "accept"
    world.advance(10_000)
    expect(world.read(okOf(asked).order.tradeOrderId).orderStatus).toBe("REJECTED")
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("is not sent again when it was cancelled in between", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "notSent"
    const asked = world.submit()
    world.advance(30)
    world.venue.fates.submit = () => "accept"
    const { tradeOrderId } = okOf(asked).order
    const cancel = world.cancel(tradeOrderId)
    world.advance(1_000)
    expect(okOf(cancel)).toMatchObject({ orderStatus: "CANCELLED", cancelReason: "USER_REQUEST" })
    expect(world.venue.arrivals.size).toBe(0)
  })

  it("and was in doubt with its credential for a moment is not sent again, and costs no restart", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "notSent"
    const asked = world.submit()
    world.advance(20)
    world.venue.fates.submit = () => "accept"
    world.venue.tell({ _tag: "SessionRefused", reason: "invalid key" })
    world.advance(10)
    expect(world.status()).toBe("INACTIVE")
    world.ask<TradingAccount>((reply) => ({ _tag: "UpdateAccount", nickname: null, attach: [CREDENTIAL], reply }))
    world.advance(1_000)
    expect(world.status()).toBe("ACTIVE")
    expect(world.read(okOf(asked).order.tradeOrderId)).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: "NOT_SENT: simulated",
    })
    expect(world.defects).toEqual([])
    expect(world.venue.arrivals.size).toBe(0)
  })
})

describe("an order that was declared never placed", () => {
  it("is looked for after a restart too, and cancelled when it appears", () => {
    const world = readyWorld()
    world.venue.fates.submit = () => "lostBefore"
    const asked = world.submit()
    world.advance(120_000)
    const { tradeOrderId } = okOf(asked).order
    expect(world.read(tradeOrderId)).toMatchObject({
      orderStatus: "REJECTED",
      rejectReason: "NOT_PLACED: proven by expiry",
    })
    world.crash()
    world.start()
    world.advance(5_000)
    // Nothing else is open, and the stream is silent: only who looks finds it.
    world.venue.fates.stream = () => "drop"
    const sim = placedElsewhere(world, {}, tradeOrderId)
    world.advance(60_000)
    expect(sim.status).toBe("CANCELLED")
    expect(world.published.some((it) => it.json.includes("LATE_APPEARANCE"))).toBe(true)
  })
})
