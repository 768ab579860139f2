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
const DAY_MILLIS = 86_400_000

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let gateway: Gateway | undefined

/** 1 of 100 is cancelled, 1 of 10,000 rejected, 1 of 1,000 is in ETH; the others are filled, in BTC. Newest now, 10 ms apart. */
const FILL = `
  INSERT INTO trade_order (trade_order_id, tenant_id, trading_account_id, version, venue, instrument_id, base_asset, quote_asset,
    order_side, order_type, time_in_force, order_status, reject_reason, cancel_reason, limit_price, quantity, order_quantity_type,
    quantity_rounding, base_quantity, executed_quantity, executed_cost, overfill_quantity, client_order_id, origin,
    cancel_requested, held, created_at, updated_at, open, ended_as, over_since)
  SELECT gen_random_uuid(), 'default', $1, 3, 'MOCK', CASE WHEN n % 1000 = 7 THEN 'MOCK:ETH/USDT' ELSE 'MOCK:BTC/USDT' END, 'BTC', 'USDT',
    'BUY', 'LIMIT', 'GTC', CASE WHEN n % 10000 = 3 THEN 'REJECTED' WHEN n % 100 = 5 THEN 'CANCELLED' ELSE 'FILLED' END,
    CASE WHEN n % 10000 = 3 THEN 'VENUE: rejected' END, CASE WHEN n % 100 = 5 THEN 'USER_REQUEST' END, 100, 1, 'BASE', '', 1, 0, 0, 0,
    $4::text || n, 'GATEWAY', false, 0, $3::bigint - n * 10, $3::bigint - n * 10,
    false, CASE WHEN n % 10000 = 3 THEN 'REJECTED' WHEN n % 100 = 5 THEN 'CANCELLED' ELSE 'FILLED' END, $3::bigint - n * 10
  FROM generate_series(1, $2::int) AS n`

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

const timed = async (calls: number, call: (n: number) => Promise<unknown>): Promise<Percentiles> => {
  for (let n = 0; n < 20; n++) await call(n)
  const millis = new Float64Array(calls)
  for (let n = 0; n < calls; n++) {
    const began = performance.now()
    await call(n)
    millis[n] = performance.now() - began
  }
  return percentiles(millis)
}

const casesOf = async (token: string, call: Call, account: string, size: Size, now: number) => {
  const of = { tradingAccountId: account, limit: 50 }
  const stored = STORED[size]
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
    "a second of the past": () =>
      list(token, { ...of, startTime: now - (stored / 2) * 10 - 1_000, endTime: now - (stored / 2) * 10 }),
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
  const figures: Record<Size, Record<string, Percentiles>> = { large: {}, small: {} }
  for (const size of ["small", "large"] as const) {
    const account = await connectMockAccount(user, size)
    await database.query(FILL, [account, STORED[size], now, `${size}-`])
    await database.query("VACUUM ANALYZE trade_order")
    const cases = await casesOf(user.accessToken, user.call, account, size, now)
    for (const [name, call] of Object.entries(cases)) figures[size][name] = await timed(CALLS, call)
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
  say(`the slowest kind of call, a million stored / a thousand stored: ${Math.max(...ratios).toFixed(1)}`)
  return {
    bench: "lists",
    conditions: {
      stored: STORED,
      callsPerCase: CALLS,
      ratio: "p50 with a million stored orders / with a thousand, the worst case",
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
