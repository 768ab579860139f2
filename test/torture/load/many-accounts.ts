/**
 * `npm run torture -- many-accounts`: a start with a thousand connected accounts of an exchange, each with thousands of past orders, and what
 * an account costs that rests: the slope between two starts, with a tenth of the accounts and with all of them, each measured when no
 * question waits for the venue's budget. The rows are copies, made in the database, of one account that was connected and one order that was filled
 * the ordinary way; all copies trade with the one credential.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { api, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface ManyAccountsOptions {
  readonly accounts: number
  /** Past orders of each. */
  readonly orders: number
  /** For how long it is waited that all of them become ACTIVE. */
  readonly seconds: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const READY_SECONDS = 20
const RSS_MEBIBYTES = 1_024
const IDLE_BYTES = 20_000
/** Longer than ended orders stay in memory. */
const REST_MILLIS = 90_000
const PROBE_MILLIS = 5_000
/** Past orders made by one statement. */
const ROWS = 200_000
/** Of an order, its execution and their indexes 1.9 kB; as much again for the log and sorts. 10 million of them do not fit into 24 GB of memory. */
const ROOM_BYTES = 4_000

/** Runs in the gateway's main thread: its heap after a collection of all garbage. */
const PROBE = `
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { isMainThread } from "node:worker_threads"
if (isMainThread && process.argv[1]?.includes("main.")) {
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc")
  setInterval(() => {
    collect()
    process.stderr.write("heap " + process.memoryUsage().heapUsed + "\\n")
  }, ${PROBE_MILLIS}).unref()
}`

const heapOf = async (gateway: Gateway): Promise<number> => {
  const seen = (): ReadonlyArray<string> => gateway.stderr().match(/^heap \d+$/gm) ?? []
  const before = seen().length
  return until("a collected heap", () => {
    const lines = seen()
    return lines.length > before + 1 ? Number(lines.at(-1)?.slice("heap ".length)) : undefined
  })
}

const rssOf = ({ pid }: Gateway): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

/** Ids near each other for rows made together: the index of ten million of them grows at its end. */
const idOf = (kind: "order" | "execution"): string =>
  `(lpad(to_hex(m.m), 8, '0') || substr(md5('${kind}' || n.id), 1, 24))::uuid`

