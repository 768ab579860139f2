/**
 * The round of a loop over many, each of which may fail by itself: all of them are done, the same trouble with one of them is told once for
 * as long as it stays, and a round in which one of them failed has failed, so that its loop counts it.
 */
import { Effect, Exit } from "effect"

/** Whatever becomes of one of them the others are done. What a failure says is told at once; how the first of them ended, this ends. */
export const roundOfMany = <A, E, R>(
  all: Iterable<A>,
  each: (one: A) => Effect.Effect<unknown, E, R>,
  trouble: (one: A, error: E) => void,
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    let first: Exit.Exit<unknown, E> = Exit.void
    for (const one of all) {
      const told = Effect.tapError(each(one), (error) => Effect.sync(() => trouble(one, error)))
      const ended = yield* Effect.exit(told)
      if (Exit.isSuccess(first)) first = ended
    }
    yield* first
  })

/** What is told of each, round by round: the same words are not said again in the next one, and are after a round without them. */
export class Troubles<Id> {
  readonly #tell: (of: Id, why: string) => void
  #before: ReadonlyMap<Id, string> = new Map()
  #now = new Map<Id, string>()

  constructor(tell: (of: Id, why: string) => void) {
    this.#tell = tell
  }

  readonly hear = (of: Id, why: string): void => {
    const isKnown = this.#before.get(of) === why || this.#now.get(of) === why
    this.#now.set(of, why)
    if (!isKnown) this.#tell(of, why)
  }

  /** A round in which they are heard. One that ends without a word of any of them is well. */
  readonly during = <A, E, R>(round: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      this.#before = this.#now
      this.#now = new Map()
      return round
    })
}
