/**
 * Three gateways of one cluster, orders through the one that never owns the database: in each round the owner is killed, stopped or told to end, another takes
 * over, and the one that went comes back as a node that waits. No order may be lost or sent twice; how long no order was answered is measured.
 */
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { type ClusterProcess, ownerOf, sharedKeys, startClusterNode } from "../../kit/servers/cluster.ts"
import { endGateways, until } from "../../kit/servers/gateway.ts"
import { type NatsServer, startNats } from "../../kit/servers/nats.ts"
import { enter, isActive } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { mixedTraffic, quantile, reckon, type Traffic } from "./traffic.ts"

const RATE = 10
/** Of traffic before and after each fault. */
const CALM_MILLIS = 2_000
/** Of one that is stopped: longer than a take-over. */
const STOPPED_MILLIS = 6_000
/** The goal for a take-over: reads and cancels are served by then. Orders follow once an account agrees with its venue. */
const GOAL_MILLIS = 3_000

const FAULTS = ["SIGKILL", "SIGSTOP", "SIGTERM"] as const
type Fault = (typeof FAULTS)[number]

interface TakeOver {
  readonly fault: Fault
  /** Until the next one does the operations. */
  readonly coreMillis: number
  /** Between the fault and the first order that the next one has answered with 200. */
  readonly orderMillis: number
}

/** Of orders that left after the fault, how long after it the first was answered 200. */
const firstOrder = (traffic: Traffic, from: number, at: number): Promise<number> =>
  until("an order to be done by the next owner", () => {
    const done = traffic.sent.slice(from).filter(({ status, leftAt }) => status === 200 && leftAt >= at)
    return done.length > 0 && Math.round(Math.min(...done.map(({ answeredAt }) => answeredAt)) - at)
  })

const told = (fault: Fault, takeOvers: ReadonlyArray<TakeOver>): string => {
  const of = (which: "coreMillis" | "orderMillis"): string => {
    const millis = takeOvers.filter((it) => it.fault === fault).map((it) => it[which])
    return `${quantile(millis, 0)} / ${quantile(millis, 0.5)} / ${quantile(millis, 1)}`
  }
  return `${fault}: the next serves after ${of("coreMillis")} ms, the first order after ${of("orderMillis")} ms (least / median / most)`
}

/** `rounds`: of each fault. */
export const clusterNodes = async (options: {
  readonly rounds: number
  readonly built: boolean
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const { rounds, built, progress } = options
  const exchange = await startBinanceExchange()
  const directory = scratchDirectory("cluster")
  let server: EmbeddedPostgres | undefined
  let nats: NatsServer | undefined
  try {
    server = await startEmbeddedPostgres({ dataDir: directory })
    nats = await startNats({ user: { name: "gateway", password: "of the broker's own" } })
    const routes = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
    const env = { ...sharedKeys(), DATABASE_URL: server.url(), NATS_URL: nats.url, ...routes }
    const start = (nodeId: string, roles = "edge,core") => startClusterNode(nodeId, { ...env, ROLES: roles }, built)
    let nodes: Array<ClusterProcess> = await Promise.all([start("a"), start("b")])
    const edge = await start("c", "edge")
    await ownerOf(nodes)
    const trader = await enter(edge, exchange, "binance")
    const traffic = mixedTraffic(trader, RATE)
    traffic.begin()
    const takeOvers: Array<TakeOver> = []
    for (let round = 0; round < rounds; round++)
      for (const fault of FAULTS) {
        await sleep(CALM_MILLIS)
        const owner = await ownerOf(nodes)
        const next = nodes.find((it) => it !== owner)!
        const from = traffic.sent.length
        const at = performance.now()
        owner.kill(fault)
        await until("the next node to own the database", () => next.core() !== undefined)
        const coreMillis = Math.round(performance.now() - at)
        const orderMillis = await firstOrder(traffic, from, at)
        takeOvers.push({ fault, coreMillis, orderMillis })
        progress(
          `cluster: ${fault} of ${owner.nodeId}: next after ${coreMillis} ms, first order after ${orderMillis} ms`,
        )
        if (fault === "SIGSTOP") {
          await sleep(Math.max(0, at + STOPPED_MILLIS - performance.now()))
          owner.kill("SIGCONT")
        }
        await owner.exited
        nodes = [next, await start(owner.nodeId)]
      }
    await sleep(CALM_MILLIS)
    await traffic.end()
    await until("the account to agree with its venue", () => isActive(trader))
    const firsts = traffic.sent.map(({ first }) => first)
    const acknowledged = new Set(
      traffic.sent.flatMap((it) => (it.first?.status === 200 ? (it.tradeOrderId ?? []) : [])),
    )
    await traffic.repeat()
    for (const fault of FAULTS) progress(`cluster: ${told(fault, takeOvers)}`)
    const kinds = new Map<string, number>()
    for (const it of firsts) {
      const kind = it === undefined ? "none" : it.status === 200 ? "200" : `${it.status}/${it.errno}`
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    }
    const answers = [...kinds].map(([kind, count]) => `${count} ${kind}`).join(", ")
    const late = takeOvers.filter(({ coreMillis }) => coreMillis > GOAL_MILLIS)
    return [
      ...(await reckon(traffic, acknowledged, { exchange })),
      {
        name: `the next serves within ${GOAL_MILLIS} ms`,
        passed: late.length === 0,
        says: `${late.length} of ${takeOvers.length} later; ${FAULTS.map((fault) => told(fault, takeOvers)).join("; ")}; answers at first: ${answers}`,
      },
    ]
  } finally {
    await endGateways()
    await nats?.kill()
    await server?.stop().catch(() => undefined)
    await exchange.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
