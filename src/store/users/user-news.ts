/**
 * Users and tenants that another program changed (the command line), and users whose sessions were revoked. Whoever does leaves their ids
 * here in the transaction of the change; the gateway takes them and looks again. A table that is asked and no NOTIFY: what was left while
 * nobody listened is found all the same.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import { isCurrent } from "../postgres/is-current.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

export interface News {
  readonly users: ReadonlySet<UserId>
  readonly tenants: ReadonlySet<TenantId>
}

export class UserNews extends Effect.Service<UserNews>()("store/UserNews", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Whether the database is as new as this program. */
      isThere: isCurrent(sql),

      leave: (userId: UserId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`INSERT INTO user_news (user_id) VALUES (${userId})`).pipe(Effect.asVoid),

      /** Of everybody in it. */
      leaveOf: (tenantId: TenantId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`INSERT INTO user_news (tenant_id) VALUES (${tenantId})`).pipe(Effect.asVoid),

      take: orUnavailable(
        sql<{ user_id: string | null; tenant_id: string | null }>`DELETE FROM user_news RETURNING user_id, tenant_id`,
      ).pipe(
        Effect.map(
          (rows): News => ({
            users: new Set(rows.flatMap((row) => (row.user_id === null ? [] : [row.user_id as UserId]))),
            tenants: new Set(rows.flatMap((row) => (row.tenant_id === null ? [] : [row.tenant_id as TenantId]))),
          }),
        ),
      ),
    }
  }),
}) {}
