/**
 * A good token of a session that this process has not met, or not since its user proved anew who that is: another process may have begun it. The one
 * thing to know: only a token that our keys signed comes so far, so made-up ones ask the database nothing, and one that is over is asked of once.
 */
import { Effect, Exit, FiberSet } from "effect"
import type { AccessTokenExpired, SessionRevoked } from "../../domain/errors/authentication.ts"
import { Busy, StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId } from "../../domain/ids.ts"
import { Patience, REQUEST_PATIENCE_MILLIS } from "../../store/postgres/storage-failure.ts"

/** Undefined: it was read, and the token may be asked of again. */
type Learnt = (failure: Busy | StorageUnavailable | undefined) => void

export type Learn = (sessionId: SessionId, done: Learnt) => void

export class Unseen {
  constructor(
    private readonly sessionId: SessionId,
    private readonly read: Learn,
    /** What it is as far as this process knows, and where the database knows no more. */
    readonly failure: SessionRevoked | AccessTokenExpired,
  ) {}

  /** Reads the session; `done` in a later turn, or at once. */
  learn(done: Learnt): void {
    this.read(this.sessionId, done)
  }
}

/** Sessions being read at a time. */
const READS_MAX = 64

/** `read` brings what is stored of a session into memory. Once for all that ask of it meanwhile. */
export const makeLearn = (read: (sessionId: SessionId) => Effect.Effect<void, StorageUnavailable>) =>
  Effect.map(FiberSet.makeRuntime<never>(), (fork): Learn => {
    const reading = new Map<SessionId, Array<Learnt>>()
    return (sessionId, done) => {
      const waiting = reading.get(sessionId)
      if (waiting !== undefined) return void waiting.push(done)
      if (reading.size >= READS_MAX) return done(new Busy({ retryAfterSeconds: 1 }))
      const all = [done]
      reading.set(sessionId, all)
      const asked = Effect.provideService(read(sessionId), Patience, REQUEST_PATIENCE_MILLIS)
      fork(asked).addObserver((exit) => {
        reading.delete(sessionId)
        // A defect of it, too, says nothing of the token.
        const failure = Exit.isSuccess(exit) ? undefined : new StorageUnavailable()
        for (const each of all) each(failure)
      })
    }
  })
