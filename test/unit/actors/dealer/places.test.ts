/** Which of a dealer's linked accounts price, value and hedge: those of one environment, and only what is counted in base. */
import { describe, expect, it } from "vitest"
import type { DealerParts } from "../../../../src/actors/dealer/core.ts"
import { ignoredOf, linkFault, noPlaceReason, placesOf, tellIgnored } from "../../../../src/actors/dealer/places.ts"
import { type DealerConfigRecord, dealerConfigOf } from "../../../../src/domain/dealer/config.ts"
import type { Dealer } from "../../../../src/domain/dealer/dealer.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { InstrumentId, TradingAccountId, VenueId } from "../../../../src/domain/ids.ts"
import type { Contract } from "../../../../src/domain/instrument/instrument.ts"
import { PROFILES, venueOf } from "../../../../src/venues/adapters/registry.ts"
import { intentOf, LINKED as LINKED_HEDGE, pair } from "../../../kit/records/hedges.ts"
import { HedgeWorld, OTHER as OTHER_HEDGE } from "../../../kit/worlds/hedge-world.ts"
import { LINKED, OTHER, QuoteWorld, THIRD } from "../../../kit/worlds/quote-world.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"

const d = Decimal.of

/** A dealer with these accounts, each at its venue, which trades BTC/USDT. */
const deskAt = (venues: ReadonlyArray<string>, allowSimulatedVenues = true): QuoteWorld => {
  const world = new QuoteWorld()
  const accounts = [LINKED, OTHER, THIRD].slice(0, venues.length)
  for (const [index, venue] of venues.entries()) {
    world.venues.set(accounts[index]!, venue)
    world.listed.add(`${venue}:BTC/USDT`)
  }
  world.change({ linkedAccountIds: accounts, config: dealerConfigOf({ pricing: { allowSimulatedVenues } }) })
  return world
}

describe("a venue's environment", () => {
  it("is what its profile says, and its name", () => {
    for (const profile of PROFILES)
      expect([profile.venue, venueOf(profile, []).environment]).toEqual([
        profile.venue,
        profile.venue.endsWith("_UAT") ? "UAT" : "PROD",
      ])
  })
})

describe("the price of a quote", () => {
  it.each([true, false])(
    "is never that of a test network beside a real venue (simulated ones allowed: %s)",
    (allowed) => {
      for (const venues of [
        ["BINANCE_UAT", "BINANCE"],
        ["BINANCE", "BINANCE_UAT"],
        ["BINANCE", "MOCK", "BINANCE_UAT"],
      ]) {
        const world = deskAt(venues, allowed)
        world.books.set("BINANCE_UAT:BTC/USDT", { asks: [["50", "1000"]], bids: [["49", "1000"]] })
        world.books.set("MOCK:BTC/USDT", { asks: [["50", "1000"]], bids: [["49", "1000"]] })
        const { venue, walkedPrice } = world.firm().receipt
        expect([venue, walkedPrice.toString()]).toEqual(["BINANCE", "100"])
      }
    },
  )

  it("is that of a test network only where the dealer says so, and none of ours beside it", () => {
    expect(deskAt(["BINANCE_UAT"], false).ask().error?._tag).toBe("DealerCannotQuote")
    const world = deskAt(["MOCK", "BINANCE_UAT"])
    world.books.set("MOCK:BTC/USDT", { asks: [["50", "1000"]], bids: [["49", "1000"]] })
    expect(world.firm().receipt).toMatchObject({ venue: "BINANCE_UAT" })
  })

  it("is a real venue's even where that cannot be used now: nothing stands in for it", () => {
    const world = deskAt(["BINANCE_UAT", "BINANCE"])
    world.bookAges.set("BINANCE:BTC/USDT", 60_000)
    const asked = world.ask()
    world.pass(1_000)
    expect(asked.quote).toMatchObject({ status: "REJECTED", rejectReason: "INSUFFICIENT_LIQUIDITY" })
  })
})

