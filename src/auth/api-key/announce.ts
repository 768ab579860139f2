/**
 * The mail that tells a user of a new API key. The one thing to know: it has the key's own id, so that each key is told of once:
 * by the create itself, and of what was made elsewhere (an operator, a statement by hand) by the gateway when it first takes the key up.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { ApiKey } from "../../domain/user/api-key.ts"
import { NOTICE_MILLIS } from "../../domain/user/letter.ts"
import type { User } from "../../domain/user/user.ts"
import type { LetterBox } from "../user/letter-box.ts"

export type Announce = (user: User, key: ApiKey) => Effect.Effect<void, StorageUnavailable>

/** What is older than a notice is worth was told of, or would tell its user nothing of use. */
export const makeAnnounce =
  (letters: LetterBox["Type"], now: () => number): Announce =>
  (user, { keyId, name, prefix, scopes, createdAt }) => {
    const expiresAt = createdAt + NOTICE_MILLIS
    if (expiresAt <= now()) return Effect.void
    return letters.drop(user.email, { _tag: "ApiKeyCreated", name, prefix, scopes, createdAt }, expiresAt, keyId)
  }
