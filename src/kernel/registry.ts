/**
 * Actors by id: a post wakes the addressed one, idle ones are put to sleep. Check and removal are one synchronous step, and an actor takes mail
 * from the moment it exists, so no message is lost between the two.
 */
import { Effect, type Scope } from "effect"
import type { Actor } from "./actor.ts"
import { makeHost } from "./host.ts"
import { keepLoop } from "./loop.ts"

export interface Registry<Id, M> {
  /** To the actor of that id, waking it. */
  readonly post: (id: Id, message: M) => void
  readonly wake: (id: Id) => void
  readonly isAwake: (id: Id) => boolean
  readonly stats: () => RegistryStats
}

export interface RegistryStats {
  readonly live: number
  /** Of every actor since the registry began. */
  readonly restarts: number
  /** Actors that a defect stopped for good: they refuse what they are asked until the process begins anew. */
  readonly parked: number
  /** Messages in all mailboxes. */
  readonly waiting: number
  /** For how long the oldest of them waits, in ms; 0: none does. */
  readonly oldestMillis: number
}

export const make = <Id, M>(options: {
  /** What they are. */
  readonly of: string
  /** A new actor, which the registry begins and ends. */
  readonly create: (id: Id) => Actor<M>
  readonly idleMillis: number
  /** How often idle actors are looked for. */
  readonly sweepMillis: number
  readonly monotonic: () => number
  /** An idle actor was put to sleep. */
  readonly slept?: (id: Id) => void
}): Effect.Effect<Registry<Id, M>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const host = yield* makeHost(options.monotonic)
    const entries = new Map<Id, Actor<M>>()
    yield* Effect.addFinalizer(() =>
      Effect.forEach([...entries.values()], (actor) => actor.end, { concurrency: "unbounded", discard: true }),
    )
    let gone = 0

    const wake = (id: Id): Actor<M> => {
      const known = entries.get(id)
      if (known !== undefined) return known
      const actor = options.create(id)
      entries.set(id, actor)
      actor.begin(host)
      return actor
    }

    const sweep = (): void => {
      const now = options.monotonic()
      for (const [id, actor] of entries) {
        if (now - actor.lastPostAt() < options.idleMillis || !actor.isQuiet()) continue
        entries.delete(id)
        gone += actor.restarts()
        options.slept?.(id)
        host.fork(actor.end)
      }
    }

    yield* keepLoop({ name: `idle ${options.of}`, pause: options.sweepMillis, round: Effect.sync(sweep) })
    return {
      post: (id, message) => wake(id).post(message),
      wake: (id) => void wake(id),
      isAwake: (id) => entries.has(id),
      stats: () => {
        const now = options.monotonic()
        let [restarts, parked, waiting, oldestAt] = [gone, 0, 0, now]
        for (const actor of entries.values()) {
          restarts += actor.restarts()
          if (actor.isParked()) parked++
          waiting += actor.waiting()
          oldestAt = Math.min(oldestAt, actor.oldestAt() ?? now)
        }
        return { live: entries.size, restarts, parked, waiting, oldestMillis: now - oldestAt }
      },
    }
  })
