/**
 * A batch of units as one SQL statement: fence, orders, executions, events and the rare rows, all or nothing in one round trip.
 * The one thing to know: a statement depends only on which kinds of rows a batch holds, and whether of one, few or many, so that each
 * of the few is prepared once.
 */

import type { TradingAccount } from "../../domain/account/trading-account.ts"
import type { CredentialId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import type { Unit } from "../../ports/account-store.ts"
import { actRow } from "../audit/acts.ts"
import { FENCE } from "../postgres/lease.ts"
import {
  arrayLiteral,
  type Column,
  DERIVED_ORDER_COLUMNS,
  type DerivedColumn,
  EVENT_COLUMNS,
  EXECUTION_COLUMNS,
  literalsOf,
  type NumberedEvent,
  ORDER_COLUMNS,
  ORDER_CONSTANTS,
  pushValues,
  type StoredExecution,
  type StoredOrder,
} from "./order-columns.ts"
import {
  isSameExecution,
  isSameOrder,
  ON_EXECUTION_CONFLICT,
  ON_REPORT_CONFLICT,
  onAccountConflict,
  onOrderConflict,
  strangerIn,
} from "./order-refusal.ts"

/** What the writer knows of an account before it can write for it. */
export interface Numbering {
  readonly tenantId: string
  readonly lastSequence: number
}

/** A batch as it is sent, and sent again: nothing in it changes any more. */
export interface FrozenBatch {
  readonly name: string
  readonly text: string
  readonly values: ReadonlyArray<string | number | null>
  /** Number of each unit's first event, in the order of the units. */
  readonly firstSequences: ReadonlyArray<number>
  /** Each account's newest number once this batch is durable. */
  readonly lastSequences: ReadonlyMap<TradingAccountId, number>
  readonly events: ReadonlyArray<NumberedEvent>
}

/** Event payloads travel as one text cut at this character: JSON never holds it raw, and array quoting would cost 10 µs an event. */
const CUT = "\u0001"
const cutFree = (payload: string): string => payload.replaceAll(CUT, "\\u0001")

/** Checked as a whole: to look into each payload alone would copy it once more. */
const joined = (payloads: ReadonlyArray<string>): string => {
  if (payloads.length === 1) return cutFree(payloads[0]!)
  const text = payloads.join(CUT)
  let cuts = 0
  for (let at = text.indexOf(CUT); at >= 0; at = text.indexOf(CUT, at + 1)) cuts++
  return cuts === payloads.length - 1 ? text : payloads.map(cutFree).join(CUT)
}

/** How many rows of a kind a statement takes. Few: with NULL in the place of those that are not there. */
const ONE = 1
const FEW = 4
const MANY = 0
type Size = typeof ONE | typeof FEW | typeof MANY

const sizeOf = (rows: number): Size => (rows === 1 ? ONE : rows <= FEW ? FEW : MANY)

interface Section {
  readonly params: (size: Size) => number
  /** The section's common table expressions, its first parameter being `$first`. */
  readonly sql: (first: number, size: Size) => string
}

const names = <Row>(columns: ReadonlyArray<Column<Row>>): string => columns.map((column) => column.name).join(", ")
const scalars = <Row>(columns: ReadonlyArray<Column<Row>>, first: number): string =>
  columns.map((column, i) => `$${first + i}::${column.type}`).join(", ")
/** Each of the columns as it is stored, of `sent`. */
const storedOf = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  derived: ReadonlyArray<DerivedColumn>,
  sent: (column: Column<Row>, index: number) => string,
): string => {
  const named = (name: string): string => {
    const index = columns.findIndex((column) => column.name === name)
    return sent(columns[index]!, index)
  }
  const own = columns.map((column, index) => {
    const value = sent(column, index)
    return column.stored?.(value) ?? value
  })
  return [...own, ...derived.map(({ of }) => of(named))].join(", ")
}
const arrays = <Row>(columns: ReadonlyArray<Column<Row>>, first: number): string =>
  columns.map((column, i) => `$${first + i}::${column.type}[]`).join(", ")

/** Nothing is written without the fence: an uncorrelated subquery, so it is asked once per section and the rows keep their order. */
const IS_FENCED = "EXISTS (SELECT FROM fence)"
const FENCED = `WHERE ${IS_FENCED}`

