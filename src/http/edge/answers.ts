/** Small bridges between actors' replies and handlers. */
import { Effect } from "effect"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { Reply } from "../../domain/reply.ts"

/** A message's answer as an Effect, for handlers that need it to go on. Those that only pass it on hand the reply over instead. */
export const ask = <A, E>(post: (reply: Reply<A, E>) => void): Effect.Effect<A, E> =>
  Effect.async((resume) => {
    post({
      ok: (answer) => resume(Effect.succeed(answer)),
      fail: (error) => resume(Effect.fail(error)),
    })
  })

/** Answers an actor's failure, whose type is every failure there is. */
export const relayed = (
  effect: Effect.Effect<void, DomainError>,
  reply: { readonly relay: (error: DomainError) => void },
): Effect.Effect<void> => Effect.catchAll(effect, (error) => Effect.sync(() => reply.relay(error)))

/** The failure that a look-up answered instead of a value. */
export const isFailure = (answer: object): answer is DomainError => answer instanceof Error
