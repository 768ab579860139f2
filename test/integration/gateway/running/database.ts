/**
 * A PostgreSQL server of one's own for gateways with DATABASE_URL. The shared test server gives up the sync to disk, and a gateway rightly
 * refuses to keep orders there. The server goes on when a gateway is killed.
 */
import { rmSync } from "node:fs"
import pg from "pg"
import { afterAll, beforeAll } from "vitest"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../../src/store/embedded/embedded.ts"
import { laySeed, scratchDirectory } from "../../../kit/postgres.ts"

export interface OwnDatabase {
  /** The application role's URL, a DATABASE_URL. */
  readonly url: string
  /** The superuser's, to look from outside. */
  readonly adminUrl: string
}

/** Makes the server before the file's tests; each call of what it answers is a new database: migrated, or without a table in it. */
export const withDatabaseServer = (): ((state?: "migrated" | "empty") => Promise<OwnDatabase>) => {
  let server: EmbeddedPostgres | undefined
  let directory: string | undefined
  let isSeeded = false
  let made = 0
  beforeAll(async () => {
    directory = scratchDirectory("server")
    isSeeded = laySeed(directory)
    server = await startEmbeddedPostgres({ dataDir: directory })
  })
  afterAll(async () => {
    await server?.stop()
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  })
  return async (state = "migrated") => {
    if (server === undefined) throw new Error("the server exists only inside tests and hooks")
    made += 1
    const name = `gateway_${made}`
    // Nobody uses the server's own database: it is the template.
    const template = isSeeded && state === "migrated" ? "gateway STRATEGY file_copy" : "template0 ENCODING 'UTF8'"
    const client = new pg.Client({ connectionString: server.adminUrl("postgres") })
    await client.connect()
    await client.query(`CREATE DATABASE ${name} OWNER gateway TEMPLATE ${template}`).finally(() => client.end())
    return { url: server.url(name), adminUrl: server.adminUrl(name) }
  }
}
