/**
 * What a mailed token proves: the address of a signup, the owner of a lost password, both addresses of a change of address. The one thing to
 * know: a proof of an unconfirmed address never leaves a password in force that its owner may not have chosen.
 */
import { Effect } from "effect"
import {
  InvalidOneTimeToken,
  type InvalidSecondFactor,
  type SecondFactorNeeded,
  UserDisabled,
} from "../../domain/errors/authentication.ts"
import type { RateLimited } from "../../domain/errors/limits.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { NOTICE_MILLIS, TOKEN_MILLIS } from "../../domain/user/letter.ts"
import type { EmailChangeRecord, SessionMethod, SessionRecord, User } from "../../domain/user/user.ts"
import type { OneTimeToken, OneTimeTokenType } from "../../store/users/one-time-tokens.ts"
import type { AuditFacts, Origin } from "../audit-log.ts"
import { normalised } from "../user/email-address.ts"
import { factsOfSession, MAIL_PAUSE_MILLIS, type UserParts } from "../user/user-parts.ts"
import { inEvenTime } from "./even-time.ts"
import { hashOf, newOneTimeToken } from "./one-time.ts"
import type { SecondFactor } from "./second-factor.ts"

// The mails of a change of address: one to each end that has not agreed yet (security A.1, secure e-mail change). An address that is
// another user's gets a notice instead of a token, and other callers see no difference.

export const EMAIL_CHANGE = [
  "email_change_current",
  "email_change_new",
] as const satisfies ReadonlyArray<OneTimeTokenType>

type Parts = Pick<UserParts, "now" | "users" | "changes" | "tokens" | "letters">

/** Inside a transaction that holds the user's lock. Tokens mailed before are good no longer. */
export const mailEmailChange = (
  { now, users, changes, tokens, letters }: Parts,
  user: User,
  newEmail: string,
): Effect.Effect<void, StorageUnavailable> =>
  Effect.gen(function* () {
    const createdAt = now()
    const expiresAt = createdAt + TOKEN_MILLIS.email_change
    const issue = (type: OneTimeTokenType) =>
      Effect.gen(function* () {
        const { token, tokenHash } = newOneTimeToken()
        yield* tokens.remove(user.userId, type)
        yield* tokens.insert({
          tokenHash,
          userId: user.userId,
          type,
          passwordHash: null,
          userMetadata: null,
          createdAt,
          expiresAt,
        })
        return token
      })
    const confirmed = yield* changes.confirmations(user.userId)
    if (!confirmed.current) {
      const token = yield* issue("email_change_current")
      yield* letters.drop(user.email, { _tag: "ConfirmOldEmail", token, newEmail }, expiresAt)
    }
    if (confirmed.new) return
    // Issued even where it is not mailed: it says when the last mail went out.
    const token = yield* issue("email_change_new")
    const owner = yield* users.findByEmail(newEmail)
    yield* owner === null
      ? letters.drop(newEmail, { _tag: "ConfirmNewEmail", token }, expiresAt)
      : letters.drop(owner.user.email, { _tag: "EmailTaken" }, createdAt + NOTICE_MILLIS)
  })

type ProofType = "signup" | "recovery" | "email_change"

export interface Proofs {
  /** A session for signup and recovery; where a change of address stands for the third. */
  readonly verify: (
    request: { readonly type: ProofType; readonly token: string; readonly totpCode: string | null },
    origin: Origin,
  ) => Effect.Effect<
    SessionRecord | EmailChangeRecord,
    InvalidOneTimeToken | InvalidSecondFactor | SecondFactorNeeded | UserDisabled | RateLimited | StorageUnavailable
  >
  /** Says nothing about who exists, by its answer or by its time. */
  readonly recover: (email: string, origin: Origin) => Effect.Effect<void, StorageUnavailable>
  /** As `recover`. */
  readonly resend: (
    request: { readonly type: "signup" | "email_change"; readonly email: string },
    origin: Origin,
  ) => Effect.Effect<void, StorageUnavailable>
}

type Learn = (facts: AuditFacts) => void

