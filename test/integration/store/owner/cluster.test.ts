/** Several processes on one database, on a real server: names, who owns it, and how it goes from one to the next. */
import { createServer, connect as dial, type NetConnectOpts } from "node:net"
import { pathToFileURL } from "node:url"
import { SqlClient } from "@effect/sql"
import { Effect, Either, Exit, ManagedRuntime, Scope } from "effect"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { Owner } from "../../../../src/ports/cluster.ts"
import { type ClusterNode, joinCluster } from "../../../../src/store/postgres/keeper.ts"
import {
  type Ask,
  enterSession,
  FENCE,
  grantingNode,
  joining,
  type LeaseTerms,
} from "../../../../src/store/postgres/lease.ts"
import { OWNER_LOCK, ownDatabase } from "../../../../src/store/postgres/node.ts"
import { sqlLayer } from "../../../../src/store/postgres/sql.ts"
import { cutProxy } from "../../../kit/proxies/cut-proxy.ts"
import { type TestDatabase, testDatabase } from "../../../kit/servers/database.ts"
import { until } from "../../../kit/servers/gateway.ts"
import { query } from "../account-store-rig.ts"

/** As it is built: a thread of the sources takes its code through tsx. */
const THREAD = pathToFileURL("dist/src/store/postgres/keeper-thread.js")
const SHORT: LeaseTerms = { millis: 1_000, marginMillis: 100 }

let database: TestDatabase
const closing: Array<() => Promise<void>> = []
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await database.drop()
})

type Granted = Effect.Effect.Success<ClusterNode["granted"]>

interface Node extends ClusterNode {
  readonly end: () => Promise<void>
  /** Why it is none any more. */
  readonly reason: () => string | undefined
  /** Once it owns the database. */
  readonly owns: () => Granted | undefined
}

const join = async (
  nodeId: string,
  options: Partial<Parameters<typeof joinCluster>[1]> = {},
  url = database.url,
): Promise<Node> => {
  const scope = await Effect.runPromise(Scope.make())
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  closing.push(end)
  const joining = joinCluster(url, {
    nodeId,
    mayOwn: true,
    thread: THREAD,
    notice: () => undefined,
    ...options,
  })
  const node = await Effect.runPromise(Scope.extend(joining, scope))
  let reason: string | undefined
  let owned: Granted | undefined
  void node.lost.then((why) => {
    reason = why
  })
  void Effect.runPromise(node.granted).then((it) => {
    owned = it
  })
  return { ...node, end, reason: () => reason, owns: () => owned }
}
const refusal = async (nodeId: string): Promise<unknown> => {
  const options = { nodeId, mayOwn: true, thread: THREAD, terms: SHORT, notice: () => undefined }
  const joined = await Effect.runPromise(Effect.either(Effect.scoped(joinCluster(database.url, options))))
  return Either.isLeft(joined) ? joined.left : "joined"
}

const owning = (node: Node): Promise<Granted> => until(`${node.nodeId} to own the database`, node.owns)

const pool = ({ enter }: Granted) => {
  const runtime = ManagedRuntime.make(sqlLayer(database.url, { enter }))
  closing.push(() => runtime.dispose())
  return <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.either(Effect.flatMap(SqlClient.SqlClient, work)))
}

const rows = () => query(database.url, "SELECT node_id, owns FROM gateway_node ORDER BY node_id")

it("gives the database to one, has the others wait, and tells each who owns it", async () => {
  const first = await join("a")
  const { epoch } = await owning(first)
  const other = await join("b")
  const edge = await join("c", { mayOwn: false })
  const owner: Owner = { nodeId: "a", term: epoch }
  for (const node of [first, other, edge])
    await until(`${node.nodeId} to know the owner`, () => node.owner()?.term === epoch)
  expect([first.owner(), other.owner(), edge.owner()]).toEqual([owner, owner, owner])
  expect([other.owns(), edge.owns()]).toEqual([undefined, undefined])
  expect(await rows()).toEqual([
    { node_id: "a", owns: true },
    { node_id: "b", owns: false },
    { node_id: "c", owns: false },
  ])
  // A gateway without a cluster is as another process ever was.
  const alone = await Effect.runPromise(
    Effect.either(Effect.scoped(ownDatabase(database.url, { now: Date.now, attempts: 1 }))),
  )
  expect(Either.isLeft(alone) && alone.left).toMatchObject({ _tag: "DatabaseOwned" })
})

