/** Which PostgreSQL a gateway starts on, as its operator meets it: the version is told and has a minimum, and connections must be sessions. */
import pg from "pg"
import { afterAll, afterEach, expect, it } from "vitest"
import { checkServer } from "../../../../src/store/postgres/server-check.ts"
import { type PoolOptions, type TransactionPool, transactionPool } from "../../../kit/proxies/transaction-pool.ts"
import { endGateways, launchGateway, startGateway } from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withDatabaseServer } from "./database.ts"

const makeDatabase = withDatabaseServer()
const pools: Array<TransactionPool> = []
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close()
})
afterAll(endGateways)

/** The database by way of a pooler. */
const through = async ({ url }: OwnDatabase, options: Omit<PoolOptions, "target">): Promise<string> => {
  const { host, port } = new pg.Client({ connectionString: url })
  const pool = await transactionPool({ ...options, target: { path: `${host}/.s.PGSQL.${port}` } })
  pools.push(pool)
  const changed = new URL(url)
  changed.search = ""
  changed.host = `127.0.0.1:${pool.port}`
  return changed.href
}

const refusal = async (url: string): Promise<string> => {
  const gateway = launchGateway({ env: { DATABASE_URL: url } })
  expect(await gateway.exited).toEqual({ code: 1, signal: null })
  const lines = gateway
    .stderr()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("{"))
  expect(lines).toHaveLength(1)
  return lines[0] ?? ""
}

it("a pooler in transaction mode is refused in one line, and leaves the database to the next start", async () => {
  const database = await makeDatabase()
  const pooled = await through(database, { mode: "transaction" })
  expect(await refusal(pooled)).toContain("is behind a pooler in transaction or statement mode")

  const gateway = await startGateway({ env: { DATABASE_URL: database.url } })
  expect(gateway.stderr()).toMatch(/"msg":"the database",[^\n]*"server":"PostgreSQL 18\.\d+"/)
  expect(gateway.stderr()).not.toContain(decodeURIComponent(new URL(database.url).password))
  await gateway.stop()
})

it("a pooler in session mode is taken", async () => {
  const database = await makeDatabase()
  const { name, version } = await checkServer(await through(database, { mode: "session" }))
  expect(name).toContain("127.0.0.1:")
  expect(version).toMatch(/^18\./)
})

it("an older server than the schema can be on is refused by its version", async () => {
  const database = await makeDatabase()
  const says = (bytes: Buffer): Buffer =>
    Buffer.from(
      bytes
        .toString("latin1")
        .replaceAll(/\b18\.(\d)\b/g, "14.$1")
        .replaceAll(/\b1800(\d\d)/g, "1400$1"),
      "latin1",
    )
  expect(await refusal(await through(database, { mode: "session", says }))).toMatch(
    /is PostgreSQL 14\.\d: the gateway needs 15 or later$/,
  )
})
