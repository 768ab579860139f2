/** Acts on one wallet at the same time against their serial orders, many times: see test/kit/worlds/act-races.ts. */
import { rmSync } from "node:fs"
import fc from "fast-check"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { migrate } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { openRaces, race } from "../../kit/worlds/act-races.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export const actRaces = async (options: {
  readonly runs: number
  readonly seed: number
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const { runs, seed, progress } = options
  const directory = scratchDirectory("races")
  const server = await startEmbeddedPostgres({ dataDir: directory, durable: false })
  try {
    await migrate(server.url())
    const races = await openRaces(server.url())
    let run = 0
    const result = await fc.check(
      fc.asyncProperty(race, async (one) => {
        const wrong = await races.run(one)
        if (++run % 500 === 0) progress(`act-races: ${run} races (seed ${seed})`)
        if (wrong !== null) throw new Error(wrong)
      }),
      { numRuns: runs, seed },
    )
    const violations = await races.rig.violations()
    const { defects } = races.rig
    await races.close()
    return [
      {
        name: "outcomes that no serial order gives",
        passed: !result.failed,
        says: result.failed ? `${result.errorInstance ?? ""} (seed ${seed})` : `0 of ${runs} races`,
      },
      { name: "violations", passed: violations.length === 0, says: violations.join("; ") || "0" },
      { name: "defects", passed: defects.length === 0, says: String(defects[0] ?? "0") },
    ]
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
