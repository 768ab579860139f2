/**
 * Whether the database schema is the one of this program. The command line asks before it reads tables that an older schema does not
 * have.
 */
import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { orUnavailable } from "./storage-failure.ts"

export const isCurrent = (sql: SqlClient.SqlClient): Effect.Effect<boolean, StorageUnavailable> =>
  orUnavailable(sql<{ found: boolean }>`SELECT to_regclass('audit_row') IS NOT NULL AS found`).pipe(
    Effect.map(([row]) => row?.found === true),
  )
