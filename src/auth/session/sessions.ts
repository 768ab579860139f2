/**
 * Sessions: opened after authentication, renewed by refresh tokens with reuse detection, ended one by one or all at once. Stored first, then
 * applied in memory: `LiveSessions` never grants more than the database.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { Context, Effect } from "effect"
import type { Settings } from "../../config.ts"
import {
  InvalidRefreshToken,
  RefreshTokenExpired,
  RefreshTokenReused,
  SessionNotFound,
  UserDisabled,
} from "../../domain/errors/authentication.ts"
import { IpForbidden } from "../../domain/errors/authorisation.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import {
  type SessionEntry,
  type SessionMethod,
  type SessionPrincipal,
  type SessionRecord,
  type User,
  userRecord,
} from "../../domain/user/user.ts"
import { dateTime } from "../../foundation/time.ts"
import { keepLoop } from "../../kernel/loop.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { seenThrough } from "../../store/postgres/storage-failure.ts"
import type { NetworksOf } from "../../store/users/allowed-networks.ts"
import { type SessionRow, SessionRows } from "../../store/users/sessions.ts"
import { Users } from "../../store/users/users.ts"
import type { Audit, Origin } from "../audit-log.ts"
import type { Keys } from "../keys/keys.ts"
import { type Envelope, open, placeIn, seal } from "../keys/secrets.ts"
import type { SigningJwk } from "../keys/signing-keys.ts"
import type { AllowedAddresses, From } from "./allowed-addresses.ts"
import { type AuthFailure, LiveSessions, rightsOf, type Verified } from "./live-sessions.ts"
import { ACCESS_TOKEN_SECONDS, makeTokens } from "./tokens.ts"
import { makeLearn, type Unseen } from "./unseen.ts"

// Refresh tokens that need no table: session id and counter, proven by an HMAC under the session's own key, plus a checksum that
// rejects junk before any database work (security A.1, refresh v2). The state is one counter and one key on the session's row.

const VERSION = 0
const LENGTH = 1 + 16 + 6 + 16 + 4

interface RefreshClaim {
  readonly sessionId: SessionId
  readonly counter: number
  /** Whether the session's key made this token. */
  readonly provenBy: (key: Buffer) => boolean
}

const mac = (key: Buffer, claim: Buffer) => createHmac("sha256", key).update(claim).digest().subarray(0, 16)
const checksum = (bytes: Buffer) => createHash("sha256").update(bytes).digest().subarray(0, 4)

export const writeRefreshToken = (sessionId: SessionId, counter: number, key: Buffer): string => {
  const claim = Buffer.alloc(23)
  claim.writeUInt8(VERSION, 0)
  Buffer.from(sessionId.replaceAll("-", ""), "hex").copy(claim, 1)
  claim.writeUIntBE(counter, 17, 6)
  const signed = Buffer.concat([claim, mac(key, claim)])
  return Buffer.concat([signed, checksum(signed)]).toString("base64url")
}

