// A database of one's own for a test file: a copy of the migrated template, owned by the application's role (no superuser).
import { randomBytes } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, inject } from "vitest"

export interface TestDatabase {
  /** The application role's URL. */
  readonly url: string
  /** The superuser's URL of the same database, to look from outside or to end sessions. */
  readonly adminUrl: string
  /** Ends every session and removes it. Repeatable. */
  readonly drop: () => Promise<void>
}

const asAdmin = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: inject("adminUrl") })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const urlOf = (base: string, database: string): string => {
  const url = new URL(base)
  url.pathname = `/${database}`
  return url.toString()
}

/** `empty: true` leaves the migrations out. About 10 ms. */
export const testDatabase = async (options: { readonly empty?: boolean } = {}): Promise<TestDatabase> => {
  const name = `t_${randomBytes(6).toString("hex")}`
  const owner = pg.escapeIdentifier(decodeURIComponent(new URL(inject("applicationUrl")).username))
  const template = options.empty ? "template0 ENCODING 'UTF8'" : `${inject("template")} STRATEGY file_copy`
  await asAdmin(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE ${template}`)
  return {
    url: urlOf(inject("applicationUrl"), name),
    adminUrl: urlOf(inject("adminUrl"), name),
    drop: () => asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

/** In a describe or at the top of a file: makes the database before its tests and drops it after them; call the result inside a test. */
export const withTestDatabase = (options: { readonly empty?: boolean } = {}): (() => TestDatabase) => {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await testDatabase(options)
  })
  afterAll(() => database?.drop())
  return () => {
    if (database === undefined) throw new Error("the test database exists only inside tests and hooks")
    return database
  }
}
