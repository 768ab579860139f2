/**
 * `npm run torture -- NAME [options]`: long, destructive runs against real processes. Each prints its progress and what it judged;
 * the last line is `N passed, N failed`, the exit code 1 when anything failed.
 */
import { parseArgs } from "node:util"
import { endGateways } from "../kit/gateway.ts"
import { type KillVenue, killOrders } from "./kill-orders.ts"
import type { Verdict } from "./kill-verdict.ts"

const USAGE = `npm run torture -- kill-orders [--kills 100] [--venue mock|binance] [--database embedded|url] [--seed N]
Without --venue it runs against both.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: "string", default: "100" },
    venue: { type: "string" },
    database: { type: "string", default: "embedded" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
})

const usage = (): never => {
  console.error(USAGE)
  process.exit(2)
}

const venuesOf = (given: string | undefined): ReadonlyArray<KillVenue> => {
  if (given === undefined) return ["mock", "binance"]
  return given === "mock" || given === "binance" ? [given] : usage()
}

const main = async (): Promise<number> => {
  const kills = Number(values.kills)
  const seed = Number(values.seed)
  const { database } = values
  if (positionals.length !== 1 || positionals[0] !== "kill-orders") return usage()
  if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) return usage()
  if (database !== "embedded" && database !== "url") return usage()
  const verdicts: Array<Verdict> = []
  for (const venue of venuesOf(values.venue)) {
    const progress = (line: string): void => {
      if (process.stdout.isTTY) process.stdout.write(`\r\x1b[2K${line}`)
      else console.log(line)
    }
    const found = await killOrders({ venue, kills, seed, database, progress })
    if (process.stdout.isTTY) process.stdout.write("\n")
    for (const { name, passed, says } of found) {
      console.log(`${passed ? "ok  " : "FAIL"} ${venue}: ${name}: ${says}`)
      verdicts.push({ name, passed, says })
    }
  }
  const failed = verdicts.filter(({ passed }) => !passed).length
  console.log(`${verdicts.length - failed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

// Whoever stops the run in the middle leaves no gateway behind: the exit hook of the kit kills them.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))

main().then(
  (code) => process.exit(code),
  async (error: unknown) => {
    console.error(error)
    await endGateways()
    console.log("0 passed, 1 failed")
    process.exit(1)
  },
)
