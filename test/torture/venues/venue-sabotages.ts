/**
 * `npm run torture -- venue-sabotages [--venue BYBIT]`: each fact that a connector has of a venue is turned into a lie, one at a time, and the tests of
 * that venue's connector have to notice. A lie that none of them sees is a fact that nothing proves.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { capabilitiesOf } from "../../../src/venues/adapters/capabilities.ts"
import type { VenueFacts, VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { worker } from "./proof-files.ts"
import { PROOFS, PROVEN_VENUES } from "./venue-proofs.ts"
import { ranIn, root, TESTS } from "./venues.ts"

const WHOLE = { way: "WHOLE" } as const

type Lie = Partial<Pick<VenueProfile, keyof VenueFacts | "fillsWithOrders">>

/** Of the lists of this venue that come in pages: their first page is all. */
const firstPages = ({ openOrders, fills, endedOrders }: VenueProfile): ReadonlyArray<readonly [string, Lie]> => [
  ...(openOrders.way === "WHOLE"
    ? []
    : [["that the first page of the open orders has all of them", { openOrders: WHOLE }] as const]),
  ...(fills.paging.way === "WHOLE"
    ? []
    : [["that the first page of the fills has all of them", { fills: { ...fills, paging: WHOLE } }] as const]),
  ...(endedOrders === null || endedOrders.paging.way === "WHOLE"
    ? []
    : [
        [
          "that the first page of the orders that ended has all of them",
          { endedOrders: { ...endedOrders, paging: WHOLE } },
        ] as const,
      ]),
]

/** What is believed too soon; the other way round a connector only asks for what it knows. */
const hasty = (profile: VenueProfile): ReadonlyArray<readonly [string, Lie]> => {
  const { cancelAnswer, amendAnswer, fillsWithOrders } = profile
  return [
    ...(cancelAnswer === "DONE"
      ? []
      : [["that a cancel that was answered is carried out", { cancelAnswer: "DONE" }] as const]),
    ...(amendAnswer === "DONE" || !capabilitiesOf(profile).amend
      ? []
      : [["that a change that was answered is carried out", { amendAnswer: "DONE" }] as const]),
    ...(fillsWithOrders ? [] : [["that fills come with the events of orders", { fillsWithOrders: true }] as const]),
  ]
}

const liesOf = (profile: VenueProfile): ReadonlyArray<readonly [string, Lie]> => [
  ...hasty(profile),
  ...firstPages(profile),
  ["that an order last changed when it was created", { orderTimes: { ...profile.orderTimes, updated: "timestamp" } }],
]

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
    for (const [name, lie] of liesOf(profile)) {
      const ran = await ranIn(files, { VENUE_SABOTAGE: JSON.stringify({ venue: at, lie }) }, 1)
      const seen = ran.find(({ passed, title }) => !passed && !failed.includes(title))
      const says = seen === undefined ? `${ran.length} tests saw nothing` : `seen by "${seen.title}"`
      progress(`venue-sabotages: ${at}: ${name}: ${says}`)
      verdicts.push({ name: `${at}: the lie ${name}`, passed: seen !== undefined, says })
    }
  }
  return verdicts
}
