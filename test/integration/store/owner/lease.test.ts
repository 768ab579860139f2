/** Who owns a database, on a real server: epochs, leases that run out, processes that come back, and what their sessions may still do. */
import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Effect, Either, Exit, ManagedRuntime, Scope } from "effect"
import pg from "pg"
import { afterEach, beforeEach, expect, it } from "vitest"
import { batchText } from "../../../../src/ledger/ledger-writer.ts"
import { lookAtLedger } from "../../../../src/store/ledger/audit-run.ts"
import { FENCE, holding, LEASE, type LeaseTerms } from "../../../../src/store/postgres/lease.ts"
import { OWNER_LOCK, type OwnedNode, ownDatabase } from "../../../../src/store/postgres/node.ts"
import { sqlLayer } from "../../../../src/store/postgres/sql.ts"
import { type TestDatabase, testDatabase } from "../../../kit/servers/database.ts"
import { until } from "../../../kit/servers/gateway.ts"
import { query } from "../account-store-rig.ts"

/** Over as soon as it is granted. */
const NONE: LeaseTerms = { millis: 0, marginMillis: 0 }

let database: TestDatabase
const closing: Array<() => Promise<void>> = []
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  await database.drop()
})

interface Owner extends OwnedNode {
  readonly end: () => Promise<void>
  /** Why it is none any more. */
  readonly reason: () => string | undefined
}

const own = async (options: Partial<Parameters<typeof ownDatabase>[1]> = {}): Promise<Owner> => {
  const scope = await Effect.runPromise(Scope.make())
  const end = () => Effect.runPromise(Scope.close(scope, Exit.void))
  closing.push(end)
  const node = await Effect.runPromise(
    Scope.extend(ownDatabase(database.url, { now: Date.now, attempts: 1, ...options }), scope),
  )
  let reason: string | undefined
  void node.lost.then((why) => {
    reason = why
  })
  return { ...node, end, reason: () => reason }
}

const refusal = async (): Promise<unknown> => {
  const taken = await Effect.runPromise(
    Effect.either(Effect.scoped(ownDatabase(database.url, { now: Date.now, attempts: 1 }))),
  )
  return Either.isLeft(taken) ? taken.left : "taken"
}

/** What one process asks of the database beside its writers: connects, instruments, dealers, users. */
const pool = ({ enter }: OwnedNode) => {
  const runtime = ManagedRuntime.make(sqlLayer(database.url, { enter }))
  closing.push(() => runtime.dispose())
  return <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
    runtime.runPromise(Effect.either(Effect.flatMap(SqlClient.SqlClient, work)))
}

it("uses no epoch twice, whatever the nodes are called, and keeps the rows of all of them", async () => {
  const epochs: Array<number> = []
  for (const nodeId of ["a", "b", "a", "c", "b"]) {
    const node = await own({ nodeId })
    epochs.push(node.epoch)
    await node.end()
  }
  expect(epochs).toEqual([...new Set(epochs)].sort((a, b) => a - b))
  const rows = await query(database.url, "SELECT node_id, epoch::int AS epoch FROM gateway_node ORDER BY node_id")
  expect(rows.map(({ node_id }) => node_id)).toEqual(["a", "b", "c"])
  expect(rows.filter(({ epoch }) => epoch === epochs.at(-1))).toHaveLength(1)
})

it("refuses a second process in one line while the first renews, and one that holds the database without a lease is never taken over", async () => {
  const words = {
    _tag: "DatabaseOwned",
    message: "another gateway process owns this database: stop it first, or give this one its own database",
  }
  const first = await own()
  expect(await refusal()).toMatchObject(words)
  await Effect.runPromise(first.renew)
  expect([first.mayAct(), first.reason()]).toEqual([true, undefined])
  await first.end()
  // An owner of a version before leases, or a command that works on the database, after one whose lease has run out.
  await query(database.url, "UPDATE gateway_node SET until = '-infinity'")
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  closing.push(() => other.end())
  await other.query("SELECT pg_advisory_lock($1)", [OWNER_LOCK])
  expect(await refusal()).toMatchObject(words)
})

it("takes over from one that does not renew any more, ends its sessions with what they had begun, and lets none of it in again", async () => {
  const zombie = await own({ terms: NONE })
  const at = pool(zombie)
  await query(database.url, "CREATE TABLE listing (id int PRIMARY KEY)")
  let resume: () => void = () => undefined
  const paused = new Promise<void>((resolve) => (resume = resolve))
  // A connect, a listing or a quote that had begun when the process stopped.
  const begun = at((sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`INSERT INTO listing VALUES (1)`
        yield* Effect.promise(() => paused)
        yield* sql`INSERT INTO listing VALUES (2)`
      }),
    ),
  )
  await until("the transaction to be open", async () => {
    const open = "SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()"
    return (await query(database.adminUrl, open)).length > 0
  })
  const heir = await own()
  expect(heir.epoch).toBeGreaterThan(zombie.epoch)
  resume()
  expect(Either.isLeft(await begun)).toBe(true)
  // New sessions of its own, each time.
  const later = await at((sql) => sql`INSERT INTO listing VALUES (3)`)
  expect(Either.isLeft(later)).toBe(true)
  expect(await query(database.url, "SELECT id FROM listing")).toEqual([])
  expect([zombie.mayAct(), zombie.reason()]).toEqual([false, expect.stringMatching(/owns the database/)])
  const mine = await pool(heir)((sql) => sql`INSERT INTO listing VALUES (4) RETURNING id`)
  expect(Either.getOrThrow(mine)).toEqual([{ id: 4 }])
  expect([heir.mayAct(), heir.reason()]).toEqual([true, undefined])
})

