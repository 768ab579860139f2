/** A simulated account at a venue whose newest price is 100, and its submits with all the orders they make. */
import type { TradeOrder } from "../../src/domain/trade-order.ts"
import { okOf, World } from "../sim/world.ts"

export type Patch = Parameters<World["submit"]>[0]

/** Decimal text, which a patch takes only branded. */
export const text = (value: string) => value as never

export const pricedWorld = (): World => {
  const world = new World()
  world.lastPrice = "100"
  world.start()
  world.advance(1_000)
  return world
}

/** The submitted order first, then its list. */
export const placed = (world: World, patch: Patch): ReadonlyArray<TradeOrder> => {
  const asked = world.submit(patch)
  world.advance(100)
  const { order, linked } = okOf(asked)
  return [order, ...(linked ?? [])]
}
