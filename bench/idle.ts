/**
 * `idle`: what a gateway costs that is asked nothing: CPU by thread and of PostgreSQL, statements, and what the main thread allocates, by function;
 * once with no account and once with accounts at MOCK that have an order each. The goal: 10 ms of CPU a second, which is 1 % of a core, with
 * one account. The floor: the same Node with an empty timer every 50 ms.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { ALLOCATION_OPTIONS, startAllocations, stopAllocations } from "./kit/allocations.ts"
import { type CountedDatabase, countedDatabase } from "./kit/counted-database.ts"
import { connectMockAccount, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { postgresCpuMicros, threadMicrosOf } from "./kit/usage.ts"

const ACCOUNTS = [0, 1, 10]
/**
 * What a start leaves to do is done, its compiler at rest, and V8 has given the start's memory back: two full collections, half a second of
 * processor time together, about 50 s after the ready line (`--trace-gc`: "reduce").
 */
const SETTLE_MILLIS = 75_000
const LOOK_MILLIS = 20_000
const GOAL_MILLIS = 10
const TOP = 12

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let counted: CountedDatabase | undefined

interface Idle {
  /** ms of CPU a second. */
  readonly main: number
  readonly threads: number
  readonly postgres: number
  /** A second. */
  readonly statements: number
  readonly allocated: number
}

const sumOf = (micros: ReadonlyMap<number, number>): number => [...micros.values()].reduce((sum, each) => sum + each, 0)

const look = async (gateway: Gateway): Promise<Idle> => {
  const postmaster = server!.pid
  const [threads, database] = [threadMicrosOf(gateway.pid), postgresCpuMicros(postmaster) ?? 0]
  const { statements } = counted!.counts()
  await sleep(LOOK_MILLIS)
  const [after, databaseAfter] = [threadMicrosOf(gateway.pid), postgresCpuMicros(postmaster) ?? 0]
  const asked = counted!.counts().statements - statements
  // The profiler is not part of the time.
  await startAllocations(gateway.process)
  await sleep(LOOK_MILLIS)
  const allocated = await stopAllocations(gateway.process)
  const seconds = LOOK_MILLIS / 1000
  const all = (sumOf(after) - sumOf(threads)) / 1000 / seconds
  const main = ((after.get(gateway.pid) ?? 0) - (threads.get(gateway.pid) ?? 0)) / 1000 / seconds
  for (const [where, bytes] of allocated.byFunction.slice(0, TOP))
    say(`${(bytes / seconds).toFixed(0).padStart(10)}  ${where}`)
  return {
    main,
    threads: all - main,
    postgres: (databaseAfter - database) / 1000 / seconds,
    statements: asked / seconds,
    allocated: allocated.bytes / seconds,
  }
}

const floorOf = async (): Promise<number> => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 50)"], { stdio: "ignore" })
  await once(child, "spawn")
  await sleep(2_000)
  const before = sumOf(threadMicrosOf(child.pid!))
  await sleep(5_000)
  const micros = sumOf(threadMicrosOf(child.pid!)) - before
  child.kill("SIGKILL")
  return micros / 1000 / 5
}

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: scratch("idle-database"), connectionsMax: 100 })
  counted = await countedDatabase(server.url())
  const gateway = await startGateway(
    { DATA_DIR: scratch("idle"), DATABASE_URL: counted.url, ACCOUNTS_MAX: "100" },
    ALLOCATION_OPTIONS,
  )
  const user = await signUp(gateway)
  const figures: Record<string, Idle> = {}
  let made = 0
  say(row("ms of CPU a second", "main", "threads", "postgres", "statements", "allocated"))
  for (const count of ACCOUNTS) {
    for (; made < count; made++) await connectMockAccount(user, `idle-${made}`)
    await sleep(SETTLE_MILLIS)
    const idle = await look(gateway)
    figures[count] = idle
    say(row(`${count} accounts`, idle.main, idle.threads, idle.postgres, idle.statements, idle.allocated))
  }
  const floor = await floorOf()
  await gateway.stop()
  const { main, threads } = figures["1"]!
  return {
    bench: "idle",
    conditions: {
      settleMillis: SETTLE_MILLIS,
      lookMillis: LOOK_MILLIS,
      postgres: server.version,
      threads: "all but the main one: the compiler's, the collector's, and those of venues",
      ratio: "CPU of the gateway's process with one account / the goal",
    },
    figures: { accounts: figures },
    floor: { emptyTimer: floor, goal: GOAL_MILLIS },
    ratio: (main + threads) / GOAL_MILLIS,
  }
}

await runBench(bench, async () => {
  await endGateways()
  counted?.close()
  await server?.stop().catch(() => undefined)
})