describe("the market of the gateway itself", () => {
  const OWN = "INTERNAL:BTC/USDT"
  const near = (price: number) => ({ asks: [[`${price + 1}`, "1000"]], bids: [[`${price - 1}`, "1000"]] }) as const

  it("prices beside real venues where the dealer lets it: its money is real", () => {
    for (const venues of [
      ["BINANCE", "INTERNAL"],
      ["INTERNAL", "BINANCE"],
    ]) {
      const world = deskAt(venues)
      world.books.set("BINANCE:BTC/USDT", near(100))
      world.books.set(OWN, near(99))
      expect(world.firm().receipt).toMatchObject({ venue: "INTERNAL" })
      expect(world.firm({ orderSide: "SELL" }).receipt).toMatchObject({ venue: "BINANCE" })
      expect(world.alerts).toEqual([])
      // Clients can move it: by more than the collar, and it prices nothing.
      world.books.set(OWN, near(50))
      expect(world.ask().quote).toMatchObject({ status: "REJECTED", rejectReason: "INSUFFICIENT_LIQUIDITY" })
    }
  })

  it("prices nothing where the dealer does not, and says so", () => {
    const world = deskAt(["BINANCE", "INTERNAL"], false)
    world.books.set("BINANCE:BTC/USDT", near(100))
    world.books.set(OWN, near(99))
    expect(world.firm().receipt).toMatchObject({ venue: "BINANCE" })
    tellIgnored(world.core)
    expect(world.alerts).toEqual([expect.stringContaining("INTERNAL has books that clients can move")])
    expect(deskAt(["INTERNAL"], false).ask().error).toMatchObject({ reason: "VENUE_NOT_ALLOWED" })
  })

  it.each(["MOCK", "PAPER", "BINANCE_UAT"])("never prices, nor is linked, beside %s", (play) => {
    const world = deskAt([play, "INTERNAL"])
    world.books.set(`${play}:BTC/USDT`, near(50))
    world.books.set(OWN, near(100))
    expect(world.firm().receipt).toMatchObject({ venue: "INTERNAL" })
    const alone = deskAt([play])
    alone.venues.set(OTHER, "INTERNAL")
    expect(alone.link(OTHER)).toMatchObject({
      environment: "PROD",
      reason: expect.stringContaining("unlink those first"),
    })
  })
})

describe("the market of a gateway that is itself a test one", () => {
  it("prices beside test networks, and is ignored beside a real venue", () => {
    const world = deskAt(["BINANCE_UAT", "INTERNAL"])
    world.installation = "UAT"
    world.books.set("BINANCE_UAT:BTC/USDT", { asks: [["101", "1000"]], bids: [["99", "1000"]] })
    world.books.set("INTERNAL:BTC/USDT", { asks: [["100", "1000"]], bids: [["98", "1000"]] })
    expect(world.firm().receipt).toMatchObject({ venue: "INTERNAL" })
    expect(world.firm({ orderSide: "SELL" }).receipt).toMatchObject({ venue: "BINANCE_UAT" })
    const real = deskAt(["BINANCE", "INTERNAL"])
    real.installation = "UAT"
    real.books.set("BINANCE:BTC/USDT", { asks: [["101", "1000"]], bids: [["99", "1000"]] })
    real.books.set("INTERNAL:BTC/USDT", { asks: [["100", "1000"]], bids: [["98", "1000"]] })
    expect(real.firm().receipt).toMatchObject({ venue: "BINANCE" })
    tellIgnored(real.core)
    expect(real.alerts).toEqual([
      expect.stringContaining("INTERNAL is UAT, and this dealer has accounts that are PROD"),
    ])
  })
})

