/** Gateways of one cluster as processes, with a real broker and database: whichever is asked, the owner does it, once; and the next one after its death. */
import { setTimeout as sleep } from "node:timers/promises"
import { connect } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { SessionRecord } from "../../../../src/domain/user/user.ts"
import type { HealthRecord } from "../../../../src/http/root/endpoints.ts"
import { METRICS, type MetricRow } from "../../../../src/ports/metric-names.ts"
import { databaseMark } from "../../../../src/store/postgres/database-mark.ts"
import { type ClusterProcess, ownerOf, sharedKeys, startClusterNode } from "../../../kit/servers/cluster.ts"
import { type Answer, Api, endGateways, until } from "../../../kit/servers/gateway.ts"
import { type NatsServer, natsMissing, startNats } from "../../../kit/servers/nats.ts"
import { withDatabaseServer } from "./database.ts"

const newDatabase = withDatabaseServer()
const ORDERS = 24
/** A request has 5 s, of which the node that does it leaves some for the way back. */
const WHOLE_MILLIS = 4_700

/** How a socket there opens: 101, or the status that refuses it. */
const socketAt = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.once("open", () => {
      socket.terminate()
      resolve(101)
    })
    socket.once("unexpected-response", (request, response) => {
      request.destroy()
      resolve(response.statusCode ?? 0)
    })
    socket.once("error", reject)
  })

