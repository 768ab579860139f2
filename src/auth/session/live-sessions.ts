/**
 * The sessions whose access tokens may be valid, in memory: a request costs one map look-up, and a session that ended is refused at once,
 * whatever its tokens still say. The one thing to know: `end` is also remembered for sessions that are not here yet, so that a login or refresh
 * in flight does not bring one back.
 */
import {
  AccessTokenExpired,
  AccessTokenMissing,
  HOW_TO_SEND_A_TOKEN,
  InvalidAccessToken,
  SessionRevoked,
} from "../../domain/errors/authentication.ts"
import { IpForbidden } from "../../domain/errors/authorisation.ts"
import type { SessionId } from "../../domain/ids.ts"
import type { ConsoleMode } from "../../domain/user/console-mode.ts"
import type { Principal, SessionPrincipal, User } from "../../domain/user/user.ts"
import type { NetworksOf } from "../../store/users/allowed-networks.ts"
import type { AllowedAddresses, From } from "./allowed-addresses.ts"
import { ACCESS_TOKEN_SECONDS, type Tokens } from "./tokens.ts"
import { type Learn, Unseen } from "./unseen.ts"

const TOKENS_MAX = 100_000
const PRUNE_MILLIS = 600_000
/** Past the token's own leeway. */
const PRUNE_MARGIN_SECONDS = 60

export type AuthFailure = AccessTokenMissing | InvalidAccessToken | AccessTokenExpired | SessionRevoked | IpForbidden

export interface Verified {
  /** As it is now: another one once the user's rights have changed. */
  readonly principal: SessionPrincipal
  /** Seconds since the Unix epoch. */
  readonly expiresAt: number
}

/** What is known of a session beside its user. */
export interface SessionProof {
  readonly sessionId: SessionId
  /** Wall ms. */
  readonly provenAt: number
  /** Access tokens of another one are good no longer. */
  readonly generation: number
  /** Whether the second factor was proven in it. */
  readonly secondFactor: boolean
  /** Wall ms: as far as is known of before it came here. */
  readonly refreshedAt: number
}

/** Of sessions of admins. */
export interface AdminTerms {
  /** The right counts only in a session with the second factor. */
  readonly needsSecondFactor: boolean
  /** A session that nothing was asked in for so long is over, in ms; null: as any other. */
  readonly idleMillis: number | null
}

/** One per session for as long as one of its access tokens may be valid; every known token points at it. */
interface LiveSession {
  /** Null: it ended before it was seen here. */
  principal: SessionPrincipal | null
  proof: Pick<SessionProof, "generation" | "provenAt" | "secondFactor">
  /** Whether its user is admin, in this session or only in another. */
  isAdmin: boolean
  /** Wall ms at which something was asked in it last. */
  seenAt: number
  ended: boolean
  /** Wall ms at which the newest access token is over. */
  until: number
}

/** One that was seen here and goes on. */
type Seen = LiveSession & { readonly principal: SessionPrincipal }
const UNPROVEN = { generation: 0, provenAt: 0, secondFactor: false } as const
const isSeen = (session: LiveSession): session is Seen => !session.ended && session.principal !== null

/** A token that was verified. */
interface Known {
  readonly session: Seen
  readonly generation: number
  readonly expiresAt: number
  /** Of the console, which only reads. */
  readonly isReading: boolean
}

const speaking = ({ session: { principal }, isReading }: Known): SessionPrincipal =>
  isReading ? { ...principal, isReading } : principal

const isAdmin = ({ permissions }: User): boolean => permissions.includes("admin")

/** What a user may do by a session or key in which so much was proven. */
export const rightsOf = (
  user: User,
  { provenAt, secondFactor: isProven }: Pick<SessionProof, "provenAt" | "secondFactor">,
  { needsSecondFactor }: AdminTerms,
): Omit<SessionPrincipal, "sessionId" | "key"> => {
  const { userId, tenantId, environments } = user
  const secondFactor = user.secondFactorAt === null ? "none" : isProven ? "proven" : "lacking"
  const isAdminWithheld = needsSecondFactor && isAdmin(user) && secondFactor !== "proven"
  const permissions = isAdminWithheld ? user.permissions.filter((it) => it !== "admin") : user.permissions
  return { userId, tenantId, permissions, environments, provenAt, secondFactor, isAdminWithheld }
}

