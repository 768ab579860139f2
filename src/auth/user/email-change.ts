/**
 * The mails of a change of address: one to each end that has not agreed yet (security A.1, secure e-mail change). An address that is
 * another user's gets a notice instead of a token, and nobody else learns the difference.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { NOTICE_MILLIS, TOKEN_MILLIS } from "../../domain/user/letter.ts"
import type { User } from "../../domain/user/user.ts"
import type { OneTimeTokenType } from "../../store/users/one-time-tokens.ts"
import { newOneTimeToken } from "../proof/one-time.ts"
import type { UserParts } from "./user-parts.ts"

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
