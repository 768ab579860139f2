/** The caller as `authority_of` in the database reads it, and the failure when the right is missing. */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { SessionRevoked } from "../../domain/errors/authentication.ts"
import { AccountForbidden, AdminRequired, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { Busy } from "../../domain/errors/service.ts"
import type { Authority } from "../../domain/user/act.ts"

/** As `authority_of` reads it: by which right, who, and by which session or API key. */
export const authorityRow = ({ right, actor }: Authority): ReadonlyArray<string | null> => [
  right,
  actor.userId,
  actor.sessionId ?? actor.keyId,
]

export type AuthorityFailure = AccountForbidden | AdminRequired | Busy | InsufficientPermissions | SessionRevoked

/** `provided`: what the user may do. Undefined: no word of authority_of. */
export const authorityFailure = (word: string, provided: ReadonlyArray<string>): AuthorityFailure | undefined => {
  switch (word) {
    case "SessionRevoked":
      return new SessionRevoked()
    case "AdminRequired":
      return new AdminRequired({ required: ["admin"], provided: [...provided] })
    case "InsufficientPermissions":
      return new InsufficientPermissions({ required: ["write"], provided: [...provided] })
    case "AccountForbidden":
      return new AccountForbidden()
    case "Busy":
      return new Busy({ retryAfterSeconds: 1 })
    default:
      return undefined
  }
}

/** In the transaction of what is asked for, before anything of a dealer or an account is locked. Of an object of that tenant. */
export const judged = (
  sql: SqlClient.SqlClient,
  authority: Authority,
  tenantId: string,
  dealerAccountId: string | null,
): Effect.Effect<void, AuthorityFailure | SqlError> =>
  Effect.gen(function* () {
    const asked = JSON.stringify([[...authorityRow(authority), dealerAccountId]])
    const [said] = yield* sql<{
      word: string | null
      detail: { provided: ReadonlyArray<string> | null }
      tenant_id: string
    }>`SELECT word, detail, tenant_id FROM authority_of(${asked}::jsonb)`
    const refused = said?.word ? authorityFailure(said.word, said.detail.provided ?? []) : undefined
    if (refused !== undefined) return yield* Effect.fail(refused)
    if (said?.tenant_id !== tenantId) return yield* new AccountForbidden()
  })
