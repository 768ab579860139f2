/**
 * One real row of each venue's list of markets as it comes over the wire, read by unmodified ccxt: what the venue wrote is what the
 * instrument says, digit by digit, whichever of the ways of counting ccxt knows it by.
 */
import { describe, expect, it } from "vitest"
import { securityRecord } from "../../../src/domain/instrument/instrument.ts"
import { BINANCE } from "../../../src/venues/adapters/binance/profile.ts"
import { BITFINEX } from "../../../src/venues/adapters/bitfinex/profile.ts"
import { BITSTAMP } from "../../../src/venues/adapters/bitstamp/profile.ts"
import { COINBASE } from "../../../src/venues/adapters/coinbase/profile.ts"
import { DERIBIT } from "../../../src/venues/adapters/deribit/profile.ts"
import { KRAKENFUTURES } from "../../../src/venues/adapters/krakenfutures/profile.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { marketOf, readMarkets } from "../../kit/records/ccxt-markets.ts"
import { unproven } from "../../kit/worlds/unproven-venue.ts"

/** One market of a venue as its REST answers show it, and what it must become. */
interface Row {
  readonly profile: VenueProfile
  /** Part of the path that lists the markets → body; every other question gets `nothing`. */
  readonly bodies: Readonly<Record<string, unknown>>
  readonly nothing?: unknown
  readonly symbol: string
  readonly expected: readonly [
    tickSize: string,
    lotSize: string,
    precision: number,
    scale: number,
    minQuantity: string,
    maxQuantity: string | null,
    minNotional: string | null,
    priceSignificantDigits?: number,
  ]
  /** What a quantity counts where it is not the base asset. */
  readonly contract?: readonly [type: string, size: string]
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
    expected: ["0.00000001", "1", 8, 0, "1", "92141578", "1"],
  },
  {
    profile: unproven("BINANCEUS", "binanceus", { options: spotOnly }),
    bodies: {
      exchangeInfo: { symbols: [binanceSymbol("BTC", "0.01000000", "0.00001000", "9000.00000000", "10.00000000")] },
    },
    symbol: "BTC/USDT",
    expected: ["0.01", "0.00001", 2, 5, "0.00001", "9000", "10"],
  },
  {
    profile: unproven("BINANCEUSDM", "binanceusdm", { lists: "perpetual", options: { defaultType: "swap" } }),
    bodies: {
      "fapi/v1/exchangeInfo": {
        symbols: [
          {
            symbol: "1000PEPEUSDT",
            pair: "1000PEPEUSDT",
            contractType: "PERPETUAL",
            deliveryDate: 4133404800000,
            status: "TRADING",
            baseAsset: "1000PEPE",
            quoteAsset: "USDT",
            marginAsset: "USDT",
            pricePrecision: 7,
            quantityPrecision: 0,
            baseAssetPrecision: 8,
            quotePrecision: 8,
            underlyingType: "COIN",
            filters: [
              { filterType: "PRICE_FILTER", minPrice: "0.0000100", maxPrice: "200", tickSize: "0.0000001" },
              { filterType: "LOT_SIZE", minQty: "1", maxQty: "900000000", stepSize: "1" },
              { filterType: "MARKET_LOT_SIZE", minQty: "1", maxQty: "80000000", stepSize: "1" },
              { filterType: "MIN_NOTIONAL", notional: "5" },
            ],
          },
        ],
      },
    },
    nothing: { symbols: [] },
    symbol: "1000PEPE/USDT",
    expected: ["0.0000001", "1", 7, 0, "1", "900000000", "5"],
    contract: ["LINEAR", "1"],
  },
  {
    profile: unproven("OKX", "okx", { options: spotOnly }),
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
    expected: ["0.000000001", "1", 9, 0, "100000", "999999999999", null],
  },
  {
    profile: unproven("KRAKEN", "kraken"),
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
    expected: ["0.1", "0.00000001", 1, 8, "0.00005", null, "0.5"],
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
    expected: ["0.000000001", "10000", 9, 0, "0", null, null],
    contract: ["LINEAR", "1"],
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
    expected: ["0.01", "0.00000001", 2, 8, "0.00000001", "3400", "1"],
  },
  {
    profile: unproven("BYBIT", "bybit", { options: spotOnly }),
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
    expected: ["0.01", "0.000001", 2, 6, "0.00004", "63.01197227", "1"],
  },
  {
    profile: shipped(BITFINEX),
    bodies: {
      "pub:info:pair": [[["BTCUSD", [null, null, null, "0.00004", "2000.0", null, null, null, 0.2, 0.1]]], [], [], []],
    },
    symbol: "BTC/USD",
    expected: ["0", "0.00000001", 8, 8, "0.00004", "2000", null, 5],
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
    expected: ["1", "0.00000001", 0, 8, "0", null, "10"],
  },
  {
    profile: unproven("GEMINI", "gemini", { options: { fetchMarketsFromAPI: { fetchDetailsForAllSymbols: true } } }),
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
    expected: ["0.01", "0.00000001", 2, 8, "0.00001", null, null],
  },
  {
    // As its exchange's page has them: decimal places.
    profile: unproven("GEMINI_UAT", "gemini", {
      options: { tradingPairs: [["SHIBUSD", 9, 0, "1000", 10, true]] },
    }),
    bodies: { symbols: ["shibusd"] },
    symbol: "SHIB/USD",
    expected: ["0.000000001", "1", 9, 0, "1000", null, null],
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
            // Orders, books and trades count the base all the same.
            contract_size: 10,
            maker_commission: 0,
            taker_commission: 0.0005,
          },
        ],
      },
    },
    symbol: "XRP/USDC",
    expected: ["0.000025", "1", 6, 0, "1", null, null],
    contract: ["LINEAR", "1"],
  },
  {
    profile: shipped(DERIBIT),
    bodies: {
      get_instruments: {
        jsonrpc: "2.0",
        result: [
          {
            instrument_name: "BTC-PERPETUAL",
            kind: "future",
            settlement_period: "perpetual",
            instrument_type: "reversed",
            is_active: true,
            base_currency: "BTC",
            quote_currency: "USD",
            counter_currency: "USD",
            settlement_currency: "BTC",
            tick_size: 0.5,
            min_trade_amount: 10,
            contract_size: 10,
            maker_commission: 0,
            taker_commission: 0.0005,
          },
        ],
      },
    },
    symbol: "BTC/USD",
    expected: ["0.5", "10", 1, 0, "10", null, null],
    contract: ["INVERSE", "10"],
  },
  {
    profile: shipped(KRAKENFUTURES),
    bodies: {
      instruments: {
        result: "success",
        instruments: [
          {
            symbol: "PI_XBTUSD",
            type: "futures_inverse",
            base: "BTC",
            quote: "USD",
            pair: "BTC:USD",
            tickSize: 0.5,
            contractSize: 1,
            contractValueTradePrecision: 0,
            impactMidSize: 1,
            tradeable: true,
            marginLevels: [],
          },
        ],
      },
    },
    symbol: "BTC/USD",
    expected: ["0.5", "1", 1, 0, "0", null, null],
    contract: ["INVERSE", "1"],
  },
  {
    profile: unproven("KUCOIN", "kucoin", { options: { fetchMarkets: { types: ["spot"], fetchTickersFees: false } } }),
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
    expected: ["0.000001", "0.0001", 6, 4, "0.1", "10000000000", "0.01"],
  },
  {
    profile: unproven("GATE", "gate", { options: spotOnly }),
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
    expected: ["0.000001", "0.001", 6, 3, "0.01", null, "0.001"],
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
      // Where ccxt signs what is public, too.
      const keys = { apiKey: "k", secret: "s", password: "p" }
      const markets = await readMarkets({ ...row.profile, needsCurrencies: false }, answers, keys)
      const record = securityRecord(marketOf(markets, row.symbol))
      expect(record).toMatchObject({ symbol: row.symbol, status: "ACTIVE" })
      expect([record.contractType, record.contractSize]).toEqual(row.contract ?? [null, null])
      const { tickSize, lotSize, precision, scale, minQuantity, maxQuantity, minNotional } = record
      expect([
        tickSize,
        lotSize,
        precision,
        scale,
        minQuantity,
        maxQuantity,
        minNotional,
        ...(record.priceSignificantDigits === null ? [] : [record.priceSignificantDigits]),
      ]).toEqual([...row.expected])
    },
  )
})
