/**
 * What dealers owe and have hedged, as sums over their intents and orders. The one thing to know: everything is read in one snapshot, so
 * that an order whose fill commits meanwhile is either in the sums and in the list of hedges, or in neither.
 */
import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"
import type { Dealer, HedgeIntent } from "../domain/dealer.ts"
import { Decimal } from "../domain/decimal.ts"
import { exposureOf, type HedgeTotals, type HedgeVerdict, restOf, spanOf } from "../domain/hedging.ts"
import type {
  DealerAccountId,
  HedgeIntentId,
  InstrumentId,
  QuoteId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../domain/ids.ts"
import { isTerminal, type OrderStatus } from "../domain/order-status.ts"
import type { OrderSide } from "../domain/trade-order.ts"
import type { DealerAct } from "../ports/dealer-store.ts"
import { HEDGES_KEPT, HedgeStore, type StoredHedge, type StoredHedges } from "../ports/hedge-store.ts"
import { actRow, auditWrite, laneOf } from "./audit-write.ts"
import { type AuthorityFailure, judged } from "./authority.ts"
import { decimal, instant } from "./rows.ts"
import { untilAvailable } from "./storage-failure.ts"

interface Pair {
  readonly base_asset: string
  readonly quote_asset: string
}

const OWED = `
  SELECT base_asset, quote_asset, sum(sign * quantity) AS owed, sum(sign * quantity * walked_price) AS reference,
    sum(sign * quantity * (quote_price - walked_price)) AS spread
  FROM hedge_intent, LATERAL (SELECT CASE order_side WHEN 'BUY' THEN 1 ELSE -1 END AS sign) s
  WHERE dealer_account_id = $1 GROUP BY base_asset, quote_asset`

// A dealer's own orders are of linked accounts; QUOTED ones are its clients'.
const HEDGES = "FROM trade_order o WHERE o.dealer_account_id = $1 AND o.order_type <> 'QUOTED'"

// Of one that is not over an admin's word counts where it is more (`countedOf`).
const HEDGED = `
  SELECT o.base_asset, o.quote_asset, sum(sign * coalesce(v.executed_quantity, o.executed_quantity)) AS hedged,
    sum(sign * coalesce(v.executed_cost, o.executed_cost)) AS cost
  FROM trade_order o
    LEFT JOIN hedge_verdict v ON v.trade_order_id = o.trade_order_id AND o.open AND v.executed_quantity > o.executed_quantity,
    LATERAL (SELECT CASE o.order_side WHEN 'BUY' THEN 1 ELSE -1 END AS sign) s
  WHERE o.dealer_account_id = $1 AND o.order_type <> 'QUOTED' GROUP BY o.base_asset, o.quote_asset`

const FEES = `
  SELECT o.base_asset, o.quote_asset, fee->>'asset' AS asset, sum((fee->>'quantity')::numeric) AS quantity
  FROM trade_order o, json_array_elements(o.fees) fee
  WHERE o.dealer_account_id = $1 AND o.order_type <> 'QUOTED' GROUP BY 1, 2, 3 ORDER BY 3`

const NEWEST_HEDGES = `
  SELECT o.trade_order_id, o.trading_account_id, o.version, o.base_asset, o.quote_asset, o.order_side, o.order_status,
    o.executed_quantity, o.executed_cost, o.fees, o.base_quantity, o.doubt IS NOT NULL AS in_doubt, o.created_at,
    v.executed_quantity AS verdict_quantity, v.executed_cost AS verdict_cost
  FROM trade_order o LEFT JOIN hedge_verdict v USING (trade_order_id) WHERE o.trade_order_id IN
    (SELECT o.trade_order_id ${HEDGES} AND o.open
     UNION (SELECT o.trade_order_id ${HEDGES} ORDER BY o.created_at DESC LIMIT ${HEDGES_KEPT}))
  ORDER BY o.created_at, o.trade_order_id`

// `newer`: what the younger intents of its side come to. Those that make up an exposure have less of it than that. $4: the most that may be
// to be bought, $5: to be sold.
const INTENTS = `
  SELECT * FROM (
    SELECT i.*, sum(quantity) OVER (PARTITION BY order_side ORDER BY number DESC) - quantity AS newer,
      row_number() OVER (ORDER BY number DESC) AS rank
    FROM hedge_intent i WHERE dealer_account_id = $1 AND base_asset = $2 AND quote_asset = $3
  ) i WHERE rank = 1 OR newer < CASE order_side WHEN 'BUY' THEN $4::numeric ELSE $5::numeric END ORDER BY number DESC`

/** `hedge:<dealer>:<intent>[:<n>]` */
const SENT = `
  SELECT split_part(o.idempotency_key, ':', 3) AS hedge_intent_id, count(*) AS sent
  ${HEDGES} AND o.base_asset = $2 AND o.quote_asset = $3 AND split_part(o.idempotency_key, ':', 3) = ANY($4) GROUP BY 1`

interface IntentRow extends Pair {
  readonly hedge_intent_id: string
  readonly dealer_account_id: string
  readonly quote_id: string
  readonly trade_order_id: string
  readonly trading_account_id: string
  readonly venue: string
  readonly instrument_id: string
  readonly order_side: string
  readonly quantity: string
  readonly quote_price: string
  readonly walked_price: string
  readonly worst_price: string
  readonly created_at: string
  readonly number: string
}

const intentOf = (row: IntentRow): HedgeIntent => ({
  hedgeIntentId: row.hedge_intent_id as HedgeIntentId,
  dealerAccountId: row.dealer_account_id as DealerAccountId,
  quoteId: row.quote_id as QuoteId,
  tradeOrderId: row.trade_order_id as TradeOrderId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  venue: row.venue as VenueId,
  instrumentId: row.instrument_id as InstrumentId,
  baseAsset: row.base_asset,
  quoteAsset: row.quote_asset,
  orderSide: row.order_side as OrderSide,
  quantity: decimal(row.quantity),
  quotePrice: decimal(row.quote_price),
  walkedPrice: decimal(row.walked_price),
  worstPrice: decimal(row.worst_price),
  createdAt: instant(row.created_at),
})

interface SentRow {
  readonly hedge_intent_id: string
  readonly sent: string
}

interface HedgeRow extends Pair {
  readonly trade_order_id: string
  readonly trading_account_id: string
  readonly version: string
  readonly order_side: string
  readonly order_status: string
  readonly executed_quantity: string
  readonly executed_cost: string
  readonly fees: ReadonlyArray<{ readonly asset: string; readonly quantity: string }> | null
  readonly base_quantity: string
  readonly in_doubt: boolean
  readonly created_at: string
  readonly verdict_quantity: string | null
  readonly verdict_cost: string | null
}

const hedgeOf = (row: HedgeRow): StoredHedge => ({
  tradeOrderId: row.trade_order_id as TradeOrderId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  version: Number(row.version),
  isOver: isTerminal(row.order_status as OrderStatus),
  orderSide: row.order_side as OrderSide,
  executedQuantity: decimal(row.executed_quantity),
  executedCost: decimal(row.executed_cost),
  fees: (row.fees ?? []).map(({ asset, quantity }) => ({ asset, quantity: decimal(quantity) })),
  baseQuantity: decimal(row.base_quantity),
  isInDoubt: row.in_doubt,
  createdAt: instant(row.created_at),
  verdict:
    row.verdict_quantity === null || row.verdict_cost === null
      ? null
      : { executedQuantity: decimal(row.verdict_quantity), executedCost: decimal(row.verdict_cost) },
})

const load = (sql: SqlClient.SqlClient, dealer: DealerAccountId) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
      const ask = <Row extends object>(text: string) => sql.unsafe<Row>(text, [dealer])
      const owed = yield* ask<Pair & Record<"owed" | "reference" | "spread", string>>(OWED)
      const hedged = yield* ask<Pair & Record<"hedged" | "cost", string>>(HEDGED)
      const fees = yield* ask<Pair & Record<"asset" | "quantity", string>>(FEES)
      const hedges = yield* ask<HedgeRow>(NEWEST_HEDGES)
      const lines: Array<StoredHedges> = []
      for (const { base_asset: baseAsset, quote_asset: quoteAsset, ...sums } of owed) {
        const isOf = (row: Pair): boolean => row.base_asset === baseAsset && row.quote_asset === quoteAsset
        const executed = hedged.find(isOf)
        const totals: HedgeTotals = {
          baseAsset,
          owed: decimal(sums.owed),
          reference: decimal(sums.reference),
          spread: decimal(sums.spread),
          hedged: executed === undefined ? Decimal.ZERO : decimal(executed.hedged),
          cost: executed === undefined ? Decimal.ZERO : decimal(executed.cost),
          fees: new Map(fees.filter(isOf).map(({ asset, quantity }) => [asset, decimal(quantity)])),
        }
        const own = hedges.filter(isOf).map(hedgeOf)
        const { low, high } = spanOf(
          exposureOf(totals),
          own.map((it) => ({ orderSide: it.orderSide, rest: restOf(it) })),
        )
        const values = [dealer, baseAsset, quoteAsset]
        const intents = yield* sql.unsafe<IntentRow>(INTENTS, [...values, high.toString(), low.negate().toString()])
        const ids = `{${intents.map((row) => row.hedge_intent_id).join(",")}}`
        const sent = yield* sql.unsafe<SentRow>(SENT, [...values, ids])
        lines.push({
          baseAsset,
          quoteAsset,
          totals,
          intents: intents.map(intentOf),
          sent: new Map(sent.map((row) => [row.hedge_intent_id as HedgeIntentId, Number(row.sent)])),
          hedges: own,
        })
      }
      return lines
    }),
  )

