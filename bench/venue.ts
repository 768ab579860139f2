/**
 * `venue`: from the planned send time of an order to its arrival at the loopback exchange, through the gateway (HTTP, durable commit, worker,
 * ccxt) and from a script that calls ccxt directly (targets: added p50 of 1 ms, p99 of 5 ms).
 */
import type { Routes } from "../test/exchanges/route-ccxt.ts"
import { startChild } from "./kit/child.ts"
import { endGateways, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { type Percentiles, percentiles, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf, rssBytesOf } from "./kit/usage.ts"
import type { ClientOf } from "./processes/venue-client.ts"
import type { Credentials } from "./processes/venue-exchange.ts"
import type { OrderTimes, Pace } from "./processes/venue-wire.ts"

const PER_SECOND = 25
const ROUNDS = 6
const ROUND_MILLIS = 3_000

const user = (letter: string): Credentials => ({ apiKey: letter.repeat(64), apiSecret: letter.repeat(64) })

const bench = async (): Promise<Result> => {
  const exchange = await startChild("venue-exchange")
  const [direct, ours] = [user("d"), user("g")]
  const routes = await exchange.ask<Routes>("start", [direct, ours])

  const script = await startChild("venue-direct")
  await script.ask("start", { routes, user: direct })

  const gateway = await startGateway({ DATA_DIR: scratch("venue"), VENUE_ROUTES: JSON.stringify(routes) })
  const { accessToken, call } = await signUp(gateway)
  const { credentialId } = await call<{ credentialId: string }>("/credential/create", { venue: "BINANCE", ...ours })
  const { tradingAccountId } = await call<{ tradingAccountId: string }>("/tradingAccount/connect", {
    venue: "BINANCE",
    credentialIds: [credentialId],
  })
  for (let waited = 0; ; waited += 50) {
    const accounts = await call<ReadonlyArray<{ tradingAccountId: string; status: string }>>("/tradingAccount/list")
    if (accounts.every(({ status }) => status === "ACTIVE")) break
    if (waited > 20_000) throw new Error("the account does not become ACTIVE")
    await sleep(50)
  }
  await call("/market/instrument/sync", { venue: "BINANCE" })
  const client = await startChild("venue-client")
  await client.ask("start", { port: gateway.port, token: accessToken, tradingAccountId } satisfies ClientOf)

  const sides = { ours: client, floor: script }
  const times: Record<keyof typeof sides, Array<OrderTimes>> = { ours: [], floor: [] }
  let gatewayMicros = 0
  for (let round = 0; round <= ROUNDS; round++)
    for (const side of round % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const)) {
      const warmUp = round === 0
      const before = cpuMicrosOf(gateway.pid) ?? Number.NaN
      const pace = { perSecond: PER_SECOND, millis: warmUp ? 1_000 : ROUND_MILLIS, name: `${side}-${round}` }
      const orders = await sides[side].ask<ReadonlyArray<OrderTimes>>("run", pace satisfies Pace)
      if (warmUp) continue
      if (side === "ours") gatewayMicros += (cpuMicrosOf(gateway.pid) ?? Number.NaN) - before
      times[side].push(...orders)
    }
  await sleep(500)
  const arrivals = await exchange.ask<ReadonlyMap<string, number>>("arrivals")
  const of = (side: keyof typeof sides) => {
    const arrived = times[side].flatMap(({ clientOrderId, plannedAt }) => {
      const at = arrivals.get(clientOrderId)
      return at === undefined ? [] : [at - plannedAt]
    })
    const answered = percentiles(times[side].map(({ plannedAt, answeredAt }) => answeredAt - plannedAt))
    return { arrived: percentiles(arrived), answered, lost: times[side].length - arrived.length }
  }
  const found = { ours: of("ours"), floor: of("floor") }
  const rssBytes = rssBytesOf(gateway.pid)
  await gateway.stop()
  const added = (name: keyof Percentiles): number => found.ours.arrived[name] - found.floor.arrived[name]
  say(row("us", "p50", "p99", "p99.9", "lost"))
  for (const side of ["ours", "floor"] as const) {
    const { arrived, answered, lost } = found[side]
    say(row(`${side}: planned to arrival at the venue`, arrived.p50, arrived.p99, arrived.p999, lost))
    say(row(`${side}: planned to answer`, answered.p50, answered.p99, answered.p999, ""))
  }
  say(
    `added: p50 ${(added("p50") / 1000).toFixed(2)} ms, p99 ${(added("p99") / 1000).toFixed(2)} ms; targets 1 and 5 ms`,
  )
  return {
    bench: "venue",
    conditions: {
      perSecond: PER_SECOND,
      rounds: ROUNDS,
      roundMillis: ROUND_MILLIS,
      orders: times.ours.length,
      latency: "open loop, from the planned send time to the arrival of the request at the exchange",
      ratio: "added p50 in ms",
    },
    figures: {
      ...found.ours.arrived,
      addedP50: added("p50"),
      addedP99: added("p99"),
      answered: found.ours.answered,
      cpuMicros: gatewayMicros / times.ours.length,
      rssBytes,
      lost: found.ours.lost,
    },
    floor: { ...found.floor.arrived, answered: found.floor.answered, lost: found.floor.lost },
    ratio: added("p50") / 1000,
  }
}

await runBench(bench, endGateways)
