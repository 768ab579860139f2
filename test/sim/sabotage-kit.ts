/** How a broken gateway is looked for: seed after seed, until a world breaks a rule. */
import { expect } from "vitest"
import { type SimulateOptions, simulate } from "./simulation.ts"

/** `npm run sim -- --mutations` begins at the first seed and goes this far; the ordinary run begins where each was seen. */
const FULL = process.env["SIM_MUTATIONS"] === "full"
const FULL_SEEDS = 240
/** From where one was seen, a few more: what is drawn before it may have changed. */
const NEAR_SEEDS = 60

/** The first violation of the first seed that has one that fits; said with its seed. */
export const expectSeen = (what: string, fits: RegExp, from: number, options: SimulateOptions = {}): void => {
  const first = FULL ? 1 : from
  const count = FULL ? FULL_SEEDS : NEAR_SEEDS
  for (let seed = first; seed < first + count; seed++) {
    const violation = simulate(seed, options).violations.find((it) => fits.test(it))
    if (violation === undefined) continue
    if (FULL) console.log(`seen at seed ${seed}: ${what}: ${violation}`)
    return
  }
  expect.unreachable(`not seen within ${count} seeds from ${first}: ${what}`)
}
