/** Venues that count their orders anew in each market: a number of another pair is another order. */
import { describe, expect, it } from "vitest"
import { type InstrumentId, type TradeOrderId, type VenueId, venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrderState } from "../../../../src/ports/venue-session.ts"
import { KnownOrders } from "../../../../src/venues/worker/session/client-ids.ts"
import { RequestedCancel } from "../../../../src/venues/worker/session/requested-cancel.ts"

const tradeOrderId = "0192f3a0-0000-7000-8000-000000000001" as TradeOrderId
const BTC = "BINANCE:BTC/USDT" as InstrumentId
const ETH = "BINANCE:ETH/USDT" as InstrumentId

const stateOf = (instrumentId: InstrumentId, status: VenueOrderState["status"]): VenueOrderState => ({
  tradeOrderId: instrumentId === BTC ? tradeOrderId : null,
  externalOrderId: "7",
  clientId: null,
  instrumentId,
  orderSide: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  quantity: "1",
  executedQuantity: status === "FILLED" ? "1" : "0",
  limitPrice: "100",
  status,
  ending: null,
  createdAt: 1,
  updatedAt: 2,
})

describe("an order's number at its venue", () => {
  it("names our order's trades in its own market alone", () => {
    const known = new KnownOrders()
    const clientId = venueClientId(tradeOrderId)
    known.remember({ clientId, externalOrderId: "7", instrumentId: BTC })
    const named = (symbol: string) => known.clientIdOfTrade("BINANCE" as VenueId, { order: "7", symbol })
    expect([named("BTC/USDT"), named("ETH/USDT")]).toEqual([clientId, null])
  })

  it("ends a cancel that was asked for in its own market alone", async () => {
    const outcome = async (told: InstrumentId) => {
      const ref = { tradeOrderId, externalOrderId: "7", instrumentId: BTC }
      const cancel = new RequestedCancel(
        ref,
        async () => stateOf(BTC, "CANCELLED"),
        () => 3,
        [0],
      )
      cancel.saw({ ...stateOf(told, "FILLED"), tradeOrderId: null })
      return (await cancel.reports()).at(-1)?._tag
    }
    expect([await outcome(BTC), await outcome(ETH)]).toEqual(["CancelRefused", "CancelAccepted"])
  })
})