describe("why there is no price", () => {
  const why = (world: QuoteWorld) => world.ask().error

  it("is told in a word", () => {
    const unlinked = new QuoteWorld()
    unlinked.change({ linkedAccountIds: [] })
    expect(why(unlinked)).toMatchObject({ _tag: "DealerCannotQuote", reason: "NO_LINKED_ACCOUNT" })
    const elsewhere = deskAt(["BINANCE"])
    elsewhere.listed.clear()
    expect(why(elsewhere)).toMatchObject({ reason: "INSTRUMENT_NOT_TRADED" })
    expect(why(deskAt(["BINANCE_UAT"], false))).toMatchObject({ reason: "VENUE_NOT_ALLOWED" })
    expect(why(deskAt(["DERIBIT"]))).toMatchObject({ reason: "COUNTED_IN_CONTRACTS" })
    const own = deskAt(["BINANCE"])
    expect(own.ask({ traderAccountId: LINKED }).error).toMatchObject({ reason: "OWN_ACCOUNT" })
  })

  it("is that the venue does not trade the pair, from the moment on at which its list says so", () => {
    const world = deskAt(["BINANCE"])
    expect(world.ask().quote?.status).toBe("CREATED")
    world.terms = { status: "DELISTED" }
    expect(why(world)).toMatchObject({ reason: "INSTRUMENT_NOT_TRADED" })
    world.terms = {}
    expect(world.ask().quote?.status).toBe("CREATED")
  })
})

describe("the value of an exposure", () => {
  it("is never that of a test network beside a real venue", () => {
    const world = deskAt(["BINANCE_UAT", "BINANCE"])
    world.listed.add("BINANCE_UAT:BTC/EUR")
    world.books.set("BINANCE_UAT:BTC/EUR", { asks: [["0.02", "1"]], bids: [["0.01", "1"]] })
    const config = dealerConfigOf({ riskCurrency: "EUR", pricing: { allowSimulatedVenues: true } })
    world.change({ riskThreshold: d("1"), config })
    expect(world.ask().quote).toMatchObject({ status: "REJECTED", rejectReason: "RISK_LIMIT" })
    world.listed.add("BINANCE:BTC/EUR")
    world.books.set("BINANCE:BTC/EUR", { asks: [["0.02", "1"]], bids: [["0.01", "1"]] })
    expect(world.ask().quote?.status).toBe("CREATED")
  })
})

describe("a hedge", () => {
  const worldAt = (first: string, second: string): HedgeWorld => {
    const world = new HedgeWorld({ attemptsMax: 1 }, [LINKED_HEDGE, OTHER_HEDGE])
    world.venues.set(LINKED_HEDGE, first)
    world.venues.set(OTHER_HEDGE, second)
    return world
  }
  const pricedAt = (venue: string) =>
    intentOf(1, { venue: venue as VenueId, instrumentId: `${venue}:BTC/USDT` as InstrumentId })

  it.each([true, false])("of what was priced at a real venue never goes to a test network (allowed: %s)", (allowed) => {
    const world = worldAt("BINANCE", "BINANCE_UAT")
    world.dealer = { ...world.dealer, config: { ...world.dealer.config, allowSimulatedVenues: allowed } }
    world.statuses.set(LINKED_HEDGE, "UNAVAILABLE")
    world.executed(pricedAt("BINANCE"))
    world.pass(60_000)
    for (const linkedAccountIds of [[LINKED_HEDGE, OTHER_HEDGE], [OTHER_HEDGE]]) {
      world.statuses.set(LINKED_HEDGE, "DISCONNECTED")
      world.dealer = { ...world.dealer, linkedAccountIds }
      world.keeper.dealerChanged()
      world.pass(60_000)
    }
    expect([world.orders.length, world.keeper.isFlat()]).toEqual([0, false])
  })

  it("of what was priced at a test network goes back there, and to no venue of another kind", () => {
    const world = worldAt("BINANCE_UAT", "BINANCE_UAT")
    world.executed(pricedAt("BINANCE_UAT"))
    expect(world.sent()).toEqual(["BUY 1 @ 100.25"])
    for (const other of ["BINANCE", "MOCK"]) {
      const gone = worldAt("BINANCE_UAT", other)
      gone.statuses.set(LINKED_HEDGE, "DISCONNECTED")
      gone.executed(pricedAt("BINANCE_UAT"))
      gone.pass(60_000)
      expect([gone.orders.length, gone.keeper.isFlat()]).toEqual([0, false])
    }
  })
})

