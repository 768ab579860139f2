/**
 * `npm run backup -- FOLDER`: backs up the embedded database; a server of yours (DATABASE_URL) has pg_basebackup, and says `--done` afterwards.
 * Either leaves the mark whose age operators are alerted of. One JSON line on stdout.
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
  if (folder.startsWith("-")) throw new Error(`${folder} is no folder, and no option but --done is known`)
  if (settings.databaseUrl !== null)
    throw new Error(
      "DATABASE_URL is set: back that server up with pg_basebackup or pg_dump, and say --done when it has ended well",
    )
  const backup = await backUp(settings.dataDir, folder)
  markBackup(settings.dataDir, at)
  process.stdout.write(`${JSON.stringify({ folder: path.resolve(folder), ...backup })}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`venue-gateway backup: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
