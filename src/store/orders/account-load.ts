/**
 * Loads the initial state of account actors in batches: a request that arrives while a batch is in flight joins the next one, so that a
 * start with thousands of accounts takes a few dozen queries. The one thing to know: it waits until the database answers, so that an
 * actor wakes late rather than wrong.
 */
import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Deferred, Effect, Exit, FiberId } from "effect"
import type { InstrumentId, TradingAccountId } from "../../domain/ids.ts"
import { NEVER_PLACED } from "../../domain/order/trade-order.ts"
import { type AccountState, ENDED_MILLIS, LIFE_MILLIS, NEWEST_ENDED } from "../../ports/account-store.ts"
import { untilAvailable } from "../postgres/storage-failure.ts"
import { withTrades } from "./executions.ts"
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  CREDENTIAL_COLUMNS,
  type CredentialRow,
  credentialOf,
  instant,
  instantOrNull,
  ORDER_COLUMNS,
  type OrderRow,
  orderOf,
} from "./rows.ts"

/** Accounts of one batch: their rows are decoded in one turn. */
const BATCH_ACCOUNTS = 100
/** How many of the newest rejections are looked through for orders that were never placed. */
const REJECTIONS_MAX = 10_000

interface FigureRow {
  readonly trading_account_id: string
  readonly last_sequence: string
  readonly last_execution_at: string | null
  readonly ended_at: string | null
  readonly ended_since: string | null
  readonly ended_instruments: ReadonlyArray<string> | null
}

/** Also what partitions that are gone have left behind of the numbering (`partitions.ts`). */
const FIGURES = `
  SELECT a.id AS trading_account_id,
    greatest((SELECT max(e.sequence) FROM account_event e WHERE e.trading_account_id = a.id),
      (SELECT s.last_sequence FROM account_sequence s WHERE s.trading_account_id = a.id), 0) AS last_sequence,
    (SELECT max(x.executed_at) FROM execution x WHERE x.trading_account_id = a.id AND NOT x.inferred) AS last_execution_at,
    ended.*
  FROM unnest($1::uuid[]) AS a(id) LEFT JOIN LATERAL (
    SELECT max(newest_at) AS ended_at,
      min(greatest(created_at, newest_at - ${LIFE_MILLIS})) FILTER (WHERE updated_at > newest_at - ${ENDED_MILLIS}) AS ended_since,
      array_agg(DISTINCT instrument_id) AS ended_instruments
    FROM (SELECT n.*, max(n.updated_at) OVER () AS newest_at FROM (
      SELECT o.created_at, o.updated_at, o.instrument_id FROM trade_order o WHERE o.trading_account_id = a.id AND NOT o.open
      ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${NEWEST_ENDED}) AS n) AS n) AS ended ON true`

const UNPLACED = `
  SELECT ${ORDER_COLUMNS}
  FROM unnest($1::uuid[]) AS a(id) CROSS JOIN LATERAL (
    SELECT * FROM trade_order o WHERE o.trading_account_id = a.id AND o.ended_as = 'REJECTED'
    ORDER BY o.created_at DESC, o.trade_order_id DESC LIMIT ${REJECTIONS_MAX}) AS o
  WHERE o.reject_reason IN ($2, $3)`

const byAccount = <Row>(
  rows: ReadonlyArray<Row>,
  of: (row: Row) => string,
): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const found = new Map<string, Array<Row>>()
  for (const row of rows) {
    const known = found.get(of(row))
    if (known === undefined) found.set(of(row), [row])
    else known.push(row)
  }
  return found
}

