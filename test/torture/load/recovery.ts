/**
 * Long streams through a line that breaks hundreds of times, for the official client and a bare socket, JSON and Protobuf, with and
 * without deltas, recovered from memory and from storage: nothing missed, nothing twice, everything in order.
 */

import { haproxyMissing } from "../../kit/proxies/haproxy.ts"
import { FORMATS } from "../../kit/servers/conformance.ts"
import { natsMissing, startNats } from "../../kit/servers/nats.ts"
import { type RecoveryFacts, runRecovery } from "../../kit/worlds/recovery-run.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface RecoveryOptions {
  readonly cuts: number
  readonly publications: number
  readonly seed: number
  readonly progress: (line: string) => void
  /** Through HAProxy to the edges of an owner, over a real broker: another one after each cut. */
  readonly isCluster?: boolean
}

const EDGES = 3

const CHAINS = [
  [false, "memory"],
  [true, "memory"],
  [false, "storage"],
  [true, "storage"],
] as const

const judge = (name: string, facts: RecoveryFacts, millis: number, isCluster: boolean): Verdict => {
  const {
    published,
    received,
    cuts,
    moves,
    restarts,
    recoveries,
    replays,
    unrecovered,
    gaps,
    duplicates,
    reorders,
    wrong,
    ended,
  } = facts
  const faults = gaps + duplicates + reorders + wrong + unrecovered
  return {
    name,
    passed: faults === 0 && received === published && ended === "",
    says:
      `gaps ${gaps}, duplicates ${duplicates}, reorders ${reorders}, wrong ${wrong}, unrecovered ${unrecovered} ` +
      `of ${received} received (${published} published, ${cuts} cuts${isCluster ? `, at another node after ${moves} of them` : ""}, ${restarts} restarts, ${recoveries} recoveries, ${replays} out of storage, ` +
      `${(millis / 1000).toFixed(1)} s)${ended === "" ? "" : `; the reader gave up: ${ended}`}`,
  }
}

export const recovery = async (options: RecoveryOptions): Promise<ReadonlyArray<Verdict>> => {
  const { cuts, publications, seed, isCluster = false } = options
  const verdicts: Array<Verdict> = []
  const missing = isCluster ? (natsMissing ?? haproxyMissing) : null
  if (missing !== null) return [{ name: "tools", passed: false, says: missing }]
  const nats = isCluster ? await startNats() : undefined
  const across = nats === undefined ? {} : { edges: EDGES, nats: nats.url, haproxy: true }
  for (const reader of ["official", "bare"] as const)
    for (const format of FORMATS)
      for (const [delta, history] of CHAINS) {
        const name = `${reader} ${format}${delta ? " with deltas" : ""} from ${history}`
        const startedAt = performance.now()
        const facts = await runRecovery({
          ...across,
          reader,
          format,
          delta,
          history,
          publications,
          cuts,
          seed: seed + verdicts.length,
          progress: (cut, received) => {
            if (cut % 50 === 0 || cut === cuts) options.progress(`${name}: ${cut} cuts, ${received} publications`)
          },
        })
        const verdict = judge(name, facts, performance.now() - startedAt, isCluster)
        options.progress(`${name}: ${verdict.says}`)
        verdicts.push(verdict)
      }
  await nats?.kill()
  return verdicts
}
