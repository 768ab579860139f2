/**
 * When the last backup of the database was made: a file in DATA_DIR that is not part of any copy of the database. The one thing to know: it holds
 * the time at which that backup began, so data newer than it may be missing.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FILE = "last-backup"

/** `at`: wall ms. Readable by any user, whichever made the backup. */
export const markBackup = (dataDir: string, at: number): void => {
  const beside = join(dataDir, `${FILE}.${process.pid}`)
  writeFileSync(beside, `${new Date(at).toISOString()}\n`, { mode: 0o644 })
  renameSync(beside, join(dataDir, FILE))
}

/** Wall ms; where there never was one, or its mark is no time, when DATA_DIR was made: nothing of what is there has a copy. */
export const backedUpAt = (dataDir: string): number => {
  try {
    const at = Date.parse(readFileSync(join(dataDir, FILE), "utf8").trim())
    if (!Number.isNaN(at)) return at
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
  }
  return statSync(dataDir).birthtimeMs
}
