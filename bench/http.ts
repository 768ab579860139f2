/**
 * `http`: CPU of one request through the reflected route against bare uWebSockets with JSON.parse and JSON.stringify over the same bytes
 * (target: 1.15 with the log off, 1.5 as shipped), and with an API key against an access token, both as shipped (target: within 3 %). The ratio
 * of the JSON line is the one with the log off.
 */

import { type Child, startChild } from "./kit/child.ts"
import { median, medians, type Result, row, runBench, say } from "./kit/report.ts"
import type { Outcome, Plan, Target } from "./processes/http-load.ts"
import { type Listening, PATH, type Variant } from "./processes/http-wire.ts"

const VARIANTS: ReadonlyArray<Variant> = ["floor", "bare", "shipped", "session", "key"]
const CONNECTIONS = 32
const ROUNDS = 15
const ROUND_MILLIS = 600
const OPEN_ROUNDS = 3
const OPEN_MILLIS = 2_000
const OPEN_PER_SECOND = 3_000

const BODY = JSON.stringify({
  tradingAccountId: "9f1b3a52-51fb-4c4e-8f4e-00000000000a",
  instrumentId: "MOCK:BTC/USDT",
  idempotencyKey: "bench-018bcfe5-6800-7000-8000-00000000b31c",
  clientOrderId: "bench-018bcfe5-6800-7000-8000-00000000b31c",
  orderSide: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  quantityType: "BASE",
  quantity: "0.015",
  limitPrice: "64250.1",
  awaitClosed: false,
  leverage: 1,
  quantityRounding: "DOWN",
})
const requestOf = (token: string): string =>
  `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
  `User-Agent: bench\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`

interface Part {
  readonly server: Child
  readonly load: Child
  readonly target: Target
  readonly requestBytes: number
  readonly rounds: Array<Round>
  readonly latencies: Array<Record<"p50" | "p99" | "p999", number>>
  refused: number
}
type Round = Record<"cpuMicros" | "perSecond" | "rssBytes" | "generatorCpuMicros", number>

interface Usage {
  readonly cpuMicros: number
  readonly rssBytes: number
}

const runPlan = async (part: Part, plan: Plan): Promise<readonly [Outcome, Round]> => {
  // Anew: it is the others' turn in between, and the gateway closes a connection that is idle for 10 s.
  await part.load.ask("open", part.target)
  const before = await part.server.ask<Usage>("usage")
  const outcome = await part.load.ask<Outcome>("run", plan)
  const after = await part.server.ask<Usage>("usage")
  if (outcome.refused > 0) throw new Error(`${outcome.refused} answers are not 200: ${outcome.firstRefusal}`)
  return [
    outcome,
    {
      cpuMicros: (after.cpuMicros - before.cpuMicros) / outcome.requests,
      perSecond: (outcome.requests * 1000) / outcome.millis,
      rssBytes: after.rssBytes,
      generatorCpuMicros: outcome.generatorCpuMicros / outcome.requests,
    },
  ]
}

const bench = async (): Promise<Result> => {
  const parts = new Map<Variant, Part>()
  for (const variant of VARIANTS) {
    const server = await startChild("http-server")
    const load = await startChild("http-load")
    const { port, token } = await server.ask<Listening>("start", variant)
    const request = requestOf(token)
    const target = { port, connections: CONNECTIONS, requests: [request] }
    parts.set(variant, { server, load, target, requestBytes: request.length, rounds: [], latencies: [], refused: 0 })
  }
  const inTurn = (round: number) => (round % 2 === 0 ? [...parts.values()] : [...parts.values()].reverse())
  for (let round = 0; round <= ROUNDS; round++)
    for (const part of inTurn(round)) {
      const [, figures] = await runPlan(part, { millis: ROUND_MILLIS, perSecond: null })
      if (round > 0) part.rounds.push(figures)
    }
  for (let round = 0; round < OPEN_ROUNDS; round++)
    for (const part of inTurn(round)) {
      const [{ p50, p99, p999 }] = await runPlan(part, { millis: OPEN_MILLIS, perSecond: OPEN_PER_SECOND })
      part.latencies.push({ p50, p99, p999 })
    }
  const of = (variant: Variant) => {
    const part = parts.get(variant)!
    return { ...medians(part.latencies), ...medians(part.rounds), lost: part.refused }
  }
  /** Neighbours in time share the machine's mood: the median of the rounds' own ratios, not the ratio of medians. */
  const ratioOf = (variant: Variant, against: Variant = "floor"): number => {
    const floor = parts.get(against)!.rounds
    return median(parts.get(variant)!.rounds.map((round, i) => round.cpuMicros / floor[i]!.cpuMicros))
  }
  const keyToSession = ratioOf("key", "session")
  say(row("", "CPU us/req", "req/s", "p50 us", "p99 us", "ratio"))
  for (const variant of VARIANTS) {
    const f = of(variant)
    say(row(variant, f.cpuMicros, f.perSecond, f.p50, f.p99, ratioOf(variant)))
  }
  say(row("key against session", "", "", "", "", keyToSession))
  say("targets: bare 1.15, shipped 1.5, key against session 0.97 to 1.03")
  return {
    bench: "http",
    conditions: {
      connections: CONNECTIONS,
      rounds: ROUNDS,
      roundMillis: ROUND_MILLIS,
      requestBytes: Object.fromEntries([...parts].map(([variant, part]) => [variant, part.requestBytes])),
      bodyBytes: BODY.length,
      latency: `open loop, ${OPEN_PER_SECOND} requests/s, planned on a 1 ms clock; throughput and CPU closed loop`,
      ratio: "CPU per request, log off / bare uWebSockets, median of rounds",
    },
    figures: {
      ...of("bare"),
      shipped: of("shipped"),
      shippedRatio: ratioOf("shipped"),
      session: of("session"),
      key: of("key"),
      keyToSession,
    },
    floor: of("floor"),
    ratio: ratioOf("bare"),
  }
}

await runBench(bench)
