/**
 * Limits how many private sessions of one venue open at once: at a start with a thousand accounts a few open at a time, so that the first ones
 * are answered in time by a rate-limited venue, instead of all of them too late. In-process venues need no limit.
 */
import { Effect, type Scope } from "effect"
import type { VenueId } from "../../../domain/ids.ts"

/** Of one venue, from the opening to the first agreement. */
const AT_ONCE = 16

class Turns {
  #free = AT_ONCE
  readonly #waiting = new Set<() => void>()

  /** `begin` is called when it is its turn; the answer ends the turn, or the waiting for it. */
  queue(begin: () => void): () => void {
    let state: "waits" | "begun" | "over" = "waits"
    const start = (): void => {
      state = "begun"
      begin()
    }
    if (this.#free > 0) {
      this.#free--
      start()
    } else this.#waiting.add(start)
    return () => {
      const was = state
      state = "over"
      if (was === "waits") this.#waiting.delete(start)
      else if (was === "begun") this.#next()
    }
  }

  #next(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}

export class SessionOpenings {
  readonly #turns = new Map<VenueId, Turns>()

  /** Waits for a turn; what it answers ends the turn, as the end of the scope does. */
  turn(venue: VenueId): Effect.Effect<() => void, never, Scope.Scope> {
    let turns = this.#turns.get(venue)
    if (turns === undefined) {
      turns = new Turns()
      this.#turns.set(venue, turns)
    }
    const all = turns
    return Effect.gen(function* () {
      let begin = (): void => undefined
      let hasBegun = false
      const end = yield* Effect.acquireRelease(
        Effect.sync(() =>
          all.queue(() => {
            hasBegun = true
            begin()
          }),
        ),
        (end) => Effect.sync(end),
      )
      yield* Effect.async<void>((resume) => {
        begin = () => resume(Effect.void)
        if (hasBegun) begin()
      })
      return end
    })
  }
}
