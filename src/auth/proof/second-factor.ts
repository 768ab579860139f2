/**
 * A user's second factor: enrolled, confirmed by a first code, required at every sign-in from then on, removed by a code. The one thing to know:
 * a code is accepted once, from the first request that has it, and wrong ones are counted per user, over all addresses.
 */
import { createHash, randomBytes } from "node:crypto"
import { Effect } from "effect"
import { Secret, TOTP } from "otpauth"
import {
  InvalidSecondFactor,
  SecondFactorExists,
  SecondFactorNeeded,
  SessionRevoked,
} from "../../domain/errors/authentication.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { RateLimited } from "../../domain/errors/limits.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import type { Action, Actor } from "../../domain/user/act.ts"
import { NOTICE_MILLIS } from "../../domain/user/letter.ts"
import type { RateLimits } from "../../domain/user/rate-limits.ts"
import type { SessionPrincipal, User } from "../../domain/user/user.ts"
import { TokenBuckets } from "../../foundation/token-bucket.ts"
import type { Learnt } from "../../store/audit/acts.ts"
import type { SecondFactors } from "../../store/users/second-factors.ts"
import type { Keys } from "../keys/keys.ts"
import { type Envelope, open, placeIn, seal } from "../keys/secrets.ts"
import type { UserParts } from "../user/user-parts.ts"

// Recovery codes for a lost authenticator: ten of 120 random bits, each single-use.

const COUNT = 10
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
const LENGTH = 24
const RECOVERY_CODE = /^[A-Z2-7]{24}$/

const hashOf = (code: string): Buffer => createHash("sha256").update(`recovery:${code}`).digest()

/** As they are written down, in groups of four. */
export const newRecoveryCodes = (): ReadonlyArray<string> =>
  Array.from({ length: COUNT }, () =>
    // 256 is a multiple of 32: each letter is as likely as the others.
    [...randomBytes(LENGTH)]
      .map((byte) => LETTERS[byte % LETTERS.length])
      .join("")
      .replace(/(.{4})(?=.)/g, "$1-"),
  )

/** However it is typed; null: it has not the form of one. */
export const recoveryHash = (typed: string): Buffer | null => {
  const code = typed.replace(/[\s-]/g, "").toUpperCase()
  return RECOVERY_CODE.test(code) ? hashOf(code) : null
}

// Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, six digits and steps of 30 s, which is what all of them take.

const STEP_MILLIS = 30_000
const SECRET_BYTES = 20
const SIX_DIGITS = /^\d{6}$/

const totpOf = (secret: Buffer, label = ""): TOTP =>
  new TOTP({
    issuer: "Venue Gateway",
    label,
    algorithm: "SHA1",
    digits: 6,
    period: STEP_MILLIS / 1000,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  })

export const newSecret = (): Buffer => Buffer.from(new Secret({ size: SECRET_BYTES }).bytes)

