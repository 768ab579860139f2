/** A loop over many of which some fail: what becomes of the others, what the loop counts, and what is told of each. */
import { Data, Effect, Logger } from "effect"
import { expect, it } from "vitest"
import { keepLoop, LoopBoard, Loops, roundOfMany, Troubles } from "../../../src/kernel/loop.ts"
import { SimTime } from "../../sim/time.ts"

class Away extends Data.TaggedError("Away")<{ readonly message: string }> {}

type Fate = string | Error | null

/** Rounds over three of them; `fates`: what the next ones end of. */
const kept = () => {
  const time = new SimTime(0)
  const board = new LoopBoard()
  const fates: Record<string, Fate> = { a: null, b: null, c: null }
  const told: Array<string> = []
  const done: Array<string> = []
  const troubles = new Troubles<string>((of, why) => told.push(`${of}: ${why}`))
  const each = (one: string): Effect.Effect<void, Away> =>
    Effect.suspend(() => {
      const fate = fates[one] ?? null
      if (fate instanceof Error) return Effect.die(fate)
      if (fate !== null) return Effect.fail(new Away({ message: fate }))
      done.push(one)
      return Effect.void
    })
  const round = troubles.during(
    roundOfMany(Object.keys(fates), each, (one, { message }) => troubles.hear(one, message)),
  )
  const life = Effect.scoped(Effect.zipRight(keepLoop({ name: "work", pause: 5_000, round }), Effect.never)).pipe(
    Effect.provide(Logger.remove(Logger.defaultLogger)),
    Effect.provideService(Loops, board),
    Effect.withClock(time.clock),
  )
  Effect.runFork(life, { scheduler: time })
  time.settle()
  /** Of a minute with these fates: who was done in it, what was told, and the loop's failures since it went well last. */
  const minute = (now: Record<string, Fate>) => {
    Object.assign(fates, now)
    done.length = 0
    told.length = 0
    time.advance(60_000)
    return { done: [...new Set(done)].join(""), told: [...told], isFailing: (board.states()[0]?.failed ?? 0) >= 3 }
  }
  return minute
}

it("does the others when one fails, counts the round as failed, and tells the trouble once", () => {
  const minute = kept()
  expect(minute({})).toEqual({ done: "abc", told: [], isFailing: false })
  expect(minute({ b: "away" })).toEqual({ done: "ac", told: ["b: away"], isFailing: true })
  expect(minute({ c: "full" })).toEqual({ done: "a", told: ["c: full"], isFailing: true })
  expect(minute({ c: "closed" })).toEqual({ done: "a", told: ["c: closed"], isFailing: true })
})

it("tells a trouble again that was over and comes back", () => {
  const minute = kept()
  expect(minute({ a: "away" }).told).toEqual(["a: away"])
  expect(minute({ a: null })).toEqual({ done: "abc", told: [], isFailing: false })
  expect(minute({ a: "away" }).told).toEqual(["a: away"])
})

it("does the others when one dies, and fails by the defect", () => {
  const minute = kept()
  expect(minute({ a: new Error("boom") })).toEqual({ done: "bc", told: [], isFailing: true })
  expect(minute({ a: null })).toEqual({ done: "abc", told: [], isFailing: false })
})
