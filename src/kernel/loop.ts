/**
 * Background work beside the actors that repeats as long as its scope. No actor restarts it, so it is supervised here: a round that fails, or
 * dies of a defect, is logged, counted and repeated with backoff, and `Loops` reports the state of each loop.
 */
import { Cause, type Clock, Context, Duration, Effect, Exit, Schedule, type Scope } from "effect"

// The round of a loop over many, each of which may fail by itself: all of them are done, the same trouble with one of them is told once for
// as long as it stays, and a round in which one of them failed has failed, so that its loop counts it.

/** Whatever becomes of one of them the others are done. What a failure says is told at once; how the first of them ended, this ends. */
export const roundOfMany = <A, E, R>(
  all: Iterable<A>,
  each: (one: A) => Effect.Effect<unknown, E, R>,
  trouble: (one: A, error: E) => void,
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    let first: Exit.Exit<unknown, E> = Exit.void
    for (const one of all) {
      const told = Effect.tapError(each(one), (error) => Effect.sync(() => trouble(one, error)))
      const ended = yield* Effect.exit(told)
      if (Exit.isSuccess(first)) first = ended
    }
    yield* first
  })

/** What is told of each, round by round: the same words are not said again in the next one, and are after a round without them. */
export class Troubles<Id> {
  readonly #tell: (of: Id, why: string) => void
  #before: ReadonlyMap<Id, string> = new Map()
  #now = new Map<Id, string>()

  constructor(tell: (of: Id, why: string) => void) {
    this.#tell = tell
  }

  readonly hear = (of: Id, why: string): void => {
    const isKnown = this.#before.get(of) === why || this.#now.get(of) === why
    this.#now.set(of, why)
    if (!isKnown) this.#tell(of, why)
  }

  /** A round in which they are heard. One that ends without a word of any of them is well. */
  readonly during = <A, E, R>(round: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      this.#before = this.#now
      this.#now = new Map()
      return round
    })
}

const MILLIS_PER_NANO = 1e-6
/** After a round that failed: the loop's own pause, within these; then twice as long each time. */
const AGAIN_FIRST = { minimum: Duration.millis(100), maximum: Duration.seconds(1) }
/** Up to its own pause, within these: what looks twice a second is not kept away for minutes by trouble that passes. */
const AGAIN_LAST = { minimum: Duration.seconds(5), maximum: Duration.minutes(5) }
/** A round is late after three pauses, and not before. */
const LATE_AFTER_MIN = Duration.minutes(2)

export interface LoopState {
  readonly name: string
  /** Rounds that came to their end. */
  readonly rounds: number
  /** Rounds that did not, in all. */
  readonly failures: number
  /** Of these, since the last one that did; and since when, in wall ms. */
  readonly failed: number
  readonly failingSince: number | null
  /** Since the last round that came to its end, before the first one since the loop began. */
  readonly sinceSuccessMillis: number
  /** Set where a round has been due, or under way, for far longer than it should: since when, in wall ms. */
  readonly lateSince: number | null
}

interface Pace {
  /** Null: it waits for work. */
  readonly pauseMillis: number | null
  readonly lateMillis: number
}

/** The account of one loop. */
export class KeptLoop {
  readonly name: string
  readonly #clock: Clock.Clock
  readonly #pace: Pace
  #rounds = 0
  #failures = 0
  #failed = 0
  #failingSince: number | null = null
  #trouble: string | null = null
  /** Monotonic ms, as `#dueAt`. */
  #succeededAt: number
  /** When the next round should begin, or should have begun; null while the loop waits for work. */
  #dueAt: number | null

  constructor(name: string, clock: Clock.Clock, pace: Pace) {
    this.name = name
    this.#clock = clock
    this.#pace = pace
    this.#succeededAt = this.#now()
    this.#dueAt = pace.pauseMillis === null ? null : this.#succeededAt
  }

  get failed(): number {
    return this.#failed
  }

  begins(): void {
    this.#dueAt ??= this.#now()
  }

  /** Whether it is other trouble than that of the round before. */
  fails(trouble: string): boolean {
    const isNew = this.#trouble !== trouble
    this.#trouble = trouble
    this.#failures++
    this.#failed++
    this.#failingSince ??= this.#clock.unsafeCurrentTimeMillis()
    return isNew
  }

  succeeds(): void {
    this.#rounds++
    this.#failed = 0
    this.#trouble = null
    this.#failingSince = null
    this.#succeededAt = this.#now()
    const { pauseMillis } = this.#pace
    this.#dueAt = pauseMillis === null ? null : this.#succeededAt + pauseMillis
  }