interface RowsOptions {
  readonly derived?: ReadonlyArray<DerivedColumn>
  /** Where many rows come from. */
  readonly many?: string
}

/**
 * The rows of a section. `unnest` of 48 arrays of one element each is a quarter of what PostgreSQL does for one order: few rows are
 * values of their own. The first column is never NULL in a row that is there.
 */
const rowsOf = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  first: number,
  size: Size,
  { derived = [], many = `unnest(${arrays(columns, first)})` }: RowsOptions = {},
): string => {
  if (size === ONE) return `SELECT ${storedOf(columns, derived, ({ type }, i) => `$${first + i}::${type}`)} ${FENCED}`
  const isAsSent = derived.length === 0 && columns.every(({ stored }) => stored === undefined)
  const list = isAsSent ? "*" : storedOf(columns, derived, ({ name }) => `r.${name}`)
  if (size === MANY) return `SELECT ${list} FROM ${many} AS r (${names(columns)}) ${FENCED}`
  const rows = Array.from({ length: size }, (_, row) => `(${scalars(columns, first + row * columns.length)})`)
  return `SELECT ${list} FROM (VALUES ${rows.join(",\n        ")}) AS r (${names(columns)}) ${FENCED} AND r.${columns[0]!.name} IS NOT NULL`
}

const paramsOf =
  (columns: ReadonlyArray<Column<never>>) =>
  (size: Size): number =>
    size === MANY ? columns.length : size * columns.length

/** The rare ones have no few: all that they hold is one document, or arrays. */
const always = (params: number) => () => params

const manyEvents = (first: number): string =>
  `unnest(${arrays(EVENT_COLUMNS.slice(0, -1), first)}, string_to_array($${first + EVENT_COLUMNS.length - 1}::text, chr(1)))`

const orderSets = [...ORDER_COLUMNS, ...DERIVED_ORDER_COLUMNS]
  .filter(({ name }) => !ORDER_CONSTANTS.has(name) && name !== "version")
  .map(({ name }) =>
    name === "accepted_number" ? `${name} = coalesce(t.${name}, excluded.${name})` : `${name} = excluded.${name}`,
  )
  .join(", ")

const ACCOUNT_SETS = `external_trading_account_id = excluded.external_trading_account_id, nickname = excluded.nickname,
        status = excluded.status, updated_at = excluded.updated_at, disconnected_at = excluded.disconnected_at,
        cancel_all_at = excluded.cancel_all_at`

