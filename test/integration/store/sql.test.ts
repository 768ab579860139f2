// The plumbing to PostgreSQL on a real server: layer, dedicated connection, migrations, durability, and what it says when it fails.
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Exit, Fiber, Schedule } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { checkDurability, connectDedicated, migrate, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { prepared } from "../../../src/store/postgres/statements.ts"
import { sqlStateOf } from "../../../src/store/postgres/storage-failure.ts"
import { type TestDatabase, testDatabase, withTestDatabase } from "../../kit/servers/database.ts"

const query = async (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describe("migrate", () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "migrations-"))
  afterAll(() => fs.rmSync(root, { recursive: true }))

  /** A folder with these files; several statements each, as real ones have. */
  const folderOf = (files: Readonly<Record<string, string>>): string => {
    const folder = fs.mkdtempSync(path.join(root, "set-"))
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
    return folder
  }
  const FIRST =
    "CREATE TABLE fruit (name text PRIMARY KEY); -- a comment; with a semicolon\nINSERT INTO fruit VALUES ('apple');\n"
  const SECOND = "INSERT INTO fruit VALUES ('pear');"
  const empty = async (run: (database: TestDatabase) => Promise<void>): Promise<void> => {
    const database = await testDatabase({ empty: true })
    try {
      await run(database)
    } finally {
      await database.drop()
    }
  }

  test("applies each file once, in order, and remembers it", () =>
    empty(async ({ url }) => {
      const folder = folderOf({ "0002_pear.sql": SECOND, "0001_fruit.sql": FIRST, "README.md": "not SQL" })
      await expect(migrate(url, { folder })).resolves.toEqual({ applied: [1, 2] })
      await expect(migrate(url, { folder })).resolves.toEqual({ applied: [] })
      fs.writeFileSync(path.join(folder, "0003_plum.sql"), "INSERT INTO fruit VALUES ('plum')")
      await expect(migrate(url, { folder })).resolves.toEqual({ applied: [3] })
      expect(await query(url, "SELECT name FROM fruit ORDER BY name")).toEqual([
        { name: "apple" },
        { name: "pear" },
        { name: "plum" },
      ])
      expect(
        await query(
          url,
          "SELECT id, name, length(sha256) AS digits, applied_at <= now() AS past FROM schema_migration ORDER BY id",
        ),
      ).toEqual([
        { id: 1, name: "fruit", digits: 64, past: true },
        { id: 2, name: "pear", digits: 64, past: true },
        { id: 3, name: "plum", digits: 64, past: true },
      ])
    }))

  test("lets four processes start on an empty database at once: each file is applied by one of them", () =>
    empty(async ({ url }) => {
      const folder = folderOf({ "0001_fruit.sql": FIRST, "0002_pear.sql": SECOND })
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => migrate(url, { folder })))
      expect(outcomes.flatMap((outcome) => outcome.applied).toSorted()).toEqual([1, 2])
      expect(await query(url, "SELECT count(*)::int AS count FROM fruit")).toEqual([{ count: 2 }])
    }))

  test("leaves nothing of a failing file, and keeps the ones before it", () =>
    empty(async ({ url }) => {
      const folder = folderOf({
        "0001_fruit.sql": FIRST,
        "0002_wrong.sql": "CREATE TABLE half (id int);\nSELECT\n no_such_column;",
      })
      await expect(migrate(url, { folder })).rejects.toMatchObject({
        _tag: "SqlUnavailable",
        message: expect.stringMatching(
          /^migration 2 \(wrong\) failed in the database at .*: column "no_such_column" does not exist \(line 3\)$/,
        ),
      })
      expect(await query(url, "SELECT to_regclass('half') AS half, to_regclass('fruit')::text AS fruit")).toEqual([
        { half: null, fruit: "fruit" },
      ])
      expect(await query(url, "SELECT id FROM schema_migration")).toEqual([{ id: 1 }])
      fs.writeFileSync(path.join(folder, "0002_wrong.sql"), SECOND)
      await expect(migrate(url, { folder })).resolves.toEqual({ applied: [2] })
    }))

  test("refuses a file that ends its own transaction before it counts as applied", () =>
    empty(async ({ url }) => {
      const folder = folderOf({ "0001_fruit.sql": `${FIRST}COMMIT;` })
      await expect(migrate(url, { folder })).rejects.toThrow("migration 1 (fruit) failed")
      expect(await query(url, "SELECT id FROM schema_migration")).toEqual([])
    }))

  test("refuses a file that was changed after it ran", () =>
    empty(async ({ url }) => {
      const folder = folderOf({ "0001_fruit.sql": FIRST })
      await migrate(url, { folder })
      fs.appendFileSync(path.join(folder, "0001_fruit.sql"), "-- later thought")
      await expect(migrate(url, { folder })).rejects.toThrow("migration 1 (fruit) was changed after it ran")
    }))

  test("refuses a database that is newer than the program", () =>
    empty(async ({ url }) => {
      await migrate(url, { folder: folderOf({ "0001_fruit.sql": FIRST, "0002_pear.sql": SECOND }) })
      await expect(migrate(url, { folder: folderOf({ "0001_fruit.sql": FIRST }) })).rejects.toThrow(
        "is newer than this program: it has migration 2 (pear), and the newest known here is 1",
      )
    }))

  test.each([
    [
      "a gap",
      { "0001_fruit.sql": FIRST, "0003_pear.sql": SECOND },
      "0003_pear.sql was found where number 2 is expected",
    ],
    [
      "two files of one number",
      { "0001_fruit.sql": FIRST, "0001_pear.sql": SECOND },
      "0001_pear.sql was found where number 2 is expected",
    ],
    ["a badly named file", { "1_fruit.sql": FIRST }, "1_fruit.sql is not named NNNN_name.sql"],
  ])("refuses a folder with %s before it touches the database", (_, files, message) =>
    empty(async ({ url }) => {
      await expect(migrate(url, { folder: folderOf(files) })).rejects.toThrow(message)
      expect(await query(url, "SELECT to_regclass('schema_migration') AS found")).toEqual([{ found: null }])
    }),
  )
})

