/**
 * Sessions: signup, login, rotation of refresh tokens with reuse detection, logout. Liveness is in memory: a request costs one map
 * look-up, and a session that ended is refused at once, whatever its tokens still say.
 */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import type { Settings } from "../config.ts"
import {
  AccessTokenExpired,
  AccessTokenMissing,
  InvalidAccessToken,
  InvalidEmail,
  InvalidLoginCredentials,
  InvalidRefreshToken,
  type RateLimited,
  RefreshTokenExpired,
  RefreshTokenReused,
  SessionRevoked,
  type StorageUnavailable,
  UserDisabled,
  type UserExists,
  type WeakPassword,
} from "../domain/errors.ts"
import type { SessionId, TenantId, UserId } from "../domain/ids.ts"
import { dateTime } from "../domain/time.ts"
import { type Principal, type SessionRecord, type User, type UserRecord, userRecord } from "../domain/user.ts"
import { Clock } from "../ports/clock.ts"
import { Ids } from "../ports/ids.ts"
import { type SessionRow, SessionRows } from "../store/sessions.ts"
import { Users } from "../store/users.ts"
import type { Keys } from "./keys.ts"
import { makePasswords } from "./passwords.ts"
import { readRefreshToken, writeRefreshToken } from "./refresh-token.ts"
import { type Envelope, open, seal } from "./secrets.ts"
import { ACCESS_TOKEN_SECONDS, makeTokens } from "./tokens.ts"

const REFRESH_MILLIS = 7 * 86_400_000
const ABSOLUTE_MILLIS = 30 * 86_400_000
/** A client whose answer was lost may come back with the token before the newest one this long (security, A.1). */
const REISSUE_MILLIS = 10_000
const TOKENS_MAX = 100_000
const PRUNE_MILLIS = 600_000
/** Past the token's own leeway. */
const PRUNE_MARGIN_SECONDS = 60
/** ASCII only: look-alikes and invisible characters would make twins of one address. */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$/

export interface Origin {
  readonly ip: string
  readonly userAgent: string | null
}

export type AuthFailure = AccessTokenMissing | InvalidAccessToken | AccessTokenExpired | SessionRevoked

/** One per session for as long as one of its access tokens may be valid; every known token points at it. */
interface LiveSession {
  principal: Principal
  ended: boolean
  /** Wall ms at which the newest access token is over. */
  until: number
}

export interface SignupRequest extends Origin {
  readonly email: string
  readonly password: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** The request came over loopback without a proxy: then the first user of the installation becomes admin (contract C16). */
  readonly loopback: boolean
}

export class Sessions extends Context.Tag("auth/Sessions")<
  Sessions,
  {
    /** Of an Authorization header; synchronous. */
    readonly authenticate: (header: string) => Principal | AuthFailure
    /** Of a bare access token, with its expiry in seconds since the epoch (the WebSocket's connect and refresh). */
    readonly verify: (token: string) => { readonly principal: Principal; readonly expiresAt: number } | AuthFailure
    readonly signup: (
      request: SignupRequest,
    ) => Effect.Effect<SessionRecord, UserExists | WeakPassword | InvalidEmail | RateLimited | StorageUnavailable>
    readonly login: (
      request: Origin & { readonly email: string; readonly password: string },
    ) => Effect.Effect<SessionRecord, InvalidLoginCredentials | UserDisabled | RateLimited | StorageUnavailable>
    readonly refresh: (
      request: Origin & { readonly refreshToken: string },
    ) => Effect.Effect<
      SessionRecord,
      InvalidRefreshToken | RefreshTokenExpired | RefreshTokenReused | UserDisabled | StorageUnavailable
    >
    readonly logout: (principal: Principal) => Effect.Effect<void, StorageUnavailable>
    readonly currentUser: (principal: Principal) => Effect.Effect<UserRecord, SessionRevoked | StorageUnavailable>
    /** Told of every session that ended, in the same turn; live sockets close by it. */
    readonly onEnded: (listener: (sessionId: SessionId) => void) => void
  }
>() {}

const normalised = (email: string): string => email.trim().normalize("NFC").toLowerCase()

