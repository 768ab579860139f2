/**
 * Lists the audit. The one thing to know: an admin sees the rows of its own tenant; one who names an object of another tenant gets an empty
 * list, as if it were not there.
 */
import { Effect } from "effect"
import { InvalidTimeRange } from "../../domain/errors/request.ts"
import { dateTime } from "../../foundation/time.ts"
import type { AuditFilters, AuditRows, StoredAct } from "../../store/audit/list.ts"
import { type Handlers, isFailure } from "../edge/route.ts"
import { type Cursors, countedPage } from "../pagination.ts"
import { instantFault } from "../query.ts"
import type { AuditApi } from "./endpoints.ts"

export interface AuditParts {
  readonly rows: AuditRows
  readonly cursors: Cursors
  /** Whose admins see what belongs to no tenant. */
  readonly defaultTenantId: string
}

export const auditHandlers = ({ rows, cursors, defaultTenantId }: AuditParts): Handlers<typeof AuditApi> => ({
  list: ({ query, principal }, reply) => {
    const plan = cursors.plan({
      scope: `audit/list:${principal.userId}`,
      filters: {
        actorKind: query.actorKind,
        userId: query.userId?.toLowerCase(),
        action: query.action,
        objectId: query.objectId,
        result: query.result,
        from: query.from,
        to: query.to,
      },
      limit: query.limit ?? 50,
      offset: query.offset ?? 0,
      cursor: query.cursor,
    })
    if (isFailure(plan)) return reply.fail(plan)
    const word = (name: keyof AuditFilters) => (plan.filters[name] as string | undefined) ?? null
    const instant = (name: "from" | "to") => (plan.filters[name] as number | undefined) ?? null
    const filters: AuditFilters = {
      actorKind: word("actorKind"),
      userId: word("userId"),
      action: word("action"),
      objectId: word("objectId"),
      result: word("result"),
      from: instant("from"),
      to: instant("to"),
    }
    const fault = instantFault({ from: query.from, to: query.to })
    if (fault !== undefined) return reply.fail(fault)
    if (filters.from !== null && filters.to !== null && filters.from > filters.to)
      return reply.fail(new InvalidTimeRange())
    const { tenantId } = principal
    const tenants = tenantId === defaultTenantId ? [tenantId, ""] : [tenantId]
    const [at, actId] = plan.after?.split("|") ?? []
    return Effect.gen(function* () {
      const found = yield* rows.list({
        ...filters,
        tenants,
        after: at === undefined || actId === undefined ? null : { at: Number(at), actId },
        limit: plan.limit + 1,
        offset: plan.offset,
      })
      const keyOf = (it: StoredAct): string => `${it.at}|${it.actId}`
      const { items, pagination } = yield* countedPage(cursors, plan, found, keyOf, rows.count(tenants, filters))
      reply.ok(
        items.map((it) => ({ ...it, atDateTime: dateTime(it.at) })),
        { pagination },
      )
    })
  },
})