/** Who the session speaks for, and what it may do. */
const principalOf = (
  user: User,
  proof: Pick<SessionProof, "sessionId" | "provenAt" | "secondFactor">,
  terms: AdminTerms,
): SessionPrincipal => ({ ...rightsOf(user, proof, terms), sessionId: proof.sessionId, key: null })

export const mayDo = ({ tenantId, permissions, environments }: Principal): string =>
  JSON.stringify([tenantId, permissions, environments])

export class LiveSessions {
  readonly #live = new Map<SessionId, LiveSession>()
  readonly #known = new Map<string, Known>()
  readonly #listeners: Array<(sessionId: SessionId) => void> = []
  readonly #renewals: Array<(sessionId: SessionId) => void> = []
  #prunedAt: number

  constructor(
    private readonly tokens: Tokens,
    private readonly now: () => number,
    private readonly addresses: AllowedAddresses,
    private readonly admins: AdminTerms,
    private readonly console: ConsoleMode,
    private readonly learn: Learn,
  ) {
    this.#prunedAt = now()
  }

  onEnded(listener: (sessionId: SessionId) => void): void {
    this.#listeners.push(listener)
  }

  onRenewed(listener: (sessionId: SessionId) => void): void {
    this.#renewals.push(listener)
  }

  /** Of a session's row no more than is named here is kept: the rest of it is for the database alone. */
  enter(user: User, { sessionId, refreshedAt, generation, provenAt, secondFactor }: SessionProof): void {
    const proof = { generation, provenAt, secondFactor }
    const until = this.#newestUntil()
    const session = this.#live.get(sessionId)
    // One that is here knows better than a reader of its user some time ago.
    if (session === undefined) {
      const principal = principalOf(user, { ...proof, sessionId }, this.admins)
      this.#live.set(sessionId, { principal, proof, isAdmin: isAdmin(user), seenAt: refreshedAt, ended: false, until })
    } else if (!session.ended) {
      session.until = until
      session.seenAt = Math.max(session.seenAt, refreshedAt)
      // Proofs are counted: one that is older than what is known here says nothing.
      if (proof.generation > session.proof.generation) this.#follow(user, sessionId, session, proof)
    }
    this.#prune()
  }