/** Undefined: not one of ours, whatever the key. */
export const readRefreshToken = (token: string): RefreshClaim | undefined => {
  if (!/^[A-Za-z0-9_-]{58}$/.test(token)) return undefined
  const bytes = Buffer.from(token, "base64url")
  if (bytes.length !== LENGTH || bytes.readUInt8(0) !== VERSION) return undefined
  const signed = bytes.subarray(0, LENGTH - 4)
  if (!timingSafeEqual(checksum(signed), bytes.subarray(LENGTH - 4))) return undefined
  const claim = bytes.subarray(0, 23)
  const hex = claim.subarray(1, 17).toString("hex")
  return {
    sessionId:
      `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as SessionId,
    counter: claim.readUIntBE(17, 6),
    provenBy: (key) => timingSafeEqual(mac(key, claim), bytes.subarray(23, 39)),
  }
}

/** A client whose answer was lost may come back with the token before the newest one this long (security A.1). */
const REISSUE_MILLIS = 10_000

/** Idle sessions are refused at once, and their sockets close so much later at most. */
const IDLE_LOOK_MILLIS = 5_000

type SessionTerms = Settings["sessions"]

type LogoutScope = "local" | "others" | "global"

type RefreshFailure =
  | InvalidRefreshToken
  | IpForbidden
  | RefreshTokenExpired
  | RefreshTokenReused
  | UserDisabled
  | StorageUnavailable

/** Who begins a session, and with which password it was proven to be the user: a session is not begun once that has changed. */
interface Proven {
  readonly user: User
  readonly passwordHash: string
  readonly method: SessionMethod
  /** Whether the second factor was proven; it must have been where the user has one. */
  readonly secondFactor: boolean
}

export class Sessions extends Context.Tag("auth/Sessions")<
  Sessions,
  {
    /** Of an Authorization header; synchronous. */
    readonly authenticate: (header: string, from: From) => SessionPrincipal | AuthFailure | Unseen
    /** Of a bare access token (the WebSocket's connect and refresh). */
    readonly verify: (token: string, from: From) => Verified | AuthFailure | Unseen
    /** Whether the user may come from there. */
    readonly allows: (principal: SessionPrincipal, from: From) => boolean
    /** Null: the user was banned or got another password meanwhile. */
    readonly begin: (
      proven: Proven,
      origin: Origin,
    ) => Effect.Effect<{ readonly record: SessionRecord; readonly sessionId: SessionId } | null, StorageUnavailable>
    /** The user has proven again who that is. Null: the session is over, or the user was banned or got another password meanwhile. */
    readonly prove: (proven: {
      readonly user: User
      readonly passwordHash: string
      readonly sessionId: SessionId
      readonly secondFactor: boolean
    }) => Effect.Effect<SessionRecord | null, StorageUnavailable>
    /** `isOfConsole`: the access token is for the console. */
    readonly refresh: (
      refreshToken: string,
      origin: Origin,
      isOfConsole?: boolean,
    ) => Effect.Effect<SessionRecord, RefreshFailure>
    readonly logout: (
      principal: SessionPrincipal,
      scope: LogoutScope,
      origin: Origin,
    ) => Effect.Effect<void, StorageUnavailable>
    /** Where the user is logged in, the last used first. */
    readonly list: (
      asked: Pick<SessionPrincipal, "userId" | "sessionId">,
    ) => Effect.Effect<ReadonlyArray<SessionEntry>, StorageUnavailable>
    /** One of the user's own. Ending one that is over already is fine. */
    readonly revoke: (
      principal: SessionPrincipal,
      sessionId: SessionId,
      origin: Origin,
    ) => Effect.Effect<void, SessionNotFound | StorageUnavailable>
    /** The public keys that verify access tokens now. */
    readonly jwks: () => ReadonlyArray<SigningJwk>
    /** Signing keys have changed: every access token is verified once more. */
    readonly forgetVerified: () => void
    /** The caller has ended these in the database: tokens are refused and sockets close from here on. */
    readonly ended: (sessionIds: ReadonlyArray<SessionId>) => void
    /** Whether a session of the user, who has a second factor, is here without it. */
    readonly lacksFactor: (user: User) => boolean
    /** The second factor was confirmed in this session. `renew` is to follow. */
    readonly factorProven: (sessionId: SessionId) => void
    /** As stored now: what the user may do may have changed. */
    readonly renew: (user: User) => void
    /** From where this user, or the users of this tenant, may come has changed. */
    readonly review: (whose: NetworksOf) => void
    /** Told of every session that ended, in the same turn; live sockets close by it. */
    readonly onEnded: (listener: (sessionId: SessionId) => void) => void
    /** Told of every live session whose user may do something else now, or may come from somewhere else. */
    readonly onRenewed: (listener: (sessionId: SessionId) => void) => void
  }
>() {}

/** `issuer` is the environment's. */
export const makeSessions = (
  keys: Keys,
  issuer: string,
  audit: Audit,
  terms: SessionTerms,
  addresses: AllowedAddresses,
) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const ids = yield* Ids
    const rows = yield* SessionRows
    const users = yield* Users
    const tokens = makeTokens(keys, issuer)
    const learn = yield* makeLearn((sessionId) => readThrough(sessionId))
    const live = new LiveSessions(tokens, clock.now, addresses, terms.admins, terms.console, learn)

    /** Terms that are shorter now hold for sessions of before, too. */
    const endOf = ({ createdAt, notAfter }: SessionRow): number => Math.min(notAfter, createdAt + terms.maxMillis)

    const sealed = (sessionId: SessionId, userId: UserId, key: Buffer) => {
      const envelope = seal(keys.encryption, placeIn("session", sessionId, userId), key)
      return { refreshKey: Buffer.from(JSON.stringify(envelope)), refreshKid: envelope.kid }
    }
    const opened = ({ sessionId, userId, refreshKey }: SessionRow): Buffer =>
      open(keys.encryption, placeIn("session", sessionId, userId), JSON.parse(refreshKey.toString("utf8")) as Envelope)

    const record = (
      user: User,
      row: SessionRow,
      counter: number,
      refreshKey: Buffer,
      isOfConsole = false,
    ): SessionRecord => {
      const now = clock.now()
      const { permissions } = rightsOf(user, row, terms.admins)
      const { token, expiresAt } = tokens.issue({ ...user, permissions }, { ...row, isOfConsole }, now, endOf(row))
      return {
        accessToken: token,
        refreshToken: writeRefreshToken(row.sessionId, counter, refreshKey),
        tokenType: "bearer",
        expiresIn: expiresAt - Math.floor(now / 1000),
        expiresAt,
        expiresAtDateTime: dateTime(expiresAt * 1000),
        user: userRecord(user),
      }
    }

    /** Read again once it is here: of a change that was stored meanwhile its news may have found no session to tell. */
    const enter = (user: User, row: SessionRow) => {
      live.enter(user, row)
      return Effect.map(users.findById(user.userId), (stored) => {
        if (stored !== null) live.renew(stored)
      })
    }

    /** Of a session that another process has begun or proven: what is stored is known here, and that it is over, too. */
    const readThrough = (sessionId: SessionId): Effect.Effect<void, StorageUnavailable> =>
      Effect.flatMap(rows.find(sessionId), (found) => {
        if (found === null || found.row.revokedAt !== null || found.user.bannedAt !== null)
          return Effect.sync(() => live.end(sessionId))
        // The user who asks in it is there now.
        return Effect.asVoid(
          enter(found.user, { ...found.row, refreshedAt: Math.max(found.row.refreshedAt, clock.now()) }),
        )
      })

    const begin = ({ user, passwordHash, method, secondFactor }: Proven, origin: Origin) =>
      Effect.gen(function* () {
        const now = clock.now()
        const sessionId = ids.uuid() as SessionId
        const refreshKey = randomBytes(32)
        const row: SessionRow = {
          sessionId,
          userId: user.userId,
          createdAt: now,
          refreshedAt: now,
          notAfter: now + terms.maxMillis,
          refreshCounter: 1,
          ...sealed(sessionId, user.userId, refreshKey),
          revokedAt: null,
          ip: origin.ip,
          userAgent: origin.userAgent === null ? null : origin.userAgent.slice(0, 200),
          method,
          provenAt: now,
          generation: 0,
          secondFactor,
        }
        if (!(yield* rows.insert(row, passwordHash))) return null
        yield* enter(user, row)
        yield* users.touchSignIn(user.userId, now)
        return { sessionId, record: record({ ...user, lastSignInAt: now }, row, 1, refreshKey) }
      })

    const prove = ({ user, passwordHash, sessionId, secondFactor }: Parameters<Sessions["Type"]["prove"]>[0]) =>
      seenThrough(
        Effect.gen(function* () {
          const row = yield* rows.prove(sessionId, passwordHash, secondFactor, clock.now())
          if (row === null) return null
          yield* enter(user, row)
          return record(user, row, row.refreshCounter, opened(row))
        }),
      )

    // A session that is revoked in the store is over here too, whether or not a caller still waits for it.
    const revokeOne = (sessionId: SessionId, reason: string) =>
      seenThrough(
        rows.revoke(sessionId, reason, clock.now()).pipe(Effect.tap(() => Effect.sync(() => live.end(sessionId)))),
      )

    const ended = (sessionIds: ReadonlyArray<SessionId>): void => {
      for (const sessionId of sessionIds) live.end(sessionId)
    }

    const refreshOnce = (
      claim: RefreshClaim,
      from: From,
      isOfConsole: boolean,
      learn: (facts: { readonly userId: UserId; readonly sessionId: SessionId }) => void,
    ): Effect.Effect<SessionRecord | "again", RefreshFailure> =>
      Effect.gen(function* () {
        const found = yield* rows.find(claim.sessionId)
        if (found === null) return yield* new InvalidRefreshToken()
        const { row, user } = found
        const refreshKey = opened(row)
        if (!claim.provenBy(refreshKey)) return yield* new InvalidRefreshToken()
        learn({ userId: row.userId, sessionId: row.sessionId })
        if (user.bannedAt !== null) return yield* new UserDisabled()
        if (!addresses.allows(user, from)) return yield* new IpForbidden()
        if (row.revokedAt !== null) return yield* new InvalidRefreshToken()
        const now = clock.now()
        if (now > row.refreshedAt + terms.idleMillis || now > endOf(row)) return yield* new RefreshTokenExpired()
        if (claim.counter > row.refreshCounter) return yield* new InvalidRefreshToken()
        if (claim.counter === row.refreshCounter) {
          if (!(yield* rows.advance(row.sessionId, row.refreshCounter, now))) return "again" as const
          yield* enter(user, row)
          return record(user, row, row.refreshCounter + 1, refreshKey, isOfConsole)
        }
        if (claim.counter === row.refreshCounter - 1 && now <= row.refreshedAt + REISSUE_MILLIS) {
          yield* enter(user, row)
          return record(user, row, row.refreshCounter, refreshKey, isOfConsole)
        }
        yield* revokeOne(row.sessionId, "refresh token reused")
        return yield* new RefreshTokenReused()
      })

    for (const { row, user } of yield* rows.live(clock.now() - ACCESS_TOKEN_SECONDS * 1000))
      if (user.bannedAt === null) live.enter(user, row)

    // Sockets of an admin that is away are asked nothing: their session ends by this look.
    const endIdle = Effect.suspend(() =>
      Effect.forEach(live.idle(), (sessionId) => revokeOne(sessionId, "idle"), { discard: true }),
    )
    yield* keepLoop({ name: "admin sessions", pause: IDLE_LOOK_MILLIS, round: endIdle })

    const entryOf = (row: SessionRow, principal: Pick<SessionPrincipal, "sessionId">): SessionEntry => {
      const expiresAt = Math.min(row.refreshedAt + terms.idleMillis, endOf(row))
      return {
        sessionId: row.sessionId,
        current: row.sessionId === principal.sessionId,
        method: row.method,
        ip: row.ip,
        userAgent: row.userAgent,
        createdAt: row.createdAt,
        createdAtDateTime: dateTime(row.createdAt),
        refreshedAt: row.refreshedAt,
        refreshedAtDateTime: dateTime(row.refreshedAt),
        expiresAt,
        expiresAtDateTime: dateTime(expiresAt),
      }
    }

    const goodSince = (): number => clock.now() - terms.idleMillis

    return Sessions.of({
      authenticate: (header, from) => live.authenticate(header, from),
      verify: (token, from) => live.verify(token, from),
      allows: (principal, from) => addresses.allows(principal, from),
      begin,
      prove,
      refresh: (refreshToken, origin, isOfConsole = false) =>
        audit.act("token.refresh", origin, {}, (learn) =>
          Effect.gen(function* () {
            const claim = readRefreshToken(refreshToken)
            if (claim === undefined) return yield* new InvalidRefreshToken()
            // A lost race against another refresh of the same session is decided by looking again.
            for (let attempt = 0; attempt < 5; attempt++) {
              const outcome = yield* refreshOnce(claim, origin, isOfConsole, learn)
              if (outcome !== "again") return outcome
            }
            return yield* new InvalidRefreshToken()
          }),
        ),
      logout: (principal, scope, origin) =>
        audit.act("logout", origin, { ...who(principal), what: scope }, () =>
          scope === "local"
            ? Effect.asVoid(revokeOne(principal.sessionId, "logout"))
            : seenThrough(
                rows
                  .revokeOf(principal.userId, scope === "others" ? principal.sessionId : null, "logout", clock.now())
                  .pipe(Effect.map(ended)),
              ),
        ),
      list: (principal) =>
        rows
          .ofUser(principal.userId, goodSince(), clock.now())
          .pipe(Effect.map((found) => found.map((row) => entryOf(row, principal)))),
      revoke: (principal, sessionId, origin) =>
        audit.act("session.revoke", origin, { ...who(principal), what: sessionId }, () =>
          Effect.gen(function* () {
            const found = yield* rows.find(sessionId)
            if (found === null || found.row.userId !== principal.userId) return yield* new SessionNotFound()
            yield* revokeOne(sessionId, "revoked by the user")
          }),
        ),
      forgetVerified: () => live.forgetVerified(),
      jwks: () => tokens.jwks(clock.now()),
      ended,
      lacksFactor: (user) => live.lacksFactor(user),
      factorProven: (sessionId) => live.factorProven(sessionId),
      renew: (user) => live.renew(user),
      review: (whose) => live.review(whose),
      onEnded: (listener) => live.onEnded(listener),
      onRenewed: (listener) => live.onRenewed(listener),
    })
  })

const who = ({ userId, sessionId }: SessionPrincipal) => ({ userId, sessionId })
