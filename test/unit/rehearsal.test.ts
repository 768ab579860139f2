/** What a node that waits for the database tries ahead: once, only while it waits, and whatever becomes of it. */
import { Effect, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { rehearse } from "../../src/composition/rehearsal.ts"
import { clockLive } from "../../src/live.ts"
import { MeterBoard, Meters } from "../../src/ports/meters.ts"

const tried = (isGranted: boolean, store: Effect.Effect<void, Error>) => {
  const seen = { tries: 0, words: [] as Array<string> }
  const run = Effect.gen(function* () {
    const once = Effect.zipRight(
      Effect.sync(() => void seen.tries++),
      store,
    )
    yield* rehearse({ notice: (what) => void seen.words.push(what) }, () => isGranted, once)
    yield* TestClock.adjust("10 seconds")
    // What it prepares is real work beside the clock.
    yield* Effect.promise(() => expect.poll(() => isGranted || seen.tries > 0, { timeout: 60_000 }).toBe(true))
    yield* Effect.yieldNow()
    return seen
  })
  return Effect.runPromise(
    Effect.scoped(run).pipe(
      Effect.provideService(Meters, new MeterBoard()),
      Effect.provide(clockLive),
      Effect.provide(TestContext.TestContext),
    ),
  )
}

it("reads the store once while the node waits", async () => {
  expect(await tried(false, Effect.void)).toEqual({ tries: 1, words: [] })
})

it("does nothing at a node that owns the database already", async () => {
  expect(await tried(true, Effect.void)).toEqual({ tries: 0, words: [] })
})

it("says what it could not read, and ends nothing", async () => {
  expect(await tried(false, Effect.fail(new Error("the database is away")))).toEqual({
    tries: 1,
    words: ["the parts could not be tried before they are needed"],
  })
})