/** In the order in which they stand in a statement; the index is the bit of the section in a statement's name. */
const SECTIONS: ReadonlyArray<Section> = [
  // Orders: a later image replaces an older one, an older one changes nothing, and one of another order ends the statement.
  {
    params: paramsOf(ORDER_COLUMNS),
    sql: (first, size) => `orders AS (
      INSERT INTO trade_order AS t (${[...ORDER_COLUMNS, ...DERIVED_ORDER_COLUMNS].map(({ name }) => name).join(", ")})
      ${rowsOf(ORDER_COLUMNS, first, size, { derived: DERIVED_ORDER_COLUMNS })}
      ${onOrderConflict(orderSets)})`,
  },
  // Executions: immutable. Only the same one again is forgiven; another one with its id, or the venue's trade id, is a fault of the actor.
  {
    params: paramsOf(EXECUTION_COLUMNS),
    sql: (first, size) => `executions AS (
      INSERT INTO execution AS t (${names(EXECUTION_COLUMNS)})
      ${rowsOf(EXECUTION_COLUMNS, first, size)}
      ${ON_EXECUTION_CONFLICT})`,
  },
  // Events. A number that is taken ends the statement: by this very batch, sent before (see `isWritten`), or by another writer.
  {
    params: paramsOf(EVENT_COLUMNS),
    sql: (first, size) => `events AS (
      INSERT INTO account_event (${names(EVENT_COLUMNS)})
      ${rowsOf(EVENT_COLUMNS, first, size, { many: manyEvents(first) })})`,
  },
  // Accounts: the image's credentials are the account's credentials. Their links are locked in order of ids, as a connect does.
  {
    params: always(1),
    sql: (first) => `account_image AS (
      SELECT * FROM json_to_recordset($${first}::json) AS i(trading_account_id uuid, tenant_id text, user_id uuid, version bigint,
        venue text, external_trading_account_id text, nickname text, status text, initial_balances json, channel_epoch text,
        created_at bigint, updated_at bigint, disconnected_at bigint, cancel_all_at bigint, credential_ids json)),
    accounts AS (
      INSERT INTO trading_account AS t (trading_account_id, tenant_id, user_id, version, venue, external_trading_account_id, nickname,
        status, initial_balances, channel_epoch, created_at, updated_at, disconnected_at, cancel_all_at)
      SELECT trading_account_id, tenant_id, user_id, version, venue, external_trading_account_id, nickname, status, initial_balances,
        channel_epoch, created_at, updated_at, disconnected_at, cancel_all_at FROM account_image ${FENCED}
      ${onAccountConflict(ACCOUNT_SETS)}
      RETURNING t.trading_account_id),
    account_credential AS (
      SELECT i.trading_account_id, c.credential_id::uuid, c.position FROM account_image i JOIN accounts USING (trading_account_id),
        json_array_elements_text(i.credential_ids) WITH ORDINALITY AS c(credential_id, position)),
    detached AS (
      DELETE FROM trading_account_credential l USING accounts
      WHERE l.trading_account_id = accounts.trading_account_id AND NOT EXISTS (SELECT FROM account_credential n
        WHERE n.trading_account_id = l.trading_account_id AND n.credential_id = l.credential_id)),
    attached AS (
      INSERT INTO trading_account_credential AS l (trading_account_id, credential_id, position)
      SELECT trading_account_id, credential_id, position FROM account_credential ORDER BY credential_id
      ON CONFLICT (trading_account_id, credential_id) DO UPDATE SET position = excluded.position)`,
  },
  // Wiped credentials, of those that the unit's account has: kept while another account uses them. Sub-statements do not see each other's changes, hence the second
  // parameter: the accounts that this very batch disconnects.
  {
    params: always(2),
    sql: (first) => `wiped AS (
      UPDATE credential c SET status = 'REVOKED', revoked_at = coalesce(c.revoked_at, w.at),
        updated_at = CASE WHEN c.status = 'REVOKED' THEN c.updated_at ELSE w.at END, secret = NULL, kid = NULL
      FROM json_to_recordset($${first}::json) AS w(trading_account_id uuid, credential_id uuid, at bigint)
      WHERE c.credential_id = w.credential_id AND EXISTS (SELECT FROM fence)
        AND EXISTS (SELECT FROM trading_account_credential o
          WHERE o.trading_account_id = w.trading_account_id AND o.credential_id = c.credential_id)
        AND NOT EXISTS (SELECT FROM trading_account_credential l JOIN trading_account a USING (trading_account_id)
          WHERE l.credential_id = c.credential_id AND a.status <> 'DISCONNECTED'
            AND a.trading_account_id <> ALL ($${first + 1}::uuid[])))`,
  },
  // What ends with a disconnect: subscriptions, and links to dealers.
  {
    params: always(1),
    sql: (first) => `unlinked AS (
      DELETE FROM dealer_link l USING json_to_recordset($${first}::json) AS e(trading_account_id uuid)
      WHERE l.trading_account_id = e.trading_account_id AND EXISTS (SELECT FROM fence)),
    ended AS (
      UPDATE order_book_subscription s SET status = 'INACTIVE', updated_at = e.at
      FROM json_to_recordset($${first}::json) AS e(trading_account_id uuid, at bigint)
      WHERE s.trading_account_id = e.trading_account_id AND s.status = 'ACTIVE' AND EXISTS (SELECT FROM fence))`,
  },
  // Quarantined reports.
  {
    params: always(1),
    sql: (first) => `quarantined AS (
      INSERT INTO quarantined_report AS t (quarantined_report_id, tenant_id, trading_account_id, trade_order_id, report, reason, at)
      SELECT * FROM json_to_recordset($${first}::json) AS q(quarantined_report_id uuid, tenant_id text, trading_account_id uuid,
        trade_order_id uuid, report text, reason text, at bigint) ${FENCED}
      ${ON_REPORT_CONFLICT})`,
  },
  // News of quotes that stand among the events now.
  {
    params: always(2),
    sql: (first) => `told AS (
      DELETE FROM quote_news n USING unnest($${first}::uuid[], $${first + 1}::uuid[]) AS t(trading_account_id, event_id)
      WHERE n.event_id = t.event_id AND n.trading_account_id = t.trading_account_id AND EXISTS (SELECT FROM fence))`,
  },
  // Rows of the audit, in a lane of the writer's own. What is only selected runs where it is asked for: see `textOf`.
  {
    params: always(1),
    sql: (first) => `audited AS MATERIALIZED (SELECT audit_write('accounts', $${first}::jsonb) FROM fence)`,
  },
]
const AUDITED = SECTIONS.length - 1

