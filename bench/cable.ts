/**
 * `cable`: what it costs that a request, an order or a publication comes by another node. Each is measured at the node that owns the database and at an edge in turns, with the
 * CPU of owner, edge and broker; the floor is a bare NATS request of as many bytes in the same run. Targets: 0.5 ms at p50 and 5 ms at p99 more than at the owner,
 * 25 µs of both nodes and 20 µs of the broker an order more.
 */
import { startEmbeddedPostgres } from "../src/store/embedded/embedded.ts"
import { connectDedicated } from "../src/store/postgres/sql.ts"
import { sharedKeys } from "../test/kit/servers/cluster.ts"
import { type NatsServer, startNats } from "../test/kit/servers/nats.ts"
import { type Child, startChild } from "./kit/child.ts"
import { connectMockAccount, endGateways, type Gateway, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { medians, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf } from "./kit/usage.ts"
import type { FloorAsk, FloorOutcome } from "./processes/cable-floor.ts"
import type { Counts, Subscribers } from "./processes/fanout-readers.ts"
import type { Outcome, Plan, Target } from "./processes/http-load.ts"
import { ACCOUNTS, BALANCES, orderRequests } from "./processes/order-wire.ts"

const WHERE = ["owner", "edge"] as const
type Where = (typeof WHERE)[number]
const WHAT = ["request", "order"] as const
type What = (typeof WHAT)[number]

const WARM_UP: Plan = { millis: 3_000, perSecond: null }
const WARM_UP_CONNECTIONS = 32
const CASES = [
  { name: "1 at a time", connections: 1, rounds: 3, plan: { millis: 1_500, perSecond: null } },
  { name: "500/s", connections: 32, rounds: 3, plan: { millis: 2_000, perSecond: 500 } },
  { name: "32 at once", connections: 32, rounds: 3, plan: { millis: 1_500, perSecond: null } },
] as const
const IDLE_MILLIS = 3_000
const FLOOR_MILLIS = 1_500
const FLOOR_ROUNDS = 3
const BOOKS = ["BTC/USDT", "ETH/USDT", "SOL/USDT", "BTC/EUR"].map((pair) => `market:orderbook:MOCK:${pair}`)
/** Of the books alone: beside accounts and orders so many ticks would be what is measured. */
const TICK_MILLIS = 10
const MANY = 100
const MIRROR_ROUNDS = 3
const MIRROR_MILLIS = 3_000

type Cpu = Record<"owner" | "edge" | "broker", number>
type Round = Cpu & Record<"p50" | "p99" | "perSecond" | "refused", number>
type Reading = Cpu & Record<"publications" | "deliveries", number>

let database: Awaited<ReturnType<typeof startEmbeddedPostgres>> | undefined
let nats: NatsServer | undefined

const bench = async (): Promise<Result> => {
  database = await startEmbeddedPostgres({ dataDir: scratch("cable-database"), connectionsMax: 100 })
  nats = await startNats()
  const shared = {
    ...sharedKeys(),
    NATS_URL: nats.url,
    MOCK_BALANCES: BALANCES,
    ACCOUNTS_MAX: String(ACCOUNTS),
  }
  const admin = await connectDedicated(database.adminUrl("postgres"))
  for (const name of ["books", "orders"]) await admin.query(`CREATE DATABASE ${name} OWNER gateway`)
  await admin.end()
  const clusterOn = async (name: string, more: Readonly<Record<string, string>>): Promise<Record<Where, Gateway>> => {
    const env = { ...shared, ...more, DATABASE_URL: database!.url(name) }
    const nodeOf = (id: string, roles: string): Promise<Gateway> =>
      startGateway({ ...env, NODE_ID: id, ROLES: roles, DATA_DIR: scratch(`cable-${id}`) })
    return { owner: await nodeOf("a", "edge,core"), edge: await nodeOf("b", "edge") }
  }
  let nodes = await clusterOn("books", { MOCK_TICK_MS: String(TICK_MILLIS) })
  const reader = await signUp(nodes.owner)
  const cpu = (): Cpu => ({
    owner: cpuMicrosOf(nodes.owner.pid) ?? Number.NaN,
    edge: cpuMicrosOf(nodes.edge.pid) ?? Number.NaN,
    broker: cpuMicrosOf(nats!.pid()) ?? Number.NaN,
  })
  const less = (a: Cpu, b: Cpu, share = 1): Cpu => ({
    owner: a.owner - b.owner * share,
    edge: a.edge - b.edge * share,
    broker: a.broker - b.broker * share,
  })
  const per = (it: Cpu, count: number): Cpu => ({
    owner: it.owner / count,
    edge: it.edge / count,
    broker: it.broker / count,
  })

  // Publications of books: at the owner alone, to one subscriber at an edge beside it, and to many here or there.
  const readers: Record<Where, Child> = {
    owner: await startChild("fanout-readers"),
    edge: await startChild("fanout-readers"),
  }
  const reading = async (atOwner: number, atEdge: number): Promise<Reading> => {
    const wanted = { owner: atOwner, edge: atEdge }
    for (const where of WHERE) {
      const sockets = Array.from({ length: wanted[where] }, () => BOOKS)
      const asked: Subscribers = { variant: "ours", port: nodes[where].port, sockets, token: reader.accessToken }
      await readers[where].ask("join", asked)
    }
    await sleep(300)
    const heard = async (where: Where): Promise<number> => (await readers[where].ask<Counts>("counts", 0)).messages
    const [before, there] = [await heard("owner"), await heard("edge")]
    const used = cpu()
    await sleep(MIRROR_MILLIS)
    const cost = less(cpu(), used)
    const [here, far] = [(await heard("owner")) - before, (await heard("edge")) - there]
    for (const where of WHERE) await readers[where].ask("leave")
    return { ...cost, publications: here / atOwner, deliveries: here + far }
  }
  const mirrored: Record<"one" | "mirrored" | "manyThere" | "manyHere", Array<Reading>> = {
    one: [],
    mirrored: [],
    manyThere: [],
    manyHere: [],
  }
  await reading(1, 1)
  for (let round = 0; round < MIRROR_ROUNDS; round++) {
    mirrored.one.push(await reading(1, 0))
    mirrored.mirrored.push(await reading(1, 1))
    mirrored.manyThere.push(await reading(1, 1 + MANY))
    mirrored.manyHere.push(await reading(1 + MANY, 0))
  }
  const [one, other] = [medians(mirrored.one), medians(mirrored.mirrored)]
  const [there, here] = [medians(mirrored.manyThere), medians(mirrored.manyHere)]
  const publication = {
    perSecond: (one.publications * 1_000) / MIRROR_MILLIS,
    owner: other.owner / other.publications - one.owner / one.publications,
    edge: other.edge / other.publications - one.edge / one.publications,
    broker: other.broker / other.publications - one.broker / one.publications,
  }
  const delivery = {
    edge: (there.edge / there.publications - other.edge / other.publications) / MANY,
    owner: (here.owner / here.publications - one.owner / one.publications) / MANY,
  }
  say(row("", "owner CPU", "edge CPU", "broker CPU"))
  say(row("a mirrored publication, us more", publication.owner, publication.edge, publication.broker))
  say(row(`one more subscriber of ${MANY} of it, us`, delivery.owner, delivery.edge, ""))

  for (const where of WHERE) await nodes[where].stop()
  nodes = await clusterOn("orders", {})
  const user = await signUp(nodes.owner)
  const accounts: Array<string> = []
  for (let n = 0; n < ACCOUNTS; n++) accounts.push(await connectMockAccount(user, `bench-${n}`))
  const requests: Record<What, ReadonlyArray<string>> = {
    request: [
      `GET /api/v3/auth/user HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${user.accessToken}\r\nUser-Agent: bench\r\n\r\n`,
    ],
    order: orderRequests(accounts, user.accessToken),
  }
  // MOCK's market and the lease are no request's cost; µs a ms.
  await sleep(1_000)
  const quiet = cpu()
  await sleep(IDLE_MILLIS)
  const idle = per(less(cpu(), quiet), IDLE_MILLIS)

  const load = await startChild("http-load")
  const run = async (what: What, where: Where, connections: number, plan: Plan): Promise<Round> => {
    const target: Target = { port: nodes[where].port, connections, requests: requests[what] }
    await load.ask("open", target)
    const beganAt = performance.now()
    const before = cpu()
    const { refused, firstRefusal, p50, p99, ...outcome } = await load.ask<Outcome>("run", plan)
    // What an answered order still causes (the venue's acknowledgement and its commit) belongs to it.
    await sleep(100)
    if (refused > 0) say(`${refused} answers are not 200: ${firstRefusal.slice(0, 60)}`)
    const perSecond = (outcome.requests * 1_000) / outcome.millis
    const own = less(less(cpu(), before), idle, performance.now() - beganAt)
    return { ...per(own, outcome.requests), p50, p99, perSecond, refused }
  }

  const [asking, serving] = [await startChild("cable-floor"), await startChild("cable-floor")]
  for (const each of [asking, serving]) await each.ask("connect", nats.port)
  await serving.ask("serve")
  const floorRound = async (atOnce: number): Promise<Round> => {
    const of = (child: Child): number => cpuMicrosOf(child.pid) ?? Number.NaN
    const before = { owner: of(serving), edge: of(asking), broker: cpu().broker }
    const plan: FloorAsk = { atOnce, millis: FLOOR_MILLIS }
    const { requests: count, millis, p50, p99 } = await asking.ask<FloorOutcome>("ask", plan)
    const after = { owner: of(serving), edge: of(asking), broker: cpu().broker }
    return {
      owner: (after.owner - before.owner) / count,
      edge: (after.edge - before.edge) / count,
      broker: (after.broker - before.broker) / count,
      p50,
      p99,
      perSecond: (count * 1_000) / millis,
      refused: 0,
    }
  }

  for (const what of WHAT) for (const where of WHERE) await run(what, where, WARM_UP_CONNECTIONS, WARM_UP)
  await floorRound(WARM_UP_CONNECTIONS)

  const heads = ["p50 us", "p99 us", "per s", "owner CPU", "edge CPU", "broker CPU"]
  const told = (name: string, it: Round): void =>
    say(row(name, it.p50, it.p99, it.perSecond, it.owner, it.edge, it.broker))
  say(row("", ...heads))
  const figures: Record<string, Record<Where | "added", Record<string, number>>> = {}
  for (const what of WHAT)
    for (const { name, connections, rounds, plan } of CASES) {
      const taken: Record<Where, Array<Round>> = { owner: [], edge: [] }
      for (let round = 0; round < rounds; round++)
        for (const where of round % 2 === 0 ? WHERE : WHERE.toReversed())
          taken[where].push(await run(what, where, connections, plan))
      const [owner, edge] = [medians(taken.owner), medians(taken.edge)]
      const added = {
        p50: edge.p50 - owner.p50,
        p99: edge.p99 - owner.p99,
        nodes: edge.owner + edge.edge - owner.owner - owner.edge,
        broker: edge.broker - owner.broker,
      }
      told(`${what}, ${name}, at the owner`, owner)
      told(`${what}, ${name}, at an edge`, edge)
      say(row("  more: p50, p99, CPU of nodes, broker", added.p50, added.p99, added.nodes, added.broker))
      figures[`${what}, ${name}`] = { owner, edge, added }
    }
  const floors: Record<string, Round> = {}
  for (const atOnce of [1, 32]) {
    const rounds: Array<Round> = []
    for (let round = 0; round < FLOOR_ROUNDS; round++) rounds.push(await floorRound(atOnce))
    const floor = medians(rounds)
    floors[`${atOnce} at once`] = floor
    told(`floor: a NATS request, ${atOnce} at once`, floor)
  }

  const order = figures["order, 500/s"]!.added
  const busy = figures["order, 32 at once"]!.added
  say(
    `a forwarded order at 500/s: p50 ${order["p50"]!.toFixed(0)} us more (target 500), p99 ${order["p99"]!.toFixed(0)} us more (target 5000); at 32 at once ` +
      `${busy["nodes"]!.toFixed(1)} us of both nodes (target 25) and ${busy["broker"]!.toFixed(1)} us of the broker (target 20)`,
  )
  const nodesOfFloor = floors["32 at once"]!.owner + floors["32 at once"]!.edge
  return {
    bench: "cable",
    conditions: {
      cases: CASES,
      postgres: database.version,
      books: BOOKS.length,
      tickMillis: TICK_MILLIS,
      many: MANY,
      cpu: "µs of a process and all its threads, idle ones taken off: of an answered request, a publication, a delivery",
      idle,
      ratio: "CPU of both nodes more, of an order at an edge / of the two ends of a bare NATS request, 32 at once",
    },
    figures: { ...figures, publication, delivery },
    floor: floors,
    ratio: busy["nodes"]! / nodesOfFloor,
  }
}

await runBench(bench, async () => {
  await endGateways()
  await nats?.kill()
  await database?.stop().catch(() => undefined)
})
