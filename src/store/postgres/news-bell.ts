/**
 * Rings when news of users, or another trading mode, is committed, by this program or another (migration 44). The one thing to know: it says only
 * that there is something; what it is stands in the tables, and is found there also when the gateway did not hear the bell.
 */
import { Context, Effect, Queue } from "effect"

export class NewsBell extends Context.Tag("store/NewsBell")<
  NewsBell,
  { readonly onRing: (listener: () => void) => void }
>() {}

/** Without a ring: a session that the network lost without a word hears none. */
const LOOK_MILLIS = 5_000

/** What a loop awaits between its looks, the first of which is due at once. */
export const awaitNews: Effect.Effect<Effect.Effect<void>, never, NewsBell> = Effect.gen(function* () {
  const { onRing } = yield* NewsBell
  const rings = yield* Queue.sliding<void>(1)
  const ring = (): void => void rings.unsafeOffer(undefined)
  onRing(ring)
  ring()
  return Effect.raceFirst(Queue.take(rings), Effect.sleep(LOOK_MILLIS))
})