it("goes to the next at once when it is released, with a later term; and its name may be used again", async () => {
  const first = await join("a", { terms: { millis: 60_000, marginMillis: 100 } })
  const before = await owning(first)
  const other = await join("b")
  await Effect.runPromise(first.leave)
  const after = await owning(other)
  expect(after.epoch).toBeGreaterThan(before.epoch)
  expect([first.reason(), first.isLeased()]).toEqual([undefined, false])
  await first.end()
  const again = await join("a")
  expect(again.epoch()).toBeGreaterThan(after.epoch)
  expect(again.owns()).toBeUndefined()
})

it("goes to the next when its owner's lease is over, whose sessions are ended and whose writes are refused", async () => {
  const first = await join("a", { terms: SHORT })
  const before = await owning(first)
  const at = pool(before)
  await query(database.url, "CREATE TABLE listing (id int PRIMARY KEY)")
  expect(Either.isRight(await at((sql) => sql`INSERT INTO listing VALUES (1)`))).toBe(true)
  const other = await join("b", { terms: SHORT })
  const after = await until("the other to own the database", async () => {
    await query(database.url, `UPDATE gateway_node SET until = '-infinity' WHERE epoch = ${before.epoch}`)
    return other.owns()
  })
  expect(after.epoch).toBeGreaterThan(before.epoch)
  expect(Either.isLeft(await at((sql) => sql`INSERT INTO listing VALUES (2)`))).toBe(true)
  await until("the one before to know", () => first.reason() !== undefined)
  expect(before.mayAct()).toBe(false)
  expect(await query(database.url, "SELECT id FROM listing")).toEqual([{ id: 1 }])
})

