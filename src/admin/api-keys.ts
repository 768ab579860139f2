/**
 * What operators do with the API keys of a user, within the command's transaction and under the user's lock. The one thing to know: a key that
 * an operator creates counts as made without the second factor, since nobody proved one.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { type AskedKey, keyObject, keyWords, missingRight, newKey } from "../auth/api-key/new-key.ts"
import { ApiKeyNotFound } from "../domain/errors/api-key.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { ApiKeyId } from "../domain/ids.ts"
import { apiKeyRecord, KEYS_MAX, PERMISSION_OF } from "../domain/user/api-key.ts"
import type { User } from "../domain/user/user.ts"
import { ApiKeyRows } from "../store/users/api-keys.ts"
import type { ApiKeyCommand } from "./api-key-words.ts"

const DAY_MILLIS = 86_400_000

const askedOf = (
  { name, scope, ipAllow, days }: Extract<ApiKeyCommand, { readonly _tag: "CreateApiKey" }>,
  now: number,
): AskedKey => ({
  name,
  scopes: [scope],
  tradingAccountIds: null,
  ipAllow,
  expiresAt: days === null ? null : now + days * DAY_MILLIS,
})

/** What the audit says of it whatever becomes of it. */
export const wordsOfApiKeys = (command: ApiKeyCommand, now: number): string | undefined => {
  if (command._tag === "CreateApiKey") return keyWords(askedOf(command, now))
  return command._tag === "RevokeApiKey" ? (command.keyId ?? "all") : undefined
}

export const apiKeys = (command: ApiKeyCommand, user: User, now: number) =>
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
        const { scope } = command
        if (missingRight([scope], user.permissions) !== undefined)
          return yield* new InvalidParameter({
            parameter: "scope",
            reason: `${scope} lets through what needs the right ${PERMISSION_OF[scope]}, and the user has ${user.permissions.join(", ") || "none"}: grant it first, or give a smaller scope`,
          })
        const count = yield* rows.countLive(user.userId, now)
        if (count >= KEYS_MAX)
          return yield* new InvalidParameter({
            parameter: "user",
            reason: `has ${count} keys that are good, and ${KEYS_MAX} is the most: revoke one first`,
          })
        const made = { keyId: randomUUID() as ApiKeyId, secondFactor: false, at: now }
        const { key, secret } = newKey(askedOf(command, now), user, made)
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
