/**
 * `oracle`: two recorded days of BTC/USDT through a connector and the market data actors to a subscriber, as they were recorded and
 * with frames that are dropped, repeated, swapped, or cut off. One line for each day and kind of fault. Before them what was recorded of every
 * venue (`recordings.ts`), as a table.
 */
import type { Verdict } from "../kill/kill-verdict.ts"
import { type BookRunFacts, runBook } from "./book-run.ts"
import { VARIANTS, type Variant } from "./fault-plan.ts"
import { DAYS, hasDays, readDays } from "./recorded-day.ts"
import { recordings } from "./recordings.ts"

export interface OracleOptions {
  readonly seed: number
  /** The recordings of all venues alone, without the two days. */
  readonly venuesOnly: boolean
  readonly progress: (line: string) => void
}

/** Twenty times as fast as it was recorded: a frame every 5 ms. */
const SPEED = 20

/** ccxt dials after ever longer pauses when connections last shorter than 15 s: cuts are as frequent as time allows. */
const EVERY: Readonly<Record<Variant, number>> = { clean: 50, dropped: 50, duplicated: 50, reordered: 50, cut: 200 }

/** Faults that leave no hole must not cost a book. */
const HARMLESS: ReadonlySet<Variant> = new Set(["clean", "duplicated"])

export const faultsOf = (variant: Variant, facts: BookRunFacts): ReadonlyArray<string> => {
  const {
    unequal,
    crossed,
    stale,
    unanswered,
    behind,
    compared,
    checkpoints,
    resyncs,
    faults,
    samples,
    frames,
    grown,
  } = facts
  return [
    ...samples,
    ...behind.map((each) => `held at ${each}`),
    ...(unequal + crossed + stale > 0 ? [`unequal ${unequal}, crossed ${crossed}, stale as SYNCED ${stale}`] : []),
    ...(facts.shallowSeconds > 0 ? [`${facts.shallowSeconds} s without the 200 best levels`] : []),
    ...(unanswered > 0 ? [`${unanswered} gaps without a SNAPSHOT`] : []),
    ...(compared === 0 || checkpoints === 0 ? ["nothing was compared"] : []),
    ...(variant !== "clean" && faults === 0 ? ["no fault was thrown"] : []),
    ...(HARMLESS.has(variant) && resyncs > 0 ? [`${resyncs} resyncs for nothing`] : []),
    // The book to begin with, and one publication for each frame.
    ...(HARMLESS.has(variant) && compared !== frames + 1 + grown
      ? [`${compared} publications of ${frames} frames`]
      : []),
  ]
}

const says = (facts: BookRunFacts, millis: number): string =>
  `frames ${facts.frames}, faults ${facts.faults}, resyncs ${facts.resyncs}, publications ${facts.publications}, whole books compared ` +
  `${facts.compared}, checkpoints compared ${facts.checkpoints} of ${facts.named}, unequal ${facts.unequal}, crossed ${facts.crossed}, ` +
  `seconds without the 200 best levels ${facts.shallowSeconds}, seeded again ${facts.grown}, stale as SYNCED ${facts.stale + facts.behind.filter((each) => each.includes("SYNCED")).length}, gaps without SNAPSHOT ` +
  `${facts.unanswered} (${(millis / 1000).toFixed(1)} s)`

export const oracle = async ({ seed, venuesOnly, progress }: OracleOptions): Promise<ReadonlyArray<Verdict>> => {
  const ofVenues = await recordings(progress)
  return venuesOnly ? ofVenues : [...ofVenues, ...(await ofDays(seed, progress))]
}

const ofDays = async (seed: number, progress: OracleOptions["progress"]): Promise<ReadonlyArray<Verdict>> => {
  if (!hasDays) return [{ name: "captures", passed: true, says: "skipped: they are not beside the repository" }]
  const { days, remove } = await readDays(DAYS)
  const verdicts: Array<Verdict> = []
  try {
    for (const recorded of days)
      for (const variant of VARIANTS) {
        const startedAt = performance.now()
        const facts = await runBook({
          recorded,
          variant,
          speed: SPEED,
          every: EVERY[variant],
          seed: seed + verdicts.length,
          progress,
        })
        const faults = faultsOf(variant, facts)
        const told = says(facts, performance.now() - startedAt)
        verdicts.push({
          name: `${recorded.day} ${variant}`,
          passed: faults.length === 0,
          says: faults.length === 0 ? told : `${told}: ${faults.join("; ")}`,
        })
        progress(`${recorded.day} ${variant}: ${told}`)
      }
  } finally {
    await remove()
  }
  return verdicts
}
