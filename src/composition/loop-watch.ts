/** Tells the operator when the event loop was blocked: everything else that notices is late for the same reason, and blames the others. */
import { Effect, type Scope } from "effect"
import { watchLoopDelay } from "../foundation/loop-delay.ts"
import type { GatewayOptions } from "./options.ts"

const LOOK_MILLIS = 250
/** A client sees less than that as a slow answer. */
const STILL_MILLIS = 1_000

export const watchLoop = (
  { notice }: GatewayOptions,
  monotonic: () => number,
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => {
        const delay = watchLoopDelay()
        let lookedAt = monotonic()
        return setInterval(() => {
          const now = monotonic()
          const millis = Math.round(now - lookedAt - LOOK_MILLIS)
          lookedAt = now
          delay.look()
          if (millis >= STILL_MILLIS) notice("the event loop was blocked", { millis })
        }, LOOK_MILLIS).unref()
      }),
      (timer) => Effect.sync(() => clearInterval(timer)),
    ),
  )
