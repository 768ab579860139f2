/** A user's move to another tenant, within the transaction of an act: an admin's over HTTP, or the command line's. */
import { Effect } from "effect"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { SessionId, TenantId } from "../../domain/ids.ts"
import type { ApiKey } from "../../domain/user/api-key.ts"
import type { User } from "../../domain/user/user.ts"
import type { ApiKeyRows } from "../../store/users/api-keys.ts"
import type { SessionRows } from "../../store/users/sessions.ts"
import type { Tenants } from "../../store/users/tenants.ts"
import type { UserChanges } from "../../store/users/user-changes.ts"
import type { Users } from "../../store/users/users.ts"

interface MoveStores {
  readonly users: Users
  readonly tenants: Tenants
  readonly changes: UserChanges
  readonly rows: SessionRows
  readonly keys: ApiKeyRows
}

export const existingTenant = (
  tenants: Tenants,
  text: string,
): Effect.Effect<TenantId, InvalidParameter | StorageUnavailable> =>
  Effect.flatMap(tenants.exists(text as TenantId), (isThere) =>
    isThere
      ? Effect.succeed(text as TenantId)
      : new InvalidParameter({ parameter: "tenant", reason: `there is no tenant ${text}` }),
  )

/** The sessions and keys that end with a move. */
interface Ended {
  readonly ended: ReadonlyArray<SessionId>
  readonly revoked: ReadonlyArray<ApiKey>
}

/** Records stay in the tenant they were created in, so a user who has any cannot be moved. To the user's own: nothing is done. */
export const moveUser = (
  { users, tenants, changes, rows, keys }: MoveStores,
  user: User,
  to: string,
  now: number,
): Effect.Effect<Ended, InvalidParameter | StorageUnavailable> =>
  Effect.gen(function* () {
    const { userId } = user
    const tenantId = yield* existingTenant(tenants, to)
    if (tenantId === user.tenantId) return { ended: [], revoked: [] }
    yield* users.lockAllOf(userId)
    const held = yield* tenants.heldBy(userId)
    if (held.length > 0)
      return yield* new InvalidParameter({ parameter: "user", reason: `still has ${held.join(", ")}` })
    yield* changes.move(userId, tenantId, now)
    const ended = yield* rows.revokeOf(userId, null, "moved to another tenant", now)
    return { ended, revoked: yield* keys.revoke(userId, null, "moved to another tenant", now) }
  })
