/**
 * Where actors run: one scheduler, one alarm for all their timers, and the fibers of slow work. It ends with its scope. The one thing to know: a
 * timer is a small object in a heap, not a fiber; it belongs to an owner, whose end cancels its pending timers.
 */

import { Effect, type Fiber, FiberRef, type Scheduler, type Scope } from "effect"
import { makeFork } from "./fork.ts"
import { Heap, type Heaped } from "./heap.ts"

/** Timers of the machine cannot be set for longer. */
const ALARM_MAX_MILLIS = 86_400_000

class Timer implements Heaped {
  position = -1
  before: Timer | null = null
  after: Timer | null = null
  constructor(
    readonly owner: TimerOwner,
    /** Monotonic ms. */
    readonly dueAt: number,
    readonly number: number,
    readonly run: () => void,
  ) {}
}

export class TimerOwner {
  /** Its newest timer. */
  newest: Timer | null = null

  /** One of its timers rings. */
  rings(run: () => void): void {
    run()
  }
}

export class Timers {
  readonly #heap = new Heap<Timer>((a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.number < b.number))
  /** When alarms ring that are set (monotonic ms); each is earlier than those before it. */
  readonly #alarms: Array<number> = []
  #count = 0

  /** `alarm` runs `ring` once after so many ms, never within the call. */
  constructor(
    private readonly monotonic: () => number,
    private readonly alarm: (millis: number, ring: () => void) => void,
  ) {}

  /** Runs once after `millis`, in order for equal instants; the answer calls it off. */
  add(owner: TimerOwner, millis: number, run: () => void): () => void {
    const timer = new Timer(owner, this.monotonic() + Math.max(0, millis), this.#count++, run)
    timer.after = owner.newest
    if (owner.newest !== null) owner.newest.before = timer
    owner.newest = timer
    this.#heap.add(timer)
    this.#set()
    return () => this.#remove(timer)
  }

  callOffAll(owner: TimerOwner): void {
    while (owner.newest !== null) this.#remove(owner.newest)
  }

  #remove(timer: Timer): void {
    if (timer.position < 0) return
    this.#heap.remove(timer)
    const { owner, before, after } = timer
    if (before === null) owner.newest = after
    else before.after = after
    if (after !== null) after.before = before
  }

  #set(): void {
    const next = this.#heap.top()
    if (next === undefined) return
    const now = this.monotonic()
    const at = Math.min(next.dueAt, now + ALARM_MAX_MILLIS)
    const set = this.#alarms.at(-1)
    if (set !== undefined && set <= at) return
    this.#alarms.push(at)
    this.alarm(Math.ceil(at - now), () => {
      this.#alarms.splice(this.#alarms.indexOf(at), 1)
      this.#ring()
    })
  }

  #ring(): void {
    const now = this.monotonic()
    for (let next = this.#heap.top(); next !== undefined && next.dueAt <= now; next = this.#heap.top()) {
      this.#remove(next)
      next.owner.rings(next.run)
    }
    this.#set()
  }
}

export class Host {
  readonly timers: Timers

  constructor(
    readonly fork: (work: Effect.Effect<void>) => Fiber.RuntimeFiber<void>,
    readonly scheduler: Scheduler.Scheduler,
    monotonic: () => number,
  ) {
    this.timers = new Timers(monotonic, (millis, ring) => {
      fork(Effect.delay(Effect.sync(ring), millis))
    })
  }
}

export const makeHost = (monotonic: () => number): Effect.Effect<Host, never, Scope.Scope> =>
  Effect.gen(function* () {
    const fork = yield* makeFork
    return new Host(fork, yield* FiberRef.get(FiberRef.currentScheduler), monotonic)
  })
