/**
 * Nodes over a cable in memory that loses, delays, repeats and reorders, with brokers, owners and terms that come and go, for many seeds: asks of three nodes, and channels of two
 * owners that are read at two edges. And the same with one part taken out at a time, each of which must go wrong.
 */
import { loadavg } from "node:os"
import type { Cable } from "../../../src/cluster/cable.ts"
import { Mirror } from "../../../src/ws/mirrors/mirror.ts"
import { Mirrors } from "../../../src/ws/mirrors/mirrors.ts"
import { judgeAsks, runAsks } from "../../kit/cable/ask-run.ts"
import { runMirrors } from "../../kit/cable/mirror-run.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface CableSeedsOptions {
  readonly seeds: number
  readonly from: number
  /** No seed is begun after it. */
  readonly minutes: number
  /** `asks` or `mirrors`; undefined: both, and the sabotages. */
  readonly only: string | undefined
  readonly progress: (line: string) => void
}

/** A sabotage is seen within so many. */
const SABOTAGE_SEEDS = 50
const PROGRESS_SEEDS = 250

interface Ran {
  readonly faults: ReadonlyArray<string>
  readonly counts: Readonly<Record<string, number>>
}
type Run = (seed: number) => Promise<Ran>

const asks =
  (spoil?: (cable: Cable) => void): Run =>
  async (seed) => {
    const { faults, seen } = judgeAsks(await runAsks(seed, spoil))
    return { faults, counts: seen }
  }

const mirrors: Run = async (seed) => {
  const { faults, sums } = await runMirrors(seed)
  return { faults, counts: sums }
}

/** These methods do nothing meanwhile. */
const without =
  (methods: ReadonlyArray<readonly [of: object, name: string]>, run: Run): Run =>
  async (seed) => {
    const before = methods.map(([of, name]) => Reflect.get(of, name) as unknown)
    for (const [of, name] of methods) Reflect.set(of, name, () => undefined)
    try {
      return await run(seed)
    } finally {
      for (const [i, [of, name]] of methods.entries()) Reflect.set(of, name, before[i])
    }
  }

const SABOTAGES: ReadonlyArray<readonly [what: string, run: Run]> = [
  ["asks: red without the memory of what was read", asks((cable) => Reflect.set(cable, "seen", { add: () => true }))],
  [
    "asks: red without the lead of the other's clock",
    asks((cable) => {
      const clocks = { heard: () => undefined, forgetSilent: () => undefined, leadOf: () => 0 }
      Reflect.set(cable, "clocks", clocks)
    }),
  ],
  [
    "mirrors: red without both the ask at a gap and the look of each second",
    without(
      [
        [Mirror.prototype, "miss"],
        [Mirrors.prototype, "told"],
      ],
      mirrors,
    ),
  ],
  ["mirrors: red without the words of an owner that is back", without([[Mirror.prototype, "lose"]], mirrors)],
]

const all = async (name: string, run: Run, { seeds, from, minutes, progress }: CableSeedsOptions): Promise<Verdict> => {
  const untilAt = performance.now() + minutes * 60_000
  const counts: Record<string, number> = {}
  let done = 0
  for (; done < seeds && performance.now() < untilAt; done++) {
    const { faults, counts: more } = await run(from + done)
    for (const [way, count] of Object.entries(more)) counts[way] = (counts[way] ?? 0) + count
    if (faults.length > 0) return { name, passed: false, says: `seed ${from + done}: ${faults.slice(0, 3).join("; ")}` }
    if ((done + 1) % PROGRESS_SEEDS === 0)
      progress(`cable-seeds: ${name}: ${done + 1}, load ${loadavg()[0]?.toFixed(1)}`)
  }
  const words = Object.entries(counts).map(([way, count]) => `${way} ${count}`)
  const says = `${done} of ${seeds} seeds from ${from}, violations 0; ${words.join(", ")}`
  return { name, passed: done === seeds, says }
}

const red = async (what: string, run: Run, from: number): Promise<Verdict> => {
  for (let n = 0; n < SABOTAGE_SEEDS; n++) {
    const { faults } = await run(from + n)
    if (faults.length > 0) return { name: what, passed: true, says: `seed ${from + n}: ${faults[0]}` }
  }
  return { name: what, passed: false, says: `${SABOTAGE_SEEDS} seeds from ${from} are green` }
}

export const cableSeeds = async (options: CableSeedsOptions): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  const { only, from } = options
  if (only === undefined) for (const [what, run] of SABOTAGES) verdicts.push(await red(what, run, from))
  if (only !== "mirrors") verdicts.push(await all("asks", asks(), options))
  if (only !== "asks") verdicts.push(await all("mirrors", mirrors, options))
  return verdicts
}