describe("the SQL layer", () => {
  const database = withTestDatabase()

  test("answers queries, many at a time, as the application's role", async () => {
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      const one = (n: number) =>
        sql<{
          n: number
          super: boolean
        }>`SELECT ${n}::int AS n, rolsuper AS super FROM pg_roles WHERE rolname = current_user`
      return yield* Effect.forEach(
        Array.from({ length: 20 }, (_, n) => n),
        one,
        { concurrency: "unbounded" },
      )
    })
    const rows = await Effect.runPromise(Effect.provide(program, sqlLayer(database().url)))
    expect(rows.flat().map((row) => row.n)).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })

  test("holds at most eight connections, and none after its scope", async () => {
    const count = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'layer test'"
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Effect.forEach(Array.from({ length: 20 }), () => sql`SELECT pg_sleep(0.01)`, { concurrency: "unbounded" })
      // The last of them may still be on its way.
      return yield* Effect.promise(() =>
        vi.waitFor(async () => {
          const rows = await query(database().adminUrl, count)
          expect(rows[0]?.["count"]).toBeGreaterThanOrEqual(8)
          return rows
        }, 60_000),
      )
    })
    const layer = sqlLayer(database().url, { applicationName: "layer test" })
    expect(await Effect.runPromise(Effect.provide(program, layer))).toEqual([{ count: 8 }])
    await expect.poll(() => query(database().adminUrl, count)).toEqual([{ count: 0 }])
  })

  test("survives the loss of its idle connections", async () => {
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`SELECT 1`
      yield* Effect.promise(() =>
        query(
          database().adminUrl,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'to be lost'",
        ),
      )
      // What leaves before the loss is noticed is lost with it.
      const statement = sql<{ two: number }>`SELECT 2 AS two`
      return yield* statement.pipe(Effect.retry(Schedule.spaced("50 millis")))
    })
    const layer = sqlLayer(database().url, { applicationName: "to be lost" })
    expect(await Effect.runPromise(Effect.provide(program, layer))).toEqual([{ two: 2 }])
  })

  test("ends a statement that runs longer than its limit", async () => {
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      return yield* Effect.flip(sql`SELECT pg_sleep(60)`)
    })
    const failure = await Effect.runPromise(
      Effect.provide(program, sqlLayer(database().url, { statementTimeoutMillis: 50 })),
    )
    expect(String(failure.cause)).toContain("statement timeout")
  })

  test("fails a statement whose connection ends under it, or that breaks a rule, and goes on", async () => {
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      const lost = yield* Effect.flip(sql`SELECT pg_terminate_backend(pg_backend_pid())`)
      const broken = yield* Effect.flip(sql`SELECT 1 / 0`)
      const [row] = yield* sql<{ three: number }>`SELECT ${3}::int AS three`
      return { lost: sqlStateOf(lost), broken: sqlStateOf(broken), row }
    })
    const answer = await Effect.runPromise(Effect.provide(program, sqlLayer(database().url)))
    expect(answer).toEqual({ lost: "57P01", broken: "22012", row: { three: 3 } })
  })

  test("puts statements together, takes them back with their transaction, and reads several results of one text", async () => {
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE sum (n int)`
      const isSeven = sql`n = ${7}`
      const inside = Effect.zipRight(
        sql`INSERT INTO sum ${sql.insert([{ n: 7 }, { n: 8 }])}`,
        sql<{ n: number }>`SELECT n FROM sum WHERE ${sql.and([isSeven, sql.in("n", [7, 9])])}`,
      )
      const seen = yield* sql.withTransaction(inside)
      yield* Effect.ignore(sql.withTransaction(Effect.zipRight(sql`DELETE FROM sum`, Effect.fail("taken back"))))
      const left = yield* sql.unsafe<{ count: number }>("SELECT count(*)::int AS count FROM sum WHERE n > $1", [0])
      const both = yield* sql.unsafe("SELECT 1 AS one; SELECT 2 AS two")
      return { seen, left, both }
    })
    const answer = await Effect.runPromise(Effect.provide(program, sqlLayer(database().url)))
    expect(answer).toEqual({ seen: [{ n: 7 }], left: [{ count: 2 }], both: [[{ one: 1 }], [{ two: 2 }]] })
  })

  test("parses a prepared text once on a connection, for all values", async () => {
    const text = prepared("doubled", "SELECT $1::int * 2 AS twice")
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      const rows = yield* Effect.forEach([1, 2, 3], (n) => sql.unsafe<{ twice: number }>(text, [n]))
      const known = yield* sql`SELECT name, statement FROM pg_prepared_statements`
      return { rows: rows.flat(), known }
    })
    const answer = await Effect.runPromise(Effect.provide(program, sqlLayer(database().url)))
    expect(answer.rows).toEqual([{ twice: 2 }, { twice: 4 }, { twice: 6 }])
    expect(answer.known).toEqual([{ name: "doubled", statement: "SELECT $1::int * 2 AS twice" }])
  })

  test("leaves a statement at work whose caller is interrupted, and no other is hit", async () => {
    const program = Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE TABLE left_alone (n int)`
      const slow = yield* Effect.fork(sql`INSERT INTO left_alone SELECT 1 FROM pg_sleep(0.2)`)
      yield* sql`SELECT 1`
      yield* Fiber.interrupt(slow)
      const others = yield* Effect.all(
        Array.from({ length: 30 }, () => sql`SELECT pg_sleep(0.01)`),
        { concurrency: 8 },
      )
      const stored = yield* Effect.repeat(sql`SELECT n FROM left_alone`, { until: (rows) => rows.length > 0 })
      return { others: others.length, stored }
    })
    const answer = await Effect.runPromise(Effect.provide(program, sqlLayer(database().url)))
    expect(answer).toEqual({ others: 30, stored: [{ n: 1 }] })
  })

  test("fails in one clear line when the database does not exist", async () => {
    const url = new URL(database().url)
    url.pathname = "/no_such_database"
    const exit = await Effect.runPromiseExit(Effect.provide(Effect.void, sqlLayer(url.toString())))
    expect(Exit.isFailure(exit) && exit.cause).toMatchObject({
      _tag: "Fail",
      error: {
        _tag: "SqlUnavailable",
        message: expect.stringMatching(
          /^the database at \S+\/no_such_database is unreachable: database "no_such_database" does not exist$/,
        ),
      },
    })
  })
})