  state(): LoopState {
    const now = this.#now()
    const dueMillis = this.#dueAt === null ? 0 : now - this.#dueAt
    return {
      name: this.name,
      rounds: this.#rounds,
      failures: this.#failures,
      failed: this.#failed,
      failingSince: this.#failingSince,
      sinceSuccessMillis: now - this.#succeededAt,
      lateSince:
        dueMillis > this.#pace.lateMillis ? Math.round(this.#clock.unsafeCurrentTimeMillis() - dueMillis) : null,
    }
  }

  #now(): number {
    return Number(this.#clock.unsafeCurrentTimeNanos()) * MILLIS_PER_NANO
  }
}

/** All loops of one gateway that live now. */
export class LoopBoard {
  readonly #loops = new Set<KeptLoop>()

  enter(loop: KeptLoop): void {
    this.#loops.add(loop)
  }

  leave(loop: KeptLoop): void {
    this.#loops.delete(loop)
  }

  readonly states = (): ReadonlyArray<LoopState> => [...this.#loops].map((loop) => loop.state())
}

/** The gateway's own, provided by the composition root; without it a loop is supervised, but its state is not reported. */
export class Loops extends Context.Reference<Loops>()("kernel/Loops", {
  defaultValue: (): LoopBoard => new LoopBoard(),
}) {}

export type Loop<E, R> = {
  /** Its own: health, metrics and log lines name it. A plain word or two, written where the loop is kept. */
  readonly name: string
  /** Its failure is trouble that is known, such as a store that is away; what it dies of is a defect. */
  readonly round: Effect.Effect<unknown, E, R>
  /** A round that is due, or under way, for longer is late. Without: three pauses, two minutes at least. */
  readonly lateAfter?: Duration.DurationInput
} & (
  | {
      /** Between the end of a round and the next. */
      readonly pause: Duration.DurationInput
    }
  | {
      /** Before each round: its work, or its time. It may take as long as it likes. */
      readonly awaits: Effect.Effect<unknown, never, R>
    }
)

const againAfter = (pause: Duration.Duration | null) => {
  const first = Duration.clamp(pause ?? AGAIN_FIRST.maximum, AGAIN_FIRST)
  const last = Duration.clamp(pause ?? Duration.zero, AGAIN_LAST)
  return Schedule.union(Schedule.exponential(first), Schedule.spaced(last))
}

/** A defect is logged each time; known trouble when it begins, and when it becomes another. */
const failed = <E>(kept: KeptLoop, cause: Cause.Cause<E>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const isKnown = Cause.isFailure(cause) && !Cause.isDie(cause)
    const isNew = kept.fails(String(Cause.squash(cause)))
    if (isKnown && !isNew) return Effect.void
    const told = isKnown ? Effect.logWarning("a loop failed", cause) : Effect.logError("a loop failed", cause)
    return Effect.annotateLogs(told, { loop: kept.name, failed: kept.failed })
  })

const succeeded = (kept: KeptLoop): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { failed } = kept
    kept.succeeds()
    return failed === 0
      ? Effect.void
      : Effect.annotateLogs(Effect.logInfo("a loop recovered"), { loop: kept.name, failed })
  })

/** As `keepLoop`, for callers that fork it themselves: it lives as long as its fiber. */
export const keptLoop = <E, R>(loop: Loop<E, R>): Effect.Effect<never, never, R> =>
  Effect.flatMap(Effect.all([Effect.clock, Loops]), ([clock, board]) => {
    const pause = "pause" in loop ? Duration.decode(loop.pause) : null
    const awaits = "awaits" in loop ? loop.awaits : Effect.void
    const late = loop.lateAfter ?? Duration.max(LATE_AFTER_MIN, Duration.times(pause ?? Duration.zero, 3))
    const kept = new KeptLoop(loop.name, clock, {
      pauseMillis: pause === null ? null : Duration.toMillis(pause),
      lateMillis: Duration.toMillis(late),
    })
    // One that failed has its work still: it is not waited for again.
    let hasWork = false
    const once = Effect.suspend(() => (hasWork ? Effect.void : awaits)).pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          hasWork = true
          kept.begins()
          return loop.round
        }),
      ),
      // Of whatever it ends: an inner fiber that was interrupted is no reason for the loop to end.
      Effect.sandbox,
      Effect.tapError((cause) => failed(kept, cause)),
      Effect.retry(againAfter(pause)),
      // The schedule never ends, so there is nothing left to die of.
      Effect.orDie,
      Effect.zipRight(
        Effect.suspend(() => {
          hasWork = false
          return succeeded(kept)
        }),
      ),
    )
    return Effect.suspend(() => {
      board.enter(kept)
      return Effect.forever(pause === null ? once : Effect.zipRight(once, Effect.sleep(pause)))
    }).pipe(Effect.ensuring(Effect.sync(() => board.leave(kept))))
  })

/** Round after round until the scope ends. */
export const keepLoop = <E, R>(loop: Loop<E, R>): Effect.Effect<void, never, R | Scope.Scope> =>
  Effect.asVoid(Effect.forkScoped(keptLoop(loop)))
