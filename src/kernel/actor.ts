/**
 * One actor: a synchronous mailbox, drained once per burst in a task of the scheduler (to wake a fiber for it would cost more than most
 * messages), a fiber that lives as long as its behaviour, and a behaviour (behaviour.ts) built again from the store after a defect.
 */
import { Cause, type Context, Effect, Exit, FiberRef, FiberSet, type Scheduler, type Scope } from "effect"
import type { Reply } from "../domain/reply.ts"
import type { Built, Message, Self } from "./behaviour.ts"

export interface Answers<E> {
  /** Not accepted, nothing stored. */
  readonly busy: () => E
  /** The incarnation that had taken the message is over. */
  readonly lost: () => E
  /** Too many restarts: the actor is parked. */
  readonly parked: () => E
  /** The actor ended before it took the message. */
  readonly ended: () => E
}

export interface ActorOptions<M extends Message<E>, E, R> {
  readonly name: string
  readonly behaviour: (self: Self<R>) => Effect.Effect<Built<M>, never, R | Scope.Scope>
  /** Whether a message may be answered with busy when `mailboxMax` of its kind wait. Reports and cancels are not refusable. */
  readonly refusable: (message: M) => boolean
  readonly answers: Answers<E>
  readonly monotonic: () => number
  /** Every defect, with the number of restarts so far. */
  readonly onDefect?: (cause: unknown, restarts: number) => void
  readonly onParked?: () => void
  readonly mailboxMax?: number
}

export interface Actor<M> {
  /** Never throws, never waits. */
  readonly post: (message: M) => void
  /** The actor's life: until interrupted. Run once. */
  readonly life: Effect.Effect<never>
  /** Nothing waits, nothing is in flight, nobody waits for an answer, and the behaviour has no reason to stay. */
  readonly isQuiet: () => boolean
  /** Monotonic ms of the newest message. */
  readonly lastPostAt: () => number
  readonly restarts: () => number
  readonly waiting: () => number
  /** Monotonic ms at which the message came that waits longest; null: none waits. */
  readonly oldestAt: () => number | null
}

const RESTARTS_MAX = 5
const RESTART_WINDOW_MILLIS = 60_000
const BACKOFF_MILLIS = 10
const DRAIN_MAX = 1_024

/** One-shot and registered: what is still open when its incarnation ends is failed by the kernel. */
class OpenReply<E> implements Reply<never, E> {
  taken = false
  constructor(
    private readonly inner: Reply<never, E>,
    private readonly open: Set<OpenReply<E>>,
  ) {
    open.add(this)
  }
  readonly ok = (answer: never): void => {
    if (this.open.delete(this)) this.inner.ok(answer)
  }
  readonly fail = (error: E): void => {
    if (this.open.delete(this)) this.inner.fail(error)
  }
}

interface Mail<M, E> {
  readonly message: M
  readonly reply: OpenReply<E> | null
  readonly refusable: boolean
  /** Monotonic ms. */
  readonly at: number
}