it("goes to the next where its owner's own session is lost, and ends the others of that owner with what they had begun", async () => {
  const before = await owning(await join("a"))
  const session = new pg.Client({ connectionString: database.url })
  session.on("error", () => undefined)
  await session.connect()
  closing.push(() => session.end().catch(() => undefined))
  await before.enter(session)
  await session.query("BEGIN; SELECT FROM gateway_node")
  const other = await join("b")
  await query(
    database.adminUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE objid = ${OWNER_LOCK} AND granted`,
  )
  await owning(other)
  await expect(session.query("COMMIT")).rejects.toThrow()
  // What a writer of that owner would begin a batch with.
  expect(await query(database.url, FENCE, ["a", before.epoch])).toEqual([])
})

it("is granted to no process whose name has become another's, even where it has the lock", async () => {
  const terms: LeaseTerms = { millis: 0, marginMillis: 0 }
  const ask = ({ text, values }: Ask) => query(database.url, text, values)
  const joined = async (): Promise<number> => Number((await ask(joining("a", 0, terms)))[0]?.["epoch"])
  const [before, now] = [await joined(), await joined()]
  expect(await ask(grantingNode("a", before, terms))).toEqual([])
  expect(await rows()).toEqual([{ node_id: "a", owns: false }])
  expect(await ask(grantingNode("a", now, terms))).toHaveLength(1)
  expect(await rows()).toEqual([{ node_id: "a", owns: true }])
})

it("neither renews nor takes the ownership while the loop of its process stands still", async () => {
  const node = await join("a", { terms: SHORT, stallMillis: 0 })
  await until("its lease to be over", () => !node.isLeased())
  expect(node.owns()).toBeUndefined()
  await owning(await join("b"))
})

it("refuses a second process of the same name in one line while the first renews its own, whatever it may own", async () => {
  const first = await join("a", { mayOwn: false, terms: SHORT })
  expect(await refusal("a")).toMatchObject({
    _tag: "DatabaseOwned",
    message: "NODE_ID a is the name of a process that runs on this database: give each process its own",
  })
  expect([first.reason(), first.isLeased()]).toEqual([undefined, true])
})

it("takes the place of a process of its name that was killed, once that one's lease is over, and its ownership as well", async () => {
  const killed = await join("a", { terms: SHORT, stallMillis: 1 })
  await killed.end()
  await query(
    database.url,
    "UPDATE gateway_node SET owns = true, until = clock_timestamp() + interval '300 milliseconds' WHERE node_id = 'a'",
  )
  const heir = await join("a", { terms: SHORT })
  expect(heir.epoch()).toBeGreaterThan(killed.epoch())
  await owning(heir)
  expect(await rows()).toEqual([{ node_id: "a", owns: true }])
})

const target = (): NetConnectOpts => {
  const { host, port } = new pg.Client({ connectionString: database.url })
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}
const through = (port: number): string => {
  const url = new URL(database.url)
  url.searchParams.delete("host")
  url.host = `127.0.0.1:${port}`
  return url.toString()
}

/** A node that waits, behind a network that a test can have fail. */
const waitingBehind = async (nodeId: string) => {
  const proxy = await cutProxy(target())
  closing.push(proxy.close)
  const node = await join(nodeId, {}, through(proxy.port))
  await until("its session to wait", async () => {
    const marks = await query(database.url, `SELECT pid FROM pg_locks WHERE granted AND objid = ${node.epoch()}`)
    return marks.length === 1 && node.owner() !== undefined
  })
  return { node, proxy }
}

/** Each answer arrives so much later; the port that is dialled. */
const slowWay = (millis: number): Promise<number> =>
  new Promise((resolve) => {
    const to = target()
    const server = createServer((client) => {
      const upstream = dial(to)
      const end = (): void => {
        client.destroy()
        upstream.destroy()
      }
      for (const socket of [client, upstream]) socket.on("error", end).on("close", end)
      client.pipe(upstream)
      upstream.on("data", (chunk) => void setTimeout(() => client.destroyed || client.write(chunk), millis))
    })
    closing.push(() => new Promise((done) => server.close(() => done())))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) resolve(address.port)
    })
  })

it("keeps the name of a node whose server answers late each time, and relies on no answer that comes when the lease is over: it counts from when it asked", async () => {
  const slow = through(await slowWay(800))
  const joined = (nodeId: string, millis: number) =>
    join(nodeId, { mayOwn: false, terms: { millis, marginMillis: 100 } }, slow)
  const [long, short] = await Promise.all([joined("a", 60_000), joined("b", 600)])
  const ends = new Map([long, short].map(({ nodeId }) => [nodeId, new Set<unknown>()]))
  const relied = new Set<boolean>()
  await until("two renewals of each", async () => {
    for (const { node_id, ends_at } of await query(
      database.url,
      "SELECT node_id, until::text AS ends_at FROM gateway_node",
    ))
      ends.get(String(node_id))?.add(ends_at)
    relied.add(short.isLeased())
    return [...ends.values()].every(({ size }) => size > 2)
  })
  expect([long.reason(), long.isLeased(), short.reason(), [...relied]]).toEqual([undefined, true, undefined, [false]])
})

it("goes to one that waits although its session passes nothing any more, without a word of that", async () => {
  const first = await join("a", { terms: { millis: 60_000, marginMillis: 100 } })
  await owning(first)
  const { node, proxy } = await waitingBehind("b")
  proxy.still()
  await Effect.runPromise(first.leave)
  await owning(node)
})

it("is not kept from all by a session of one that waits, which was given the lock and whose way is gone", async () => {
  const first = await join("a", { terms: { millis: 60_000, marginMillis: 100 } })
  await owning(first)
  const { node, proxy } = await waitingBehind("b")
  const gone = new pg.Client({ connectionString: database.url })
  gone.on("error", () => undefined)
  await gone.connect()
  await gone.query(enterSession("b", node.epoch()))
  // Before the node's next look.
  const locked = gone.query("SELECT pg_advisory_lock($1)", [OWNER_LOCK])
  await Effect.runPromise(first.leave)
  await locked
  proxy.cut()
  proxy.mend()
  await owning(node)
  await gone.end().catch(() => undefined)
})

it("is not relied upon any more once its session is lost, whatever a renewal on its way is answered", async () => {
  const node = await join("a")
  await owning(node)
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  closing.push(() => admin.end())
  const renewals =
    "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE gateway_node SET until%'"
  await admin.query("BEGIN; SELECT FROM gateway_node FOR UPDATE")
  await until("a renewal to wait", async () => (await query(database.adminUrl, `SELECT pid ${renewals}`)).length > 0)
  await query(
    database.adminUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE objid = ${OWNER_LOCK} AND granted`,
  )
  await until("it to know", node.reason)
  expect(node.isLeased()).toBe(false)
  await admin.query("ROLLBACK")
  await until(
    "the renewal to be over",
    async () => (await query(database.adminUrl, `SELECT pid ${renewals}`)).length === 0,
  )
  await query(database.adminUrl, "SELECT")
  expect(node.isLeased()).toBe(false)
})
