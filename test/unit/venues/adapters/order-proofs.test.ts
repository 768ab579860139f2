/** Which venues' orders are proven: the profiles, the records of the API, the guide and the README say one thing, and an opt-in what it can. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { optIns } from "../../../../src/composition/venues.ts"
import type { VenueId } from "../../../../src/domain/ids.ts"
import { type Venue, venueCapabilityRecord, venueRecord } from "../../../../src/domain/instrument/venue.ts"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import { PROFILES, venueOf } from "../../../../src/venues/adapters/registry.ts"
import { MOCK_VENUE } from "../../../../src/venues/mock/venue.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"

const PROVEN = [
  "BINANCE",
  "BINANCEUSDM",
  "BINANCE_UAT",
  "BITFINEX",
  "BITSTAMP",
  "BYBIT",
  "BYBIT_UAT",
  "COINBASE",
  "DERIBIT",
  "DERIBIT_UAT",
  "GATE",
  "GEMINI",
  "GEMINI_UAT",
  "KRAKEN",
  "KRAKENFUTURES",
  "KRAKENFUTURES_UAT",
  "KUCOIN",
  "OKX",
  "OKX_UAT",
]
const venues = PROFILES.map((profile) => venueOf(profile, []))
const by = (proof: Venue["orders"]["proof"]) =>
  venues.filter(({ orders }) => orders.proof === proof).map(({ venue }) => venue)

/** The rows of a page's tables whose first cell is one venue: that, and the other cells. */
const rowsOf = (page: string): ReadonlyArray<readonly [venue: string, cells: ReadonlyArray<string>]> =>
  readFileSync(new URL(`../../../../${page}`, import.meta.url), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, first, ...cells] = line.split("|").map((cell) => cell.trim())
      const venue = /^`([A-Z_]+)`$/.exec(first ?? "")?.[1]
      return venue === undefined ? [] : [[venue, cells] as const]
    })

const PROOFS = /^(PROVEN|EXPERIMENTAL|NONE)$/

describe("what is proven of a venue's orders", () => {
  it("is what a loopback exchange that answers has shown", () => {
    expect([...by("PROVEN")].sort()).toEqual(PROVEN)
    for (const { orders } of venues) expect(orders.missing === null).toBe(orders.proof === "PROVEN")
  })

  it("is nothing of derivatives where positions are not told, or no order can be kept to making one smaller", () => {
    const proven = PROFILES.filter(({ features, orders }) => !features.includes("SPOT") && orders.proof === "PROVEN")
    expect(proven.map(({ venue }) => venue)).toEqual([
      "BINANCEUSDM",
      "DERIBIT",
      "DERIBIT_UAT",
      "KRAKENFUTURES",
      "KRAKENFUTURES_UAT",
    ])
    for (const profile of proven) {
      const { fetchedContracts, reduceOnly } = adapterOf(profile)
      expect([typeof fetchedContracts, typeof reduceOnly]).toEqual(["function", "object"])
    }
  })

  it("is in the lists of the API, with what is missing", () => {
    for (const venue of [...venues, MOCK_VENUE]) {
      const { proof, missing } = venue.orders
      expect(venueRecord(venue).orders).toBe(proof)
      expect(venueCapabilityRecord(venue, () => false)).toMatchObject({
        orders: proof,
        ordersMissing: missing,
        takesOrders: proof === "PROVEN",
      })
    }
  })

  it("is in the guide: a row for each venue, with the same words", () => {
    const told = new Map(rowsOf("docs/guide/venues.md"))
    for (const { venue, orders } of venues.filter((it) => it.environment === "PROD")) {
      expect(told.get(venue)?.[0], venue).toBe(orders.proof)
      if (orders.missing !== null) expect(told.get(venue)?.[1]).toContain(orders.missing)
    }
    for (const house of ["MOCK", "PAPER", "INTERNAL"]) expect(told.get(house)?.[0]).toBe("PROVEN")
  })

  it("is nowhere told otherwise: rows of the README, and of the guide, name no other venue and no other proof", () => {
    for (const page of ["README.md", "docs/guide/venues.md"])
      for (const [name, [proof]] of rowsOf(page)) {
        if (!PROOFS.test(proof ?? "")) continue
        const house = ["MOCK", "PAPER", "INTERNAL"].includes(name) ? "PROVEN" : undefined
        expect([page, name, proof]).toEqual([
          page,
          name,
          house ?? venues.find(({ venue }) => venue === name)?.orders.proof,
        ])
      }
  })
})

describe("an opt-in", () => {
  /** Whoever adds an exchange begins with orders that are not proven; of those that are offered none is left. */
  const added = unproven("ELSEWHERE", "deribit")
  const offered = [...venues, venueOf(added, [])]
  const none = { venue: "SHOWCASE" as VenueId, orders: { proof: "NONE", missing: "it has no orders" } } as const

  it("takes new orders where they are experimental, and says nothing of others", () => {
    expect(optIns(offered, ["ELSEWHERE"])).toEqual({ refused: null, idle: [] })
    const takesOrders = (experimental: ReadonlyArray<string>) =>
      [...PROFILES, added].filter((profile) => venueOf(profile, [], experimental).takesOrders).map(({ venue }) => venue)
    expect(takesOrders([])).toEqual(by("PROVEN"))
    expect(takesOrders(["ELSEWHERE"])).toEqual([...by("PROVEN"), "ELSEWHERE"])
  })

  it("of a venue that is none, or has no orders, refuses the start in one line", () => {
    const unknown = "EXPERIMENTAL_ORDERS names an unknown venue: ELSWHERE"
    expect(optIns(offered, ["ELSEWHERE", "ELSWHERE"]).refused).toBe(`${unknown}; it may name ELSEWHERE`)
    expect(optIns(venues, ["ELSWHERE"]).refused).toBe(`${unknown}; orders are EXPERIMENTAL at no venue, so unset it`)
    expect(optIns([...venues, none], ["SHOWCASE"]).refused).toMatch(/SHOWCASE, which takes no orders at all/)
  })

  it("of a venue that has been proven since is told, and starts", () => {
    expect(optIns(venues, ["OKX"])).toEqual({
      refused: null,
      idle: ["EXPERIMENTAL_ORDERS does nothing for OKX: its orders are proven"],
    })
  })
})
