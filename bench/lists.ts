/**
 * `lists`: reading and cancelling orders of an account with a million stored ones, over HTTP, one call at a time. The floor is the same
 * calls for an account of the same database with a thousand: constant time means that the ratio stays near one.
 */
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import {
  type Call,
  connectMockAccount,
  endGateways,
  type Gateway,
  scratch,
  signUp,
  startGateway,
} from "./kit/gateway.ts"
import { type Percentiles, percentiles, type Result, row, runBench, say } from "./kit/report.ts"

const STORED = { large: 1_000_000, small: 1_000 } as const
type Size = keyof typeof STORED
const CALLS = 300
/** A kind of call that is slow is called as often as fits, but for so many that its median is one. */
const CALLS_MIN = 30
const CASE_MILLIS = 12_000
const DAY_MILLIS = 86_400_000
/** Stored by one statement. */
const SLICE = 50_000
/** After so long the account has what it has: the result says how many. */
const FILL_MILLIS = 300_000

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let gateway: Gateway | undefined

/**
 * 1 of 100 is cancelled, 1 of 10,000 rejected, 1 of 1,000 is in ETH; the others are filled, in BTC. Newest now, 10 ms apart, the oldest first and with
 * ids that ascend with their time, as the gateway stores them.
 */
const FILL = `
  INSERT INTO trade_order (trade_order_id, tenant_id, trading_account_id, version, venue, instrument_id, base_asset, quote_asset,
    order_side, order_type, time_in_force, order_status, reject_reason, cancel_reason, limit_price, quantity, order_quantity_type,
    quantity_rounding, base_quantity, executed_quantity, executed_cost, overfill_quantity, client_order_id, origin,
    cancel_requested, held, created_at, updated_at, open, ended_as, over_since)
  SELECT (lpad(to_hex($3::bigint - n * 10), 12, '0') || '7000a' || substr(md5($4::text || n), 1, 15))::uuid,
    'default', $1, 3, 'MOCK', CASE WHEN n % 1000 = 7 THEN 'MOCK:ETH/USDT' ELSE 'MOCK:BTC/USDT' END, 'BTC', 'USDT',
    'BUY', 'LIMIT', 'GTC', CASE WHEN n % 10000 = 3 THEN 'REJECTED' WHEN n % 100 = 5 THEN 'CANCELLED' ELSE 'FILLED' END,
    CASE WHEN n % 10000 = 3 THEN 'VENUE: rejected' END, CASE WHEN n % 100 = 5 THEN 'USER_REQUEST' END, 100, 1, 'BASE', '', 1, 0, 0, 0,
    $4::text || n, 'GATEWAY', false, 0, $3::bigint - n * 10, $3::bigint - n * 10,
    false, CASE WHEN n % 10000 = 3 THEN 'REJECTED' WHEN n % 100 = 5 THEN 'CANCELLED' ELSE 'FILLED' END, $3::bigint - n * 10
  FROM generate_series($2::int, $5::int, -1) AS n`

interface Database {
  query(text: string, values?: ReadonlyArray<unknown>): Promise<unknown>
}

