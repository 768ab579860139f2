/** What is over is asked for no more: its questions would wait in line before those of orders that are in doubt. */
import { expect, it, vi } from "vitest"
import { newestCore } from "../../../../kit/worlds/newest-core.ts"
import { placed, readyWorld } from "../../../../kit/worlds/ready-world.ts"

vi.mock("../../../../../src/actors/account/venue/session.ts", async (original) =>
  (await import("../../../../kit/worlds/newest-core.ts")).keepingCore(original),
)

const ORDERS = 20
/** Then a cancel that may not have arrived is asked for. */
const ASKED_MILLIS = 300

it("an order that ends while its question waits in line is not asked for", () => {
  const world = readyWorld()
  const { venue } = world
  const orders = Array.from({ length: ORDERS }, () => placed(world))
  venue.fates.cancel = () => "lostBefore"
  for (const { tradeOrderId } of orders) world.cancel(tradeOrderId)
  world.advance(ASKED_MILLIS)
  for (const order of orders) venue.end(venue.find(order)!, "CANCELLED")
  const asked = venue.questions
  expect(orders.filter((it) => newestCore().orders.get(it.tradeOrderId)?.question).length).toBeGreaterThan(ORDERS / 2)
  world.advance(50)
  expect(orders.map((it) => world.read(it.tradeOrderId).orderStatus)).toEqual(orders.map(() => "CANCELLED"))
  for (const { tradeOrderId } of orders) expect(newestCore().orders.get(tradeOrderId)?.question ?? null).toBeNull()
  world.advance(5_000)
  // One was under way; balances may be asked for.
  expect(venue.questions - asked).toBeLessThan(ORDERS / 2)
})

it("an answer that is on its way when its order ends counts", () => {
  const world = readyWorld()
  const { venue } = world
  const order = placed(world)
  venue.fates.cancel = () => "lostBefore"
  world.cancel(order.tradeOrderId)
  world.advance(200)
  const asked = venue.questions
  venue.fates.latencyMillis = () => 1_000
  world.advance(ASKED_MILLIS)
  expect(venue.questions).toBeGreaterThan(asked)
  venue.fates.latencyMillis = () => 5
  venue.end(venue.find(order)!, "CANCELLED")
  world.advance(50)
  expect(world.read(order.tradeOrderId).orderStatus).toBe("CANCELLED")
  const working = newestCore().orders.get(order.tradeOrderId)!
  expect(working.question?.isUnderWay).toBe(true)
  world.advance(3_000)
  expect(working.order.evidence.at(-1)?.what).toContain("found: CANCELLED")
  expect(working.question).toBeNull()
})
