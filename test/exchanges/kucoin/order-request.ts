/** Reads the fields of a new order as KuCoin does. Source: www.kucoin.com/docs-new/rest/spot-trading/orders/add-order. */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { fees } from "./fees.ts"
import type { OrderWords } from "./model.ts"
import { parameterError, priceTooPrecise, sizeTooPrecise, sizeTooSmall } from "./refusal.ts"

export type Fields = Readonly<Record<string, unknown>>

export const recordOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const TIMES_IN_FORCE: ReadonlyArray<unknown> = ["GTC", "IOC", "FOK"]

/** "Can only contain numbers, letters, underscores, and hyphens", 40 at most. */
const CLIENT_OID = /^[A-Za-z0-9_-]{1,40}$/

const decimalOf = (fields: Fields, name: string, tooPrecise: () => Error): bigint => {
  const text = fields[name]
  const units = typeof text === "string" ? readFixed(text) : "malformed"
  if (units === "too precise") throw tooPrecise()
  if (units === "malformed" || units === 0n) throw parameterError(name)
  return units
}

const priceOf = (market: Market, fields: Fields): bigint => {
  const price = decimalOf(fields, "price", priceTooPrecise)
  if (price % market.filters.tickSize !== 0n) throw priceTooPrecise()
  return price
}

const sizeOf = (market: Market, fields: Fields): bigint => {
  const size = decimalOf(fields, "size", sizeTooPrecise)
  if (size % market.filters.stepSize !== 0n) throw sizeTooPrecise()
  if (size < market.filters.minQuantity) throw sizeTooSmall()
  return size
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** Throws a `KucoinRefusal`. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, fields: Fields): Placement => {
  const { clientOid, side, type = "limit", timeInForce = "GTC", postOnly = false, symbol } = fields
  if (typeof clientOid !== "string" || !CLIENT_OID.test(clientOid)) throw parameterError("clientOid")
  if (side !== "buy" && side !== "sell") throw parameterError("side")
  if (type !== "limit" && type !== "market") throw parameterError("type")
  if (typeof timeInForce !== "string" || !TIMES_IN_FORCE.includes(timeInForce)) throw parameterError("timeInForce")
  for (const name of ["hidden", "iceberg", "stp", "cancelAfter", "stop", "stopPrice"])
    if (fields[name] !== undefined) throw parameterError(`not served by the loopback exchange: ${name}`)
  const isMarket = type === "market"
  if (isMarket && (fields["size"] === undefined) === (fields["funds"] === undefined))
    throw parameterError("size or funds")
  const funds = isMarket && fields["funds"] !== undefined ? decimalOf(fields, "funds", sizeTooPrecise) : 0n
  return {
    request: {
      symbol: String(symbol),
      side: side === "buy" ? "BUY" : "SELL",
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: timeInForce === "IOC" || timeInForce === "FOK" ? timeInForce : "GTC",
      quantity: funds > 0n ? undefined : sizeOf(market, fields),
      quoteOrderQuantity: funds > 0n ? (side === "buy" ? fees.withoutFee(funds) : funds) : undefined,
      price: isMarket ? undefined : priceOf(market, fields),
      stopPrice: undefined,
      clientOrderId: clientOid,
    },
    words: { timeInForce, isPostOnly: postOnly === true, funds, hasRested: false },
  }
}
