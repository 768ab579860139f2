/**
 * `migrate`: brings the database to this version as its owner, for gateways whose own role may not (docs/operations/postgresql.md). The
 * one thing to know: run it with the owner's DATABASE_URL, at an upgrade with the gateway stopped; of the same version, for partitions, it may run.
 * With `--for ROLE` that role may do what a gateway does.
 */
import { Effect } from "effect"
import { maintainPartitions } from "../store/partitions.ts"
import { grantTo } from "../store/role-grants.ts"
import { migrate, sqlLayer, sqlPromise } from "../store/sql.ts"

export interface MigrateCommand {
  readonly _tag: "Migrate"
  readonly role: string | null
}

export const MIGRATE_USAGE = `  migrate [--for ROLE]             bring the database to this version as its owner; ROLE: a gateway's, without DDL
`

/** Undefined: the words are another command, or none. */
export const parseMigrate = (words: ReadonlyArray<string>): MigrateCommand | undefined => {
  const [name, option, role, ...more] = words
  if (name !== "migrate" || more.length > 0) return undefined
  if (option === undefined) return { _tag: "Migrate", role: null }
  return option === "--for" && role !== undefined ? { _tag: "Migrate", role } : undefined
}

export const runMigrate = ({ role }: MigrateCommand, url: string, now: number) =>
  Effect.gen(function* () {
    const { applied } = yield* sqlPromise(() => migrate(url))
    const { created } = yield* maintainPartitions(now)
    if (role !== null) yield* grantTo(role)
    return { applied, partitions: created, role }
  }).pipe(Effect.provide(sqlLayer(url, { applicationName: "venue-gateway migrate" })))