describe("an instrument that is counted in contracts", () => {
  const size = (text: string) => d(text)
  const refused: ReadonlyArray<readonly [string, Contract | undefined]> = [
    ["inverse ones of 1 dollar", { type: "INVERSE", size: size("1") }],
    ["inverse ones of 10 dollars", { type: "INVERSE", size: size("10") }],
    ["linear ones of a hundredth", { type: "LINEAR", size: size("0.01") }],
    ["linear ones of no known size", { type: "LINEAR", size: null }],
    ["ones that are settled in a third asset", { type: "QUANTO", size: size("1") }],
    ["ones that nobody has said anything of", undefined],
  ]
  const BOOK = "DERIBIT:BTC/USDT"
  const atDeribit = (contract: Contract | undefined): QuoteWorld => {
    const world = deskAt(["DERIBIT"])
    if (contract !== undefined) world.contracts.set(BOOK, contract)
    return world
  }

  it.each(refused)("prices nothing: %s", (_, contract) => {
    const world = atDeribit(contract)
    // 500,000 dollars at 60,000 are 8.3 BTC: they do not cover 20.
    world.books.set(BOOK, { asks: [["60000", "500000"]], bids: [["59999", "500000"]] })
    expect(world.ask({ size: { quantityType: "BASE", quantity: d("20") } }).error?._tag).toBe("DealerCannotQuote")
    const reason = contract === undefined ? "is unknown" : `is counted in ${contract.type} contracts`
    expect(world.alerts).toEqual([expect.stringContaining(reason)])
    world.ask()
    expect(world.alerts).toHaveLength(1)
  })

  it.each(refused)("values nothing: %s", (_, contract) => {
    const world = deskAt(["BINANCE", "DERIBIT"])
    world.listed.add("DERIBIT:BTC/EUR")
    if (contract !== undefined) world.contracts.set("DERIBIT:BTC/EUR", contract)
    const config = dealerConfigOf({ riskCurrency: "EUR" })
    world.change({ riskThreshold: d("1000000"), config })
    expect(world.ask().quote).toMatchObject({ status: "REJECTED", rejectReason: "RISK_LIMIT" })
  })

  it.each(refused)("hedges nothing: %s", (_, contract) => {
    const world = new HedgeWorld({ attemptsMax: 1 }, [LINKED_HEDGE, OTHER_HEDGE])
    world.venues.set(LINKED_HEDGE, "BINANCE")
    world.venues.set(OTHER_HEDGE, "DERIBIT")
    world.instruments.set(
      BOOK,
      pair({ instrumentId: BOOK as InstrumentId, ...(contract !== undefined && { contract }) }),
    )
    world.statuses.set(LINKED_HEDGE, "DISCONNECTED")
    world.executed(intentOf(1, { venue: "BINANCE" as VenueId, quantity: d("20") }))
    world.pass(60_000)
    expect([world.orders.length, world.keeper.isFlat()]).toEqual([0, false])
  })

  it("is as good as spot where one of it is one base, settled in quote", () => {
    const world = atDeribit({ type: "LINEAR", size: d("1.0") })
    expect(world.firm().receipt).toMatchObject({ venue: "DERIBIT" })
    expect(world.alerts).toEqual([])
  })
})

