/**
 * `npm run torture -- overload` (scoreboard L10): three times as many orders as the gateway can take, on connections enough to send them.
 * What it takes must stay near its best, what it does not take must be told at once, and afterwards all is as before.
 */
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { api, startGateway } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { OpenLoad, postOf, servedIn, statusesOf, waitedFor } from "./open-load.ts"

export interface OverloadOptions {
  readonly seconds: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const ACCOUNTS = 10
const AT_PEAK = 64
const CONNECTIONS = 1_000
const TIMES = 3
const GOODPUT_MIN = 0.8
const REFUSAL_MILLIS_MAX = 50
const RECOVERY_MILLIS_MAX = 5_000
/** Or what the slowest took at the peak: a busy machine is no better afterwards than before. */
const WELL_MILLIS = 100

const good = <A extends { readonly status: number }>(answers: ReadonlyArray<A>): ReadonlyArray<A> =>
  answers.filter(({ status }) => status === 200)

export const overload = async ({ seconds, built, progress }: OverloadOptions): Promise<ReadonlyArray<Verdict>> => {
  const gateway = await startGateway({ built, env: { MOCK_TICK_MS: "0", RATE_LIMITS: "off", ACCESS_LOG: "true" } })
  const port = Number(new URL(gateway.http).port)
  const { accessToken } = (await api(gateway).signup("overload@example.com")).record
  const calls = api(gateway).as(accessToken)
  const accounts: Array<string> = []
  for (let n = 0; n < ACCOUNTS; n++) accounts.push((await calls.connectMock(`account-${n}`)).record.tradingAccountId)
  await calls.orderBook("MOCK:BTC/USDT", 10)
  const order = (tradingAccountId: string, orderSide: string) =>
    postOf(
      "/tradeOrder/submit",
      { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide, orderType: "MARKET", quantity: "0.0001" },
      accessToken,
    )
  const requests = ["BUY", "SELL"].flatMap((side) => accounts.map((account) => order(account, side)))
  const request = (n: number): Buffer => requests[n % requests.length]!

  const few = await OpenLoad.open(port, AT_PEAK, request)
  await few.closed(2_000)
  const best = await few.closed(seconds * 1_000)
  few.close()
  const peak = (good(best.answers).length * 1_000) / best.millis
  progress(
    `overload: at its best ${peak.toFixed(0)} orders a second, p99 ${servedIn(best.answers, 0.99).toFixed(0)} ms`,
  )
  await sleep(1_000)

  const many = await OpenLoad.open(port, CONNECTIONS, request)
  const flood = await many.offer(Math.round(peak * TIMES), seconds * 1_000)
  const endedAt = performance.now()
  const offered = ((flood.answers.length + flood.unsent) * 1_000) / flood.millis
  const sent = (flood.answers.length * 1_000) / flood.millis
  const goodput = (good(flood.answers).length * 1_000) / flood.millis
  const refused = flood.answers.filter(({ status }) => status === 429 || status === 503)
  const other = flood.answers.filter(({ status }) => ![200, 429, 503].includes(status))
  progress(`overload: ${statusesOf(flood.answers)}, ${flood.unsent} found no free connection`)

  many.close()
  const again = await OpenLoad.open(port, AT_PEAK, request)
  const after = await again.offer(50, RECOVERY_MILLIS_MAX + 3_000)
  again.close()
  const wellMillis = Math.max(WELL_MILLIS, servedIn(best.answers, 0.99))
  const ill = after.answers.filter((one) => one.status !== 200 || one.answeredAt - one.plannedAt > wellMillis)
  const recovery = Math.max(0, ...ill.map(({ plannedAt }) => plannedAt - endedAt))
  const exit = await gateway.stop()
  const load = `load average ${loadavg()[0]?.toFixed(1)}`
  return [
    {
      name: "goodput",
      passed: goodput >= GOODPUT_MIN * peak,
      says: `${goodput.toFixed(0)} of ${peak.toFixed(0)} orders a second (${((100 * goodput) / peak).toFixed(0)} %), ${offered.toFixed(0)} planned and ${sent.toFixed(0)} sent a second; p99 of those taken ${servedIn(good(flood.answers), 0.99).toFixed(0)} ms, at the peak ${servedIn(best.answers, 0.99).toFixed(0)} ms; ${load}`,
    },
    {
      name: "the excess",
      passed: other.length === 0 && (refused.length === 0 || servedIn(refused, 0.99) <= REFUSAL_MILLIS_MAX),
      says: `${refused.length} answered 429 or 503, p50 ${servedIn(refused, 0.5).toFixed(1)}, p99 ${servedIn(refused, 0.99).toFixed(1)} ms; ${other.length} answered otherwise; ${flood.unsent} found no free connection`,
    },
    {
      name: "recovery",
      passed: recovery <= RECOVERY_MILLIS_MAX,
      says: `${recovery.toFixed(0)} ms until every order was answered 200 within ${wellMillis.toFixed(0)} ms; ${statusesOf(after.answers)}, p99 ${waitedFor(after.answers, 0.99).toFixed(0)} ms`,
    },
    { name: "the process", passed: exit.code === 0, says: `ended with ${exit.code}` },
  ]
}
