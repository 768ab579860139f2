/**
 * `npm run torture -- upkeep`: a day with millions of events is dropped, and the default partition emptied, under steady commits through
 * the gateway's own writer; then a gateway starts while a reader holds every table, as pg_dump does. The database is on the disk.
 */
import { randomUUID } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { AccountStore } from "../../../src/ports/account-store.ts"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { maintainPartitions, makeDaysAhead } from "../../../src/store/orders/partitions.ts"
import { migrate, sqlLayer } from "../../../src/store/postgres/sql.ts"
import {
  event,
  image,
  newOrder,
  orderRow,
  query,
  type Store,
  storeAccount,
  storeLayer,
} from "../../integration/store/account-store-rig.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { startGateway, until } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { quantile } from "../nemesis/traffic.ts"

export interface UpkeepOptions {
  /** Of the day that goes; a tenth of them more in the default partition. */
  readonly events: number
  readonly ratePerSecond: number
  /** Of commits before the upkeep, seconds. */
  readonly seconds: number
  readonly progress: (line: string) => void
}

const DAY_MILLIS = 86_400_000
/** Of the day that goes. */
const ACCOUNTS = 1_000
const WRITERS = 20
const CHUNK = 250_000
/** As an order's event has. */
const PAYLOAD_BYTES = 600
/** What the upkeep may add to the slowest commit. */
const ADDED_MILLIS = 100
/** For the next try after a reader has left: the tries of a start that went wrong become rare. */
const READER_GONE_MILLIS = 120_000
/** After the upkeep: the server removes files, and its disk is busy. */
const AFTERMATH_MILLIS = 10_000

const account = (n: string): string => `lpad(to_hex(${n}), 32, '0')::uuid`

/** Events in the order in which time brings them: of all accounts in turn. */
const fill = async (url: string, from: number, count: number, at: number, accounts: string): Promise<void> => {
  await query(
    url,
    `INSERT INTO account_event (trading_account_id, sequence, at, event_id, tenant_id, kind, payload)
     SELECT ${account(`${accounts} + n % ${ACCOUNTS}`)}, n / ${ACCOUNTS} + 1, ${at}::bigint + n % 80000000, gen_random_uuid(), 'default',
       'TRADE_ORDER.ACCEPTED', repeat('x', ${PAYLOAD_BYTES})
     FROM generate_series(${from}, ${from + count - 1}) AS n`,
  )
}

/** Latencies of commits that begin at a steady pace, whatever becomes of the ones before: ms, from the planned moment. */
const steadyCommits = (store: Store, accounts: ReadonlyArray<Parameters<typeof newOrder>[0]>, rate: number) => {
  let latencies: Array<number> = []
  let lost = 0
  let isOpen = true
  const one = (n: number, plannedAt: number): void => {
    const owner = accounts[n % accounts.length]!
    const order = newOrder(owner)
    const accepted = image(order, { orderStatus: "ACCEPTED", externalOrderId: randomUUID() })
    store.commit({
      accountId: owner.tradingAccountId,
      rows: [orderRow(order), orderRow(accepted)],
      events: [event("x".repeat(PAYLOAD_BYTES)), event("x".repeat(PAYLOAD_BYTES))].map((it) => ({
        ...it,
        at: Date.now(),
      })),
      settled: (outcome) => {
        if (outcome._tag !== "Committed") lost++
        latencies.push(performance.now() - plannedAt)
      },
    })
  }
  const startedAt = performance.now()
  const run = (async () => {
    for (let n = 0; isOpen; n++) {
      const plannedAt = startedAt + (n * 1_000) / rate
      const wait = plannedAt - performance.now()
      if (wait > 1) await sleep(wait)
      one(n, plannedAt)
    }
  })()
  return {
    /** Those since the last time. */
    take: () => {
      const taken = latencies
      latencies = []
      return { p50: quantile(taken, 0.5), p99: quantile(taken, 0.99), worst: quantile(taken, 1), count: taken.length }
    },
    lost: () => lost,
    end: async () => {
      isOpen = false
      await run
    },
  }
}

type Latencies = ReturnType<ReturnType<typeof steadyCommits>["take"]>
const said = ({ p50, p99, worst, count }: Latencies): string =>
  `${count} commits, p50 ${p50}, p99 ${p99}, worst ${worst} ms`