export const makeProofs = (parts: UserParts, secondFactor: SecondFactor): Proofs => {
  const { passwords, audit, now, users, changes, tokens, sessions, letters } = parts

  const taken = (tokenHash: Buffer, types: ReadonlyArray<OneTimeTokenType>) =>
    Effect.gen(function* () {
      const token = yield* tokens.take(tokenHash, now())
      const found = token === null ? null : yield* users.lockById(token.userId)
      if (token === null || found === null || !types.includes(token.type)) return yield* new InvalidOneTimeToken()
      if (found.user.bannedAt !== null) return yield* new UserDisabled()
      return { token, ...found }
    })

  /** Sets the password to one that the reader of the mail chose, or to none. */
  const settlePassword = (user: User, token: OneTimeToken, passwordHash: string, nobodys: string) =>
    Effect.gen(function* () {
      if (user.emailConfirmedAt !== null) return passwordHash
      const settled = token.passwordHash ?? nobodys
      yield* changes.setPassword(user.userId, settled, now())
      if (token.userMetadata !== null) yield* changes.setMetadata(user.userId, token.userMetadata, now())
      yield* changes.confirmEmail(user.userId, now())
      return settled
    })

  const beginBy = (
    method: Exclude<SessionMethod, "password">,
    { token: raw, totpCode }: { readonly token: string; readonly totpCode: string | null },
    origin: Origin,
    learn: Learn,
  ) =>
    Effect.gen(function* () {
      const tokenHash = hashOf(raw)
      // Looked at first: hashing does not belong into a transaction, nor to a token that is none.
      if ((yield* tokens.find(tokenHash, now())) === null) return yield* new InvalidOneTimeToken()
      const nobodys = yield* passwords.nobodys
      const proven = yield* parts.commit(
        Effect.gen(function* () {
          const { token, user, passwordHash } = yield* taken(tokenHash, [method])
          learn({ userId: user.userId })
          // A mailbox alone is not enough; and without a right code the mailed token stays good.
          yield* secondFactor.prove(user, totpCode)
          const settled = yield* settlePassword(user, token, passwordHash, nobodys)
          yield* tokens.wipe(user.userId)
          return {
            user: { ...user, emailConfirmedAt: user.emailConfirmedAt ?? now() },
            passwordHash: settled,
            method,
            secondFactor: user.secondFactorAt !== null,
          }
        }),
      )
      const begun = yield* sessions.begin(proven, origin)
      if (begun === null) return yield* new InvalidOneTimeToken()
      learn(factsOfSession(begun))
      return begun.record
    })

  const changeEmail = (raw: string, learn: Learn) =>
    parts.commit(
      Effect.gen(function* () {
        const { token, user } = yield* taken(hashOf(raw), EMAIL_CHANGE)
        learn({ userId: user.userId })
        if (user.pendingEmail === null) return yield* new InvalidOneTimeToken()
        const half = token.type === "email_change_current" ? "current" : "new"
        const confirmed = yield* changes.confirmHalf(user.userId, half)
        if (!confirmed.current || !confirmed.new) {
          const pending: EmailChangeRecord = { status: "PENDING", awaiting: confirmed.current ? "new" : "current" }
          return pending
        }
        if (!(yield* changes.takePendingEmail(user.userId, now()))) return yield* new InvalidOneTimeToken()
        // Mails to the old address open nothing from here on.
        yield* tokens.wipe(user.userId)
        yield* letters.drop(user.email, { _tag: "EmailChanged", newEmail: user.pendingEmail }, now() + NOTICE_MILLIS)
        const done: EmailChangeRecord = { status: "DONE", awaiting: null }
        return done
      }),
    )

  const mailedLately = (user: User, ...types: ReadonlyArray<OneTimeTokenType>) =>
    tokens
      .pending(user.userId, types, now())
      .pipe(Effect.map(([last]) => last !== undefined && last.createdAt > now() - MAIL_PAUSE_MILLIS))

  const mailRecovery = (email: string, learn: Learn) =>
    parts.commit(
      Effect.gen(function* () {
        const user = (yield* users.lockByEmail(email))?.user
        if (user === undefined) return
        learn({ userId: user.userId })
        if (user.bannedAt !== null || (yield* mailedLately(user, "recovery"))) return
        const { token, tokenHash } = newOneTimeToken()
        const createdAt = now()
        const expiresAt = createdAt + TOKEN_MILLIS.recovery
        yield* tokens.remove(user.userId, "recovery")
        yield* tokens.insert({
          tokenHash,
          userId: user.userId,
          type: "recovery",
          passwordHash: null,
          userMetadata: null,
          createdAt,
          expiresAt,
        })
        yield* letters.drop(user.email, { _tag: "Recovery", token }, expiresAt)
      }),
    )

  /** The password of the one signup that waits. With several it is unknown which is the reader's: then none. */
  const mailSignup = (email: string, learn: Learn) =>
    parts.commit(
      Effect.gen(function* () {
        const user = (yield* users.lockByEmail(email))?.user
        if (user === undefined) return
        learn({ userId: user.userId })
        if (user.bannedAt !== null || user.emailConfirmedAt !== null || (yield* mailedLately(user, "signup"))) return
        const waiting = yield* tokens.pending(user.userId, ["signup"], now())
        const only = new Set(waiting.map(({ passwordHash }) => passwordHash)).size === 1 ? waiting[0] : undefined
        const { token, tokenHash } = newOneTimeToken()
        const createdAt = now()
        const expiresAt = createdAt + TOKEN_MILLIS.signup
        yield* tokens.insert({
          tokenHash,
          userId: user.userId,
          type: "signup",
          passwordHash: only?.passwordHash ?? null,
          userMetadata: only?.userMetadata ?? null,
          createdAt,
          expiresAt,
        })
        yield* letters.drop(user.email, { _tag: "ConfirmSignup", token }, expiresAt)
      }),
    )

  const mailChange = (email: string, learn: Learn) =>
    parts.commit(
      Effect.gen(function* () {
        const user = (yield* users.lockByPendingEmail(email))?.user
        if (user === undefined || user.pendingEmail === null) return
        learn({ userId: user.userId })
        if (user.bannedAt !== null || (yield* mailedLately(user, ...EMAIL_CHANGE))) return
        yield* mailEmailChange(parts, user, user.pendingEmail)
      }),
    )

  const evenly = inEvenTime(parts.monotonic)

  return {
    verify: ({ type, token, totpCode }, origin) =>
      audit.act(
        "verify",
        origin,
        { what: type },
        (learn): ReturnType<Proofs["verify"]> =>
          type === "email_change" ? changeEmail(token, learn) : beginBy(type, { token, totpCode }, origin, learn),
      ),
    recover: (given, origin) => {
      const email = normalised(given)
      return audit.act("recover", origin, { email }, (learn) => evenly(mailRecovery(email, learn)))
    },
    resend: ({ type, email: given }, origin) => {
      const email = normalised(given)
      return audit.act("resend", origin, { email, what: type }, (learn) =>
        evenly(type === "signup" ? mailSignup(email, learn) : mailChange(email, learn)),
      )
    },
  }
}
