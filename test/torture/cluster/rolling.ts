/**
 * Three gateways are replaced one by one, the owner last, under orders and sockets through HAProxy: no request may be refused, and every socket comes back with all that it missed,
 * or is told to start over.
 */
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "../../kit/servers/gateway.ts"
import { type Line, startLine } from "../../kit/servers/process-line.ts"
import { enter, type Trader } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import type { StormAsks } from "../load/storm-readers.ts"
import { seenBySecond } from "../nemesis/seen.ts"
import { quantile, reckon, type Sent, Traffic } from "../nemesis/traffic.ts"
import { type ClusterStage, NOTICE_MILLIS, openClusterStage } from "./cluster-stage.ts"

const TRADES = "market:trade:MOCK:ETH/USDT"
/** Without it nothing is known of the rate: whether the machine can do it at all. */
const CALM_MILLIS = 10_000
/** A process that is told to end has 9.5 s, and its supervisor more. */
const CATCH_UP_MILLIS = 60_000
const BACK_MILLIS = 120_000

export interface RollingOptions {
  readonly ratePerSecond: number
  /** All hear the trades, and one of the accounts each. */
  readonly connections: number
  readonly accounts: number
  readonly built: boolean
  /** A node that comes back gives way to the others until the next one is replaced. */
  readonly isYielding: boolean
  readonly progress: (line: string) => void
}

/** `503/-110014: 16 (4 s 14, 5 s 2)`: by answer, and how many whole seconds after their planned moments. */
const byAnswer = (refused: ReadonlyArray<Sent>): ReadonlyArray<string> => {
  const ages = new Map<string, Array<number>>()
  for (const { first, plannedAt } of refused) {
    if (first === undefined) continue
    const answer = first.status === 0 ? `no answer (${first.failure})` : `${first.status}/${first.errno}`
    const age = Math.round(first.answeredAt - plannedAt)
    const known = ages.get(answer)
    if (known === undefined) ages.set(answer, [age])
    else known.push(age)
  }
  return [...ages].map(([answer, all]) => {
    const seconds = new Map<number, number>()
    for (const age of all.toSorted((a, b) => a - b)) {
      const second = Math.floor(age / 1_000)
      seconds.set(second, (seconds.get(second) ?? 0) + 1)
    }
    const parts = [...seconds].map(([second, count]) => `${second} s ${count}`)
    return `${answer}: ${all.length} (${parts.join(", ")})`
  })
}

/** Edges first. */
const rollAll = async (stage: ClusterStage, say: (line: string) => void): Promise<ReadonlyArray<string>> => {
  const owner = stage.owner()?.place
  const inTurn = [...stage.places.filter((it) => it !== owner), ...stage.places.filter((it) => it === owner)]
  const told: Array<string> = []
  for (const place of inTurn) {
    const at = performance.now()
    const { process } = place
    stage.endYielding()
    const term = place === owner ? stage.owner()?.term : undefined
    process?.kill("SIGTERM")
    const next = term === undefined ? undefined : stage.nextOwner(term, at + NOTICE_MILLIS)
    const exit = await process?.exited
    const endedAt = performance.now()
    await until("it to be back", () => place.process !== undefined && place.process !== process, BACK_MILLIS)
    const backAt = performance.now()
    await stage.whole()
    const role = next === undefined ? "an edge" : `the owner (the next serves ${await next} ms after its notice)`
    const line = `${role}: ended ${exit?.signal ?? exit?.code} after ${Math.round(endedAt - at)} ms, back after ${Math.round(backAt - at)} ms, all healthy after ${Math.round(performance.now() - at)} ms`
    say(line)
    told.push(line)
    if (exit?.code !== 0) say(`it said: ${process?.stderr().slice(-2_000)}`)
    await sleep(CALM_MILLIS)
  }
  return told
}

