/**
 * The owner of each row of the database. A table with a tenant_id that is never null is self-explanatory; every other one is listed here, so that
 * a new table fails the test until the owner of its rows is declared.
 */
import type pg from "pg"

/** SQL over the row `t`, true for the rows of the tenant $1. */
type Belonging = string

const OF_USER = "EXISTS (SELECT FROM app_user u WHERE u.user_id = t.user_id AND u.tenant_id = $1)"
const OF_ACCOUNT =
  "EXISTS (SELECT FROM trading_account a WHERE a.trading_account_id = t.trading_account_id AND a.tenant_id = $1)"
const OF_WALLET = "EXISTS (SELECT FROM wallet w WHERE w.wallet_id = t.wallet_id AND w.tenant_id = $1)"
const OF_DEALER = "EXISTS (SELECT FROM dealer d WHERE d.dealer_account_id = t.dealer_account_id AND d.tenant_id = $1)"
const OF_SIDES =
  "EXISTS (SELECT FROM wallet w WHERE w.wallet_id IN (t.debit_wallet_id, t.credit_wallet_id) AND w.tenant_id = $1)"

/** Of tables without a tenant_id of their own, or with one that may be null. */
const BELONGING: Readonly<Record<string, Belonging>> = {
  tenant: "t.tenant_id = $1",
  allowed_network: `(t.tenant_id = $1 OR ${OF_USER})`,
  user_news: `(t.tenant_id = $1 OR ${OF_USER})`,
  idempotent_answer: OF_USER,
  one_time_token: OF_USER,
  second_factor: OF_USER,
  recovery_code: OF_USER,
  trading_account_credential: OF_ACCOUNT,
  account_sequence: OF_ACCOUNT,
  order_at_venue: OF_ACCOUNT,
  external_account: OF_ACCOUNT,
  quote_news: OF_ACCOUNT,
  exchange_mirror: OF_ACCOUNT,
  exchange_difference: OF_ACCOUNT,
  exchange_funding: OF_ACCOUNT,
  wallet_balance: OF_WALLET,
  ledger_hold: OF_SIDES,
  ledger_transfer: OF_SIDES,
  ledger_request: `EXISTS (SELECT FROM ledger_transfer x JOIN wallet w ON w.wallet_id IN (x.debit_wallet_id, x.credit_wallet_id)
    WHERE x.request_id = t.request_id AND w.tenant_id = $1)`,
  dealer_link: OF_DEALER,
  hedge_intent: OF_DEALER,
  dealer_books: OF_DEALER,
  dealer_book: OF_DEALER,
  dealer_book_cursor: OF_DEALER,
  dealer_book_verdict:
    "EXISTS (SELECT FROM trade_order o WHERE o.trade_order_id = t.trade_order_id AND o.tenant_id = $1)",
  hedge_owed: OF_DEALER,
  hedge_executed: OF_DEALER,
  hedge_fee: OF_DEALER,
  hedge_late: OF_DEALER,
  hedge_verdict: "EXISTS (SELECT FROM trade_order o WHERE o.trade_order_id = t.trade_order_id AND o.tenant_id = $1)",
  internal_trade: `EXISTS (SELECT FROM trading_account a
    WHERE a.trading_account_id IN (t.maker_account_id, t.taker_account_id) AND a.tenant_id = $1)`,
  // An act on what is the tenant's, and one of its users on what nobody else has.
  audit_row: "coalesce(t.object_tenant_id, t.tenant_id) = $1",
}

/** Rows of the whole installation: no act of one tenant may change them for the others. */
export const INSTALLATION: Readonly<Record<string, { readonly columns: string }>> = {
  // `updated_at` says when the venue was asked last, whichever tenant asked.
  instrument: { columns: "to_jsonb(t) - 'updated_at'" },
  trading_mode: { columns: "to_jsonb(t)" },
  encryption_key: { columns: "to_jsonb(t)" },
  // A lease is renewed by itself.
  gateway_node: { columns: "to_jsonb(t) - 'until'" },
}

/** Rows that belong to no tenant, and why their change is nobody's. */
const NOBODYS: Readonly<Record<string, string>> = {
  audit_head: "the newest number of a chain that all tenants' acts stand in",
  events_kept: "for how long the gateway keeps the events of all",
  ledger_audit: "how far the audit of the whole ledger has come",
  ledger_audit_finding: "what that audit found wrong, for operators",
  ledger_audit_pass: "where a pass of that audit is",
  ledger_audit_sum: "what that audit has added up: the balances that must be there",
  ledger_rejected: "transfers that the ledger refused: it only grows, and no wallet stands in it",
  mail_outbox: "sealed letters, without a word on whose they are",
  schema_migration: "the schema's own steps",
}

