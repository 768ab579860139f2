/**
 * One actor: a synchronous mailbox, drained once per burst in a task of the scheduler (waking a fiber for it would cost more than most messages),
 * and a behaviour (behaviour.ts) that is rebuilt from the store after a defect. The one thing to know: a running actor has no fiber. There is one
 * while it is built and while it restarts, and one for each piece of slow work.
 */
import { Cause, Effect, Exit, Fiber } from "effect"
import type { Reply } from "../domain/reply.ts"
import { LeanSet } from "../foundation/lean.ts"
import type { Built, Message, Self } from "./behaviour.ts"
import { type Host, makeHost } from "./host.ts"
import { Incarnation, type Living } from "./incarnation.ts"

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

export interface ActorOptions<M extends Message<E>, E> {
  readonly name: string
  readonly behaviour: (self: Self<never>) => Effect.Effect<Built<M>>
  /** Whether a message may be answered with busy when `MAILBOX_MAX` of its kind wait. Reports and cancels are not refusable. */
  readonly refusable: (message: M) => boolean
  readonly answers: Answers<E>
  readonly monotonic: () => number
  /** Every defect, with the number of restarts so far. */
  readonly onDefect?: (cause: unknown, restarts: number) => void
  readonly onParked?: () => void
}

export interface Actor<M> {
  /** Never throws, never waits. */
  readonly post: (message: M) => void
  /** Builds it, and again after each defect. Once. */
  readonly begin: (host: Host) => void
  /** Ends what `begin` began; what waits for an answer is told. */
  readonly end: Effect.Effect<void>
  /** Nothing is queued or in flight, no caller waits for an answer, and the behaviour has no reason to stay. */
  readonly isQuiet: () => boolean
  /** Monotonic ms of the newest message. */
  readonly lastPostAt: () => number
  readonly restarts: () => number
  /** Restarted too often: it takes no mail until the process begins anew. */
  readonly isParked: () => boolean
  readonly waiting: () => number
  /** Monotonic ms at which the message came that waits longest; null: none waits. */
  readonly oldestAt: () => number | null
}

const RESTARTS_MAX = 5
const RESTART_WINDOW_MILLIS = 60_000
const BACKOFF_MILLIS = 10
const DRAIN_MAX = 1_024
const MAILBOX_MAX = 256

