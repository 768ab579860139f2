/** Reads the fields of a new order as Bitstamp does. Source: www.bitstamp.net/api, "Buy limit order" and those beside it. */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { fees } from "./fees.ts"
import type { OrderWords, Subtype } from "./model.ts"
import { malformed, missing, notServed, oneOption, outOfBand, tooPrecise } from "./refusal.ts"

export type Fields = URLSearchParams

export type Kind = "limit" | "market" | "instant"

const decimalOf = (fields: Fields, name: string, code: string, places: number): bigint => {
  const text = fields.get(name)
  if (text === null) throw missing(name)
  const units = readFixed(text)
  if (units === "too precise") throw tooPrecise(code, name, places)
  if (units === "malformed" || units === 0n) throw malformed(code, name)
  return units
}

const placesOf = (step: string): number => step.split(".")[1]?.length ?? 0

const readPrice = (market: Market, fields: Fields): bigint => {
  const places = placesOf(market.rules.tickSize)
  const price = decimalOf(fields, "price", "400.041", places)
  if (price % market.filters.tickSize !== 0n) throw tooPrecise("400.041", "price", places)
  return price
}

const readAmount = (market: Market, fields: Fields): bigint => {
  const places = placesOf(market.rules.stepSize)
  const amount = decimalOf(fields, "amount", "400.026", places)
  if (amount % market.filters.stepSize !== 0n) throw tooPrecise("400.026", "amount", places)
  return amount
}

const OPTIONS: ReadonlyArray<readonly [field: string, subtype: Subtype]> = [
  ["ioc_order", "IOC"],
  ["fok_order", "FOK"],
  ["moc_order", "MOC"],
  ["gtd_order", "GTD"],
]

const isTrue = (text: string | null): boolean => text === "True" || text === "true"

const subtypeOf = (fields: Fields): Subtype => {
  for (const name of ["limit_price", "daily_order", "stop_price", "trigger", "leverage", "margin_mode"])
    if (fields.has(name)) throw notServed(name)
  const set = OPTIONS.filter(([field]) => isTrue(fields.get(field)))
  if (set.length > 1) throw oneOption()
  return set[0]?.[1] ?? "LIMIT"
}

/** "Order price must not exceed 20% of current price." */
const checkBand = (market: Market, side: "BUY" | "SELL", price: bigint): void => {
  const last = market.tape.last?.price
  if (last === undefined) return
  if (side === "BUY" && price * 10n > last * 12n) throw outOfBand("above")
  if (side === "SELL" && price * 10n < last * 8n) throw outOfBand("below")
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** Throws a `BitstampRefusal`. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, side: "BUY" | "SELL", kind: Kind, fields: Fields): Placement => {
  const subtype = kind === "limit" ? subtypeOf(fields) : kind === "market" ? "MARKET" : "INSTANT"
  const clientOrderId = fields.get("client_order_id") ?? undefined
  if (clientOrderId !== undefined && clientOrderId.length > 180) throw malformed("400.008", "client_order_id")
  const common = { symbol: market.rules.symbol, side, stopPrice: undefined, clientOrderId: undefined }
  const words = { clientOrderId, subtype }
  if (kind === "limit") {
    const price = readPrice(market, fields)
    checkBand(market, side, price)
    const timeInForce = subtype === "IOC" || subtype === "FOK" ? subtype : "GTC"
    const terms = { type: "LIMIT", timeInForce, quantity: readAmount(market, fields), price } as const
    return { request: { ...common, ...terms, quoteOrderQuantity: undefined }, words }
  }
  const terms = { type: "MARKET", timeInForce: "GTC", price: undefined } as const
  // "Amount in counter currency" of an instant buy.
  if (kind === "instant" && side === "BUY") {
    const budget = fees.withoutFee(decimalOf(fields, "amount", "400.026", 2))
    return { request: { ...common, ...terms, quantity: undefined, quoteOrderQuantity: budget }, words }
  }
  if (isTrue(fields.get("amount_in_counter"))) throw notServed("amount_in_counter")
  const quantity = readAmount(market, fields)
  return { request: { ...common, ...terms, quantity, quoteOrderQuantity: undefined }, words }
}
