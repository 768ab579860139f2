/**
 * `npm run torture -- steady`: orders that fill, at a steady rate that does not wait for the gateway, over HTTP, with their events read from
 * the socket. Latencies count from the planned moment; the gateway tells its own event loop and heap on stderr.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Centrifuge, type PublicationContext } from "centrifuge"
import { WebSocket } from "ws"
import { openStage, type Stage, type Trader } from "../failpoints/stage.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { quantile, reckon, Traffic } from "../nemesis/traffic.ts"
import { CAUSES_PROBE, watchCauses } from "./steady-causes.ts"

export interface SteadyOptions {
  readonly minutes: number
  readonly ratePerSecond: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const ACCOUNTS = 10
const PROBE_MILLIS = 5_000
const HEARD_SECONDS = 60
/** Of the heap without its garbage, which is what a full collection of V8's own left: one that is asked for would stop the gateway for up to a second. */
const HEAP_MILLIS = 60_000
/** Scoreboard L4. */
const P99_MILLIS = 100
/** A minute. */
const HEAP_SLOPE_MIB = 2

/** Runs in the gateway's main thread, by NODE_OPTIONS: its event loop, and its heap after a full collection. */
const PROBE = `
import { isMainThread } from "node:worker_threads"
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks"
import { GCProfiler } from "node:v8"
if (isMainThread && process.argv[1]?.includes("main.")) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  setInterval(() => {
    const line = { p99: delay.percentile(99) / 1e6 - 5, max: delay.max / 1e6, rss: process.memoryUsage().rss }
    process.stderr.write("probe " + JSON.stringify(line) + "\\n")
    delay.reset()
  }, ${PROBE_MILLIS}).unref()
  let profiler = new GCProfiler()
  profiler.start()
  let minute = 0
  setInterval(() => {
    minute += 1
    const full = profiler.stop().statistics.filter(({ gcType }) => gcType === "MarkSweepCompact")
    profiler = new GCProfiler()
    profiler.start()
    const left = full.map(({ afterGC }) => afterGC.heapStatistics.usedHeapSize)
    if (left.length > 0) process.stderr.write("heap " + JSON.stringify({ minute, bytes: Math.min(...left) }) + "\\n")
  }, ${HEAP_MILLIS}).unref()
  ${CAUSES_PROBE}
}`

interface Probe {
  readonly p99: number
  readonly max: number
  readonly rss: number
}

const probesOf = (stderr: string): ReadonlyArray<Probe> =>
  stderr.split("\n").flatMap((line) => (line.startsWith("probe {") ? [JSON.parse(line.slice("probe ".length))] : []))

interface HeapLook {
  readonly minute: number
  /** The least that a full collection in this minute left. */
  readonly bytes: number
}

const heapsOf = (stderr: string): ReadonlyArray<HeapLook> =>
  stderr.split("\n").flatMap((line) => (line.startsWith("heap {") ? [JSON.parse(line.slice("heap ".length))] : []))

/** Least squares, bytes a minute: what is on its way at each look makes single values useless. */
const slopeOf = (looks: ReadonlyArray<HeapLook>): number => {
  const mean = looks.reduce((sum, { bytes }) => sum + bytes, 0) / looks.length
  const middle = looks.reduce((sum, { minute }) => sum + minute, 0) / looks.length
  let above = 0
  let below = 0
  for (const { minute, bytes } of looks) {
    above += (minute - middle) * (bytes - mean)
    below += (minute - middle) ** 2
  }
  return below === 0 ? 0 : above / below
}

/** By id, for hundreds of thousands. One map of so many stops the load for up to 100 ms when it grows. */
class ById {
  readonly #parts = new Map<string, Map<string, number>>()