/** One-shot and registered: what is still open when its incarnation ends is failed by the kernel. */
class OpenReply<E> implements Reply<never, E> {
  taken = false
  constructor(
    private readonly inner: Reply<never, E>,
    private readonly open: LeanSet<OpenReply<E>>,
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

class Mailed<M extends Message<E>, E> implements Actor<M>, Living {
  readonly #options: ActorOptions<M, E>
  /** Null: nothing has been asked of it yet. */
  #open: LeanSet<OpenReply<E>> | null = null
  #mailbox: Array<Mail<M, E>> = []
  #head = 0
  #refusableWaiting = 0
  #turns: Array<() => void> = []
  #host: Host | null = null
  #isDrainDue = false
  #phase: "building" | "running" | "leaving" | "dead" | "parked" | "ended" = "building"
  #incarnation: Incarnation | null = null
  /** It is being built, or begins again. */
  #fiber: Fiber.RuntimeFiber<void> | null = null
  #inTurn = false
  #defect: { readonly cause: unknown } | null = null
  #unsettled = 0
  #settledAll: (() => void) | null = null
  #built: Built<M> | null = null
  #lastPostAt: number
  #restartedAt: ReadonlyArray<number> = []
  #restarts = 0

  constructor(options: ActorOptions<M, E>) {
    this.#options = options
    this.#lastPostAt = options.monotonic()
  }

  // Its mail

  post(message: M): void {
    const { monotonic, answers, refusable } = this.#options
    this.#lastPostAt = monotonic()
    if (this.#phase === "ended" || this.#phase === "parked") {
      message.reply?.fail(this.#phase === "parked" ? answers.parked() : answers.ended())
      return
    }
    const isRefusable = refusable(message)
    if (isRefusable && this.#refusableWaiting >= MAILBOX_MAX) {
      message.reply?.fail(answers.busy())
      return
    }
    if (isRefusable) this.#refusableWaiting++
    const at = this.#lastPostAt
    if (message.reply === undefined) this.#mailbox.push({ message, reply: null, refusable: isRefusable, at })
    else {
      this.#open ??= new LeanSet()
      const reply = new OpenReply<E>(message.reply, this.#open)
      this.#mailbox.push({ message: { ...message, reply }, reply, refusable: isRefusable, at })
    }
    this.#rouse()
  }

  isQuiet(): boolean {
    return (
      this.#phase === "running" &&
      this.waiting() === 0 &&
      this.#unsettled === 0 &&
      (this.#open === null || this.#open.size === 0) &&
      (this.#built?.isIdle?.() ?? true)
    )
  }

  lastPostAt(): number {
    return this.#lastPostAt
  }

  restarts(): number {
    return this.#restarts
  }

  isParked(): boolean {
    return this.#phase === "parked"
  }

  waiting(): number {
    return this.#mailbox.length - this.#head
  }

  oldestAt(): number | null {
    return this.#mailbox[this.#head]?.at ?? null
  }

  #rouse(): void {
    if (this.#isDrainDue || this.#phase !== "running" || this.#host === null) return
    this.#isDrainDue = true
    this.#host.scheduler.scheduleTask(() => this.#drain(), 0)
  }

  #take(): Mail<M, E> | undefined {
    const mail = this.#mailbox[this.#head]
    if (mail === undefined) return undefined
    this.#head++
    if (this.#head === this.#mailbox.length) {
      this.#mailbox = []
      this.#head = 0
    }
    if (mail.refusable) this.#refusableWaiting--
    return mail
  }

  /** Everything that waits, up to a limit that lets others have their turn. */
  #drain(): void {
    for (let i = 0; i < DRAIN_MAX && this.#phase === "running"; i++) {
      const mail = this.#take()
      if (mail === undefined) break
      if (mail.reply !== null) mail.reply.taken = true
      const { handlers } = this.#built!
      const handle = handlers[mail.message._tag as M["_tag"]] as (message: M) => void
      this.guarded(() => handle.call(handlers, mail.message))
    }
    this.#isDrainDue = false
    if (this.waiting() > 0) this.#rouse()
  }

  // Its turns

  isAlive(incarnation: Incarnation): boolean {
    return incarnation === this.#incarnation && this.#defect === null && this.#phase !== "ended"
  }

  guarded(run: () => void): void {
    if (this.#inTurn) {
      this.#turns.push(run)
      return
    }
    this.#inTurn = true
    try {
      run()
      this.#runTurns()
    } catch (cause) {
      this.die(cause)
    } finally {
      this.#inTurn = false
    }
  }

  #runTurns(): void {
    while (this.#turns.length > 0 && this.#defect === null) {
      const waiting = this.#turns
      this.#turns = []
      for (const [index, run] of waiting.entries()) {
        run()
        if (this.#defect === null) continue
        this.#turns = [...waiting.slice(index + 1), ...this.#turns]
        return
      }
    }
  }

  unsettled(change: 1 | -1): void {
    this.#unsettled += change
    if (this.#unsettled === 0) this.#settledAll?.()
  }

  // Its life

  begin(host: Host): void {
    this.#host = host
    this.#build(host)
  }

  #build(host: Host): void {
    this.#defect = null
    this.#phase = "building"
    const incarnation = new Incarnation(this, host)
    this.#incarnation = incarnation
    this.#work(
      host,
      Effect.flatMap(this.#options.behaviour(incarnation), (built) =>
        Effect.sync(() => {
          this.#fiber = null
          this.#built = built
          this.#phase = "running"
          this.guarded(() => built.started?.())
          if (!this.#isDrainDue) this.#drain()
        }),
      ),
    )
  }

  /** In a fiber of its own, whose defect is the actor's. */
  #work(host: Host, work: Effect.Effect<void>): void {
    const fiber = host.fork(
      Effect.flatMap(Effect.exit(work), (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) && !Cause.isInterrupted(exit.cause)) this.die(Cause.squash(exit.cause))
        }),
      ),
    )
    // It may have come to its end already, and begun another.
    if (fiber.unsafePoll() === null && this.#phase !== "running" && this.#fiber === null) this.#fiber = fiber
  }

  die(cause: unknown): void {
    if (this.#phase === "ended" || this.#phase === "parked" || this.#defect !== null) return
    this.#defect = { cause }
    this.#phase = "dead"
    const building = this.#fiber
    this.#fiber = null
    const host = this.#host!
    // Not within the turn of the defect.
    const again = Effect.zipRight(Effect.yieldNow(), this.#again(host, cause))
    this.#work(host, building === null ? again : Effect.zipRight(Fiber.interruptFork(building), again))
  }

  #again(host: Host, cause: unknown): Effect.Effect<void> {
    return Effect.gen(this, function* () {
      const { name, monotonic, onDefect } = this.#options
      yield* this.#close(false)
      // What was queued behind the defect sees that the incarnation is over: outcomes take their `dead` way, the rest does nothing.
      for (const late of this.#turns.splice(0)) late()
      this.#restarts++
      onDefect?.(cause, this.#restarts)
      yield* Effect.logError(`${name}: defect, restart ${this.#restarts}`, Cause.die(cause))
      this.#failTaken()
      yield* this.#settled()
      const now = monotonic()
      this.#restartedAt = [...this.#restartedAt.filter((at) => at >= now - RESTART_WINDOW_MILLIS), now]
      if (this.#restartedAt.length >= RESTARTS_MAX) {
        this.#park()
        yield* Effect.logFatal(`${name}: parked after ${RESTARTS_MAX} restarts`)
        return
      }
      yield* Effect.sleep(BACKOFF_MILLIS * 2 ** (this.#restartedAt.length - 1))
      this.#fiber = null
      this.#build(host)
    })
  }

  #failTaken(): void {
    for (const reply of [...(this.#open ?? [])]) if (reply.taken) reply.fail(this.#options.answers.lost())
  }

  #settled(): Effect.Effect<void> {
    return Effect.async<void>((resume) => {
      if (this.#unsettled === 0) resume(Effect.void)
      else
        this.#settledAll = () => {
          this.#settledAll = null
          resume(Effect.void)
        }
    })
  }

  #park(): void {
    this.#phase = "parked"
    const { answers, onParked } = this.#options
    for (let mail = this.#take(); mail !== undefined; mail = this.#take()) mail.reply?.fail(answers.parked())
    onParked?.()
  }

  /** The incarnation's end; `isOrderly`: not by a defect. */
  #close(isOrderly: boolean): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.suspend(() => {
        const [built, incarnation] = [this.#built, this.#incarnation]
        this.#built = null
        built?.ended?.(isOrderly)
        return incarnation === null ? Effect.void : incarnation.close()
      }),
    )
  }

  get end(): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.gen(this, function* () {
        // No mail is taken while it ends.
        if (this.#phase === "running") this.#phase = "leaving"
        if (this.#fiber !== null) yield* Fiber.interrupt(this.#fiber)
        yield* this.#close(true)
        this.#phase = "ended"
        const { answers } = this.#options
        for (const reply of [...(this.#open ?? [])]) reply.fail(reply.taken ? answers.lost() : answers.ended())
      }),
    )
  }
}

/** `post` works from the first moment, whether or not it has begun. */
export const create = <M extends Message<E>, E>(options: ActorOptions<M, E>): Actor<M> => new Mailed(options)

/** For as long as the scope, or until it is interrupted. */
export const live = <M>(actor: Actor<M>, monotonic: () => number): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const host = yield* makeHost(monotonic)
      yield* Effect.acquireRelease(
        Effect.sync(() => actor.begin(host)),
        () => actor.end,
      )
      return yield* Effect.never
    }),
  )
