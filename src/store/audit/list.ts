/**
 * Rows of the audit as admins read them: those of their tenant, for admins of the default tenant also the installation's, newest first. A row
 * belongs to its object's tenant; to the installation if all tenants share the object; otherwise to its actor's tenant, or the installation if
 * there is none.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { instant } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

export interface StoredAct {
  readonly actId: string
  readonly lane: string
  readonly number: number
  readonly at: number
  readonly action: string
  readonly result: string
  readonly actorKind: "USER" | "OPERATOR" | "SYSTEM"
  readonly userId: string | null
  readonly sessionId: string | null
  readonly keyId: string | null
  readonly tenantId: string | null
  readonly ip: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
  readonly clientRequestId: string | null
  readonly objectType: string | null
  readonly objectId: string | null
  readonly objectTenantId: string | null
  readonly otherId: string | null
  readonly asset: string | null
  readonly amount: string | null
  readonly what: string | null
}

/** Null: of all. */
export interface AuditFilters {
  readonly actorKind: string | null
  readonly userId: string | null
  readonly action: string | null
  readonly objectId: string | null
  readonly result: string | null
  /** Wall ms, both inclusive. */
  readonly from: number | null
  readonly to: number | null
}

export interface AuditPage extends AuditFilters {
  /** Whose; the empty text: the installation's own. */
  readonly tenants: ReadonlyArray<string>
  /** Only what stands behind it. */
  readonly after: { readonly at: number; readonly actId: string } | null
  readonly limit: number
  readonly offset: number
}

type Row = Omit<StoredAct, "at" | "number"> & { readonly at: string; readonly number: string }

const COLUMNS = `act_id AS "actId", lane, number, at, action, result, actor_kind AS "actorKind", user_id AS "userId", session_id AS "sessionId",
  key_id AS "keyId", tenant_id AS "tenantId", ip, user_agent AS "userAgent", request_id AS "requestId",
  client_request_id AS "clientRequestId", object_type AS "objectType", object_id AS "objectId", object_tenant_id AS "objectTenantId",
  other_id AS "otherId", asset, amount::text AS amount, what`

/** As the index has it. What all tenants share is the installation's, of whichever tenant the actor is. */
const WHOSE =
  "coalesce(object_tenant_id, CASE WHEN object_type IN ('VENUE', 'INSTRUMENT', 'KEY', 'MODE') THEN '' ELSE tenant_id END, '')"

/** Of one tenant at a time, so that the index gives each its newest. Other ids are of the object, too: the second wallet of a transfer. */
const FOUND = `FROM audit_row WHERE ${WHOSE} = t.whose
  AND ($2::text IS NULL OR actor_kind = $2) AND ($3::uuid IS NULL OR user_id = $3) AND ($4::text IS NULL OR action = $4)
  AND ($5::text IS NULL OR object_id = $5 OR other_id = $5) AND ($6::text IS NULL OR result = $6)
  AND ($7::bigint IS NULL OR at >= $7) AND ($8::bigint IS NULL OR at <= $8)`

const valuesOf = (tenants: ReadonlyArray<string>, it: AuditFilters) => [
  JSON.stringify(tenants),
  it.actorKind,
  it.userId,
  it.action,
  it.objectId,
  it.result,
  it.from,
  it.to,
]

const TENANTS = "json_array_elements_text($1::json) AS t (whose)"

export class AuditRows extends Effect.Service<AuditRows>()("store/AuditRows", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      list: (page: AuditPage): Effect.Effect<ReadonlyArray<StoredAct>, StorageUnavailable> =>
        orUnavailable(
          // tidy: columns of our own table, never a value
          sql.unsafe<Row>(
            `SELECT r.* FROM ${TENANTS} CROSS JOIN LATERAL (
               SELECT ${COLUMNS} ${FOUND} AND ($9::bigint IS NULL OR (at, act_id) < ($9, $10::uuid))
               ORDER BY audit_row.at DESC, act_id DESC LIMIT $11::int + $12::int) r
             ORDER BY at DESC, "actId" DESC LIMIT $11 OFFSET $12`,
            [
              ...valuesOf(page.tenants, page),
              page.after?.at ?? null,
              page.after?.actId ?? null,
              page.limit,
              page.offset,
            ],
          ),
        ).pipe(Effect.map((rows) => rows.map((row) => ({ ...row, at: instant(row.at), number: Number(row.number) })))),

      /** Up to COUNTED_MAX + 1. */
      count: (tenants: ReadonlyArray<string>, filters: AuditFilters): Effect.Effect<number, StorageUnavailable> =>
        orUnavailable(
          // tidy: columns of our own table, never a value
          sql.unsafe<{ total: number }>(
            `SELECT least(count(*), ${COUNTED_MAX + 1})::int AS total
             FROM ${TENANTS} CROSS JOIN LATERAL (SELECT 1 ${FOUND} LIMIT ${COUNTED_MAX + 1}) r`,
            valuesOf(tenants, filters),
          ),
        ).pipe(Effect.map(([row]) => row!.total)),
    }
  }),
}) {}
