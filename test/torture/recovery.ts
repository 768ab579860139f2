/**
 * Long streams through a line that breaks hundreds of times, for the official client and a bare socket, JSON and Protobuf, with and
 * without deltas: nothing missed, nothing twice, everything in order.
 */
import { FORMATS } from "../kit/conformance.ts"
import { type RecoveryFacts, runRecovery } from "../kit/recovery-run.ts"
import type { Verdict } from "./kill-verdict.ts"

export interface RecoveryOptions {
  readonly cuts: number
  readonly publications: number
  readonly seed: number
  readonly progress: (line: string) => void
}

const judge = (name: string, facts: RecoveryFacts, millis: number): Verdict => {
  const { published, received, cuts, restarts, recoveries, unrecovered, gaps, duplicates, reorders, wrong, ended } =
    facts
  const faults = gaps + duplicates + reorders + wrong + unrecovered
  return {
    name,
    passed: faults === 0 && received === published && ended === "",
    says:
      `gaps ${gaps}, duplicates ${duplicates}, reorders ${reorders}, wrong ${wrong}, unrecovered ${unrecovered} ` +
      `of ${received} received (${published} published, ${cuts} cuts, ${restarts} restarts, ${recoveries} recoveries, ` +
      `${(millis / 1000).toFixed(1)} s)${ended === "" ? "" : `; the reader gave up: ${ended}`}`,
  }
}

export const recovery = async (options: RecoveryOptions): Promise<ReadonlyArray<Verdict>> => {
  const { cuts, publications, seed } = options
  const verdicts: Array<Verdict> = []
  for (const reader of ["official", "bare"] as const)
    for (const format of FORMATS)
      for (const delta of [false, true]) {
        const name = `${reader} ${format}${delta ? " with deltas" : ""}`
        const startedAt = performance.now()
        const facts = await runRecovery({
          reader,
          format,
          delta,
          publications,
          cuts,
          seed: seed + verdicts.length,
          progress: (cut, received) => {
            if (cut % 50 === 0 || cut === cuts) options.progress(`${name}: ${cut} cuts, ${received} publications`)
          },
        })
        verdicts.push(judge(name, facts, performance.now() - startedAt))
      }
  return verdicts
}
