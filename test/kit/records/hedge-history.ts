/**
 * A dealer's history as rows: executed quotes and a hedge of each, made by the database itself, and what they come to, summed up over every
 * one of them as no start of a dealer does.
 */
import type pg from "pg"
import type { DealerAccountId, TradingAccountId } from "../../../src/domain/ids.ts"

export interface HedgeHistory {
  readonly dealerAccountId: DealerAccountId
  readonly tradingAccountId: TradingAccountId
  /** The first and the last of them. */
  readonly from: number
  readonly to: number
  readonly tenantId?: string
  readonly venue?: string
}

/** Of the n-th row of a kind of this dealer. */
const id = (kind: string): string => `md5($1 || '${kind}' || n)::uuid`
const SIDE = "CASE n % 3 WHEN 0 THEN 'SELL' ELSE 'BUY' END"
const QUANTITY = "(1 + n % 7) * 0.001"

const INTENTS = `
  INSERT INTO hedge_intent (hedge_intent_id, quote_id, dealer_account_id, trade_order_id, trading_account_id, venue, instrument_id,
    base_asset, quote_asset, order_side, quantity, quote_price, walked_price, worst_price, created_at)
  SELECT ${id("intent")}, ${id("quote")}, $1::uuid, ${id("order")}, $2::uuid, $5, $5 || ':BTC/USDT',
    'BTC', 'USDT', ${SIDE}, ${QUANTITY}, 101, 100.5, 102, 1000 + n
  FROM generate_series($3::bigint, $4::bigint) n ORDER BY n`

/** `derived`: what follows from the status is written with the row (migration 50), and not generated. */
const hedgesOf = (derived: boolean): string => `
  INSERT INTO trade_order (trade_order_id, tenant_id, trading_account_id, version, venue, instrument_id, base_asset, quote_asset, order_side,
    order_type, time_in_force, order_status, quantity, order_quantity_type, quantity_rounding, base_quantity, executed_quantity,
    executed_cost, overfill_quantity, origin, cancel_requested, held, created_at, updated_at, dealer_account_id, hedge_for_quote_ids,
    idempotency_key, fees${derived ? ", open, ended_as, over_since" : ""})
  SELECT ${id("hedge")}, $6, $2::uuid, 3, $5, $5 || ':BTC/USDT', 'BTC', 'USDT', ${SIDE},
    'LIMIT', 'IOC', 'FILLED', ${QUANTITY}, 'BASE', '', ${QUANTITY}, ${QUANTITY},
    ${QUANTITY} * 100.25, 0, 'GATEWAY', false, 0, 1000 + n, 1000 + n, $1::uuid, json_build_array(${id("quote")}),
    'hedge:' || $1 || ':' || ${id("intent")},
    CASE n % 5 WHEN 0 THEN json_build_array(json_build_object('asset', 'BNB', 'venue', $5, 'quantity', '0.0001')) END${derived ? ", false, 'FILLED', 1000 + n" : ""}
  FROM generate_series($3::bigint, $4::bigint) n`

export const makeHedgeHistory = async (client: pg.Client, history: HedgeHistory): Promise<void> => {
  const { dealerAccountId, tradingAccountId, from, to, venue = "MOCK", tenantId = "default" } = history
  const values = [dealerAccountId, tradingAccountId, from, to, venue]
  await client.query(INTENTS, values)
  const { rows } = await client.query<{ generated: boolean }>(
    "SELECT attgenerated <> '' AS generated FROM pg_attribute WHERE attrelid = 'trade_order'::regclass AND attname = 'open'",
  )
  await client.query(hedgesOf(rows[0]?.generated === false), [...values, tenantId])
}

/** The n-th hedge. */
export const hedgeOfHistory = async (client: pg.Client, dealer: DealerAccountId, n: number): Promise<string> =>
  (await client.query<{ id: string }>("SELECT md5($1 || 'hedge' || $2)::uuid AS id", [dealer, `${n}`])).rows[0]!.id

const SIGN = "CASE order_side WHEN 'BUY' THEN 1 ELSE -1 END"
const EVERYTHING = `
  SELECT
    (SELECT sum(${SIGN} * quantity) FROM hedge_intent WHERE dealer_account_id = $1) AS owed,
    (SELECT sum(${SIGN} * quantity * walked_price) FROM hedge_intent WHERE dealer_account_id = $1) AS reference,
    (SELECT sum(${SIGN} * quantity * (quote_price - walked_price)) FROM hedge_intent WHERE dealer_account_id = $1) AS spread,
    (SELECT coalesce(sum(${SIGN} * executed_quantity), 0) FROM trade_order WHERE dealer_account_id = $1 AND order_type <> 'QUOTED') AS hedged,
    (SELECT coalesce(sum(${SIGN} * executed_cost), 0) FROM trade_order WHERE dealer_account_id = $1 AND order_type <> 'QUOTED') AS cost,
    (SELECT coalesce(json_object_agg(asset, quantity ORDER BY asset), '{}') FROM (
      SELECT fee->>'asset' AS asset, trim_scale(sum((fee->>'quantity')::numeric))::text AS quantity
      FROM trade_order, json_array_elements(fees) fee WHERE dealer_account_id = $1 AND order_type <> 'QUOTED' GROUP BY 1) f) AS fees`

export interface Everything {
  readonly owed: string
  readonly reference: string
  readonly spread: string
  readonly hedged: string
  readonly cost: string
  readonly fees: Readonly<Record<string, string>>
}

/** Of a dealer of one pair. */
export const sumOfEverything = async (client: pg.Client, dealer: DealerAccountId): Promise<Everything> =>
  (await client.query<Everything>(EVERYTHING, [dealer])).rows[0]!
