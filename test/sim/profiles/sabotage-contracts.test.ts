/** Each of these breaks what an account has open in contracts, in the gateway or between it and its venue, and the worlds of such venues must see it. */
import { Effect } from "effect"
import { afterEach, describe, it, vi } from "vitest"
import type { OpenContracts } from "../../../src/actors/account/contracts.ts"
import type { VenueBalances } from "../../../src/ports/venue-session.ts"
import { seenBy } from "../checks/seen-by.ts"
import { type SimulateOptions, simulate } from "../simulation.ts"
import { profileNamed } from "./semantics.ts"

const INTACT = { isDeaf: false, doubles: false, keeps: false }
const sabotage = { ...INTACT }

vi.mock("../../../src/actors/account/contracts.ts", async (original) => {
  const real = await original<typeof import("../../../src/actors/account/contracts.ts")>()
  class Broken extends real.OpenContracts {
    override executed(applied: Parameters<OpenContracts["executed"]>[0]): void {
      if (!sabotage.isDeaf) super.executed(applied)
      if (sabotage.doubles) super.executed(applied)
    }
    override seen(...[rows, at, contains]: Parameters<OpenContracts["seen"]>): void {
      // As if its time were long ago: no trade is in it.
      super.seen(rows, sabotage.keeps ? 1 : at, sabotage.keeps ? 0 : contains)
    }
  }
  return { ...real, OpenContracts: Broken }
})

afterEach(() => {
  Object.assign(sabotage, INTACT)
})

const expectSeen = seenBy<SimulateOptions>(simulate, { full: 240, near: 30 })

const at = (venue: string, broken: SimulateOptions = {}): SimulateOptions => ({
  ...broken,
  profile: profileNamed(venue),
})

/** Each word of the venue on what is open is another. */
const saidOtherwise = (other: (balances: VenueBalances) => VenueBalances): SimulateOptions => ({
  hears: (report) =>
    report._tag === "BalancesSeen" ? { _tag: "BalancesSeen", balances: other(report.balances) } : report,
  sessionOf: (session) => {
    const { forOpening } = session
    return {
      ...session,
      fetchBalances: Effect.map(session.fetchBalances, other),
      ...(forOpening !== undefined && {
        forOpening: () => ({ ...forOpening(), fetchBalances: Effect.map(session.fetchBalances, other) }),
      }),
    }
  },
})

describe("the worlds of a venue of contracts notice a gateway that", { timeout: 300_000 }, () => {
  it("takes a short position of KRAKENFUTURES for a long one", () => {
    const broken = saidOtherwise(({ contracts = [], ...others }) => ({
      ...others,
      contracts: contracts.map((it) => ({ ...it, quantity: it.quantity.replace("-", "") })),
    }))
    expectSeen("all is long", /a position of .* is shown/, 1, at("KRAKENFUTURES", broken))
  })

  it("hears nothing of what is open at DERIBIT but at its start", () => {
    let told = 0
    const broken = saidOtherwise((balances) => {
      const { contracts: _, ...others } = balances
      return ++told > 1 ? others : balances
    })
    expectSeen("positions are told once", /a position of .* is shown/, 1, at("DERIBIT", broken))
  })

  it("lets an order that names its position at BINANCEUSDM open one", () => {
    const broken: SimulateOptions = {
      sessionOf: (session) => ({
        ...session,
        submit: ({ reduceOnly: _, ...order }) => session.submit(order),
      }),
    }
    expectSeen("reduce-only is forgotten", /may open a position at the venue/, 1, at("BINANCEUSDM", broken))
  })

  it("leaves trades out until the venue's next word", () => {
    sabotage.isDeaf = true
    expectSeen("trades do not count", /orders are measured by/, 13, at("DERIBIT"))
  })

  it("counts a trade twice until the venue's next word", () => {
    sabotage.doubles = true
    expectSeen("trades count twice", /orders are measured by/, 5, at("KRAKENFUTURES"))
  })

  it("counts trades on top of the venue's word that has them", () => {
    sabotage.keeps = true
    expectSeen("words have no trades", /orders are measured by/, 1, at("BINANCEUSDM"))
  })
})
