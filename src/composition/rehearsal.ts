/**
 * What a node that waits does ahead, so that it serves sooner once the database is its own: what the process remembers anyway, and code that runs for the first time, a third of
 * the processor time of a take-over. The one thing to know: it only reads, and keeps nothing of the database; the parts are made after the grant, of what is stored then.
 */
import { Cause, Effect, Exit, type Scope } from "effect"
import { preparePasswords } from "../auth/proof/passwords.ts"
import type { Clock } from "../ports/clock.ts"
import { MeterBoard, Meters } from "../ports/meters.ts"
import { capabilityPage } from "../venues/adapters/capabilities.ts"
import type { GatewayOptions } from "./options.ts"

/** The first node of a cluster owns the database by then, and does all of it in earnest. */
const WAIT = "500 millis"

/** `parts`: tried once, as the owner makes them. Never fails, and may be interrupted at any time. */
export const rehearse = <E>(
  { notice }: Pick<GatewayOptions, "notice">,
  parts: Effect.Effect<void, E, Clock | Meters | Scope.Scope>,
) =>
  Effect.gen(function* () {
    yield* Effect.sleep(WAIT)
    capabilityPage()
    // What the parts count is of no reader's business.
    const tried = Effect.scoped(Effect.provideService(parts, Meters, new MeterBoard()))
    const exit = yield* Effect.exit(Effect.zipRight(Effect.promise(preparePasswords), tried))
    // The take-over takes longer, and is right all the same.
    if (Exit.isFailure(exit)) notice("the parts could not be tried ahead", { error: Cause.pretty(exit.cause) }, "info")
  })
