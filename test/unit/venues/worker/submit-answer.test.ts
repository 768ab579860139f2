/** What the answer to a submit is taken for, and that an order is seen to leave even where ccxt sends it as a batch of one. */
import { describe, expect, it, vi } from "vitest"
import { type InstrumentId, type TradeOrderId, type VenueId, venueClientId } from "../../../../src/domain/ids.ts"
import { ownership } from "../../../../src/ports/ownership.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange, CcxtOrder } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { KnownOrders } from "../../../../src/venues/worker/session/client-ids.ts"
import { Departures } from "../../../../src/venues/worker/session/departures.ts"
import { submitReports } from "../../../../src/venues/worker/session/private-session.ts"
import { doingFor } from "../../../../src/venues/worker/work.ts"

const tradeOrderId = "0192f3a0-0000-7000-8000-000000000001" as TradeOrderId
const clientId = venueClientId(tradeOrderId)
const order: VenueOrder = {
  tradeOrderId,
  instrumentId: "OKX:BTC/USDT" as InstrumentId,
  orderSide: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.01",
  limitPrice: "50000",
  notAfter: 0,
}
const profile = PROFILES[0]
if (profile === undefined) throw new Error("the registry is empty")
const adapter = { ...adapterOf(profile), orderClientId: (it: CcxtOrder) => it.clientOrderId ?? null }

const reportsOf = (answer: Partial<CcxtOrder>, known = new KnownOrders()) =>
  submitReports({ ...profile, venue: "OKX" as VenueId }, { order, answer: answer as CcxtOrder, adapter, known, at: 77 })

describe("the answer to a submit", () => {
  it("is an acceptance when it has nothing but the order's id", () => {
    const known = new KnownOrders()
    const accepted = { _tag: "Accepted", tradeOrderId, externalOrderId: "312269865356374016", at: 77 }
    const answer = { id: "312269865356374016", clientOrderId: clientId, symbol: "BTC/USDT", side: "buy" }
    expect(reportsOf(answer, known)).toEqual([accepted])
    expect(known.clientIdOf("312269865356374016", order.instrumentId)).toBe(clientId)
    expect(reportsOf({ id: "312269865356374016", clientOrderId: undefined })).toEqual([accepted])
  })

  it.each<[string, Partial<CcxtOrder>]>([
    ["without an id", { clientOrderId: clientId }],
    ["with an empty id", { id: "", clientOrderId: clientId }],
    ["of another order", { id: "1", clientOrderId: "f".repeat(32) }],
    ["of a rejected operation", { id: "1", clientOrderId: clientId, status: "rejected" }],
  ])("is a doubt %s", (_, answer) => {
    expect(reportsOf(answer)).toMatchObject([{ _tag: "InDoubt", tradeOrderId }])
  })

  it("tells where the order stands when it says so", () => {
    const answer = { id: "1", clientOrderId: clientId, symbol: "BTC/USDT", side: "buy", amount: "0.01", status: "open" }
    expect(reportsOf(answer)).toMatchObject([
      { _tag: "Accepted" },
      { _tag: "OrderSeen", state: { status: "OPEN", clientId } },
    ])
  })
})

describe("a submit on its way", () => {
  const signing = () => {
    const exchange = { sign: () => ({}), fetch: async () => ({}) } as unknown as CcxtExchange
    return { exchange, departures: new Departures(exchange) }
  }

  it.each([
    ["alone", { clOrdId: clientId }],
    ["as a batch of one", [{ clOrdId: clientId }] as never],
  ])("has left once it is signed %s", (_, params) => {
    const { exchange, departures } = signing()
    const departure = departures.begin(clientId)
    exchange.sign("trade/order", "private", "POST", params)
    expect(departure.signed).toBe(true)
  })

  it("is not signed after its time, in a batch either", () => {
    const { exchange, departures } = signing()
    const departure = departures.begin(clientId)
    const signed = () => exchange.sign("trade/batch-orders", "private", "POST", [{ clOrdId: clientId }] as never)
    expect(() => doingFor("submit", Date.now() - 1, signed)).toThrow("deadline")
    expect(departure.signed).toBe(false)
  })

  it.each([
    ["POST", "trade/amend-order"],
    ["GET", "edit"],
  ])("nor is a change of an order, %s %s", async (method, path) => {
    const { exchange } = signing()
    const signed = async () => exchange.sign(path, "private", method, { ordId: "1" })
    await expect(doingFor("submit", Date.now() + 60_000, signed)).resolves.toEqual({})
    await expect(doingFor("submit", Date.now() - 1, signed)).rejects.toThrow("deadline")
    await expect(doingFor("cancel", Date.now() - 1, signed)).resolves.toEqual({})
  })

  it("nor is one whose time is over by the clock that nobody sets, whatever the other says", () => {
    const { exchange } = signing()
    const signed = () => exchange.sign("order", "private", "POST", { ordId: "1" })
    const now = Date.now()
    vi.useFakeTimers({ toFake: ["Date", "performance"], now })
    try {
      doingFor("submit", now + 2_000, () => {
        vi.advanceTimersByTime(1_999)
        expect(signed()).toEqual({})
        vi.setSystemTime(now - 3_600_000)
        expect(signed()).toEqual({})
        vi.advanceTimersByTime(2)
        expect(signed).toThrow("deadline")
      })
      // It was set back before the command was read.
      doingFor("submit", now + 2_000, () => {
        vi.advanceTimersByTime(2_001)
        expect(signed).toThrow("deadline")
      })
    } finally {
      vi.useRealTimers()
    }
  })

  it("nor is one of a process whose lease on the database has run out, whatever time it has", () => {
    const exchange = { sign: () => ({}), fetch: async () => ({}) } as unknown as CcxtExchange
    const owned = ownership()
    new Departures(exchange, owned.shared)
    const signed = (method: string) => () => exchange.sign("order", "private", method, { ordId: "1" })
    const submits = (method = "POST") => doingFor("submit", Date.now() + 60_000, signed(method))
    expect(submits).toThrow("lease")
    owned.until(60_000)
    expect(submits()).toEqual({})
    owned.until(-1)
    expect(submits).toThrow("lease")
    expect(submits("GET"), "a question changes nothing").toEqual({})
    expect(doingFor("cancel", Date.now() + 60_000, signed("POST")), "nor does a cancel open anything").toEqual({})
  })
})
