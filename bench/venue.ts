/**
 * `venue`: from the planned send time of an order to its arrival at the loopback exchange, through the gateway (HTTP, durable commit, worker, ccxt),
 * through another whose orders go over the venue's socket (SOCKET_ORDERS), from a script that calls ccxt directly, and what a bare commit of one row
 * costs at the same pace; by turns in one run, with few open orders and with 1,000. The one thing to know: what the gateway adds is counted over ccxt and the bare commit together, since an order is stored before it
 * is sent (targets: added p50 of 0.7 ms, p99 of 3 ms, and twice ccxt's own CPU an order).
 */
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import type { Routes } from "../test/exchanges/route-ccxt.ts"
import { type Child, startChild } from "./kit/child.ts"
import { type Call, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { percentiles, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf, postgresCpuMicros, rssBytesOf, threadMicrosOf } from "./kit/usage.ts"
import type { ClientOf } from "./processes/venue-client.ts"
import { type Credentials, type OrderTimes, type Pace, STAGES } from "./processes/venue-wire.ts"

const PER_SECOND = 25
const ROUNDS = 6
const ROUND_MILLIS = 3_000
/** Of each side: V8 compiles for some 1,000 orders, which cost it 2.5 to 3 ms each. */
const WARM_UP_ORDERS = 1_000
const WARM_UP_PER_SECOND = 50
const OPEN_ORDERS = 1_000
/** What the gateway costs with nobody asking is no order's cost. */
const IDLE_MILLIS = 5_000

const PARTS = ["few open orders", "1,000 open orders"] as const
/** The gateway whose orders are a request each, and the one whose orders go over the socket. */
const WAYS = ["ours", "socket"] as const
type Way = (typeof WAYS)[number]
type Side = Way | "ccxt" | "commit"
const TURNS: ReadonlyArray<ReadonlyArray<Side>> = [
  ["ours", "socket", "ccxt", "commit"],
  ["commit", "ccxt", "socket", "ours"],
]

const user = (letter: string): Credentials => ({ apiKey: letter.repeat(64), apiSecret: letter.repeat(64) })

type Cpu = Record<"main" | "worker" | "others" | "postgres", number>

const less = (a: Cpu, b: Cpu): Cpu => ({
  main: a.main - b.main,
  worker: a.worker - b.worker,
  others: a.others - b.others,
  postgres: a.postgres - b.postgres,
})

const share = (cpu: Cpu, of: number): Cpu => ({
  main: cpu.main / of,
  worker: cpu.worker / of,
  others: cpu.others / of,
  postgres: cpu.postgres / of,
})

const allOf = ({ main, worker, others, postgres }: Cpu): number => main + worker + others + postgres

let server: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined

/** The connector's threads are those that began with the account. */
const connected = async (gateway: Gateway, call: Call, of: Credentials): Promise<[string, ReadonlySet<number>]> => {
  const before = threadMicrosOf(gateway.pid)
  const { credentialId } = await call<{ credentialId: string }>("/credential/create", { venue: "BINANCE", ...of })
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
  const worker = [...threadMicrosOf(gateway.pid).keys()].filter((thread) => !before.has(thread))
  return [tradingAccountId, new Set(worker)]
}

const cpuOf = (gateway: Gateway, worker: ReadonlySet<number>): Cpu => {
  const cpu: Cpu = { main: 0, worker: 0, others: 0, postgres: postgresCpuMicros(server!.pid) ?? Number.NaN }
  for (const [thread, micros] of threadMicrosOf(gateway.pid))
    cpu[thread === gateway.pid ? "main" : worker.has(thread) ? "worker" : "others"] += micros
  return cpu
}

interface Measured {
  readonly times: Record<Side, Array<OrderTimes>>
  /** Of orders through a gateway, in µs. */
  readonly cpu: Record<Way, Cpu>
  ccxt: number
  /** PostgreSQL's, of bare commits. */
  commit: number
}

const bench = async (): Promise<Result> => {
  server = await startEmbeddedPostgres({ dataDir: scratch("venue-database"), connectionsMax: 100 })
  const admin = await connectDedicated(server.adminUrl("postgres"))
  for (const name of [...WAYS, "bare"]) await admin.query(`CREATE DATABASE ${name} OWNER gateway`)
  await admin.end()
  const exchange = await startChild("venue-exchange")
  const users: Record<Way | "ccxt", Credentials> = { ccxt: user("d"), ours: user("g"), socket: user("s") }
  const routes = await exchange.ask<Routes>("start", Object.values(users))

  const script = await startChild("venue-direct")
  await script.ask("start", { routes, user: users.ccxt })
  const commits = await startChild("venue-commit")
  await commits.ask("start", server.url("bare"))
  const opened = async (way: Way) => {
    const gateway = await startGateway({
      DATA_DIR: scratch(`venue-${way}`),
      DATABASE_URL: server!.url(way),
      VENUE_ROUTES: JSON.stringify(routes),
      ...(way === "socket" ? { SOCKET_ORDERS: "BINANCE" } : {}),
    })
    const { accessToken, call } = await signUp(gateway)
    const [tradingAccountId, worker] = await connected(gateway, call, users[way])
    const client = await startChild("venue-client")
    await client.ask("start", { port: gateway.port, token: accessToken, tradingAccountId } satisfies ClientOf)
    return { gateway, call, tradingAccountId, worker, client }
  }
  const gateways = { ours: await opened("ours"), socket: await opened("socket") }
  const cpuOfWay = (way: Way): Cpu => cpuOf(gateways[way].gateway, gateways[way].worker)

  const sides: Record<Side, Child> = {
    ours: gateways.ours.client,
    socket: gateways.socket.client,
    ccxt: script,
    commit: commits,
  }
  let runs = 0
  const run = (side: Side, perSecond: number, millis: number): Promise<ReadonlyArray<OrderTimes>> =>
    sides[side].ask("run", { perSecond, millis, name: `${side}-${runs++}` } satisfies Pace)
  const many = (side: Side, orders: number): Promise<ReadonlyArray<OrderTimes>> =>
    run(side, WARM_UP_PER_SECOND, (orders * 1_000) / WARM_UP_PER_SECOND)
  const clear = async (): Promise<void> => {
    for (const { call, tradingAccountId } of Object.values(gateways))
      await call("/tradeOrder/cancelAll", { tradingAccountId })
    await script.ask("clear")
    for (const { call, tradingAccountId } of Object.values(gateways))
      for (let waited = 0; ; waited += 200) {
        const open = await call<ReadonlyArray<unknown>>(
          `/tradeOrder/list?tradingAccountId=${tradingAccountId}&orderStatus=OPEN&limit=1`,
        )
        if (open.length === 0) break
        if (waited > 120_000) throw new Error("orders stay open")
        await sleep(200)
      }
  }

  for (const side of TURNS[0]!) await many(side, WARM_UP_ORDERS)
  say(`warmed up with ${WARM_UP_ORDERS} orders a side: V8 compiles for as long`)
  await clear()
  await sleep(2_000)
  const quiet = cpuOfWay("ours")
  await sleep(IDLE_MILLIS)
  const idle = share(less(cpuOfWay("ours"), quiet), IDLE_MILLIS / 1_000)

  const measure = async (keepsOpen: boolean): Promise<Measured> => {
    const none = (): Cpu => ({ main: 0, worker: 0, others: 0, postgres: 0 })
    const cpu = { ours: none(), socket: none() }
    const found: Measured = { times: { ours: [], socket: [], ccxt: [], commit: [] }, cpu, ccxt: 0, commit: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of TURNS[round % 2]!) {
        const way = side === "socket" ? "socket" : "ours"
        const before = cpuOfWay(way)
        const scriptBefore = cpuMicrosOf(script.pid) ?? Number.NaN
        found.times[side].push(...(await run(side, PER_SECOND, ROUND_MILLIS)))
        const spent = less(cpuOfWay(way), before)
        if (side === "ccxt") found.ccxt += (cpuMicrosOf(script.pid) ?? Number.NaN) - scriptBefore
        if (side === "commit") found.commit += spent.postgres
        if (side === way)
          for (const part of ["main", "worker", "others", "postgres"] as const) cpu[way][part] += spent[part]
      }
      if (!keepsOpen) await clear()
    }
    const { times } = found
    return {
      times,
      cpu: { ours: share(cpu.ours, times.ours.length), socket: share(cpu.socket, times.socket.length) },
      ccxt: found.ccxt / times.ccxt.length,
      commit: found.commit / times.commit.length,
    }
  }

  const few = await measure(false)
  for (const side of [...WAYS, "ccxt"] as const) await many(side, OPEN_ORDERS)
  await sleep(2_000)
  const full = await measure(true)
  await sleep(500)
  const arrivals = await exchange.ask<ReadonlyMap<string, number>>("arrivals")
  const rssBytes = rssBytesOf(gateways.ours.gateway.pid)
  for (const { gateway } of Object.values(gateways)) await gateway.stop()

  const reckon = (name: string, { times, cpu, ccxt, commit }: Measured) => {
    const { ours } = cpu
    const answered = (side: Side) => percentiles(times[side].map(({ plannedAt, answeredAt }) => answeredAt - plannedAt))
    const arrived = (side: Way | "ccxt") => {
      const found = times[side].flatMap(({ clientOrderId, plannedAt }) => {
        const at = arrivals.get(clientOrderId)
        return at === undefined ? [] : [at - plannedAt]
      })
      return { ...percentiles(found), lost: times[side].length - found.length }
    }
    const [mine, over, theirs, bare] = [arrived("ours"), arrived("socket"), arrived("ccxt"), answered("commit")]
    const addedOf = ({ p50, p99 }: { readonly p50: number; readonly p99: number }) => ({
      addedP50: p50 - theirs.p50 - bare.p50,
      addedP99: p99 - theirs.p99 - bare.p99,
    })
    const [added, addedOver] = [addedOf(mine), addedOf(over)]
    const stage = (at: number): number => percentiles(times.ours.map(({ stages }) => stages?.[at] ?? Number.NaN)).p50
    const stages = Object.fromEntries(STAGES.map((each, at) => [each, stage(at)]))
    const told = ({ addedP50, addedP99 }: typeof added): string =>
      `p50 ${(addedP50 / 1000).toFixed(2)} ms, p99 ${(addedP99 / 1000).toFixed(2)} ms`
    say("")
    say(row(`${name}, us`, "p50", "p99", "p99.9", "lost"))
    say(row("ours: planned to arrival at the venue", mine.p50, mine.p99, mine.p999, mine.lost))
    say(row("over the socket: planned to arrival", over.p50, over.p99, over.p999, over.lost))
    say(row("ccxt: planned to arrival at the venue", theirs.p50, theirs.p99, theirs.p999, theirs.lost))
    say(row("bare commit: planned to answer", bare.p50, bare.p99, bare.p999, ""))
    const mineAnswered = answered("ours")
    say(row("ours: planned to answer", mineAnswered.p50, mineAnswered.p99, mineAnswered.p999, ""))
    say(`added to ccxt and a commit: ${told(added)}; over the socket: ${told(addedOver)}`)
    const timing = Object.entries(stages).map(([each, millis]) => `${each} ${millis.toFixed(2)}`)
    say(`Server-Timing, ms since the request was read, p50: ${timing.join(", ")}`)
    say(row("CPU an order, us", "main", "worker", "V8, libuv", "PostgreSQL", "all"))
    say(row("ours", ours.main, ours.worker, ours.others, ours.postgres, allOf(ours)))
    const { socket } = cpu
    say(row("over the socket", socket.main, socket.worker, socket.others, socket.postgres, allOf(socket)))
    say(row("ccxt", "", "", "", "", ccxt))
    say(row("bare commit", "", "", "", commit, commit))
    const node = ours.main + ours.worker + ours.others
    return {
      arrived: mine,
      answered: mineAnswered,
      ...added,
      socket: { ...over, ...addedOver, cpu: socket, cpuOfCcxt: (socket.main + socket.worker + socket.others) / ccxt },
      stages,
      cpu: ours,
      node: node / ccxt,
      floor: { ccxt: { ...theirs, cpuMicros: ccxt }, commit: { ...bare, postgresMicros: commit } },
    }
  }
  const parts = [reckon(PARTS[0], few), reckon(PARTS[1], full)] as const
  say("")
  say(row("at rest, ms a second", "main", "worker", "V8, libuv", "PostgreSQL"))
  // A server process that ended meanwhile takes its time with it.
  say(row("", idle.main / 1000, idle.worker / 1000, idle.others / 1000, Math.max(0, idle.postgres) / 1000))
  say("targets: added p50 0.7 ms, p99 3 ms, CPU of node twice ccxt's")
  const [first, second] = parts
  return {
    bench: "venue",
    conditions: {
      perSecond: PER_SECOND,
      rounds: ROUNDS,
      roundMillis: ROUND_MILLIS,
      warmUpOrders: WARM_UP_ORDERS,
      orders: few.times.ours.length,
      openOrders: OPEN_ORDERS,
      postgres: server.version,
      latency: "open loop, from the planned send time to the arrival of the request at the exchange",
      ratio: "p50 in ms added to ccxt's and a bare commit's",
    },
    figures: {
      ...first.arrived,
      addedP50: first.addedP50,
      addedP99: first.addedP99,
      answered: first.answered,
      socket: first.socket,
      stages: first.stages,
      cpuMicros: first.cpu.main + first.cpu.worker + first.cpu.others,
      cpuParts: first.cpu,
      cpuOfCcxt: first.node,
      idleMicrosPerSecond: idle,
      withOpenOrders: {
        ...second.arrived,
        addedP50: second.addedP50,
        addedP99: second.addedP99,
        socket: second.socket,
        stages: second.stages,
        cpuParts: second.cpu,
        cpuOfCcxt: second.node,
      },
      rssBytes,
    },
    floor: { ...first.floor, withOpenOrders: second.floor },
    ratio: first.addedP50 / 1000,
  }
}

await runBench(bench, async () => {
  await endGateways()
  await server?.stop()
})
