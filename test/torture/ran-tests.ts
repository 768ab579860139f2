/** Tests of the repository, run by another process, and how each of them ended. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../", import.meta.url))

/** Of Vitest's JSON report. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{ readonly title: string; readonly status: string }>
  }>
}

export interface Ran {
  /** From the root. */
  readonly file: string
  readonly title: string
  readonly passed: boolean
}

export interface RanOptions {
  /** The root of the repository, or of a copy of it. */
  readonly cwd?: string
  readonly files: ReadonlyArray<string>
  /** What a test's title has in it; absent: all are run. */
  readonly title?: string
  readonly env?: Readonly<Record<string, string>>
  /** No more are begun once so many have failed. */
  readonly bail?: number
}

export const ranTests = async ({
  cwd = root,
  files,
  title,
  env,
  bail = 0,
}: RanOptions): Promise<ReadonlyArray<Ran>> => {
  const scratch = mkdtempSync(join(tmpdir(), "ran-tests-"))
  try {
    const report = join(scratch, "report.json")
    const vitest = join(cwd, "node_modules/vitest/vitest.mjs")
    const named = title === undefined ? [] : ["-t", title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")]
    const args = [vitest, "run", ...files, ...named, "--reporter=json", `--outputFile=${report}`, `--bail=${bail}`]
    const child = spawn(process.execPath, args, {
      cwd,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...env },
    })
    await once(child, "exit")
    const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"))
    return testResults.flatMap(({ name, assertionResults }) => {
      const ran = assertionResults.filter(({ status }) => status === "passed" || status === "failed")
      return ran.map((it) => ({ file: relative(cwd, name), title: it.title, passed: it.status === "passed" }))
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
