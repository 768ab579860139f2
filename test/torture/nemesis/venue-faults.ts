/**
 * A venue that fails in every way a network can (scoreboard F8), under order load: each order that may have arrived is in doubt until the
 * venue was asked, and none is ever sent a second time.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../../exchanges/binance/faults.ts"
import { until } from "../../kit/servers/gateway.ts"
import { openStage } from "../failpoints/stage.ts"
import { falsehoods } from "../failpoints/truth.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { mixedTraffic, quantile, reckon } from "./traffic.ts"

export interface VenueFaultOptions {
  /** How long a venue stays silent. */
  readonly stallMillis: number
  readonly progress: (line: string) => void
}

const RATE = 4
const MATCH = "POST /api/v3/order"

const always = (action: Extract<Fault, { readonly fault: "answer" }>["action"], match = MATCH): Fault => ({
  fault: "answer",
  match,
  times: "always",
  action,
})

interface Trial {
  readonly name: string
  readonly faults: ReadonlyArray<Fault>
  readonly millis: number
}

const trials = (stallMillis: number): ReadonlyArray<Trial> => [
  { name: "disconnect", faults: [{ fault: "closeSockets" }], millis: 3_000 },
  {
    name: "disconnect, and no way back",
    faults: [{ fault: "refuseWebSockets", on: true }, { fault: "closeSockets" }],
    millis: 5_000,
  },
  { name: "5xx", faults: [always({ kind: "status", status: 503 })], millis: 4_000 },
  { name: "5xx although it was placed", faults: [always({ kind: "apply-then-status", status: 504 })], millis: 4_000 },
  {
    name: "429",
    faults: [always({ kind: "status", status: 429, headers: { "retry-after": "2" } })],
    millis: 3_000,
  },
  { name: "cut before it arrived", faults: [always({ kind: "destroy" })], millis: 4_000 },
  { name: "cut within the answer", faults: [always({ kind: "apply-then-destroy" })], millis: 4_000 },
  {
    name: "half-open: placed, no answer, no events",
    faults: [{ fault: "suppressUserEvents", on: true }, always({ kind: "apply-then-hang" })],
    millis: 5_000,
  },
  { name: "stall", faults: [always({ kind: "hang" }, "/api/v3/")], millis: stallMillis },
]

export const venueFaults = async ({ stallMillis, progress }: VenueFaultOptions): Promise<ReadonlyArray<Verdict>> => {
  const stage = await openStage()
  try {
    const gateway = await stage.start()
    const verdicts: Array<Verdict> = []
    for (const { name, faults, millis } of trials(stallMillis)) {
      const trader = await stage.enter("binance")
      const traffic = mixedTraffic(trader, RATE)
      traffic.begin()
      await sleep(500)
      for (const fault of faults) stage.exchange.fault(fault)
      await sleep(millis)
      stage.exchange.fault({ fault: "clear" })
      const clearAt = performance.now()
      await sleep(500)
      await traffic.end()
      await traffic.repeat()
      let wrong: ReadonlyArray<string> = []
      await until(
        () => `the venue's truth: ${wrong.join("; ")}`,
        async () => {
          wrong = await falsehoods(stage, trader)
          return wrong.length === 0
        },
        120_000,
      )
      const truth = Math.round(performance.now() - clearAt)
      const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
      const found = await reckon(traffic, acknowledged, stage)
      const rest = Math.round(performance.now() - clearAt)
      const latencies = traffic.sent.map(({ answeredAt, plannedAt }) => answeredAt - plannedAt)
      const bad = found.filter(({ passed }) => !passed)
      verdicts.push({
        name,
        passed: bad.length === 0,
        says: `${found.map((it) => `${it.name} ${it.says}`).join(", ")}; truth ${truth} ms and rest ${rest} ms after the fault; answers p99 ${quantile(latencies, 0.99)} ms`,
      })
      progress(`venue-faults: ${name}, truth after ${truth} ms`)
    }
    await gateway.stop()
    return verdicts
  } finally {
    await stage.close()
  }
}
