/** `gateway admin migrate` and a gateway on the same database: migrations lock what orders are written to. */
import { Effect } from "effect"
import pg from "pg"
import { expect, it } from "vitest"
import { runMigrate } from "../../../src/admin/migrate.ts"
import { OWNER_LOCK, ownDatabase } from "../../../src/store/postgres/node.ts"
import { newestMigration } from "../../../src/store/postgres/sql.ts"
import { testDatabase } from "../../kit/servers/database.ts"

it("is refused while a gateway of an older version works, has the database to itself without one, and may run beside one of its own", async () => {
  const { url, drop } = await testDatabase({ empty: true })
  const old = new pg.Client({ connectionString: url })
  await old.connect()
  const migrate = () =>
    Effect.runPromise(Effect.either(Effect.scoped(runMigrate({ _tag: "Migrate", role: null }, url, Date.now(), 2))))
  try {
    await old.query("SELECT pg_advisory_lock($1)", [OWNER_LOCK])
    expect(await migrate()).toMatchObject({
      _tag: "Left",
      left: {
        _tag: "DatabaseOwned",
        message: expect.stringMatching(/^a gateway works on this database.*: stop it, run this again/),
      },
    })
    expect((await old.query("SELECT to_regclass('schema_migration') AS it")).rows).toEqual([{ it: null }])
    await old.query("SELECT pg_advisory_unlock($1)", [OWNER_LOCK])
    const done = await migrate()
    expect(done).toMatchObject({ _tag: "Right", right: { applied: { length: newestMigration() } } })
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* ownDatabase(url, { now: Date.now, attempts: 2 })
          const beside = yield* Effect.promise(migrate)
          expect(beside).toMatchObject({ _tag: "Right", right: { applied: [] } })
        }),
      ),
    )
  } finally {
    await old.end()
    await drop()
  }
})
