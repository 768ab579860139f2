/**
 * `npm run torture -- venues [--venue BYBIT]`: what is proven of each venue's orders. The named tests of each scenario run against the venue's
 * loopback exchange; a row says how many passed of how many ran. Which scenarios a venue has no test of is said first.
 */
import { relative } from "node:path"
import type { Verdict } from "../kill/kill-verdict.ts"
import { type Ran, ranTests } from "../ran-tests.ts"
import { PROOFS, PROVEN_VENUES } from "./venue-proofs.ts"

/** From the root of the repository. */
export const TESTS = "test/integration"

/** `bail`: no more are begun once so many have failed. */
export const ranIn = async (
  files: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  bail = 0,
): Promise<ReadonlyArray<Ran>> => {
  const ran = await ranTests({ files: files.map((file) => `${TESTS}/${file}`), env, bail })
  return ran.map((it) => ({ ...it, file: relative(TESTS, it.file) }))
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