  /** Whether a session of the user, who has a second factor, is here without it: it may have been proven in it at another process. */
  lacksFactor({ userId, secondFactorAt }: User): boolean {
    if (secondFactorAt === null) return false
    for (const { ended, principal, proof } of this.#live.values())
      if (!ended && principal?.userId === userId && !proof.secondFactor) return true
    return false
  }

  /** The second factor was confirmed in this session. */
  factorProven(sessionId: SessionId): void {
    const session = this.#live.get(sessionId)
    if (session !== undefined) session.proof = { ...session.proof, secondFactor: true }
  }

  #follow(user: User, sessionId: SessionId, session: LiveSession, proof: LiveSession["proof"]): void {
    const before = session.principal
    if (before === null) return
    session.proof = proof
    session.isAdmin = isAdmin(user)
    const now = principalOf(user, { ...proof, sessionId }, this.admins)
    session.principal = now
    if (mayDo(now) !== mayDo(before)) for (const listener of this.#renewals) listener(sessionId)
  }

  end(sessionId: SessionId): void {
    const session = this.#live.get(sessionId)
    if (session === undefined) {
      const until = this.#newestUntil()
      this.#live.set(sessionId, { principal: null, proof: UNPROVEN, isAdmin: false, seenAt: 0, ended: true, until })
      return
    }
    if (session.ended) return
    session.ended = true
    for (const listener of this.#listeners) listener(sessionId)
  }

  /** The user as stored now, which may have other rights: all live sessions of the user know them from here on. */
  renew(user: User): void {
    for (const [sessionId, session] of this.#live) {
      if (session.ended || session.principal?.userId !== user.userId) continue
      this.#follow(user, sessionId, session, session.proof)
    }
  }

  /** From where this user, or the users of this tenant, may come has changed. */
  review(whose: NetworksOf): void {
    for (const [sessionId, { principal, ended }] of this.#live) {
      if (ended || principal === null) continue
      const isMeant = "userId" in whose ? principal.userId === whose.userId : principal.tenantId === whose.tenantId
      if (isMeant) for (const listener of this.#renewals) listener(sessionId)
    }
  }

  /** Of an Authorization header. */
  authenticate(header: string, from: From): SessionPrincipal | AuthFailure | Unseen {
    if (header === "") return new AccessTokenMissing({ reason: HOW_TO_SEND_A_TOKEN })
    if (header.slice(0, 7).toLowerCase() !== "bearer ") return new InvalidAccessToken({ reason: HOW_TO_SEND_A_TOKEN })
    if (header.length > 4096) return new InvalidAccessToken()
    const known = this.#allowed(header.slice(7), from)
    return "session" in known ? speaking(known) : known
  }

  /** `principal` follows the session, which is asked something in whenever it is read. */
  verify(token: string, from: From): Verified | AuthFailure | Unseen {
    const known = this.#allowed(token, from)
    if (!("session" in known)) return known
    const { session, expiresAt } = known
    const { now } = this
    return {
      expiresAt,
      get principal() {
        session.seenAt = now()
        return speaking(known)
      },
    }
  }

  #allowed(token: string, from: From): Known | AuthFailure | Unseen {
    const known = this.#look(token)
    return !("session" in known) || this.addresses.allows(known.session.principal, from) ? known : new IpForbidden()
  }

  /** Sessions of admins that nothing was asked in for too long. */
  idle(): ReadonlyArray<SessionId> {
    return [...this.#live].flatMap(([sessionId, session]) => (this.#isIdle(session, this.now()) ? [sessionId] : []))
  }

  #isIdle({ ended, isAdmin, seenAt }: LiveSession, now: number): boolean {
    const { idleMillis } = this.admins
    return idleMillis !== null && isAdmin && !ended && now > seenAt + idleMillis
  }

  #look(token: string): Known | AuthFailure | Unseen {
    const known = this.#find(token)
    if (!("session" in known)) return known
    const now = this.now()
    // Its end is stored by the next look at all of them.
    if (this.#isIdle(known.session, now)) return new SessionRevoked()
    known.session.seenAt = now
    return known
  }

  #find(token: string): Known | AuthFailure | Unseen {
    const now = this.now()
    const entry = this.#known.get(token)
    if (entry !== undefined && !entry.session.ended && entry.expiresAt * 1000 > now)
      return entry.generation === entry.session.proof.generation ? entry : new AccessTokenExpired()
    if (entry !== undefined) this.#known.delete(token)
    const verified = this.tokens.verify(token, now)
    if (verified instanceof InvalidAccessToken || verified instanceof AccessTokenExpired) return verified
    const { sessionId, generation } = verified
    const session = this.#live.get(sessionId)
    if (session === undefined) return new Unseen(sessionId, this.learn, new SessionRevoked())
    if (!isSeen(session)) return new SessionRevoked()
    if (generation > session.proof.generation) return new Unseen(sessionId, this.learn, new AccessTokenExpired())
    if (generation !== session.proof.generation) return new AccessTokenExpired()
    if (verified.isOfConsole && this.console === "off") return new SessionRevoked()
    // A full map forgets its oldest tokens: they are verified once more, nothing else.
    if (this.#known.size >= TOKENS_MAX)
      for (const oldest of this.#known.keys()) if (this.#known.delete(oldest) && this.#known.size < TOKENS_MAX) break
    const isReading = verified.isOfConsole && this.console === "read"
    const known: Known = { session, generation, expiresAt: verified.expiresAt, isReading }
    this.#known.set(token, known)
    return known
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
