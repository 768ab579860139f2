/**
 * Three gateways behind HAProxy under orders, with clients of channels at each, and faults of many kinds: of nodes, of brokers, of the ways between them, of PostgreSQL. No order
 * may be lost, sent twice or stuck, and no publication missing without a word; how long the database had no owner that works is measured.
 */
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { until } from "../../kit/servers/gateway.ts"
import { enter, isActive, type Trader } from "../failpoints/stage.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { mixedTraffic, quantile, reckon, type Traffic } from "../nemesis/traffic.ts"
import { KINDS, type Kind, type KindName } from "./cluster-faults.ts"
import { type ClusterStage, openClusterStage } from "./cluster-stage.ts"
import { positionOf, type ToldReader, toldReader } from "./told-readers.ts"

const RATE = 10
/** Of traffic before and after each fault. */
const CALM_MILLIS = 2_000
/** The goal for a take-over: reads and cancels are served by then. Orders follow once an account agrees with its venue. */
const GOAL_MILLIS = 3_000
/** A client that is at the newest hears of what happens; MOCK's books tick each 100 ms. */
const HEARD_MILLIS = 5_000
const CATCH_UP_MILLIS = 30_000
const BOOK = "market:orderbook:MOCK:BTC/USDT"
const PATH = "/connection/websocket"

interface Round {
  /** Null: nothing had to be taken over. */
  readonly coreMillis: number | null
  /** Between the fault and the first order that left after it and was answered with 200. */
  readonly orderMillis: number
}

export interface ClusterOptions {
  readonly rounds: number
  /** Of each kind: no round begins after it; null: however long they take. */
  readonly minutes: number | null
  readonly kinds: ReadonlyArray<KindName>
  readonly built: boolean
  readonly progress: (line: string) => void
}

const firstOrder = ({ sent }: Traffic, at: number): Promise<number> =>
  until(
    () => `an order to be taken: ${JSON.stringify(sent.at(-1)?.first)}`,
    () => {
      const taken = sent.filter(({ status, leftAt }) => status === 200 && leftAt >= at)
      return taken.length > 0 && Math.round(Math.min(...taken.map(({ answeredAt }) => answeredAt)) - at)
    },
    120_000,
  )

const spread = (millis: ReadonlyArray<number>): string =>
  `${quantile(millis, 0)} / ${quantile(millis, 0.5)} / ${quantile(millis, 1)}`

