/**
 * The account events read back, for subscribers that return. The one thing to know: these reads go through the pool and never more
 * than a few at once, so that a thousand clients that come back together neither take its connections nor delay an order.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { TradingAccountId } from "../../domain/ids.ts"
import type { StoredEvent } from "../../ports/account-store.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { type EventRow, toldEvents } from "./kept-events.ts"

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