/** Of these a furnished tenant has none, and why. */
export const UNFURNISHED: Readonly<Record<string, string>> = {
  account_sequence: "of partitions that are two days old",
  order_at_venue: "names of orders at venues outside of this process",
  trading_account_credential: "accounts at venues outside of this process",
  trade_order_archive: "of orders that ended a day ago",
  execution_archive: "of orders that ended a day ago",
  quarantined_report: "reports of venues that were wrong",
  refused_submit: "submits that were refused; none of theirs is",
  one_time_token: "of mailed letters; this gateway mails none",
  hedge_verdict: "what admins say of hedges in doubt; none is",
  dealer_books: "books are written once an hour here",
  dealer_book: "books are written once an hour here",
  dealer_book_verdict: "what admins say of hedges in doubt; none is",
  hedge_late: "late fills of hedges that were over; there are none",
  exchange_mirror: "mirrors are written once an hour here",
  exchange_difference: "mirrors are written once an hour here",
  exchange_funding: "money moved at venues outside of this process",
}

/** News of whoever acts, which is gone after a while. */
const FLEETING: ReadonlySet<string> = new Set(["user_news", "quote_news"])

export interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

export interface Schema {
  /** By table, its belonging in SQL. */
  readonly owned: ReadonlyMap<string, Belonging>
  readonly columns: ReadonlyArray<Column>
  /** What stands in no list, and what stands in one for nothing. */
  readonly faults: ReadonlyArray<string>
}

/** Every table of the database, each classified; partitions are their parent's. */
export const readSchema = async (sql: pg.Client): Promise<Schema> => {
  const { rows } = await sql.query<Column & { readonly nullable: boolean }>(`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type, NOT a.attnotnull AS nullable
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%' AND n.nspname NOT LIKE 'pg_temp%'
       AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1, a.attnum`)
  const faults: Array<string> = []
  const owned = new Map<string, Belonging>()
  const tables = new Set(rows.map(({ table }) => table))
  const says = new Set(
    rows.flatMap((row) => (row.column === "tenant_id" && !row.nullable && row.table !== "tenant" ? [row.table] : [])),
  )
  for (const table of tables) {
    const listed = [BELONGING, INSTALLATION, NOBODYS].filter((list) => Object.hasOwn(list, table)).length
    if (listed + (says.has(table) ? 1 : 0) !== 1)
      faults.push(listed === 0 ? `${table}: whose its rows are is not said` : `${table}: is said twice`)
    const belonging = says.has(table) ? "t.tenant_id = $1" : BELONGING[table]
    if (belonging !== undefined) owned.set(table, belonging)
  }
  for (const table of [BELONGING, INSTALLATION, NOBODYS, UNFURNISHED].flatMap(Object.keys))
    if (!tables.has(table)) faults.push(`${table}: there is no such table`)
  return { owned, columns: rows, faults }
}

/** Every row of the tenant that stays, as text, by table. */
export const rowsOf = async (
  sql: pg.Client,
  { owned }: Schema,
  tenantId: string,
): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const [table, belonging] of owned) {
    if (FLEETING.has(table)) continue
    const { rows } = await sql.query<{ text: string }>(
      `SELECT t::text AS text FROM ${table} t WHERE ${belonging} ORDER BY 1`,
      [tenantId],
    )
    found[table] = rows.map(({ text }) => text)
  }
  return found
}

/** Rows that all tenants share, by table. */
export const sharedRows = async (sql: pg.Client): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const found: Record<string, ReadonlyArray<string>> = {}
  for (const [table, { columns }] of Object.entries(INSTALLATION)) {
    const { rows } = await sql.query<{ text: string }>(`SELECT (${columns})::text AS text FROM ${table} t ORDER BY 1`)
    found[table] = rows.map(({ text }) => text)
  }
  return found
}

/** What is in one of the two and not in the other, in words. */
export const changesOf = (
  before: Readonly<Record<string, ReadonlyArray<string>>>,
  after: Readonly<Record<string, ReadonlyArray<string>>>,
): ReadonlyArray<string> =>
  Object.keys(before).flatMap((table) => {
    const [had, has] = [new Set(before[table]), new Set(after[table])]
    return [
      ...before[table]!.filter((row) => !has.has(row)).map((row) => `${table} had ${row.slice(0, 400)}`),
      ...after[table]!.filter((row) => !had.has(row)).map((row) => `${table} has ${row.slice(0, 400)}`),
    ]
  })

