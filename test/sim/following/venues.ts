/**
 * The venues that follow the journal, as they are: MOCK, and PAPER over MOCK's market, made anew with each process of a world from what its
 * database has. They send their messages in a microtask: here it is a task of the world's time.
 */
import { type Context, Effect, Exit, Scope } from "effect"
import type { TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import { type Instrument, instrumentIdOf } from "../../../src/domain/instrument/instrument.ts"
import { Clock } from "../../../src/ports/clock.ts"
import { Ids } from "../../../src/ports/ids.ts"
import { JournalPort } from "../../../src/ports/journal-port.ts"
import type { VenuePort } from "../../../src/ports/venue-port.ts"
import type { VenueSession } from "../../../src/ports/venue-session.ts"
import { MOCK, MOCK_LISTINGS } from "../../../src/venues/mock/instruments.ts"
import { type MockRig, mockVenue } from "../../../src/venues/mock/venue.ts"
import { PAPER, paperVenue } from "../../../src/venues/paper/venue.ts"
import type { SimTime } from "../time.ts"
import type { World } from "../world.ts"

export const FOLLOWING_VENUES: ReadonlyArray<VenueId> = [MOCK, PAPER]

/** What both of them list; PAPER has MOCK's under its own name. */
export const instrumentAt = (venue: VenueId): Instrument => {
  const { instrument } = MOCK_LISTINGS[0]!
  return { ...instrument, venue, instrumentId: instrumentIdOf(venue, instrument.symbol) }
}

/** The venues of one process. */
export class InProcessVenues {
  rig!: MockRig
  /** The newest of each account: it answers for the venue also when it is closed. */
  readonly sessions = new Map<TradingAccountId, VenueSession>()
  private scope: Scope.CloseableScope | null = null

  constructor(private readonly seed: number) {}

  /** A process begins: what was not in the journal is forgotten. */
  begin(world: World): Context.Tag.Service<VenuePort> {
    this.end(world)
    this.sessions.clear()
    const scope = Effect.runSync(Scope.make())
    this.scope = scope
    const { mock, paper } = Effect.runSync(
      Effect.gen(this, function* () {
        const made = yield* mockVenue({ mockSeed: this.seed, mockTickMillis: 0 })
        this.rig = made.rig
        const over = yield* paperVenue(made.adapter)
        return { mock: over.source, paper: over.adapter }
      }).pipe(
        Effect.provideService(JournalPort, world.memory.journal),
        Effect.provideService(Clock, { now: () => world.wall(), monotonic: () => world.monotonic() }),
        Effect.provideService(Ids, { uuid: () => world.uuid() }),
        Effect.provideService(Scope.Scope, scope),
      ),
    )
    const adapters = [mock, paper]
    const adapterOf = (venue: VenueId) => adapters.find((it) => it.venue.venue === venue)!
    return {
      ...world.venue.port,
      venues: adapters.map(({ venue }) => venue),
      find: (venue) => adapters.find((it) => it.venue.venue === venue)?.venue,
      openSession: (asked) =>
        Effect.tap(adapterOf(asked.account.venue).openSession(asked), (session) =>
          Effect.sync(() => void this.sessions.set(asked.account.tradingAccountId, session)),
        ),
    }
  }

  end(world: World): void {
    if (this.scope !== null) Effect.runFork(Scope.close(this.scope, Exit.void), { scheduler: world.time })
    this.scope = null
  }
}

/** Runs with the microtasks that are asked for by name as tasks of the world's time. */
export const withTasks = <A>(time: () => SimTime, run: () => A): A => {
  const { queueMicrotask } = globalThis
  globalThis.queueMicrotask = (task) => time().scheduleTask(task)
  try {
    return run()
  } finally {
    globalThis.queueMicrotask = queueMicrotask
  }
}
