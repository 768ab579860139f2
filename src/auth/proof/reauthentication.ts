/**
 * Reauthentication within a session: sensitive operations need an authentication that is at most a few minutes old. The one thing to
 * know: it gives the session new tokens and ends its old ones, so that a copy of those is worth no more than before.
 */
import { Effect } from "effect"
import {
  InvalidLoginCredentials,
  type InvalidSecondFactor,
  type SecondFactorNeeded,
  SessionRevoked,
} from "../../domain/errors/authentication.ts"
import type { RateLimited } from "../../domain/errors/limits.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionPrincipal, SessionRecord } from "../../domain/user/user.ts"
import type { Origin } from "../audit-log.ts"
import { factsOf, type UserParts } from "../user/user-parts.ts"
import type { SecondFactor } from "./second-factor.ts"

export interface Reauthentication {
  readonly reauthenticate: (
    principal: SessionPrincipal,
    request: { readonly currentPassword: string; readonly totpCode: string | null },
    origin: Origin,
  ) => Effect.Effect<
    SessionRecord,
    | InvalidLoginCredentials
    | InvalidSecondFactor
    | RateLimited
    | SecondFactorNeeded
    | SessionRevoked
    | StorageUnavailable
  >
}

export const makeReauthentication = (
  { audit, users, passwords, sessions }: UserParts,
  secondFactor: SecondFactor,
): Reauthentication => ({
  reauthenticate: (principal, { currentPassword, totpCode }, origin) =>
    audit.act("reauthenticate", origin, factsOf(principal), () =>
      Effect.gen(function* () {
        const found = yield* users.findWithHash(principal.userId)
        if (found === null) return yield* new SessionRevoked()
        if (!(yield* passwords.verify(currentPassword, found.passwordHash))) return yield* new InvalidLoginCredentials()
        const { user, passwordHash } = found
        yield* secondFactor.prove(user, totpCode)
        const { sessionId } = principal
        const isProven = user.secondFactorAt !== null
        const record = yield* sessions.prove({ user, passwordHash, sessionId, secondFactor: isProven })
        if (record === null) return yield* new SessionRevoked()
        return record
      }),
    ),
})
