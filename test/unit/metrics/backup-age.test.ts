/** The age of the last backup: since its mark, which the command leaves, and since the data directory was made where there is none. */
import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { backedUpAt, markBackup } from "../../../src/foundation/backup-mark.ts"
import { BUILD } from "../../../src/foundation/build.ts"
import { watchProcess } from "../../../src/metrics/process-metrics.ts"
import { bundleProgram } from "../../kit/bundled-program.ts"
import { scratchDirectory } from "../../kit/postgres.ts"

const DAY_MILLIS = 86_400_000

const ageOf = (dataDir: string): number => {
  const found = watchProcess({ build: BUILD, dataDir })().find(({ name }) => name === "backup_age_seconds")
  return found?.samples[0]?.value ?? Number.NaN
}

it("is that of the data directory before the first, and of the mark after it", () => {
  const dataDir = scratchDirectory("backup-age")
  expect(ageOf(dataDir)).toBeLessThan(3_600)
  markBackup(dataDir, Date.now() - 2 * DAY_MILLIS)
  expect(Math.round(ageOf(dataDir) / 3_600)).toBe(48)
  expect(readdirSync(dataDir)).toEqual(["last-backup"])
  // What a full disk left of it says nothing.
  writeFileSync(join(dataDir, "last-backup"), "")
  expect(ageOf(dataDir)).toBeLessThan(3_600)
})

it("begins anew when the operator of another server says that a backup is done, and with no word that is none", async () => {
  const program = await bundleProgram(fileURLToPath(new URL("../../../src/admin/backup.ts", import.meta.url)))
  const dataDir = scratchDirectory("backup-done")
  const run = (...words: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [program, ...words], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], DATA_DIR: dataDir, DATABASE_URL: "postgresql://me:x@127.0.0.1:1/gateway" },
    })
  markBackup(dataDir, 1)
  for (const words of [["/elsewhere"], ["--don"], ["--done", "more"]]) {
    const { status, stderr } = run(...words)
    expect([words, status, stderr.startsWith("venue-gateway backup: ")]).toEqual([words, 1, true])
  }
  expect(backedUpAt(dataDir)).toBe(1)
  const before = Date.now()
  expect(run("--done").status).toBe(0)
  expect(backedUpAt(dataDir)).toBeGreaterThanOrEqual(before)
})
