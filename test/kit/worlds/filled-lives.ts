/** Lives of one order whose trades, views and timers come in any order, with restarts of the gateway among them. */
import fc from "fast-check"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueFill, VenueOrderState } from "../../../src/ports/venue-session.ts"
import type { World } from "../../sim/world.ts"
import { type Patch, placed, readyWorld } from "./ready-world.ts"

type Word =
  | { readonly _tag: "Trade"; readonly fill: VenueFill }
  | { readonly _tag: "View"; readonly state: VenueOrderState }
  | { readonly _tag: "Wait"; readonly millis: number }
  | { readonly _tag: "Crash" }

export interface Life {
  readonly fills: ReadonlyArray<{ readonly size: number; readonly price: number }>
  readonly isCancelled: boolean
  readonly hasUpdateTimes: boolean
  readonly order: ReadonlyArray<number>
  readonly repeats: ReadonlyArray<number>
  readonly waits: ReadonlyArray<number>
  readonly crashes: number
  readonly patch: Patch
}

/** `size`: the largest fill, in thousandths of the order. */
export const life = (minLength: number, maxLength: number, size: number): fc.Arbitrary<Life> =>
  fc.record({
    fills: fc.array(fc.record({ size: fc.integer({ min: 1, max: size }), price: fc.integer({ min: 60, max: 100 }) }), {
      minLength,
      maxLength,
    }),
    isCancelled: fc.boolean(),
    hasUpdateTimes: fc.boolean(),
    order: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 60 }),
    repeats: fc.array(fc.nat(1_000), { maxLength: 6 }),
    waits: fc.array(fc.constantFrom(100, 3_000, 6_000, 20_000), { maxLength: 5 }),
    crashes: fc.integer({ min: 0, max: 2 }),
    // No price is beyond the limit.
    patch: fc.constantFrom<Patch>({}, { orderSide: "SELL", limitPrice: "60" as never }),
  })

/** Every fill of the order's life is kept back, and comes in any order among views of every moment of it. */
export const live = ({ fills, isCancelled, hasUpdateTimes, order, repeats, waits, crashes, patch }: Life) => {
  const world = readyWorld()
  const placedOrder = placed(world, patch)
  const sim = world.venue.find(placedOrder)!
  const words: Array<Word> = []
  const look = (): void => {
    const state = world.venue.stateOf(sim)
    words.push({ _tag: "View", state: hasUpdateTimes ? state : { ...state, updatedAt: null } })
  }
  world.venue.fates.stream = () => "drop"
  for (const { size, price } of fills) {
    if (sim.status !== "OPEN") break
    words.push({ _tag: "Trade", fill: world.venue.fill(sim, Decimal.fromUnits(BigInt(size), 3), `${price}`) })
    look()
    world.advance(50)
  }
  if (isCancelled && sim.status === "OPEN") world.venue.end(sim, "CANCELLED")
  look()
  const trades = [...sim.fills]
  // The venue's own list of trades is as late as its stream.
  sim.fills.length = 0
  world.venue.fates.stream = () => "deliver"
  for (const index of repeats) words.push(words[index % words.length]!)
  for (const millis of waits) words.push({ _tag: "Wait", millis })
  for (let i = 0; i < crashes; i++) words.push({ _tag: "Crash" })
  const shuffled = words
    .map((word, index) => ({ word, key: order[index % order.length]! + ((index * 7919) % 13), index }))
    .sort((a, b) => a.key - b.key || a.index - b.index)
  for (const { word } of shuffled) say(world, word)
  sim.fills.push(...trades)
  world.advance(120_000)
  return { world, end: world.read(placedOrder.tradeOrderId), sim, trades }
}

const say = (world: World, word: Word): void => {
  switch (word._tag) {
    case "Trade":
      world.venue.tell({ _tag: "Filled", fill: word.fill })
      break
    case "View":
      world.venue.tell({ _tag: "OrderSeen", state: word.state })
      break
    case "Wait":
      world.advance(word.millis)
      break
    case "Crash":
      world.crash()
      world.start()
      world.advance(2_000)
      break
  }
  world.advance(20)
}
