/** One row per rule of contract C6 and C7 that the release answers: the request differs from a good one in what the row names. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { Instrument } from "../../../src/domain/instrument.ts"
import { checkOrder } from "../../../src/domain/order-rules.ts"
import type { SubmitRequest } from "../../../src/domain/submit-request.ts"
import type { Venue } from "../../../src/domain/venue.ts"
import { instrument, simVenue } from "../../sim/venue.ts"
import { ACCOUNT, START } from "../../sim/world.ts"

const DAY = 86_400_000
const ID = "0ddddddd-0000-4000-8000-000000000001"

const check = (patch: object, venue: Partial<Venue> = {}, terms: Partial<Instrument> = {}) =>
  checkOrder(
    {
      tradingAccountId: ACCOUNT,
      instrumentId: "SIM:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "1",
      limitPrice: "100",
      ...patch,
    } as unknown as SubmitRequest,
    {
      venue: { ...simVenue, ...venue },
      findInstrument: (id) => (id === "SIM:BTC/USDT" ? { ...instrument, ...terms } : undefined),
      now: START,
    },
  )

const market = { orderType: "MARKET", limitPrice: undefined }

const REFUSALS: ReadonlyArray<readonly [string, object, string]> = [
  ["no instrument", { instrumentId: null }, "MissingParameter"],
  ["an instrument id of another form", { instrumentId: "BTCUSDT" }, "InvalidInstrumentId"],
  ["an instrument of another venue", { instrumentId: "OTHER:BTC/USDT" }, "ConflictingParameters"],
  ["an unknown instrument", { instrumentId: "SIM:ABC/USDT" }, "InstrumentNotFound"],
  ["a null type", { orderType: null }, "UnsupportedOrderType"],
  ["the type UNKNOWN", { orderType: "UNKNOWN" }, "UnsupportedOrderType"],
  ["STOP", { orderType: "STOP", stopPrice: "90" }, "UnsupportedOrderType"],
  ["STOP_MARKET", { orderType: "STOP_MARKET", stopPrice: "90" }, "UnsupportedOrderType"],
  ["TRAILING_STOP", { orderType: "TRAILING_STOP", stopPrice: "90" }, "UnsupportedOrderType"],
  ["QUOTED without a quote", { orderType: "QUOTED", instrumentId: null }, "QuoteIdRequired"],
  ["QUOTED with a quote", { orderType: "QUOTED", quoteId: ID }, "UnsupportedOrderType"],
  ["the side UNKNOWN", { orderSide: "UNKNOWN" }, "InvalidOrderSide"],
  ["LIMIT without a price", { limitPrice: null }, "LimitPriceRequired"],
  ["a price of zero", { limitPrice: "0.00" }, "InvalidParameter"],
  ["MARKET with a price", { orderType: "MARKET" }, "ParameterNotAllowed"],
  ["LIMIT with a stop price", { stopPrice: "90" }, "ParameterNotAllowed"],
  ["a position", { positionId: ID }, "ParameterNotAllowed"],
  ["a quote id on LIMIT", { quoteId: ID }, "ParameterNotAllowed"],
  ["a take-profit", { takeProfitPrice: "110" }, "ContingentUnsupported"],
  ["a stop-loss time in force", { stopLossTimeInForce: "GTC" }, "ContingentUnsupported"],
  ["leverage on spot", { leverage: 2 }, "LeverageNotAllowed"],
  ["leverage 0", { leverage: 0 }, "InvalidParameter"],
  ["the time in force UNKNOWN", { timeInForce: "UNKNOWN" }, "InvalidTimeInForce"],
  ["GTD without expireAt", { timeInForce: "GTD" }, "ExpireAtRequired"],
  ["GTD in the past", { timeInForce: "GTD", expireAt: START }, "InvalidExpireAt"],
  ["GTD after a year", { timeInForce: "GTD", expireAt: START + 366 * DAY }, "InvalidExpireAt"],
  ["expireAt with GTC", { timeInForce: "GTC", expireAt: START + DAY }, "InvalidExpireAt"],
  ["GTD", { timeInForce: "GTD", expireAt: START + DAY }, "UnsupportedTimeInForce"],
  ["expireAt alone", { expireAt: START + DAY }, "UnsupportedTimeInForce"],
  ["DAY", { timeInForce: "DAY" }, "UnsupportedTimeInForce"],
  ["OPG", { timeInForce: "OPG" }, "UnsupportedTimeInForce"],
  ["EXT", { timeInForce: "EXT" }, "UnsupportedTimeInForce"],
  ["MARKET and GTX", { ...market, timeInForce: "GTX" }, "TimeInForceNotAllowed"],
  ["MARKET and GTD", { ...market, timeInForce: "GTD", expireAt: START + DAY }, "TimeInForceNotAllowed"],
  ["LIMIT_MAKER and IOC", { orderType: "LIMIT_MAKER", timeInForce: "IOC" }, "TimeInForceNotAllowed"],
  ["two quantity types", { quantityType: "BASE", orderQuantityType: "QUOTE" }, "ConflictingParameters"],
  ["QUOTE", { quantityType: "QUOTE" }, "InvalidParameter"],
  ["POSITION_RATIO", { orderQuantityType: "POSITION_RATIO" }, "InvalidParameter"],
  ["a quantity of zero", { quantity: "0" }, "InvalidParameter"],
  ["a quantity off the step", { quantity: "1.0005" }, "InvalidQuantityPrecision"],
  ["a quantity that rounds to nothing", { quantity: "0.0004", quantityRounding: "DOWN" }, "QuantityBelowMinimum"],
  ["a quantity above the maximum", { quantity: "1001" }, "QuantityAboveMaximum"],
  ["a price off the tick", { limitPrice: "100.005" }, "InvalidPricePrecision"],
  ["a notional below the minimum", { quantity: "0.001" }, "NotionalBelowMinimum"],
]

describe("order rules", () => {
  it.each(REFUSALS)("refuse %s", (_name, patch, error) => {
    const checked = check(patch)
    expect("error" in checked ? checked.error._tag : checked).toBe(error)
  })

  it.each([
    ["UP", "1.001"],
    ["DOWN", "1"],
    ["NEAREST", "1.001"],
    ["CEIL", "1.001"],
    ["FLOOR", "1"],
    ["HALF_UP", "1.001"],
    ["HALF_DOWN", "1"],
    ["HALF_EVEN", "1"],
  ])("round 1.0005 %s to %s, and keep what the client gave", (quantityRounding, rounded) => {
    const checked = check({ quantity: "1.0005", quantityRounding })
    expect("plan" in checked && checked.plan.baseQuantity.toString()).toBe(rounded)
    expect("plan" in checked && checked.plan.quantity.toString()).toBe("1.0005")
  })

  it.each([
    ["no time in force", {}, "LIMIT", "GTC"],
    ["IOC", { timeInForce: "IOC" }, "LIMIT", "IOC"],
    ["FOK", { timeInForce: "FOK" }, "LIMIT", "FOK"],
    ["GTX", { timeInForce: "GTX" }, "LIMIT", "GTX"],
    ["LIMIT_MAKER", { orderType: "LIMIT_MAKER" }, "LIMIT_MAKER", "GTC"],
    ["MARKET", market, "MARKET", "GTC"],
    ["MARKET for the day", { ...market, timeInForce: "DAY" }, "MARKET", "DAY"],
    ["leverage 1", { leverage: 1 }, "LIMIT", "GTC"],
  ])("take %s", (_name, patch, orderType, timeInForce) => {
    const checked = check(patch)
    expect("plan" in checked ? checked.plan : checked).toMatchObject({ orderType, timeInForce })
  })

  it("name what is supported where a time in force is not", () => {
    const checked = check({ timeInForce: "FOK" }, { timesInForce: ["GTC", "IOC", "GTD"] })
    expect("error" in checked && checked.error).toMatchObject({ supported: ["GTC", "IOC"] })
  })

  it("refuse a price with more digits that count than the venue takes: it would cut off the rest", () => {
    const digits: Partial<Instrument> = { tickSize: Decimal.ZERO, precision: 8, priceSignificantDigits: 5 }
    const cut = check({ limitPrice: "61234.5" }, {}, digits)
    expect("error" in cut && cut.error).toMatchObject({
      _tag: "InvalidPricePrecision",
      parameter: "limitPrice",
      step: "1",
    })
    const small = check({ limitPrice: "0.0123456", quantity: "1000" }, {}, digits)
    expect("error" in small && small.error).toMatchObject({ _tag: "InvalidPricePrecision", step: "0.000001" })
    const taken = check({ limitPrice: "61234.0" }, {}, digits)
    expect("plan" in taken && taken.plan.limitPrice?.toString()).toBe("61234")
  })

  it("refuse a delisted instrument and a venue that is switched off", () => {
    const delisted = check({}, {}, { status: "DELISTED" })
    expect("error" in delisted && delisted.error._tag).toBe("InstrumentNotTradable")
    const off = check({}, { status: "INACTIVE" })
    expect("error" in off && off.error._tag).toBe("VenueInactive")
  })
})
