/**
 * `npm run torture -- fairness`: one user with as many accounts as any user may have asks for ten times the orders that a user may send, with
 * the limits that the gateway ships with, while three others trade. What the storm costs the others is judged, and what is left of it.
 */
import { availableParallelism, loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { RATE_LIMITS } from "../../../src/domain/user/rate-limits.ts"
import { type Api, api, startGateway } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { OpenLoad, postOf, statusesOf, waitedFor } from "./open-load.ts"

export interface FairnessOptions {
  readonly seconds: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const OTHERS = 3
/** Of all others together: what they send is far from any limit. */
const ORDERS_PER_SECOND = 60
const STORM_PER_SECOND = 1_000
const STORM_CONNECTIONS = 64
const ACCOUNTS_MAX = 50
/**
 * The storming user trades first, all accounts, within the limits: what a start costs (code that is not compiled yet, an account's first
 * order) is not what a storm costs.
 */
const WARM_PER_SECOND = 60
const WARM_MILLIS = 20_000
const TIMES_MAX = 2
/** Twice less than a few milliseconds is the machine's own noise. */
const LEAST_MILLIS = 5

const entered = async (at: Api, name: string): Promise<{ readonly calls: Api; readonly token: string }> => {
  const { accessToken } = (await at.signup(`${name}@example.com`)).record
  return { calls: at.as(accessToken), token: accessToken }
}

/** Waits as it is told to: connecting has its price. */
const connected = async (calls: Api, label: string): Promise<string | null> => {
  for (;;) {
    const answer = await calls.connectMock(label)
    if (answer.status === 200) return answer.record.tradingAccountId
    if (answer.status !== 429) return null
    await sleep(Number(answer.headers.get("retry-after")) * 1_000)
  }
}

const order = (token: string, tradingAccountId: string, n: number): Buffer =>
  postOf(
    "/tradeOrder/submit",
    {
      tradingAccountId,
      instrumentId: "MOCK:BTC/USDT",
      orderSide: n % 2 === 0 ? "BUY" : "SELL",
      orderType: "MARKET",
      quantity: "0.0001",
    },
    token,
  )

export const fairness = async ({ seconds, built, progress }: FairnessOptions): Promise<ReadonlyArray<Verdict>> => {
  const gateway = await startGateway({ built, env: { RATE_LIMITS: "", MOCK_TICK_MS: "0" } })
  const port = Number(new URL(gateway.http).port)
  const others: Array<(n: number) => Buffer> = []
  for (let index = 0; index < OTHERS; index++) {
    const { calls, token } = await entered(api(gateway), `trader-${index}`)
    const account = (await connected(calls, "main"))!
    await calls.orderBook("MOCK:BTC/USDT", 10)
    others.push((n) => order(token, account, n))
  }
  const stormer = await entered(api(gateway), "storm")
  const accounts: Array<string> = []
  for (let n = 0; n <= ACCOUNTS_MAX; n++) {
    const account = await connected(stormer.calls, `storm-${n}`)
    if (account === null) break
    accounts.push(account)
  }
  progress(`fairness: ${accounts.length} accounts of one user`)
  const stormOrders = accounts.flatMap((account) => [0, 1].map((n) => order(stormer.token, account, n)))

  const warming = await OpenLoad.open(port, 16, (n) => stormOrders[n % stormOrders.length]!)
  await warming.offer(WARM_PER_SECOND, WARM_MILLIS)
  warming.close()
  // Connections are opened when they are needed: the gateway closes one that is idle for 10 s.
  const trading = await OpenLoad.open(port, 32, (n) => others[n % OTHERS]!(Math.floor(n / OTHERS)))
  await trading.offer(ORDERS_PER_SECOND, 3_000)
  const quiet = await trading.offer(ORDERS_PER_SECOND, seconds * 1_000)
  const before = waitedFor(quiet.answers, 0.99)
  progress(`fairness: the others alone, p99 ${before.toFixed(1)} ms`)
  const storm = await OpenLoad.open(port, STORM_CONNECTIONS, (n) => stormOrders[n % stormOrders.length]!)
  const [flood, stormy] = await Promise.all([
    storm.offer(STORM_PER_SECOND, seconds * 1_000),
    sleep(200).then(() => trading.offer(ORDERS_PER_SECOND, (seconds - 0.4) * 1_000)),
  ])
  storm.close()
  trading.close()
  const exit = await gateway.stop()
  const during = waitedFor(stormy.answers, 0.99)
  const { perSecond, burst } = RATE_LIMITS.orderSubmitUser
  const taken = flood.answers.filter(({ status }) => status === 200).length
  const most = burst + (perSecond * (flood.millis + 1_000)) / 1_000
  const load = `load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
  return [
    {
      name: "accounts of one user",
      passed: accounts.length === ACCOUNTS_MAX,
      says: `${accounts.length} connected, one more was refused`,
    },
    {
      name: "the others' orders",
      passed:
        during <= TIMES_MAX * Math.max(before, LEAST_MILLIS) && stormy.answers.every(({ status }) => status === 200),
      says: `p99 ${during.toFixed(1)} ms, alone ${before.toFixed(1)} ms (${(during / before).toFixed(1)} times); p50 ${waitedFor(stormy.answers, 0.5).toFixed(1)}, alone ${waitedFor(quiet.answers, 0.5).toFixed(1)} ms; ${statusesOf(stormy.answers)}; ${load}`,
    },
    {
      name: "the storm",
      passed: taken <= most && flood.answers.every(({ status }) => status === 200 || status === 429),
      says: `${((flood.answers.length * 1_000) / flood.millis).toFixed(0)} a second, of ${STORM_PER_SECOND} offered; ${taken} taken, at most ${most.toFixed(0)} may be; ${statusesOf(flood.answers)}, ${flood.unsent} found no free connection`,
    },
    { name: "the process", passed: exit.code === 0, says: `ended with ${exit.code}` },
  ]
}
