/** Reads the parameters of a new order and of a change. Source: docs.kraken.com, "Send order", "Edit order". */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { Side } from "../binance/model.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import type { OrderType, OrderWords } from "./model.ts"
import { argumentMissing, invalidArgument, StatusRefusal } from "./refusal.ts"

const ID_LENGTH_MAX = 100
const TYPES: ReadonlyArray<string> = ["lmt", "post", "ioc", "mkt"]

export const required = (query: URLSearchParams, name: string): string => {
  const value = query.get(name)
  if (value === null || value === "") throw argumentMissing()
  return value
}

export const readSize = (market: Market, query: URLSearchParams): bigint => {
  const size = readFixed(required(query, "size"))
  if (typeof size === "string") throw invalidArgument("size")
  if (size === 0n || size % market.filters.stepSize !== 0n) throw new StatusRefusal("invalidSize")
  return size
}

export const readPrice = (market: Market, query: URLSearchParams): bigint => {
  const price = readFixed(required(query, "limitPrice"))
  if (typeof price === "string") throw invalidArgument("limitPrice")
  if (price === 0n || price % market.filters.tickSize !== 0n) throw new StatusRefusal("invalidPrice")
  return price
}

/** "An immediate-or-cancel order with 1% price protection". */
const protectedPrice = (market: Market, side: Side): bigint | undefined => {
  const best = (side === "BUY" ? market.asks : market.bids).best?.price
  if (best === undefined) return undefined
  const price = side === "BUY" ? (best * 101n) / 100n : (best * 99n) / 100n
  return price - (price % market.filters.tickSize)
}

/** "The time before which the request should be processed, otherwise it is rejected." */
export const checkTime = (query: URLSearchParams, now: number): void => {
  const until = query.get("processBefore")
  if (until === null) return
  const at = Date.parse(until)
  if (Number.isNaN(at)) throw invalidArgument("processBefore")
  if (now > at) throw new StatusRefusal("wouldProcessAfterSpecifiedTime")
}

export interface ReadOrder {
  readonly request: OrderRequest & { readonly price: bigint; readonly quantity: bigint }
  readonly words: OrderWords
}

export const readOrder = (market: Market, query: URLSearchParams): ReadOrder => {
  const orderType = required(query, "orderType")
  if (!TYPES.includes(orderType)) throw new StatusRefusal("invalidOrderType")
  const type = orderType as OrderType
  const said = required(query, "side")
  if (said !== "buy" && said !== "sell") throw new StatusRefusal("invalidSide")
  const side = said === "buy" ? "BUY" : "SELL"
  const cliOrdId = query.get("cliOrdId")
  if (cliOrdId !== null && cliOrdId.length > ID_LENGTH_MAX) throw new StatusRefusal("clientOrderIdTooBig")
  const quantity = readSize(market, query)
  const price = type === "mkt" ? protectedPrice(market, side) : readPrice(market, query)
  if (price === undefined) throw new StatusRefusal("iocWouldNotExecute")
  return {
    request: {
      symbol: market.rules.symbol,
      side,
      type: "LIMIT",
      timeInForce: type === "ioc" || type === "mkt" ? "IOC" : "GTC",
      quantity,
      quoteOrderQuantity: undefined,
      price,
      stopPrice: undefined,
      clientOrderId: cliOrdId ?? undefined,
      isReduceOnly: query.get("reduceOnly") === "true",
    },
    words: { type, cliOrdId, reason: "NEW_USER_ORDER" },
  }
}