describe("a dedicated connection", () => {
  const database = withTestDatabase()

  test("keeps its session and reports its loss by ending", async () => {
    const client = await connectDedicated(database().url, { applicationName: "node lock" })
    await client.query("SELECT pg_advisory_lock(1)")
    const lost = new Promise((resolve) => client.once("end", () => resolve("lost")))
    await query(
      database().adminUrl,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'node lock'",
    )
    await expect(lost).resolves.toBe("lost")
  })

  test("takes the statement limit it is given, and none otherwise", async () => {
    const limitOf = async (options: { readonly statementTimeoutMillis?: number }) => {
      const client = await connectDedicated(database().url, options)
      const { rows } = await client.query(
        "SELECT current_setting('statement_timeout') AS limit, current_setting('application_name') AS name",
      )
      await client.end()
      return rows
    }
    expect(await limitOf({})).toEqual([{ limit: "0", name: "venue-gateway" }])
    expect(await limitOf({ statementTimeoutMillis: 1500 })).toEqual([{ limit: "1500ms", name: "venue-gateway" }])
  })

  test("never tells the password, whatever goes wrong", async () => {
    const wrong = new URL(database().url)
    wrong.password = "correct-horse"
    const failures = await Promise.all(
      [
        wrong.toString(),
        "postgresql://u:correct-horse@127.0.0.1:1/x",
        "mysql://u:correct-horse@127.0.0.1/x",
        "postgresql://u:12/correct-horse@127.0.0.1/x",
      ].map((url) =>
        connectDedicated(url).then(
          () => "connected",
          (error: unknown) => String(error),
        ),
      ),
    )
    expect(failures).toEqual([
      expect.stringContaining("is unreachable: password authentication failed"),
      expect.stringContaining("the database at 127.0.0.1:1/x is unreachable: connect ECONNREFUSED"),
      expect.stringContaining("DATABASE_URL does not have the form"),
      expect.stringContaining("DATABASE_URL does not have the form"),
    ])
    expect(failures.join()).not.toContain("correct-horse")
  })

  test("gives up on a server that accepts and never answers", async () => {
    const sockets: Array<net.Socket> = []
    const silent = net.createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1")
    await new Promise((resolve) => silent.once("listening", resolve))
    const address = silent.address()
    const port = typeof address === "object" ? address?.port : undefined
    await expect(
      connectDedicated(`postgresql://u:p@127.0.0.1:${port}/x`, { connectTimeoutMillis: 100 }),
    ).rejects.toThrow(`the database at 127.0.0.1:${port}/x is unreachable: timeout expired`)
    for (const socket of sockets) socket.destroy()
    silent.close()
  })

  test.each(["sslmode=disable", "ssl=0", "sslmode=no-verify", "sslmode=require&uselibpqcompat=true"])(
    "refuses %s to another machine",
    async (parameters) => {
      const url = `postgresql://u:p@192.0.2.1:5432/x?${parameters}`
      await expect(connectDedicated(url, { connectTimeoutMillis: 50 })).rejects.toThrow(
        "the database at 192.0.2.1:5432/x is not on this machine",
      )
    },
  )

  test("asks another machine for TLS when the URL says nothing about it", async () => {
    // The TLS request of the protocol (code 80877103) must be the first thing sent, before any name or password.
    let first: Buffer | undefined
    const plain = net.createServer((socket) => {
      socket.once("data", (chunk: Buffer) => {
        first = chunk
        socket.end("N")
      })
    })
    plain.listen(0, "0.0.0.0")
    await new Promise((resolve) => plain.once("listening", resolve))
    const address = plain.address()
    const port = typeof address === "object" ? address?.port : undefined
    // 0.0.0.0 connects to this machine and is not a loopback name.
    await expect(connectDedicated(`postgresql://u:p@0.0.0.0:${port}/x`)).rejects.toThrow("does not support SSL")
    expect(first?.readInt32BE(4)).toBe(80877103)
    plain.close()
  })
})

describe("the durability check", () => {
  const database = withTestDatabase()
  const settingsOf = (url: string) => query(url, "SELECT current_setting('fsync') AS fsync")
  let isTestServer = false
  beforeAll(async () => {
    isTestServer = (await settingsOf(database().url))[0]?.["fsync"] === "off"
  })

  test("refuses a server without fsync unless tests allow it", async () => {
    await expect(checkDurability(database().url, { allowUnsafe: true })).resolves.toBeUndefined()
    const strict = checkDurability(database().url)
    // A server of the user's (TEST_DATABASE_URL) has fsync on and passes.
    if (isTestServer)
      await expect(strict).rejects.toThrow("could lose acknowledged orders: turn fsync, full_page_writes on")
    else await expect(strict).resolves.toBeUndefined()
  })

  test("refuses asynchronous commits always, wherever they were set", async () => {
    const { pathname } = new URL(database().url)
    await query(database().url, `ALTER DATABASE ${pathname.slice(1)} SET synchronous_commit = off`)
    await expect(checkDurability(database().url, { allowUnsafe: true })).rejects.toMatchObject({
      _tag: "SqlUnavailable",
      message: expect.stringContaining("turn synchronous_commit on"),
    })
  })
})
