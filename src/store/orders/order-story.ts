/**
 * Everything stored about one order, or about a submit that created none. The one thing to know: each part but the events is one index look-up;
 * the events are searched from the order's first to its last moment, for a limited time.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { OrderFacts, RefusedFacts, Stored } from "../../domain/order/story.ts"
import type { PlacedBy } from "../../domain/user/act.ts"
import { isUuid } from "../../foundation/uuid.ts"
import { orUnavailable, sqlStateOf } from "../postgres/storage-failure.ts"
import { eventsSince } from "./partitions.ts"
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

/** What an order, or a refused submit, is asked for by. */
export interface Asked {
  /** The order's id or the request's; with an account also the client's words for either, and the venue's id of the order. */
  readonly name: string
  readonly tradingAccountId: string | null
  /** Null: of all tenants. */
  readonly tenantId: string | null
  /** Events with later numbers of the account's alone; 0: from the order's first. */
  readonly eventsAfter: number
}

/** By each of the names, each by its own index: one condition for all would read the whole account. The newest where several have it. */
export const ORDER_BY_NAME = `SELECT trade_order_id FROM (
    SELECT trade_order_id, created_at FROM trade_order WHERE trading_account_id = $1 AND coalesce(idempotency_key, client_order_id) = $2
    UNION ALL SELECT trade_order_id, created_at FROM trade_order WHERE trading_account_id = $1 AND client_order_id = $2
    UNION ALL SELECT o.trade_order_id, o.created_at FROM order_at_venue v CROSS JOIN LATERAL (
      SELECT trade_order_id, created_at FROM trade_order WHERE trade_order_id = v.trade_order_id LIMIT 1) o
      WHERE v.trading_account_id = $1 AND v.external_order_id = $2) AS named
  ORDER BY created_at DESC LIMIT 1`

/** $1 the request's id, or null; $2 the account; $3 the client's word. */
export const REFUSED_BY_NAME = `SELECT at, tenant_id, trading_account_id, placed_by, asked, failure, message, figures FROM (
    SELECT * FROM refused_submit WHERE request_id = $1::uuid
    UNION ALL SELECT * FROM refused_submit WHERE trading_account_id = $2::uuid AND client_order_id = $3
    UNION ALL SELECT * FROM refused_submit WHERE trading_account_id = $2::uuid AND idempotency_key = $3
    UNION ALL SELECT * FROM refused_submit WHERE trading_account_id = $2::uuid AND placed_by->>'clientRequestId' = $3) AS named
  WHERE $4::text IS NULL OR tenant_id = $4 ORDER BY at DESC LIMIT 1`

const ORDER_PLACED_BY = "SELECT placed_by FROM trade_order WHERE trade_order_id = $1"

interface RefusedRow extends Omit<RefusedFacts, "at" | "tradingAccountId" | "placedBy"> {
  readonly at: string
  readonly trading_account_id: string
  readonly placed_by: PlacedBy
}

const refusedOf = ({ at, trading_account_id, placed_by, asked, failure, message, figures }: RefusedRow): Stored => ({
  _tag: "Refused",
  facts: {
    asked,
    failure,
    message,
    figures,
    at: instant(at),
    tradingAccountId: trading_account_id,
    placedBy: placed_by,
  },
})

export class OrderStories extends Effect.Service<OrderStories>()("store/OrderStories", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const eventsOf = (order: OrderRow, executionIds: ReadonlyArray<string>, after: number) => {
      const search = sql.unsafe<{ sequence: string; at: string; kind: string }>(
        `SELECT e.sequence, e.at, e.kind FROM account_event e
         WHERE e.trading_account_id = $1 AND e.sequence > $6 AND e.at >= $2 AND e.at <= $3 AND e.kind ~ '^(TRADE_ORDER|EXECUTION|TRADING_ACCOUNT[.]ALERT)'
           AND (position($4 IN e.payload) > 0 OR e.payload = ANY ($5::text[]))
         ORDER BY e.sequence LIMIT ${EVENTS_MAX + 1}`,
        [
          order.trading_account_id,
          instant(order.created_at),
          instant(order.updated_at) + AFTER_MILLIS,
          order.trade_order_id,
          `{${executionIds.map((id) => `~x${id}`).join(",")}}`,
          after,
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

    /** The order in whose place this one is, with the request that it came by. */
    const replacedBefore = ({ replaces_trade_order_id: tradeOrderId }: OrderRow) =>
      tradeOrderId === null
        ? Effect.succeed(null)
        : Effect.map(sql.unsafe<{ placed_by: PlacedBy | null }>(ORDER_PLACED_BY, [tradeOrderId]), ([before]) => ({
            tradeOrderId,
            placedBy: before?.placed_by ?? null,
          }))

    const factsOf = (row: OrderRow & { readonly placed_by: PlacedBy | null }, eventsAfter: number) =>
      Effect.gen(function* () {
        const id = row.trade_order_id
        const executions = (yield* sql.unsafe<ExecutionRow>(
          `SELECT ${EXECUTION_COLUMNS} FROM execution x WHERE x.trade_order_id = $1 AND ${COUNTS} ORDER BY x.number`,
          [id],
        )).map(executionOf)
        const quarantined = yield* sql<{ id: string; at: string; reason: string }>`
          SELECT quarantined_report_id AS id, at, reason FROM quarantined_report WHERE trading_account_id = ${row.trading_account_id} AND trade_order_id = ${id}
          ORDER BY at`
        const [heir] = yield* sql<{ trade_order_id: string }>`
          SELECT trade_order_id FROM trade_order WHERE replaces_trade_order_id = ${id} ORDER BY created_at LIMIT 1`
        const events = yield* eventsOf(
          row,
          executions.map((it) => it.executionId),
          eventsAfter,
        )
        const told = events?.slice(0, EVENTS_MAX) ?? null
        return {
          order: orderOf(row, executions.slice(-10)),
          placedBy: row.placed_by,
          executions,
          events: told,
          eventsCutAt: events !== null && events.length > EVENTS_MAX ? (told?.at(-1)?.sequence ?? null) : null,
          eventsAfter,
          eventsSince: yield* Effect.provideService(eventsSince, SqlClient.SqlClient, sql),
          quarantined: quarantined.map((it) => ({ ...it, at: instant(it.at) })),
          replaces: yield* replacedBefore(row),
          replacedBy: heir?.trade_order_id ?? null,
        } satisfies OrderFacts
      })

    const orderIdOf = ({ name, tradingAccountId }: Asked) =>
      tradingAccountId === null
        ? Effect.succeed(name)
        : Effect.map(
            sql.unsafe<{ trade_order_id: string }>(ORDER_BY_NAME, [tradingAccountId, name]),
            ([found]) => found?.trade_order_id ?? name,
          )

    const refused = ({ name, tradingAccountId, tenantId }: Asked) =>
      Effect.map(
        sql.unsafe<RefusedRow>(REFUSED_BY_NAME, [isUuid(name) ? name : null, tradingAccountId, name, tenantId]),
        ([row]) => (row === undefined ? null : refusedOf(row)),
      )

    return {
      /** Null: nothing of it is kept. */
      find: (asked: Asked): Effect.Effect<Stored | null, StorageUnavailable> =>
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
            return { _tag: "Order", facts: yield* factsOf(row, asked.eventsAfter) }
          }),
        ),
    }
  }),
}) {}
