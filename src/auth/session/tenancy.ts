/**
 * What admins do with tenants: see them, create them, move users of their own into another. The one thing to know: only admins of the installation's
 * own tenant (DEFAULT_TENANT_ID) create tenants, move users and see any tenant but their own; a tenant learns of no other.
 */
import { Effect } from "effect"
import { TenantForbidden } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId } from "../../domain/ids.ts"
import type { Actor } from "../../domain/user/act.ts"
import type { AdminUserRecord, Principal } from "../../domain/user/user.ts"
import type { Tenant, Tenants } from "../../store/users/tenants.ts"
import type { UserParts } from "../user/user-parts.ts"
import type { AdminActs, AdminFailure, WhichUser } from "./admin-act.ts"
import { moveUser } from "./tenant-move.ts"

export interface Tenancy {
  /** By name: all for admins of the installation's own, their own alone for others. */
  readonly list: (principal: Principal) => Effect.Effect<ReadonlyArray<Tenant>, StorageUnavailable>
  readonly create: (
    principal: Principal,
    tenantId: TenantId,
    actor: Actor,
  ) => Effect.Effect<Tenant, AdminFailure | TenantForbidden>
  readonly move: (
    principal: Principal,
    which: WhichUser,
    to: string,
    actor: Actor,
  ) => Effect.Effect<AdminUserRecord, AdminFailure | TenantForbidden>
  /** The installation's own. */
  readonly home: TenantId
}

export const makeTenancy = (
  parts: UserParts,
  { onUser, onObject, asItIs, notOneself }: AdminActs,
  tenants: Tenants,
): Tenancy => {
  const { now, users, changes, rows, keys, sessions, liveKeys } = parts
  const home = parts.settings.defaultTenantId as TenantId
  const mayReachOthers = ({ tenantId }: Principal): boolean => tenantId === home
  const onlyAtHome = (principal: Principal, tenantId: string): Effect.Effect<void, TenantForbidden> =>
    mayReachOthers(principal) ? Effect.void : Effect.fail(new TenantForbidden({ tenantId }))
  return {
    home,
    list: (principal) =>
      Effect.map(tenants.all, (all) =>
        all.filter(({ tenantId }) => mayReachOthers(principal) || tenantId === principal.tenantId),
      ),
    create: (principal, tenantId, actor) =>
      Effect.gen(function* () {
        yield* onlyAtHome(principal, tenantId)
        const at = now()
        yield* onObject(
          { action: "tenant.create", actor, principal, what: tenantId },
          // Its row is the creator's tenant's: the other one learns nothing of who was here.
          { type: "TENANT", id: tenantId, tenantId: principal.tenantId },
          Effect.filterOrFail(
            tenants.create(tenantId, at),
            (isNew) => isNew,
            () => new InvalidParameter({ parameter: "tenantId", reason: "there is already one of that name" }),
          ),
        )
        return { tenantId, createdAt: at, users: 0 }
      }),
    move: (principal, which, to, actor) =>
      Effect.gen(function* () {
        yield* onlyAtHome(principal, to)
        const { user, answer } = yield* onUser({ action: "user.move", actor, principal, what: to }, which, (user) =>
          Effect.zipRight(
            notOneself(principal, user),
            moveUser({ users, tenants, changes, rows, keys }, user, to, now()),
          ),
        )
        sessions.ended(answer.ended)
        for (const { keyId } of answer.revoked) liveKeys.end(keyId)
        return yield* asItIs(user)
      }),
  }
}
