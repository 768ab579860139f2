/** The dependencies shared by all operations on user accounts. */
import { Effect } from "effect"
import type { Settings } from "../../config.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import type { Act } from "../../domain/user/act.ts"
import type { SessionPrincipal, SessionRecord } from "../../domain/user/user.ts"
import { Clock } from "../../ports/clock.ts"
import { Ids } from "../../ports/ids.ts"
import { Acts, type Learnt } from "../../store/audit/acts.ts"
import { Transactions } from "../../store/postgres/transactions.ts"
import { ApiKeyRows } from "../../store/users/api-keys.ts"
import { OneTimeTokens } from "../../store/users/one-time-tokens.ts"
import { SessionRows } from "../../store/users/sessions.ts"
import { UserChanges } from "../../store/users/user-changes.ts"
import { Users } from "../../store/users/users.ts"
import type { LiveKeys } from "../api-key/live-keys.ts"
import type { Audit, AuditFacts } from "../audit-log.ts"
import type { Passwords } from "../proof/passwords.ts"
import type { SetupToken } from "../proof/setup-token.ts"
import type { AllowedAddresses } from "../session/allowed-addresses.ts"
import { Sessions } from "../session/sessions.ts"
import { LetterBox } from "./letter-box.ts"

/** Between two mails of one kind to one user. */
export const MAIL_PAUSE_MILLIS = 60_000

export const makeUserParts = (
  settings: Pick<Settings, "signup" | "defaultTenantId" | "sessions">,
  passwords: Passwords,
  audit: Audit,
  addresses: AllowedAddresses,
  setupToken: SetupToken,
  liveKeys: LiveKeys,
) =>
  Effect.gen(function* () {
    const transactions = yield* Transactions
    const acts = yield* Acts
    const letters = yield* LetterBox
    const { now, monotonic } = yield* Clock
    return {
      settings,
      passwords,
      audit,
      addresses,
      setupToken,
      liveKeys,
      now,
      monotonic,
      uuid: (yield* Ids).uuid,
      users: yield* Users,
      changes: yield* UserChanges,
      tokens: yield* OneTimeTokens,
      rows: yield* SessionRows,
      keys: yield* ApiKeyRows,
      sessions: yield* Sessions,
      letters,
      /** All of it or nothing; letters that were dropped in it are on their way then. */
      commit: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
        Effect.tap(transactions.all(work), () => Effect.sync(letters.posted)),
      /** As `commit`, with the act's row of the audit. */
      act: <A, E extends DomainError, R>(
        act: Act,
        work: (learn: (learnt: Learnt) => void) => Effect.Effect<A, E, R>,
      ): Effect.Effect<A, E | StorageUnavailable, R> =>
        Effect.tap(acts.commit(act, work), () => Effect.sync(letters.posted)),
    }
  })

export type UserParts = Effect.Effect.Success<ReturnType<typeof makeUserParts>>

export const factsOf = ({ userId, sessionId }: SessionPrincipal): AuditFacts => ({ userId, sessionId })

/** For the audit: who it turned out to be. */
export const factsOfSession = (begun: {
  readonly record: SessionRecord
  readonly sessionId: SessionId
}): AuditFacts => ({ userId: begun.record.user.id as UserId, sessionId: begun.sessionId })
