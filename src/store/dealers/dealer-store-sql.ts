/** DealerStore over PostgreSQL, for the dealers' actors: what they read waits until the database answers. */
import { SqlClient } from "@effect/sql"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer } from "effect"
import type { Dealer } from "../../domain/dealer/dealer.ts"
import { isFirm } from "../../domain/dealer/quote.ts"
import type { QuoteId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { type ClientHold, type DealerAct, DealerStore, type OpenQuote } from "../../ports/dealer-store.ts"
import { actRow, auditWrite, laneOf } from "../audit/acts.ts"
import { instant } from "../orders/rows.ts"
import { untilAvailable } from "../postgres/storage-failure.ts"
import { type AuthorityFailure, judged } from "../users/authority.ts"
import { DEALER_COLUMNS, type DealerRow, dealerOf, QUOTE_COLUMNS, type QuoteRow, quoteOf } from "./dealer-rows.ts"

/** A later image replaces an older one; its links are the dealer's links, but for accounts that are disconnected by now. */
const save = (sql: SqlClient.SqlClient, dealer: Dealer, asked: DealerAct | undefined) =>
  sql.withTransaction(
    Effect.gen(function* () {
      if (asked !== undefined) {
        const { actor } = asked.act
        yield* judged(sql, { actor, right: asked.right }, dealer.tenantId, dealer.dealerAccountId)
      }
      const stored =
        yield* sql`UPDATE dealer SET version = ${dealer.version}, status = ${dealer.status}, updated_at = ${dealer.updatedAt},
          config = ${JSON.stringify(dealer.config.given)}
        WHERE dealer_account_id = ${dealer.dealerAccountId} AND version < ${dealer.version} RETURNING version`
      if (stored.length === 0) return
      yield* sql`DELETE FROM dealer_link WHERE dealer_account_id = ${dealer.dealerAccountId}`
      for (const [index, account] of dealer.linkedAccountIds.entries())
        yield* sql`INSERT INTO dealer_link (dealer_account_id, trading_account_id, position)
          SELECT ${dealer.dealerAccountId}, trading_account_id, ${index + 1}::int FROM trading_account
          WHERE trading_account_id = ${account} AND status <> 'DISCONNECTED'`
      if (asked !== undefined) yield* auditWrite(sql, laneOf(asked.act), [actRow(asked.act, dealer.updatedAt, "ok")])
    }),
  )

const isNoFault = (error: AuthorityFailure | SqlError): error is AuthorityFailure => !(error instanceof SqlError)

const make = Effect.map(SqlClient.SqlClient, (sql) => {
  const one = (where: string, values: ReadonlyArray<string>) =>
    untilAvailable(sql.unsafe<QuoteRow>(`SELECT ${QUOTE_COLUMNS} FROM quote q WHERE ${where}`, values)).pipe(
      Effect.map(([row]) => (row === undefined ? null : quoteOf(row))),
    )
  return DealerStore.of({
    load: (id) =>
      untilAvailable(
        Effect.gen(function* () {
          const [row] = yield* sql.unsafe<DealerRow>(
            `SELECT ${DEALER_COLUMNS} FROM dealer d WHERE d.dealer_account_id = $1`,
            [id],
          )
          if (row === undefined) return yield* Effect.dieMessage(`no dealer ${id} in the database`)
          // Before the quotes: an order that is stored meanwhile has its quote, and keeps its hold.
          const holds = yield* sql.unsafe<{ readonly transfer_id: string; readonly reference: string }>(
            "SELECT transfer_id, reference FROM ledger_hold WHERE credit_wallet_id = $1 AND code = 'HOLD' AND reference IS NOT NULL",
            [row.wallet_id],
          )
          const rows = yield* sql.unsafe<QuoteRow & { readonly claimed_by: string | null }>(
            `SELECT ${QUOTE_COLUMNS}, o.trade_order_id AS claimed_by FROM quote q
             LEFT JOIN trade_order o ON o.claimed_quote_id = q.quote_id AND o.open
             WHERE q.dealer_account_id = $1 AND q.open ORDER BY q.created_at, q.quote_id`,
            [id],
          )
          const openQuotes = rows.map((each): OpenQuote => {
            const quote = quoteOf(each)
            if (!isFirm(quote)) throw new Error(`quote ${quote.quoteId} is open and has no price`)
            return { quote, tradeOrderId: each.claimed_by as TradeOrderId | null }
          })
          const clientHolds = holds.map(
            (it): ClientHold => ({
              transferId: it.transfer_id,
              quoteId: it.reference as QuoteId,
            }),
          )
          return { dealer: dealerOf(row), openQuotes, clientHolds }
        }),
      ),
    save: (dealer, asked) =>
      save(sql, dealer, asked).pipe(
        Effect.as<AuthorityFailure | null>(null),
        Effect.catchIf(isNoFault, (refusal) => Effect.succeed(refusal)),
        untilAvailable,
        Effect.flatMap((refusal) => (refusal === null ? Effect.void : Effect.fail(refusal))),
      ),
    findQuote: (id) => one("q.quote_id = $1", [id]),
    findRequested: (key) =>
      one("q.dealer_account_id = $1 AND q.trader_account_id = $2 AND q.quote_request_id = $3", [
        key.dealerAccountId,
        key.traderAccountId,
        key.quoteRequestId,
      ]),
    untoldNews: untilAvailable(
      sql.unsafe<{
        readonly event_id: string
        readonly trading_account_id: string
        readonly at: string
        readonly payload: string
      }>("SELECT event_id, trading_account_id, at, payload FROM quote_news ORDER BY at, event_id"),
    ).pipe(
      Effect.map((rows) =>
        rows.map((row) => ({
          eventId: row.event_id,
          tradingAccountId: row.trading_account_id as TradingAccountId,
          at: instant(row.at),
          payload: row.payload,
        })),
      ),
    ),
  })
})

export const dealerStoreLayer = Layer.effect(DealerStore, make)
