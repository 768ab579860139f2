/** Where actors run: one scheduler, one alarm for all their timers, and the fibers of what is slow. It ends with its scope. */
import { Effect, type Fiber, FiberRef, FiberSet, type Scheduler, type Scope } from "effect"
import { Timers } from "./timers.ts"

export class Host {
  readonly timers: Timers

  constructor(
    readonly fork: (work: Effect.Effect<void>) => Fiber.RuntimeFiber<void>,
    readonly scheduler: Scheduler.Scheduler,
    monotonic: () => number,
  ) {
    this.timers = new Timers(monotonic, (millis, ring) => {
      fork(Effect.delay(Effect.sync(ring), millis))
    })
  }
}

export const makeHost = (monotonic: () => number): Effect.Effect<Host, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* FiberSet.makeRuntime<never>()
    return new Host(fork, yield* FiberRef.get(FiberRef.currentScheduler), monotonic)
  })
