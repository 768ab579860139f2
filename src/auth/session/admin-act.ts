/**
 * An act of an admin over HTTP. The one thing to know: it is one transaction with its audit row, in which the store says whether the caller is an
 * admin now, and of which tenant; the session's word is not enough for that (contract C16).
 */
import { Effect } from "effect"
import { AdminRequired } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { UserNotFound } from "../../domain/errors/user.ts"
import type { UserId } from "../../domain/ids.ts"
import type { Action, ActObject, Actor } from "../../domain/user/act.ts"
import { type AdminUserRecord, adminUserRecord, type Principal, type User } from "../../domain/user/user.ts"
import type { Learnt } from "../../store/audit/acts.ts"
import type { UserParts } from "../user/user-parts.ts"

/** One of the two names the user. */
export interface WhichUser {
  readonly userId: string | null
  readonly email: string | null
}

export type AdminFailure = AdminRequired | InvalidParameter | UserNotFound | StorageUnavailable

/** Who does what, and what the audit says of it beside its object. */
export interface AdminAct {
  readonly action: Action
  readonly actor: Actor
  readonly principal: Principal
  readonly what: string | null
}

export const userObject = ({ userId, tenantId }: User): ActObject => ({ type: "USER", id: userId, tenantId })

export const makeAdminActs = ({ uuid, users, act }: UserParts) => {
  const idOf = ({ userId, email }: WhichUser) =>
    Effect.gen(function* () {
      if ((userId === null) === (email === null))
        return yield* new InvalidParameter({ parameter: "userId", reason: "exactly one of userId and email" })
      if (userId !== null) return userId as UserId
      const found = yield* users.findByEmail((email ?? "").trim())
      return found === null ? yield* new UserNotFound() : found.user.userId
    })

  /** Admin and others, locked in the order of their ids: two admins who ban each other take turns. */
  const locked = (principal: Principal, others: ReadonlyArray<UserId>) =>
    Effect.gen(function* () {
      const found = new Map<UserId, User>()
      for (const id of [...new Set([principal.userId, ...others])].sort()) {
        const row = yield* users.lockById(id)
        if (row !== null) found.set(id, row.user)
      }
      const caller = found.get(principal.userId)
      const isThere = caller?.bannedAt === null && caller.tenantId === principal.tenantId
      const provided = isThere ? caller.permissions : []
      if (!provided.includes("admin")) return yield* new AdminRequired({ required: ["admin"], provided })
      return found
    })

  const lockedUser = (principal: Principal, which: WhichUser) =>
    Effect.gen(function* () {
      const targetId = yield* Effect.either(idOf(which))
      const found = yield* locked(principal, targetId._tag === "Right" ? [targetId.right] : [])
      const target = found.get(yield* targetId)
      if (target === undefined || target.tenantId !== principal.tenantId) return yield* new UserNotFound()
      return target
    })

  const rowOf = ({ action, actor, what }: AdminAct) => ({
    actId: uuid(),
    action,
    actor,
    object: null,
    ...(what === null ? {} : { what }),
  })

  return {
    /** `change` to a user of the caller's tenant. */
    onUser: <A, E extends InvalidParameter | StorageUnavailable>(
      asked: AdminAct,
      which: WhichUser,
      change: (user: User) => Effect.Effect<A, E>,
    ) =>
      act(rowOf(asked), (learn: (learnt: Learnt) => void) =>
        Effect.gen(function* () {
          const user = yield* lockedUser(asked.principal, which)
          learn({ object: userObject(user) })
          return { user, answer: yield* change(user) }
        }),
      ),
    /** `change` to something else of the caller's tenant. */
    onObject: <A, E extends InvalidParameter | StorageUnavailable>(
      asked: AdminAct,
      object: ActObject,
      change: Effect.Effect<A, E>,
    ) => act({ ...rowOf(asked), object }, () => Effect.zipRight(locked(asked.principal, []), change)),
    /** As it is stored. */
    asItIs: (user: User): Effect.Effect<AdminUserRecord, StorageUnavailable> =>
      Effect.map(users.findById(user.userId), (stored) => adminUserRecord(stored ?? user)),
    notOneself: (principal: Principal, { userId }: User): Effect.Effect<void, InvalidParameter> =>
      userId === principal.userId
        ? Effect.fail(new InvalidParameter({ parameter: "userId", reason: "must not be your own" }))
        : Effect.void,
  }
}

export type AdminActs = ReturnType<typeof makeAdminActs>
