/**
 * `npm run torture -- venues [--venue BYBIT]`: what is proven of each venue's orders. The named tests of each scenario run against the venue's
 * loopback exchange; a row says how many passed of how many ran. Which scenarios a venue has no test of is said first.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { Verdict } from "../kill/kill-verdict.ts"
import { PROOFS, PROVEN_VENUES } from "./venue-proofs.ts"

export const root = fileURLToPath(new URL("../../../", import.meta.url))
/** From the root of the repository. */
export const TESTS = "test/integration"

/** Of Vitest's JSON report. */
interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly assertionResults: ReadonlyArray<{ readonly title: string; readonly status: string }>
  }>
}

interface Ran {
  readonly file: string
  readonly title: string
  readonly passed: boolean
}

/** `bail`: no more are begun once so many have failed. */
export const ranIn = async (
  files: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  bail = 0,
): Promise<ReadonlyArray<Ran>> => {
  const scratch = mkdtempSync(join(tmpdir(), "venues-"))
  try {
    const report = join(scratch, "report.json")
    const vitest = join(root, "node_modules/vitest/vitest.mjs")
    const paths = files.map((file) => `${TESTS}/${file}`)
    const args = [vitest, "run", ...paths, "--reporter=json", `--outputFile=${report}`, `--bail=${bail}`]
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, ...env },
    })
    await once(child, "exit")
    const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"))
    return testResults.flatMap(({ name, assertionResults }) => {
      const file = relative(join(root, TESTS), name)
      const ran = assertionResults.filter(({ status }) => status === "passed" || status === "failed")
      return ran.map(({ title, status }) => ({ file, title, passed: status === "passed" }))
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

export const venueTable = async ({
  venue,
  progress,
}: {
  /** Of one; of all when absent. */
  readonly venue: string | undefined
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const venues = PROVEN_VENUES.filter((it) => venue === undefined || it === venue)
  const cells = Object.entries(PROOFS).flatMap(([scenario, proofs]) =>
    venues.map((it) => ({ scenario, venue: it, proofs: proofs[it] ?? [] })),
  )
  const shown = cells.filter(({ proofs }) => proofs.length > 0)
  const files = [...new Set(shown.flatMap(({ proofs }) => proofs.map(({ file }) => file)))]
  progress(`venues: ${files.length} files of tests for ${venues.join(", ")}`)
  const gaps = cells.filter(({ proofs }) => proofs.length === 0).map((cell) => `${cell.venue} ${cell.scenario}`)
  if (gaps.length > 0) progress(`venues: no test of their own have ${gaps.join(", ")}`)
  // Of an absence; `npm test` has fewer.
  const ran = await ranIn(files, { ABSENCE_TRADES: "5000" })
  return shown.map(({ scenario, venue: at, proofs }) => {
    const found = proofs.map(({ file, test }) => ran.filter((it) => it.file === file && it.title.startsWith(test)))
    const all = found.flat()
    const lost = proofs.flatMap(({ test }, index) => (found[index]?.length === 0 ? [`no such test: ${test}`] : []))
    const wrong = [...lost, ...all.filter(({ passed }) => !passed).map(({ title }) => title)]
    const passed = all.filter((it) => it.passed).length
    const says = `${passed} passed of ${all.length} run${wrong.length === 0 ? "" : ` (${wrong.join("; ")})`}`
    return { name: `${at}: ${scenario}`, passed: wrong.length === 0, says }
  })
}
