/**
 * `npm run sim -- --seed N`: one world and its story. `npm run sim -- --seeds FROM-TO`: many, up to the first that breaks a rule
 * (`--all`: through to the last). A seed is the same world each time, byte for byte.
 */
import { parseArgs } from "node:util"
import { type Outcome, simulate } from "./simulation.ts"

const { values } = parseArgs({
  options: { seed: { type: "string" }, seeds: { type: "string" }, all: { type: "boolean", default: false } },
})

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
const sums = { orders: 0, executions: 0, events: 0, crashes: 0 }
const types: Record<string, number> = {}
const failed: Array<number> = []
let count = 0
for (let seed = from; seed <= last; seed++) {
  const isAlone = from === last
  const outcome = simulate(seed, { tells: isAlone })
  count++
  for (const name of ["orders", "executions", "events", "crashes"] as const) sums[name] += outcome[name]
  for (const [type, number] of Object.entries(outcome.types)) types[type] = (types[type] ?? 0) + number
  if (outcome.violations.length > 0) failed.push(seed)
  if (outcome.violations.length > 0 || isAlone) tell(outcome)
  if (outcome.violations.length > 0 && !values.all) break
  if (count % 500 === 0) console.log(`${count} seeds, ${failed.length} failed`)
}
console.log(
  `${count} seeds, ${failed.length} failed: ${sums.orders} orders, ${sums.executions} executions, ${sums.events} events, ${sums.crashes} crashes`,
)
if (from !== last)
  console.log(
    Object.entries(types)
      .map(([type, number]) => `${type} ${number}`)
      .join(", "),
  )
process.exitCode = failed.length === 0 ? 0 : 1