describe("a book that is out of line with the others", () => {
  const at = (world: QuoteWorld, venue: string, mid: number): void => {
    const [ask, bid] = [`${mid + 1}`, `${mid - 1}`]
    world.books.set(`${venue}:BTC/USDT`, { asks: [[ask, "1000"]], bids: [[bid, "1000"]] })
  }
  const desk = (mids: Readonly<Record<string, number>>, pricing: DealerConfigRecord["pricing"] = {}): QuoteWorld => {
    const world = deskAt(Object.keys(mids), false)
    for (const [venue, mid] of Object.entries(mids)) at(world, venue, mid)
    world.change({ config: dealerConfigOf({ pricing }) })
    return world
  }

  it("prices nothing, however good its price is for the client, and is told of once a minute", () => {
    for (const wrong of [50, 94, 106, 200]) {
      const world = desk({ BINANCE: 100, KRAKEN: wrong, OKX: 100.5 })
      for (const orderSide of ["BUY", "SELL"] as const)
        expect(["BINANCE", "OKX"]).toContain(world.firm({ orderSide }).receipt.venue)
      expect(world.alerts).toEqual([expect.stringMatching(/^BOOK_OUT_OF_LINE: KRAKEN:BTC.USDT is at .* of 3 books/)])
      world.pass(60_000)
      world.firm()
      expect(world.alerts).toHaveLength(2)
    }
  })

  it("prices as ever within the collar, of which the dealer decides", () => {
    expect(desk({ BINANCE: 100, KRAKEN: 96, OKX: 100 }).firm().receipt.venue).toBe("KRAKEN")
    const narrow = desk({ BINANCE: 100, KRAKEN: 96, OKX: 100 }, { collarPercent: 1 })
    expect(narrow.firm().receipt.venue).toBe("BINANCE")
    expect(desk({ BINANCE: 100, KRAKEN: 60, OKX: 100 }, { collarPercent: 50 }).firm().receipt.venue).toBe("KRAKEN")
  })

  it("is not told from the other one of two: neither prices", () => {
    const world = desk({ BINANCE: 100, KRAKEN: 120 })
    expect(world.ask().quote).toMatchObject({ status: "REJECTED", rejectReason: "INSUFFICIENT_LIQUIDITY" })
    expect(world.alerts).toHaveLength(2)
    // Each is nearer to the middle between them than to the other.
    at(world, "KRAKEN", 107)
    expect(world.ask().quote?.rejectReason).toBe("INSUFFICIENT_LIQUIDITY")
    at(world, "KRAKEN", 101)
    expect(world.firm().receipt.venue).toBe("BINANCE")
  })

  it("does not count while it is old, nor twice for two accounts at its venue", () => {
    const world = desk({ BINANCE: 100, KRAKEN: 120 })
    world.bookAges.set("KRAKEN:BTC/USDT", 60_000)
    expect(world.firm().receipt.venue).toBe("BINANCE")
    expect(world.alerts).toEqual([])
    const shared = desk({ BINANCE: 100, KRAKEN: 120, OKX: 120 })
    shared.venues.set(THIRD, "BINANCE")
    expect(shared.ask().quote?.rejectReason).toBe("INSUFFICIENT_LIQUIDITY")
  })

  it("is judged by the one side that it has", () => {
    const world = desk({ BINANCE: 100, KRAKEN: 100, OKX: 100 })
    world.books.set("KRAKEN:BTC/USDT", { asks: [["50", "1000"]], bids: [] })
    expect(world.firm().receipt.venue).not.toBe("KRAKEN")
  })
})

describe("linking an account", () => {
  it("of another environment is refused, whichever came first, until the others are unlinked", () => {
    const places: ReadonlyArray<readonly [string, string]> = [
      ["PROD", "BINANCE"],
      ["UAT", "BINANCE_UAT"],
      ["SIMULATED", "MOCK"],
    ]
    for (const [linked, first] of places)
      for (const [environment, second] of places) {
        const world = deskAt([first])
        world.venues.set(OTHER, second)
        const answer = world.link(OTHER)
        if (linked === environment) expect(answer).toBe("DONE")
        else expect(answer).toMatchObject({ _tag: "AccountOfAnotherEnvironment", venue: second, environment, linked })
        world.change({ linkedAccountIds: [] })
        expect(world.link(OTHER)).toBe("DONE")
      }
  })
})

describe("what is open in another environment", () => {
  it.each([
    ["BINANCE", "MOCK", "PROD", "SIMULATED"],
    ["MOCK", "BINANCE", "SIMULATED", "PROD"],
    ["BINANCE_UAT", "MOCK", "UAT", "SIMULATED"],
  ])(
    "%s, is netted with no quote priced at %s, and those who run the dealer are told",
    (owed, linked, other, ruling) => {
      const world = deskAt([linked])
      expect(world.firm().receipt.venue).toBe(linked)
      world.owing = [owed as VenueId]
      for (let n = 0; n < 2; n++)
        expect(world.ask().error).toMatchObject({ _tag: "DealerCannotQuote", reason: "VENUE_NOT_ALLOWED" })
      expect(world.alerts).toEqual([
        `ACCOUNT_IGNORED: nothing is quoted: what is open was priced or hedged at ${other}, and the accounts that count are ${ruling}: it must be closed first`,
      ])
      world.owing = [linked as VenueId]
      expect(world.firm().receipt.venue).toBe(linked)
    },
  )
})

