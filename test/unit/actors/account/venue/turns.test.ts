/** Questions to a venue take turns: one at a time, in the order of asking, and the end of one wakes the next alone. */
import { Deferred, Effect, Fiber, FiberId, Scheduler } from "effect"
import { describe, expect, it } from "vitest"
import { Turns } from "../../../../../src/actors/account/venue/connection.ts"

const WAITING = 300

/** Counts what fibers are woken for. */
class CountingScheduler implements Scheduler.Scheduler {
  tasks = 0
  readonly #scheduler = new Scheduler.MixedScheduler(2_048)

  shouldYield(...given: Parameters<Scheduler.Scheduler["shouldYield"]>): number | false {
    return this.#scheduler.shouldYield(...given)
  }

  scheduleTask(...given: Parameters<Scheduler.Scheduler["scheduleTask"]>): void {
    this.tasks++
    this.#scheduler.scheduleTask(...given)
  }
}

describe("turns", () => {
  it("come in the order of asking, and the end of one wakes the next alone", async () => {
    const scheduler = new CountingScheduler()
    const turns = new Turns()
    const begun: Array<number> = []
    await Effect.runPromise(
      Effect.gen(function* () {
        const answer = yield* Deferred.make<void>()
        const first = yield* Effect.fork(turns.run(Deferred.await(answer)))
        yield* Effect.yieldNow()
        const others = yield* Effect.forEach(Array.from({ length: WAITING }).keys(), (number) =>
          Effect.fork(
            turns.run(
              Effect.zipRight(
                Effect.sync(() => begun.push(number)),
                Effect.yieldNow(),
              ),
            ),
          ),
        )
        yield* Effect.yieldNow()
        expect(begun).toEqual([])
        const before = scheduler.tasks
        yield* Deferred.succeed(answer, undefined)
        yield* Fiber.joinAll([first, ...others])
        // All that wait woken by each would be 45,000.
        expect(scheduler.tasks - before).toBeLessThan(10 * WAITING)
      }).pipe(Effect.withScheduler(scheduler)),
    )
    expect(begun).toEqual([...Array.from({ length: WAITING }).keys()])
  })

  it.each(["waits", "has its turn and does not know yet", "works"] as const)(
    "are passed on where one is interrupted that %s",
    async (when) => {
      const turns = new Turns()
      const begun: Array<string> = []
      await Effect.runPromise(
        Effect.gen(function* () {
          const answer = yield* Deferred.make<void>()
          const interruptSecond = Effect.sync(() => second.unsafeInterruptAsFork(FiberId.none))
          const work = when === "works" ? Effect.never : Deferred.await(answer)
          // Its end has given the turn to the second one, which has not run since.
          const after = when === "has its turn and does not know yet" ? interruptSecond : Effect.void
          const first = yield* Effect.fork(Effect.zipRight(turns.run(work), after))
          yield* Effect.yieldNow()
          const second = yield* Effect.fork(turns.run(Effect.sync(() => begun.push("second"))))
          const third = yield* Effect.fork(turns.run(Effect.sync(() => begun.push("third"))))
          yield* Effect.yieldNow()
          if (when === "works") yield* Fiber.interrupt(first)
          else if (when === "waits") yield* Fiber.interrupt(second)
          yield* Deferred.succeed(answer, undefined)
          yield* Fiber.join(third)
          expect(begun).toEqual(when === "works" ? ["second", "third"] : ["third"])
          expect(yield* turns.run(Effect.succeed("free"))).toBe("free")
        }),
      )
    },
  )
})
