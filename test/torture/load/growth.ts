/**
 * `npm run torture -- growth`: orders that fill, some that are refused or cancelled, at a steady rate, and what they left behind: bytes of
 * each table, of the write-ahead log and of the gateway's files. Then all of them are archived beside the running gateway, and found.
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import pg from "pg"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { archiveOrders } from "../../../src/store/orders/archive.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { openStage, type Trader } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { Traffic } from "../nemesis/traffic.ts"

export interface GrowthOptions {
  readonly minutes: number
  readonly ratePerSecond: number
  readonly progress: (line: string) => void
}

const ACCOUNTS = 10
/** An order is over for good when nothing has touched it for so long: memory lets it go after a minute. */
const REST_MILLIS = 65_000

type Sizes = ReadonlyMap<string, number>

/** Of a table its partitions and indexes too; of what was inserted and is gone, nothing. */
const TABLES = `SELECT regexp_replace(relname, '_\\d{8}$|_default$', '') AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind = 'r' AND nspname = 'public' GROUP BY 1`
const WAL = "SELECT 'write-ahead log written' AS name, (pg_current_wal_lsn() - '0/0')::bigint AS bytes"

const filesOf = (folder: string): ReadonlyArray<readonly [string, number]> =>
  readdirSync(folder).map((name) => [`logs/${name}`, statSync(join(folder, name)).size])

const measure = async (url: string, dataDir: string): Promise<Sizes> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    // Pages of rows that are gone are used again after this, as autovacuum does it by itself.
    await client.query("VACUUM (ANALYZE)")
    const rows = [TABLES, WAL].map(async (text) => (await client.query<{ name: string; bytes: string }>(text)).rows)
    const sizes = (await Promise.all(rows)).flat().map(({ name, bytes }) => [name, Number(bytes)] as const)
    return new Map([...sizes, ...filesOf(join(dataDir, "logs"))])
  } finally {
    await client.end()
  }
}

const grown = (before: Sizes, after: Sizes, orders: number): ReadonlyArray<string> =>
  [...after]
    .map(([name, bytes]) => [name, bytes - (before.get(name) ?? 0)] as const)
    .filter(([, bytes]) => bytes !== 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name, bytes]) => `${name}: ${Math.round(bytes / 1024)} KiB, ${Math.round(bytes / orders)} bytes an order`)

const isSame = async ({ calls }: Trader, before: TradeOrderRecord): Promise<boolean> => {
  const { record } = await calls.get<TradeOrderRecord>(`/tradeOrder/get?tradeOrderId=${before.tradeOrderId}`)
  return JSON.stringify(record) === JSON.stringify(before)
}

export const growth = async ({ minutes, ratePerSecond, progress }: GrowthOptions): Promise<ReadonlyArray<Verdict>> => {
  const stage = await openStage({ MOCK_BALANCES: JSON.stringify({ USDT: "1000000000", BTC: "100000" }) })
  try {
    const { dataDir } = await stage.start()
    const traders: Array<Trader> = []
    for (let index = 0; index < ACCOUNTS; index += 1) traders.push(await stage.enter("mock"))
    const before = await measure(stage.databaseUrl, dataDir)
    const traffic = new Traffic(traders, ratePerSecond, (index) => ({
      orderSide: Math.floor(index / ACCOUNTS) % 2 === 0 ? "BUY" : "SELL",
      orderType: "MARKET",
      // One in nine is more than the account has: of each account some.
      quantity: index % 9 === 8 ? "99999999" : "0.0001",
    }))
    traffic.begin()
    for (let minute = 1; minute <= minutes; minute += 1) {
      await sleep(60_000)
      progress(`minute ${minute}: ${traffic.sent.length} orders`)
    }
    await traffic.end()
    await sleep(REST_MILLIS)
    const orders = traffic.sent.length
    const full = await measure(stage.databaseUrl, dataDir)
    for (const line of grown(before, full, orders)) progress(line)

    const known = await Promise.all(
      traders.map(async ({ calls, tradingAccountId }) => {
        const path = `/tradeOrder/list?tradingAccountId=${tradingAccountId}&limit=1`
        const [newest] = (await calls.get<ReadonlyArray<TradeOrderRecord>>(path)).record
        return (await calls.get<TradeOrderRecord>(`/tradeOrder/get?tradeOrderId=${newest!.tradeOrderId}`)).record
      }),
    )
    const startedAt = performance.now()
    const moved = await Effect.runPromise(
      archiveOrders({ before: Date.now() }).pipe(Effect.provide(sqlLayer(stage.databaseUrl))),
    )
    const seconds = (performance.now() - startedAt) / 1000
    progress(`archived ${moved.orders} orders and ${moved.executions} executions in ${seconds.toFixed(1)} s`)
    const archived = await measure(stage.databaseUrl, dataDir)
    for (const line of grown(full, archived, orders)) progress(line)
    const found = await Promise.all(known.map((order, index) => isSame(traders[index]!, order)))
    const stored = traffic.sent.filter(({ tradeOrderId }) => tradeOrderId !== undefined).length
    return [
      {
        name: "every order that was stored is archived",
        passed: moved.orders >= stored,
        says: `${moved.orders} of ${stored}`,
      },
      { name: "archived orders are answered as before", passed: !found.includes(false), says: `${found.length} asked` },
    ]
  } finally {
    await stage.close()
  }
}