const answersOf = ({ sent }: Traffic): string => {
  const kinds = new Map<string, number>()
  for (const { first } of sent) {
    const kind =
      first === undefined || first.status === 0
        ? "none"
        : first.status === 200
          ? "200"
          : `${first.status}/${first.errno}`
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  return [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ")
}

/** One client of each channel at each node, and one behind the proxy. */
const openReaders = ({ places, haproxy }: ClusterStage, { calls, tradingAccountId }: Trader) => {
  const channel = `tradingAccount:${tradingAccountId}`
  const ways = [...places.map(({ nodeId, port }) => [nodeId, port] as const), ["proxy", haproxy.port] as const]
  const of = (what: string, name: string): ReadonlyArray<ToldReader> =>
    ways.map(([at, port]) => toldReader(`${what} at ${at}`, `ws://127.0.0.1:${port}${PATH}`, calls.token!, name))
  return { channel, accounts: of("account", channel), books: of("book", BOOK) }
}

/** Clients that stay behind the newest publication without a word. */
const behind = async (
  stage: ClusterStage,
  { calls }: Trader,
  { channel, accounts, books }: ReturnType<typeof openReaders>,
): Promise<ReadonlyArray<string>> => {
  const newest = await positionOf(`ws://127.0.0.1:${stage.haproxy.port}${PATH}`, calls.token!, channel)
  const untilAt = performance.now() + CATCH_UP_MILLIS
  const late = (): ReadonlyArray<string> => [
    ...accounts.filter((it) => it.at() < newest).map((it) => `${it.name} is at ${it.at()} of ${newest}`),
    ...books
      .filter((it) => performance.now() - it.heardAt() > HEARD_MILLIS)
      .map((it) => `${it.name} has heard nothing for ${Math.round(performance.now() - it.heardAt())} ms`),
  ]
  while (late().length > 0 && performance.now() < untilAt) await sleep(100)
  return late()
}

const ofKind = async (
  stage: ClusterStage,
  kind: KindName,
  options: ClusterOptions,
): Promise<ReadonlyArray<Verdict>> => {
  const { rounds, minutes, progress } = options
  const untilAt = performance.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  const { strike, what, isOfDatabase = false }: Kind = KINDS[kind]
  await stage.whole()
  const trader = await enter({ ...stage.places[0]!.process!, http: stage.haproxy.url }, stage.exchange, "binance")
  const readers = openReaders(stage, trader)
  const all = [...readers.accounts, ...readers.books]
  try {
    await until("clients of channels", () => all.every((it) => it.at() >= 0))
    const traffic = mixedTraffic(trader, RATE)
    traffic.begin()
    const found: Array<Round> = []
    for (let round = 0; round < rounds && performance.now() < untilAt; round++) {
      await sleep(CALM_MILLIS)
      const { at, coreMillis } = await strike(stage, round)
      await stage.whole()
      const orderMillis = await firstOrder(traffic, at)
      found.push({ coreMillis, orderMillis })
      const next = coreMillis === null ? "" : `next after ${coreMillis} ms, `
      progress(
        `cluster: ${kind} ${round + 1}/${rounds}: ${next}first order after ${orderMillis} ms, load ${loadavg()[0]?.toFixed(1)}`,
      )
      // Orders that rest would have to be agreed upon by each next owner.
      await trader.calls.post("/tradeOrder/cancelAll", { tradingAccountId: trader.tradingAccountId })
    }
    await sleep(CALM_MILLIS)
    await traffic.end()
    await until("the account to agree with its venue", () => isActive(trader))
    const answers = answersOf(traffic)
    const told = traffic.sent.flatMap((it) => (it.first?.status === 200 ? (it.tradeOrderId ?? []) : []))
    await traffic.repeat()
    const reckoned = await reckon(traffic, new Set(told), stage)
    const late = await behind(stage, trader, readers)
    const sum = (of: (it: ToldReader) => number): number => all.reduce((total, it) => total + of(it), 0)
    const cores = found.flatMap(({ coreMillis }) => coreMillis ?? [])
    const slow = cores.filter((millis) => millis > GOAL_MILLIS)
    const verdicts: ReadonlyArray<Verdict> = [
      ...reckoned,
      none(
        "gaps untold",
        [...all.flatMap((it) => it.faults()), ...late],
        `${sum((it) => it.received())} publications to ${all.length} clients, ${sum((it) => it.recovered())} recoveries, ${sum((it) => it.startedOver())} told to start over`,
      ),
      {
        name: isOfDatabase ? "another serves" : `another serves within ${GOAL_MILLIS} ms`,
        passed: slow.length === 0 || isOfDatabase,
        says:
          `${what}, ${found.length} of ${rounds} rounds: ${cores.length === 0 ? "nothing to take over" : `${slow.length} of ${cores.length} later, ${spread(cores)} ms`}; ` +
          `first order after ${spread(found.map(({ orderMillis }) => orderMillis))} ms (least / median / most); answers at first: ${answers}; load ${loadavg()[0]?.toFixed(1)}`,
      },
    ]
    return verdicts.map((verdict) => ({ ...verdict, name: `${kind}: ${verdict.name}` }))
  } finally {
    for (const reader of all) reader.close()
  }
}

const once = async (kind: KindName, options: ClusterOptions): Promise<ReadonlyArray<Verdict>> => {
  const { stage: terms, missing = null }: Kind = KINDS[kind]
  if (missing !== null) return [{ name: kind, passed: false, says: missing }]
  const stage = await openClusterStage({ built: options.built, ...terms })
  const ends = (): string => stage.places.map((it) => `${it.nodeId} ${it.ends.join(" ") || "never"}`).join("; ")
  try {
    const verdicts = await ofKind(stage, kind, options)
    return [...verdicts, { name: `${kind}: ends of processes`, passed: true, says: ends() }]
  } catch (error) {
    const words = stage.places.map(({ nodeId, process }) => `${nodeId}: ${process?.stderr().slice(-1_500)}`).join("\n")
    return [{ name: kind, passed: false, says: `${error}\nends: ${ends()}\n${words}` }]
  } finally {
    await stage.close()
  }
}

/** `rounds`: of each kind, on a cluster of its own. */
export const cluster = async (options: ClusterOptions): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  for (const kind of options.kinds) {
    const { isOnce = false }: Kind = KINDS[kind]
    const clusters = isOnce ? options.rounds : 1
    for (let n = 0; n < clusters; n++) {
      const found = await once(kind, { ...options, rounds: options.rounds / clusters })
      for (const { name, passed, says } of found) options.progress(`${passed ? "ok  " : "FAIL"} ${name}: ${says}`)
      verdicts.push(...found)
    }
  }
  return verdicts
}
