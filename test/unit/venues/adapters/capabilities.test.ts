/** What venues can do: read from ccxt as it is, held against what profiles promise and against what the order rules take. */

import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { capabilitiesFrom, describedPage } from "../../../../scripts/capabilities.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import {
  orderTypesAt,
  type TimeInForce,
  timesInForceAt,
  type Venue,
  VenueCapabilityRecord,
  venueCapabilityRecord,
} from "../../../../src/domain/instrument/venue.ts"
import { PLAIN_CAPABILITIES } from "../../../../src/domain/instrument/venue-capabilities.ts"
import { checkOrder } from "../../../../src/domain/order/rules/rules.ts"
import type { SubmitRequest } from "../../../../src/domain/order/submit-request.ts"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import { capabilitiesOf, capabilityPage } from "../../../../src/venues/adapters/capabilities.ts"
import { PROFILES, venueOf } from "../../../../src/venues/adapters/registry.ts"
import { MOCK_VENUE } from "../../../../src/venues/mock/venue.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"
import { instrument, simVenue } from "../../../sim/venue/listing.ts"
import { ACCOUNT, START } from "../../../sim/world.ts"

const profiles = PROFILES.map((profile) => [profile.venue, profile] as const)
const venues: ReadonlyArray<Venue> = [...PROFILES.map((profile) => venueOf(profile, [])), MOCK_VENUE]
const asked = (exchange: string, lists: "spot" | "perpetual" = "spot") => unproven("X", exchange, { lists })

describe("the record of a venue", () => {
  it.each(venues.map((venue) => [venue.venue, venue] as const))(
    "%s names no time in force as its own that is not taken for it",
    (_name, venue) => {
      const { nativeTimesInForce, timesInForce, postOnly } = venueCapabilityRecord(venue, () => false)
      expect(timesInForce).toEqual(expect.arrayContaining([...nativeTimesInForce]))
      expect(postOnly).toBe(nativeTimesInForce.includes("GTX"))
    },
  )
})

describe("a profile", () => {
  const page = describedPage(PROFILES)

  it.each(profiles)("of %s promises nothing that the venue does not enforce itself", async (_venue, profile) => {
    const capabilities = (await page)[profile.exchange]?.[profile.lists]
    expect(capabilities?.nativeTimesInForce).toEqual(expect.arrayContaining([...profile.timesInForce]))
  })

  it.each(profiles)(
    "of %s is of a test environment exactly when its name says so and ccxt has one",
    async (venue, profile) => {
      expect(profile.sandbox).toBe(venue.endsWith("_UAT"))
      if (profile.sandbox) expect((await page)[profile.exchange]?.sandbox).toBe(true)
    },
  )

  it.each(profiles)(
    "of %s calls balances a stream only where its connector reads them from one",
    async (_venue, profile) => {
      const { balances } = (await page)[profile.exchange]?.[profile.lists]?.streams ?? {}
      const { balancesMoved, changedBalances } = adapterOf(profile)
      // A stream that says of some events only that balances moved says the others.
      if (balancesMoved !== undefined && changedBalances === null) expect(balances).toBe("POLLED")
      expect(capabilitiesOf(profile).streams.balances).toBe(balances)
    },
  )

  it.each(profiles)(
    "of %s calls executions a stream only where its connector reads them from one",
    async (_venue, profile) => {
      const { executions } = (await page)[profile.exchange]?.[profile.lists]?.streams ?? {}
      const isAskedFor = adapterOf(profile).fillsOf !== undefined
      expect(executions).toBe(isAskedFor ? "POLLED" : "STREAM")
      expect(capabilitiesOf(profile).streams.executions).toBe(executions)
      // What is asked for comes with no event.
      if (isAskedFor) expect(profile.fillsWithOrders).toBe(false)
    },
  )

  it("finds what is written down of its exchange", () => {
    for (const profile of PROFILES)
      expect(capabilitiesOf(profile)).toEqual(capabilityPage()[profile.exchange]?.[profile.lists] ?? PLAIN_CAPABILITIES)
    expect(capabilitiesOf({ exchange: "binance", lists: "spot" })).not.toEqual(PLAIN_CAPABILITIES)
  })
})

