/** Worlds of real venues: one of each that has an adapter within the ordinary test run; `npm run sim -- --venue all` goes on. */
import { describe, expect, it } from "vitest"
import { capabilitiesOf } from "../../../src/venues/adapters/capabilities.ts"
import { simulate } from "../simulation.ts"
import { Random } from "../time.ts"
import { PLAIN_TRAITS, type VenueTraits } from "../traits.ts"
import { gapsOf, profileNamed, semanticsOf, WORLD_PROFILES } from "./semantics.ts"

/** Of each venue, others for each. */
const SEEDS = 1

/** What a venue's record has no word for, in the code of its adapter or nowhere: drawn in its worlds as in all. */
const NOT_SAID: ReadonlyArray<keyof VenueTraits> = [
  "cancelWithinMillis",
  "cancelForgotten",
  "forgetsCancelled",
  "amendWithinMillis",
  "amendForgotten",
  "historyLagMillis",
  "replicaLagMillis",
  "balancesLagMillis",
  "eventSpreadMillis",
  "eventRepeats",
  "betterTicks",
  "tradesOfMatch",
  "feeRate",
  "submitAnswer",
  "arrivesLate",
  "refusesWhenShown",
  "instruments",
]

const saidOf = (venue: string): Partial<VenueTraits> => semanticsOf(profileNamed(venue), new Random(1)).traits

describe("a world of a real venue", () => {
  it.each(WORLD_PROFILES.map((profile, index) => [profile.venue, profile, index] as const))(
    "breaks no rule at %s",
    { timeout: 300_000 },
    (_, profile, index) => {
      for (let seed = 1 + index * SEEDS; seed <= (index + 1) * SEEDS; seed++) {
        const { violations, orders } = simulate(seed, { profile })
        expect({ seed, violations }).toEqual({ seed, violations: [] })
        expect(orders).toBeGreaterThan(0)
      }
    },
  )

  it("has each of its traits from the venue's record, or from what no record says", () => {
    const said = new Set(WORLD_PROFILES.flatMap(({ venue }) => Object.keys(saidOf(venue))))
    const open = (Object.keys(PLAIN_TRAITS) as ReadonlyArray<keyof VenueTraits>).filter((it) => !said.has(it))
    expect(open.filter((it) => !NOT_SAID.includes(it))).toEqual([])
  })

  it("says what of a venue it does not have", () => {
    const gaps = Object.fromEntries(
      WORLD_PROFILES.flatMap((profile) => {
        const found = gapsOf(profile, new Random(1))
        return found.length === 0 ? [] : [[profile.venue, found]]
      }),
    )
    expect(gaps).toEqual({})
    const ofContracts = WORLD_PROFILES.filter(({ venue }) => saidOf(venue).contracts === true)
    expect(ofContracts.map(({ venue }) => venue).sort()).toEqual(["BINANCEUSDM", "DERIBIT", "KRAKENFUTURES"])
  })

  it("means what the profile says", () => {
    expect(saidOf("BINANCE")).toMatchObject({
      cancelAnswer: "DONE",
      orderIds: "INSTRUMENT",
      viewTimes: "UPDATED",
      openOrders: { way: "WHOLE" },
      trades: { way: "OLDEST", of: "INSTRUMENT", last: "SHORT", windowMillis: null },
      endedOrders: { way: "OLDEST", starts: "ID", lists: "ALL" },
      knownIds: "OPEN",
      tellsBalances: true,
      signsAhead: true,
    })
    expect(saidOf("KRAKEN")).toMatchObject({
      cancelAnswer: "EITHER",
      amendAnswer: "DONE",
      trades: { way: "POSITION", of: "ACCOUNT" },
      tellsBalances: false,
      asksBalances: true,
      signsAhead: false,
    })
    expect(saidOf("COINBASE")).toMatchObject({
      cancelAnswer: "REQUEST",
      viewTimes: "CREATED",
      asksTrades: true,
      ordersAreHints: "SOME",
      openOrders: { way: "NEWEST" },
      knownIds: "ALWAYS",
    })
    expect(saidOf("OKX").endedOrders).toMatchObject({ lists: "CANCELLED_FIRST", of: "ACCOUNT", starts: "CREATION" })
    expect(saidOf("GATE").trades?.windowMillis).toBeGreaterThan(0)
    const { venue } = semanticsOf(profileNamed("COINBASE"), new Random(1))
    expect(venue).toMatchObject({ orderExpiryMillis: 120_000, feeInQuote: true, orderIds: "VENUE" })
    expect(venue.capabilities).toEqual(capabilitiesOf(profileNamed("COINBASE")))
  })

  it("means what its pages say of BITFINEX, GEMINI and DERIBIT", () => {
    expect(saidOf("BITFINEX")).toMatchObject({
      cancelAnswer: "REQUEST",
      amendAnswer: "REQUEST",
      // A number, of which nobody can read the id back, and which two orders may have.
      clientIds: expect.stringMatching(/ASKED|CHANGED/),
      knownIds: "NO",
      trades: { way: "OLDEST", of: "ACCOUNT", last: "SHORT" },
      endedOrders: { way: "WHOLE", of: "ACCOUNT", lists: "ENDED", starts: "CREATION" },
      arrivesLate: "UNTIL_OVERTAKEN",
      feeAsset: expect.stringMatching(/RECEIVED|THIRD/),
      ordersAreHints: "SOME",
      asksBalances: true,
      endsTakers: true,
    })
    expect(saidOf("GEMINI")).toMatchObject({
      cancelAnswer: "EITHER",
      knownIds: "NO",
      viewTimes: "EVENTS",
      trades: { way: "OLDEST", of: "INSTRUMENT", last: "EMPTY", windowMillis: null },
      endedOrders: null,
      tradeLagMillis: 0,
      asksBalances: true,
      endsTakers: true,
      signsAhead: false,
    })
    const gemini = semanticsOf(profileNamed("GEMINI"), new Random(1)).venue
    expect(gemini).toMatchObject({ orderExpiryMillis: null, feeInQuote: true })
    expect(gemini.capabilities).toMatchObject({ marketOrders: false, amend: false })
    expect(saidOf("DERIBIT")).toMatchObject({
      cancelAnswer: "DONE",
      amendAnswer: "DONE",
      changedTakersEnd: true,
      knownIds: "NO",
      endedOrders: { way: "POSITION", of: "INSTRUMENT", lists: "RECENT_FIRST", last: "SHORT" },
      ordersAreHints: "NEVER",
      signsAhead: true,
    })
  })
})
