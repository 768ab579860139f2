/** Work that goes round beside the actors: what a defect of one round does to the next ones. */
import { Cause, Effect, Fiber, Logger, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import { recurring } from "../../../src/kernel/recurring.ts"

/** Rounds at these instants, in ms, and what was logged, when each round does the next of `fates`, then nothing. */
const lived = (pause: number, fates: ReadonlyArray<() => void>, millis: number) =>
  Effect.gen(function* () {
    const at: Array<number> = []
    const told: Array<string> = []
    const log = Logger.make(({ message, cause }) => {
      told.push(`${[message].flat().join(" ")}: ${Cause.isEmpty(cause) ? "" : Cause.squash(cause)}`)
    })
    const round = Effect.flatMap(Effect.clock, (clock) =>
      Effect.sync(() => {
        at.push(clock.unsafeCurrentTimeMillis())
        fates[at.length - 1]?.()
      }),
    )
    const fiber = yield* Effect.fork(
      recurring("the work failed", pause, round).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, log))),
    )
    yield* TestClock.adjust(millis)
    yield* Fiber.interrupt(fiber)
    yield* TestClock.adjust(10 * millis)
    return { at, told }
  }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)

const fails = () => {
  throw new Error("boom")
}

describe("recurring work", () => {
  it("goes on after a defect, which is told, and ends with its fiber", async () => {
    const { at, told } = await lived(2_000, [() => undefined, fails], 7_000)
    expect(at).toEqual([0, 2_000, 4_000, 6_000])
    expect(told).toEqual(["the work failed: Error: boom"])
  })

  it("does not spin when each round fails at once", async () => {
    const { at, told } = await lived(0, [fails, fails, fails, fails, fails], 35_000)
    expect(at).toEqual([0, 10_000, 20_000, 30_000])
    expect(told).toHaveLength(4)
  })
})
