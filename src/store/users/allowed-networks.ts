/** The networks that users and tenants may connect from. A change leaves a notice in `UserNews` within the same transaction. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId, UserId } from "../../domain/ids.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

/** Whose list it is. */
export type NetworksOf = { readonly userId: UserId } | { readonly tenantId: TenantId }

interface Row {
  readonly user_id: string | null
  readonly tenant_id: string | null
  readonly network: string
}

const idsOf = (whose: NetworksOf): readonly [userId: string | null, tenantId: string | null] =>
  "userId" in whose ? [whose.userId, null] : [null, whose.tenantId]

export class AllowedNetworks extends Effect.Service<AllowedNetworks>()("store/AllowedNetworks", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** All lists, for the start. */
      all: orUnavailable(sql<Row>`
        SELECT user_id, tenant_id, network::text AS network FROM allowed_network ORDER BY network`).pipe(
        Effect.map((rows) =>
          rows.map(({ user_id, tenant_id, network }): readonly [NetworksOf, string] => [
            user_id === null ? { tenantId: tenant_id as TenantId } : { userId: user_id as UserId },
            network,
          ]),
        ),
      ),

      /** In one spelling: `203.0.113.7/32`, host bits zero. */
      of: (whose: NetworksOf): Effect.Effect<ReadonlyArray<string>, StorageUnavailable> => {
        const [userId, tenantId] = idsOf(whose)
        return orUnavailable(sql<Pick<Row, "network">>`
          SELECT network::text AS network FROM allowed_network
          WHERE user_id IS NOT DISTINCT FROM ${userId}::uuid AND tenant_id IS NOT DISTINCT FROM ${tenantId}::text
          ORDER BY network`).pipe(Effect.map((rows) => rows.map(({ network }) => network)))
      },

      /** In a transaction: no other admin of the tenant changes its list until it ends. A user's is locked with the user. */
      lock: (tenantId: TenantId): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`SELECT FROM tenant WHERE tenant_id = ${tenantId} FOR NO KEY UPDATE`).pipe(Effect.asVoid),

      /** One that is there already stays as it is. */
      add: (whose: NetworksOf, network: string, at: number): Effect.Effect<void, StorageUnavailable> => {
        const [userId, tenantId] = idsOf(whose)
        return orUnavailable(sql`
          INSERT INTO allowed_network (user_id, tenant_id, network, created_at)
          VALUES (${userId}, ${tenantId}, network(${network}::inet), ${at}) ON CONFLICT DO NOTHING`).pipe(Effect.asVoid)
      },

      /** False: it was not there. */
      remove: (whose: NetworksOf, network: string): Effect.Effect<boolean, StorageUnavailable> => {
        const [userId, tenantId] = idsOf(whose)
        return orUnavailable(sql`
          DELETE FROM allowed_network
          WHERE user_id IS NOT DISTINCT FROM ${userId}::uuid AND tenant_id IS NOT DISTINCT FROM ${tenantId}::text
            AND network = network(${network}::inet) RETURNING 1`).pipe(Effect.map((rows) => rows.length > 0))
      },
    }
  }),
}) {}