describe.skipIf(natsMissing !== null)(`nodes of a cluster${natsMissing === null ? "" : ` (${natsMissing})`}`, () => {
  let nats: NatsServer
  let first: ClusterProcess
  let next: ClusterProcess
  let edge: ClusterProcess
  /** Of those that may own the database. */
  let alive: ReadonlyArray<ClusterProcess>
  let accountId: string
  let user: Api
  let env: Readonly<Record<string, string>>

  const at = (node: ClusterProcess): Api => new Api(node.http, user.token)
  const orderOf = (key: string) => ({
    tradingAccountId: accountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.01",
    limitPrice: "1000",
    idempotencyKey: key,
  })

  beforeAll(async () => {
    const database = await newDatabase()
    nats = await startNats({ user: { name: "gateway", password: "of the broker's own" } })
    const limits = { RATE_LIMITS: JSON.stringify({ http: { burst: 1_000, perSecond: 1_000 } }) }
    // Meanwhile one that is told to end does all that comes, as in production.
    const notice = { SHUTDOWN_NOTICE_MS: "300" }
    env = { ...sharedKeys(), DATABASE_URL: database.url, NATS_URL: nats.url, MOCK_TICK_MS: "0", ...limits, ...notice }
    const nodes = await Promise.all([
      startClusterNode("a", env),
      startClusterNode("b", env),
      startClusterNode("c", { ...env, ROLES: "edge", METRICS_PORT: "0" }),
    ])
    edge = nodes[2]
    first = await ownerOf(nodes)
    next = nodes.find((it) => it !== first && it !== edge)!
    alive = [first, next]
    const anybody = new Api(edge.http)
    await anybody.signup("a@example.com")
    user = anybody.as((await anybody.login("a@example.com")).record.accessToken)
    accountId = (await user.connectMock()).record.tradingAccountId
  })
  afterAll(async () => {
    await endGateways()
    await nats?.kill()
  })

  it("answer alike, each by its own health, which names the owner", async () => {
    const { nodeId } = first
    const healths = await Promise.all([first, next, edge].map((node) => at(node).serving()))
    expect(healths.map(({ cluster }) => [cluster?.role, cluster?.owner?.nodeId, cluster?.broker])).toEqual([
      ["core", nodeId, "up"],
      ["edge", nodeId, "up"],
      ["edge", nodeId, "up"],
    ])
    const users = await Promise.all([first, next, edge].map((node) => at(node).user()))
    expect(new Set(users.map(({ text }) => text)).size).toBe(1)
    const strange = new Api(edge.http, `${user.token}x`)
    expect((await strange.user()).status).toBe(401)
    expect((await new Api(edge.http).login("a@example.com", "a wrong password")).envelope.errno).toBe(-100001)
    expect((await fetch(`${edge.http}/docs/start`)).status).toBe(200)
    expect((await fetch(`${edge.http}/.well-known/jwks.json`)).status).toBe(200)
    expect([await socketAt(first.ws), await socketAt(edge.ws)]).toEqual([101, 101])
    const metrics = await until("metrics", () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(edge.stderr())?.[0])
    const exposed = await (await fetch(metrics)).text()
    const rows: ReadonlyArray<[string, MetricRow]> = Object.entries(METRICS)
    for (const [name, { type, isOfCluster }] of rows)
      if (isOfCluster === true) expect(exposed).toContain(`# TYPE ${name} ${type}\n`)
  })

  it("speak under subjects of their own database, so that others may share the broker", async () => {
    const [mark, other] = [
      await databaseMark(env["DATABASE_URL"]!),
      await databaseMark((await newDatabase("empty")).url),
    ]
    expect(other).not.toBe(mark)
    const broker = await connect({ servers: `127.0.0.1:${nats.port}`, user: "gateway", pass: "of the broker's own" })
    const subjects = new Set<string>()
    broker.subscribe("venue-gateway.>", { callback: (_error, message) => void subjects.add(message.subject) })
    // The owner says where it is, and is asked.
    await until("frames between nodes", async () => (await at(edge).user()).status === 200 && subjects.size > 1)
    await broker.close()
    expect([...subjects].filter((subject) => !subject.startsWith(`venue-gateway.PROD.${mark}.`))).toEqual([])
  })

  it("do an order once, however often and wherever it is asked for, and count by the client", async () => {
    const [once, again, there] = [
      await at(edge).submit(orderOf("once")),
      await at(next).submit(orderOf("once")),
      await at(first).submit(orderOf("once")),
    ]
    expect(new Set([once, again, there].map(({ record }) => record.tradeOrderId)).size).toBe(1)
    expect([again, there].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual(["true", "true"])
    const left = async (node: ClusterProcess): Promise<number> => {
      const { headers } = await new Api(node.http).user()
      expect(headers.get("x-ratelimit-bucket")).toBe("httpAddress")
      return Number(headers.get("x-ratelimit-remaining"))
    }
    // One bucket of the address, at the owner.
    const [before, through] = [await left(first), await left(edge)]
    expect(through).toBeLessThanOrEqual(before)
  })

  it("lose no order and double none when the owner is killed: done once, refused, or unknown until it is asked again", async () => {
    const keys = Array.from({ length: ORDERS }, (_, i) => `killed-${i}`)
    const asked: Array<Promise<Answer<unknown>>> = []
    for (const [i, key] of keys.entries()) {
      asked.push(at(i % 2 === 0 ? edge : next).submit(orderOf(key)))
      if (i === ORDERS / 2) first.kill("SIGKILL")
      await sleep(5)
    }
    // Held until the next one owns the database.
    const held = at(edge).user()
    const answers = await Promise.all(asked)
    expect((await held).status).toBe(200)
    for (const { status, envelope } of answers)
      expect([200, -110014, -190001, -120009]).toContain(status === 200 ? 200 : envelope.errno)
    expect(next.core()).toBeDefined()
    alive = [next]
    const stored = await Promise.all(
      keys.map((key) =>
        until(`the order ${key}`, async () => {
          const answer = await at(edge).submit(orderOf(key))
          return answer.status === 200 && answer.record.tradeOrderId
        }),
      ),
    )
    expect(new Set(stored).size).toBe(ORDERS)
    for (const [i, answer] of answers.entries())
      if (answer.status === 200) expect((answer.envelope.data as { tradeOrderId: string }).tradeOrderId).toBe(stored[i])
    const all = await at(edge).orders({ tradingAccountId: accountId, limit: 100 })
    expect(all.envelope.pagination?.total).toBe(ORDERS + 1)
    const health: HealthRecord = await at(edge).serving()
    expect(health.cluster).toMatchObject({ role: "edge", owner: { nodeId: next.nodeId } })
    // The same listener does it itself now, sockets too.
    expect([(await at(next).user()).status, await socketAt(next.ws)]).toEqual([200, 101])
  })

  it("are replaced one by one, and refuse nothing: an owner that is told to end passes what comes to the next", async () => {
    const owner = await ownerOf(alive)
    const heirs = [...alive.filter((it) => it !== owner), await startClusterNode("d", env)]
    const hasHeir = (): boolean => heirs.some((it) => it.core() !== undefined)
    const socket = new WebSocket(owner.ws)
    await new Promise((resolve) => socket.once("open", resolve))
    const closed = new Promise<number>((resolve) => socket.once("close", resolve))
    let isAskedToEnd = false
    let hasEnded = false
    /** Of requests to its own listener: how they were answered, after how long, and which came after the signal. */
    const answers: Array<{ readonly errno: number; readonly millis: number }> = []
    let passedOn = 0
    const asking = (async () => {
      for (let i = 0; !hasEnded; i++) {
        const wasAskedToEnd = isAskedToEnd
        const askedAt = performance.now()
        const asked = i % 2 === 0 ? at(owner).user() : at(owner).submit(orderOf(`rolled-${i}`))
        const answer = await asked.catch(() => undefined)
        // Its listener has gone: by then there is the next one.
        if (answer === undefined) return expect(hasHeir()).toBe(true)
        const errno = answer.status === 200 ? 200 : answer.envelope.errno
        answers.push({ errno, millis: performance.now() - askedAt })
        if (wasAskedToEnd && hasHeir()) passedOn++
      }
    })()
    await until("some answers", () => answers.length > 10)
    isAskedToEnd = true
    const [exit] = await Promise.all([owner.stop().finally(() => (hasEnded = true)), asking])
    expect(exit.code).toBe(0)
    expect(await closed).toBe(3001)
    // Until an account agrees with its venue the next owner takes no order for it.
    // One whose whole time was over before the next owner had done it is told so: on a machine with much else to do.
    const isRefused = ({ errno, millis }: (typeof answers)[number]): boolean =>
      errno !== 200 && errno !== -120009 && millis < WHOLE_MILLIS
    expect(answers.filter(isRefused)).toEqual([])
    expect(passedOn).toBeGreaterThan(0)
    alive = heirs
  })

  it("leave one after the other without an error", async () => {
    const session: Answer<SessionRecord> = await new Api(edge.http).login("a@example.com")
    expect(session.status).toBe(200)
    for (const node of [edge, ...alive]) expect((await node.stop()).code).toBe(0)
  })
})
