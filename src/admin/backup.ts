/** `npm run backup -- FOLDER`: backs up the embedded database. A server of yours (DATABASE_URL) has pg_basebackup. One JSON line on stdout. */
import "../foundation/runtime.ts"

import * as path from "node:path"
import { readSettings } from "../config.ts"
import { backUp } from "../store/embedded/backup.ts"

const main = async (): Promise<void> => {
  const [folder, ...more] = process.argv.slice(2)
  if (folder === undefined || more.length > 0) throw new Error("usage: npm run backup -- FOLDER")
  const settings = readSettings(process.env)
  if (settings.databaseUrl !== null)
    throw new Error("DATABASE_URL is set: back that server up with pg_basebackup or pg_dump")
  const backup = await backUp(settings.dataDir, folder)
  process.stdout.write(`${JSON.stringify({ folder: path.resolve(folder), ...backup })}\n`)
}

main().catch((error: unknown) => {
  process.stderr.write(`venue-gateway backup: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
})
