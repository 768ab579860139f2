/**
 * Thousands of sockets lose their connection in the same moment and come back together (scoreboard L8), while trades and account events go
 * on: all of them must have their subscriptions again, with everything that was published meanwhile. No client waits for another: there is
 * no jitter here, which the official client has, so this is worse than a crowd of those.
 */
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import type { Gateway } from "../../kit/servers/gateway.ts"
import { type Line, startLine } from "../../kit/servers/process-line.ts"
import { openStage, type Stage, type Trader } from "../failpoints/stage.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { quantile, reckon, Traffic } from "../nemesis/traffic.ts"
import type { StormAsks } from "./storm-readers.ts"

export interface ReconnectStormOptions {
  readonly connections: number
  /** Runs dist/ as an operator does. */
  readonly built: boolean
  readonly progress: (line: string) => void
}

/** Everybody hears the trades, whose history is the shorter one, and one of so many accounts. */
const ACCOUNTS = 50
const TRADES = "market:trade:MOCK:ETH/USDT"
/** Orders a second, each with a fill. */
const RATE = 10
/** How long the network is gone: nobody comes back to nothing missed. */
const AWAY_MILLIS = 2_000
/** Scoreboard L8, from the cut on. */
const BACK_MILLIS = 30_000
const PATIENCE_MILLIS = 120_000
/** Before the cut and after the last is back. */
const CALM_MILLIS = 5_000

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

const storm = async (
  stage: Stage,
  gateway: Gateway,
  readers: Line<StormAsks>,
  { connections, progress }: ReconnectStormOptions,
): Promise<ReadonlyArray<Verdict>> => {
  const say = (line: string): void => progress(`reconnect-storm: ${line}, load ${loadavg()[0]?.toFixed(1)}`)
  const traders: Array<Trader> = []
  for (let n = 0; n < ACCOUNTS; n++) traders.push(await stage.enter("mock"))
  const seats = traders.map(({ calls, tradingAccountId }) => ({
    token: calls.token ?? "",
    channels: [TRADES, `tradingAccount:${tradingAccountId}`],
  }))
  const openMillis = await readers.ask("open", { url: gateway.ws, seats, connections })
  say(`${connections} open after ${seconds(openMillis)}`)
  const traffic = new Traffic(traders, RATE, (n) => ({
    orderSide: Math.floor(n / ACCOUNTS) % 2 === 0 ? "BUY" : "SELL",
    orderType: "MARKET",
  }))
  traffic.begin()
  await sleep(CALM_MILLIS)
  const before = await readers.ask("tally", undefined)
  const cutAt = performance.now()
  const { landed, millis } = await readers.ask("storm", { awayMillis: AWAY_MILLIS, patienceMillis: PATIENCE_MILLIS })
  const overAt = performance.now()
  const last = Math.max(...millis)
  say(`${landed} back after ${seconds(last)}`)
  await sleep(CALM_MILLIS)
  await traffic.end()
  const { count: behind } = await readers.ask("behind", CALM_MILLIS)
  const { failures, ...after } = await readers.ask("tally", undefined)
  const subscriptions = connections * 2
  const first = traffic.sent.map((it) => ({ ...it, ...it.first }))
  const timesOf = (fromAt: number, toAt: number): ReadonlyArray<number> =>
    first
      .filter(({ plannedAt }) => plannedAt >= fromAt && plannedAt <= toAt)
      .map(({ answeredAt, plannedAt }) => answeredAt - plannedAt)
  const times = timesOf(cutAt, overAt)
  const quiet = timesOf(0, cutAt)
  await traffic.repeat()
  const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
  // A line that breaks once more is the storm's; an answer, a close or an error is the gateway's.
  const refused = Object.entries(failures).filter(([why]) => !why.startsWith("E"))
  return [
    {
      name: "all back",
      passed: landed === connections && last <= BACK_MILLIS,
      says:
        `${landed} of ${connections} with all subscriptions ${seconds(last)} after the cut at most (p50 ${seconds(quantile(millis, 0.5))}, ` +
        `p99 ${seconds(quantile(millis, 0.99))}; the network was gone for ${seconds(AWAY_MILLIS)}; the first time, by turns, they took ${seconds(openMillis)})`,
    },
    {
      name: "recovered",
      passed: after.unrecovered === 0 && after.recovered >= subscriptions && after.caughtUp > 0,
      says: `${after.recovered} of ${subscriptions} subscriptions, with ${after.caughtUp} publications that they had missed; ${after.unrecovered} had to start over`,
    },
    {
      name: "publications lost",
      passed: after.missed + after.repeated + after.wrong + behind === 0 && before.received > 0,
      says: `${after.missed} missing, ${after.repeated} twice, ${after.wrong} wrong of ${after.received}; ${behind} of ${subscriptions} subscriptions not at the newest in the end`,
    },
    {
      name: "refused connections and commands",
      passed: refused.length === 0,
      says: `attempts that came to nothing: ${JSON.stringify(failures)}`,
    },
    none(
      "orders beside it without a good answer",
      first.filter(({ status }) => status !== 200).map(({ status, errno }) => `${status}/${errno}`),
      `${first.length}; of those during the storm p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms, of those before it p50 ${quantile(quiet, 0.5)} ms, p99 ${quantile(quiet, 0.99)} ms (load ${loadavg()[0]?.toFixed(1)})`,
    ),
    ...(await reckon(traffic, acknowledged)),
  ]
}

export const reconnectStorm = async (options: ReconnectStormOptions): Promise<ReadonlyArray<Verdict>> => {
  const stage = await openStage(
    { MOCK_TICK_MS: "250", MOCK_BALANCES: JSON.stringify({ USDT: "1000000000", BTC: "100000" }) },
    options.built,
  )
  const readers = startLine<StormAsks>(new URL("./storm-readers.ts", import.meta.url))
  try {
    const gateway = await stage.start()
    // Or everybody would wait for its answers first, for minutes, and what is said then is not why.
    const ended = gateway.exited.then((how) => {
      throw new Error(`the gateway ended (${JSON.stringify(how)}):\n${gateway.stderr().slice(-10_000)}`)
    })
    return await Promise.race([ended, storm(stage, gateway, readers, options)])
  } finally {
    await readers.stop()
    await stage.close()
  }
}
