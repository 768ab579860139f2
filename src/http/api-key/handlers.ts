/** Passes calls on to auth, once the accounts that a key is to be limited to are known to be the caller's. */
import { Effect } from "effect"
import type { ApiKeys } from "../../auth/api-key/api-keys.ts"
import type { ApiKeyId, TradingAccountId } from "../../domain/ids.ts"
import { type AccountReach, accountOf, actorOf } from "../account-access.ts"
import { type Handlers, isFailure } from "../edge/route.ts"
import type { ApiKeyApi } from "./endpoints.ts"

export const apiKeyHandlers = (keys: ApiKeys["Type"], reach: AccountReach): Handlers<typeof ApiKeyApi> => ({
  create: ({ body, principal, request }, reply) => {
    const { name, scopes, ipAllow = null, expiresAt = null } = body
    const tradingAccountIds = body.tradingAccountIds?.map((id) => id.toLowerCase() as TradingAccountId) ?? null
    const access = scopes.includes("trade") ? "write" : "read"
    for (const id of tradingAccountIds ?? []) {
      const account = accountOf(reach, principal, id, access)
      if (isFailure(account)) return reply.fail(account)
    }
    return keys
      .create(principal, { name, scopes, tradingAccountIds, ipAllow, expiresAt }, actorOf(request, principal))
      .pipe(Effect.map((created) => reply.ok(created)))
  },
  list: ({ principal }, reply) => Effect.map(keys.list(principal), (all) => reply.ok(all)),
  revoke: ({ body, principal, request }, reply) =>
    Effect.map(
      keys.revoke(principal, body.apiKeyId.toLowerCase() as ApiKeyId, actorOf(request, principal)),
      (revoked) => reply.ok(revoked),
    ),
})
