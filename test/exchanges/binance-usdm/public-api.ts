/** Public REST of Binance USDⓈ-M: what it has in common with spot under its own path, and its contracts. */
import type { SymbolRules } from "../binance/model.ts"
import { publicRoutes as spotRoutes } from "../binance/wire/public-api.ts"
import type { Core } from "./core.ts"
import { ORDERS_A_MINUTE, ORDERS_IN_TEN_SECONDS, WEIGHT_A_MINUTE } from "./limits.ts"

type Route = (core: Core, query: URLSearchParams) => unknown

const contractJson = (rules: SymbolRules) => ({
  symbol: rules.symbol,
  pair: rules.symbol,
  contractType: "PERPETUAL",
  deliveryDate: 4_133_404_800_000,
  onboardDate: 1_569_398_400_000,
  status: "TRADING",
  maintMarginPercent: "2.5000",
  requiredMarginPercent: "5.0000",
  baseAsset: rules.base,
  quoteAsset: rules.quote,
  marginAsset: rules.quote,
  pricePrecision: 2,
  quantityPrecision: 3,
  baseAssetPrecision: 8,
  quotePrecision: 8,
  underlyingType: "COIN",
  underlyingSubType: ["PoW"],
  triggerProtect: "0.0500",
  liquidationFee: "0.012500",
  marketTakeBound: "0.05",
  maxMoveOrderLimit: 10_000,
  filters: [
    { filterType: "PRICE_FILTER", minPrice: rules.tickSize, maxPrice: "1000000", tickSize: rules.tickSize },
    {
      filterType: "LOT_SIZE",
      minQty: rules.minQuantity ?? rules.stepSize,
      maxQty: rules.maxQuantity ?? "9000",
      stepSize: rules.stepSize,
    },
    {
      filterType: "MARKET_LOT_SIZE",
      minQty: rules.minQuantity ?? rules.stepSize,
      maxQty: "120",
      stepSize: rules.stepSize,
    },
    { filterType: "MAX_NUM_ORDERS", limit: 200 },
    { filterType: "MIN_NOTIONAL", notional: rules.minNotional ?? "5" },
    { filterType: "PERCENT_PRICE", multiplierDown: "0.9500", multiplierUp: "1.0500", multiplierDecimal: "4" },
  ],
  orderTypes: ["LIMIT", "MARKET", "STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET", "TRAILING_STOP_MARKET"],
  timeInForce: ["GTC", "IOC", "FOK", "GTX", "GTD"],
})

const exchangeInfo: Route = (core) => ({
  timezone: "UTC",
  serverTime: core.now(),
  futuresType: "U_MARGINED",
  rateLimits: [
    { rateLimitType: "REQUEST_WEIGHT", interval: "MINUTE", intervalNum: 1, limit: WEIGHT_A_MINUTE },
    { rateLimitType: "ORDERS", interval: "MINUTE", intervalNum: 1, limit: ORDERS_A_MINUTE },
    { rateLimitType: "ORDERS", interval: "SECOND", intervalNum: 10, limit: ORDERS_IN_TEN_SECONDS },
  ],
  exchangeFilters: [],
  assets: [...new Set([...core.views.values()].map(({ rules }) => rules.quote))].map((asset) => ({
    asset,
    marginAvailable: true,
    autoAssetExchange: "0",
  })),
  symbols: [...core.views.values()].map(({ rules }) => contractJson(rules)),
})

const SHARED = [
  "ping",
  "time",
  "depth",
  "trades",
  "aggTrades",
  "klines",
  "ticker/24hr",
  "ticker/price",
  "ticker/bookTicker",
]

export const publicRoutes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ...SHARED.flatMap((path): ReadonlyArray<readonly [string, Route]> => {
    const route = spotRoutes.get(`GET /api/v3/${path}`)
    return route === undefined ? [] : [[`GET /fapi/v1/${path}`, route]]
  }),
  ["GET /fapi/v1/exchangeInfo", exchangeInfo],
])
