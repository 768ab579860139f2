/**
 * What admins do with users of their tenant: bans, rights, ends of sessions. The one thing to know: each is one transaction with its audit row,
 * in which the store verifies that the caller is still an admin; the effect on sessions in use applies before the response.
 */
import { Effect } from "effect"
import { AdminRequired } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import type { SessionId, UserId } from "../../domain/ids.ts"
import type { Action, Actor } from "../../domain/user/act.ts"
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
import type { Learnt } from "../../store/audit/acts.ts"
import type { UserParts } from "../user/user-parts.ts"

/** One of the two names the user. */
export interface WhichUser {
  readonly userId: string | null
  readonly email: string | null
}

type BanFailure = AdminRequired | InvalidParameter | UserNotFound | StorageUnavailable

type Change = (principal: Principal, which: WhichUser, actor: Actor) => Effect.Effect<AdminUserRecord, BanFailure>
type ChangeOfRight = (
  principal: Principal,
  which: WhichUser,
  permission: Permission,
  actor: Actor,
) => Effect.Effect<AdminUserRecord, BanFailure>

export interface Administration {
  readonly ban: (
    principal: Principal,
    which: WhichUser,
    reason: string | null,
    actor: Actor,
  ) => Effect.Effect<AdminUserRecord, BanFailure>
  readonly unban: Change
  /** The right and those that it implies. */
  readonly grant: ChangeOfRight
  /** The right and those that imply it. */
  readonly revoke: ChangeOfRight
  /** Ends all sessions; API keys stay. */
  readonly signOut: Change
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

export const makeAdministration = (parts: UserParts): Administration => {
  const { now, uuid, users, changes, tokens, rows, keys, sessions, liveKeys } = parts

  const idOf = ({ userId, email }: WhichUser) =>
    Effect.gen(function* () {
      if ((userId === null) === (email === null))
        return yield* new InvalidParameter({ parameter: "userId", reason: "exactly one of userId and email" })
      if (userId !== null) return userId as UserId
      const found = yield* users.findByEmail((email ?? "").trim())
      return found === null ? yield* new UserNotFound() : found.user.userId
    })

  /**
   * Admin and user, locked in the order of their ids: two admins who ban each other take turns. The session's word is not enough for this:
   * the store says whether the caller is an admin now (contract C16).
   */
  const locked = (principal: Principal, which: WhichUser) =>
    Effect.gen(function* () {
      const targetId = yield* Effect.either(idOf(which))
      const ids = new Set([principal.userId, ...(targetId._tag === "Right" ? [targetId.right] : [])])
      const found = new Map<UserId, User>()
      for (const id of [...ids].sort()) {
        const row = yield* users.lockById(id)
        if (row !== null) found.set(id, row.user)
      }
      const caller = found.get(principal.userId)
      const provided = caller === undefined || caller.bannedAt !== null ? [] : caller.permissions
      if (!provided.includes("admin")) return yield* new AdminRequired({ required: ["admin"], provided })
      const target = found.get(yield* targetId)
      if (target === undefined || target.tenantId !== principal.tenantId) return yield* new UserNotFound()
      return target
    })

  /** `change` within the transaction of the act and its row. */
  const act = <A, E extends InvalidParameter | StorageUnavailable>(
    action: Action,
    actor: Actor,
    principal: Principal,
    which: WhichUser,
    what: string | null,
    change: (user: User) => Effect.Effect<A, E>,
  ) =>
    parts.act(
      { actId: uuid(), action, actor, object: null, ...(what === null ? {} : { what }) },
      (learn: (learnt: Learnt) => void) =>
        Effect.gen(function* () {
          const user = yield* locked(principal, which)
          learn({ object: { type: "USER", id: user.userId, tenantId: user.tenantId } })
          return { user, answer: yield* change(user) }
        }),
    )

  const asItIs = (user: User) =>
    users.findById(user.userId).pipe(Effect.map((stored) => adminUserRecord(stored ?? user)))

  const notOneself = (principal: Principal, { userId }: User) =>
    userId === principal.userId
      ? Effect.fail(new InvalidParameter({ parameter: "userId", reason: "must not be your own" }))
      : Effect.void

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
      const { user } = yield* act(action, actor, principal, which, permission, (user) =>
        Effect.zipRight(
          notOneself(principal, user),
          changes.setPermissions(user.userId, rightsOf(user.permissions, permission), now()),
        ),
      )
      const stored = (yield* users.findById(user.userId)) ?? user
      sessions.renew(stored)
      for (const key of yield* keys.ofUser(user.userId)) liveKeys.enter(stored, key)
      return adminUserRecord(stored)
    })

  return {
    grant: (principal, which, permission, actor) =>
      changeRights("user.grant", principal, which, permission, actor, granted),
    revoke: (principal, which, permission, actor) =>
      changeRights("user.revoke", principal, which, permission, actor, withheld),
    signOut: (principal, which, actor) =>
      Effect.gen(function* () {
        const { user, answer } = yield* act("user.signout", actor, principal, which, null, ({ userId }) =>
          rows.revokeOf(userId, null, "signed out by an admin", now()),
        )
        sessions.ended(answer)
        return yield* asItIs(user)
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
        const { user, answer } = yield* act("user.ban", actor, principal, which, reason, (user) =>
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
        const { user } = yield* act("user.unban", actor, principal, which, null, ({ userId }) =>
          // What the ban's own statement did not reach does not come back either.
          Effect.zipRight(keys.revoke(userId, null, "banned", now()), changes.unban(userId, now())),
        )
        return yield* asItIs(user)
      }),
  }
}