it("is taken over by the next process, too, where one that had begun to take it over was ended in the midst of that", async () => {
  const zombie = await own({ terms: NONE })
  const killed = new pg.Client({ connectionString: database.url })
  await killed.connect()
  closing.push(() => killed.end().catch(() => undefined))
  const steps = holding(OWNER_LOCK, 1)
  let step = steps.next()
  // Until it would end the owner's sessions.
  for (let asked = 0; asked < 2 && step.done !== true && step.value !== null; asked++)
    step = steps.next((await killed.query(step.value.text, [...step.value.values])).rows)
  expect(step.value).toMatchObject({ text: expect.stringContaining("pg_terminate_backend") })
  await killed.end()
  const heir = await own()
  expect([heir.mayAct(), heir.reason()]).toEqual([true, undefined])
  expect(heir.epoch).toBeGreaterThan(zombie.epoch)
  await until("the one before to know", async () => zombie.reason() !== undefined)
  expect(await refusal()).toMatchObject({ _tag: "DatabaseOwned" })
})

it("ends the session that audits the ledger, too: it writes nothing more, and keeps the next owner's audit from nothing", async () => {
  const zombie = await own({ terms: NONE })
  const holder = new pg.Client({ connectionString: database.adminUrl })
  await holder.connect()
  closing.push(() => holder.end())
  await holder.query("BEGIN")
  await holder.query("LOCK TABLE ledger_audit_pass IN ACCESS EXCLUSIVE MODE")
  const look = (owner: OwnedNode) => lookAtLedger({ url: database.url, now: Date.now, enter: owner.enter })
  const stopped = look(zombie).then(
    () => "done",
    () => "ended",
  )
  await until("the audit to be in the midst of it", async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE application_name = 'venue-gateway audit'
      AND wait_event_type = 'Lock' AND datname = current_database()`
    return (await query(database.adminUrl, waiting)).length > 0
  })
  const heir = await own()
  await holder.query("ROLLBACK")
  expect(await stopped).toBe("ended")
  await expect(look(zombie)).rejects.toThrow("owns the database")
  expect((await look(heir)).violations).toEqual([])
})

it("is taken at once where the owner's session has ended, and the one before learns of it by its next renewal", async () => {
  const zombie = await own()
  const at = pool(zombie)
  expect(Either.isRight(await at((sql) => sql`SELECT 1`))).toBe(true)
  await query(
    database.adminUrl,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'venue-gateway owner' AND datname = current_database()`,
  )
  const heir = await own()
  await Effect.runPromise(zombie.renew)
  expect([zombie.mayAct(), heir.mayAct()]).toEqual([false, true])
  expect(Either.isLeft(await at((sql) => sql`SELECT 1`))).toBe(true)
})

it("counts its lease from when it asked, is silent once that has run out, and goes on when it is renewed", async () => {
  let now = 0
  const node = await own({ monotonic: () => now })
  const relied = LEASE.millis - LEASE.marginMillis
  now = relied - 1
  expect(node.mayAct()).toBe(true)
  now = relied
  expect([node.mayAct(), node.reason()]).toEqual([false, undefined])
  const renewal = Effect.runPromise(node.renew)
  now = 2 * relied - 1
  await renewal
  expect(node.mayAct()).toBe(true)
  now = 2 * relied
  expect(node.mayAct()).toBe(false)
})

/** What a batch of a writer does first: of orders, of the ledger. */
const BATCHES: ReadonlyArray<readonly [of: string, begin: (node: OwnedNode) => pg.QueryConfig]> = [
  ["orders", ({ nodeId, epoch }) => ({ text: FENCE, values: [nodeId, epoch] })],
  ["the ledger", (node) => ({ text: "SELECT ledger_apply($1::jsonb)", values: [batchText(randomUUID(), node, [])] })],
]

it.each(BATCHES)(
  "renews beside a batch in flight of %s, and is granted to another only after it",
  async (_of, begin) => {
    const node = await own({ terms: NONE })
    const batch = new pg.Client({ connectionString: database.url })
    await batch.connect()
    closing.push(() => batch.end())
    await batch.query("BEGIN")
    expect((await batch.query(begin(node))).rowCount).toBe(1)
    await Effect.runPromise(node.renew)
    let heir: Owner | undefined
    const taking = own().then((it) => {
      heir = it
    })
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    await until("the grant to wait for the batch", async () => (await query(database.adminUrl, waiting)).length > 0)
    expect(heir).toBeUndefined()
    await batch.query("COMMIT")
    await taking
    expect(heir?.epoch).toBeGreaterThan(node.epoch)
  },
)
