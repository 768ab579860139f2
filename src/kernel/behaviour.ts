/**
 * An actor as its behaviour sees it: messages with one synchronous handler each, and what an incarnation may request of its actor. A handler
 * never waits: outcomes of commits, timers and slow work arrive as turns of their own.
 */
import type { Effect, Exit, Scope } from "effect"
import type { Reply } from "../domain/reply.ts"

/** `E`: how the kernel itself may answer (busy, lost, parked, ended). */
export interface Message<E> {
  readonly _tag: string
  readonly reply?: Reply<never, E>
}

/** One handler per message tag; each is synchronous. A throw is a defect and ends the incarnation. */
export type Behaviour<M extends { readonly _tag: string }> = {
  readonly [T in M["_tag"]]: (message: Extract<M, { readonly _tag: T }>) => void
}

export interface Built<M extends { readonly _tag: string }> {
  readonly handlers: Behaviour<M>
  /** Once, in the first turn, before any mail. */
  readonly started?: () => void
  /** Nothing keeps the actor awake. */
  readonly isIdle?: () => boolean
  /** Once, when the incarnation ends; after a defect memory may be ahead of what its units say. No mail is taken any more. */
  readonly ended?: (isOrderly: boolean) => void
}

/** What one incarnation of a behaviour may ask of its actor. All of it is void once the incarnation is over. */
export interface Self<R> {
  /**
   * Wraps the outcome of a unit handed to the store: it runs in the actor's guarded turn, before the mailbox. `dead` runs
   * instead when the incarnation is over; the restart waits for every wrapped outcome.
   */
  readonly settling: <A>(run: (outcome: A) => void, dead: (outcome: A) => void) => (outcome: A) => void
  /** A callback of something else (a later durability, for example) as a guarded turn; nothing when the incarnation is over. */
  readonly turn: (run: () => void) => () => void
  /** Slow work, interrupted when the incarnation ends; its exit comes back as a turn. A defect of it is the actor's. */
  readonly fork: <A, E>(work: Effect.Effect<A, E, R>, done: (exit: Exit.Exit<A, E>) => void) => void
  /** The same for work that leaves something open: the answer closes it, and so does the end of the incarnation. */
  readonly open: <A, E>(work: Effect.Effect<A, E, R | Scope.Scope>, done: (exit: Exit.Exit<A, E>) => void) => () => void
  /** A turn after `millis`; the answer calls it off. */
  readonly later: (millis: number, run: () => void) => () => void
}

// What an actor waits for, but not for ever.

/** Runs `run` once: when the answer is first called, or, if it is not, in a turn of the actor's after `millis`. */
export const onceOrAfter = (self: Pick<Self<never>, "later">, millis: number, run: () => void): (() => void) => {
  let isOver = false
  const once = (): void => {
    if (isOver) return
    isOver = true
    callOff()
    run()
  }
  const callOff = self.later(millis, once)
  return once
}
