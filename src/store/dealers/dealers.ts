/** Dealers and quotes for the edges: a new dealer with all that belongs to it, every dealer at start, lists of quotes. */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import type { Funding } from "../../domain/dealer/funding.ts"
import type { Quote, QuoteStatus } from "../../domain/dealer/quote.ts"
import { Busy, type StorageUnavailable } from "../../domain/errors/service.ts"
import type { DealerAccountId, QuoteId, TenantId, TradingAccountId, UserId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/user/act.ts"
import { allOrUnavailable, constraintOf, orUnavailable } from "../postgres/storage-failure.ts"
import { orFound } from "../postgres/whole-transactions.ts"
import { judged } from "../users/authority.ts"
import { DEALER_COLUMNS, type DealerRow, dealerOf, QUOTE_COLUMNS, type QuoteRow, quoteOf } from "./dealer-rows.ts"
import { insertFunding } from "./fundings.ts"

export interface QuoteQuery {
  readonly tenantId: TenantId
  /** Whose quotes: of this client; of this dealer; null: not filtered by it. */
  readonly traderUserId: UserId | null
  readonly dealerAccountId: DealerAccountId | null
  readonly traderAccountId: TradingAccountId | null
  readonly status: QuoteStatus | null
  readonly limit: number
  readonly offset: number
  readonly after: { readonly createdAt: number; readonly quoteId: QuoteId } | null
  readonly counted: boolean
}

export interface QuotePage {
  readonly quotes: ReadonlyArray<Quote>
  readonly total: number
  readonly totalIsLowerBound: boolean
  readonly hasNext: boolean
}

export class DealerRows extends Effect.Service<DealerRows>()("store/DealerRows", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** In order of creation. */
    const loadDealers: Effect.Effect<ReadonlyArray<Dealer>, StorageUnavailable> = orUnavailable(
      sql.unsafe<DealerRow>(`SELECT ${DEALER_COLUMNS} FROM dealer d ORDER BY d.created_at, d.dealer_account_id`),
    ).pipe(Effect.map((rows) => rows.map(dealerOf)))

    /** With what is stored before it (its account and its wallet), or nothing of it all. Busy: one of this id is being made. */
    const insert = <E>(
      dealer: Dealer,
      before: Effect.Effect<unknown, E>,
    ): Effect.Effect<void, Busy | Exclude<E, SqlError> | StorageUnavailable> => {
      const own = sql`INSERT INTO dealer ${sql.insert({
        dealer_account_id: dealer.dealerAccountId,
        tenant_id: dealer.tenantId,
        version: dealer.version,
        name: dealer.name,
        status: dealer.status,
        // In quotes: an asset may be called NULL.
        base_currencies: `{${dealer.baseCurrencies.map((it) => `"${it}"`).join(",")}}`,
        risk_threshold: dealer.riskThreshold?.toString() ?? null,
        config: JSON.stringify(dealer.config.given),
        owner_user_id: dealer.ownerUserId,
        trading_account_id: dealer.tradingAccountId,
        wallet_id: dealer.walletId,
        created_at: dealer.createdAt,
        updated_at: dealer.updatedAt,
      })}`
      const isStored = sql`SELECT FROM dealer WHERE dealer_account_id = ${dealer.dealerAccountId}`.pipe(
        Effect.map((rows) => rows.length === 1),
      )
      return allOrUnavailable(
        sql.withTransaction(Effect.zipRight(before, own)).pipe(
          orFound(isStored),
          Effect.asVoid,
          Effect.catchIf(
            (error) => constraintOf(error) === "dealer_pkey",
            () => new Busy({ retryAfterSeconds: 1 }),
          ),
        ),
      )
    }

    const conditionOf = (query: QuoteQuery): { readonly text: string; readonly values: Array<string | number> } => {
      const values: Array<string | number> = [query.tenantId]
      const parts = ["q.tenant_id = $1"]
      const add = (column: string, value: string | null): void => {
        if (value === null) return
        values.push(value)
        parts.push(`q.${column} = $${values.length}`)
      }
      add("trader_user_id", query.traderUserId)
      add("dealer_account_id", query.dealerAccountId)
      add("trader_account_id", query.traderAccountId)
      add("status", query.status)
      return { text: parts.join(" AND "), values }
    }

    return {
      loadDealers,
      insert,
      /** For `insert`, before it: whether the caller still is an admin of that tenant. */
      judged: (authority: Authority, tenantId: TenantId) => allOrUnavailable(judged(sql, authority, tenantId, null)),
      findQuote: (id: QuoteId): Effect.Effect<Quote | null, StorageUnavailable> =>
        orUnavailable(sql.unsafe<QuoteRow>(`SELECT ${QUOTE_COLUMNS} FROM quote q WHERE q.quote_id = $1`, [id])).pipe(
          Effect.map(([row]) => (row === undefined ? null : quoteOf(row))),
        ),
      /** The one that is stored: a repeat finds the first. For `Acts.commit`. */
      insertFunding: (funding: Funding, authority: Authority, tenantId: TenantId) =>
        allOrUnavailable(
          sql.withTransaction(Effect.zipRight(judged(sql, authority, tenantId, null), insertFunding(sql, funding))),
        ),
      /** Newest first; one statement for the page, one for the count. */
      listQuotes: (query: QuoteQuery): Effect.Effect<QuotePage, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const { text, values } = conditionOf(query)
            const pageValues = [...values]
            let where = text
            if (query.after !== null) {
              pageValues.push(query.after.createdAt, query.after.quoteId)
              const n = pageValues.length
              where += ` AND (q.created_at, q.quote_id) < ($${n - 1}::bigint, $${n}::uuid)`
            }
            pageValues.push(query.limit + 1, query.offset)
            const n = pageValues.length
            const rows = yield* sql.unsafe<QuoteRow>(
              `SELECT ${QUOTE_COLUMNS} FROM quote q WHERE ${where} ORDER BY q.created_at DESC, q.quote_id DESC
               LIMIT $${n - 1}::bigint OFFSET $${n}::bigint`,
              pageValues,
            )
            const counted = query.counted
              ? (yield* sql.unsafe<{ readonly total: number }>(
                  `SELECT count(*)::int AS total FROM (SELECT FROM quote q WHERE ${text} LIMIT ${COUNTED_MAX + 1}) AS matching`,
                  values,
                ))[0]!.total
              : 0
            return {
              quotes: rows.slice(0, query.limit).map(quoteOf),
              total: Math.min(counted, COUNTED_MAX),
              totalIsLowerBound: counted > COUNTED_MAX,
              hasNext: rows.length > query.limit,
            }
          }),
        ),
    }
  }),
}) {}
