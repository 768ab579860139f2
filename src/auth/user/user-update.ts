/**
 * What users change about themselves: address, password, metadata (security A.1). All changes of one request apply or none. The one thing to
 * know: a new password or address needs a recent authentication, and a new password ends all sessions and keys obtained with the old one.
 */
import { Effect } from "effect"
import {
  InvalidLoginCredentials,
  type InvalidSecondFactor,
  ReauthenticationNeeded,
  type SecondFactorNeeded,
  SessionRevoked,
} from "../../domain/errors/authentication.ts"
import { RateLimited } from "../../domain/errors/limits.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { type InvalidEmail, SamePassword, type WeakPassword } from "../../domain/errors/user.ts"
import { NOTICE_MILLIS } from "../../domain/user/letter.ts"
import {
  type Principal,
  type SessionPrincipal,
  type User,
  type UserRecord,
  userRecord,
} from "../../domain/user/user.ts"
import type { UserWithHash } from "../../store/users/users.ts"
import type { Origin } from "../audit-log.ts"
import { inEvenTime } from "../proof/even-time.ts"
import { wordsOf } from "../proof/passwords.ts"
import { EMAIL_CHANGE, mailEmailChange } from "../proof/proofs.ts"
import type { SecondFactor } from "../proof/second-factor.ts"
import { checkedEmail } from "./email-address.ts"
import { factsOf, MAIL_PAUSE_MILLIS, type UserParts } from "./user-parts.ts"

// What users keep about themselves: free-form, bounded.

export type UserMetadata = Readonly<Record<string, unknown>>

const CHARACTERS_MAX = 16_384

/** As it may be stored. */
export const checkedMetadata = (metadata: UserMetadata): Effect.Effect<UserMetadata, InvalidParameter> =>
  JSON.stringify(metadata).length > CHARACTERS_MAX
    ? new InvalidParameter({ parameter: "metadata", reason: "more than 16 kB in total" })
    : Effect.succeed(metadata)

/** Key by key; null removes a key. */
const mergedMetadata = (before: UserMetadata, change: UserMetadata): UserMetadata =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null))

interface UserUpdate {
  readonly email: string | null
  readonly password: string | null
  readonly currentPassword: string | null
  /** A code of the second factor beside it, or a recovery code. */
  readonly totpCode: string | null
  /** Merged key by key; null removes a key. */
  readonly metadata: UserMetadata | null
}

type UserUpdateFailure =
  | InvalidEmail
  | InvalidLoginCredentials
  | InvalidParameter
  | InvalidSecondFactor
  | RateLimited
  | ReauthenticationNeeded
  | SamePassword
  | SecondFactorNeeded
  | SessionRevoked
  | StorageUnavailable
  | WeakPassword

export interface UserUpdates {
  readonly current: (principal: Principal) => Effect.Effect<UserRecord, SessionRevoked | StorageUnavailable>
  readonly update: (
    principal: SessionPrincipal,
    change: UserUpdate,
    origin: Origin,
  ) => Effect.Effect<UserRecord, UserUpdateFailure>
}

