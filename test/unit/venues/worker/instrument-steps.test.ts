/** Steps and limits of instruments in the three ways in which ccxt counts them: exact text of every number, none where there is none. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { VenueId } from "../../../../src/domain/ids.ts"
import {
  type Instrument,
  priceStep,
  quantityStep,
  securityRecord,
} from "../../../../src/domain/instrument/instrument.ts"
import { instrumentOf } from "../../../../src/venues/instrument-of.ts"
import type { CcxtMarket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { instrumentRow } from "../../../../src/venues/worker/exchange/markets.ts"

const DECIMAL_PLACES = 2
const SIGNIFICANT_DIGITS = 3
const TICK_SIZE = 4

const { numberToString } = new (await loadExchange("binance"))({})

const read = (
  precisionMode: number,
  precision: CcxtMarket["precision"],
  limits: Partial<CcxtMarket["limits"]> = {},
  info: unknown = {},
) =>
  instrumentOf(
    "X" as VenueId,
    instrumentRow(
      {
        name: "A/B",
        market: {
          id: "AB",
          symbol: "A/B",
          base: "A",
          quote: "B",
          spot: true,
          swap: false,
          linear: undefined,
          active: true,
          precision,
          limits: { amount: undefined, cost: undefined, ...limits },
          info,
        },
      },
      { precisionMode, numberToString },
    ),
  )

/** [price step, quantity step, price digits, quantity digits] */
const steps = ({ tickSize, lotSize, precision, scale }: Instrument) =>
  [tickSize.toString(), lotSize.toString(), precision, scale] as const

describe("steps of a price and a quantity", () => {
  it.each([
    [0.01, 0.00001, ["0.01", "0.00001", 2, 5]],
    [1e-8, 1e-10, ["0.00000001", "0.0000000001", 8, 10]],
    [2.5e-7, 1e-18, ["0.00000025", "0.000000000000000001", 8, 18]],
    [0.5, 0.25, ["0.5", "0.25", 1, 2]],
    [1, 1000, ["1", "1000", 0, 0]],
    [0.1, 1e22, ["0.1", "10000000000000000000000", 1, 0]],
    [0.3, 0.7, ["0.3", "0.7", 1, 1]],
    // None: then eight digits are what there is.
    [undefined, undefined, ["0", "0", 8, 8]],
    [0, 0, ["0", "0", 8, 8]],
    [Number.NaN, Number.POSITIVE_INFINITY, ["0", "0", 8, 8]],
  ] as const)("as they are: %d and %d", (price, amount, expected) => {
    expect(steps(read(TICK_SIZE, { price, amount }))).toEqual(expected)
  })

  it.each([
    [2, 5, ["0.01", "0.00001", 2, 5]],
    [8, 18, ["0.00000001", "0.000000000000000001", 8, 18]],
    [0, 1, ["1", "0.1", 0, 1]],
    // Tens and thousands.
    [-1, -3, ["10", "1000", 0, 0]],
    [undefined, undefined, ["0", "0", 8, 8]],
    [0.5, Number.NaN, ["0", "0", 8, 8]],
  ] as const)("as decimal places: %d and %d", (price, amount, expected) => {
    expect(steps(read(DECIMAL_PLACES, { price, amount }))).toEqual(expected)
  })

  it("as significant digits: prices have no tick, quantities are in decimal places", () => {
    const instrument = read(SIGNIFICANT_DIGITS, { price: 5, amount: 8 })
    expect(steps(instrument)).toEqual(["0", "0.00000001", 8, 8])
    expect(securityRecord(instrument)).toMatchObject({
      tickSize: "0",
      priceSignificantDigits: 5,
      precision: 8,
      scale: 8,
    })
    expect(securityRecord(read(TICK_SIZE, { price: 0.1, amount: 1 })).priceSignificantDigits).toBeNull()
  })

  it("where there is none for quantities is one of the digits there are", () => {
    expect(quantityStep(read(TICK_SIZE, { price: 0.1, amount: undefined })).toString()).toBe("0.00000001")
  })
})

describe("a price of five significant digits", () => {
  const instrument = read(SIGNIFICANT_DIGITS, { price: 5, amount: 8 })
  // The venue's own examples, and their neighbours that it would cut (docs.bitfinex.com, Price Precision).
  it.each([
    ["12.123", "0.001"],
    ["1.1234", "0.0001"],
    ["123.43", "0.01"],
    ["1234.5", "0.1"],
    ["61234", "1"],
    ["61234.0", "1"],
    ["1.0234", "0.0001"],
    ["0.012345", "0.000001"],
    ["0.00012340", "0.00000001"],
    ["0.00000001", "0.00000001"],
    ["7654300", "100"],
    ["100000", "10"],
  ])("may be %s", (price, step) => {
    expect(priceStep(instrument, Decimal.of(price)).toString()).toBe(step)
    expect(Decimal.of(price).isMultipleOf(priceStep(instrument, Decimal.of(price)))).toBe(true)
  })

  it.each(["61234.5", "1.12345", "1234.56", "0.0123456", "0.000123456", "0.000000001", "7654320", "100001"])(
    "may not be %s",
    (price) => {
      expect(Decimal.of(price).isMultipleOf(priceStep(instrument, Decimal.of(price)))).toBe(false)
    },
  )
})

describe("limits of an instrument", () => {
  const limitsOf = (limits: Partial<CcxtMarket["limits"]>, info: unknown = {}) => {
    const instrument = read(TICK_SIZE, { price: 1, amount: 1 }, limits, info)
    const { minQuantity, maxQuantity, minNotional } = securityRecord(instrument)
    return [minQuantity, maxQuantity, minNotional]
  }

  it("are exact, and none where the venue sets none", () => {
    expect(limitsOf({ amount: { min: 1e-8, max: 9_000_000_000 }, cost: { min: 1e-5 } })).toEqual([
      "0.00000001",
      "9000000000",
      "0.00001",
    ])
    expect(limitsOf({})).toEqual(["0", null, null])
    expect(limitsOf({ amount: { min: 0, max: 0 }, cost: { min: 0 } })).toEqual(["0", null, null])
    expect(limitsOf({ amount: { min: Number.NaN, max: Number.NaN }, cost: { min: Number.NaN } })).toEqual([
      "0",
      null,
      null,
    ])
    expect(limitsOf({ amount: { min: undefined, max: Number.POSITIVE_INFINITY } })).toEqual(["0", null, null])
  })

  it("have the venue's digits where a float has too few", () => {
    const texts = ["9999999999999999", "123456789012.12345678", "0.1234567890123456789", "92233720368547758.07000000"]
    for (const text of texts) {
      const info = { other: "1", filters: [{ max: "5.00000000000000000000" }, { max: text }] }
      expect(Number(text).toString()).not.toBe(text)
      const row = limitsOf({ amount: { min: 5, max: Number(text) } }, info)
      expect(row).toEqual(["5", Decimal.fromVenue(text)?.toString(), null])
    }
  })
})
