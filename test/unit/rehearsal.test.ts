/** What a node that waits for the database tries ahead: once, and whatever becomes of it. */
import { Effect, Fiber, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { rehearse } from "../../src/composition/rehearsal.ts"
import { clockLive } from "../../src/live.ts"
import { MeterBoard, Meters } from "../../src/ports/meters.ts"

const tried = async (parts: Effect.Effect<void, Error>, millis = 10_000) => {
  const seen = { tries: 0, words: [] as Array<string> }
  const once = Effect.zipRight(
    Effect.sync(() => void seen.tries++),
    parts,
  )
  const run = Effect.gen(function* () {
    const rehearsal = yield* Effect.fork(rehearse({ notice: (what) => void seen.words.push(what) }, once))
    yield* TestClock.adjust(millis)
    yield* millis < 500 ? Fiber.interrupt(rehearsal) : Fiber.join(rehearsal)
  })
  const services = run.pipe(Effect.provideService(Meters, new MeterBoard()), Effect.provide(clockLive))
  await Effect.runPromise(Effect.provide(services, TestContext.TestContext))
  return seen
}

it("tries the parts once while the node waits", async () => {
  expect(await tried(Effect.void)).toEqual({ tries: 1, words: [] })
})

it("does nothing at a node that owns the database at once", async () => {
  expect(await tried(Effect.void, 400)).toEqual({ tries: 0, words: [] })
})

it("says what could not be tried, a defect as well, and fails nobody", async () => {
  const words = ["the parts could not be tried ahead"]
  expect(await tried(Effect.fail(new Error("the database is away")))).toEqual({ tries: 1, words })
  expect(await tried(Effect.die(new Error("a defect")))).toEqual({ tries: 1, words })
})
