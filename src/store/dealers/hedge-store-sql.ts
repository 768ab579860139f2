/**
 * What dealers owe and have hedged: running sums, and what is open. The one thing to know: everything is read in one snapshot, so that an order
 * whose fill commits meanwhile is either in the sums and in the list of hedges, or in neither; and nothing closed is read.
 */
import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"
import type { Dealer, HedgeIntent } from "../../domain/dealer/dealer.ts"
import {
  countedOf,
  exposureOf,
  type HedgeProgress,
  type HedgeTotals,
  type HedgeVerdict,
  restOf,
  type Span,
  spanOf,
  withProgress,
} from "../../domain/dealer/hedging/hedging.ts"
import { Decimal } from "../../domain/decimal.ts"
import type {
  DealerAccountId,
  HedgeIntentId,
  InstrumentId,
  QuoteId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../../domain/ids.ts"
import { isTerminal, type OrderStatus } from "../../domain/order/status.ts"
import type { OrderSide } from "../../domain/order/trade-order.ts"
import type { DealerAct } from "../../ports/dealer-store.ts"
import {
  HEDGES_KEPT,
  HedgeStore,
  type LateHedge,
  type StoredHedge,
  type StoredHedges,
} from "../../ports/hedge-store.ts"
import { actRow, auditWrite, laneOf } from "../audit/acts.ts"
import { decimal, instant } from "../orders/rows.ts"
import { untilAvailable } from "../postgres/storage-failure.ts"
import { type AuthorityFailure, judged } from "../users/authority.ts"

interface Pair {
  readonly base_asset: string
  readonly quote_asset: string
}

// Running sums, changed by triggers in the transactions of what they sum up (migration 0030).
const OWED = "SELECT base_asset, quote_asset, owed, reference, spread FROM hedge_owed WHERE dealer_account_id = $1"

const HEDGED = `SELECT base_asset, quote_asset, sum(hedged) AS hedged, sum(cost) AS cost
  FROM hedge_executed WHERE dealer_account_id = $1 GROUP BY 1, 2`

const FEES = `SELECT base_asset, quote_asset, asset, sum(quantity) AS quantity
  FROM hedge_fee WHERE dealer_account_id = $1 GROUP BY 1, 2, 3 ORDER BY 3`

// A dealer's own orders are of linked accounts; QUOTED ones are its clients'.
const HEDGES = "FROM trade_order o WHERE o.dealer_account_id = $1 AND o.order_type <> 'QUOTED'"

const HEDGE = `o.trade_order_id, o.trading_account_id, o.version, o.base_asset, o.quote_asset, o.order_side, o.order_status,
    o.executed_quantity, o.executed_cost, o.fees, o.base_quantity, o.doubt IS NOT NULL AS in_doubt, o.created_at, o.updated_at`

// Each by an index of its own, first: joined in one step, how many are open is the planner's guess.
const hedgesOf = (which: string): string => `
  WITH o AS MATERIALIZED (SELECT * ${HEDGES} ${which})
  SELECT ${HEDGE}, v.executed_quantity AS verdict_quantity, v.executed_cost AS verdict_cost
  FROM o LEFT JOIN hedge_verdict v USING (trade_order_id) ORDER BY o.created_at, o.trade_order_id`
const OPEN_HEDGES = hedgesOf("AND o.open")
const NEWEST_HEDGES = hedgesOf(`ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${HEDGES_KEPT}`)

/** Of one side, backwards from a number on; as rows, so that the planner does not walk all dealers' intents along their numbers. */
const INTENTS = `
  SELECT * FROM hedge_intent
  WHERE (dealer_account_id, base_asset, quote_asset, order_side, number) >= ($1, $2, $3, $4, 0)
    AND (dealer_account_id, base_asset, quote_asset, order_side, number) < ($1, $2, $3, $4, $5)
  ORDER BY dealer_account_id DESC, base_asset DESC, quote_asset DESC, order_side DESC, number DESC LIMIT $6`
const FIRST_PAGE = 10
const PAGE = 1_000
const NEWEST = "9223372036854775807"

/**
 * `hedge:<dealer>:<intent>[:<n>]`: an intent is of one dealer, and a word on the dealer would lead the planner to an index of all its hedges.
 * One intent at a time: without statistics of the expression it takes each for one in 200 of all orders, so that of 300 at once it reads all
 * orders instead of the index.
 */
const SENT = `
  SELECT i.hedge_intent_id, s.sent FROM unnest($1::text[]) AS i (hedge_intent_id), LATERAL (
    SELECT count(*) AS sent FROM trade_order
    WHERE dealer_account_id IS NOT NULL AND order_type <> 'QUOTED' AND split_part(idempotency_key, ':', 3) = i.hedge_intent_id) AS s
  WHERE s.sent > 0`

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
  readonly updated_at: string
  readonly verdict_quantity: string | null
  readonly verdict_cost: string | null
}

const feesOf = (fees: HedgeRow["fees"]): HedgeProgress["fees"] =>
  (fees ?? []).map(({ asset, quantity }) => ({ asset, quantity: decimal(quantity) }))

const hedgeOf = (row: HedgeRow): StoredHedge => ({
  tradeOrderId: row.trade_order_id as TradeOrderId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  version: Number(row.version),
  isOver: isTerminal(row.order_status as OrderStatus),
  orderSide: row.order_side as OrderSide,
  executedQuantity: decimal(row.executed_quantity),
  executedCost: decimal(row.executed_cost),
  fees: feesOf(row.fees),
  baseQuantity: decimal(row.base_quantity),
  isInDoubt: row.in_doubt,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  verdict:
    row.verdict_quantity === null || row.verdict_cost === null
      ? null
      : { executedQuantity: decimal(row.verdict_quantity), executedCost: decimal(row.verdict_cost) },
})

