/**
 * PostgreSQL stands still under order load (scoreboard F5): its processes are stopped, its connections stay. Not ready within 2 s, no
 * request without an answer, nothing acknowledged is lost, and all goes on when it does.
 */
import { readFileSync, rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { freezeServer } from "../../kit/servers/frozen.ts"
import { type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { enter, type Trader } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { firstLook, seenBySecond, watchHealth } from "./seen.ts"
import { mixedTraffic, quantile, reckon } from "./traffic.ts"

export interface FrozenOptions {
  readonly seconds: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const RATE = 50
const READS_PER_SECOND = 20
/** Scoreboard F5. */
const NOT_READY_MILLIS = 2_000
/** The limit of a query, and what a busy machine adds. */
const READ_MILLIS = 3_000
/** A submit is answered after 5 s at the latest: its outcome is not known. */
const SUBMIT_MILLIS = 5_500
const EXIT_MILLIS = 10_000

interface Read {
  readonly at: number
  readonly answeredAt: number
  readonly word: string
}

/** Reads that need the database, as fast as clients ask. */
const readAll = ({ calls }: Trader) => {
  const reads: Array<Read> = []
  const running = new Set<Promise<void>>()
  let isOver = false
  const one = async (): Promise<void> => {
    const at = performance.now()
    const word = await calls.get("/wallet/list").then(
      ({ status, envelope }) => (status === 200 ? "200" : `${status}/${envelope.errno}`),
      () => "none",
    )
    reads.push({ at, answeredAt: performance.now(), word })
  }
  const run = async (): Promise<void> => {
    while (!isOver) {
      const done: Promise<void> = one().finally(() => running.delete(done))
      running.add(done)
      await sleep(1_000 / READS_PER_SECOND)
    }
    await Promise.all(running)
  }
  const whole = run()
  return {
    reads,
    end: () => {
      isOver = true
      return whole
    },
  }
}

const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024

export const postgresFrozen = async (options: FrozenOptions): Promise<ReadonlyArray<Verdict>> => {
  const { seconds, built, progress } = options
  const directory = scratchDirectory("frozen")
  let server: EmbeddedPostgres | undefined
  let gateway: Gateway | undefined
  let thaw: () => void = () => undefined
  try {
    server = await startEmbeddedPostgres({ dataDir: directory })
    const env = { PORT: String(await freePort()), DATABASE_URL: server.url(), RATE_LIMITS: "off" }
    gateway = await startGateway({ env, built })
    const { http, pid } = gateway
    let isDead = false
    void gateway.exited.then(() => (isDead = true))
    const trader = await enter(gateway, null, "mock")
    const traffic = mixedTraffic(trader, RATE)
    const readiness = watchHealth(http)
    const reading = readAll(trader)
    traffic.begin()
    await sleep(3_000)
    const residentBefore = residentOf(pid)
    const frozenAt = performance.now()
    thaw = freezeServer(directory)
    for (let second = 1; second <= seconds; second += 1) {
      await sleep(1_000)
      progress(`postgres-frozen: ${second}/${seconds} s`)
    }
    const residentAfter = isDead ? 0 : residentOf(pid)
    const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    const thawedAt = performance.now()
    thaw()
    await until("ready again", () => firstLook(readiness, thawedAt, true) !== undefined, 60_000)
    const readyAfter = firstLook(readiness, thawedAt, true) ?? Number.POSITIVE_INFINITY
    await sleep(3_000)
    await traffic.end()
    await reading.end()
    await readiness.end()
    const notReadyAfter = firstLook(readiness, frozenAt, false) ?? Number.POSITIVE_INFINITY
    const during = reading.reads.filter(({ at }) => at >= frozenAt && at < thawedAt)
    const words = new Map<string, number>()
    for (const { word } of during) words.set(word, (words.get(word) ?? 0) + 1)
    const slowestRead = Math.round(Math.max(0, ...during.map(({ at, answeredAt }) => answeredAt - at)))
    const asked = traffic.sent.flatMap(({ plannedAt, first }) =>
      first !== undefined && plannedAt >= frozenAt && plannedAt < thawedAt ? [{ plannedAt, ...first }] : [],
    )
    const waits = asked.map(({ answeredAt, plannedAt }) => answeredAt - plannedAt)
    const seen = seenBySecond(traffic.sent, frozenAt)
    await traffic.repeat()
    for (const { tradeOrderId } of traffic.sent) if (tradeOrderId !== undefined) acknowledged.add(tradeOrderId)
    const grown = Math.round(residentAfter - residentBefore)
    const reckoned = await reckon(traffic, acknowledged)
    const wasDead = isDead
    progress("postgres-frozen: SIGTERM while it stands still again")
    thaw = freezeServer(directory)
    const { tradingAccountId, instrumentId } = trader
    const order = { orderSide: "BUY", orderType: "LIMIT", quantity: "0.001", limitPrice: "30000" }
    // It waits for a commit that does not come: an exit of 0 would say that it was stored.
    const last = trader.calls.submit({ tradingAccountId, instrumentId, ...order }).catch(() => undefined)
    await sleep(200)
    const askedAt = performance.now()
    const { code } = await gateway.stop()
    const exitMillis = Math.round(performance.now() - askedAt)
    await last
    return [
      ...reckoned,
      {
        name: "SIGTERM while it stands still",
        passed: code === 1 && exitMillis <= EXIT_MILLIS,
        says: `exit ${code} after ${exitMillis} ms`,
      },
      { name: "the same process goes on", passed: !wasDead, says: wasDead ? "it ended" : "it did" },
      {
        name: "not ready",
        passed: notReadyAfter <= NOT_READY_MILLIS,
        says: `${notReadyAfter} ms after it stood still`,
      },
      { name: "ready again", passed: readyAfter <= 10_000, says: `${readyAfter} ms after it went on` },
      {
        name: "reads meanwhile",
        passed: slowestRead <= READ_MILLIS && !words.has("none"),
        says: `${[...words].map(([word, count]) => `${word}:${count}`).join(" ")}, ${slowestRead} ms at most`,
      },
      {
        name: "submits meanwhile",
        passed: Math.max(0, ...waits) <= SUBMIT_MILLIS && asked.every(({ status }) => status !== 0),
        says: `${asked.length}, p50 ${quantile(waits, 0.5)} ms, ${Math.round(Math.max(0, ...waits))} ms at most`,
      },
      { name: "no queue without an end", passed: grown < 100, says: `${grown} MB more after ${seconds} s` },
      { name: "what clients saw", passed: true, says: seen },
    ]
  } finally {
    thaw()
    gateway?.kill("SIGKILL")
    await gateway?.exited
    await server?.stop().catch(() => undefined)
    rmSync(directory, { recursive: true, force: true })
  }
}