/** The mailbox and its life; `post` works from the first moment, whether or not `life` has begun. */
export const create = <M extends Message<E>, E, R>(
  options: ActorOptions<M, E, R>,
  context: Context.Context<Exclude<R, Scope.Scope>>,
): Actor<M> => {
  const mailboxMax = options.mailboxMax ?? 256
  const open = new Set<OpenReply<E>>()
  let mailbox: Array<Mail<M, E>> = []
  let head = 0
  let refusableWaiting = 0
  let turns: Array<() => void> = []
  let scheduler: Scheduler.Scheduler | null = null
  let isDrainDue = false
  /** The end of the incarnation, for its fiber. */
  let over: (() => void) | null = null
  let phase: "building" | "running" | "leaving" | "dead" | "parked" | "ended" = "building"
  let incarnation = 0
  let inTurn = false
  let defect: { readonly cause: unknown } | null = null
  let unsettled = 0
  let settledAll: (() => void) | null = null
  let built: Built<M> | null = null
  let lastPostAt = options.monotonic()
  const restartedAt: Array<number> = []
  let restarts = 0

  const rouse = (): void => {
    if (isDrainDue || phase !== "running" || scheduler === null) return
    isDrainDue = true
    scheduler.scheduleTask(drain, 0)
  }

  const die = (cause: unknown): void => {
    if (phase === "ended" || phase === "parked" || defect !== null) return
    defect = { cause }
    phase = "dead"
    over?.()
  }

  const guarded = (run: () => void): void => {
    if (inTurn) {
      turns.push(run)
      return
    }
    inTurn = true
    try {
      run()
      runTurns()
    } catch (cause) {
      die(cause)
    } finally {
      inTurn = false
    }
  }

  const runTurns = (): void => {
    while (turns.length > 0 && defect === null) {
      const waiting = turns
      turns = []
      for (const [index, run] of waiting.entries()) {
        run()
        if (defect === null) continue
        turns = [...waiting.slice(index + 1), ...turns]
        return
      }
    }
  }

  const take = (): Mail<M, E> | undefined => {
    const mail = mailbox[head]
    if (mail === undefined) return undefined
    head++
    if (head === mailbox.length) {
      mailbox = []
      head = 0
    }
    if (mail.refusable) refusableWaiting--
    return mail
  }

  /** Everything that waits, up to a limit that lets others have their turn. */
  const drain = (): void => {
    for (let i = 0; i < DRAIN_MAX && phase === "running"; i++) {
      const mail = take()
      if (mail === undefined) break
      if (mail.reply !== null) mail.reply.taken = true
      const handler = built!.handlers[mail.message._tag as M["_tag"]] as (message: M) => void
      guarded(() => handler(mail.message))
    }
    isDrainDue = false
    if (head < mailbox.length) rouse()
  }

  const selfOf = (mine: number, run: (work: Effect.Effect<void, never, R>) => { cancel: () => void }): Self<R> => {
    const alive = (): boolean => mine === incarnation && defect === null && phase !== "ended"
    const turn =
      (run: () => void): (() => void) =>
      () => {
        if (alive()) guarded(() => alive() && run())
      }
    return {
      turn,
      settling: (onOutcome, dead) => {
        unsettled++
        return (outcome) => {
          unsettled--
          if (alive()) guarded(() => (alive() ? onOutcome(outcome) : dead(outcome)))
          else dead(outcome)
          if (unsettled === 0) settledAll?.()
        }
      },
      fork: (work, done) => {
        run(
          Effect.exit(work).pipe(
            Effect.flatMap((exit) =>
              Effect.sync(() => {
                if (Exit.isSuccess(exit) || Cause.isFailure(exit.cause)) turn(() => done(exit))()
                else if (!Cause.isInterruptedOnly(exit.cause) && alive()) die(Cause.squash(exit.cause))
              }),
            ),
          ),
        )
      },
      later: (millis, later) => run(Effect.delay(Effect.sync(turn(later)), millis)).cancel,
    }
  }

  const untilOver = Effect.async<void>((resume) => {
    if (phase !== "running") resume(Effect.void)
    else
      over = () => {
        over = null
        resume(Effect.void)
      }
    // Interrupted: no mail is taken while the scope is closed.
    return Effect.sync(() => {
      phase = "leaving"
    })
  })

  const incarnate = Effect.scoped(
    Effect.gen(function* () {
      incarnation++
      defect = null
      phase = "building"
      const runFiber = yield* FiberSet.makeRuntime<R>()
      const self = selfOf(incarnation, (work) => {
        const fiber = runFiber(work)
        return { cancel: () => void runFiber(fiber.interruptAsFork(fiber.id())) }
      })
      scheduler = yield* FiberRef.get(FiberRef.currentScheduler)
      built = yield* options.behaviour(self)
      phase = "running"
      guarded(() => built?.started?.())
      if (!isDrainDue) drain()
      yield* untilOver
    }),
  )

  const failTaken = (): void => {
    for (const reply of [...open]) if (reply.taken) reply.fail(options.answers.lost())
  }

  const untilSettled = Effect.async<void>((resume) => {
    if (unsettled === 0) resume(Effect.void)
    else
      settledAll = () => {
        settledAll = null
        resume(Effect.void)
      }
  })

  const park = (): void => {
    phase = "parked"
    for (let mail = take(); mail !== undefined; mail = take()) mail.reply?.fail(options.answers.parked())
    options.onParked?.()
  }

  const life = Effect.gen(function* () {
    while (true) {
      const exit = yield* Effect.exit(incarnate)
      if (Exit.isFailure(exit)) {
        if (Cause.isInterrupted(exit.cause)) return yield* Effect.interrupt
        die(Cause.squash(exit.cause))
      }
      // What was queued behind the defect sees that the incarnation is over: outcomes take their `dead` way, the rest does nothing.
      for (const late of turns.splice(0)) late()
      restarts++
      options.onDefect?.(defect?.cause, restarts)
      yield* Effect.logError(`${options.name}: defect, restart ${restarts}`, Cause.die(defect?.cause))
      failTaken()
      yield* untilSettled
      const now = options.monotonic()
      restartedAt.push(now)
      while (restartedAt[0]! < now - RESTART_WINDOW_MILLIS) restartedAt.shift()
      if (restartedAt.length >= RESTARTS_MAX) {
        park()
        yield* Effect.logFatal(`${options.name}: parked after ${RESTARTS_MAX} restarts`)
        return yield* Effect.never
      }
      yield* Effect.sleep(BACKOFF_MILLIS * 2 ** (restartedAt.length - 1))
    }
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        phase = "ended"
        for (const reply of [...open]) reply.fail(reply.taken ? options.answers.lost() : options.answers.ended())
      }),
    ),
    Effect.provide(context),
  ) as Effect.Effect<never>

  return {
    life,
    post: (message) => {
      lastPostAt = options.monotonic()
      if (phase === "ended" || phase === "parked") {
        message.reply?.fail(phase === "parked" ? options.answers.parked() : options.answers.ended())
        return
      }
      const refusable = options.refusable(message)
      if (refusable && refusableWaiting >= mailboxMax) {
        message.reply?.fail(options.answers.busy())
        return
      }
      if (refusable) refusableWaiting++
      if (message.reply === undefined) mailbox.push({ message, reply: null, refusable, at: lastPostAt })
      else {
        const reply = new OpenReply<E>(message.reply, open)
        mailbox.push({ message: { ...message, reply }, reply, refusable, at: lastPostAt })
      }
      rouse()
    },
    isQuiet: () =>
      phase === "running" &&
      head >= mailbox.length &&
      unsettled === 0 &&
      open.size === 0 &&
      (built?.isIdle?.() ?? true),
    lastPostAt: () => lastPostAt,
    restarts: () => restarts,
    waiting: () => mailbox.length - head,
    oldestAt: () => mailbox[head]?.at ?? null,
  }
}
