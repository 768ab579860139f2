/**
 * What operators do with the API keys of a user, within the command's transaction and under the user's lock. The one thing to know: a key that
 * an operator creates counts as made without the second factor, since nobody proved one.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { keyObject, keyWords, missingRight, newKey } from "../auth/api-key/new-key.ts"
import { ApiKeyNotFound, TooManyApiKeys } from "../domain/errors/api-key.ts"
import type { AdminRequired, InsufficientPermissions } from "../domain/errors/authorisation.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { ApiKeyId } from "../domain/ids.ts"
import { apiKeyRecord, KEYS_MAX } from "../domain/user/api-key.ts"
import type { User } from "../domain/user/user.ts"
import { ApiKeyRows } from "../store/users/api-keys.ts"
import type { Command } from "./words.ts"

const DAY_MILLIS = 86_400_000

export type ApiKeyFailure = AdminRequired | ApiKeyNotFound | InsufficientPermissions | TooManyApiKeys

type Words = Extract<Command, { readonly _tag: "ApiKeys" | "CreateApiKey" | "RevokeApiKey" }>

export const apiKeys = (command: Words, user: User, now: number) =>
  Effect.gen(function* () {
    const rows = yield* ApiKeyRows
    switch (command._tag) {
      case "ApiKeys":
        return { records: (yield* rows.ofUser(user.userId)).map((key) => apiKeyRecord(key, now)), object: null }
      case "CreateApiKey": {
        if (user.bannedAt !== null)
          return yield* new InvalidParameter({ parameter: "user", reason: "is banned: unban the user first" })
        if (user.emailConfirmedAt === null)
          return yield* new InvalidParameter({ parameter: "user", reason: "has not proven its e-mail address" })
        const { name, scope, ipAllow, days } = command
        const missing = missingRight([scope], user.permissions)
        if (missing !== undefined) return yield* Effect.fail(missing)
        if ((yield* rows.countLive(user.userId, now)) >= KEYS_MAX) return yield* new TooManyApiKeys({ limit: KEYS_MAX })
        const expiresAt = days === null ? null : now + days * DAY_MILLIS
        const asked = { name, scopes: [scope], tradingAccountIds: null, ipAllow, expiresAt }
        const made = { keyId: randomUUID() as ApiKeyId, secondFactor: false, at: now }
        const { key, secret } = newKey(asked, user, made)
        const stored = yield* rows.insert(key)
        const record = { ...apiKeyRecord(stored, now), apiKey: secret }
        return { records: [record], object: keyObject(stored), what: keyWords(stored) }
      }
      case "RevokeApiKey": {
        const revoked = yield* rows.revoke(user.userId, command.keyId, "revoked by an operator", now)
        if (command.keyId !== null && revoked.length === 0) {
          const found = yield* rows.find(command.keyId)
          if (found === null || found.userId !== user.userId) return yield* new ApiKeyNotFound()
          return { records: [apiKeyRecord(found, now)], object: keyObject(found), what: "revoked before" }
        }
        const [one] = revoked
        return {
          records: revoked.map((key) => apiKeyRecord(key, now)),
          object:
            command.keyId !== null && one !== undefined
              ? keyObject(one)
              : ({ type: "USER", id: user.userId, tenantId: user.tenantId } as const),
          what: command.keyId === null ? `all: ${revoked.length}` : keyWords(revoked[0]!),
        }
      }
    }
  })
