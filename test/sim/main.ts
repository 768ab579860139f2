/**
 * `npm run sim -- --seed N`: one world and its story. `npm run sim -- --seeds FROM-TO`: many, up to the first that breaks a rule
 * (`--all`: through to the last); `--postgres`: with the real store; `--hedging`: worlds of dealers and their hedges, not of accounts.
 * `--venue NAME`: worlds of that venue's profile, or of MOCK or PAPER as they are, which follow the journal; `--venue all`: of each that has
 * an adapter, and of these two.
 * `--mutations`: at which seed each break of the gateway is seen. A seed is the same world each time, byte for byte.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { VenueId } from "../../src/domain/ids.ts"
import type { VenueProfile } from "../../src/venues/adapters/profile.ts"
import { simulateFollowing } from "./following/simulation.ts"
import { FOLLOWING_VENUES } from "./following/venues.ts"
import { simulateHedging } from "./hedging/simulation.ts"
import { startSql } from "./postgres/postgres-server.ts"
import { gapsOf, profileNamed, WORLD_PROFILES } from "./profiles/semantics.ts"
import { type Outcome, simulate } from "./simulation.ts"
import { sumOf } from "./tally.ts"
import { Random } from "./time.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    all: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    hedging: { type: "boolean", default: false },
    mutations: { type: "boolean", default: false },
    venue: { type: "string" },
  },
})

// Each break of the gateway, from the first seed on, until it is seen.
if (values.mutations) {
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
  const env = { ...process.env, SIM_MUTATIONS: "full" }
  const { status } = spawnSync(
    process.execPath,
    [
      vitest,
      "run",
      "test/sim/sabotage",
      "test/sim/hedging/sabotage",
      "test/sim/profiles/sabotage",
      "test/sim/following/sabotage",
    ],
    {
      stdio: "inherit",
      env,
    },
  )
  process.exit(status ?? 1)
}

/** What worlds of either kind have. */
interface Told extends Pick<Outcome, "seed" | "violations" | "trace" | "story" | "drawn"> {
  /** How much of what happened. */
  readonly figures: Readonly<Record<string, number>>
  /** Of orders, by type. */
  readonly types: Readonly<Record<string, number>>
}

const wordsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ")

const tell = (outcome: Told): void => {
  for (const line of outcome.story) console.log(line)
  const { seed, violations, figures, trace } = outcome
  console.log(
    `seed ${seed}: ${violations.length === 0 ? "ok" : "FAILED"}, ${wordsOf(figures)}, trace ${trace.slice(0, 12)}`,
  )
  for (const violation of outcome.violations.slice(0, 10)) console.log(`  ${violation}`)
}

const [from, to] =
  values.seeds === undefined
    ? [Number(values.seed ?? "1"), Number(values.seed ?? "1")]
    : (values.seeds.split("-").map(Number) as [number, number | undefined])
const last = to ?? from
const sql = values.postgres ? await startSql() : null
const toldOf = (outcome: Outcome): Told => {
  const { orders, executions, events, crashes } = outcome
  return { ...outcome, figures: { orders, executions, events, crashes } }
}

const hedgingOf = (seed: number, tells: boolean): Told => {
  const outcome = simulateHedging(seed, { tells })
  const { executed, hedges, alerts, crashes } = outcome
  return { ...outcome, types: {}, figures: { "quotes executed": executed, hedges, alerts, crashes } }
}

/** With the real store the seed is the same world as without it. */
const accountsOf = (seed: number, tells: boolean, profile: VenueProfile | null): Outcome => {
  const of = profile === null ? {} : { profile }
  if (sql === null) return simulate(seed, { ...of, tells })
  sql.worlds.reset()
  const outcome = simulate(seed, { ...of, tells, backing: sql.worlds.backing })
  const { trace } = simulate(seed, of)
  if (outcome.violations.length > 0 || outcome.trace === trace) return outcome
  return { ...outcome, violations: [`another world than in memory: ${outcome.trace} and ${trace}`] }
}

/** Whose worlds: of a profile, of a venue that follows the journal, or null, in which every venue is another. */
type Worlds = VenueProfile | { readonly venue: VenueId; readonly follows: true } | null

const run = (seed: number, tells: boolean, worlds: Worlds): Told => {
  if (values.hedging) return hedgingOf(seed, tells)
  if (worlds !== null && "follows" in worlds) return toldOf(simulateFollowing(seed, { venue: worlds.venue, tells }))
  return toldOf(accountsOf(seed, tells, worlds))
}

/** How many broke a rule. */
const runAll = (worlds: Worlds): number => {
  let sums: Readonly<Record<string, number>> = {}
  let types: Readonly<Record<string, number>> = {}
  let drawn: Readonly<Record<string, number>> = {}
  const failed: Array<number> = []
  const name = worlds === null ? "" : `${worlds.venue}: `
  if (worlds !== null && !("follows" in worlds))
    for (const gap of gapsOf(worlds, new Random(from))) console.log(`${name}not in these worlds: ${gap}`)
  let count = 0
  for (let seed = from; seed <= last; seed++) {
    const isAlone = from === last
    const outcome = run(seed, isAlone, worlds)
    count++
    sums = sumOf(sums, outcome.figures)
    types = sumOf(types, outcome.types)
    drawn = sumOf(drawn, outcome.drawn)
    if (outcome.violations.length > 0) failed.push(seed)
    if (outcome.violations.length > 0 || isAlone) tell(outcome)
    if (outcome.violations.length > 0 && !values.all) break
    if (count % 500 === 0) console.log(`${name}${count} seeds, ${failed.length} failed`)
  }
  console.log(`${name}${count} seeds, ${failed.length} failed: ${wordsOf(sums)}`)
  if (from !== last)
    for (const counts of [types, drawn]) if (Object.keys(counts).length > 0) console.log(wordsOf(counts))
  return failed.length
}

const following = FOLLOWING_VENUES.map((venue) => ({ venue, follows: true as const }))
const all: ReadonlyArray<Worlds> =
  values.venue === undefined
    ? [null]
    : values.venue === "all"
      ? [...WORLD_PROFILES, ...following]
      : [following.find(({ venue }) => venue === values.venue) ?? profileNamed(values.venue)]
const failures = all.map(runAll).reduce((sum, count) => sum + count, 0)
await sql?.stop()
process.exitCode = failures === 0 ? 0 : 1
