/** Slow work, one piece at a time in the order of asking; while there is none it costs two fields. */
import { Effect } from "effect"

export class Turns {
  #semaphore: Effect.Semaphore | null = null
  #users = 0

  run<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.#semaphore ??= Effect.unsafeMakeSemaphore(1)
        this.#users++
        return this.#semaphore
      }),
      (semaphore) => semaphore.withPermits(1)(work),
      () =>
        Effect.sync(() => {
          this.#users--
          if (this.#users === 0) this.#semaphore = null
        }),
    )
  }
}
