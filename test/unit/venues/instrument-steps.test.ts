/**
 * Steps and limits of instruments in the three ways in which ccxt counts them, and of real rows of each venue as they come over the
 * wire, read by unmodified ccxt: what the venue wrote is what the instrument says, digit by digit.
 */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueId } from "../../../src/domain/ids.ts"
import { type Instrument, priceStep, quantityStep } from "../../../src/domain/instrument.ts"
import { securityRecord } from "../../../src/domain/security.ts"
import { instrumentOf } from "../../../src/venues/instrument-of.ts"
import { plain } from "../../../src/venues/plain.ts"
import type { VenueProfile } from "../../../src/venues/profile.ts"
import { BINANCE } from "../../../src/venues/profiles/binance.ts"
import { BITFINEX } from "../../../src/venues/profiles/bitfinex.ts"
import { BITSTAMP } from "../../../src/venues/profiles/bitstamp.ts"
import { COINBASE } from "../../../src/venues/profiles/coinbase.ts"
import { DERIBIT } from "../../../src/venues/profiles/deribit.ts"
import { KRAKENFUTURES } from "../../../src/venues/profiles/krakenfutures.ts"
import type { CcxtMarket } from "../../../src/venues/worker/ccxt.ts"
import { instrumentRow } from "../../../src/venues/worker/instrument-row.ts"
import { loadExchange } from "../../../src/venues/worker/load.ts"
import { marketOf, readMarkets } from "../../kit/ccxt-markets.ts"

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

/** One market of a venue as its REST answers show it, and what it must become. */
interface Row {
  readonly profile: VenueProfile
  /** Part of the path that lists the markets → body; every other question gets `nothing`. */
  readonly bodies: Readonly<Record<string, unknown>>
  readonly nothing?: unknown
  readonly symbol: string
  readonly expected: {
    readonly tickSize: string
    readonly lotSize: string
    readonly precision: number
    readonly scale: number
    readonly minQuantity: string
    readonly maxQuantity: string | null
    readonly minNotional: string | null
    readonly priceSignificantDigits?: number
  }
}

const binanceSymbol = (base: string, tick: string, lot: string, max: string, notional: string) => ({
  symbol: `${base}USDT`,
  status: "TRADING",
  baseAsset: base,
  baseAssetPrecision: 8,
  quoteAsset: "USDT",
  quotePrecision: 8,
  quoteAssetPrecision: 8,
  orderTypes: ["LIMIT", "LIMIT_MAKER", "MARKET"],
  isSpotTradingAllowed: true,
  isMarginTradingAllowed: true,
  filters: [
    { filterType: "PRICE_FILTER", minPrice: tick, maxPrice: "1.00000000", tickSize: tick },
    { filterType: "LOT_SIZE", minQty: lot, maxQty: max, stepSize: lot },
    { filterType: "NOTIONAL", minNotional: notional, applyMinToMarket: true, maxNotional: "9000000.00000000" },
  ],
  permissions: ["SPOT"],
})

const shipped = ([profile]: ReadonlyArray<VenueProfile>): VenueProfile => {
  if (profile === undefined) throw new Error("a venue without a profile")
  return profile
}

const spotOnly = { fetchMarkets: { types: ["spot"] } }