const loadAll = (
  sql: SqlClient.SqlClient,
  accountIds: ReadonlyArray<TradingAccountId>,
): Effect.Effect<ReadonlyMap<TradingAccountId, AccountState>, SqlError> =>
  Effect.gen(function* () {
    const ids = accountIds as unknown as string
    const accounts = yield* sql.unsafe<AccountRow>(
      `SELECT ${ACCOUNT_COLUMNS} FROM trading_account a WHERE a.trading_account_id = ANY ($1::uuid[])`,
      [ids],
    )
    const credentials = yield* sql.unsafe<CredentialRow & { readonly trading_account_id: string }>(
      `SELECT l.trading_account_id, ${CREDENTIAL_COLUMNS} FROM trading_account_credential l JOIN credential c USING (credential_id)
       WHERE l.trading_account_id = ANY ($1::uuid[]) ORDER BY l.position`,
      [ids],
    )
    const open = yield* sql.unsafe<OrderRow>(
      `SELECT ${ORDER_COLUMNS} FROM trade_order o WHERE o.trading_account_id = ANY ($1::uuid[]) AND o.open
       ORDER BY o.created_at, o.trade_order_id`,
      [ids],
    )
    const lists = [...new Set(open.flatMap((row) => row.order_list_id ?? []))]
    // The arithmetic of a list needs every order, however old.
    const mates =
      lists.length === 0
        ? []
        : yield* sql.unsafe<OrderRow>(
            `SELECT ${ORDER_COLUMNS} FROM trade_order o
             WHERE o.order_list_id = ANY ($1::uuid[]) AND NOT o.open AND o.trading_account_id = ANY ($2::uuid[])
             ORDER BY o.created_at, o.trade_order_id`,
            [lists as unknown as string, ids],
          )
    const orders = yield* withTrades(sql, [...open, ...mates])
    const figures = yield* sql.unsafe<FigureRow>(FIGURES, [ids])
    const unplaced = yield* sql.unsafe<OrderRow>(UNPLACED, [ids, NEVER_PLACED.restarted, NEVER_PLACED.proven])
    const credentialsOf = byAccount(credentials, (row) => row.trading_account_id)
    const openOf = byAccount(orders.slice(0, open.length), (order) => order.tradingAccountId)
    const matesOf = byAccount(orders.slice(open.length), (order) => order.tradingAccountId)
    const unplacedOf = byAccount(unplaced, (row) => row.trading_account_id)
    const figuresOf = new Map(figures.map((row) => [row.trading_account_id, row]))
    return new Map(
      accounts.map((row): [TradingAccountId, AccountState] => {
        const id = row.trading_account_id
        const figure = figuresOf.get(id)!
        return [
          id as TradingAccountId,
          {
            account: accountOf(row, (credentialsOf.get(id) ?? []).map(credentialOf)),
            openOrders: openOf.get(id) ?? [],
            listOrders: matesOf.get(id) ?? [],
            ended:
              figure.ended_at === null
                ? null
                : {
                    newestAt: instant(figure.ended_at),
                    since: instant(figure.ended_since ?? figure.ended_at),
                    instruments: (figure.ended_instruments ?? []) as ReadonlyArray<InstrumentId>,
                  },
            unplacedOrders: (unplacedOf.get(id) ?? []).map((it) => orderOf(it, [])),
            lastSequence: Number(figure.last_sequence),
            lastExecutionAt: instantOrNull(figure.last_execution_at),
          },
        ]
      }),
    )
  })

interface Waiting {
  readonly id: TradingAccountId
  readonly state: Deferred.Deferred<AccountState>
}

/** AccountStore's `load`. */
export const makeAccountLoader = (sql: SqlClient.SqlClient) => {
  let waiting: Array<Waiting> = []
  const turn = Effect.unsafeMakeSemaphore(1)
  const loaded = (ids: ReadonlyArray<TradingAccountId>) => untilAvailable(loadAll(sql, ids))

  /** By the actor whose turn it is, for those that wait behind it too: each turn takes at least the one that has waited longest. */
  const next = Effect.suspend(() => {
    const batch = waiting.slice(0, BATCH_ACCOUNTS)
    waiting = waiting.slice(batch.length)
    if (batch.length === 0) return Effect.void
    const ids = [...new Set(batch.map((it) => it.id))]
    return Effect.exit(loaded(ids)).pipe(
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit) || ids.length === 1
          ? Effect.succeed(new Map(ids.map((id) => [id, exit])))
          : Effect.map(
              // A row that cannot be read is the trouble of its own account.
              Effect.forEach(ids, (id) => Effect.map(Effect.exit(loaded([id])), (alone) => [id, alone] as const)),
              (alone) => new Map(alone),
            ),
      ),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          waiting = [...batch, ...waiting]
        }),
      ),
      Effect.flatMap((exits) =>
        Effect.forEach(batch, ({ id, state }) => Deferred.done(state, stateIn(exits.get(id)!, id))),
      ),
      Effect.asVoid,
    )
  })

  return (id: TradingAccountId): Effect.Effect<AccountState> =>
    Effect.suspend(() => {
      const state = Deferred.unsafeMake<AccountState>(FiberId.none)
      waiting.push({ id, state })
      return Effect.zipRight(turn.withPermits(1)(next), Deferred.await(state))
    })
}

const stateIn = (
  loaded: Exit.Exit<ReadonlyMap<TradingAccountId, AccountState>>,
  id: TradingAccountId,
): Exit.Exit<AccountState> =>
  Exit.flatMap(loaded, (states) => {
    const state = states.get(id)
    return state === undefined ? Exit.die(new Error(`no trading account ${id} in the database`)) : Exit.succeed(state)
  })
