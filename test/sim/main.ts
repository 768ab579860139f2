/** `npm run sim -- --seed N [--seeds M]`: M worlds from seed N on, one line each; a failing seed replays exactly. */
import { parseArgs } from "node:util"
import { simulate } from "./simulation.ts"

const { values } = parseArgs({
  options: { seed: { type: "string", default: "1" }, seeds: { type: "string", default: "1" } },
})
const first = Number(values.seed)
const count = Number(values.seeds)
let failed = 0
for (let seed = first; seed < first + count; seed++) {
  const outcome = simulate(seed)
  const { orders, executions, crashes, events, violations, trace } = outcome
  const figures = `${orders} orders, ${executions} executions, ${events} events, ${crashes} crashes, trace ${trace.slice(0, 12)}`
  if (violations.length > 0) failed++
  if (violations.length > 0 || count === 1)
    console.log(`seed ${seed}: ${violations.length === 0 ? "ok" : "FAILED"}, ${figures}`)
  for (const violation of violations.slice(0, 10)) console.log(`  ${violation}`)
}
console.log(`${count} seeds, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
