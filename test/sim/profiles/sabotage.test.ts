/**
 * Each of these breaks what stands between the gateway and a real venue, or what the gateway takes that venue for, and the worlds of its profile must
 * see it.
 */
import { describe, it } from "vitest"
import type { SessionReport } from "../../../src/ports/venue-session.ts"
import { seenBy } from "../checks/seen-by.ts"
import { type SimulateOptions, simulate } from "../simulation.ts"
import { LOST } from "../venue/venue-requests.ts"
import { profileNamed } from "./semantics.ts"

const expectSeen = seenBy<SimulateOptions>(simulate, { full: 240, near: 30 })

const at = (venue: string, broken: SimulateOptions): SimulateOptions => ({ ...broken, profile: profileNamed(venue) })

/** Reports of one kind are told as another; the rest as they are. */
const told =
  <Tag extends SessionReport["_tag"]>(
    tag: Tag,
    other: (report: Extract<SessionReport, { readonly _tag: Tag }>) => SessionReport,
  ): NonNullable<SimulateOptions["hears"]> =>
  (report) =>
    report._tag === tag ? other(report as Extract<SessionReport, { readonly _tag: Tag }>) : report

describe("the worlds of a venue notice a gateway that", { timeout: 300_000 }, () => {
  it("takes numbers of orders for unique in all of BINANCEUSDM", () => {
    expectSeen(
      "orders of two instruments are one",
      /began anew/,
      3,
      at("BINANCEUSDM", { taken: { orderIds: "VENUE" } }),
    )
  })

  it("holds nothing for the fee that COINBASE takes of the quote asset", () => {
    expectSeen("no hold for the fee", /is held, and due/, 1, at("COINBASE", { taken: { feeInQuote: false } }))
  })

  it("is told trades under one name when it asks for them and under another in the lists of COINBASE", () => {
    const hears = told("Filled", ({ fill }) => ({
      _tag: "Filled",
      fill: { ...fill, externalTradeId: `${fill.externalTradeId}-` },
    }))
    expectSeen("trades have two names", /executed/, 1, at("COINBASE", { hears }))
  })

  it("takes the end of a post-only order that never worked for a cancel at GATE", () => {
    const hears = told("OrderSeen", ({ state }) => ({
      _tag: "OrderSeen",
      state: state.ending === "WOULD_TAKE" ? { ...state, status: "CANCELLED", ending: null } : state,
    }))
    expectSeen("an order that never worked is cancelled", /the venue says REJECTED/, 2, at("GATE", { hears }))
  })

  it("takes what was on BYBIT's socket when it died for not sent", () => {
    const hears = told("InDoubt", ({ tradeOrderId, reason, at: when }) =>
      reason === LOST
        ? { _tag: "NotSent", tradeOrderId, reason, at: when }
        : { _tag: "InDoubt", tradeOrderId, reason, at: when },
    )
    expectSeen("what was on a dead socket was not sent", /sent 2 times/, 3, at("BYBIT", { hears }))
  })
})