const rows: ReadonlyArray<Row> = [
  {
    profile: shipped(BINANCE),
    bodies: {
      exchangeInfo: { symbols: [binanceSymbol("PEPE", "0.00000001", "1.00000000", "92141578.00000000", "1.00000000")] },
    },
    symbol: "PEPE/USDT",
    expected: {
      tickSize: "0.00000001",
      lotSize: "1",
      precision: 8,
      scale: 0,
      minQuantity: "1",
      maxQuantity: "92141578",
      minNotional: "1",
    },
  },
  {
    profile: plain("BINANCEUS", "binanceus", { options: spotOnly }),
    bodies: {
      exchangeInfo: { symbols: [binanceSymbol("BTC", "0.01000000", "0.00001000", "9000.00000000", "10.00000000")] },
    },
    symbol: "BTC/USDT",
    expected: {
      tickSize: "0.01",
      lotSize: "0.00001",
      precision: 2,
      scale: 5,
      minQuantity: "0.00001",
      maxQuantity: "9000",
      minNotional: "10",
    },
  },
  {
    profile: plain("OKX", "okx", { options: spotOnly }),
    bodies: {
      "instType=SPOT": {
        code: "0",
        data: [
          {
            instId: "PEPE-USDT",
            instType: "SPOT",
            baseCcy: "PEPE",
            quoteCcy: "USDT",
            lotSz: "1",
            minSz: "100000",
            tickSz: "0.000000001",
            maxLmtSz: "999999999999",
            maxMktSz: "1000000",
            state: "live",
            lever: "5",
            ctMult: "",
            ctType: "",
            ctVal: "",
            settleCcy: "",
            uly: "",
          },
        ],
      },
    },
    symbol: "PEPE/USDT",
    expected: {
      tickSize: "0.000000001",
      lotSize: "1",
      precision: 9,
      scale: 0,
      minQuantity: "100000",
      maxQuantity: "999999999999",
      minNotional: null,
    },
  },
  {
    profile: plain("KRAKEN", "kraken"),
    bodies: {
      AssetPairs: {
        error: [],
        result: {
          XXBTZUSD: {
            altname: "XBTUSD",
            wsname: "XBT/USD",
            aclass_base: "currency",
            base: "XXBT",
            aclass_quote: "currency",
            quote: "ZUSD",
            lot: "unit",
            cost_decimals: 5,
            pair_decimals: 1,
            lot_decimals: 8,
            lot_multiplier: 1,
            leverage_buy: [2, 3],
            leverage_sell: [2, 3],
            fees: [[0, 0.4]],
            fees_maker: [[0, 0.25]],
            ordermin: "0.00005",
            costmin: "0.5",
            tick_size: "0.1",
            status: "online",
          },
        },
      },
    },
    symbol: "BTC/USD",
    expected: {
      tickSize: "0.1",
      lotSize: "0.00000001",
      precision: 1,
      scale: 8,
      minQuantity: "0.00005",
      maxQuantity: null,
      minNotional: "0.5",
    },
  },
  {
    profile: shipped(KRAKENFUTURES),
    bodies: {
      instruments: {
        result: "success",
        instruments: [
          {
            symbol: "PF_SHIBUSD",
            type: "flexible_futures",
            base: "SHIB",
            quote: "USD",
            pair: "SHIB:USD",
            tickSize: 1e-9,
            contractSize: 1,
            contractValueTradePrecision: -4,
            impactMidSize: 1,
            tradeable: true,
            marginLevels: [],
          },
        ],
      },
    },
    symbol: "SHIB/USD",
    expected: {
      tickSize: "0.000000001",
      lotSize: "10000",
      precision: 9,
      scale: 0,
      minQuantity: "0",
      maxQuantity: null,
      minNotional: null,
    },
  },
  {
    profile: shipped(COINBASE),
    bodies: {
      "market/products": {
        products: [
          {
            product_id: "BTC-USD",
            base_increment: "0.00000001",
            quote_increment: "0.01",
            price_increment: "0.01",
            quote_min_size: "1",
            quote_max_size: "150000000",
            base_min_size: "0.00000001",
            base_max_size: "3400",
            status: "online",
            trading_disabled: false,
            product_type: "SPOT",
            quote_currency_id: "USD",
            base_currency_id: "BTC",
          },
        ],
        num_products: 1,
      },
    },
    nothing: {},
    symbol: "BTC/USD",
    expected: {
      tickSize: "0.01",
      lotSize: "0.00000001",
      precision: 2,
      scale: 8,
      minQuantity: "0.00000001",
      maxQuantity: "3400",
      minNotional: "1",
    },
  },
  {
    profile: plain("BYBIT", "bybit", { options: spotOnly }),
    bodies: {
      "category=spot": {
        retCode: 0,
        result: {
          category: "spot",
          list: [
            {
              symbol: "BTCUSDT",
              baseCoin: "BTC",
              quoteCoin: "USDT",
              innovation: "0",
              status: "Trading",
              lotSizeFilter: {
                basePrecision: "0.000001",
                quotePrecision: "0.00000001",
                minOrderQty: "0.00004",
                maxOrderQty: "63.01197227",
                minOrderAmt: "1",
                maxOrderAmt: "100000",
              },
              priceFilter: { tickSize: "0.01" },
            },
          ],
        },
      },
    },
    symbol: "BTC/USDT",
    expected: {
      tickSize: "0.01",
      lotSize: "0.000001",
      precision: 2,
      scale: 6,
      minQuantity: "0.00004",
      maxQuantity: "63.01197227",
      minNotional: "1",
    },
  },
  {
    profile: shipped(BITFINEX),
    bodies: {
      "pub:info:pair": [[["BTCUSD", [null, null, null, "0.00004", "2000.0", null, null, null, 0.2, 0.1]]], [], [], []],
    },
    symbol: "BTC/USD",
    expected: {
      tickSize: "0",
      priceSignificantDigits: 5,
      lotSize: "0.00000001",
      precision: 8,
      scale: 8,
      minQuantity: "0.00004",
      maxQuantity: "2000",
      minNotional: null,
    },
  },
  {
    profile: shipped(BITSTAMP),
    bodies: {
      markets: [
        {
          name: "BTC/USD",
          market_symbol: "btcusd",
          base_currency: "BTC",
          base_decimals: 8,
          counter_currency: "USD",
          counter_decimals: 0,
          minimum_order_value: "10",
          trading: "Enabled",
          instant_order_counter_decimals: 2,
          instant_and_market_orders: "Enabled",
          description: "Bitcoin / U.S. dollar",
          market_type: "SPOT",
        },
      ],
    },
    symbol: "BTC/USD",
    expected: {
      tickSize: "1",
      lotSize: "0.00000001",
      precision: 0,
      scale: 8,
      minQuantity: "0",
      maxQuantity: null,
      minNotional: "10",
    },
  },
  {
    profile: plain("GEMINI", "gemini", { options: { fetchMarketsFromAPI: { fetchDetailsForAllSymbols: true } } }),
    bodies: {
      "symbols/details": {
        symbol: "BTCUSD",
        base_currency: "BTC",
        quote_currency: "USD",
        tick_size: 1e-8,
        quote_increment: 0.01,
        min_order_size: "0.00001",
        status: "open",
        wrap_enabled: false,
      },
      symbols: ["btcusd"],
    },
    symbol: "BTC/USD",
    expected: {
      tickSize: "0.01",
      lotSize: "0.00000001",
      precision: 2,
      scale: 8,
      minQuantity: "0.00001",
      maxQuantity: null,
      minNotional: null,
    },
  },
  {
    // As its exchange's page has them: decimal places.
    profile: plain("GEMINI_UAT", "gemini", {
      options: { tradingPairs: [["SHIBUSD", 9, 0, "1000", 10, true]] },
    }),
    bodies: { symbols: ["shibusd"] },
    symbol: "SHIB/USD",
    expected: {
      tickSize: "0.000000001",
      lotSize: "1",
      precision: 9,
      scale: 0,
      minQuantity: "1000",
      maxQuantity: null,
      minNotional: null,
    },
  },
  {
    profile: shipped(DERIBIT),
    bodies: {
      get_instruments: {
        jsonrpc: "2.0",
        result: [
          {
            instrument_name: "XRP_USDC-PERPETUAL",
            kind: "future",
            settlement_period: "perpetual",
            instrument_type: "linear",
            is_active: true,
            base_currency: "XRP",
            quote_currency: "USDC",
            counter_currency: "USDC",
            settlement_currency: "USDC",
            tick_size: 2.5e-5,
            min_trade_amount: 1,
            contract_size: 1,
            maker_commission: 0,
            taker_commission: 0.0005,
          },
        ],
      },
    },
    symbol: "XRP/USDC",
    expected: {
      tickSize: "0.000025",
      lotSize: "1",
      precision: 6,
      scale: 0,
      minQuantity: "1",
      maxQuantity: null,
      minNotional: null,
    },
  },
  {
    profile: plain("KUCOIN", "kucoin", { options: { fetchMarkets: { types: ["spot"], fetchTickersFees: false } } }),
    bodies: {
      "/api/v2/symbols": {
        code: "200000",
        data: [
          {
            symbol: "XLM-USDT",
            name: "XLM-USDT",
            baseCurrency: "XLM",
            quoteCurrency: "USDT",
            feeCurrency: "USDT",
            market: "USDS",
            baseMinSize: "0.1",
            quoteMinSize: "0.01",
            baseMaxSize: "10000000000",
            quoteMaxSize: "99999999",
            baseIncrement: "0.0001",
            quoteIncrement: "0.000001",
            priceIncrement: "0.000001",
            priceLimitRate: "0.1",
            minFunds: "0.1",
            isMarginEnabled: true,
            enableTrading: true,
          },
        ],
      },
    },
    nothing: { code: "200000", data: [] },
    symbol: "XLM/USDT",
    expected: {
      tickSize: "0.000001",
      lotSize: "0.0001",
      precision: 6,
      scale: 4,
      minQuantity: "0.1",
      maxQuantity: "10000000000",
      minNotional: "0.01",
    },
  },
  {
    profile: plain("GATE", "gate", { options: spotOnly }),
    bodies: {
      "spot/currency_pairs": [
        {
          id: "QTUM_ETH",
          base: "QTUM",
          quote: "ETH",
          fee: "0.2",
          min_base_amount: "0.01",
          min_quote_amount: "0.001",
          max_quote_amount: "50000",
          amount_precision: 3,
          precision: 6,
          trade_status: "tradable",
          sell_start: 1607313600,
          buy_start: 1607313600,
          type: "normal",
        },
      ],
    },
    nothing: [],
    symbol: "QTUM/ETH",
    expected: {
      tickSize: "0.000001",
      lotSize: "0.001",
      precision: 6,
      scale: 3,
      minQuantity: "0.01",
      maxQuantity: null,
      minNotional: "0.001",
    },
  },
]

describe("an instrument of a venue", () => {
  it.each(rows.map((row) => [row.profile.venue, row] as const))(
    "of %s says what the venue wrote",
    async (_venue, row) => {
      const answers = (path: string): string | undefined => {
        const body = Object.entries(row.bodies).find(([part]) => path.includes(part))?.[1] ?? row.nothing
        return body === undefined ? undefined : JSON.stringify(body)
      }
      // Where ccxt asks for currencies with the markets, or signs what is public.
      const keys = { apiKey: "k", secret: "s", password: "p" }
      const profile: VenueProfile = { ...row.profile, needsCurrencies: false }
      const { priceSignificantDigits, ...record } = securityRecord(
        marketOf(await readMarkets(profile, answers, keys), row.symbol),
      )
      expect(record).toMatchObject({ symbol: row.symbol, status: "ACTIVE" })
      const { priceSignificantDigits: digits = null, ...steps } = row.expected
      expect(record).toMatchObject(steps)
      expect(priceSignificantDigits).toBe(digits)
    },
  )
})