const resolve = (
  sql: SqlClient.SqlClient,
  { dealerAccountId, tenantId }: Pick<Dealer, "dealerAccountId" | "tenantId">,
  hedge: TradeOrderId,
  { executedQuantity, executedCost }: HedgeVerdict,
  at: number,
  { act, right }: DealerAct,
) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* judged(sql, { actor: act.actor, right }, tenantId, dealerAccountId)
      yield* sql`INSERT INTO hedge_verdict (trade_order_id, executed_quantity, executed_cost, said_at)
        VALUES (${hedge}, ${executedQuantity.toString()}::numeric, ${executedCost.toString()}::numeric, ${at})
        ON CONFLICT (trade_order_id) DO UPDATE SET executed_quantity = excluded.executed_quantity,
          executed_cost = excluded.executed_cost, said_at = excluded.said_at`
      yield* auditWrite(sql, laneOf(act), [actRow(act, at, "ok")])
    }),
  )

const isNoFault = (error: AuthorityFailure | SqlError): error is AuthorityFailure => !(error instanceof SqlError)

export const hedgeStoreLayer = Layer.effect(
  HedgeStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    HedgeStore.of({
      load: (dealer) => untilAvailable(load(sql, dealer)),
      resolve: (dealer, hedge, verdict, at, asked) =>
        resolve(sql, dealer, hedge, verdict, at, asked).pipe(
          Effect.as<AuthorityFailure | null>(null),
          Effect.catchIf(isNoFault, (refusal) => Effect.succeed(refusal)),
          untilAvailable,
          Effect.flatMap((refusal) => (refusal === null ? Effect.void : Effect.fail(refusal))),
        ),
    }),
  ),
)