describe("capabilities read from ccxt", () => {
  it("are what its exchanges say, for the kind of market that is listed", async () => {
    const page = await describedPage([
      asked("bitfinex"),
      asked("gemini"),
      asked("kraken"),
      asked("coinbase"),
      asked("binanceus"),
      asked("krakenfutures", "perpetual"),
      asked("deribit", "perpetual"),
    ])
    // `features` says that these buy by cost, but the method that does it is not there.
    expect(page["bitfinex"]?.spot).toMatchObject({ marketBuyByCost: false, bookContinuity: "CHECKSUM" })
    expect(page["gemini"]?.spot).toMatchObject({ marketOrders: false, marketBuyByCost: false, cancelAll: "EMULATED" })
    expect(page["gemini"]).toMatchObject({ sandbox: true })
    expect(page["kraken"]?.spot).toMatchObject({
      triggers: { stop: "NATIVE", takeProfit: "NATIVE", trailing: "EMULATED" },
      amend: true,
      cancelAllAfter: "EMULATED",
      bookContinuity: "CHECKSUM",
      streams: { klines: "DERIVED" },
    })
    expect(page["kraken"]).toMatchObject({ sandbox: false })
    expect(page["coinbase"]?.spot).toMatchObject({
      marketBuyNeedsCost: true,
      // ccxt says that it has GTD and native stops; nobody has proved that our connector gets them.
      nativeTimesInForce: ["GTC", "IOC", "FOK", "GTX"],
      triggers: { stop: "EMULATED", takeProfit: "EMULATED", trailing: "EMULATED" },
      marketBuyByCost: true,
      amend: true,
      streams: { executions: "POLLED", klines: "DERIVED" },
      clientOrderIds: { form: "UUID" },
    })
    // Its test hosts are those of Binance.
    expect(page["binanceus"]).toMatchObject({ sandbox: false })
    expect(page["krakenfutures"]).toMatchObject({
      sandbox: true,
      perpetual: { nativeTimesInForce: ["GTC", "IOC", "GTX"] },
    })
    expect(page["deribit"]?.spot).toBeUndefined()
    expect(page["deribit"]?.perpetual).toMatchObject({ triggers: { stop: "EMULATED", trailing: "EMULATED" } })
  })

  it("are nothing but what any venue does where ccxt says nothing", () => {
    const { marketOrders, streams, ...nothing } = capabilitiesFrom({ has: {}, features: undefined }, asked("nowhere"))
    const { marketOrders: _, streams: __, ...plainly } = PLAIN_CAPABILITIES
    expect(nothing).toEqual({ ...plainly, nativeTimesInForce: [] })
    expect(marketOrders).toBe(false)
    expect(new Set(Object.values(streams))).toEqual(new Set(["POLLED", "DERIVED"]))
    expect(capabilitiesOf({ exchange: "nowhere", lists: "spot" })).toEqual(PLAIN_CAPABILITIES)
  })

  it("take executions that come with the orders for a stream", () => {
    const description = { has: { watchOrders: true }, features: {} }
    const executions = (fillsWithOrders: boolean) =>
      capabilitiesFrom(description, { ...asked("nowhere"), fillsWithOrders }).streams.executions
    expect([executions(true), executions(false)]).toEqual(["STREAM", "POLLED"])
  })
})

const TYPES = [
  "MARKET",
  "LIMIT",
  "LIMIT_MAKER",
  "STOP",
  "STOP_LIMIT",
  "STOP_LOSS",
  "STOP_LOSS_LIMIT",
  "TAKE_PROFIT",
  "TAKE_PROFIT_LIMIT",
  "TRAILING_STOP",
]
const WORDS = ["GTC", "IOC", "FOK", "GTD", "DAY", "GTX", "OPG", "CLS", "GFA", "GFS", "GTM", "MOO", "MOC", "EXT"]

/** Whether the order rules take it; any other refusal than of the word itself counts as taken. */
const takes = (venue: Venue, refusal: string, patch: object): boolean => {
  const orderType = "orderType" in patch ? patch.orderType : "LIMIT"
  const request = {
    tradingAccountId: ACCOUNT,
    instrumentId: "SIM:BTC/USDT",
    orderSide: "BUY",
    orderType,
    quantity: "1",
    limitPrice: orderType === "MARKET" ? undefined : "100",
    ...patch,
  } as unknown as SubmitRequest
  const circumstances = {
    venue: { ...venue, venue: simVenue.venue },
    findInstrument: () => instrument,
    now: START,
    lastPrice: () => null,
    recentPrice: () => null,
    mayAwaitCollar: () => false,
    book: () => [],
    available: () => Decimal.ZERO,
    mayWait: false,
  }
  const checked = checkOrder(request, circumstances)
  return !("error" in checked && checked.error._tag === refusal)
}

describe("the record of a venue's capabilities", () => {
  it.each(venues.map((venue) => [venue.venue, venue] as const))(
    "of %s says what the order rules take",
    (_name, venue) => {
      const types = TYPES.filter((orderType) => takes(venue, "UnsupportedOrderType", { orderType }))
      expect([...orderTypesAt(venue)].sort()).toEqual(types.sort())
      const words = WORDS.filter((timeInForce) =>
        takes(venue, "UnsupportedTimeInForce", {
          timeInForce,
          ...(timeInForce === "GTD" ? { expireAt: START + 1000 } : {}),
        }),
      )
      expect([...timesInForceAt(venue)].sort()).toEqual(words.sort())
    },
  )

  it("refuses orders at market where neither they nor what could stand in for them is there", () => {
    const without: Venue = {
      ...simVenue,
      timesInForce: ["GTC"],
      capabilities: { ...PLAIN_CAPABILITIES, marketOrders: false },
    }
    const limits = ["LIMIT", "STOP_LIMIT", "STOP_LOSS_LIMIT", "TAKE_PROFIT_LIMIT", "TRAILING_STOP"]
    expect(orderTypesAt(without)).toEqual(limits)
    const standingIn: Venue = { ...without, timesInForce: ["GTC", "IOC"] }
    const takesMarket = [without, standingIn, simVenue].map((venue) =>
      takes(venue, "UnsupportedOrderType", { orderType: "MARKET" }),
    )
    expect(takesMarket).toEqual([false, true, true])
  })

  it("names the test environment where there is one, and is of the declared shape", () => {
    const names = new Set<string>(venues.map(({ venue }) => venue))
    const records = venues.map((venue) => venueCapabilityRecord(venue, (name) => names.has(name)))
    for (const record of records) {
      expect(Schema.validateEither(VenueCapabilityRecord, { onExcessProperty: "error" })(record)._tag).toBe("Right")
      expect(record.sandboxVenue).toBe(names.has(`${record.venue}_UAT`) ? `${record.venue}_UAT` : null)
      expect(record.postOnly).toBe(record.timesInForce.includes("GTX" satisfies TimeInForce))
    }
    expect(records.find(({ venue }) => venue === "BINANCE")?.sandboxVenue).toBe("BINANCE_UAT")
    expect(records.find(({ venue }) => venue === "BINANCE_UAT")?.sandboxVenue).toBeNull()
  })
})
