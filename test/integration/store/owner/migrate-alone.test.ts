/** `gateway admin migrate` and a gateway on the same database: migrations lock what orders are written to. */
import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import pg from "pg"
import { expect, it } from "vitest"
import { runMigrate } from "../../../../src/admin/migrate.ts"
import { maintainPartitions, noteDaysKept } from "../../../../src/store/orders/partitions.ts"
import { OWNER_LOCK, ownDatabase } from "../../../../src/store/postgres/node.ts"
import { newestMigration, sqlLayer } from "../../../../src/store/postgres/sql.ts"
import { testDatabase } from "../../../kit/servers/database.ts"
import { query } from "../account-store-rig.ts"

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
        message: expect.stringMatching(/^a gateway is running on this database.*: stop it, run this again/),
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

it("keeps as many days of events as the gateway, whatever the settings of the owner say", async () => {
  const { url, drop } = await testDatabase()
  const now = Date.now()
  const on = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.runPromise(effect.pipe(Effect.provide(sqlLayer(url))))
  const days = async () =>
    Number(
      (await query(url, "SELECT count(*) AS n FROM pg_inherits WHERE inhparent = 'account_event'::regclass"))[0]!["n"],
    )
  const migrate = (settingDays: number) =>
    Effect.runPromise(runMigrate({ _tag: "Migrate", role: null }, url, now, 2, settingDays))
  try {
    // The gateway keeps a month, and has run for a week.
    await on(noteDaysKept(30))
    await on(maintainPartitions(now - 7 * 86_400_000, 30))
    const before = await days()
    expect(await migrate(2)).toMatchObject({ eventDaysKept: 30 })
    expect(await days()).toBe(before + 7)
    await on(noteDaysKept(3))
    expect(await migrate(2)).toMatchObject({ eventDaysKept: 3 })
    // The six oldest are past three days.
    expect(await days()).toBe(before + 7 - 6)
  } finally {
    await drop()
  }
})

it("gives the gateway's role its rights with the migrations, also where a partition cannot be made beside a dump", async () => {
  const { url, adminUrl, drop } = await testDatabase({ empty: true })
  const role = `runner_${process.pid}`
  const dump = new pg.Client({ connectionString: adminUrl })
  await dump.connect()
  const migrate = (now: number) =>
    Effect.runPromise(Effect.either(Effect.scoped(runMigrate({ _tag: "Migrate", role }, url, now, 2))))
  try {
    await dump.query(`CREATE ROLE ${role}`)
    expect(await migrate(Date.now())).toMatchObject({ _tag: "Right" })
    await dump.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`)
    await dump.query("BEGIN; LOCK TABLE account_event_default IN ACCESS SHARE MODE")
    const mayWrite = async () =>
      (await query(url, "SELECT has_table_privilege($1, 'hedge_executed', 'INSERT') AS may", [role]))[0]!["may"]
    // A day on its newest partition is not there yet, and is tried for until the dump ends.
    const migrating = migrate(Date.now() + 86_400_000)
    await expect.poll(mayWrite, { timeout: 8_000 }).toBe(true)
    await dump.query("COMMIT")
    expect(await migrating).toMatchObject({ _tag: "Right", right: { partitions: { length: 1 } } })
  } finally {
    await dump.query(`ROLLBACK; DROP OWNED BY ${role}; DROP ROLE ${role}`).catch(() => undefined)
    await dump.end()
    await drop()
  }
})
