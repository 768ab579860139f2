/**
 * `npm run torture -- venue-sabotages [--venue BYBIT]`: each fact that a connector has of a venue is turned into a lie, one at a time, and the tests of
 * that venue's connector have to notice, twice. A lie that none of them sees is a fact that nothing proves.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { adapterOf } from "../../../src/venues/adapters/adapters.ts"
import { capabilitiesOf } from "../../../src/venues/adapters/capabilities.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { LIES } from "../../integration/venues/venue-lies.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { root } from "../ran-tests.ts"
import { worker } from "./proof-files.ts"
import { PROOFS, PROVEN_VENUES } from "./venue-proofs.ts"
import { ranIn, TESTS } from "./venues.ts"

/** Lies that nothing at this venue could be told from the truth by. */
const withoutEffect = (profile: VenueProfile): ReadonlyArray<string> => [
  // No order is changed in place there.
  ...(capabilitiesOf(profile).amend ? [] : ["that a change that was answered is carried out"]),
  // Who believes it subscribes no stream of trades. There is none where the adapter asks for them, and BITFINEX's comes with the login.
  ...(adapterOf(profile).fillsOf === undefined && profile.adapter !== "bitfinex"
    ? []
    : ["that fills come with the events of orders"]),
]

const liesOf = (profile: VenueProfile): ReadonlyArray<string> =>
  Object.entries(LIES).flatMap(([name, lie]) =>
    lie(profile) === profile || withoutEffect(profile).includes(name) ? [] : [name],
  )

export const venueSabotages = async ({
  venue,
  progress,
}: {
  /** Of one; of all when absent. */
  readonly venue: string | undefined
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  for (const profile of PROFILES) {
    const at = PROVEN_VENUES.find((it) => it === profile.venue && (venue === undefined || it === venue))
    if (at === undefined) continue
    const proofs = Object.values(PROOFS).flatMap((scenario) => (scenario[at] ?? []).map(({ file }) => file))
    const folder = `venues/${at.toLowerCase()}`
    const ofFolder = readdirSync(join(root, TESTS, folder)).flatMap((it) =>
      it.endsWith(".test.ts") ? `${folder}/${it}` : [],
    )
    // What a thread does when it dies is no fact of a venue.
    const files = [...new Set([...ofFolder, ...proofs])].filter((it) => it.startsWith("venues/") && it !== worker)
    const failed = (await ranIn(files, {})).filter(({ passed }) => !passed).map(({ title }) => title)
    verdicts.push({
      name: `${at}: the truth`,
      passed: failed.length === 0,
      says: failed.length === 0 ? "no test fails" : `failed: ${failed.join("; ")}`,
    })
    for (const name of liesOf(profile)) {
      const env = { VENUE_SABOTAGE: JSON.stringify({ venue: at, lie: name }) }
      const ran = await ranIn(files, env, 1)
      const seen = ran.find(({ passed, title }) => !passed && !failed.includes(title))
      // What fails now and then has seen nothing.
      const again = seen === undefined ? [] : await ranIn([seen.file], env, 1)
      const isSeen = again.some(({ passed, title }) => !passed && !failed.includes(title))
      const says =
        seen === undefined
          ? `${ran.length} tests saw nothing`
          : `seen by "${seen.title}"${isSeen ? "" : ", and by none when its file was run again"}`
      progress(`venue-sabotages: ${at}: ${name}: ${says}`)
      verdicts.push({ name: `${at}: the lie ${name}`, passed: isSeen, says })
    }
  }
  return verdicts
}
