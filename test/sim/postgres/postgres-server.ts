/** A throw-away PostgreSQL with one migrated database, for simulations outside of a test run. */

import { rmSync } from "node:fs"
import pg from "pg"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { migrate } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { openSqlWorlds, type SqlWorlds } from "./postgres.ts"

const DATABASE = "simulation"
const SETTINGS = { wal_level: "minimal", max_wal_senders: "0", autovacuum: "off", shared_buffers: "64MB" }

export const startSql = async (): Promise<{ readonly worlds: SqlWorlds; readonly stop: () => Promise<void> }> => {
  const dataDir = scratchDirectory("sim")
  const server = await startEmbeddedPostgres({ dataDir, durable: false, connectionsMax: 50, settings: SETTINGS })
  const admin = new pg.Client({ connectionString: server.adminUrl("postgres") })
  await admin.connect()
  const owner = pg.escapeIdentifier(decodeURIComponent(new URL(server.url(DATABASE)).username))
  await admin.query(`CREATE DATABASE ${DATABASE} OWNER ${owner} TEMPLATE template0 ENCODING 'UTF8'`)
  await admin.end()
  await migrate(server.url(DATABASE))
  const worlds = await openSqlWorlds(server.url(DATABASE), server.adminUrl(DATABASE))
  return {
    worlds,
    stop: async () => {
      worlds.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
