/**
 * `order`: durable submits of resting LIMIT orders on MOCK through the real gateway, against two floors: bare uWebSockets with one row of 14
 * columns an order in a group commit and the same matcher, and the same with the least events that recovery needs. Targets: 1.5 of the
 * second's CPU per order; 7,000 orders/s at 128 connections with p99 of 40 ms; p50 of 0.8 ms with one. All use one PostgreSQL server, the
 * embedded one, on disk.
 */
import type pg from "pg"
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import { type Child, startChild } from "./kit/child.ts"
import { connectMockAccount, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { median, medians, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf, postgresCpuMicros, rssBytesOf } from "./kit/usage.ts"
import type { Outcome, Plan, Target } from "./processes/http-load.ts"
import type { FloorPlan } from "./processes/order-floor.ts"
import { ACCOUNTS, BALANCES, orderRequests } from "./processes/order-wire.ts"

const VARIANTS = ["ours", "floor", "floorEvents"] as const
type Variant = (typeof VARIANTS)[number]
type Round = Record<
  "cpuMicros" | "postgresMicros" | "generatorMicros" | "perSecond" | "unsent" | "refused" | "p50" | "p99" | "p999",
  number
>

/** Before anything counts: the compiler's threads would be measured otherwise. Far more orders than V8 needs, on a calm machine. */
const WARM_UP = { connections: 128, millis: 6_000 } as const
const CASES = [
  { name: "128", connections: 128, rounds: 5, millis: 1_500, perSecond: null },
  /** At the target's own rate. */
  { name: "128 open loop 7000/s", connections: 128, rounds: 2, millis: 2_000, perSecond: 7_000 },
  { name: "32", connections: 32, rounds: 3, millis: 1_200, perSecond: null },
  { name: "1", connections: 1, rounds: 3, millis: 1_000, perSecond: null },
] as const

interface Side {
  readonly pid: number
  readonly load: Child
  readonly port: number
  readonly requests: ReadonlyArray<string>
  readonly database: pg.Client
  /** OK answers so far. */
  answered: number
}

let gateway: Gateway | undefined
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined

const measure = async (side: Side, connections: number, plan: Plan): Promise<Round> => {
  // Anew each time: the server closes what is idle for 10 s.
  const { port, requests: texts } = side
  await side.load.ask("open", { port, connections, requests: texts } satisfies Target)
  const nodeBefore = cpuMicrosOf(side.pid) ?? Number.NaN
  const postgresBefore = postgresCpuMicros(server?.pid ?? null) ?? Number.NaN
  const outcome = await side.load.ask<Outcome>("run", plan)
  // What an answered order still causes (the venue's acknowledgement and its commit) belongs to it.
  await sleep(100)
  const node = (cpuMicrosOf(side.pid) ?? Number.NaN) - nodeBefore
  const postgres = (postgresCpuMicros(server?.pid ?? null) ?? Number.NaN) - postgresBefore
  // A machine that is busy with other work refuses some: they are said, and no orders.
  if (outcome.refused > 0) say(`${outcome.refused} answers are not 200: ${outcome.firstRefusal.slice(0, 40)}`)
  const { refused, p50, p99, p999 } = outcome
  const requests = outcome.requests - refused
  side.answered += requests
  return {
    cpuMicros: node / requests,
    postgresMicros: postgres / requests,
    generatorMicros: outcome.generatorCpuMicros / requests,
    perSecond: (requests * 1000) / outcome.millis,
    unsent: outcome.unsent,
    refused,
    p50,
    p99,
    p999,
  }
}

const startOurs = async (databaseUrl: string, adminUrl: string): Promise<Side> => {
  gateway = await startGateway({
    DATA_DIR: scratch("order"),
    DATABASE_URL: databaseUrl,
    MOCK_BALANCES: BALANCES,
    ACCOUNTS_MAX: String(ACCOUNTS),
  })
  const user = await signUp(gateway)
  const accounts: Array<string> = []
  for (let n = 0; n < ACCOUNTS; n++) accounts.push(await connectMockAccount(user, `bench-${n}`))
  const database = await connectDedicated(adminUrl)
  const load = await startChild("http-load")
  return {
    pid: gateway.pid,
    load,
    port: gateway.port,
    requests: orderRequests(accounts, user.accessToken),
    database,
    answered: 0,
  }
}

const startFloor = async (url: string, adminUrl: string, events: boolean): Promise<Side> => {
  const floor = await startChild("order-floor")
  const { port, token, accounts } = await floor.ask<{ port: number; token: string; accounts: ReadonlyArray<string> }>(
    "start",
    { url, events } satisfies FloorPlan,
  )
  const database = await connectDedicated(adminUrl)
  const load = await startChild("http-load")
  return { pid: floor.pid, load, port, requests: orderRequests(accounts, token), database, answered: 0 }
}

interface Stored {
  readonly orders: number
  readonly accepted: number
  readonly events: number
  readonly eventBytes: number
}

const stored = async ({ database }: Side): Promise<Stored> => {
  const { rows } = await database.query<Record<string, string>>(
    `SELECT (SELECT count(*) FROM trade_order) AS orders,
            (SELECT count(*) FROM account_event WHERE kind = 'TRADE_ORDER.ACCEPTED') AS accepted,
            (SELECT count(*) FROM account_event WHERE kind LIKE 'TRADE_ORDER.%') AS events,
            (SELECT avg(length(payload)) FROM account_event) AS bytes`,
  )
  const first = rows[0]!
  return {
    orders: Number(first["orders"]),
    accepted: Number(first["accepted"]),
    events: Number(first["events"]),
    eventBytes: Number(first["bytes"]),
  }
}

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: scratch("order-database"), connectionsMax: 100 })
  const admin = await connectDedicated(server.adminUrl("postgres"))
  for (const name of VARIANTS) await admin.query(`CREATE DATABASE ${name.toLowerCase()} OWNER gateway`)
  await admin.end()
  const sides: Record<Variant, Side> = {
    ours: await startOurs(server.url("ours"), server.adminUrl("ours")),
    floor: await startFloor(server.url("floor"), server.adminUrl("floor"), false),
    floorEvents: await startFloor(server.url("floorevents"), server.adminUrl("floorevents"), true),
  }
  const figures: Record<Variant, Record<string, Round>> = { ours: {}, floor: {}, floorEvents: {} }
  const ratios: Record<string, number> = {}
  say(row("", "CPU us/order", "PG us", "orders/s", "p50 us", "p99 us"))
  for (const side of Object.values(sides)) await measure(side, WARM_UP.connections, { ...WARM_UP, perSecond: null })
  for (const each of CASES) {
    const rounds: Record<Variant, Array<Round>> = { ours: [], floor: [], floorEvents: [] }
    for (let round = 0; round < each.rounds; round++)
      for (const variant of round % 2 === 0 ? VARIANTS : VARIANTS.toReversed()) {
        const { millis, perSecond } = each
        rounds[variant].push(await measure(sides[variant], each.connections, { millis, perSecond }))
      }
    ratios[each.name] = median(rounds.ours.map((round, i) => round.cpuMicros / rounds.floorEvents[i]!.cpuMicros))
    for (const variant of VARIANTS) {
      const f = medians(rounds[variant])
      figures[variant][each.name] = f
      say(row(`${each.name} connections: ${variant}`, f.cpuMicros, f.postgresMicros, f.perSecond, f.p50, f.p99))
    }
  }
  await sleep(500)
  const of = async (variant: Variant) => {
    const side = sides[variant]
    const found = await stored(side)
    const kinds = await side.database.query<{ kind: string; n: string }>(
      "SELECT kind, count(*) AS n FROM account_event GROUP BY 1 ORDER BY 1",
    )
    say(`${variant}: ${kinds.rows.map(({ kind, n }) => `${kind} ${n}`).join(", ")}`)
    const many = figures[variant]["128"]!
    const rssBytes = rssBytesOf(side.pid)
    await side.database.end()
    return {
      p50: many.p50,
      p99: many.p99,
      p999: many.p999,
      perSecond: many.perSecond,
      cpuMicros: many.cpuMicros,
      postgresMicros: many.postgresMicros,
      rssBytes,
      /** Answers without a row; a row without an answer would be negative. */
      lost: side.answered - found.orders,
      answered: side.answered,
      ...found,
      connections: figures[variant],
    }
  }
  const ours = await of("ours")
  await gateway?.stop()
  const floor = await of("floor")
  const floorEvents = await of("floorEvents")
  const one = figures.ours["1"]!
  say(
    `CPU per order, ours / floor with events: ${Object.entries(ratios)
      .map(([name, it]) => `${it.toFixed(2)} (${name})`)
      .join(", ")}; target 1.5`,
  )
  say(
    `128 connections: ${ours.perSecond.toFixed(0)} orders/s, p99 ${(ours.p99 / 1000).toFixed(1)} ms; target 7,000 and 40 ms`,
  )
  say(`one connection: p50 ${(one.p50 / 1000).toFixed(2)} ms; target 0.8 ms`)
  say(
    `rows: ours ${ours.orders} of ${ours.answered} answers, floor ${floor.orders} of ${floor.answered}, with events ${floorEvents.orders} of ${floorEvents.answered}`,
  )
  say(
    `events per order: ours ${(ours.events / ours.orders).toFixed(2)}, floor with events ${(floorEvents.events / floorEvents.orders).toFixed(2)}`,
  )
  return {
    bench: "order",
    conditions: {
      accounts: ACCOUNTS,
      instruments: 4,
      cases: CASES,
      postgres: server.version,
      latency:
        "closed loop, and open loop from the planned send time where it says so; p50, p99, p999 are of 128 connections, closed loop",
      openOrders:
        "nothing is cancelled: orders pile up over 128 accounts x 4 instruments x about 128 prices, rounds of both sides alternate",
      ratio: "node CPU per order, gateway / floor with events, 128 connections, median of rounds",
    },
    figures: { ...ours, ratios },
    floor: { ...floor, withEvents: floorEvents },
    ratio: ratios["128"]!,
  }
}

await runBench(bench, async () => {
  await endGateways()
  await server?.stop()
})
