/** What an order that was cancelled here may still do at the venue: fill, or stay open. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../../src/domain/decimal.ts"
import { okOf, World } from "../../../../sim/world.ts"

const opened = () => {
  const world = new World()
  world.start()
  world.advance(1_000)
  const asked = world.submit()
  world.advance(500)
  const { tradeOrderId } = okOf(asked).order
  const sim = world.venue.find({ tradeOrderId, externalOrderId: null })!
  return { world, tradeOrderId, sim }
}

const alertsOf = (world: World): ReadonlyArray<string> =>
  world.published.flatMap(({ json }) => {
    const { kind, data } = JSON.parse(json) as { readonly kind: string; readonly data?: { readonly code?: string } }
    return kind.includes("ALERT") ? [data?.code ?? json] : []
  })

const kindsOf = (world: World): ReadonlyArray<string> => world.kinds().filter((it) => it.startsWith("TRADE_ORDER."))

describe("a cancel that was asked for and is not seen to be done", () => {
  it("keeps the order in PENDING_CANCEL with its funds, and a fill ends it as filled", () => {
    const { world, tradeOrderId, sim } = opened()
    world.venue.fates.cancel = () => "silentBefore"
    world.cancel(tradeOrderId)
    world.advance(100)
    world.venue.tell({ _tag: "CancelInDoubt", tradeOrderId, reason: "not carried out yet", at: world.time.now })
    world.advance(1_000)
    const pending = world.read(tradeOrderId)
    expect(pending).toMatchObject({ orderStatus: "PENDING_CANCEL" })
    expect(pending.held.isPositive()).toBe(true)
    world.venue.fill(sim, Decimal.ONE)
    world.advance(1_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("FILLED")
    expect(kindsOf(world)).not.toContain("TRADE_ORDER.CANCELLED")
    expect(kindsOf(world)).toContain("TRADE_ORDER.FILLED")
  })

  it("of an order that stays open is sent again, then given up, and the order works on with its funds", () => {
    const { world, tradeOrderId } = opened()
    world.venue.fates.cancel = () => "silentBefore"
    world.cancel(tradeOrderId)
    world.advance(100)
    world.venue.tell({ _tag: "CancelInDoubt", tradeOrderId, reason: "not carried out yet", at: world.time.now })
    world.advance(300_000)
    const order = world.read(tradeOrderId)
    expect(order).toMatchObject({ orderStatus: "ACCEPTED", cancelRequested: false })
    expect(order.held.isPositive()).toBe(true)
    expect(world.venue.cancels.get(tradeOrderId)).toBeGreaterThan(1)
  })
})

describe("many cancels whose answers were lost with the session", () => {
  it("are sent again as soon as the venue lists their orders as open, without a question for each", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    const ids = Array.from({ length: 200 }, () => {
      const asked = world.submit()
      world.advance(100)
      return okOf(asked).order.tradeOrderId
    })
    world.venue.fates.cancel = () => "silentBefore"
    for (const tradeOrderId of ids) world.cancel(tradeOrderId)
    world.advance(500)
    for (const tradeOrderId of ids)
      world.venue.tell({ _tag: "CancelInDoubt", tradeOrderId, reason: "the connector was lost", at: world.time.now })
    world.advance(100)
    world.venue.streamDown()
    world.advance(1_300)
    world.venue.fates.cancel = () => "accept"
    world.advance(200)
    const before = world.venue.questions
    world.venue.streamUp()
    world.advance(3_000)
    expect(ids.filter((id) => world.read(id).orderStatus !== "CANCELLED")).toEqual([])
    expect(world.venue.questions - before).toBeLessThan(30)
    // Once is enough.
    expect(ids.filter((id) => world.venue.cancels.get(id) !== 2)).toEqual([])
  })
})

describe("an order that is over here", () => {
  it("and that the venue keeps open is cancelled there again, and the operator hears of it once", () => {
    const { world, tradeOrderId, sim } = opened()
    world.venue.fates.cancel = () => "silentBefore"
    world.cancel(tradeOrderId)
    world.advance(100)
    // The venue's word, which it does not keep.
    world.venue.tell({ _tag: "CancelAccepted", tradeOrderId, at: world.time.now })
    world.advance(1_000)
    expect(world.read(tradeOrderId).orderStatus).toBe("CANCELLED")
    const sent = world.venue.cancels.get(tradeOrderId) ?? 0
    world.venue.fates.cancel = () => "accept"
    world.advance(60_000)
    expect(world.venue.cancels.get(tradeOrderId) ?? 0).toBeGreaterThan(sent)
    expect(sim.status).toBe("CANCELLED")
    expect(alertsOf(world).filter((it) => it === "OPEN_AFTER_END")).toHaveLength(1)
  })
})
