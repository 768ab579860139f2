/**
 * Dealers and quotes for the edges: a new dealer with all that belongs to it, every dealer at start, lists of quotes, fundings, and the deletion
 * of old quotes.
 */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import { FUNDINGS_MAX, type Funding } from "../../domain/dealer/funding.ts"
import type { Quote, QuoteStatus } from "../../domain/dealer/quote.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { Busy, type StorageUnavailable } from "../../domain/errors/service.ts"
import type { DealerAccountId, QuoteId, TenantId, TradingAccountId, UserId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/user/act.ts"
import { decimal } from "../orders/rows.ts"
import { allOrUnavailable, constraintOf, orUnavailable } from "../postgres/storage-failure.ts"
import { orFound } from "../postgres/transactions.ts"
import { judged } from "../users/authority.ts"
import {
  DEALER_COLUMNS,
  type DealerRow,
  dealerOf,
  type FundingRow,
  fundingOf,
  QUOTE_COLUMNS,
  type QuoteRow,
  quoteOf,
} from "./dealer-rows.ts"

// What is told of a deposit or withdrawal at a venue, and stored. The one thing to know: it is refused where it would explain what happened
// before it was told of, or what cannot be; the mirror is locked meanwhile, so that two of them see each other.

interface Standing {
  readonly has_begun: boolean
  readonly open: number
  /** Null: nothing. */
  readonly balance: string | null
  readonly status: string
}

const refusalOf = (
  { asset, direction, amount, tradingAccountId }: Funding,
  mirror: Standing | undefined,
): InvalidParameter | null => {
  const invalid = (parameter: string, reason: string) => new InvalidParameter({ parameter, reason })
  if (!mirror?.has_begun)
    return invalid(
      "tradingAccountId",
      `account ${tradingAccountId} was just linked and has not been compared with its venue yet: try again in 20 s, and move no funds until then`,
    )
  if (mirror.open >= FUNDINGS_MAX)
    return invalid(
      "tradingAccountId",
      `account ${tradingAccountId} has ${mirror.open} announced deposits and withdrawals that have not appeared yet, at most ${FUNDINGS_MAX}: try again once one of them appeared or its day has passed`,
    )
  const balance = decimal(mirror.balance ?? "0")
  // In a frozen one nothing is booked: what the account has by now is not in it.
  if (direction === "WITHDRAWAL" && mirror.status === "ACTIVE" && amount.greaterThan(balance))
    return invalid("amount", `${amount} ${asset} is more than the account has, which is ${balance} ${asset}`)
  return null
}

/** Within a transaction. The one that is stored: a repeat finds the first. */
export const insertFunding = (sql: SqlClient.SqlClient, funding: Funding) =>
  Effect.gen(function* () {
    const { fundingId, tradingAccountId, asset } = funding
    const [mirror] = yield* sql<Standing>`
      SELECT m.opened AND m.dealer_account_id IS NOT NULL AS has_begun, w.status,
        (SELECT (credits_posted - debits_posted)::text FROM wallet_balance b
          WHERE b.wallet_id = m.wallet_id AND b.asset = ${asset}) AS balance,
        (SELECT count(*)::int FROM exchange_funding f WHERE f.trading_account_id = m.trading_account_id AND f.open) AS open
      FROM exchange_mirror m JOIN wallet w USING (wallet_id) WHERE m.trading_account_id = ${tradingAccountId} FOR UPDATE OF m`
    const found = sql<FundingRow>`SELECT * FROM exchange_funding WHERE funding_id = ${fundingId}`
    const [before] = yield* found
    if (before !== undefined) return fundingOf(before)
    const refusal = refusalOf(funding, mirror)
    if (refusal !== null) return yield* Effect.fail(refusal)
    yield* sql`INSERT INTO exchange_funding ${sql.insert({
      funding_id: fundingId,
      trading_account_id: tradingAccountId,
      dealer_account_id: funding.dealerAccountId,
      asset,
      direction: funding.direction,
      amount: funding.amount.toString(),
      created_at: funding.createdAt,
      expire_at: funding.expireAt,
    })}`
    const [stored] = yield* found
    return fundingOf(stored!)
  })

// Deletes quotes that were not executed, some days after they ended, at least 7: as long as other request keys are kept (contract C2). The one thing to
// know: what was executed stays for ever, for the ledger's transfers, trades and hedges name it.

const DAY_MILLIS = 86_400_000
const DAYS_KEPT = 7
/** Rows of one statement: some milliseconds of work, so that no commit waits for it. */
const PAGE = 1_000
/** Between pages: the disk is the writers' as well. */
const PAGE_PAUSE = "50 millis"

/** Run now and then, with the wall time; answers how many went. */
export const forgetQuotes = (now: number, daysKept = DAYS_KEPT): Effect.Effect<number, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let gone = 0
    for (;;) {
      const rows = yield* sql`
        DELETE FROM quote WHERE quote_id IN (
          SELECT quote_id FROM quote
          WHERE status IN ('REJECTED', 'EXPIRED', 'CANCELLED') AND updated_at < ${now - daysKept * DAY_MILLIS}
          ORDER BY updated_at LIMIT ${PAGE} FOR UPDATE SKIP LOCKED) RETURNING 1`
      gone += rows.length
      if (rows.length < PAGE) return gone
      yield* Effect.sleep(PAGE_PAUSE)
    }
  })

interface QuoteQuery {
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

interface QuotePage {
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
