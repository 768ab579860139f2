/** A simulated account at a venue whose newest price is 100, and its submits with all the orders they make. */
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { okOf, World } from "../../sim/world.ts"

export type Patch = Parameters<World["submit"]>[0]

/** Decimal text, which a patch takes only branded. */
export const text = (value: string) => value as never

export const pricedWorld = (options: ConstructorParameters<typeof World>[0] = {}): World => {
  const world = new World(options)
  world.lastPrice = "100"
  world.start()
  world.advance(1_000)
  return world
}

/** A bare pair of exits from 100: a stop at 90, a take-profit that rests at 110. */
export const BARE_PAIR: Patch = {
  orderSide: "SELL",
  orderType: "STOP_LOSS",
  quantity: text("4"),
  stopPrice: text("90"),
  takeProfitLimitPrice: text("110"),
  limitPrice: null,
}

/** The submitted order first, then its list. */
export const placed = (world: World, patch: Patch): ReadonlyArray<TradeOrder> => {
  const asked = world.submit(patch)
  world.advance(100)
  const { order, linked } = okOf(asked)
  return [order, ...(linked ?? [])]
}
