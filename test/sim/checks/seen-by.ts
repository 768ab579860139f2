/** How a broken gateway is looked for: seed after seed, until a world breaks a rule. */
import { expect } from "vitest"

/** `npm run sim -- --mutations` begins at the first seed and goes this far; the ordinary run begins where each was seen. */
const FULL = process.env["SIM_MUTATIONS"] === "full"

/** Seeds of a full run; and of an ordinary one, in which what is drawn before the break may have changed. */
interface Reach {
  readonly full: number
  readonly near: number
}

type Simulate<Options> = (seed: number, options: Options) => { readonly violations: ReadonlyArray<string> }

/** The first violation of the first seed that has one that fits; said with its seed. */
export const seenBy =
  <Options extends object>(run: Simulate<Options>, { full, near }: Reach) =>
  (what: string, fits: RegExp, from: number, options: Options = {} as Options): void => {
    const first = FULL ? 1 : from
    const count = FULL ? full : near
    for (let seed = first; seed < first + count; seed++) {
      const violation = run(seed, options).violations.find((it) => fits.test(it))
      if (violation === undefined) continue
      if (FULL) console.log(`seen at seed ${seed}: ${what}: ${violation}`)
      return
    }
    expect.unreachable(`not seen within ${count} seeds from ${first}: ${what}`)
  }
