/**
 * Reads account events back for subscribers that return, and rebuilds their texts from what the journal keeps. The one thing to know: these reads
 * go through the pool and only a few run at once, so that a thousand clients returning together neither take its connections nor delay an order.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { AccountEventKind } from "../../domain/account/event.ts"
import { type KeptEvent, keptEventOf, type RowsOfEvents, textOfEvent } from "../../domain/account/event-kept.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import { EXECUTIONS_KEPT, type Execution } from "../../domain/order/trade-order.ts"
import type { StoredEvent } from "../../ports/account-store.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { arrayLiteral } from "./order-columns.ts"
import { EXECUTION_COLUMNS, type ExecutionRow, executionOf, ORDER_COLUMNS, type OrderRow, orderOf } from "./rows.ts"

// Rows of the journal made texts again: what was kept of an event, with the rows of its order and executions. The one thing to know: of
// the order's row only what never changes counts, and of its executions those that counted when the event was made.

interface EventRow {
  readonly sequence: string
  readonly at: string
  readonly event_id: string
  readonly kind: string
  readonly payload: string
}

/** In the order of the rows. */
const toldEvents = (
  sql: SqlClient.SqlClient,
  account: TradingAccountId,
  rows: ReadonlyArray<EventRow>,
): Effect.Effect<ReadonlyArray<StoredEvent>, SqlError> => {
  const kept = rows.map((row) => keptEventOf(row.payload))
  return Effect.map(find(sql, kept), (found) =>
    rows.map((row, index) => {
      const event = kept[index]!
      return {
        sequence: Number(row.sequence),
        at: Number(row.at),
        eventId: row.event_id,
        kind: row.kind as AccountEventKind,
        payload: event === null ? row.payload : textOfEvent(account, event, found),
      }
    }),
  )
}

const known = <A>(rows: ReadonlyMap<string, A>, id: string): A => {
  const row = rows.get(id)
  if (row === undefined) throw new Error(`the journal names ${id}, which does not exist`)
  return row
}

/** What the events of a page lead to; what they do not name is not asked for. */
const find = (
  sql: SqlClient.SqlClient,
  events: ReadonlyArray<KeptEvent | null>,
): Effect.Effect<RowsOfEvents, SqlError> =>
  Effect.gen(function* () {
    const executionIds = new Set<string>()
    const orderIds = new Set<string>()
    const newest = new Set<string>()
    for (const event of events) {
      if (event?._tag === "Execution") executionIds.add(event.executionId)
      if (event?._tag !== "Order") continue
      orderIds.add(event.kept.id)
      if (event.kept.x !== undefined) newest.add(event.kept.x)
    }
    const rowsOf = <A extends object>(text: string, ids: ReadonlySet<string>) =>
      ids.size === 0 ? Effect.succeed([]) : sql.unsafe<A>(text, [arrayLiteral([...ids])])
    const orders = yield* rowsOf<OrderRow>(
      `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trade_order_id = ANY ($1::uuid[])`,
      orderIds,
    )
    const own = yield* rowsOf<ExecutionRow>(
      `SELECT ${EXECUTION_COLUMNS} FROM execution x WHERE x.execution_id = ANY ($1::uuid[])`,
      executionIds,
    )
    // The tenth before the oldest of the page that counted then, and all up to the newest: what was replaced since is among them.
    const ofOrders = yield* rowsOf<ExecutionRow>(
      `WITH span AS (
         SELECT x.trade_order_id, min(x.number) AS first, max(x.number) AS last FROM execution x
         WHERE x.execution_id = ANY ($1::uuid[]) GROUP BY 1)
       SELECT ${EXECUTION_COLUMNS} FROM span CROSS JOIN LATERAL (
         SELECT min(number) AS number FROM (
           SELECT e.number FROM execution e WHERE e.trade_order_id = span.trade_order_id AND e.number <= span.first
             AND NOT (e.inferred AND EXISTS (
               SELECT FROM execution r WHERE r.replaces = e.execution_id AND r.number <= span.first))
           ORDER BY e.number DESC LIMIT ${EXECUTIONS_KEPT}) AS e) AS start
       JOIN execution x ON x.trade_order_id = span.trade_order_id AND x.number BETWEEN start.number AND span.last
       ORDER BY x.number`,
      newest,
    )
    const lists = new Map<string, Array<Execution>>()
    for (const row of ofOrders) {
      const list = lists.get(row.trade_order_id)
      if (list === undefined) lists.set(row.trade_order_id, [executionOf(row)])
      else list.push(executionOf(row))
    }
    const executions = new Map(own.map((row) => [row.execution_id, executionOf(row)]))
    const images = new Map(orders.map((row) => [row.trade_order_id, orderOf(row, [])]))
    return {
      execution: (id) => known(executions, id),
      order: (id) => known(images, id),
      executionsOf: (id) => known(lists, id),
    }
  })