/** Of orders, executions and events. */
type Sizes = readonly [orders: Size, executions: Size, events: Size]

const texts = new Map<string, string>()

/** Of the sections whose bits are set. Its result has one row while the process owns the database, none afterwards. */
const textOf = (name: string, mask: number, sizes: Sizes): string => {
  const known = texts.get(name)
  if (known !== undefined) return known
  let first = 3
  const parts = [`fence AS MATERIALIZED (${FENCE})`]
  SECTIONS.forEach((section, bit) => {
    if ((mask & (1 << bit)) === 0) return
    const size = sizes[bit] ?? MANY
    parts.push(section.sql(first, size))
    first += section.params(size)
  })
  const text = `WITH ${parts.join(",\n")}\nSELECT node_id FROM fence${(mask & (1 << AUDITED)) === 0 ? "" : ", audited"}`
  texts.set(name, text)
  return text
}

const accountImage = (a: TradingAccount) => ({
  trading_account_id: a.tradingAccountId,
  tenant_id: a.tenantId,
  user_id: a.userId,
  version: a.version,
  venue: a.venue,
  external_trading_account_id: a.externalTradingAccountId,
  nickname: a.nickname,
  status: a.status,
  initial_balances: a.initialBalances,
  channel_epoch: a.channelEpoch,
  created_at: a.createdAt,
  updated_at: a.updatedAt,
  disconnected_at: a.disconnectedAt,
  cancel_all_at: a.cancelAllAt,
  credential_ids: a.credentials.map((credential) => credential.credentialId),
})

const rests = (order: TradeOrder): boolean =>
  order.orderStatus === "ACCEPTED" || order.orderStatus === "PARTIALLY_FILLED"

/** Rows of one id in a batch that are no images of one thing: halves find the unit whose fault it is. */
const clash = (what: string): never => {
  throw new Error(`${what} in the place of another`)
}

/**
 * Numbers the events, keeps the last image per row and writes everything as parameters. `numberOf` knows every account of the units. Throws when a
 * row is not its unit's account's.
 */
