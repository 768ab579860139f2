/** One row per rule of contract C6, C7 and C12: the request differs from a good one in what the row names. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import { ERRNO, type Tag } from "../../../src/http/edge/errno.ts"
import { type Around, check, planOf, refusalOf } from "../../kit/records/order-check.ts"
import { START } from "../../sim/world.ts"

const DAY = 86_400_000
const ID = "0ddddddd-0000-4000-8000-000000000001"

const market = { orderType: "MARKET", limitPrice: undefined }
const stop = { orderType: "STOP", limitPrice: undefined, stopPrice: "110" }
const perpetual: Around = { venue: { features: ["PERPETUAL"] } }

const REFUSALS: ReadonlyArray<readonly [string, object, string]> = [
  ["no instrument", { instrumentId: null }, "MissingParameter"],
  ["an instrument id of another form", { instrumentId: "BTCUSDT" }, "InvalidInstrumentId"],
  ["an instrument of another venue", { instrumentId: "OTHER:BTC/USDT" }, "ConflictingParameters"],
  ["an unknown instrument", { instrumentId: "SIM:ABC/USDT" }, "InstrumentNotFound"],
  ["a null type", { orderType: null }, "UnsupportedOrderType"],
  ["the type UNKNOWN", { orderType: "UNKNOWN" }, "UnsupportedOrderType"],
  ["QUOTED without a quote", { orderType: "QUOTED", instrumentId: null }, "QuoteIdRequired"],
  ["QUOTED with a quote", { orderType: "QUOTED", quoteId: ID }, "UnsupportedOrderType"],
  ["the side UNKNOWN", { orderSide: "UNKNOWN" }, "InvalidOrderSide"],
  ["LIMIT without a price", { limitPrice: null }, "LimitPriceRequired"],
  ["a price of zero", { limitPrice: "0.00" }, "InvalidParameter"],
  ["MARKET with a price", { orderType: "MARKET" }, "ParameterNotAllowed"],
  ["LIMIT with a stop price", { stopPrice: "90" }, "ParameterNotAllowed"],
  ["a position on spot", { positionId: ID }, "PositionNotFound"],
  ["a quote id on LIMIT", { quoteId: ID }, "ParameterNotAllowed"],
  ["a stop-loss time in force alone", { stopLossTimeInForce: "GTC" }, "IncompleteExits"],
  ["a trailing distance on LIMIT", { trailingDelta: 10 }, "ParameterNotAllowed"],
  ["a trailing amount on LIMIT", { trailingAmount: "1" }, "ParameterNotAllowed"],
  ["leverage on spot", { leverage: 2 }, "LeverageNotAllowed"],
  ["leverage 0", { leverage: 0 }, "InvalidParameter"],
  ["the time in force UNKNOWN", { timeInForce: "UNKNOWN" }, "InvalidTimeInForce"],
  ["GTD without expireAt", { timeInForce: "GTD" }, "ExpireAtRequired"],
  ["GTD in the past", { timeInForce: "GTD", expireAt: START }, "InvalidExpireAt"],
  ["GTD after a year", { timeInForce: "GTD", expireAt: START + 366 * DAY }, "InvalidExpireAt"],
  ["expireAt with GTC", { timeInForce: "GTC", expireAt: START + DAY }, "InvalidExpireAt"],
  ["expireAt with DAY", { timeInForce: "DAY", expireAt: START + DAY }, "InvalidExpireAt"],
  ["MARKET and GTX", { ...market, timeInForce: "GTX" }, "TimeInForceNotAllowed"],
  ["MARKET and GTD", { ...market, timeInForce: "GTD", expireAt: START + DAY }, "TimeInForceNotAllowed"],
  ["LIMIT_MAKER and IOC", { orderType: "LIMIT_MAKER", timeInForce: "IOC" }, "TimeInForceNotAllowed"],
  ["two quantity types", { quantityType: "BASE", orderQuantityType: "QUOTE" }, "ConflictingParameters"],
  ["a quantity of zero", { quantity: "0" }, "InvalidParameter"],
  ["a quantity off the step", { quantity: "1.0005" }, "InvalidQuantityPrecision"],
  ["a quantity that rounds to nothing", { quantity: "0.0004", quantityRounding: "DOWN" }, "QuantityBelowMinimum"],
  ["a quantity above the maximum", { quantity: "1001" }, "QuantityAboveMaximum"],
  ["a price off the tick", { limitPrice: "100.005" }, "InvalidPricePrecision"],
  ["a notional below the minimum", { quantity: "0.001" }, "NotionalBelowMinimum"],
  ["STOP without a stop price", { ...stop, stopPrice: undefined }, "StopPriceRequired"],
  ["STOP with a limit price", { ...stop, limitPrice: "110" }, "ParameterNotAllowed"],
  ["STOP_LIMIT without a limit price", { ...stop, orderType: "STOP_LIMIT" }, "LimitPriceRequired"],
  ["TAKE_PROFIT_LIMIT without a limit price", { ...stop, orderType: "TAKE_PROFIT_LIMIT" }, "LimitPriceRequired"],
  ["a stop price of zero", { ...stop, stopPrice: "0" }, "InvalidParameter"],
  ["a stop price off the tick", { ...stop, stopPrice: "110.005" }, "InvalidPricePrecision"],
  ["a stop too small for the venue", { ...stop, quantity: "0.001", stopPrice: "110" }, "NotionalBelowMinimum"],
  ["STOP for immediate execution", { ...stop, timeInForce: "IOC" }, "TimeInForceNotAllowed"],
  ["STOP, all or nothing", { ...stop, timeInForce: "FOK" }, "TimeInForceNotAllowed"],
  ["STOP that must not take", { ...stop, timeInForce: "GTX" }, "TimeInForceNotAllowed"],
]

describe("order rules", () => {
  it.each(REFUSALS)("refuse %s", (_name, patch, error) => {
    expect(refusalOf(patch)).toBe(error)
  })

  it.each<readonly [Tag, number]>([
    ["LimitPriceRequired", -112003],
    ["StopPriceRequired", -112004],
    ["ParameterNotAllowed", -112005],
    ["IncompleteExits", -112006],
    ["WouldTriggerImmediately", -112011],
    ["InvalidPriceRelation", -112012],
    ["ContingentUnsupported", -112013],
    ["InvalidTrailingDistance", -112014],
    ["InvalidTimeInForce", -112020],
    ["UnsupportedTimeInForce", -112021],
    ["ExpireAtRequired", -112022],
    ["InvalidExpireAt", -112023],
    ["TimeInForceNotAllowed", -112025],
    ["QuantityBelowMinimum", -112030],
    ["InvalidQuantityPrecision", -112031],
    ["InvalidQuantityRatio", -112032],
    ["QuantityExceedsPosition", -112033],
    ["InvalidPricePrecision", -112034],
    ["QuantityAboveMaximum", -112035],
    ["NotionalBelowMinimum", -112036],
    ["PriceOutsideCollar", -111004],
    ["LeverageNotAllowed", -111007],
    ["PositionNotFound", -110016],
  ])("answer %s with %i", (tag, errno) => {
    expect(ERRNO[tag].errno).toBe(errno)
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
    const { baseQuantity, quantity } = planOf({ quantity: "1.0005", quantityRounding })
    expect(baseQuantity.toString()).toBe(rounded)
    expect(quantity.toString()).toBe("1.0005")
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
    ["GTD", { timeInForce: "GTD", expireAt: START + DAY }, "LIMIT", "GTD"],
    ["expireAt alone", { expireAt: START + 365 * DAY }, "LIMIT", "GTD"],
    ["DAY", { timeInForce: "DAY" }, "LIMIT", "DAY"],
    ["LIMIT_MAKER and GTX", { orderType: "LIMIT_MAKER", timeInForce: "GTX" }, "LIMIT_MAKER", "GTX"],
    ["LIMIT_MAKER for the day", { orderType: "LIMIT_MAKER", timeInForce: "DAY" }, "LIMIT_MAKER", "DAY"],
    ["MARKET and IOC", { ...market, timeInForce: "IOC" }, "MARKET", "IOC"],
    ["MARKET and FOK", { ...market, timeInForce: "FOK" }, "MARKET", "FOK"],
    ["STOP", stop, "STOP", "GTC"],
    ["STOP_MARKET, which is STOP", { ...stop, orderType: "STOP_MARKET" }, "STOP", "GTC"],
    ["STOP_LOSS for the day", { ...stop, orderType: "STOP_LOSS", timeInForce: "DAY" }, "STOP_LOSS", "DAY"],
    ["STOP until a time", { ...stop, expireAt: START + 1 }, "STOP", "GTD"],
  ])("take %s", (_name, patch, orderType, timeInForce) => {
    expect(planOf(patch)).toMatchObject({ orderType, timeInForce })
  })

  it("give a plain order no terms and no list", () => {
    expect(planOf({})).toMatchObject({ terms: null, list: null, expireAt: null, positionId: null })
    expect(planOf(market)).toMatchObject({ terms: null, list: null, limitPrice: null })
  })

  it("end a day at the next midnight of UTC, and GTD when it says", () => {
    expect(planOf({ timeInForce: "DAY" }).expireAt).toBe(START + DAY)
    expect(planOf({ expireAt: START + 5 }).expireAt).toBe(START + 5)
    expect(planOf({ ...market, timeInForce: "DAY" }).expireAt).toBeNull()
  })

  it.each(["OPG", "CLS", "MOO", "MOC", "GFA", "GFS", "GTM", "EXT"])(
    "never take %s for another word, and name those that are taken",
    (timeInForce) => {
      const checked = check({ timeInForce })
      expect("error" in checked && checked.error).toMatchObject({
        _tag: "UnsupportedTimeInForce",
        timeInForce,
        supported: ["GTC", "IOC", "FOK", "GTX", "GTD", "DAY"],
      })
    },
  )

  it("keep the position where the venue has them, and leverage as long as it is 1", () => {
    const plan = planOf({ leverage: 1 }, perpetual)
    expect(plan.terms?.leverage).toBe(1)
    expect(plan.positionId).toMatch(/^[0-9a-f-]{36}$/)
    expect(refusalOf({ positionId: ID }, { ...perpetual, open: "-1" })).toBe("PositionNotFound")
  })

  describe("that name their position", () => {
    const own = () => planOf({}, perpetual).positionId?.toUpperCase()
    const named = (patch: object = {}) => ({ positionId: own(), ...patch })

    it.each([
      ["a short, bought back", "-1", {}],
      ["a part of a long, sold", "2.5", { orderSide: "SELL" }],
    ])("make it smaller, and never open one: %s", (_, open, patch) => {
      const plan = planOf(named(patch), { ...perpetual, open })
      expect(plan.positionId).toBe(own()?.toLowerCase())
      expect(plan.terms?.reduces).toBe(true)
      expect(planOf(patch, { ...perpetual, open }).terms).toBeNull()
    })

    it.each([
      ["nothing is open", "0", {}, "PositionNotFound"],
      ["they would add to it", "1", {}, "QuantityExceedsPosition"],
      ["they would turn it", "-0.999", {}, "QuantityExceedsPosition"],
      ["they would turn a long", "0.5", { orderSide: "SELL" }, "QuantityExceedsPosition"],
      ["the venue does not tell what is open", undefined, {}, "NotSupportedByVenue"],
    ])("are refused where %s", (_, open, patch, error) => {
      expect(refusalOf(named(patch), { ...perpetual, ...(open !== undefined && { open }) })).toBe(error)
    })

    it.each([
      ["a limit order", {}],
      ["a market order", { orderType: "MARKET", limitPrice: null }],
    ])("bring no exits with them, which could only open another: %s", (_, patch) => {
      const exits = { ...patch, takeProfitPrice: "200", stopLossPrice: "50" }
      expect(refusalOf(named(exits), { ...perpetual, open: "-1" })).toBe("ConflictingParameters")
      expect(planOf(exits, { ...perpetual, open: "-1" }).list?.contingencyType).toBe("OTOCO")
    })

    it("may be worth less than an order that opens one", () => {
      const around: Around = { ...perpetual, open: "-1", instrument: { minNotional: Decimal.of("1000") } }
      expect(refusalOf({}, around)).toBe("NotionalBelowMinimum")
      expect(planOf(named(), around).terms?.reduces).toBe(true)
    })
  })

  it.each([
    ["BUY", "200", "100", true],
    ["BUY", "200.01", "100", false],
    ["SELL", "50", "100", true],
    ["SELL", "49.99", "100", false],
    // The harmless side: it only rests.
    ["BUY", "1", "100", true],
    ["SELL", "10000", "100", true],
  ])("hold a %s at %s against the last price %s", (orderSide, limitPrice, last, isTaken) => {
    const checked = check({ orderSide, limitPrice }, { last })
    expect("plan" in checked).toBe(isTaken)
    if (!isTaken) expect(checked).toMatchObject({ error: { _tag: "PriceOutsideCollar", reference: last } })
  })

  it("hold the limit of a stop against its own stop price, not against the market", () => {
    const far = { orderType: "STOP_LIMIT", stopPrice: "1000", limitPrice: "1010" }
    expect(planOf(far, { last: "100" }).limitPrice?.toString()).toBe("1010")
    expect(refusalOf({ ...far, limitPrice: "2000.01" }, { last: "100" })).toBe("PriceOutsideCollar")
  })

  it("go 5 % beyond the best price, and no further, where the venue has no market orders", () => {
    const without: Around = { capabilities: { marketOrders: false }, asks: [["100.01", "9"]], bids: [["99.99", "9"]] }
    const buy = planOf(market, without)
    expect(buy).toMatchObject({ orderType: "MARKET", timeInForce: "IOC" })
    expect(buy.limitPrice?.toString()).toBe("105.01")
    expect(planOf({ ...market, orderSide: "SELL" }, without).limitPrice?.toString()).toBe("95")
    expect(refusalOf(market, { ...without, asks: [] })).toBe("OrderBookUnavailable")
    expect(check(market, { ...without, asks: [], mayWait: true })).toMatchObject({ wanted: { kind: "BOOK" } })
  })

  it.each<readonly [string, object, RegExp]>([
    ["a time that is past", { expireAt: START - DAY }, /^is in the past: it must be later than \d+/],
    ["the time of now", { expireAt: START }, /^is in the past/],
    ["a time below zero", { expireAt: -1 }, /^is in the past/],
    ["a time too far ahead", { expireAt: START + 366 * DAY }, /^is more than 365 days ahead/],
    ["seconds", { expireAt: (START + DAY) / 1_000 }, new RegExp(`^is in seconds; milliseconds .*: ${START + DAY}$`)],
    ["another time in force", { expireAt: START + DAY, timeInForce: "IOC" }, /^requires timeInForce GTD, not IOC/],
  ])("say of expireAt that it is %s", (_name, patch, reason) => {
    const checked = check({ timeInForce: "GTD", ...patch })
    expect("error" in checked && checked.error).toMatchObject({
      _tag: "InvalidExpireAt",
      expireAt: (patch as { readonly expireAt: number }).expireAt,
      reason: expect.stringMatching(reason),
    })
  })

  it.each<readonly [string, object, object]>([
    ["TAKE_PROFIT", { takeProfitPrice: "110" }, { _tag: "StopPriceRequired" }],
    ["STOP_LOSS", { stopLossPrice: "90" }, { _tag: "StopPriceRequired" }],
    ["TAKE_PROFIT", { stopPrice: "110", takeProfitPrice: "110" }, { parameter: "takeProfitPrice" }],
    ["STOP_LOSS", { stopPrice: "90", stopLossPrice: "90" }, { parameter: "stopLossPrice" }],
  ])("say where the trigger of a %s goes: %j", (orderType, prices, refusal) => {
    const checked = check({ orderSide: "SELL", orderType, limitPrice: undefined, ...prices })
    expect("error" in checked && checked.error).toMatchObject({
      ...refusal,
      reason: expect.stringMatching(/trigger .*goes into stopPrice/),
    })
  })

  it("name what is supported where a time in force is not", () => {
    const checked = check({ timeInForce: "FOK" }, { venue: { timesInForce: ["GTC", "IOC", "GTD"] } })
    expect("error" in checked && checked.error).toMatchObject({ supported: ["GTC", "IOC", "GTD", "DAY"] })
  })

  it("refuse a price with more digits that count than the venue takes: it would cut off the rest", () => {
    const digits: Partial<Instrument> = { tickSize: Decimal.ZERO, precision: 8, priceSignificantDigits: 5 }
    const cut = check({ limitPrice: "61234.5" }, { instrument: digits })
    expect("error" in cut && cut.error).toMatchObject({
      _tag: "InvalidPricePrecision",
      parameter: "limitPrice",
      step: "1",
    })
    const small = check({ limitPrice: "0.0123456", quantity: "1000" }, { instrument: digits })
    expect("error" in small && small.error).toMatchObject({ _tag: "InvalidPricePrecision", step: "0.000001" })
    const taken = check({ limitPrice: "61234.0" }, { instrument: digits })
    expect("plan" in taken && taken.plan.limitPrice?.toString()).toBe("61234")
  })

  it("refuse a delisted instrument and a venue that is switched off", () => {
    expect(refusalOf({}, { instrument: { status: "DELISTED" } })).toBe("InstrumentDelisted")
    expect(refusalOf({}, { venue: { status: "INACTIVE" } })).toBe("VenueInactive")
  })
})

describe("an order whose words would mean something else", () => {
  const refused = (patch: object, around: Around) => {
    const checked = check(patch, around)
    return "error" in checked ? checked.error : checked
  }

  it("is refused here with its leverage, and not by the worker that cannot send it", () => {
    expect(refused({ leverage: 3 }, perpetual)).toMatchObject({ _tag: "LeverageNotAllowed", leverage: 3, max: 1 })
    expect(refused({ leverage: 2 }, {})).toMatchObject({ _tag: "LeverageNotAllowed", leverage: 2, max: 1 })
  })

  it.each([
    [{ type: "INVERSE", size: Decimal.of("10") }, "INVERSE contracts of size 10"],
    [{ type: "LINEAR", size: Decimal.of("0.001") }, "LINEAR contracts of size 0.001"],
    [{ type: "QUANTO", size: null }, "QUANTO contracts of unknown size"],
  ] as const)("is refused where its quantity counts %s", (contract, words) => {
    const error = refused({}, { ...perpetual, instrument: { contract } })
    expect(error).toMatchObject({ _tag: "InstrumentNotTradable", reason: expect.stringContaining(words) })
  })

  it("is taken where one contract is one of its base", () => {
    const around: Around = { ...perpetual, instrument: { contract: { type: "LINEAR", size: Decimal.of("1") } } }
    expect(planOf({}, around).baseQuantity.toString()).toBe("1")
  })
})

describe("a buy at market", () => {
  const buy = { orderType: "MARKET", limitPrice: null }

  it("waits for the book that says what it costs, once", () => {
    expect(check(buy, { mayWait: true })).toMatchObject({ wanted: { kind: "BOOK" } })
    expect(check(buy, { mayWait: true, asks: [["100", "1"]] })).toHaveProperty("plan")
    expect(check(buy)).toHaveProperty("plan")
  })

  it("is the only one that does: a sale at market and a limit order cost nothing that is not known", () => {
    expect(check({ ...buy, orderSide: "SELL" }, { mayWait: true })).toHaveProperty("plan")
    expect(check({}, { mayWait: true, last: "100" })).toHaveProperty("plan")
  })
})

describe("the collar of a limit order", () => {
  it("waits for a price where none is known, or where it would refuse by one of the last minute, and only once", () => {
    expect(check({}, { mayWait: true })).toMatchObject({ wanted: { kind: "COLLAR" } })
    expect(check({}, { mayWait: true, recent: "100" })).toHaveProperty("plan")
    expect(check({}, { mayWait: true, recent: "49.99" })).toMatchObject({ wanted: { kind: "COLLAR" } })
    expect(check({})).toHaveProperty("plan")
    expect(refusalOf({}, { recent: "49.99" })).toBe("PriceOutsideCollar")
  })
})
