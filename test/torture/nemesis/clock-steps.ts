/**
 * The gateway's clock is set forward and back by 50 minutes under order load (scoreboard F11), the database's and the venue's are not.
 * Health says so, ids stay unique, no order is lost, doubled or stuck, and nothing that waits waits for the wrong hour.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { HealthRecord } from "../../../src/http/root/endpoints.ts"
import { api, until } from "../../kit/servers/gateway.ts"
import { openStage } from "../failpoints/stage.ts"
import { none, type Verdict } from "../kill/kill-verdict.ts"
import { seenBySecond } from "./seen.ts"
import { mixedTraffic, reckon } from "./traffic.ts"

const LIBRARY = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

/** Why no clock can be set here; null: it can. */
export const clocksMissing: string | null = existsSync(LIBRARY) ? null : `needs libfaketime: ${LIBRARY}`

/** What a process is given whose wall clock is `+0`, `+50m` or like from now, by this file. */
export const clockOf = (file: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: LIBRARY,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_NO_CACHE: "1",
  // Timers run on the monotonic clock, which no operator sets.
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
})
const RATE = 10
const STEPS = ["+50m", "+0", "-50m", "+0"] as const
const STEP_MILLIS = 5_000

export const clockSteps = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  if (clocksMissing !== null) return [{ name: "a clock that can be set", passed: false, says: clocksMissing }]
  const directory = mkdtempSync(join(tmpdir(), "clock-"))
  const file = join(directory, "faketime")
  writeFileSync(file, "+0")
  const stage = await openStage(clockOf(file))
  try {
    const gateway = await stage.start()
    const trader = await stage.enter("mock")
    const traffic = mixedTraffic(trader, RATE)
    const clock = async (): Promise<string | null> => {
      const { envelope } = await api(gateway).get<HealthRecord>("/health")
      return envelope.data?.checks["clock"]?.reason ?? null
    }
    const beganAt = performance.now()
    traffic.begin()
    await sleep(2_000)
    const noticed: Array<string> = []
    for (const step of STEPS) {
      writeFileSync(file, step)
      const isAside = step !== "+0"
      const reason = await until(`health after ${step}`, async () => {
        const found = await clock()
        return (found !== null) === isAside && (found ?? "right")
      })
      noticed.push(`${step}: ${reason}`)
      progress(`clock-steps: ${step}: ${reason}`)
      await sleep(STEP_MILLIS)
    }
    await traffic.end()
    const seen = seenBySecond(traffic.sent, beganAt)
    await traffic.repeat()
    const { tradingAccountId } = trader
    const orders = (await trader.calls.orders({ tradingAccountId, limit: 1000 })).record
    const ids = new Set(orders.map(({ tradeOrderId }) => tradeOrderId))
    const late = orders.filter(({ orderStatus }) => orderStatus === "REJECTED" || orderStatus === "EXPIRED")
    const acknowledged = new Set(traffic.sent.flatMap(({ tradeOrderId }) => tradeOrderId ?? []))
    const stillThere = await trader.calls.user()
    return [
      ...(await reckon(traffic, acknowledged)),
      { name: "health notices", passed: noticed.length === STEPS.length, says: noticed.join("; ") },
      none("ids twice", ids.size === orders.length ? [] : ["some"], `${orders.length}`),
      {
        name: "orders that a step ended",
        passed: late.length <= 2 * STEPS.length,
        says: `${late.length} of ${orders.length}: not sent, since their time was over (${[...new Set(late.map(({ rejectReason }) => rejectReason))].join(", ")})`,
      },
      { name: "the session is as it was", passed: stillThere.status === 200, says: `${stillThere.status}` },
      { name: "what clients saw", passed: true, says: seen },
    ]
  } finally {
    await stage.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
