/**
 * Responses whose duration reveals nothing: each takes a whole number of time steps, whatever the outcome. For calls that must not reveal whether
 * an address belongs to a user, where the outcomes differ in what they write.
 */
import { Effect } from "effect"

/** Well above what any of the ways takes. */
const STEP_MILLIS = 250

export const inEvenTime =
  (monotonic: () => number) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const startedAt = monotonic()
      return Effect.flatMap(Effect.exit(work), (exit) => {
        const spent = monotonic() - startedAt
        return Effect.zipRight(Effect.sleep(Math.ceil(spent / STEP_MILLIS) * STEP_MILLIS - spent), exit)
      })
    })
