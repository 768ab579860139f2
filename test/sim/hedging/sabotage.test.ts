/** A check that cannot fail proves nothing: each of these breaks hedging in one place, and the worlds must show it within a few seeds. */
import { Effect } from "effect"
import { afterEach, describe, it, vi } from "vitest"
import { HedgeAlarms } from "../../../src/actors/dealer/hedging/alarms.ts"
import { HedgeLine } from "../../../src/actors/dealer/hedging/line.ts"
import type { HedgePlace } from "../../../src/actors/dealer/hedging/place.ts"
import type { TradingAccountStatus } from "../../../src/domain/account/trading-account.ts"
import type { HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import type { HedgeRefusal } from "../../../src/domain/dealer/hedging/hedge-order.ts"
import { exposureOf, type HedgeProgress, type HedgeTotals } from "../../../src/domain/dealer/hedging/hedging.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { seenBy } from "../checks/seen-by.ts"
import { type HedgingOptions, simulateHedging } from "./simulation.ts"

const INTACT = {
  contracts: false,
  sandbox: false,
  keeps: false,
  doubles: false,
  hurries: false,
  risks: false,
  promises: false,
}
const sabotage = { ...INTACT }

vi.mock("../../../src/domain/instrument/instrument.ts", async (original) => {
  const real = await original<typeof import("../../../src/domain/instrument/instrument.ts")>()
  return {
    ...real,
    isCountedInBase: (instrument: Pick<Instrument, "contract">, isSpot: boolean) =>
      sabotage.contracts || real.isCountedInBase(instrument, isSpot),
  }
})

vi.mock("../../../src/actors/dealer/hedging/place.ts", async (original) => {
  const real = await original<typeof import("../../../src/actors/dealer/hedging/place.ts")>()
  return {
    ...real,
    placeOfHedge: (...[sources, ...rest]: Parameters<typeof real.placeOfHedge>): HedgePlace | undefined =>
      real.placeOfHedge(sabotage.sandbox ? taken(sources) : sources, ...rest),
  }
})

vi.mock("../../../src/actors/dealer/places.ts", async (original) => {
  const real = await original<typeof import("../../../src/actors/dealer/places.ts")>()
  return {
    ...real,
    linkFault: (...args: Parameters<typeof real.linkFault>) => (sabotage.sandbox ? null : real.linkFault(...args)),
    placesOf: (...[parts, ...rest]: Parameters<typeof real.placesOf>) =>
      real.placesOf(sabotage.sandbox ? taken(parts) : parts, ...rest),
  }
})

/** Every venue is a real one. */
const taken = <A extends { readonly venues: { readonly find: (venue: string) => Venue | undefined } }>(
  parts: A,
): A => ({
  ...parts,
  venues: {
    find: (name: string) => {
      const venue = parts.venues.find(name)
      return venue && { ...venue, environment: "PROD" as const }
    },
  },
})

vi.mock("../../../src/actors/dealer/hedging/courier.ts", async (original) => {
  const real = await original<typeof import("../../../src/actors/dealer/hedging/courier.ts")>()
  return {
    ...real,
    canBeAsked: (status: TradingAccountStatus | undefined) => sabotage.keeps || real.canBeAsked(status),
  }
})

vi.mock("../../../src/domain/dealer/hedging/hedging.ts", async (original) => {
  const real = await original<typeof import("../../../src/domain/dealer/hedging/hedging.ts")>()
  return {
    ...real,
    withProgress: (totals: HedgeTotals, before: HedgeProgress | null, now: HedgeProgress): HedgeTotals => {
      const next = real.withProgress(totals, before, now)
      const isLate = before !== null && "isOver" in before && before.isOver === true
      return sabotage.doubles && isLate ? real.withProgress(next, before, now) : next
    },
  }
})

vi.mock("../../../src/domain/dealer/hedging/hedge-order.ts", async (original) => {
  const real = await original<typeof import("../../../src/domain/dealer/hedging/hedge-order.ts")>()
  const passing = <A extends HedgeRefusal | null>(refusal: A): A | "PASSING" =>
    sabotage.hurries && refusal === "FOR_GOOD" ? "PASSING" : refusal
  return {
    ...real,
    refusalOfSubmit: (error: DomainError) => passing(real.refusalOfSubmit(error)),
    refusalOfOrder: (order: TradeOrder) => passing(real.refusalOfOrder(order)),
  }
})

vi.mock("../../../src/domain/dealer/risk.ts", async (original) => {
  const real = await original<typeof import("../../../src/domain/dealer/risk.ts")>()
  return {
    ...real,
    worstExposures: (...[positions, outstanding, asked]: Parameters<typeof real.worstExposures>) =>
      real.worstExposures(positions, sabotage.promises ? new real.Outstanding() : outstanding, asked),
  }
})

vi.mock("../../../src/actors/dealer/valuation.ts", async (original) => {
  const real = await original<typeof import("../../../src/actors/dealer/valuation.ts")>()
  return {
    ...real,
    isTooRisky: (...args: Parameters<typeof real.isTooRisky>) => !sabotage.risks && real.isTooRisky(...args),
  }
})

afterEach(() => {
  Object.assign(sabotage, INTACT)
  vi.restoreAllMocks()
})

const expectSeen = seenBy<HedgingOptions>(simulateHedging, { full: 200, near: 40 })

describe("the simulation notices hedging that", { timeout: 900_000 }, () => {
  it("takes contracts for base", () => {
    sabotage.contracts = true
    expectSeen("takes contracts for base", /is counted in contracts/, 3)
  })

  it("takes a sandbox for real", () => {
    sabotage.sandbox = true
    expectSeen("takes a sandbox for real", /goes to \w+ and was priced in|which this dealer does not allow/, 6)
  })

  it("waits for ever for an account that is gone", () => {
    sabotage.keeps = true
    expectSeen(
      "waits for ever for an account that is gone",
      /is stuck: IN_DOUBT|what is carried is told as|hedges in doubt/,
      2,
    )
  })

  it("counts a late fill twice", () => {
    sabotage.doubles = true
    expectSeen("counts a late fill twice", /its position is told as/, 2)
  })

  it("does not back off from what is refused for good", () => {
    sabotage.hurries = true
    expectSeen("does not back off from what is refused for good", /after one that closed nothing/, 3)
  })

  it("promises more than its dealer may risk", () => {
    sabotage.risks = true
    expectSeen("promises more than its dealer may risk", /is firm with at least \S+ at risk/, 11)
  })

  it("promises each client what it may risk for all of them", () => {
    sabotage.promises = true
    expectSeen("promises each client what it may risk for all of them", /is firm with at least \S+ at risk/, 197)
  })

  it("forgets dust", () => {
    const { owe } = HedgeLine.prototype
    vi.spyOn(HedgeLine.prototype, "owe").mockImplementation(function (this: HedgeLine, intent: HedgeIntent) {
      if (this.isAccumulating)
        this.totals = { ...this.totals, owed: this.totals.owed.subtract(exposureOf(this.totals)) }
      owe.call(this, intent)
    })
    expectSeen("forgets dust", /its position is told as/, 1)
  })

  it("forgets at its start what is at work", () => {
    expectSeen("forgets at its start what is at work", /is at work|its position is told as|open hedges/, 3, {
      storeOf: (store) => ({
        ...store,
        load: (dealer) =>
          store
            .load(dealer)
            .pipe(
              Effect.map((lines) => lines.map((line) => ({ ...line, hedges: line.hedges.filter((it) => it.isOver) }))),
            ),
      }),
    })
  })

  it("takes what is carried for nothing executed", () => {
    vi.spyOn(HedgeLine.prototype, "span", "get").mockImplementation(function (this: HedgeLine) {
      return { low: this.exposure, high: this.exposure }
    })
    expectSeen("takes what is carried for nothing executed", /is open whatever others executed|what is carried/, 2)
  })

  it("tells nobody", () => {
    vi.spyOn(HedgeAlarms.prototype, "check").mockReturnValue(undefined)
    expectSeen("tells nobody", /nobody was told/, 1)
  })
})