/** Every uuid in the tenant's rows that is in no other tenant's: what must never be told to another. */
export const idsOf = async (sql: pg.Client, schema: Schema, tenantId: string, others: ReadonlyArray<string>) => {
  const read = async (tenant: string): Promise<Set<string>> => {
    const ids = new Set<string>()
    for (const [table, belonging] of schema.owned) {
      const uuids = schema.columns.filter((it) => it.table === table && it.type === "uuid")
      if (uuids.length === 0) continue
      const list = uuids.map(({ column }) => `t.${column}::text`).join(", ")
      const { rows } = await sql.query<{ id: string | null }>(
        `SELECT DISTINCT unnest(ARRAY[${list}]) AS id FROM ${table} t WHERE ${belonging}`,
        [tenant],
      )
      for (const { id } of rows) if (id !== null) ids.add(id)
    }
    return ids
  }
  const own = await read(tenantId)
  for (const other of others) for (const id of await read(other)) own.delete(id)
  return own
}

/** What a column's name says that it holds the id of: its table and key. Undefined: nothing that a tenant has. */
const REFERENCES: ReadonlyArray<readonly [name: RegExp, table: string, key: string]> = [
  [/(^|_)wallet_id$/, "wallet", "wallet_id"],
  [/^(trading|trader|maker|taker)_account_id$/, "trading_account", "trading_account_id"],
  [/^dealer_account_id$/, "dealer", "dealer_account_id"],
  [/(^|_)user_id$/, "app_user", "user_id"],
  [/^session_id$/, "session", "session_id"],
  [/^credential_id$/, "credential", "credential_id"],
  [/(^|_)order_id$/, "trade_order", "trade_order_id"],
  [/(^|_)quote_id$/, "quote", "quote_id"],
  [/^subscription_id$/, "order_book_subscription", "subscription_id"],
]

/** Of no tenant's record: keys of rows, names at venues, and numbers of their own kind. */
const UNREFERENCED: ReadonlySet<string> = new Set([
  "tenant_id",
  "node_id",
  "instrument_id",
  "event_id",
  "execution_id",
  "quarantined_report_id",
  "external_order_id",
  "external_trading_account_id",
  "client_order_id",
  "external_trade_id",
  "order_list_id",
  "position_id",
  "claim_id",
  "request_id",
  "client_request_id",
  "batch_id",
  "transfer_id",
  "pending_id",
  "hold_id",
  "trade_id",
  "quote_request_id",
  "pricing_profile_id",
  "hedge_intent_id",
  "funding_id",
  "mail_id",
  "news_id",
  "act_id",
  "key_id",
  "object_id",
  "other_id",
  "object_tenant_id",
])

/** Who acted on what stands there; an operator's and the installation's acts have no tenant. */
const TOLD: ReadonlySet<string> = new Set(["audit_row"])

/** A session or key that a move ended stays where it was. */
const PRESENT: Readonly<Record<string, string>> = { session: "t.revoked_at IS NULL", api_key: "t.revoked_at IS NULL" }

/** Rows of one tenant that hold the id of something of another, as words; and columns whose name says nothing here. */
export const crossings = async (
  sql: pg.Client,
  { owned, columns }: Schema,
  tenants: ReadonlyArray<string>,
): Promise<{ readonly asked: number; readonly faults: ReadonlyArray<string> }> => {
  const faults: Array<string> = []
  let asked = 0
  for (const { table, column } of columns) {
    const belonging = owned.get(table)
    if (belonging === undefined || TOLD.has(table) || !/_id$/.test(column) || UNREFERENCED.has(column)) continue
    const meant = REFERENCES.find(([name]) => name.test(column))
    if (meant === undefined) {
      faults.push(`${table}.${column}: what it holds the id of is not said`)
      continue
    }
    const [, to, key] = meant
    for (const tenant of tenants) {
      asked += 1
      const { rows } = await sql.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${table} t JOIN ${to} o ON o.${key} = t.${column}
          WHERE ${belonging} AND ${PRESENT[table] ?? "true"} AND o.tenant_id <> $1`,
        [tenant],
      )
      if (rows[0]!.n > 0) faults.push(`${table}.${column}: ${rows[0]!.n} rows of ${tenant} hold the id of another's`)
    }
  }
  return { asked, faults }
}