/** How many were stored: of fewer than were asked for the newest are missing. */
const fill = async (database: Database, account: string, size: Size, now: number): Promise<number> => {
  const wanted = STORED[size]
  const began = performance.now()
  // What is derived from a new order's row needs a venue that names it, a dealer, or an archive: there is none of it.
  await database.query("ALTER TABLE trade_order DISABLE TRIGGER USER")
  await database.query("SET synchronous_commit = off")
  let stored = 0
  while (stored < wanted && (stored === 0 || performance.now() - began < FILL_MILLIS)) {
    const slice = Math.min(SLICE, wanted - stored)
    const first = wanted - stored
    await database.query(FILL, [account, first, now, `${size}-`, first - slice + 1])
    stored += slice
    if (size === "large")
      say(`stored ${stored} of ${wanted} after ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  }
  await database.query("ALTER TABLE trade_order ENABLE TRIGGER USER")
  await database.query("VACUUM ANALYZE trade_order")
  return stored
}

const query = (fields: Readonly<Record<string, string | number>>): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])).toString()

interface Envelope {
  readonly success: boolean
  readonly data: ReadonlyArray<{ readonly tradeOrderId: string }>
  readonly pagination: { readonly cursor: string | null }
}

const list = async (token: string, fields: Readonly<Record<string, string | number>>): Promise<Envelope> => {
  const response = await fetch(`${gateway?.http}/api/v3/tradeOrder/list?${query(fields)}`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const envelope = (await response.json()) as Envelope
  if (!envelope.success || envelope.data.length === 0)
    throw new Error(`list ${query(fields)}: ${JSON.stringify(envelope)}`)
  return envelope
}

const timed = async (call: (n: number) => Promise<unknown>): Promise<Percentiles & { readonly calls: number }> => {
  const until = performance.now() + CASE_MILLIS
  for (let n = 0; n < 20 && (n < 3 || performance.now() < until); n++) await call(n)
  const millis: Array<number> = []
  while (millis.length < CALLS && (millis.length < CALLS_MIN || performance.now() < until)) {
    const began = performance.now()
    await call(millis.length)
    millis.push(performance.now() - began)
  }
  return { ...percentiles(millis), calls: millis.length }
}

const casesOf = async (
  token: string,
  call: Call,
  account: string,
  size: Size,
  { stored, now }: { readonly stored: number; readonly now: number },
) => {
  const of = { tradingAccountId: account, limit: 50 }
  /** Of the order in their middle. */
  const past = now - (STORED[size] - stored / 2) * 10
  const middle = (await list(token, { ...of, offset: stored / 2 })).pagination.cursor ?? ""
  const price = "100"
  return {
    newest: () => list(token, of),
    "in the middle, by cursor": () => list(token, { ...of, cursor: middle }),
    "in the middle, by offset": () => list(token, { ...of, offset: stored / 2 }),
    "at the end, by offset": () => list(token, { ...of, offset: stored - 60 }),
    "oldest first": () => list(token, { ...of, ascending: "true" }),
    "a rare status": () => list(token, { ...of, status: "REJECTED", limit: 1 }),
    "a common status": () => list(token, { ...of, status: "FILLED" }),
    "a rare instrument": () => list(token, { ...of, instrumentId: "MOCK:ETH/USDT", limit: 1 }),
    "a second of the past": () => list(token, { ...of, startTime: past - 1_000, endTime: past }),
    "submit and cancel": async (n: number) => {
      const order = await call<{ tradeOrderId: string }>("/tradeOrder/submit", {
        tradingAccountId: account,
        instrumentId: "MOCK:BTC/USDT",
        orderSide: "BUY",
        orderType: "LIMIT",
        quantity: "0.5",
        limitPrice: price,
        clientOrderId: `cancel-${size}-${n}-${performance.now()}`,
      })
      await call("/tradeOrder/cancel", { tradingAccountId: account, tradeOrderId: order.tradeOrderId })
    },
  }
}

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: scratch("lists") })
  gateway = await startGateway({
    DATA_DIR: scratch("lists-gateway"),
    DATABASE_URL: server.url(),
    RATE_LIMITS: "off",
    MOCK_BALANCES: JSON.stringify({ USDT: "1000000" }),
  })
  const user = await signUp(gateway)
  const now = Date.now() - DAY_MILLIS / 24
  const database = await connectDedicated(server.url())
  const figures: Record<Size, Record<string, Awaited<ReturnType<typeof timed>>>> = { large: {}, small: {} }
  const stored = { large: 0, small: 0 }
  for (const size of ["small", "large"] as const) {
    const account = await connectMockAccount(user, size)
    stored[size] = await fill(database, account, size, now)
    const cases = await casesOf(user.accessToken, user.call, account, size, { stored: stored[size], now })
    for (const [name, call] of Object.entries(cases)) figures[size][name] = await timed(call)
  }
  await database.end()
  say(row("ms, one call at a time", "p50", "p99", "p50 of 1,000", "p99 of 1,000"))
  for (const [name, { p50, p99 }] of Object.entries(figures.large)) {
    const floor = figures.small[name]
    say(row(name, p50, p99, floor?.p50 ?? Number.NaN, floor?.p99 ?? Number.NaN))
  }
  await gateway.stop()
  await server.stop()
  const ratios = Object.entries(figures.large).map(([name, { p50 }]) => p50 / (figures.small[name]?.p50 ?? Number.NaN))
  say(`the slowest kind of call, ${stored.large} stored / ${stored.small} stored: ${Math.max(...ratios).toFixed(1)}`)
  return {
    bench: "lists",
    conditions: {
      stored,
      callsPerCase: `${CALLS}, or as many as fit into ${CASE_MILLIS} ms, but ${CALLS_MIN}`,
      ratio: "p50 with all stored orders of the large account / with those of the small one, the worst case",
    },
    figures: { ...figures.large["newest"], lost: 0, cases: figures.large },
    floor: { cases: figures.small },
    ratio: Math.max(...ratios),
  }
}

await runBench(bench, async () => {
  await endGateways()
  await server?.stop().catch(() => undefined)
})