/** What the user's app is told: to be typed, and to be shown as a QR code. */
export const enrolmentOf = (secret: Buffer, email: string): { readonly secret: string; readonly uri: string } => {
  const totp = totpOf(secret, email)
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** Of which step this is the code, of the running one and the one before it; null: of neither. */
export const stepOf = (secret: Buffer, code: string, nowMillis: number): number | null => {
  if (!SIX_DIGITS.test(code)) return null
  const totp = totpOf(secret)
  for (const timestamp of [nowMillis, nowMillis - STEP_MILLIS])
    if (totp.validate({ token: code, timestamp, window: 0 }) === 0) return Math.floor(timestamp / STEP_MILLIS)
  return null
}

type CodeRefused = InvalidSecondFactor | RateLimited | StorageUnavailable
type Codes = { readonly recoveryCodes: ReadonlyArray<string> }

export interface SecondFactor {
  /** Succeeds where the user has none, or brings a code of it, which is taken then. */
  readonly prove: (user: User, code: string | null) => Effect.Effect<void, SecondFactorNeeded | CodeRefused>
  readonly state: (
    principal: SessionPrincipal,
  ) => Effect.Effect<
    { readonly enrolled: boolean; readonly recoveryCodesLeft: number },
    SessionRevoked | StorageUnavailable
  >
  /** For an authenticator; nothing needs it before it is confirmed. */
  readonly enrol: (
    principal: SessionPrincipal,
    actor: Actor,
  ) => Effect.Effect<
    { readonly secret: string; readonly uri: string },
    SecondFactorExists | SessionRevoked | StorageUnavailable
  >
  /** Ends all other sessions: none of them has proven it. */
  readonly confirm: (
    principal: SessionPrincipal,
    code: string,
    actor: Actor,
  ) => Effect.Effect<Codes, SecondFactorExists | SessionRevoked | CodeRefused>
  readonly remove: (
    principal: SessionPrincipal,
    code: string,
    actor: Actor,
  ) => Effect.Effect<void, SessionRevoked | CodeRefused>
  /** Other recovery codes, in place of those of before. */
  readonly renewCodes: (
    principal: SessionPrincipal,
    actor: Actor,
  ) => Effect.Effect<Codes, InvalidSecondFactor | SessionRevoked | StorageUnavailable>
}

export const makeSecondFactor = (
  parts: UserParts,
  factors: SecondFactors,
  keys: Keys,
  limits: Pick<RateLimits, "secondFactor" | "secondFactorHour">,
): SecondFactor => {
  const { now, monotonic, uuid, users, rows, sessions, letters } = parts
  const buckets = [new TokenBuckets(limits.secondFactor), new TokenBuckets(limits.secondFactorHour)]

  /** A guess takes from each bucket, a right code nothing. */
  const counted = <A, E extends DomainError>(userId: UserId, work: Effect.Effect<A, E>) =>
    Effect.suspend((): Effect.Effect<A, E | RateLimited> => {
      const at = monotonic()
      const taken = buckets.map((all) => all.of(userId, at))
      const waits = taken.map((bucket) => bucket.take(at))
      const giveBack = (): void => {
        for (const [i, bucket] of taken.entries()) if (waits[i] === 0) bucket.giveBack(monotonic())
      }
      const wait = Math.max(0, ...waits)
      if (wait > 0) {
        giveBack()
        return new RateLimited({ retryAfterSeconds: Math.ceil(wait / 1000) })
      }
      return Effect.tapBoth(work, {
        onSuccess: () => Effect.sync(giveBack),
        onFailure: ({ _tag }) => Effect.sync(() => (_tag === "InvalidSecondFactor" ? undefined : giveBack())),
      })
    })

  const place = (userId: UserId) => placeIn("second_factor", userId, userId)

  const takeTotp = (userId: UserId, code: string) =>
    Effect.gen(function* () {
      const envelope = yield* factors.secretOf(userId)
      if (envelope === null) return yield* new InvalidSecondFactor()
      const secret = open(keys.encryption, place(userId), JSON.parse(envelope) as Envelope)
      const step = stepOf(secret, code, now())
      if (step === null || !(yield* factors.takeStep(userId, step))) return yield* new InvalidSecondFactor()
    })

  const takeRecoveryCode = (userId: UserId, hash: Buffer) =>
    Effect.flatMap(factors.takeCode(userId, hash, now()), (isTaken) =>
      isTaken ? Effect.void : new InvalidSecondFactor(),
    )

  const take = (userId: UserId, code: string): Effect.Effect<void, CodeRefused> => {
    const recovery = recoveryHash(code)
    return counted(userId, recovery === null ? takeTotp(userId, code.trim()) : takeRecoveryCode(userId, recovery))
  }

  /** In a transaction: the user, locked until it ends. */
  const locked = ({ userId }: SessionPrincipal) =>
    Effect.gen(function* () {
      const found = yield* users.lockById(userId)
      if (found === null || found.user.bannedAt !== null) return yield* new SessionRevoked()
      return found.user
    })

  const act = <A, E extends DomainError>(
    action: Action,
    principal: SessionPrincipal,
    actor: Actor,
    work: (user: User) => Effect.Effect<A, E>,
  ) =>
    parts.act({ actId: uuid(), action, actor, object: null }, (learn: (learnt: Learnt) => void) =>
      Effect.gen(function* () {
        const user = yield* locked(principal)
        learn({ object: { type: "USER", id: user.userId, tenantId: user.tenantId } })
        return yield* work(user)
      }),
    )

  const freshCodes = (userId: UserId) =>
    Effect.gen(function* () {
      const recoveryCodes = newRecoveryCodes()
      const hashes = recoveryCodes.flatMap((code) => recoveryHash(code) ?? [])
      yield* factors.replaceCodes(userId, hashes, now())
      return { recoveryCodes }
    })

  /** Sessions of the user in memory know from here on. */
  const follow = (userId: UserId) =>
    Effect.map(users.findById(userId), (user) => {
      if (user !== null) sessions.renew(user)
    })

  return {
    prove: (user, code) => {
      if (user.secondFactorAt === null) return Effect.void
      return code === null ? new SecondFactorNeeded() : take(user.userId, code)
    },

    state: ({ userId }) =>
      Effect.gen(function* () {
        const user = yield* users.findById(userId)
        if (user === null) return yield* new SessionRevoked()
        return { enrolled: user.secondFactorAt !== null, recoveryCodesLeft: yield* factors.codesLeft(userId) }
      }),

    enrol: (principal, actor) =>
      act("factor.enrol", principal, actor, ({ userId, email, secondFactorAt }) =>
        Effect.gen(function* () {
          if (secondFactorAt !== null) return yield* new SecondFactorExists()
          const secret = newSecret()
          const envelope = seal(keys.encryption, place(userId), secret)
          yield* factors.put(userId, { envelope: JSON.stringify(envelope), kid: envelope.kid }, now())
          return enrolmentOf(secret, email)
        }),
      ),

    confirm: (principal, code, actor) =>
      Effect.gen(function* () {
        const { codes, ended } = yield* act("factor.confirm", principal, actor, ({ userId, email, secondFactorAt }) =>
          Effect.gen(function* () {
            if (secondFactorAt !== null) return yield* new SecondFactorExists()
            yield* counted(userId, takeTotp(userId, code.trim()))
            yield* factors.confirm(userId, now())
            yield* factors.proven(principal.sessionId)
            const codes = yield* freshCodes(userId)
            const reason = "a second factor was set up"
            const ended: ReadonlyArray<SessionId> = yield* rows.revokeOf(userId, principal.sessionId, reason, now())
            yield* letters.drop(email, { _tag: "SecondFactorChanged", isThere: true }, now() + NOTICE_MILLIS)
            return { codes, ended }
          }),
        )
        sessions.ended(ended)
        sessions.factorProven(principal.sessionId)
        yield* follow(principal.userId)
        return codes
      }),

    remove: (principal, code, actor) =>
      Effect.gen(function* () {
        yield* act("factor.remove", principal, actor, ({ userId, email, secondFactorAt }) =>
          Effect.gen(function* () {
            if (secondFactorAt === null) return yield* new InvalidSecondFactor()
            yield* take(userId, code)
            yield* factors.remove(userId, now())
            yield* letters.drop(email, { _tag: "SecondFactorChanged", isThere: false }, now() + NOTICE_MILLIS)
          }),
        )
        yield* follow(principal.userId)
      }),

    renewCodes: (principal, actor) =>
      act("codes.renew", principal, actor, ({ userId, secondFactorAt }) =>
        Effect.gen(function* () {
          if (secondFactorAt === null) return yield* new InvalidSecondFactor()
          return yield* freshCodes(userId)
        }),
      ),
  }
}
