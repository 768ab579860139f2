/**
 * Resolves the ids that clients and venues use for an account's orders and trades: one query for all ids of a page. The one thing to
 * know: each part reads one index by (account, name), so an answer costs the same however many orders the account has had.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { AskedNames, FoundNames } from "../../ports/account-store.ts"

interface NameRow {
  readonly kind: "order" | "key" | "client" | "venue" | "trade"
  readonly name: string
  readonly trade_order_id: string
}

/** `venue` narrows the trades to the account's only one, which stands before the trade's id in their index. */
const NAMES = `
  SELECT 'order' AS kind, o.trade_order_id::text AS name, o.trade_order_id FROM trade_order o
    WHERE o.trade_order_id = ANY ($2::uuid[]) AND o.trading_account_id = $1
  UNION ALL SELECT 'key', coalesce(o.idempotency_key, o.client_order_id), o.trade_order_id FROM trade_order o
    WHERE o.trading_account_id = $1 AND coalesce(o.idempotency_key, o.client_order_id) = ANY ($3::text[])
  UNION ALL SELECT 'client', o.client_order_id, o.trade_order_id FROM trade_order o
    WHERE o.trading_account_id = $1 AND o.client_order_id = ANY ($4::text[])
  UNION ALL SELECT 'venue', n.instrument_id || '|' || n.external_order_id, v.trade_order_id
    FROM unnest($5::text[], $6::text[]) AS n(instrument_id, external_order_id) JOIN order_at_venue v
      ON v.trading_account_id = $1 AND v.external_order_id = n.external_order_id AND v.instrument_id = n.instrument_id
  UNION ALL SELECT 'trade', n.instrument_id || '|' || n.order_side || '|' || n.external_trade_id, x.trade_order_id
    FROM unnest($7::text[], $8::text[], $9::text[]) AS n(instrument_id, order_side, external_trade_id) JOIN execution x
      ON x.trading_account_id = $1 AND x.venue = (SELECT a.venue FROM trading_account a WHERE a.trading_account_id = $1)
        AND x.external_trade_id = n.external_trade_id AND x.instrument_id = n.instrument_id AND x.order_side = n.order_side`

export const readNames = (
  sql: SqlClient.SqlClient,
  id: TradingAccountId,
  { tradeOrderIds, keys, clientOrderIds, venueOrders, trades }: AskedNames,
): Effect.Effect<FoundNames, SqlError> =>
  sql
    .unsafe<NameRow>(NAMES, [
      id,
      tradeOrderIds,
      keys,
      clientOrderIds,
      venueOrders.map((it) => it.instrumentId),
      venueOrders.map((it) => it.externalOrderId),
      trades.map((it) => it.instrumentId),
      trades.map((it) => it.orderSide),
      trades.map((it) => it.externalTradeId),
    ] as unknown as ReadonlyArray<string>)
    .pipe(
      Effect.map((rows) => {
        const of = (kind: NameRow["kind"]): Map<string, TradeOrderId> =>
          new Map(rows.flatMap((row) => (row.kind === kind ? [[row.name, row.trade_order_id as TradeOrderId]] : [])))
        return {
          tradeOrderIds: new Set(of("order").values()),
          keys: of("key"),
          clientOrderIds: of("client"),
          venueOrders: of("venue"),
          trades: of("trade"),
        }
      }),
    )
