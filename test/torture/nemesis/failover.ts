/**
 * PostgreSQL's primary is killed under order load and its synchronous standby takes over (scoreboard F4). Two parts that an operator has
 * are played here: who watches the primary, promotes the standby and turns the address (Patroni or like), and who starts the gateway again,
 * which ends itself when it loses the session by which it owns the database.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { freePort } from "../../kit/servers/free-port.ts"
import { type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { enter } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { startAgain } from "./postgres.ts"
import { seenBySecond } from "./seen.ts"
import { askOnce, openPair, type Pair } from "./standby.ts"
import { reckon, type Sent, Traffic } from "./traffic.ts"

export interface FailoverOptions {
  readonly rounds: number
  /** Runs dist/ as an operator does; the sources take seconds to load. */
  readonly built: boolean
  readonly progress: (line: string) => void
}

const RATE = 20
/** Scoreboard F4. */
const GAP_MILLIS = 10_000
const CALM_MILLIS = 3_000
/** The watch: two questions in a row without an answer, and the primary is given up. */
const LOOK_MILLIS = 250
const LOOK_PATIENCE_MILLIS = 1_000
const FAILED_LOOKS = 2

const isWell = (pair: Pair): Promise<boolean> =>
  askOnce(pair.primary.adminUrl("postgres"), "SELECT 1", LOOK_PATIENCE_MILLIS).then(
    () => true,
    () => false,
  )

/** Watches the primary until it is lost, then lets the standby take its place; performance.now() of both. */
const watch = async (pair: Pair): Promise<{ readonly lostAt: number; readonly promotedAt: number }> => {
  for (let failed = 0; failed < FAILED_LOOKS; await sleep(LOOK_MILLIS)) failed = (await isWell(pair)) ? 0 : failed + 1
  const lostAt = performance.now()
  pair.cutOff()
  await pair.promote()
  return { lostAt, promotedAt: performance.now() }
}

/** The longest time between two orders that were taken, told by the moments of their answers. */
const longestGap = (sent: ReadonlyArray<Sent>): number => {
  const taken = sent.flatMap(({ first }) => (first?.status === 200 ? [first.answeredAt] : [])).sort((a, b) => a - b)
  return Math.max(0, ...taken.slice(1).map((at, n) => at - (taken[n] ?? at)))
}

const once = async (built: boolean): Promise<ReadonlyArray<Verdict>> => {
  const pair = await openPair()
  let gateway: Gateway | undefined
  try {
    const env = { PORT: String(await freePort()), DATABASE_URL: pair.url, RATE_LIMITS: "off" }
    gateway = await startGateway({ env, built })
    const { dataDir } = gateway
    const trader = await enter(gateway, null, "mock")
    const traffic = new Traffic([trader], RATE, () => ({ orderSide: "BUY", orderType: "LIMIT", limitPrice: "30000" }))
    traffic.begin()
    await sleep(CALM_MILLIS)
    const taken = (): ReadonlyArray<Sent> => traffic.sent.filter(({ status }) => status === 200)
    const watching = watch(pair)
    const killedAt = performance.now()
    process.kill(pair.primary.pid, "SIGKILL")
    const { code } = await gateway.exited
    const endedAt = performance.now()
    const before = taken().length
    gateway = await startAgain({ env, dataDir, built })
    const readyAt = performance.now()
    const { lostAt, promotedAt } = await watching
    await until("an order to be taken", () => taken().length > before)
    await sleep(CALM_MILLIS)
    await traffic.end()
    const seen = seenBySecond(traffic.sent, killedAt)
    const gap = longestGap(traffic.sent)
    await traffic.repeat()
    const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    const [heir] = await askOnce(pair.standby.adminUrl(), "SELECT pg_is_in_recovery() AS follows")
    const after = (at: number): string => `${Math.round(at - killedAt)} ms`
    return [
      ...(await reckon(traffic, acknowledged)),
      { name: "what clients saw", passed: true, says: seen },
      {
        name: "write gap",
        passed: gap <= GAP_MILLIS && before > 0,
        says:
          `${Math.round(gap)} ms between two orders taken, ${before} before it; after the kill the gateway ended at ${after(endedAt)} (exit ${code}), ` +
          `the primary was given up at ${after(lostAt)}, the standby took over at ${after(promotedAt)}, the gateway was ready again at ${after(readyAt)}`,
      },
      { name: "the heir", passed: heir?.["follows"] === false, says: "the standby, as the only server" },
    ]
  } finally {
    gateway?.kill("SIGKILL")
    await gateway?.exited
    await pair.close()
  }
}

export const failover = async (options: FailoverOptions): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  for (let round = 1; round <= options.rounds; round += 1) {
    const found = await once(options.built)
    verdicts.push(...found.map((verdict) => ({ ...verdict, name: `${round}: ${verdict.name}` })))
    options.progress(`failover ${round}/${options.rounds}: ${found.find(({ name }) => name === "write gap")?.says}`)
  }
  return verdicts
}
