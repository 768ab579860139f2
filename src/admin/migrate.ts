/**
 * `migrate`: brings the database to this version as its owner, for gateways whose own role may not (docs/operations/postgresql.md). The one thing
 * to know: run it with the owner's DATABASE_URL. Migrations lock the tables of orders for minutes, so pending ones are refused while a gateway is
 * running, and none can start meanwhile; with none pending, for partitions, a gateway may be running. With `--for ROLE` that role gets the rights
 * that a gateway needs.
 */
import { Effect } from "effect"
import { daysKeptByGateway, EVENT_DAYS_KEPT, maintainPartitions } from "../store/orders/partitions.ts"
import { DatabaseOwned, holdDatabase } from "../store/postgres/node.ts"
import { checkServer, grantTo } from "../store/postgres/server-check.ts"
import { lacksMigrations, migrate, SqlUnavailable, sqlLayer, sqlPromise } from "../store/postgres/sql.ts"

export interface MigrateCommand {
  readonly _tag: "Migrate"
  readonly role: string | null
}

export const MIGRATE_USAGE = `  migrate [--for ROLE]             migrate the database to this version, as its owner; ROLE: the gateway's own role, without DDL
`

/** Undefined: the words are another command, or none. */
export const parseMigrate = (words: ReadonlyArray<string>): MigrateCommand | undefined => {
  const [name, option, role, ...more] = words
  if (name !== "migrate" || more.length > 0) return undefined
  if (option === undefined) return { _tag: "Migrate", role: null }
  return option === "--for" && role !== undefined ? { _tag: "Migrate", role } : undefined
}

const TRIES = 20
const TRY_PAUSE = "500 millis"

/** Beside a gateway and a backup that work: a lock that is not free is tried for again. */
const untilDone = (now: number, settingDays: number) =>
  Effect.gen(function* () {
    // What the gateway keeps is not dropped by an owner whose settings do not say so.
    const daysKept = Math.max(settingDays, yield* daysKeptByGateway)
    const created: Array<string> = []
    for (let tries = 1; ; tries++) {
      const done = yield* maintainPartitions(now, daysKept)
      created.push(...done.created)
      if (done.postponed.length === 0) return { created, daysKept }
      if (tries === TRIES)
        return yield* new SqlUnavailable({ message: `these could not be locked in time: ${done.postponed.join(", ")}` })
      yield* Effect.sleep(TRY_PAUSE)
    }
  })

/** `attempts`: for a gateway that is just ending. The role has its rights before a gateway may start, whatever becomes of the partitions. */
const migrated = (role: string | null, url: string, attempts?: number) =>
  Effect.gen(function* () {
    yield* sqlPromise(() => checkServer(url))
    const all = Effect.tap(
      sqlPromise(() => migrate(url)),
      () => (role === null ? Effect.void : grantTo(role)),
    )
    if (!(yield* sqlPromise(() => lacksMigrations(url)))) return yield* all
    return yield* Effect.scoped(Effect.zipRight(holdDatabase(url, attempts), all))
  }).pipe(
    Effect.catchTag(
      "DatabaseOwned",
      () =>
        new DatabaseOwned({
          message:
            "a gateway is running on this database, and migrations would block its orders for minutes: stop it, run this again, then start the new version",
        }),
    ),
  )

export const runMigrate = (
  { role }: MigrateCommand,
  url: string,
  now: number,
  attempts?: number,
  settingDays = EVENT_DAYS_KEPT,
) =>
  Effect.gen(function* () {
    const { applied } = yield* migrated(role, url, attempts)
    const { created, daysKept } = yield* untilDone(now, settingDays)
    if (role !== null && created.length > 0) yield* grantTo(role)
    return { applied, partitions: created, eventDaysKept: daysKept, role }
  }).pipe(Effect.provide(sqlLayer(url, { applicationName: "venue-gateway migrate" })))