describe("an account that is linked and does not count", () => {
  const ignored = (id: TradingAccountId) => expect.stringContaining(`ACCOUNT_IGNORED: linked account ${id} is ignored`)

  it("is told of on the dealer's own account, with the reason, after each change of the dealer", () => {
    const world = deskAt(["BINANCE", "BINANCE_UAT", "BINANCE"])
    expect(world.set("PAUSED").dealer?.status).toBe("PAUSED")
    expect(world.alerts).toEqual([ignored(OTHER)])
    expect(world.alerts[0]).toContain("BINANCE_UAT is UAT, and this dealer has accounts that are PROD")
    const closed = deskAt(["MOCK"], false)
    closed.set("PAUSED")
    expect(closed.alerts).toEqual([ignored(LINKED)])
    expect(closed.alerts[0]).toContain("config.pricing.allowSimulatedVenues")
    const plain = deskAt(["BINANCE", "BINANCE"], false)
    plain.set("PAUSED")
    expect(plain.alerts).toEqual([])
  })
})

describe("an account that is linked", () => {
  const environmentOf = (venue: string) => ({ environment: venue.endsWith("_UAT") ? "UAT" : "PROD", takesOrders: true })
  const parts = { accounts: { find: () => undefined }, venues: { find: environmentOf } } as unknown as DealerParts
  const nothingLinked = { linkedAccountIds: [] } as unknown as Dealer
  const real = { venue: "BINANCE" as VenueId }

  it("at a venue whose orders are not proven prices and hedges only where the installation has opted in", () => {
    const profile = unproven("ELSEWHERE", "gemini")
    const linking = { linkedAccountIds: [LINKED], config: dealerConfigOf({}), tenantId: "default" } as unknown as Dealer
    const asked = { baseAsset: "BTC", quoteAsset: "USDT" }
    const at = (optIns: ReadonlyArray<string>) => {
      const own = { tradingAccountId: LINKED, venue: profile.venue, status: "ACTIVE" }
      const listed = { instrumentId: "ELSEWHERE:BTC/USDT", status: "ACTIVE" }
      return {
        accounts: { find: () => own },
        venues: { find: () => venueOf(profile, [], optIns) },
        instruments: { ofPair: () => listed },
      } as unknown as DealerParts
    }
    const link = (optIns: ReadonlyArray<string>) =>
      linkFault(at(optIns), { ...linking, linkedAccountIds: [] }, [], { venue: profile.venue })
    expect(link([])).toMatchObject({ _tag: "ExperimentalVenue", venue: "ELSEWHERE" })
    expect(link(["ELSEWHERE"])).toBeNull()
    expect(placesOf(at([]), linking, asked)).toEqual([])
    expect(noPlaceReason(at([]), linking, asked)).toBe("VENUE_NOT_ALLOWED")
    expect(ignoredOf(at([]), linking, null).map(({ reason }) => reason)).toEqual([
      expect.stringContaining("orders at ELSEWHERE are EXPERIMENTAL, and EXPERIMENTAL_ORDERS does not name it"),
    ])
    expect(placesOf(at(["ELSEWHERE"]), linking, asked)).toHaveLength(1)
  })

  it("closes nothing that was priced in another environment", () => {
    const of = (...owing: ReadonlyArray<string>) =>
      linkFault(parts, nothingLinked, owing as ReadonlyArray<VenueId>, real)
    expect(of()).toBeNull()
    expect(of("KRAKEN")).toBeNull()
    expect(of("BINANCE_UAT")).toMatchObject({ environment: "PROD", linked: "UAT" })
  })
})