const judged = async (
  stage: ClusterStage,
  readers: Line<StormAsks>,
  { ratePerSecond, connections, accounts, progress }: RollingOptions,
): Promise<ReadonlyArray<Verdict>> => {
  const say = (line: string): void => progress(`cluster-rolling: ${line}, load ${loadavg()[0]?.toFixed(1)}`)
  const gateway = { ...stage.places[0]!.process!, http: stage.haproxy.url }
  const traders: Array<Trader> = []
  for (let n = 0; n < accounts; n++) traders.push(await enter(gateway, null, "mock"))
  const seats = traders.map(({ calls, tradingAccountId }) => ({
    token: calls.token ?? "",
    channels: [TRADES, `tradingAccount:${tradingAccountId}`],
  }))
  const url = `ws://127.0.0.1:${stage.haproxy.port}/connection/websocket`
  const openMillis = await readers.ask("open", { url, seats, connections })
  say(`${connections} sockets open after ${Math.round(openMillis)} ms`)
  // Sides by turns, so that an account's balances last; prices that are met, so that each order has its events.
  const traffic = new Traffic(traders, ratePerSecond, (n) => ({
    orderSide: Math.floor(n / accounts) % 2 === 0 ? "BUY" : "SELL",
    orderType: "MARKET",
  }))
  traffic.begin()
  await sleep(CALM_MILLIS)
  const beganAt = performance.now()
  const rolled = await rollAll(stage, say)
  await traffic.end()
  say(`${traffic.sent.length} orders asked for`)
  const { count: behind, says: late } = await readers.ask("behind", CATCH_UP_MILLIS)
  say(`${behind} subscriptions not at the newest: ${late}`)
  const { failures, ...tally } = await readers.ask("tally", undefined)
  const seen = seenBySecond(traffic.sent, beganAt)
  const refused = traffic.sent.filter(({ first }) => first?.status !== 200)
  const timesOf = (sent: ReadonlyArray<Sent>): ReadonlyArray<number> =>
    sent.flatMap(({ first, plannedAt }) => (first === undefined ? [] : [first.answeredAt - plannedAt]))
  const times = timesOf(traffic.sent)
  const calm = timesOf(traffic.sent.filter(({ plannedAt }) => plannedAt < beganAt))
  const lastedSeconds = ((traffic.sent.at(-1)?.plannedAt ?? 0) - (traffic.sent[0]?.plannedAt ?? 0)) / 1_000
  await traffic.repeat()
  say("each order's key has an answer")
  const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
  return [
    {
      name: "requests refused",
      passed: refused.length === 0,
      says:
        `${refused.length} of ${traffic.sent.length}${refused.length === 0 ? "" : ` (${byAnswer(refused).join("; ")})`}; ` +
        `${Math.round(traffic.sent.length / lastedSeconds)} a second, answered after p50 ${quantile(times, 0.5)}, p99 ${quantile(times, 0.99)}, at most ${quantile(times, 1)} ms; ` +
        `before the first of them p50 ${quantile(calm, 0.5)}, p99 ${quantile(calm, 0.99)}, at most ${quantile(calm, 1)} ms`,
    },
    { name: "what clients saw", passed: true, says: seen },
    { name: "nodes", passed: true, says: `${rolled.join("; ")}; load ${loadavg()[0]?.toFixed(1)}` },
    {
      name: "sockets recovered or told",
      passed: tally.missed + tally.repeated + tally.wrong + behind === 0 && tally.received > 0,
      says:
        `${tally.missed} publications missing, ${tally.repeated} twice, ${tally.wrong} wrong of ${tally.received}; ${behind} of ${connections * 2} subscriptions not at the newest in the end; ` +
        `${tally.recovered} recovered with ${tally.caughtUp} that they had missed, ${tally.unrecovered} told to start over; ends of connections: ${JSON.stringify(failures)}`,
    },
    ...(await reckon(traffic, acknowledged, stage)),
  ]
}

export const rolling = async (options: RollingOptions): Promise<ReadonlyArray<Verdict>> => {
  const env = {
    MOCK_TICK_MS: "250",
    MOCK_BALANCES: JSON.stringify({ USDT: "1000000000", ETH: "100000", BTC: "100000" }),
  }
  const { built, isYielding } = options
  const stage = await openClusterStage({ built, env, isDirect: true, isYielding })
  const readers = startLine<StormAsks>(new URL("../load/storm-readers.ts", import.meta.url))
  const ends = (): string => stage.places.map((it) => `${it.nodeId} ${it.ends.join(" ") || "never"}`).join("; ")
  try {
    const verdicts = await judged(stage, readers, options)
    return [...verdicts, { name: "ends of processes", passed: true, says: ends() }]
  } catch (error) {
    // A node that ended unasked has said why.
    return [{ name: "rolling", passed: false, says: `${error}\nends: ${ends()}; load ${loadavg()[0]?.toFixed(1)}` }]
  } finally {
    await readers.stop()
    await stage.close()
  }
}
