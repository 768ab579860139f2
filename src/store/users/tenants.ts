/** Tenants: the boundary across which no user can see or address anything. Created by operators; the installation's own with its first user. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import { instant } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

export interface Tenant {
  readonly tenantId: TenantId
  readonly createdAt: number
  readonly users: number
}

interface Row {
  readonly tenant_id: string
  readonly created_at: string
  readonly users: number
}

export class Tenants extends Effect.Service<Tenants>()("store/Tenants", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** False: there was one of that name. */
      create: (tenantId: TenantId, at: number): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`
          INSERT INTO tenant (tenant_id, created_at) VALUES (${tenantId}, ${at}) ON CONFLICT DO NOTHING RETURNING 1`).pipe(
          Effect.map((rows) => rows.length === 1),
        ),

      /** By name. */
      all: orUnavailable(sql<Row>`
        SELECT t.tenant_id, t.created_at, count(u.user_id)::int AS users
        FROM tenant t LEFT JOIN app_user u USING (tenant_id) GROUP BY t.tenant_id ORDER BY t.tenant_id`).pipe(
        Effect.map(
          (rows): ReadonlyArray<Tenant> =>
            rows.map((row) => ({
              tenantId: row.tenant_id as TenantId,
              createdAt: instant(row.created_at),
              users: row.users,
            })),
        ),
      ),

      exists: (tenantId: TenantId): Effect.Effect<boolean, StorageUnavailable> =>
        orUnavailable(sql`SELECT FROM tenant WHERE tenant_id = ${tenantId}`).pipe(
          Effect.map((rows) => rows.length === 1),
        ),

      /** What a user still has in its tenant, in words; none: it may leave. Dealers belong to the tenant, not to the admin who made them. */
      heldBy: (userId: UserId): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> =>
        orUnavailable(sql<{ what: string; n: number }>`
          SELECT * FROM (VALUES
            ('trading accounts that are not DISCONNECTED',
              (SELECT count(*)::int FROM trading_account WHERE user_id = ${userId} AND status <> 'DISCONNECTED')),
            ('credentials that are not REVOKED',
              (SELECT count(*)::int FROM credential WHERE user_id = ${userId} AND status <> 'REVOKED')),
            ('order book subscriptions that are ACTIVE',
              (SELECT count(*)::int FROM order_book_subscription WHERE user_id = ${userId} AND status = 'ACTIVE')),
            ('wallets that are not CLOSED, or not empty',
              (SELECT count(*)::int FROM wallet w WHERE w.user_id = ${userId} AND w.wallet_type = 'CLIENT' AND (w.status <> 'CLOSED' OR EXISTS (
                SELECT FROM wallet_balance b WHERE b.wallet_id = w.wallet_id AND b.credits_posted <> b.debits_posted))))
          ) AS held (what, n) WHERE n > 0`).pipe(Effect.map((rows) => rows.map(({ what, n }) => `${n} ${what}`))),
    }
  }),
}) {}
