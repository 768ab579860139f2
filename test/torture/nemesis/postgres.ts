/**
 * PostgreSQL dies and comes back under order load (scoreboard F3). The gateway that loses the session by which it owns the database ends
 * itself (order-path 2) and whoever runs it starts it again, so that is done here: until it is up, writes fail at once, none hangs.
 */
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { type Gateway, startGateway } from "../../kit/servers/gateway.ts"
import { enter } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { seenBySecond } from "./seen.ts"
import { quantile, reckon, Traffic } from "./traffic.ts"

export interface PostgresOptions {
  readonly rounds: number
  /** Runs dist/ as an operator does; the sources take seconds to load. */
  readonly built: boolean
  readonly progress: (line: string) => void
}

const RATE = 20
const AWAY_MILLIS = 1_500
/** Scoreboard F3; from the server's first answer to the ready line. */
const READY_MILLIS = 3_000
const FAIL_MILLIS = 1_000

/** A supervisor: again as long as it ends, with a short pause. */
export const startAgain = async (options: Parameters<typeof startGateway>[0]): Promise<Gateway> => {
  for (;;) {
    try {
      return await startGateway(options)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes("before it was ready")) throw error
      await sleep(100)
    }
  }
}

export const postgresKills = async ({ rounds, built, progress }: PostgresOptions): Promise<ReadonlyArray<Verdict>> => {
  const directory = scratchDirectory("nemesis")
  let server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: directory })
  const env = { PORT: String(await freePort()), DATABASE_URL: server.url(), RATE_LIMITS: "off" }
  let gateway = await startGateway({ env, built })
  const { dataDir } = gateway
  try {
    const trader = await enter(gateway, null, "mock")
    const traffic = new Traffic([trader], RATE, () => ({ orderSide: "BUY", orderType: "LIMIT", limitPrice: "30000" }))
    traffic.begin()
    const acknowledged = new Set<string>()
    const comebacks: Array<number> = []
    const failures: Array<number> = []
    const ends: Array<number> = []
    let firstKillAt: number | undefined
    for (let round = 1; round <= rounds; round += 1) {
      await sleep(1_000)
      const killedAt = performance.now()
      firstKillAt ??= killedAt
      // Every other time as an operator restarts it, which ends sessions in order.
      if (round % 2 === 1) process.kill(server.pid, "SIGKILL")
      else await server.stop()
      await server.exited
      await gateway.exited
      ends.push(performance.now() - killedAt)
      const restarting = startAgain({ env, dataDir, built })
      await sleep(AWAY_MILLIS)
      server = await startEmbeddedPostgres({ dataDir: directory })
      const backAt = performance.now()
      gateway = await restarting
      comebacks.push(performance.now() - backAt)
      for (const { status, tradeOrderId } of traffic.sent)
        if (status === 200 && tradeOrderId !== undefined) acknowledged.add(tradeOrderId)
      const failed = traffic.sent.filter((it) => it.plannedAt >= killedAt && it.answeredAt > 0 && it.status !== 200)
      failures.push(...failed.map((it) => it.answeredAt - it.plannedAt))
      progress(
        `postgres ${round}/${rounds}: ${acknowledged.size} acknowledged, ready ${Math.round(comebacks.at(-1) ?? 0)} ms after it`,
      )
    }
    await sleep(1_000)
    await traffic.end()
    await traffic.repeat()
    for (const { tradeOrderId } of traffic.sent) if (tradeOrderId !== undefined) acknowledged.add(tradeOrderId)
    const slowest = Math.round(Math.max(0, ...failures))
    const latest = Math.round(Math.max(0, ...comebacks))
    return [
      ...(await reckon(traffic, acknowledged)),
      { name: "what clients saw", passed: true, says: seenBySecond(traffic.sent, firstKillAt ?? 0) },
      {
        name: "writes that hang while it is away",
        passed: slowest <= FAIL_MILLIS,
        says: `${failures.length} failed, after ${slowest} ms at most (p50 ${quantile(failures, 0.5)} ms)`,
      },
      {
        name: "ready again",
        passed: latest <= READY_MILLIS,
        says: `${latest} ms at most after the server (median ${Math.round(quantile(comebacks, 0.5))}); the process ended ${Math.round(Math.max(...ends))} ms after it at most`,
      },
    ]
  } finally {
    gateway.kill("SIGKILL")
    await gateway.exited
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