const EVENTS_MAX = 1_000
const EVENTS_BYTES_MAX = 4 * 1_048_576
/** Decoded in one turn: a page must not hold up the loop. One more event than its bytes allow is always in it. */
const PAGE_EVENTS = 200
const PAGE_BYTES = 524_288
/** Clients wait 5 s for the answer to a subscribe. */
const DEADLINE_MILLIS = 4_000
const READS_AT_ONCE = 3

/** Also what partitions that are gone have left behind (`partitions.ts`). */
export const lastSequence = (sql: SqlClient.SqlClient, id: TradingAccountId): Effect.Effect<number, SqlError> =>
  sql
    .unsafe<{ last_sequence: string }>(
      `SELECT greatest((SELECT max(e.sequence) FROM account_event e WHERE e.trading_account_id = $1),
        (SELECT s.last_sequence FROM account_sequence s WHERE s.trading_account_id = $1), 0) AS last_sequence`,
      [id],
    )
    .pipe(Effect.map((rows) => Number(rows[0]?.last_sequence)))

const page = (sql: SqlClient.SqlClient, id: TradingAccountId, after: number, upTo: number) =>
  sql.unsafe<EventRow>(
    `SELECT sequence, at, event_id, kind, payload FROM (
       SELECT e.*, sum(octet_length(e.payload)) OVER (ORDER BY e.sequence) AS bytes FROM account_event e
       WHERE e.trading_account_id = $1 AND e.sequence > $2 AND e.sequence <= $3 ORDER BY e.sequence LIMIT ${PAGE_EVENTS}) AS e
     WHERE bytes - octet_length(payload) < ${PAGE_BYTES} ORDER BY sequence`,
    [id, after, upTo],
  )

/** AccountStore's `events`. */
export const makeEventReader = (sql: SqlClient.SqlClient) => {
  const turns = Effect.unsafeMakeSemaphore(READS_AT_ONCE)

  const read = (id: TradingAccountId, after: number, upTo: number) =>
    Effect.gen(function* () {
      const events: Array<StoredEvent> = []
      let bytes = 0
      for (let last = after; last < upTo; last = events.length + after) {
        const rows = yield* page(sql, id, last, upTo)
        if (rows.length === 0) return null
        for (const event of yield* toldEvents(sql, id, rows)) {
          bytes += event.payload.length
          if (event.sequence !== after + events.length + 1 || bytes > EVENTS_BYTES_MAX) return null
          events.push(event)
        }
      }
      return events
    })

  return (id: TradingAccountId, after: number, upTo: number): Effect.Effect<ReadonlyArray<StoredEvent> | null> => {
    if (after > upTo || upTo - after > EVENTS_MAX) return Effect.succeed(null)
    return read(id, after, upTo).pipe(
      orUnavailable,
      turns.withPermits(1),
      Effect.timeout(DEADLINE_MILLIS),
      Effect.orElseSucceed(() => null),
    )
  }
}
