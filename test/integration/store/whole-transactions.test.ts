/** Transactions on a real server: of two that make the same first rows, of one that loses its connection, of one that nobody waits for. */
import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Either, Exit, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StorageUnavailable } from "../../../src/domain/errors/service.ts"
import type { TenantId } from "../../../src/domain/ids.ts"
import { accountingWallet } from "../../../src/domain/wallet/wallet.ts"
import { Wallets } from "../../../src/store/ledger/wallets.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { allOrUnavailable, orUnavailable, Patience, seenThrough } from "../../../src/store/postgres/storage-failure.ts"
import { orFound } from "../../../src/store/postgres/transactions.ts"
import { cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { until } from "../../kit/servers/gateway.ts"
import { query } from "./account-store-rig.ts"

const database = withTestDatabase()
const layerOf = (url: string) => Wallets.Default.pipe(Layer.provideMerge(sqlLayer(url)))
let runtime: ManagedRuntime.ManagedRuntime<Wallets | SqlClient.SqlClient, unknown>
beforeAll(async () => {
  runtime = ManagedRuntime.make(layerOf(database().url))
  await query(database().url, "CREATE TABLE note (text text PRIMARY KEY)")
})
afterAll(() => runtime.dispose())

const notes = async (): Promise<ReadonlyArray<unknown>> =>
  (await query(database().url, "SELECT text FROM note ORDER BY text")).map((row) => (row as { text: string }).text)

describe("a tenant's first wallets", () => {
  it("are made by as many at once as there are connections, and nobody's is refused", async () => {
    const wallets = await runtime.runPromise(Wallets)
    const broken: Array<unknown> = []
    // Each tenant is one chance for two transactions to pass each other's looks: some in a hundred.
    const [from, tenants] = [1, 250]
    await query(
      database().url,
      `INSERT INTO tenant (tenant_id, created_at) SELECT 'tenant ' || n, 1 FROM generate_series(${from}, ${tenants}) AS n`,
    )
    for (let n = from; n <= tenants; n++) {
      const insert = Effect.exit(wallets.insert(accountingWallet(`tenant ${n}` as TenantId, "WORLD", 1)))
      const exits = await runtime.runPromise(
        Effect.all(
          Array.from({ length: 8 }, () => insert),
          { concurrency: 8 },
        ),
      )
      broken.push(...exits.filter(Exit.isFailure).map(String))
    }
    expect(broken).toEqual([])
  })
})

describe("a transaction", () => {
  const away = Either.left(new StorageUnavailable())
  const made = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>, patienceMillis: number | null = null) =>
    runtime.runPromise(
      Effect.flatMap(SqlClient.SqlClient, work).pipe(Effect.either, Effect.provideService(Patience, patienceMillis)),
    )

  it("whose connection is lost in the middle of it is a failure and no defect, at its commit too", async () => {
    const lost = (sql: SqlClient.SqlClient) => Effect.ignore(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
    const inside = (sql: SqlClient.SqlClient) =>
      allOrUnavailable(sql.withTransaction(Effect.zipRight(lost(sql), sql`INSERT INTO note VALUES ('lost')`)))
    expect(await made(inside)).toEqual(away)
    expect(await made((sql) => allOrUnavailable(sql.withTransaction(lost(sql))))).toEqual(away)
    expect(await notes()).toEqual([])
  })

  it("whose commit goes on behind a lost connection is found once it is done", async () => {
    const client = new pg.Client({ connectionString: database().adminUrl })
    await client.connect()
    const { host, port } = client
    const proxy = await cutProxy(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    const through = new URL(database().url)
    through.searchParams.delete("host")
    through.hostname = "127.0.0.1"
    through.port = String(proxy.port)
    const behind = ManagedRuntime.make(sqlLayer(through.toString(), { applicationName: "behind a proxy" }))
    const untilWaits = (event: string) =>
      until(`a session waits at ${event}`, async () => {
        const waits = "SELECT FROM pg_stat_activity WHERE application_name = 'behind a proxy' AND wait_event = $1"
        return (await client.query(waits, [event])).rows.length > 0
      })
    try {
      await client.query(`CREATE FUNCTION wait_at_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'`)
      await client.query(`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION wait_at_commit()`)
      await client.query("SELECT pg_advisory_lock(42)")
      const answer = behind.runPromise(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql
            .withTransaction(Effect.as(sql`INSERT INTO note VALUES ('found')`, "made"))
            .pipe(orFound(Effect.map(sql`SELECT FROM note WHERE text = 'found'`, (rows) => rows.length === 1))),
        ),
      )
      await untilWaits("advisory")
      proxy.cut()
      proxy.mend()
      await untilWaits("transactionid")
      await client.query("SELECT pg_advisory_unlock(42)")
      expect(await answer).toBe("made")
      expect(await notes()).toEqual(["found"])
    } finally {
      await client.query("DROP TRIGGER late ON note")
      await client.query("DELETE FROM note")
      await client.end()
      await behind.dispose()
      await proxy.close()
    }
  })

  it("that nobody waits for any more is taken back, whole", async () => {
    const step = Deferred.unsafeMake<void>(await runtime.runPromise(Effect.fiberId))
    const over = Deferred.unsafeMake<Exit.Exit<unknown, unknown>>(await runtime.runPromise(Effect.fiberId))
    const slow = (sql: SqlClient.SqlClient) =>
      seenThrough(
        allOrUnavailable(
          sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`INSERT INTO note VALUES ('first')`
              yield* Deferred.await(step)
              yield* sql.withTransaction(orUnavailable(sql`INSERT INTO note VALUES ('second')`))
            }),
          ),
        ).pipe(Effect.onExit((exit) => Deferred.succeed(over, exit))),
      )
    expect(await made(slow, 20)).toEqual(away)
    await runtime.runPromise(Deferred.succeed(step, undefined))
    expect(Exit.isFailure(await runtime.runPromise(Deferred.await(over)))).toBe(true)
    expect(await notes()).toEqual([])
  })

  it("that goes on after a failed statement is not answered as done", async () => {
    const ignoring = (sql: SqlClient.SqlClient) =>
      Effect.exit(
        sql.withTransaction(
          Effect.zipRight(sql`INSERT INTO note VALUES ('ignored')`, Effect.ignore(sql`SELECT 1 / 0`)),
        ),
      )
    expect(await made(ignoring)).toMatchObject({ right: { _tag: "Failure" } })
    expect(await notes()).toEqual([])
  })

  it("that was left open on its connection does not take in what others ask", async () => {
    const left = (sql: SqlClient.SqlClient) =>
      Effect.scoped(Effect.flatMap(sql.reserve, (connection) => connection.executeUnprepared("BEGIN", [], undefined)))
    const all = (sql: SqlClient.SqlClient) => Effect.zipRight(left(sql), sql`INSERT INTO note VALUES ('alone')`)
    expect(Either.isRight(await made(all))).toBe(true)
    expect(await notes()).toEqual(["alone"])
    await query(database().url, "DELETE FROM note")
  })

  it("lets no statement of its own be left behind: whoever waits for one in it waits for all", async () => {
    const answer = await made(
      (sql) =>
        sql.withTransaction(
          Effect.zipRight(
            orUnavailable(sql`SELECT pg_sleep(0.3)`),
            orUnavailable(sql`INSERT INTO note VALUES ('patient')`),
          ),
        ),
      20,
    )
    expect(Either.isRight(answer)).toBe(true)
    expect(await notes()).toEqual(["patient"])
  })
})