/** Commits before, during and after the upkeep of a full day. */
const underLoad = async (url: string, adminUrl: string, options: UpkeepOptions): Promise<ReadonlyArray<Verdict>> => {
  const { events, ratePerSecond, seconds, progress } = options
  const runtime = ManagedRuntime.make(Layer.merge(storeLayer(url), sqlLayer(url)))
  try {
    const now = Date.now()
    const today = Math.floor(now / DAY_MILLIS)
    const old = (today - 3) * DAY_MILLIS
    await runtime.runPromise(makeDaysAhead(old))
    for (let n = 0; n < events; n += CHUNK) {
      await fill(url, n, Math.min(CHUNK, events - n), old, "1")
      progress(`upkeep: ${Math.min(n + CHUNK, events)} events of the day that goes`)
    }
    // Of a day that has no partition.
    await fill(url, 0, Math.ceil(events / 10), (today - 30) * DAY_MILLIS, String(ACCOUNTS + 1))
    // What is still to be written of them is no part of what is measured.
    await query(adminUrl, "CHECKPOINT")
    const accounts = []
    for (let n = 0; n < WRITERS; n++) accounts.push(await storeAccount(runtime))
    const load = steadyCommits(await runtime.runPromise(AccountStore), accounts, ratePerSecond)
    await sleep(3_000)
    load.take()
    await sleep(seconds * 1_000)
    const before = load.take()
    progress(`upkeep: before: ${said(before)}`)
    const startedAt = performance.now()
    const dropped: Array<string> = []
    let turns = 0
    for (let left = 1; left > 0; turns++) {
      const done = await runtime.runPromise(maintainPartitions(now))
      dropped.push(...done.dropped)
      left = done.postponed.length
      if (left > 0) await sleep(1_000)
    }
    const tookMillis = Math.round(performance.now() - startedAt)
    await sleep(AFTERMATH_MILLIS)
    const during = load.take()
    progress(`upkeep: during, ${tookMillis} ms in ${turns} turns, and after: ${said(during)}`)
    await load.end()
    const [kept] = await query(
      url,
      `SELECT count(*)::int AS accounts, sum(last_sequence)::int AS numbers, count(*) FILTER (WHERE last_sequence = 0)::int AS none
       FROM account_sequence`,
    )
    const numbers = events + Math.ceil(events / 10)
    const isKept = kept?.["accounts"] === 2 * ACCOUNTS && kept["numbers"] === numbers
    const added = Math.round(during.worst - before.worst)
    return [
      {
        name: "worst commit during the upkeep",
        passed: added <= ADDED_MILLIS && load.lost() === 0,
        says: `${added} ms over the usual (at most ${ADDED_MILLIS}); before: ${said(before)}; during: ${said(during)}; ${load.lost()} refused`,
      },
      {
        name: "the day is gone",
        passed: dropped.includes(nameOf(today - 3)),
        says: `${dropped.join(", ")} in ${tookMillis} ms, ${turns} turns`,
      },
      { name: "numbers of its accounts", passed: isKept, says: JSON.stringify(kept) },
    ]
  } finally {
    await runtime.dispose()
  }
}

const nameOf = (day: number): string =>
  `account_event_${new Date(day * DAY_MILLIS).toISOString().slice(0, 10).replaceAll("-", "")}`

/** A gateway starts while a partition is due and a reader holds every table there is, in one transaction, as pg_dump does. */
const besideReader = async (url: string, progress: UpkeepOptions["progress"]): Promise<ReadonlyArray<Verdict>> => {
  const due = nameOf(Math.floor(Date.now() / DAY_MILLIS) - 9)
  const from = (Math.floor(Date.now() / DAY_MILLIS) - 9) * DAY_MILLIS
  await query(url, `CREATE TABLE ${due} PARTITION OF account_event FOR VALUES FROM (${from}) TO (${from + DAY_MILLIS})`)
  const reader = new pg.Client({ connectionString: url })
  await reader.connect()
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  for (const { it } of await query(
    url,
    "SELECT format('%I.%I', schemaname, tablename) AS it FROM pg_tables WHERE schemaname = 'public'",
  ))
    await reader.query(`LOCK TABLE ${it} IN ACCESS SHARE MODE`)
  const startedAt = performance.now()
  const gateway = await startGateway({ env: { DATABASE_URL: url, PORT: String(await freePort()) } })
  const readyMillis = Math.round(performance.now() - startedAt)
  progress(`upkeep: ready beside a reader after ${readyMillis} ms`)
  const isThere = async () => (await query(url, `SELECT to_regclass('${due}') AS it`))[0]?.["it"] !== null
  const lines = () =>
    [...gateway.stdout, gateway.stderr()].join("\n").split('"loop":"upkeep of the journal"').length - 1
  await until("the word of what was left", () => lines() > 0, READER_GONE_MILLIS).catch(() => undefined)
  await sleep(5_000)
  const stood = { isThere: await isThere(), lines: lines() }
  await reader.end()
  const isGone = await until("the partition to go", async () => !(await isThere()), READER_GONE_MILLIS).then(
    () => true,
    () => false,
  )
  const { code } = await gateway.stop()
  return [
    { name: "start beside a reader of everything", passed: code === 0, says: `ready after ${readyMillis} ms` },
    {
      name: "what it left",
      passed: stood.isThere && stood.lines === 1 && isGone,
      says: `said ${stood.lines} times; ${isGone ? "done" : "not done"} when the reader had left`,
    },
  ]
}

export const upkeep = async (options: UpkeepOptions): Promise<ReadonlyArray<Verdict>> => {
  const directory = mkdtempSync(join(tmpdir(), `venue-gateway-upkeep-${process.pid}-`))
  chmodSync(directory, 0o755)
  const server = await startEmbeddedPostgres({ dataDir: directory })
  try {
    await migrate(server.url())
    const loaded = await underLoad(server.url(), server.adminUrl("postgres"), options)
    return [...loaded, ...(await besideReader(server.url(), options.progress))]
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
