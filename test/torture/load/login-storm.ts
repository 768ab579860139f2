/**
 * `npm run torture -- login-storm` (scoreboard S9, L9): a thousand passwords in three shapes, against the limits that the gateway ships
 * with; and 300 logins a second from addresses enough that no limit holds them, only the gate of password hashing, while orders run.
 */
import { availableParallelism, loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { api, type Gateway, PASSWORD, startGateway } from "../../kit/servers/gateway.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { OpenLoad, postOf, servedIn, statusesOf, waitedFor } from "./open-load.ts"

export interface LoginStormOptions {
  readonly seconds: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const ATTEMPTS = 1_000
const TRIED_MAX = 100
const OWNER = "owner@example.com"
const HOME = "198.51.100.1"
const LOGINS_PER_SECOND = 300
const ORDERS_PER_SECOND = 100
const ACCOUNTS = 4
const REFUSAL_MILLIS_MAX = 50

const behindProxy = (address: string): string => `X-Forwarded-For: ${address}\r\nX-Forwarded-Proto: https\r\n`
const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
const login = (address: string, email: string, password: string): Buffer =>
  postOf("/auth/login", { email, password }, null, behindProxy(address))

const portOf = ({ http }: Gateway): number => Number(new URL(http).port)

/** The three shapes one after another; each also says whether the owner logged in right after it. */
const guesses = async (built: boolean, progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  const gateway = await startGateway({ built, env: { RATE_LIMITS: "", TRUST_PROXY: "127.0.0.1" } })
  const headers = { "x-forwarded-for": HOME, "x-forwarded-proto": "https" }
  const owner = { email: OWNER, password: PASSWORD }
  await api(gateway).call("POST", "/auth/signup", owner, headers)
  const shapes: Readonly<Record<string, (n: number) => Buffer>> = {
    "1,000 passwords from one address on one account": (n) => login("203.0.113.1", OWNER, `guess number ${n}`),
    "1,000 passwords from 100 addresses on one account": (n) =>
      login(`203.0.113.${(n % 100) + 2}`, OWNER, `guess number ${n}`),
    "1,000 accounts from one address": (n) =>
      login("192.0.2.77", n % 10 === 0 ? OWNER : `user-${n}@example.com`, "correct horse"),
  }
  const verdicts: Array<Verdict> = []
  for (const [name, shape] of Object.entries(shapes)) {
    const load = await OpenLoad.open(portOf(gateway), 32, shape)
    const answers = await load.count(ATTEMPTS)
    load.close()
    const tried = answers.filter(({ status }) => status !== 429 && status !== 503).length
    const home = await api(gateway).call("POST", "/auth/login", owner, headers)
    progress(`${name}: ${tried} tried`)
    verdicts.push({
      name,
      passed: tried <= TRIED_MAX && home.status === 200,
      says: `${tried} of ${answers.length} tried (${statusesOf(answers)}); the owner's login: ${home.status}`,
    })
  }
  await gateway.stop()
  return verdicts
}

const storm = async (
  built: boolean,
  seconds: number,
  progress: (line: string) => void,
): Promise<ReadonlyArray<Verdict>> => {
  // Each login comes from an address of its own, for an account of its own; signups and orders are not what is looked at.
  const rate = { perSecond: 1_000, burst: 10_000 }
  const limits = { orderSubmit: rate, orderSubmitUser: rate, orderCalls: rate }
  const gateway = await startGateway({
    built,
    env: { RATE_LIMITS: JSON.stringify(limits), TRUST_PROXY: "127.0.0.1", MOCK_TICK_MS: "0" },
  })
  const headers = { "x-forwarded-for": HOME, "x-forwarded-proto": "https" }
  const session = await api(gateway).call<{ accessToken: string }>(
    "POST",
    "/auth/signup",
    { email: "trader@example.com", password: PASSWORD },
    headers,
  )
  const { accessToken } = session.record
  const calls = api(gateway).as(accessToken)
  const accounts: Array<string> = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const body = { venue: "MOCK", externalTradingAccountId: `storm-${n}` }
    const { record } = await calls.call<{ tradingAccountId: string }>("POST", "/tradingAccount/connect", body, headers)
    accounts.push(record.tradingAccountId)
  }
  await calls.call("GET", "/market/orderbook/get?instrumentId=MOCK:BTC/USDT", undefined, headers)
  const orders = ["BUY", "SELL"].flatMap((orderSide) =>
    accounts.map((tradingAccountId) =>
      postOf(
        "/tradeOrder/submit",
        { tradingAccountId, instrumentId: "MOCK:BTC/USDT", orderSide, orderType: "MARKET", quantity: "0.0001" },
        accessToken,
        behindProxy(HOME),
      ),
    ),
  )
  const trading = await OpenLoad.open(portOf(gateway), 64, (n) => orders[n % orders.length]!)
  await trading.offer(ORDERS_PER_SECOND, 3_000)
  const quiet = await trading.offer(ORDERS_PER_SECOND, seconds * 1_000)
  progress(`login-storm: orders alone p99 ${waitedFor(quiet.answers, 0.99).toFixed(1)} ms`)

  const knocking = await OpenLoad.open(portOf(gateway), 400, (n) =>
    login(addressOf(n), `storm-${n}@example.com`, "no password of anybody"),
  )
  const [logins, stormy] = await Promise.all([
    knocking.offer(LOGINS_PER_SECOND, seconds * 1_000),
    sleep(200).then(() => trading.offer(ORDERS_PER_SECOND, (seconds - 0.4) * 1_000)),
  ])
  knocking.close()
  trading.close()
  const exit = await gateway.stop()
  const looked = logins.answers.filter(({ status }) => status === 400)
  const refused = logins.answers.filter(({ status }) => status === 429 || status === 503)
  const [before, during] = [waitedFor(quiet.answers, 0.99), waitedFor(stormy.answers, 0.99)]
  const served = (looked.length * 1_000) / logins.millis
  const load = `load average ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
  return [
    {
      name: "orders",
      passed: during <= 2 * before && stormy.answers.every(({ status }) => status === 200),
      says: `p99 ${during.toFixed(1)} ms, alone ${before.toFixed(1)} ms (${(during / before).toFixed(1)} times); p50 ${waitedFor(stormy.answers, 0.5).toFixed(1)}, alone ${waitedFor(quiet.answers, 0.5).toFixed(1)} ms; ${statusesOf(stormy.answers)}; ${load}`,
    },
    {
      name: "logins",
      passed: looked.length > 0 && looked.length + refused.length === logins.answers.length,
      says: `${served.toFixed(0)} a second had their password looked at, of ${LOGINS_PER_SECOND} offered; ${statusesOf(logins.answers)}, ${logins.unsent} found no free connection`,
    },
    {
      name: "logins that were refused",
      passed: refused.length > 0 && servedIn(refused, 0.99) <= REFUSAL_MILLIS_MAX,
      says: `p50 ${servedIn(refused, 0.5).toFixed(1)}, p99 ${servedIn(refused, 0.99).toFixed(1)} ms`,
    },
    { name: "the process", passed: exit.code === 0, says: `ended with ${exit.code}` },
  ]
}

export const loginStorm = async ({ seconds, built, progress }: LoginStormOptions): Promise<ReadonlyArray<Verdict>> => [
  ...(await guesses(built, progress)),
  ...(await storm(built, seconds, progress)),
]