  get size(): number {
    return [...this.#parts.values()].reduce((sum, part) => sum + part.size, 0)
  }

  get(id: string): number | undefined {
    return this.#parts.get(id.slice(-2))?.get(id)
  }

  set(id: string, value: number): void {
    const part = this.#parts.get(id.slice(-2))
    if (part === undefined) this.#parts.set(id.slice(-2), new Map([[id, value]]))
    else part.set(id, value)
  }

  values(): ReadonlyArray<number> {
    return [...this.#parts.values()].flatMap((part) => [...part.values()])
  }
}

interface Heard {
  /** performance.now() of the first event that says FILLED. */
  readonly filledAt: ById
  /** By their own ids. */
  readonly executions: ById
  readonly gaps: Array<string>
  /** How often a reader had to connect again. */
  readonly returns: () => number
  readonly close: () => void
}

const listen = (stage: Stage, traders: ReadonlyArray<Trader>): Heard => {
  const [filledAt, executions] = [new ById(), new ById()]
  const gaps: Array<string> = []
  let connections = 0
  const clients = traders.map(({ calls, tradingAccountId }) => {
    const client = new Centrifuge(stage.gateway().ws, { token: calls.token ?? "", websocket: WebSocket })
    const subscription = client.newSubscription(`tradingAccount:${tradingAccountId}`)
    let last: number | undefined
    subscription.on("publication", ({ data: { sequence, kind, data } }: PublicationContext) => {
      if (last !== undefined && sequence !== last + 1) gaps.push(`${tradingAccountId}: ${last} then ${sequence}`)
      last = sequence
      if (kind === "EXECUTION.CREATED") executions.set(data.executionId, (executions.get(data.executionId) ?? 0) + 1)
      else if (data.orderStatus === "FILLED" && filledAt.get(data.tradeOrderId) === undefined)
        filledAt.set(data.tradeOrderId, performance.now())
    })
    subscription.subscribe()
    client.on("connected", () => (connections += 1))
    client.connect()
    return client
  })
  const close = (): void => {
    for (const client of clients) client.disconnect()
  }
  return { filledAt, executions, gaps, returns: () => connections - traders.length, close }
}

export const steady = async (options: SteadyOptions): Promise<ReadonlyArray<Verdict>> => {
  const { minutes, ratePerSecond, progress } = options
  const probe = `--import=data:text/javascript,${encodeURIComponent(PROBE)}`
  const stage = await openStage(
    { NODE_OPTIONS: probe, MOCK_BALANCES: JSON.stringify({ USDT: "1000000000", BTC: "100000" }) },
    options.built,
  )
  try {
    await stage.start()
    const traders: Array<Trader> = []
    for (let index = 0; index < ACCOUNTS; index += 1) traders.push(await stage.enter("mock"))
    const heard = listen(stage, traders)
    await sleep(1_000)
    const traffic = new Traffic(traders, ratePerSecond, (index) => ({
      orderSide: Math.floor(index / ACCOUNTS) % 2 === 0 ? "BUY" : "SELL",
      orderType: "MARKET",
      quantity: "0.0001",
    }))
    const causes = await watchCauses(stage.databaseUrl)
    traffic.begin()
    const from = performance.now()
    for (let ticks = minutes * 6; ticks > 0; ticks -= 1) {
      await sleep(10_000)
      const recent = traffic.sent.slice(-ratePerSecond * 5).filter(({ answeredAt }) => answeredAt > 0)
      const p99 = quantile(
        recent.map(({ answeredAt, plannedAt }) => answeredAt - plannedAt),
        0.99,
      )
      progress(`steady: ${traffic.sent.length} sent, ${heard.filledAt.size} filled, answers p99 ${p99} ms`)
    }
    await traffic.end()
    await causes.end()
    const seconds = (performance.now() - from) / 1000
    const answered = traffic.sent.map(({ answeredAt, plannedAt }) => answeredAt - plannedAt)
    const slow = traffic.sent
      .filter(({ answeredAt, plannedAt }) => answeredAt - plannedAt > P99_MILLIS)
      .map(
        ({ answeredAt, plannedAt }) =>
          [performance.timeOrigin + plannedAt, performance.timeOrigin + answeredAt] as const,
      )
    const first = traffic.sent.filter(({ status }) => status === 200)
    await traffic.repeat()
    const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    const verdicts = await reckon(traffic, acknowledged)
    const areHeard = (): boolean => [...acknowledged].every((id) => heard.filledAt.get(id) !== undefined)
    // A reader that was cut off may be on its way back.
    for (let waited = 0; waited < HEARD_SECONDS && !areHeard(); waited += 1) await sleep(1_000)
    const filled = traffic.sent.flatMap(({ tradeOrderId, plannedAt }) => {
      const at = tradeOrderId === undefined ? undefined : heard.filledAt.get(tradeOrderId)
      return at === undefined ? [] : [at - plannedAt]
    })
    const twice = heard.executions.values().filter((count) => count > 1).length
    heard.close()
    const probes = probesOf(stage.gateway().stderr())
    // The first minute fills what is bounded: histories, memories of orders.
    const heaps = heapsOf(stage.gateway().stderr()).slice(1)
    const spread = (values: ReadonlyArray<number>): string =>
      `p50 ${quantile(values, 0.5)}, p99 ${quantile(values, 0.99)}, p99.9 ${quantile(values, 0.999)} ms`
    const slope = heaps.length < 2 ? null : slopeOf(heaps) / 2 ** 20
    const heap =
      slope === null
        ? ""
        : `, heap after full collections ${heaps.map(({ bytes }) => Math.round(bytes / 2 ** 20)).join(" ")} MiB, slope ${slope.toFixed(2)} MiB a minute`
    return [
      ...verdicts,
      {
        name: "submit to answer",
        passed: quantile(answered, 0.99) <= P99_MILLIS && first.length === traffic.sent.length,
        says: `${spread(answered)}; ${(traffic.sent.length / seconds).toFixed(0)} a second, ${traffic.sent.length - first.length} of ${traffic.sent.length} not answered 200 at first; ${slow.length} above ${P99_MILLIS} ms: ${causes.say(slow, stage.gateway().stderr())}`,
      },
      {
        name: "submit to FILLED on the socket",
        passed: filled.length === acknowledged.size,
        says: `${spread(filled)}; ${filled.length} of ${acknowledged.size} heard, readers came back ${heard.returns()} times`,
      },
      {
        name: "events",
        passed: heard.gaps.length === 0 && twice === 0,
        says: `${heard.executions.size} executions, ${twice} told twice, ${heard.gaps.length} gaps`,
      },
      {
        name: "the gateway's process",
        passed: probes.length > 0 && (slope === null || slope <= HEAP_SLOPE_MIB),
        says: `event loop p99 ${quantile(
          probes.map((it) => it.p99),
          0.5,
        )} ms (worst 5 s: ${quantile(
          probes.map((it) => it.p99),
          1,
        )})${heap}, RSS ${Math.round((probes.at(-1)?.rss ?? 0) / 2 ** 20)} MiB`,
      },
    ]
  } finally {
    await stage.close()
  }
}
