/**
 * What admins do with users of their tenant: bans, rights, second factors, ends of sessions. The one thing to know: the effect on sessions and
 * keys in use applies before the response.
 */
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import type { Action, Actor } from "../../domain/user/act.ts"
import { NOTICE_MILLIS } from "../../domain/user/letter.ts"
import {
  type AdminUserRecord,
  adminUserRecord,
  granted,
  type Permission,
  type Principal,
  type SessionEntry,
  type SessionPrincipal,
  type User,
  withheld,
} from "../../domain/user/user.ts"
import type { SecondFactors } from "../../store/users/second-factors.ts"
import type { UserParts } from "../user/user-parts.ts"
import type { AdminActs, AdminFailure, WhichUser } from "./admin-act.ts"

type Change = (principal: Principal, which: WhichUser, actor: Actor) => Effect.Effect<AdminUserRecord, AdminFailure>
type ChangeOfRight = (
  principal: Principal,
  which: WhichUser,
  permission: Permission,
  actor: Actor,
) => Effect.Effect<AdminUserRecord, AdminFailure>

export interface Administration {
  readonly ban: (
    principal: Principal,
    which: WhichUser,
    reason: string | null,
    actor: Actor,
  ) => Effect.Effect<AdminUserRecord, AdminFailure>
  readonly unban: Change
  /** The right and those that it implies. */
  readonly grant: ChangeOfRight
  /** The right and those that imply it. */
  readonly revoke: ChangeOfRight
  /** Ends all sessions; API keys stay. */
  readonly signOut: Change
  /** Removes it with its recovery codes, ends all sessions, and tells the user by mail. */
  readonly resetSecondFactor: Change
  /** Of the caller's tenant, by address; `after`: the address of the last one before the page. */
  readonly list: (
    principal: Principal,
    page: { readonly after: string | null; readonly limit: number; readonly offset: number },
  ) => Effect.Effect<ReadonlyArray<AdminUserRecord>, StorageUnavailable>
  /** Of the caller's tenant, up to COUNTED_MAX + 1. */
  readonly count: (principal: Principal) => Effect.Effect<number, StorageUnavailable>
  /** Where a user of the caller's tenant is signed in. */
  readonly sessions: (
    principal: SessionPrincipal,
    userId: string,
  ) => Effect.Effect<ReadonlyArray<SessionEntry>, UserNotFound | StorageUnavailable>
}

export const makeAdministration = (
  parts: UserParts,
  { onUser, asItIs, notOneself }: AdminActs,
  secondFactors: Pick<SecondFactors, "remove">,
): Administration => {
  const { now, users, changes, tokens, rows, keys, sessions, liveKeys, letters } = parts

  /** Sessions and keys in use know their user as stored. */
  const follow = (user: User) =>
    Effect.gen(function* () {
      const stored = (yield* users.findById(user.userId)) ?? user
      sessions.renew(stored)
      for (const key of yield* keys.ofUser(user.userId)) liveKeys.enter(stored, key)
      return adminUserRecord(stored)
    })

  /** `rightsOf` says what is to be held from now on. API keys lose with their user. */
  const changeRights = (
    action: Action,
    principal: Principal,
    which: WhichUser,
    permission: Permission,
    actor: Actor,
    rightsOf: (held: ReadonlyArray<Permission>, permission: Permission) => ReadonlyArray<Permission>,
  ) =>
    Effect.gen(function* () {
      const { user } = yield* onUser({ action, actor, principal, what: permission }, which, (user) =>
        Effect.zipRight(
          notOneself(principal, user),
          changes.setPermissions(user.userId, rightsOf(user.permissions, permission), now()),
        ),
      )
      return yield* follow(user)
    })

  return {
    grant: (principal, which, permission, actor) =>
      changeRights("user.grant", principal, which, permission, actor, granted),
    revoke: (principal, which, permission, actor) =>
      changeRights("user.revoke", principal, which, permission, actor, withheld),
    signOut: (principal, which, actor) =>
      Effect.gen(function* () {
        const { user, answer } = yield* onUser(
          { action: "user.signout", actor, principal, what: null },
          which,
          ({ userId }) => rows.revokeOf(userId, null, "signed out by an admin", now()),
        )
        sessions.ended(answer)
        return yield* asItIs(user)
      }),
    resetSecondFactor: (principal, which, actor) =>
      Effect.gen(function* () {
        const { user, answer } = yield* onUser(
          { action: "factor.reset", actor, principal, what: null },
          which,
          (user) =>
            Effect.gen(function* () {
              // One's own is removed by a code of it.
              yield* notOneself(principal, user)
              yield* secondFactors.remove(user.userId, now())
              if (user.secondFactorAt !== null)
                yield* letters.drop(user.email, { _tag: "SecondFactorReset" }, now() + NOTICE_MILLIS)
              return yield* rows.revokeOf(user.userId, null, "the second factor was reset by an admin", now())
            }),
        )
        sessions.ended(answer)
        return yield* follow(user)
      }),
    list: ({ tenantId }, page) => Effect.map(users.page({ tenantId, ...page }), (found) => found.map(adminUserRecord)),
    count: ({ tenantId }) => users.count(tenantId),
    sessions: (principal, userId) =>
      Effect.gen(function* () {
        const user = yield* users.findById(userId as UserId)
        if (user === null || user.tenantId !== principal.tenantId) return yield* new UserNotFound()
        return yield* sessions.list({ userId: user.userId, sessionId: principal.sessionId })
      }),
    ban: (principal, which, reason, actor) =>
      Effect.gen(function* () {
        const { user, answer } = yield* onUser({ action: "user.ban", actor, principal, what: reason }, which, (user) =>
          Effect.gen(function* () {
            const { userId } = user
            yield* notOneself(principal, user)
            yield* changes.ban(userId, reason, now())
            yield* tokens.wipe(userId)
            const ended: ReadonlyArray<SessionId> = yield* rows.revokeOf(userId, null, "banned", now())
            return { ended, revoked: yield* keys.revoke(userId, null, "banned", now()) }
          }),
        )
        sessions.ended(answer.ended)
        for (const { keyId } of answer.revoked) liveKeys.end(keyId)
        return yield* asItIs(user)
      }),
    unban: (principal, which, actor) =>
      Effect.gen(function* () {
        const { user } = yield* onUser({ action: "user.unban", actor, principal, what: null }, which, ({ userId }) =>
          // What the ban's own statement did not reach does not come back either.
          Effect.zipRight(keys.revoke(userId, null, "banned", now()), changes.unban(userId, now())),
        )
        return yield* asItIs(user)
      }),
  }
}
