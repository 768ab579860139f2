/**
 * Databases for gateways with DATABASE_URL, on the durable server of the run (test/kit/postgres.ts) or on one of the file's own. The shared
 * quick server gives up the sync to disk, and a gateway rightly refuses to keep orders there. Both go on when a gateway is killed.
 */
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import pg from "pg"
import { afterAll, beforeAll, inject } from "vitest"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../../src/store/embedded/embedded.ts"
import { laySeed, scratchDirectory } from "../../../kit/postgres.ts"

export interface OwnDatabase {
  /** The application role's URL, a DATABASE_URL. */
  readonly url: string
  /** The superuser's, to look from outside. */
  readonly adminUrl: string
}

/** Each call is a new database: migrated, or without a table in it. */
type MakeDatabase = (state?: "migrated" | "empty") => Promise<OwnDatabase>

const asAdmin = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

const urlOf = (base: string, database: string): string => {
  const url = new URL(base)
  url.pathname = `/${database}`
  return url.toString()
}

/** Nobody uses the server's own database `gateway`: it is the template. */
const make = async (
  { adminUrl, applicationUrl }: { readonly adminUrl: string; readonly applicationUrl: string },
  name: string,
  state: "migrated" | "empty",
): Promise<OwnDatabase> => {
  const template = state === "migrated" ? "gateway STRATEGY file_copy" : "template0 ENCODING 'UTF8'"
  await asAdmin(adminUrl, `CREATE DATABASE ${name} OWNER gateway TEMPLATE ${template}`)
  return { url: urlOf(applicationUrl, name), adminUrl: urlOf(adminUrl, name) }
}

/** In a describe or at the top of a file; what was made goes with the last of its tests. Settings and roles of the server are everybody's. */
export const withDatabaseServer = (): MakeDatabase => {
  const made: Array<string> = []
  afterAll(async () => {
    for (const name of made.splice(0))
      await asAdmin(inject("durable").adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  })
  return (state = "migrated") => {
    const name = `gateway_${randomBytes(6).toString("hex")}`
    made.push(name)
    return make(inject("durable"), name, state)
  }
}

/** For those that change the server itself. */
export const withOwnServer = (): MakeDatabase => {
  let server: EmbeddedPostgres | undefined
  let directory: string | undefined
  let made = 0
  beforeAll(async () => {
    directory = scratchDirectory("server")
    laySeed(directory)
    server = await startEmbeddedPostgres({ dataDir: directory })
  })
  afterAll(async () => {
    await server?.stop()
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  })
  return async (state = "migrated") => {
    if (server === undefined) throw new Error("the server exists only inside tests and hooks")
    made += 1
    return make(
      { adminUrl: server.adminUrl("postgres"), applicationUrl: server.url("postgres") },
      `gateway_${made}`,
      state,
    )
  }
}
