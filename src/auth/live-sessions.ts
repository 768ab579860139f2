/**
 * The sessions whose access tokens may be valid, in memory: a request costs one map look-up, and a session that ended is refused at
 * once, whatever its tokens still say. The one thing to know: `end` is remembered for sessions that are not here yet, too, so that a
 * login or refresh that was under way does not bring one back.
 */
import { AccessTokenExpired, AccessTokenMissing, InvalidAccessToken, SessionRevoked } from "../domain/errors.ts"
import type { SessionId } from "../domain/ids.ts"
import type { Principal, User } from "../domain/user.ts"
import { ACCESS_TOKEN_SECONDS, type Tokens } from "./tokens.ts"

const TOKENS_MAX = 100_000
const PRUNE_MILLIS = 600_000
/** Past the token's own leeway. */
const PRUNE_MARGIN_SECONDS = 60

export type AuthFailure = AccessTokenMissing | InvalidAccessToken | AccessTokenExpired | SessionRevoked

export interface Verified {
  readonly principal: Principal
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number
}

/** One per session for as long as one of its access tokens may be valid; every known token points at it. */
interface LiveSession {
  /** Null: it ended before it was seen here. */
  principal: Principal | null
  ended: boolean
  /** Wall ms at which the newest access token is over. */
  until: number
}

const principalOf = (user: User, sessionId: SessionId): Principal => {
  const { userId, tenantId, permissions, environments } = user
  return { userId, sessionId, tenantId, permissions, environments }
}

export class LiveSessions {
  readonly #live = new Map<SessionId, LiveSession>()
  readonly #known = new Map<string, { readonly session: LiveSession; readonly expiresAt: number }>()
  readonly #listeners: Array<(sessionId: SessionId) => void> = []
  #prunedAt: number

  constructor(
    private readonly tokens: Tokens,
    private readonly now: () => number,
  ) {
    this.#prunedAt = now()
  }

  onEnded(listener: (sessionId: SessionId) => void): void {
    this.#listeners.push(listener)
  }

  enter(user: User, sessionId: SessionId): void {
    const principal = principalOf(user, sessionId)
    const until = this.#newestUntil()
    const session = this.#live.get(sessionId)
    if (session === undefined) this.#live.set(sessionId, { principal, ended: false, until })
    else if (!session.ended) {
      session.principal = principal
      session.until = until
    }
    this.#prune()
  }

  end(sessionId: SessionId): void {
    const session = this.#live.get(sessionId)
    if (session === undefined) {
      this.#live.set(sessionId, { principal: null, ended: true, until: this.#newestUntil() })
      return
    }
    if (session.ended) return
    session.ended = true
    for (const listener of this.#listeners) listener(sessionId)
  }

  /** What the user may do has changed: all live sessions of the user know it from here on. */
  renew(user: User): void {
    for (const [sessionId, session] of this.#live)
      if (session.principal?.userId === user.userId && !session.ended) session.principal = principalOf(user, sessionId)
  }

  /** Of an Authorization header. */
  authenticate(header: string): Principal | AuthFailure {
    if (header === "") return new AccessTokenMissing()
    if (header.length > 4096 || header.slice(0, 7).toLowerCase() !== "bearer ") return new InvalidAccessToken()
    const verified = this.verify(header.slice(7))
    return "principal" in verified ? verified.principal : verified
  }

  verify(token: string): Verified | AuthFailure {
    const now = this.now()
    const entry = this.#known.get(token)
    if (entry !== undefined && !entry.session.ended && entry.session.principal !== null && entry.expiresAt * 1000 > now)
      return { principal: entry.session.principal, expiresAt: entry.expiresAt }
    if (entry !== undefined) this.#known.delete(token)
    const verified = this.tokens.verify(token, now)
    if (verified instanceof InvalidAccessToken || verified instanceof AccessTokenExpired) return verified
    const session = this.#live.get(verified.sessionId)
    if (session === undefined || session.ended || session.principal === null) return new SessionRevoked()
    // A full map forgets its oldest tokens: they are verified once more, nothing else.
    if (this.#known.size >= TOKENS_MAX)
      for (const oldest of this.#known.keys()) if (this.#known.delete(oldest) && this.#known.size < TOKENS_MAX) break
    this.#known.set(token, { session, expiresAt: verified.expiresAt })
    return { principal: session.principal, expiresAt: verified.expiresAt }
  }

  /** Signing keys have changed: every token is verified once more. */
  forgetVerified(): void {
    this.#known.clear()
  }

  #newestUntil(): number {
    return this.now() + (ACCESS_TOKEN_SECONDS + PRUNE_MARGIN_SECONDS) * 1000
  }

  #prune(): void {
    const now = this.now()
    if (now - this.#prunedAt < PRUNE_MILLIS) return
    this.#prunedAt = now
    for (const [sessionId, session] of this.#live) if (session.until <= now) this.#live.delete(sessionId)
    for (const [token, { expiresAt }] of this.#known) if (expiresAt * 1000 <= now) this.#known.delete(token)
  }
}
