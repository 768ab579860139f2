/**
 * `npm run backup -- FOLDER`: backs up the embedded database; for your own server (DATABASE_URL) use pg_basebackup, then run it with `--done`.
 * Either records the time whose age operators are alerted about. One JSON line on stdout.
 */
import "../foundation/runtime.ts"

import * as path from "node:path"
import { readSettings } from "../config.ts"
import { markBackup } from "../foundation/backup-mark.ts"
import { backUp } from "../store/embedded/backup.ts"

const main = async (): Promise<void> => {
  const [folder, ...more] = process.argv.slice(2)
  if (folder === undefined || more.length > 0) throw new Error("usage: npm run backup -- FOLDER, or --done")
  const settings = readSettings(process.env)
  const at = Date.now()
  if (folder === "--done") {
    markBackup(settings.dataDir, at)
    process.stdout.write(`${JSON.stringify({ backedUpAt: new Date(at).toISOString() })}\n`)
    return
  }
  if (folder.startsWith("-")) throw new Error(`${folder}: give a folder, or --done, which is the only option`)
  if (settings.databaseUrl !== null)
    throw new Error(
      "DATABASE_URL is set: back up that server with pg_basebackup or pg_dump, then run this command with --done once that succeeded",
    )
  const backup = await backUp(settings.dataDir, folder)
  markBackup(settings.dataDir, at)
  process.stdout.write(`${JSON.stringify({ folder: path.resolve(folder), ...backup })}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`venue-gateway backup: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
