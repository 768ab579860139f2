/**
 * `cost`: what an order costs in counts, which no other process on the machine changes: bytes and statements sent to PostgreSQL, its log
 * (WAL), the rows of the journal, and what the gateway's main thread allocates; durable submits of resting LIMIT orders on MOCK at 1, 32 and
 * 128 connections, and refused ones. Two versions are compared by two runs. The goal: 25 kB allocated an order.
 */
import type pg from "pg"
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import { ALLOCATION_OPTIONS, startAllocations, stopAllocations } from "./kit/allocations.ts"
import { startChild } from "./kit/child.ts"
import { type CountedDatabase, countedDatabase } from "./kit/counted-database.ts"
import { connectMockAccount, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { type Result, row, runBench, say, sleep } from "./kit/report.ts"
import type { Outcome, Plan, Target } from "./processes/http-load.ts"
import { ACCOUNTS, BALANCES, orderRequests, refusedRequests } from "./processes/order-wire.ts"

/** By numbers of orders, not by time: what the compiler has not seen to yet allocates more, and a slow machine is no dearer. */
const CASES = [
  { name: "128", connections: 128, isRefused: false, orders: 4_000 },
  { name: "32", connections: 32, isRefused: false, orders: 2_000 },
  { name: "1", connections: 1, isRefused: false, orders: 500 },
  { name: "32 refused", connections: 32, isRefused: true, orders: 2_000 },
] as const
const WARM_UP_ORDERS = 6_000
/** The load generator is asked for so much at a time. */
const ROUND_MILLIS = 1_000
/** What a gateway that is asked nothing sends to PostgreSQL is no order's cost. */
const IDLE_MILLIS = 3_000
const GOAL_BYTES = 25_000
const TOP = 25

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let counted: CountedDatabase | undefined

interface Counts {
  readonly bytes: number
  readonly statements: number
  readonly wal: number
  readonly journal: number
}

const countsOf = async (database: pg.Client): Promise<Counts> => {
  const { rows } = await database.query<{ wal: string; journal: string }>(
    `SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS wal,
       (SELECT coalesce(sum(octet_length(payload)), 0) FROM account_event) AS journal`,
  )
  return { ...counted!.counts(), wal: Number(rows[0]!.wal), journal: Number(rows[0]!.journal) }
}

const less = (a: Counts, b: Counts, share = 1): Counts => ({
  bytes: a.bytes - b.bytes * share,
  statements: a.statements - b.statements * share,
  wal: a.wal - b.wal * share,
  journal: a.journal - b.journal * share,
})

interface Cost extends Counts {
  readonly orders: number
  readonly allocated: number
}

const bench = async (): Promise<Result> => {
  // Whole pages after a checkpoint would hide what the rows cost: there is none.
  server = await startEmbeddedPostgres({
    dataDir: scratch("cost-database"),
    connectionsMax: 100,
    settings: { checkpoint_timeout: "1h", max_wal_size: "8GB" },
  })
  counted = await countedDatabase(server.url())
  const database = await connectDedicated(server.adminUrl())
  const gateway: Gateway = await startGateway(
    { DATA_DIR: scratch("cost"), DATABASE_URL: counted.url, MOCK_BALANCES: BALANCES, ACCOUNTS_MAX: String(ACCOUNTS) },
    ALLOCATION_OPTIONS,
  )
  const user = await signUp(gateway)
  const accounts: Array<string> = []
  for (let n = 0; n < ACCOUNTS; n++) accounts.push(await connectMockAccount(user, `bench-${n}`))
  const load = await startChild("http-load")
  const requests = {
    stored: orderRequests(accounts, user.accessToken),
    refused: refusedRequests(accounts, user.accessToken),
  }
  /** At least so many. */
  const run = async (connections: number, isRefused: boolean, orders: number): Promise<number> => {
    const target = { port: gateway.port, connections, requests: isRefused ? requests.refused : requests.stored }
    let answered = 0
    while (answered < orders) {
      await load.ask("open", target satisfies Target)
      const outcome = await load.ask<Outcome>("run", { millis: ROUND_MILLIS, perSecond: null } satisfies Plan)
      // A machine that is busy with other work refuses some: they are said, and no orders.
      if (!isRefused && outcome.refused > 0) say(`${outcome.refused} refused: ${outcome.firstRefusal.slice(0, 40)}`)
      answered += isRefused ? outcome.refused : outcome.requests - outcome.refused
    }
    // The venue's acknowledgement and its commit are the order's.
    await sleep(500)
    return answered
  }
  await run(128, false, WARM_UP_ORDERS)
  await run(32, true, WARM_UP_ORDERS / 3)
  await sleep(500)
  const before = await countsOf(database)
  await startAllocations(gateway.process)
  await sleep(IDLE_MILLIS)
  const { bytes: idleBytes } = await stopAllocations(gateway.process)
  const idle = less(await countsOf(database), before)
  const figures: Record<string, Cost> = {}
  say(row("an order", "PG bytes", "statements", "WAL bytes", "journal", "allocated"))
  for (const { name, connections, isRefused, orders: wanted } of CASES) {
    const began = await countsOf(database)
    const beganAt = performance.now()
    await startAllocations(gateway.process)
    const orders = await run(connections, isRefused, wanted)
    const allocated = await stopAllocations(gateway.process)
    const share = (performance.now() - beganAt) / IDLE_MILLIS
    const all = less(less(await countsOf(database), began), idle, share)
    const cost: Cost = {
      orders,
      bytes: all.bytes / orders,
      statements: all.statements / orders,
      wal: all.wal / orders,
      journal: all.journal / orders,
      allocated: (allocated.bytes - idleBytes * share) / orders,
    }
    figures[name] = cost
    say(row(`${name} connections`, cost.bytes, cost.statements, cost.wal, cost.journal, cost.allocated))
    for (const [where, bytes] of allocated.byFunction.slice(0, TOP))
      say(`${(bytes / orders).toFixed(0).padStart(10)}  ${where}`)
  }
  await database.end()
  await gateway.stop()
  const many = figures["128"]!
  say(`allocated an order at 128 connections: ${(many.allocated / 1000).toFixed(1)} kB (goal ${GOAL_BYTES / 1000})`)
  return {
    bench: "cost",
    conditions: {
      cases: CASES,
      warmUpOrders: WARM_UP_ORDERS,
      postgres: server.version,
      allocated: "bytes on the gateway's main thread, sampled every 16 kB, dead objects included; idle ones taken off",
      wal: "without a checkpoint, so few whole pages",
      ratio: "bytes allocated an order at 128 connections / the goal",
    },
    figures: { connections: figures, idle: { ...idle, allocated: idleBytes, millis: IDLE_MILLIS } },
    floor: { allocated: GOAL_BYTES },
    ratio: many.allocated / GOAL_BYTES,
  }
}

await runBench(bench, async () => {
  await endGateways()
  counted?.close()
  await server?.stop().catch(() => undefined)
})
