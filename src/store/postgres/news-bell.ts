/**
 * Rings when news of users, or another trading mode, is committed, by this program or another (migration 44). The one thing to know: it says only
 * that there is something; what it is stands in the tables, and is found there also when the gateway did not hear the bell.
 */
import { Context, Effect, Queue, type Scope } from "effect"
import { connectDedicated, type SqlUnavailable, sqlPromise } from "./sql.ts"

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

/** A session that the server, or the network, has ended is begun again. */
const AGAIN_MILLIS = 1_000

/** Of a process that does not hear it on the owner's session. Until the scope ends. */
export const openBell = (url: string): Effect.Effect<NewsBell["Type"], SqlUnavailable, Scope.Scope> =>
  Effect.gen(function* () {
    const listeners: Array<() => void> = []
    const ring = (): void => {
      for (const listener of listeners) listener()
    }
    let isClosed = false
    let close: () => void = () => undefined
    const listen = async (): Promise<void> => {
      const client = await connectDedicated(url, { applicationName: "venue-gateway news" })
      close = () => void client.end().catch(() => undefined)
      if (isClosed) return close()
      const over = new Promise<void>((resolve) => client.once("end", () => resolve()))
      client.on("notification", ring)
      await client.query("LISTEN gateway_news").catch((error: unknown) => {
        close()
        throw error
      })
      // One that ends before it listens has failed, and is begun again for that.
      void over.then(again)
      // What was told in between is in the tables.
      ring()
    }
    const again = (): void => {
      if (!isClosed) setTimeout(() => listen().catch(again), AGAIN_MILLIS).unref()
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        close()
      }),
    )
    yield* sqlPromise(listen)
    return { onRing: (listener) => void listeners.push(listener) }
  })
