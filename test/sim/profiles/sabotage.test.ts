/**
 * Each of these breaks what stands between the gateway and a real venue, or what the gateway takes that venue for, and the worlds of its profile must
 * see it.
 */
import { describe, it } from "vitest"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { SessionReport } from "../../../src/ports/venue-session.ts"
import { capabilitiesOf } from "../../../src/venues/adapters/capabilities.ts"
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

/** What of a session's submits falls in doubt is sent once more. */
const sentAgain = (): SimulateOptions => {
  const sent = new Map<TradeOrderId, () => void>()
  return {
    sessionOf: (session) => ({
      ...session,
      submit: (order) => {
        sent.set(order.tradeOrderId, () => session.submit(order))
        session.submit(order)
      },
    }),
    hears: (report) => {
      if (report._tag !== "InDoubt") return report
      const again = sent.get(report.tradeOrderId)
      sent.delete(report.tradeOrderId)
      again?.()
      return report
    },
  }
}

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

  it.each(["GEMINI", "BITFINEX", "DERIBIT"])(
    "sends an order of %s again, as if it took none of its id twice",
    (venue) => {
      expectSeen("an id is taken for unique", /is placed twice/, 1, at(venue, sentAgain()))
    },
  )

  it("gives an order of GEMINI up after seconds, as if its age ended it", () => {
    const taken = { orderExpiryMillis: 5_000 }
    expectSeen("an expiry that there is not", /may still be taken by the venue's word/, 13, at("GEMINI", { taken }))
  })

  it("sends market orders to GEMINI, which has none", () => {
    const taken = { capabilities: { ...capabilitiesOf(profileNamed("GEMINI")), marketOrders: true } }
    expectSeen("market orders", /does not have: market orders/, 1, at("GEMINI", { taken }))
  })
})
