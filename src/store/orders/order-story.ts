/**
 * What is stored of one order, or of a submit that made none, read for people. The one thing to know: each part but the events is one step
 * through an index; the events are searched from the order's first to its last moment, for so long and no longer.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { OrderFacts, PlacedBy, RefusedFacts, Stored } from "../../domain/order/story.ts"
import { isUuid } from "../../foundation/uuid.ts"
import { orUnavailable, sqlStateOf } from "../postgres/storage-failure.ts"
import { EVENT_DAYS_KEPT } from "./partitions.ts"
import {
  COUNTS,
  EXECUTION_COLUMNS,
  type ExecutionRow,
  executionOf,
  instant,
  ORDER_COLUMNS,
  type OrderRow,
  orderOf,
} from "./rows.ts"

/** A request over HTTP is given up after 2 s, and its connection is the pool's until the search has ended. */
const SEARCH_MILLIS = 1_000
/** Events of one unit, and the news of what it changed, come a moment later than its image. */
const AFTER_MILLIS = 5_000
const EVENTS_MAX = 500
const DAY_MILLIS = 86_400_000

/** What an order, or a refused submit, is asked for by. */
export interface Asked {
  /** The order's id or the request's; with an account also the client's words for either, and the venue's id of the order. */
  readonly name: string
  readonly tradingAccountId: string | null
  /** Null: of all tenants. */
  readonly tenantId: string | null
}

/** By each of the names that has an index; the newest where several have it. */
const OF_ACCOUNT = `SELECT o.trade_order_id FROM trade_order o WHERE o.trading_account_id = $1 AND (
    coalesce(o.idempotency_key, o.client_order_id) = $2 OR o.client_order_id = $2
    OR o.trade_order_id IN (SELECT v.trade_order_id FROM order_at_venue v WHERE v.trading_account_id = $1 AND v.external_order_id = $2))
  ORDER BY o.created_at DESC LIMIT 1`

const REFUSED = "SELECT at, trading_account_id, placed_by, asked, failure, message, figures FROM refused_submit"

interface RefusedRow extends Omit<RefusedFacts, "at" | "tradingAccountId" | "placedBy"> {
  readonly at: string
  readonly trading_account_id: string
  readonly placed_by: PlacedBy
}

const refusedOf = ({ at, trading_account_id, placed_by, ...rest }: RefusedRow): Stored => ({
  _tag: "Refused",
  facts: { ...rest, at: instant(at), tradingAccountId: trading_account_id, placedBy: placed_by },
})

export class OrderStories extends Effect.Service<OrderStories>()("store/OrderStories", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const eventsOf = (order: OrderRow, executionIds: ReadonlyArray<string>) => {
      const search = sql.unsafe<{ sequence: string; at: string; kind: string }>(
        `SELECT e.sequence, e.at, e.kind FROM account_event e
         WHERE e.trading_account_id = $1 AND e.at >= $2 AND e.at <= $3 AND e.kind ~ '^(TRADE_ORDER|EXECUTION|TRADING_ACCOUNT[.]ALERT)'
           AND (position($4 IN e.payload) > 0 OR e.payload = ANY ($5::text[]))
         ORDER BY e.sequence LIMIT ${EVENTS_MAX}`,
        [
          order.trading_account_id,
          instant(order.created_at),
          instant(order.updated_at) + AFTER_MILLIS,
          order.trade_order_id,
          `{${executionIds.map((id) => `~x${id}`).join(",")}}`,
        ],
      )
      return sql
        .withTransaction(Effect.zipRight(sql.unsafe(`SET LOCAL statement_timeout = ${SEARCH_MILLIS}`), search))
        .pipe(
          Effect.map((rows) => rows.map((it) => ({ ...it, sequence: Number(it.sequence), at: instant(it.at) }))),
          Effect.catchIf(
            (error) => sqlStateOf(error) === "57014",
            () => Effect.succeed(null),
          ),
        )
    }

    const factsOf = (row: OrderRow & { readonly placed_by: PlacedBy | null }, now: number) =>
      Effect.gen(function* () {
        const id = row.trade_order_id
        const executions = (yield* sql.unsafe<ExecutionRow>(
          `SELECT ${EXECUTION_COLUMNS} FROM execution x WHERE x.trade_order_id = $1 AND ${COUNTS} ORDER BY x.number`,
          [id],
        )).map(executionOf)
        const quarantined = yield* sql<{ at: string; reason: string }>`
          SELECT at, reason FROM quarantined_report WHERE trading_account_id = ${row.trading_account_id} AND trade_order_id = ${id}
          ORDER BY at`
        const [heir] = yield* sql<{ trade_order_id: string }>`
          SELECT trade_order_id FROM trade_order WHERE trading_account_id = ${row.trading_account_id}
            AND replaces_trade_order_id = ${id} AND created_at >= ${row.created_at}::bigint
            AND created_at <= ${instant(row.updated_at) + AFTER_MILLIS} ORDER BY created_at LIMIT 1`
        return {
          order: orderOf(row, executions.slice(-10)),
          placedBy: row.placed_by,
          executions,
          events: yield* eventsOf(
            row,
            executions.map((it) => it.executionId),
          ),
          eventsSince: (Math.floor(now / DAY_MILLIS) - EVENT_DAYS_KEPT) * DAY_MILLIS,
          quarantined: quarantined.map((it) => ({ at: instant(it.at), reason: it.reason })),
          replacedBy: heir?.trade_order_id ?? null,
        } satisfies OrderFacts
      })

    const orderIdOf = ({ name, tradingAccountId }: Asked) =>
      tradingAccountId === null
        ? Effect.succeed(name)
        : Effect.map(
            sql.unsafe<{ trade_order_id: string }>(OF_ACCOUNT, [tradingAccountId, name]),
            ([found]) => found?.trade_order_id ?? name,
          )

    const refused = ({ name, tradingAccountId, tenantId }: Asked) =>
      Effect.map(
        sql.unsafe<RefusedRow>(
          `${REFUSED} WHERE ($3::text IS NULL OR tenant_id = $3) AND (request_id = $1::uuid OR trading_account_id = $4::uuid AND (
             client_order_id = $2 OR idempotency_key = $2 OR placed_by->>'clientRequestId' = $2)) ORDER BY at DESC LIMIT 1`,
          [isUuid(name) ? name : null, name, tenantId, tradingAccountId],
        ),
        ([row]) => (row === undefined ? null : refusedOf(row)),
      )

    return {
      /** Null: nothing of it is kept. `now`: wall ms. */
      find: (asked: Asked, now: number): Effect.Effect<Stored | null, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const id = yield* orderIdOf(asked)
            if (!isUuid(id)) return yield* refused(asked)
            const [row] = yield* sql.unsafe<OrderRow & { readonly placed_by: PlacedBy | null }>(
              `SELECT ${ORDER_COLUMNS}, o.placed_by FROM trade_order o WHERE o.trade_order_id = $1 AND ($2::text IS NULL OR o.tenant_id = $2)
                 AND ($3::uuid IS NULL OR o.trading_account_id = $3)`,
              [id, asked.tenantId, asked.tradingAccountId],
            )
            if (row === undefined) return yield* refused(asked)
            return { _tag: "Order", facts: yield* factsOf(row, now) }
          }),
        ),
    }
  }),
}) {}
