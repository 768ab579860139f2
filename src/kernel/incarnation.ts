/** One incarnation of a behaviour, from its construction to its end: its turns, its timers and its slow work. */
import { Cause, Effect, Exit, Fiber, Scope } from "effect"
import { LeanSet } from "../foundation/lean.ts"
import type { Self } from "./behaviour.ts"
import { type Host, TimerOwner } from "./host.ts"

/** The actor that lives it. */
export interface Living {
  readonly isAlive: (incarnation: Incarnation) => boolean
  /** Runs it as a turn; a throw is a defect. */
  readonly guarded: (run: () => void) => void
  readonly die: (cause: unknown) => void
  /** Outcomes that are waited for: one more, or one less. */
  readonly unsettled: (change: 1 | -1) => void
}

export class Incarnation extends TimerOwner implements Self<never> {
  #fibers: LeanSet<Fiber.RuntimeFiber<void>> | null = null
  /** Of what is open. */
  #scopes: LeanSet<Scope.CloseableScope> | null = null
  #isClosed = false
  readonly #living: Living
  readonly #host: Host

  constructor(living: Living, host: Host) {
    super()
    this.#living = living
    this.#host = host
  }

  turn(run: () => void): () => void {
    return () => this.#turn(run)
  }

  settling<A>(onOutcome: (outcome: A) => void, dead: (outcome: A) => void): (outcome: A) => void {
    const living = this.#living
    living.unsettled(1)
    return (outcome) => {
      living.unsettled(-1)
      if (living.isAlive(this)) living.guarded(() => (living.isAlive(this) ? onOutcome(outcome) : dead(outcome)))
      else dead(outcome)
    }
  }

  fork<A, E>(work: Effect.Effect<A, E>, done: (exit: Exit.Exit<A, E>) => void): void {
    if (this.#isClosed) return
    const living = this.#living
    const fiber = this.#host.fork(
      Effect.flatMap(Effect.exit(work), (exit) =>
        Effect.sync(() => {
          if (Exit.isSuccess(exit) || Cause.isFailure(exit.cause)) this.#turn(() => done(exit))
          else if (!Cause.isInterruptedOnly(exit.cause) && living.isAlive(this)) living.die(Cause.squash(exit.cause))
        }),
      ),
    )
    this.#fibers ??= new LeanSet()
    this.#fibers.add(fiber)
    fiber.addObserver(() => {
      this.#fibers?.delete(fiber)
      if (this.#fibers?.size === 0) this.#fibers = null
    })
  }

  open<A, E>(work: Effect.Effect<A, E, Scope.Scope>, done: (exit: Exit.Exit<A, E>) => void): () => void {
    if (this.#isClosed) return () => undefined
    let scope: Scope.CloseableScope | null = null
    const close = (): void => {
      if (scope !== null && this.#scopes?.delete(scope) === true) this.#host.fork(Scope.close(scope, Exit.void))
    }
    const scoped = Effect.flatMap(Scope.make(), (made) => {
      scope = made
      this.#scopes ??= new LeanSet()
      this.#scopes.add(made)
      return Scope.extend(work, made)
    })
    this.fork(scoped, (exit) => {
      if (Exit.isFailure(exit)) close()
      done(exit)
    })
    return close
  }

  later(millis: number, run: () => void): () => void {
    if (this.#isClosed) return () => undefined
    return this.#host.timers.add(this, millis, run)
  }

  override rings(run: () => void): void {
    this.#turn(run)
  }

  /** Calls off what waits, interrupts what works, and closes what is open. */
  close(): Effect.Effect<void> {
    this.#isClosed = true
    this.#host.timers.callOffAll(this)
    const [fibers, scopes] = [[...(this.#fibers ?? [])], [...(this.#scopes ?? [])]]
    this.#scopes = null
    return Effect.zipRight(
      Fiber.interruptAll(fibers),
      Effect.forEach(scopes, (scope) => Scope.close(scope, Exit.void), { discard: true }),
    )
  }

  #turn(run: () => void): void {
    const living = this.#living
    if (living.isAlive(this)) living.guarded(() => living.isAlive(this) && run())
  }
}
