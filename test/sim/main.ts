/**
 * `npm run sim -- --seed N`: one world and its story. `npm run sim -- --seeds FROM-TO`: many, up to the first that breaks a rule
 * (`--all`: through to the last); `--postgres`: with the real store. `--mutations`: at which seed each break of the gateway is seen. A seed is the same world each time, byte for byte.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { startSql } from "./postgres-server.ts"
import { type Outcome, simulate } from "./simulation.ts"
import { sumOf } from "./tally.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    all: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
    mutations: { type: "boolean", default: false },
  },
})

// Each break of the gateway, from the first seed on, until it is seen.
if (values.mutations) {
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
  const env = { ...process.env, SIM_MUTATIONS: "full" }
  const { status } = spawnSync(process.execPath, [vitest, "run", "test/sim/sabotage"], { stdio: "inherit", env })
  process.exit(status ?? 1)
}

const figures = ({ orders, executions, events, crashes, trace }: Outcome): string =>
  `${orders} orders, ${executions} executions, ${events} events, ${crashes} crashes, trace ${trace.slice(0, 12)}`

const tell = (outcome: Outcome): void => {
  for (const line of outcome.story) console.log(line)
  console.log(`seed ${outcome.seed}: ${outcome.violations.length === 0 ? "ok" : "FAILED"}, ${figures(outcome)}`)
  for (const violation of outcome.violations.slice(0, 10)) console.log(`  ${violation}`)
}

const [from, to] =
  values.seeds === undefined
    ? [Number(values.seed ?? "1"), Number(values.seed ?? "1")]
    : (values.seeds.split("-").map(Number) as [number, number | undefined])
const last = to ?? from
const sql = values.postgres ? await startSql() : null
const sums = { orders: 0, executions: 0, events: 0, crashes: 0 }
let types: Readonly<Record<string, number>> = {}
let drawn: Readonly<Record<string, number>> = {}
const failed: Array<number> = []
/** With the real store the seed is the same world as without it. */
const run = (seed: number, tells: boolean): Outcome => {
  if (sql === null) return simulate(seed, { tells })
  sql.worlds.reset()
  const outcome = simulate(seed, { tells, backing: sql.worlds.backing })
  const { trace } = simulate(seed)
  if (outcome.violations.length > 0 || outcome.trace === trace) return outcome
  return { ...outcome, violations: [`another world than in memory: ${outcome.trace} and ${trace}`] }
}

let count = 0
for (let seed = from; seed <= last; seed++) {
  const isAlone = from === last
  const outcome = run(seed, isAlone)
  count++
  for (const name of ["orders", "executions", "events", "crashes"] as const) sums[name] += outcome[name]
  types = sumOf(types, outcome.types)
  drawn = sumOf(drawn, outcome.drawn)
  if (outcome.violations.length > 0) failed.push(seed)
  if (outcome.violations.length > 0 || isAlone) tell(outcome)
  if (outcome.violations.length > 0 && !values.all) break
  if (count % 500 === 0) console.log(`${count} seeds, ${failed.length} failed`)
}
console.log(
  `${count} seeds, ${failed.length} failed: ${sums.orders} orders, ${sums.executions} executions, ${sums.events} events, ${sums.crashes} crashes`,
)
if (from !== last)
  for (const counts of [types, drawn])
    console.log(
      Object.entries(counts)
        .map(([what, count]) => `${what} ${count}`)
        .join(", "),
    )
await sql?.stop()
process.exitCode = failed.length === 0 ? 0 : 1
