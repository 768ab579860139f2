/**
 * Time and scheduling of a simulated world: one queue of fiber tasks and one heap of events, both run by hand. Nothing waits for the
 * machine, so one seed is one world. (TestClock yields through timers of the machine: a millisecond a step, and another order each run.)
 */
import { Clock, Duration, Effect, type Scheduler } from "effect"

interface Event {
  readonly at: number
  readonly number: number
  readonly run: () => void
  cancelled: boolean
}

export class SimTime implements Scheduler.Scheduler {
  now: number
  private tasks: Array<() => void> = []
  private readonly heap: Array<Event> = []
  private count = 0

  constructor(start: number) {
    this.now = start
  }

  // Scheduler

  scheduleTask(task: () => void): void {
    this.tasks.push(task)
  }

  shouldYield(): false {
    return false
  }

  /** Everything that can run without time passing. */
  settle(): void {
    for (let rounds = 0; this.tasks.length > 0; rounds++) {
      if (rounds > 100_000) throw new Error("the world does not come to rest")
      const tasks = this.tasks
      this.tasks = []
      for (const task of tasks) task()
    }
  }

  // Events

  /** Runs later, never within the call; in order for equal instants. The answer calls it off. */
  schedule(run: () => void, delayMillis: number): () => void {
    const event: Event = { at: this.now + Math.max(0, delayMillis), number: this.count++, run, cancelled: false }
    let i = this.heap.length
    this.heap.push(event)
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (before(this.heap[parent]!, event)) break
      this.heap[i] = this.heap[parent]!
      i = parent
    }
    this.heap[i] = event
    return () => {
      event.cancelled = true
    }
  }

  /** Lets time pass, one event after the other; `each` runs after every event. */
  advance(millis: number, each: () => void = () => undefined): void {
    const end = this.now + millis
    this.settle()
    for (let next = this.heap[0]; next !== undefined && next.at <= end; next = this.heap[0]) {
      this.pop()
      if (next.cancelled) continue
      this.now = Math.max(this.now, next.at)
      next.run()
      this.settle()
      each()
    }
    this.now = end
  }

  private pop(): void {
    const last = this.heap.pop()!
    const size = this.heap.length
    if (size === 0) return
    let i = 0
    while (true) {
      let child = 2 * i + 1
      if (child >= size) break
      if (child + 1 < size && before(this.heap[child + 1]!, this.heap[child]!)) child++
      if (before(last, this.heap[child]!)) break
      this.heap[i] = this.heap[child]!
      i = child
    }
    this.heap[i] = last
  }

  // Effect's clock

  readonly clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => this.now,
    unsafeCurrentTimeNanos: () => BigInt(Math.round(this.now * 1e6)),
    currentTimeMillis: Effect.sync(() => this.now),
    currentTimeNanos: Effect.sync(() => BigInt(Math.round(this.now * 1e6))),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const cancel = this.schedule(() => resume(Effect.void), Duration.toMillis(duration))
        return Effect.sync(cancel)
      }),
  }
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.number < b.number)

/** A seeded stream of numbers (mulberry32): the only source of chance in a world. */
export class Random {
  private state: number
  constructor(seed: number) {
    this.state = seed >>> 0
  }
  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }
  chance(probability: number): boolean {
    return this.next() < probability
  }
  pick<A>(list: ReadonlyArray<A>): A {
    return list[this.between(0, list.length - 1)]!
  }
}