/** Newest first: those of one side that come to `most`, and one in any case. */
const newestIntents = (
  sql: SqlClient.SqlClient,
  pair: ReadonlyArray<string>,
  side: OrderSide,
  most: Decimal,
): Effect.Effect<ReadonlyArray<IntentRow>, SqlError> =>
  Effect.gen(function* () {
    const found: Array<IntentRow> = []
    let rest = most
    for (let size = FIRST_PAGE; ; size = PAGE) {
      const page = yield* sql.unsafe<IntentRow>(INTENTS, [...pair, side, found.at(-1)?.number ?? NEWEST, size])
      for (const row of page) {
        if (found.length > 0 && !rest.isPositive()) return found
        found.push(row)
        rest = rest.subtract(decimal(row.quantity))
      }
      if (page.length < size) return found
    }
  })

/** Those that make up the exposure wherever between the two ends it is, and the newest of all. */
const intentsOf = (sql: SqlClient.SqlClient, pair: ReadonlyArray<string>, { low, high }: Span) =>
  Effect.gen(function* () {
    const bought = yield* newestIntents(sql, pair, "BUY", high)
    const sold = yield* newestIntents(sql, pair, "SELL", low.negate())
    const rows = [...bought, ...sold].sort((a, b) => (BigInt(a.number) < BigInt(b.number) ? 1 : -1))
    // The newest of a side of which nothing is open was read in case it is the newest of both.
    return rows.filter(
      ({ order_side }, index) => index === 0 || (order_side === "BUY" ? high : low.negate()).isPositive(),
    )
  })

const load = (sql: SqlClient.SqlClient, dealer: DealerAccountId) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
      // What is newest is read along an index and no further. Where statistics know nothing of a dealer, the planner takes it for one of few
      // orders, gathers all of them and sorts: 1.2 s of 600,000.
      yield* sql`SET LOCAL enable_bitmapscan = off`
      const ask = <Row extends object>(text: string) => sql.unsafe<Row>(text, [dealer])
      // What the sums of this snapshot have is no news to who reads them; what is not in them stays.
      yield* ask("DELETE FROM hedge_late WHERE dealer_account_id = $1")
      const owed = yield* ask<Pair & Record<"owed" | "reference" | "spread", string>>(OWED)
      const hedged = yield* ask<Pair & Record<"hedged" | "cost", string>>(HEDGED)
      const fees = yield* ask<Pair & Record<"asset" | "quantity", string>>(FEES)
      const newest = yield* ask<HedgeRow>(NEWEST_HEDGES)
      const ids = new Set(newest.map((row) => row.trade_order_id))
      const older = (yield* ask<HedgeRow>(OPEN_HEDGES)).filter((row) => !ids.has(row.trade_order_id))
      const hedges = [...older, ...newest]
      const lines: Array<StoredHedges> = []
      for (const { base_asset: baseAsset, quote_asset: quoteAsset, ...sums } of owed) {
        const isOf = (row: Pair): boolean => row.base_asset === baseAsset && row.quote_asset === quoteAsset
        const executed = hedged.find(isOf)
        const told: HedgeTotals = {
          baseAsset,
          owed: decimal(sums.owed),
          reference: decimal(sums.reference),
          spread: decimal(sums.spread),
          hedged: executed === undefined ? Decimal.ZERO : decimal(executed.hedged),
          cost: executed === undefined ? Decimal.ZERO : decimal(executed.cost),
          fees: new Map(fees.filter(isOf).map(({ asset, quantity }) => [asset, decimal(quantity)])),
        }
        const own = hedges.filter(isOf).map(hedgeOf)
        // Of one that is not over an admin's word counts where it is more.
        const totals = own.reduce(
          (sum, it) => withProgress(sum, it, countedOf<HedgeProgress>(it, it.isOver, it.verdict)),
          told,
        )
        const span = spanOf(
          exposureOf(totals),
          own.map((it) => ({ orderSide: it.orderSide, rest: restOf(it) })),
        )
        const intents = yield* intentsOf(sql, [dealer, baseAsset, quoteAsset], span)
        const named = `{${intents.map((row) => row.hedge_intent_id).join(",")}}`
        const sent = yield* sql.unsafe<SentRow>(SENT, [named])
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

interface LateRow {
  readonly executed_quantity: string
  readonly executed_cost: string
  readonly fees: HedgeRow["fees"]
}

/** The oldest change that is not older: of images that were stored together it is the newest that stands there. */
const BEFORE = `
  SELECT executed_quantity, executed_cost, fees FROM hedge_late WHERE trade_order_id = $1 AND version >= $2 ORDER BY version LIMIT 1`

const before = (sql: SqlClient.SqlClient, { tradeOrderId, version, orderSide }: LateHedge) =>
  Effect.map(sql.unsafe<LateRow>(BEFORE, [tradeOrderId, version]), ([row]): HedgeProgress | null =>
    row === undefined
      ? null
      : {
          orderSide,
          executedQuantity: decimal(row.executed_quantity),
          executedCost: decimal(row.executed_cost),
          fees: feesOf(row.fees),
        },
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
      before: (late) => untilAvailable(before(sql, late)),
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
