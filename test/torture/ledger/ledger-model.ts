/** The ledger against its model, many times: see test/kit/worlds/ledger-runs.ts. A difference is shrunk to the commands that show it. */
import { rmSync } from "node:fs"
import fc from "fast-check"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { migrate } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { openLedgerRig } from "../../kit/worlds/ledger-rig.ts"
import { commands, play } from "../../kit/worlds/ledger-runs.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

const COMMANDS = 50

export const ledgerModel = async (options: {
  readonly runs: number
  readonly seed: number
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const { runs, seed, progress } = options
  const directory = scratchDirectory("ledger")
  const server = await startEmbeddedPostgres({ dataDir: directory, durable: false })
  try {
    await migrate(server.url())
    const rig = await openLedgerRig(server.url())
    let played = 0
    const result = await fc.check(
      fc.asyncProperty(commands(COMMANDS), async (all) => {
        await play(rig, all)
        if (++played % 50 === 0) progress(`ledger-model: ${played} runs of ${COMMANDS} commands (seed ${seed})`)
      }),
      { numRuns: runs, seed },
    )
    const violations = await rig.violations()
    const { requests, batches, replayed, refused } = rig.writer.stats()
    await rig.close()
    const words = [...refused].map(([word, times]) => `${word} ${times}`).join(", ")
    progress(`ledger-model: ${requests} requests in ${batches} batches, ${replayed} repeats; refused: ${words}`)
    return [
      {
        name: "as the model",
        passed: !result.failed,
        says: result.failed
          ? `${result.errorInstance ?? ""} seed ${seed}: ${JSON.stringify(result.counterexample, (_key, it: unknown) => (typeof it === "bigint" ? `${it}` : it))}`
          : `${runs} runs of ${COMMANDS} commands, every outcome and balance the same`,
      },
      { name: "violations", passed: violations.length === 0, says: violations.join("; ") || "0" },
      { name: "defects", passed: rig.defects.length === 0, says: String(rig.defects[0] ?? "0") },
    ]
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}