/** `INSERT` of copies of a row, with other values for some columns. */
const copies = async (client: pg.Client, table: string, values: Readonly<Record<string, string>>): Promise<string> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_name = $1 AND is_generated = 'NEVER' AND identity_generation IS NULL`,
    [table],
  )
  const names = rows.map(({ name }) => name)
  return `INSERT INTO ${table} (${names.join(", ")}) SELECT ${names.map((name) => values[name] ?? `t.${name}`).join(", ")} FROM ${table} t`
}

/**
 * The tables' indexes but for those of constraints, as statements that make them again: ten million rows are made without them, without
 * triggers and without checks of foreign keys, and indexed afterwards. All of it ends with the session but for the indexes.
 */
const withoutIndexes = async (client: pg.Client): Promise<ReadonlyArray<string>> => {
  const { rows } = await client.query<{ name: string; statement: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS statement FROM pg_index i
     WHERE i.indrelid IN ('trade_order'::regclass, 'execution'::regclass)
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
  )
  await client.query(
    "SET session_replication_role = replica; SET synchronous_commit = off; SET maintenance_work_mem = '512MB'",
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return rows.map(({ statement }) => statement)
}

/** Accounts from the number `from` on, as copies of the first, which was connected by hand. */
const makeRows = async (
  url: string,
  from: number,
  accounts: number,
  { orders, progress }: Pick<ManyAccountsOptions, "orders" | "progress">,
): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const begunAt = performance.now()
    const account = await copies(client, "trading_account", {
      trading_account_id: "gen_random_uuid()",
      external_trading_account_id: "'copy ' || n.n",
    })
    await client.query(`CREATE TABLE IF NOT EXISTS copied AS
      SELECT trade_order_id, (SELECT trading_account_id FROM trading_account) AS account_id FROM trade_order`)
    const begun = await client.query<{ ids: ReadonlyArray<string> }>(
      "SELECT array_agg(trading_account_id) AS ids FROM trading_account",
    )
    const before = from === 2 ? [] : (begun.rows[0]?.ids ?? [])
    await client.query(
      `${account} JOIN copied c ON c.account_id = t.trading_account_id CROSS JOIN generate_series($1::int, $2::int) AS n(n)`,
      [from, accounts],
    )
    await client.query(
      `INSERT INTO trading_account_credential SELECT a.trading_account_id, l.credential_id, l.position, l.external_key
       FROM trading_account a CROSS JOIN trading_account_credential l ON CONFLICT DO NOTHING`,
    )
    const of = `JOIN copied USING (trade_order_id) CROSS JOIN
      (SELECT a.trading_account_id AS id, row_number() OVER () AS k FROM trading_account a
       WHERE a.trading_account_id <> ALL ($3::uuid[])) AS n CROSS JOIN generate_series($1::int, $2::int) AS m(m)`
    const order = await copies(client, "trade_order", {
      trade_order_id: idOf("order"),
      trading_account_id: "n.id",
      idempotency_key: "'key ' || m.m",
      client_order_id: "NULL",
      external_order_id: "'o' || m.m",
      created_at: "t.created_at - m.m * 1000",
      updated_at: "t.updated_at - m.m * 1000",
    })
    const execution = await copies(client, "execution", {
      execution_id: idOf("execution"),
      trading_account_id: "n.id",
      trade_order_id: idOf("order"),
      external_trade_id: "'t' || m.m",
      executed_at: "t.executed_at - m.m * 1000",
    })
    const indexes = await withoutIndexes(client)
    const step = Math.max(1, Math.floor(ROWS / accounts))
    for (let first = 1; first <= orders; first += step) {
      const to = Math.min(orders, first + step - 1)
      await client.query(`${order} ${of}`, [first, to, before])
      await client.query(`${execution} ${of}`, [first, to, before])
      progress(`many-accounts: ${accounts} x ${to} orders, ${((performance.now() - begunAt) / 1_000).toFixed(0)} s`)
    }
    for (const statement of indexes) await client.query(statement)
    await client.query("VACUUM ANALYZE")
    progress(`many-accounts: indexed, ${((performance.now() - begunAt) / 1_000).toFixed(0)} s`)
  } finally {
    await client.end()
  }
}

/** Accounts that have agreed with the exchange since then (wall ms). */
const agreed = async (url: string, since: number): Promise<number> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(
      `SELECT count(DISTINCT e.trading_account_id)::int AS count FROM account_event e JOIN trading_account a USING (trading_account_id)
       WHERE e.kind = 'TRADING_ACCOUNT.RECONCILED' AND e.at >= $1 AND a.status = 'ACTIVE'`,
      [since],
    )
    return rows[0]?.count ?? 0
  } finally {
    await client.end()
  }
}

const connectOne = async (
  gateway: Gateway,
  keys: { readonly apiKey: string; readonly apiSecret: string },
): Promise<void> => {
  const session = (await api(gateway).signup(`many-${randomUUID()}@example.com`)).record
  const calls = api(gateway).as(session.accessToken)
  const { credentialId } = (await calls.createCredential({ venue: "BINANCE", ...keys })).record
  const { tradingAccountId } = (await calls.connect({ venue: "BINANCE", credentialIds: [credentialId] })).record
  const isActive = async () =>
    (await calls.accounts({ tradingAccountId })).record.some(({ status }) => status === "ACTIVE")
  await until("the first account is ACTIVE", isActive)
  const order = await calls.submit({
    tradingAccountId,
    instrumentId: "BINANCE:BTC/USDT",
    orderSide: "BUY",
    orderType: "MARKET",
    quantity: "0.001",
    awaitClosed: true,
  })
  const { tradeOrderId } = order.record
  const isFilled = async () => (await calls.order(tradingAccountId, tradeOrderId)).record.orderStatus === "FILLED"
  await until("its order is FILLED", isFilled)
}

/** Questions of all accounts that wait for the venue's budget. */
const waitingAt = async (gateway: Gateway): Promise<number> => {
  const [metrics] = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr()) ?? []
  if (metrics === undefined) throw new Error("the gateway says nowhere where its metrics are")
  const text = await (await fetch(metrics)).text()
  const found = [...text.matchAll(/^venue_requests_waiting\{[^}]*op="(?:audit|opening)"[^}]*\} (\d+)$/gm)]
  if (found.length === 0) throw new Error("the metrics say nothing of what waits")
  return found.reduce((sum, [, count]) => sum + Number(count), 0)
}

interface Rested {
  readonly heap: number
  readonly rss: number
}

/** What the process has after a rest in which nothing of its accounts waited at the end. */
const rested = async (gateway: Gateway): Promise<Rested> => {
  await sleep(REST_MILLIS)
  for (;;) {
    const heap = await heapOf(gateway)
    if ((await waitingAt(gateway)) === 0) return { heap, rss: rssOf(gateway) }
  }
}

interface Started extends Rested {
  readonly readySeconds: number
  readonly activeSeconds: number
  /** Accounts that became ACTIVE in time. */
  readonly count: number
  /** RSS, MiB. */
  readonly highest: number
}

const startWith = async (
  accounts: number,
  database: string,
  { seconds, progress }: ManyAccountsOptions,
  start: () => Promise<Gateway>,
): Promise<Started> => {
  const startedAt = Date.now()
  const gateway = await start()
  const readySeconds = (Date.now() - startedAt) / 1_000
  progress(`many-accounts: ready after ${readySeconds.toFixed(1)} s, RSS ${rssOf(gateway).toFixed(0)} MiB`)
  let [count, activeSeconds, highest] = [0, 0, rssOf(gateway)]
  while (count < accounts && activeSeconds < seconds) {
    await sleep(2_000)
    count = await agreed(database, startedAt)
    activeSeconds = (Date.now() - startedAt) / 1_000
    highest = Math.max(highest, rssOf(gateway))
    progress(`many-accounts: ${count} ACTIVE after ${activeSeconds.toFixed(0)} s, RSS ${rssOf(gateway).toFixed(0)} MiB`)
  }
  const rest = await rested(gateway)
  await gateway.stop()
  return { ...rest, readySeconds, activeSeconds, count, highest: Math.max(highest, rest.rss) }
}

export const manyAccounts = async (options: ManyAccountsOptions): Promise<ReadonlyArray<Verdict>> => {
  const { accounts, orders, built } = options
  const exchange = await startBinanceExchange({ market: "still" })
  const directory = scratchDirectory("many-accounts", accounts * orders * ROOM_BYTES)
  const server = await startEmbeddedPostgres({ dataDir: directory })
  const keys = { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  exchange.addUser({ ...keys, balances: { USDT: "10000000", BTC: "1000" } })
  const env = {
    DATABASE_URL: server.url(),
    VENUE_ROUTES: JSON.stringify(exchange.routes),
    VENUE_SESSIONS_MAX: String(accounts + 1),
    METRICS_PORT: "0",
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(PROBE)}`,
  }
  const database = server.adminUrl("gateway")
  try {
    const first = await startGateway({ env, built })
    await connectOne(first, keys)
    await first.stop()
    const few = Math.max(2, Math.ceil(accounts / 10))
    await makeRows(database, 2, few, options)
    const { dataDir } = first
    const low = await startWith(few, database, options, () => startGateway({ env, built, dataDir }))
    await makeRows(database, few + 1, accounts, options)
    const all = await startWith(accounts, database, options, () => startGateway({ env, built, dataDir }))
    const { readySeconds, activeSeconds, count, rss, highest } = all
    const each = Math.round((all.heap - low.heap) / Math.max(1, accounts - few))
    const of = `${accounts} accounts with ${orders} past orders each`
    return [
      {
        name: "the start",
        passed: readySeconds <= READY_SECONDS,
        says: `ready after ${readySeconds.toFixed(1)} s with ${of}`,
      },
      {
        name: "the accounts",
        passed: count === accounts,
        says: `${count} of ${accounts} ACTIVE after ${activeSeconds.toFixed(0)} s`,
      },
      {
        name: "the process",
        passed: highest <= RSS_MEBIBYTES,
        says: `RSS ${rss.toFixed(0)} MiB at rest, ${highest.toFixed(0)} at most`,
      },
      {
        name: "an idle account",
        passed: each <= IDLE_BYTES,
        says: `${each} bytes of the main thread's heap, between ${few} accounts and ${accounts}`,
      },
    ]
  } finally {
    await server.stop()
    await exchange.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
