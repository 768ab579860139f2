/** A process that is killed in the middle of a long statement: what its session has locked is free again soon, not when the statement is done. */
import { spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { connectDedicated } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { programOf, until } from "../../kit/servers/gateway.ts"

const database = withTestDatabase()
const root = fileURLToPath(new URL("../../../", import.meta.url))

it("a verification of the ledger that was killed leaves its lock within seconds, while its statement still waits", async () => {
  const directory = scratchDirectory("killed")
  const client = await connectDedicated(database().url)
  const sessions = async (where: string) =>
    (
      await client.query(
        `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.application_name = 'venue-gateway audit'
           AND a.datname = current_database() AND ${where}`,
      )
    ).rows.length
  // What its last statements read: they wait for as long as this transaction is open.
  const blocker = await connectDedicated(database().url)
  await blocker.query("BEGIN")
  await blocker.query("LOCK TABLE ledger_hold IN ACCESS EXCLUSIVE MODE")
  const verify = spawn(process.execPath, [...programOf("admin"), "ledger", "verify"], {
    cwd: root,
    env: { PATH: process.env["PATH"], DATABASE_URL: database().url, DATA_DIR: directory },
  })
  const ended = new Promise<string | null>((resolve) => verify.once("exit", (_code, signal) => resolve(signal)))
  try {
    await until("a statement that waits", async () => (await sessions("NOT l.granted")) > 0)
    expect(await sessions("l.locktype = 'advisory'")).toBe(1)
    verify.kill("SIGKILL")
    expect(await ended).toBe("SIGKILL")
    await until("its end", async () => (await sessions("true")) === 0, 30_000)
    expect((await blocker.query("SELECT count(*)::int AS n FROM ledger_hold")).rows).toEqual([{ n: 0 }])
  } finally {
    verify.kill("SIGKILL")
    await blocker.end()
    await client.end()
    rmSync(directory, { recursive: true, force: true })
  }
})