export const freeze = (
  units: ReadonlyArray<Unit>,
  fence: { readonly nodeId: string; readonly epoch: number; readonly arraysOnly?: boolean | undefined },
  numberOf: (account: TradingAccountId) => Numbering,
): FrozenBatch => {
  const orders = new Map<TradeOrderId, StoredOrder>()
  const executions = new Map<string, StoredExecution>()
  const accounts = new Map<TradingAccountId, TradingAccount>()
  const wiped: Array<{ trading_account_id: TradingAccountId; credential_id: CredentialId; at: number }> = []
  const leaving: Array<TradingAccountId> = []
  const ended: Array<{ trading_account_id: TradingAccountId; at: number }> = []
  const quarantined = new Map<string, Record<string, string | number | null>>()
  const told = { accounts: [] as string[], events: [] as string[] }
  const audited: Array<ReturnType<typeof actRow>> = []
  const lastSequences = new Map<TradingAccountId, number>()
  const firstSequences: Array<number> = []
  const events: Array<NumberedEvent> = []
  let places = 0

  for (const unit of units) {
    const { tenantId, lastSequence } = numberOf(unit.accountId)
    const stranger = strangerIn(unit, tenantId)
    if (stranger !== undefined) throw new Error(`${stranger} of another account`)
    for (const row of unit.rows) {
      switch (row._tag) {
        case "Order": {
          const known = orders.get(row.order.tradeOrderId)
          if (known !== undefined && !isSameOrder(known.order, row.order)) clash("an order")
          // An image that comes too late changes nothing, so it takes no place in the queue either.
          if (known !== undefined && known.order.version >= row.order.version) break
          const place = known?.place ?? (rests(row.order) ? places++ : null)
          const actor = known?.actor ?? row.actor ?? null
          orders.set(row.order.tradeOrderId, { order: row.order, place, actor })
          break
        }
        case "Execution": {
          const known = executions.get(row.execution.executionId)
          if (known === undefined) executions.set(row.execution.executionId, { execution: row.execution, tenantId })
          else if (!isSameExecution(known.execution, row.execution)) clash("an execution")
          break
        }
        case "Account":
          if ((accounts.get(row.account.tradingAccountId)?.version ?? 0) < row.account.version)
            accounts.set(row.account.tradingAccountId, row.account)
          break
        case "CredentialsWiped":
          for (const credentialId of row.credentialIds)
            wiped.push({ trading_account_id: unit.accountId, credential_id: credentialId, at: row.at })
          leaving.push(unit.accountId)
          break
        case "SubscriptionsEnded":
          ended.push({ trading_account_id: row.tradingAccountId, at: row.at })
          break
        case "Quarantined":
          if (quarantined.has(row.id) && quarantined.get(row.id)?.["trading_account_id"] !== unit.accountId)
            clash("a report")
          quarantined.set(row.id, {
            quarantined_report_id: row.id,
            tenant_id: tenantId,
            trading_account_id: unit.accountId,
            trade_order_id: row.tradeOrderId,
            report: row.report,
            reason: row.reason,
            at: row.at,
          })
          break
        case "Audited":
          audited.push(actRow(row.act, row.at, "ok"))
          break
        case "NewsTold":
          for (const eventId of row.eventIds) {
            told.accounts.push(unit.accountId)
            told.events.push(eventId)
          }
          break
      }
    }
    let sequence = lastSequences.get(unit.accountId) ?? lastSequence
    firstSequences.push(sequence + 1)
    for (const event of unit.events) {
      sequence++
      events.push({ accountId: unit.accountId, sequence, event, tenantId })
    }
    lastSequences.set(unit.accountId, sequence)
  }

  let mask = 0
  const values: Array<string | number | null> = [fence.nodeId, fence.epoch]
  const include = (bit: number, ...params: ReadonlyArray<string>): void => {
    mask |= 1 << bit
    for (const param of params) values.push(param)
  }
  // Statements for few rows are prepared too: a kind of their own for each of the rare sections would be hundreds.
  const isRare =
    accounts.size + wiped.length + ended.length + quarantined.size + told.events.length + audited.length > 0
  const isSmall = !isRare && fence.arraysOnly !== true
  const sizeIn = (rows: number): Size => (isSmall && rows > 0 ? sizeOf(rows) : MANY)
  const sizes: Sizes = [sizeIn(orders.size), sizeIn(executions.size), sizeIn(events.length)]
  const includeRows = <Row>(
    bit: 0 | 1 | 2,
    columns: ReadonlyArray<Column<Row>>,
    rows: ReadonlyArray<Row>,
    many: () => ReadonlyArray<string>,
  ): void => {
    const size = sizes[bit]
    if (size === MANY) return include(bit, ...many())
    mask |= 1 << bit
    pushValues(values, columns, rows)
    for (let i = rows.length * columns.length; i < size * columns.length; i++) values.push(null)
  }
  if (orders.size > 0) {
    const rows = [...orders.values()]
    includeRows(0, ORDER_COLUMNS, rows, () => literalsOf(ORDER_COLUMNS, rows))
  }
  if (executions.size > 0) {
    const rows = [...executions.values()]
    includeRows(1, EXECUTION_COLUMNS, rows, () => literalsOf(EXECUTION_COLUMNS, rows))
  }
  if (events.length > 0)
    includeRows(2, EVENT_COLUMNS, events, () => [
      ...literalsOf(EVENT_COLUMNS.slice(0, -1), events),
      joined(events.map(({ event }) => event.kept ?? event.payload)),
    ])
  if (accounts.size > 0) include(3, JSON.stringify([...accounts.values()].map(accountImage)))
  if (wiped.length > 0) include(4, JSON.stringify(wiped), `{${leaving.join(",")}}`)
  if (ended.length > 0) include(5, JSON.stringify(ended))
  if (quarantined.size > 0) include(6, JSON.stringify([...quarantined.values()]))
  if (told.events.length > 0) include(7, arrayLiteral(told.accounts), arrayLiteral(told.events))
  if (audited.length > 0) include(AUDITED, JSON.stringify(audited))
  const name = `batch-${mask}-${sizes.join("")}`
  return { name, text: textOf(name, mask, sizes), values, firstSequences, lastSequences, events }
}
