/** Bans by admins: every session of the user is over at once, sockets included, and no password opens a new one. */
import { Effect } from "effect"
import { AdminRequired } from "../domain/errors/authorisation.ts"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import { UserNotFound } from "../domain/errors/user.ts"
import type { SessionId, UserId } from "../domain/ids.ts"
import { type AdminUserRecord, adminUserRecord, type Principal, type User } from "../domain/user.ts"
import type { Origin } from "./audit.ts"
import { factsOf, type UserParts } from "./user-parts.ts"

/** One of the two names the user. */
export interface WhichUser {
  readonly userId: string | null
  readonly email: string | null
}

type BanFailure = AdminRequired | InvalidParameter | UserNotFound | StorageUnavailable

export interface Bans {
  readonly ban: (
    principal: Principal,
    which: WhichUser,
    reason: string | null,
    origin: Origin,
  ) => Effect.Effect<AdminUserRecord, BanFailure>
  readonly unban: (principal: Principal, which: WhichUser, origin: Origin) => Effect.Effect<AdminUserRecord, BanFailure>
}

export const makeBans = (parts: UserParts): Bans => {
  const { audit, now, users, changes, tokens, rows, sessions } = parts

  /** The session's word is not enough for this: the store is asked whether the caller is an admin now (contract C16). */
  const proven = (principal: Principal) =>
    Effect.gen(function* () {
      const caller = yield* users.findById(principal.userId)
      const provided = caller === null || caller.bannedAt !== null ? [] : caller.permissions
      if (!provided.includes("admin")) return yield* new AdminRequired({ required: ["admin"], provided })
    })

  const locked = (principal: Principal, { userId, email }: WhichUser) =>
    Effect.gen(function* () {
      if ((userId === null) === (email === null))
        return yield* new InvalidParameter({ parameter: "userId", reason: "exactly one of userId and email" })
      const found = yield* userId !== null ? users.lockById(userId as UserId) : users.lockByEmail((email ?? "").trim())
      if (found === null || found.user.tenantId !== principal.tenantId) return yield* new UserNotFound()
      return found.user
    })

  const asItIs = (user: User) =>
    users.findById(user.userId).pipe(Effect.map((stored) => adminUserRecord(stored ?? user)))

  return {
    ban: (principal, which, reason, origin) =>
      audit.act("user.ban", origin, { ...factsOf(principal), what: reason ?? undefined }, (learn) =>
        Effect.gen(function* () {
          yield* proven(principal)
          const { user, ended } = yield* parts.commit(
            Effect.gen(function* () {
              const user = yield* locked(principal, which)
              learn({ targetUserId: user.userId })
              if (user.userId === principal.userId)
                return yield* new InvalidParameter({ parameter: "userId", reason: "must not be your own" })
              yield* changes.ban(user.userId, reason, now())
              yield* tokens.wipe(user.userId)
              const ended: ReadonlyArray<SessionId> = yield* rows.revokeOf(user.userId, null, "banned", now())
              return { user, ended }
            }),
          )
          sessions.ended(ended)
          return yield* asItIs(user)
        }),
      ),
    unban: (principal, which, origin) =>
      audit.act("user.unban", origin, factsOf(principal), (learn) =>
        Effect.gen(function* () {
          yield* proven(principal)
          const user = yield* parts.commit(
            Effect.gen(function* () {
              const user = yield* locked(principal, which)
              learn({ targetUserId: user.userId })
              yield* changes.unban(user.userId, now())
              return user
            }),
          )
          return yield* asItIs(user)
        }),
      ),
  }
}