export const makeUserUpdates = (parts: UserParts, secondFactor: SecondFactor): UserUpdates => {
  const { settings, passwords, audit, now, users, changes, tokens, rows, sessions, letters } = parts

  const unproven = () =>
    new ReauthenticationNeeded({ maxAgeSeconds: settings.sessions.freshMillis / 1000, needs: ["password"] })

  /** Succeeds once it is clear that the user asks for it. */
  const prove = (
    principal: SessionPrincipal,
    { user, passwordHash }: UserWithHash,
    { password, email, currentPassword, totpCode }: UserUpdate,
  ) =>
    Effect.gen(function* () {
      if (password === null && email === null) return
      if (currentPassword !== null) {
        if (!(yield* passwords.verify(currentPassword, passwordHash))) return yield* new InvalidLoginCredentials()
        return yield* secondFactor.prove(user, totpCode)
      }
      const session = yield* rows.find(principal.sessionId)
      if (session === null || session.row.revokedAt !== null) return yield* new SessionRevoked()
      const isLacking = user.secondFactorAt !== null && !session.row.secondFactor
      if (isLacking || session.row.provenAt < now() - settings.sessions.freshMillis) return yield* unproven()
    })

  /** The hash of the new password, which was proven to be asked for. */
  const hashOf = (stored: string, email: string, { password }: UserUpdate) =>
    Effect.gen(function* () {
      if (password === null) return null
      const passwordHash = yield* passwords.hash(password, wordsOf(email))
      if (yield* passwords.verify(password, stored)) return yield* new SamePassword()
      return passwordHash
    })

  const changeEmail = (user: User, email: string) =>
    Effect.gen(function* () {
      const [last] = yield* tokens.pending(user.userId, EMAIL_CHANGE, now())
      const waited = last === undefined ? MAIL_PAUSE_MILLIS : now() - last.createdAt
      if (waited < MAIL_PAUSE_MILLIS)
        return yield* new RateLimited({ retryAfterSeconds: Math.ceil((MAIL_PAUSE_MILLIS - waited) / 1000) })
      yield* changes.askForEmail(user.userId, email, now())
      yield* mailEmailChange(parts, user, email)
    })

  const changePassword = (principal: SessionPrincipal, user: User, passwordHash: string) =>
    Effect.gen(function* () {
      yield* changes.setPassword(user.userId, passwordHash, now())
      yield* tokens.wipe(user.userId)
      // An address that was asked for before has no tokens any more: the requester may have been the reason for the new password.
      yield* changes.askForEmail(user.userId, null, now())
      yield* letters.drop(user.email, { _tag: "PasswordChanged" }, now() + NOTICE_MILLIS)
      return yield* rows.revokeOf(user.userId, principal.sessionId, "password changed", now())
    })

  const changeMetadata = (user: User, change: UserMetadata) =>
    checkedMetadata(mergedMetadata(user.userMetadata, change)).pipe(
      Effect.flatMap((metadata) => changes.setMetadata(user.userId, metadata, now())),
    )

  const update = (principal: SessionPrincipal, change: UserUpdate): Effect.Effect<UserRecord, UserUpdateFailure> =>
    Effect.gen(function* () {
      const before = yield* users.findWithHash(principal.userId)
      if (before === null) return yield* new SessionRevoked()
      const email = change.email === null ? null : yield* checkedEmail(change.email)
      yield* prove(principal, before, change)
      const passwordHash = yield* hashOf(before.passwordHash, before.user.email, change)
      const ended = yield* parts.commit(
        Effect.gen(function* () {
          const locked = yield* users.lockById(principal.userId)
          if (locked === null || locked.user.bannedAt !== null) return yield* new SessionRevoked()
          const { user } = locked
          // Another password came first: what was proven above is not true any more.
          if ((passwordHash !== null || email !== null) && locked.passwordHash !== before.passwordHash)
            return yield* unproven()
          if (change.metadata !== null) yield* changeMetadata(user, change.metadata)
          const closed = passwordHash === null ? [] : yield* changePassword(principal, user, passwordHash)
          if (email !== null && email !== user.email.toLowerCase()) yield* changeEmail(user, email)
          return closed
        }),
      )
      sessions.ended(ended)
      return yield* current(principal)
    })

  const current = (principal: Principal) =>
    Effect.gen(function* () {
      const user = yield* users.findById(principal.userId)
      if (user === null) return yield* new SessionRevoked()
      return userRecord(user)
    })

  return {
    current,
    update: (principal, change, origin) => {
      const fields = (["email", "password", "metadata"] as const).filter((name) => change[name] !== null)
      return audit.act("user.update", origin, { ...factsOf(principal), what: fields.join(" ") }, () =>
        // Whether the new address belongs to a user must not show.
        change.email === null ? update(principal, change) : inEvenTime(parts.monotonic)(update(principal, change)),
      )
    },
  }
}
