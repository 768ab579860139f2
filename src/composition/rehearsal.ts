/**
 * What a node that waits does ahead, so that it serves sooner once the database is its own: what the process remembers anyway, and code that runs for the first time, a third of
 * the processor time of a take-over. The one thing to know: it only reads, and keeps nothing of the database; the parts are made after the grant, of what is stored then.
 */
import { Effect, type Scope } from "effect"
import { preparePasswords } from "../auth/proof/passwords.ts"
import type { Clock } from "../ports/clock.ts"
import { MeterBoard, Meters } from "../ports/meters.ts"
import { capabilityPage } from "../venues/adapters/capabilities.ts"
import type { GatewayOptions } from "./options.ts"

/** The first node of a cluster owns the database by then, and has done all of it in earnest. */
const WAIT = "500 millis"

/** `store`: what is stored is read once, as the owner will. Returns at once. */
export const rehearse = <E>(
  { notice }: Pick<GatewayOptions, "notice">,
  isGranted: () => boolean,
  store: Effect.Effect<void, E, Clock | Meters | Scope.Scope>,
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(WAIT)
    if (isGranted()) return
    capabilityPage()
    yield* Effect.promise(preparePasswords)
    // What it counts is of no reader's business.
    yield* Effect.scoped(Effect.provideService(store, Meters, new MeterBoard()))
  }).pipe(
    // The take-over takes longer, and is right all the same.
    Effect.catchAll((error) =>
      Effect.sync(() =>
        notice("the parts could not be tried before they are needed", { error: String(error) }, "info"),
      ),
    ),
    Effect.forkScoped,
    Effect.asVoid,
  )