const make = (settings: Settings, keys: Keys) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const ids = yield* Ids
    const users = yield* Users
    const rows = yield* SessionRows
    const passwords = yield* makePasswords
    const tokens = makeTokens(keys.signing, `venue-gateway/${settings.environment}`)

    const live = new Map<SessionId, LiveSession>()
    const known = new Map<string, { readonly session: LiveSession; readonly expiresAt: number }>()
    const listeners: Array<(sessionId: SessionId) => void> = []

    const enter = (user: User, sessionId: SessionId): void => {
      const { userId, tenantId, permissions, environments } = user
      const principal = { userId, sessionId, tenantId, permissions, environments }
      const until = clock.now() + (ACCESS_TOKEN_SECONDS + PRUNE_MARGIN_SECONDS) * 1000
      const session = live.get(sessionId)
      if (session === undefined) live.set(sessionId, { principal, ended: false, until })
      // A refresh that was under way when the session ended does not bring it back.
      else if (!session.ended) {
        session.principal = principal
        session.until = until
      }
      prune()
    }

    const prune = (): void => {
      const now = clock.now()
      if (now - prunedAt < PRUNE_MILLIS) return
      prunedAt = now
      for (const [sessionId, session] of live) if (session.until <= now) live.delete(sessionId)
      for (const [token, { expiresAt }] of known) if (expiresAt * 1000 <= now) known.delete(token)
    }
    let prunedAt = clock.now()

    const end = (sessionId: SessionId): void => {
      const session = live.get(sessionId)
      if (session === undefined || session.ended) return
      session.ended = true
      for (const listener of listeners) listener(sessionId)
    }

    const place = (sessionId: SessionId, userId: UserId) =>
      ({ table: "session", id: sessionId, ownerId: userId, field: "refresh_key" }) as const
    const sealed = (sessionId: SessionId, userId: UserId, key: Buffer): Buffer =>
      Buffer.from(JSON.stringify(seal(keys.encryption, place(sessionId, userId), key)))
    const opened = (row: SessionRow): Buffer =>
      open(keys.encryption, place(row.sessionId, row.userId), JSON.parse(row.refreshKey.toString("utf8")) as Envelope)

    const record = (user: User, sessionId: SessionId, counter: number, refreshKey: Buffer): SessionRecord => {
      const { token, expiresAt } = tokens.issue(user, sessionId, clock.now())
      return {
        accessToken: token,
        refreshToken: writeRefreshToken(sessionId, counter, refreshKey),
        tokenType: "bearer",
        expiresIn: ACCESS_TOKEN_SECONDS,
        expiresAt,
        expiresAtDateTime: dateTime(expiresAt * 1000),
        user: userRecord(user),
      }
    }

    const begin = (user: User, origin: Origin) =>
      Effect.gen(function* () {
        const now = clock.now()
        const sessionId = ids.uuid() as SessionId
        const refreshKey = randomBytes(32)
        yield* rows.insert({
          sessionId,
          userId: user.userId,
          createdAt: now,
          refreshedAt: now,
          notAfter: now + ABSOLUTE_MILLIS,
          refreshCounter: 1,
          refreshKey: sealed(sessionId, user.userId, refreshKey),
          revokedAt: null,
          ip: origin.ip,
          userAgent: origin.userAgent === null ? null : origin.userAgent.slice(0, 200),
        })
        yield* users.touchSignIn(user.userId, now)
        enter(user, sessionId)
        return record({ ...user, lastSignInAt: now }, sessionId, 1, refreshKey)
      })

    const verify = (token: string): { readonly principal: Principal; readonly expiresAt: number } | AuthFailure => {
      const now = clock.now()
      const entry = known.get(token)
      if (entry !== undefined && !entry.session.ended && entry.expiresAt * 1000 > now)
        return { principal: entry.session.principal, expiresAt: entry.expiresAt }
      if (entry !== undefined) known.delete(token)
      const verified = tokens.verify(token, now)
      if (verified instanceof InvalidAccessToken || verified instanceof AccessTokenExpired) return verified
      const session = live.get(verified.sessionId)
      if (session === undefined || session.ended) return new SessionRevoked()
      // A full map forgets its oldest tokens: they are verified once more, nothing else.
      if (known.size >= TOKENS_MAX)
        for (const oldest of known.keys()) if (known.delete(oldest) && known.size < TOKENS_MAX) break
      known.set(token, { session, expiresAt: verified.expiresAt })
      return { principal: session.principal, expiresAt: verified.expiresAt }
    }

    const revoke = (sessionId: SessionId, reason: string) =>
      rows.revoke(sessionId, reason, clock.now()).pipe(Effect.tap(() => Effect.sync(() => end(sessionId))))

    const refreshOnce = (
      refreshToken: string,
    ): Effect.Effect<
      SessionRecord | "again",
      InvalidRefreshToken | RefreshTokenExpired | RefreshTokenReused | UserDisabled | StorageUnavailable
    > =>
      Effect.gen(function* () {
        const claim = readRefreshToken(refreshToken)
        if (claim === undefined) return yield* new InvalidRefreshToken()
        const found = yield* rows.find(claim.sessionId)
        if (found === null) return yield* new InvalidRefreshToken()
        const { row, user } = found
        const refreshKey = opened(row)
        if (!claim.provenBy(refreshKey)) return yield* new InvalidRefreshToken()
        if (row.revokedAt !== null) return yield* new InvalidRefreshToken()
        const now = clock.now()
        if (now > row.refreshedAt + REFRESH_MILLIS || now > row.notAfter) return yield* new RefreshTokenExpired()
        if (user.bannedAt !== null) return yield* new UserDisabled()
        if (claim.counter > row.refreshCounter) return yield* new InvalidRefreshToken()
        if (claim.counter === row.refreshCounter) {
          if (!(yield* rows.advance(row.sessionId, row.refreshCounter, now))) return "again" as const
          enter(user, row.sessionId)
          return record(user, row.sessionId, row.refreshCounter + 1, refreshKey)
        }
        if (claim.counter === row.refreshCounter - 1 && now <= row.refreshedAt + REISSUE_MILLIS) {
          enter(user, row.sessionId)
          return record(user, row.sessionId, row.refreshCounter, refreshKey)
        }
        yield* revoke(row.sessionId, "refresh token reused")
        return yield* new RefreshTokenReused()
      })

    for (const { row, user } of yield* rows.live(clock.now() - ACCESS_TOKEN_SECONDS * 1000))
      if (user.bannedAt === null) enter(user, row.sessionId)

    return Sessions.of({
      authenticate: (header) => {
        if (header === "") return new AccessTokenMissing()
        if (header.length > 4096 || header.slice(0, 7).toLowerCase() !== "bearer ") return new InvalidAccessToken()
        const verified = verify(header.slice(7))
        return "principal" in verified ? verified.principal : verified
      },
      verify,
      signup: (request) =>
        Effect.gen(function* () {
          const email = normalised(request.email)
          if (email.length > 254 || !EMAIL.test(email)) return yield* new InvalidEmail()
          const passwordHash = yield* passwords.hash(request.password)
          const user = yield* users.insert({
            userId: ids.uuid() as UserId,
            email,
            passwordHash,
            tenantId: settings.defaultTenantId as TenantId,
            environments: ["PROD", "UAT"],
            userMetadata: request.metadata,
            at: clock.now(),
            adminIfFirst: request.loopback,
            admin: settings.bootstrapAdminEmail !== null && normalised(settings.bootstrapAdminEmail) === email,
          })
          return yield* begin(user, request)
        }),
      login: (request) =>
        Effect.gen(function* () {
          const found = yield* users.findByEmail(normalised(request.email))
          const right = yield* passwords.verify(request.password, found?.passwordHash ?? null)
          if (found === null || !right) return yield* new InvalidLoginCredentials()
          if (found.user.bannedAt !== null) return yield* new UserDisabled()
          return yield* begin(found.user, request)
        }),
      refresh: (request) =>
        Effect.gen(function* () {
          // A lost race against another refresh of the same session is decided by looking again.
          for (let attempt = 0; attempt < 5; attempt++) {
            const outcome = yield* refreshOnce(request.refreshToken)
            if (outcome !== "again") return outcome
          }
          return yield* new InvalidRefreshToken()
        }),
      logout: (principal) => revoke(principal.sessionId, "logout").pipe(Effect.asVoid),
      currentUser: (principal) =>
        Effect.gen(function* () {
          const user = yield* users.findById(principal.userId)
          if (user === null) return yield* new SessionRevoked()
          return userRecord(user)
        }),
      onEnded: (listener) => {
        listeners.push(listener)
      },
    })
  })

export const sessionsLayer = (settings: Settings, keys: Keys) => Layer.effect(Sessions, make(settings, keys))
