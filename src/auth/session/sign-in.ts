/**
 * Signup and login. Where addresses are confirmed, signup gives the same answer for every address and mails the rest. The one thing to know: a
 * mailed token carries the password of its own signup, so that an attacker cannot sign up with another person's address first and have its owner
 * confirm a password that is not theirs (security A.1).
 */
import { Effect } from "effect"
import {
  EmailNotConfirmed,
  InvalidLoginCredentials,
  InvalidOneTimeToken,
  type InvalidSecondFactor,
  type SecondFactorNeeded,
  UserDisabled,
} from "../../domain/errors/authentication.ts"
import { IpForbidden } from "../../domain/errors/authorisation.ts"
import type { RateLimited } from "../../domain/errors/limits.ts"
import type { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { type InvalidEmail, SignupDisabled, UserExists, type WeakPassword } from "../../domain/errors/user.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import type { Actor } from "../../domain/user/act.ts"
import { NOTICE_MILLIS, TOKEN_MILLIS } from "../../domain/user/letter.ts"
import { type SessionRecord, type User, type UserRecord, userRecord } from "../../domain/user/user.ts"
import type { NewUser, UserWithHash } from "../../store/users/users.ts"
import type { AuditFacts, Origin } from "../audit-log.ts"
import { inEvenTime } from "../proof/even-time.ts"
import { newOneTimeToken } from "../proof/one-time.ts"
import { wordsOf } from "../proof/passwords.ts"
import type { SecondFactor } from "../proof/second-factor.ts"
import { checkedEmail, normalised } from "../user/email-address.ts"
import { factsOfSession, MAIL_PAUSE_MILLIS, type UserParts } from "../user/user-parts.ts"
import { checkedMetadata, type UserMetadata } from "../user/user-update.ts"

export interface SignupRequest {
  readonly email: string
  readonly password: string
  readonly metadata: UserMetadata
  /** Of the ready line: makes the first admin, whatever the setting says of others. Null: none was given. */
  readonly setupToken: string | null
}

interface LoginRequest {
  readonly email: string
  readonly password: string
  /** A code of the second factor, or a recovery code. */
  readonly totpCode: string | null
}

export interface SignIn {
  /** A session at once, or where addresses are confirmed a user without one. */
  readonly signup: (
    request: SignupRequest,
    origin: Origin,
    actor: Actor,
  ) => Effect.Effect<
    SessionRecord | UserRecord,
    | UserExists
    | WeakPassword
    | InvalidEmail
    | InvalidOneTimeToken
    | InvalidParameter
    | IpForbidden
    | SignupDisabled
    | RateLimited
    | StorageUnavailable
  >
  readonly login: (
    request: LoginRequest,
    origin: Origin,
  ) => Effect.Effect<
    SessionRecord,
    | InvalidLoginCredentials
    | InvalidSecondFactor
    | EmailNotConfirmed
    | SecondFactorNeeded
    | UserDisabled
    | RateLimited
    | StorageUnavailable
  >
}

type Learn = (facts: AuditFacts) => void

export const makeSignIn = (parts: UserParts, secondFactor: SecondFactor): SignIn => {
  const { settings, passwords, audit, now, users, changes, tokens, sessions, letters, addresses, setupToken } = parts

  const newUser = (request: SignupRequest, email: string, passwordHash: string): NewUser => ({
    userId: parts.uuid() as UserId,
    email,
    passwordHash,
    tenantId: settings.defaultTenantId as TenantId,
    environments: ["PROD", "UAT"],
    userMetadata: request.metadata,
    at: now(),
    confirmed: settings.signup === "open" || request.setupToken !== null,
  })

  const signupAtOnce = (row: NewUser, origin: Origin, learn: Learn) =>
    Effect.flatMap(users.insert(row), (user) => begin(user, row, origin, learn))

  const signupAsAdmin = (row: NewUser, origin: Origin, actor: Actor, learn: Learn) =>
    Effect.gen(function* () {
      const object = { type: "USER", id: row.userId, tenantId: row.tenantId } as const
      const user = yield* parts.act({ actId: parts.uuid(), action: "user.setup", actor, object }, () =>
        Effect.gen(function* () {
          const stored = yield* users.insertFirstAdmin(row)
          if (stored !== null) return stored
          // There is an admin.
          setupToken.forget()
          return yield* new InvalidOneTimeToken()
        }),
      )
      setupToken.forget()
      learn({ userId: user.userId, what: "the first admin" })
      return yield* begin(user, row, origin, learn)
    })

  const begin = (user: User, row: NewUser, origin: Origin, learn: Learn) =>
    Effect.gen(function* () {
      const begun = yield* sessions.begin(
        { user, passwordHash: row.passwordHash, method: "password", secondFactor: false },
        origin,
      )
      // The new user was banned in the same millisecond.
      if (begun === null) return yield* new UserExists()
      learn(factsOfSession(begun))
      return begun.record
    })

  /** What the answer shows of a user who has to confirm first, whether there is one already or not. */
  const unconfirmed = (row: NewUser): UserRecord =>
    userRecord({
      ...row,
      permissions: [],
      emailConfirmedAt: null,
      lastSignInAt: null,
      bannedAt: null,
      banReason: null,
      pendingEmail: null,
      secondFactorAt: null,
      createdAt: row.at,
      updatedAt: row.at,
    })

  /** Mails what this signup calls for, or does not so soon after the last one. Answers a password hash to compare with, if any. */
  const mailSignup = (user: User, row: NewUser) =>
    Effect.gen(function* () {
      const type = user.emailConfirmedAt === null ? "signup" : "signup_repeated"
      const { token, tokenHash } = newOneTimeToken()
      const [last] = yield* tokens.pending(user.userId, [type], row.at)
      if (last !== undefined && last.createdAt > row.at - MAIL_PAUSE_MILLIS)
        return type === "signup" ? { userId: user.userId, passwordHash: last.passwordHash } : null
      const isSignup = type === "signup"
      const expiresAt = row.at + (isSignup ? TOKEN_MILLIS.signup : MAIL_PAUSE_MILLIS)
      yield* tokens.insert({
        tokenHash,
        userId: user.userId,
        type,
        passwordHash: isSignup ? row.passwordHash : null,
        userMetadata: isSignup ? row.userMetadata : null,
        createdAt: row.at,
        expiresAt,
      })
      yield* isSignup
        ? letters.drop(user.email, { _tag: "ConfirmSignup", token }, expiresAt)
        : letters.drop(user.email, { _tag: "SignupRepeated" }, row.at + NOTICE_MILLIS)
      return null
    })

  const signupByMail = (row: NewUser, request: SignupRequest, learn: Learn) =>
    Effect.gen(function* () {
      const once = Effect.gen(function* () {
        const found = yield* users.lockByEmail(row.email)
        const user = found?.user ?? (yield* users.insert(row))
        learn({ userId: user.userId, what: found === null ? "new" : "repeated" })
        return user.bannedAt === null ? yield* mailSignup(user, row) : null
      })
      // Of two first signups with one address one finds the other's user the second time.
      const unmailed = yield* parts.commit(once).pipe(
        Effect.catchTag("UserExists", () => parts.commit(once)),
        Effect.catchTag("UserExists", () => Effect.die(new Error("a user that is neither there nor can be"))),
      )
      // No second mail so soon: the token of the first must not make its password the user's, unless it is the same.
      if (unmailed !== null && !(yield* passwords.verify(request.password, unmailed.passwordHash)))
        yield* tokens.dropPasswords(unmailed.userId)
      return unconfirmed(row)
    })

  /** Whose hash took less work than today's gets a new one, now that the password is at hand. The next login will do, too. */
  const strengthened = ({ user, passwordHash }: UserWithHash, password: string) =>
    !passwords.isWeak(passwordHash)
      ? Effect.succeed(passwordHash)
      : passwords.rehash(password).pipe(
          Effect.flatMap((fresh) =>
            Effect.map(changes.replaceHash(user.userId, passwordHash, fresh), (done) => (done ? fresh : passwordHash)),
          ),
          Effect.catchTag("RateLimited", () => Effect.succeed(passwordHash)),
        )

  /** Null: what was proven is not so any more. `proveFactor` is asked once the password is known to be right. */
  const proveAndBegin = (
    request: LoginRequest,
    origin: Origin,
    learn: Learn,
    proveFactor: (user: User) => ReturnType<SecondFactor["prove"]>,
  ) =>
    Effect.gen(function* () {
      const found = yield* users.findByEmail(normalised(request.email))
      const right = yield* passwords.verify(request.password, found?.passwordHash ?? null)
      // As if the password were wrong: only the audit knows better (decision 27).
      const isAllowed = found === null || addresses.allows(found.user, origin)
      if (found !== null)
        learn({ userId: found.user.userId, what: isAllowed ? undefined : "from an address that is not allowed" })
      if (found === null || !right || !isAllowed) return yield* new InvalidLoginCredentials()
      const { user } = found
      // Revealed only to a caller that knows the password.
      if (user.bannedAt !== null) return yield* new UserDisabled()
      if (user.emailConfirmedAt === null) return yield* new EmailNotConfirmed()
      yield* proveFactor(user)
      const passwordHash = yield* strengthened(found, request.password)
      const isProven = user.secondFactorAt !== null
      return yield* sessions.begin({ user, passwordHash, method: "password", secondFactor: isProven }, origin)
    })

  return {
    signup: (request, origin, actor) =>
      audit.act("signup", origin, { email: normalised(request.email) }, (learn) =>
        Effect.gen(function* () {
          const isFounder = request.setupToken !== null
          if (isFounder && !setupToken.matches(request.setupToken)) return yield* new InvalidOneTimeToken()
          if (settings.signup === "closed" && !isFounder) return yield* new SignupDisabled()
          // Of the tenant alone: whether there is such a user is not looked at yet.
          if (!addresses.allows({ userId: null, tenantId: settings.defaultTenantId as TenantId }, origin))
            return yield* new IpForbidden()
          const email = yield* checkedEmail(request.email)
          yield* checkedMetadata(request.metadata)
          const work = Effect.gen(function* () {
            const passwordHash = yield* passwords.hash(request.password, wordsOf(email))
            const row = newUser(request, email, passwordHash)
            if (isFounder) return yield* signupAsAdmin(row, origin, actor, learn)
            if (settings.signup === "open") return yield* signupAtOnce(row, origin, learn)
            return yield* signupByMail(row, request, learn)
          })
          return yield* isFounder || settings.signup === "open" ? work : inEvenTime(parts.monotonic)(work)
        }),
      ),

    login: (request, origin) =>
      audit.act("login", origin, { email: normalised(request.email) }, (learn) =>
        // A second look when the first was overtaken: by another login that hashed the password anew, or by another password.
        Effect.gen(function* () {
          // A code is good once, for both looks: of the factor that it is a code of.
          let proven: number | null = null
          const proveFactor = (user: User) =>
            user.secondFactorAt === proven
              ? Effect.void
              : Effect.tap(secondFactor.prove(user, request.totpCode), () => {
                  proven = user.secondFactorAt
                })
          const look = proveAndBegin(request, origin, learn, proveFactor)
          const begun = (yield* look) ?? (yield* look)
          if (begun === null) return yield* new InvalidLoginCredentials()
          learn(factsOfSession(begun))
          return begun.record
        }),
      ),
  }
}
