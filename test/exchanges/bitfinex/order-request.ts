/** Reads the fields of a new order as Bitfinex does. Source: docs.bitfinex.com, "Submit Order". */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { plain } from "../plain-numbers.ts"
import type { OrderWords } from "./model.ts"
import { invalid, tooLarge, tooSmall } from "./refusal.ts"

export type Fields = Readonly<Record<string, unknown>>

export const recordOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const KINDS: ReadonlyArray<unknown> = ["EXCHANGE LIMIT", "EXCHANGE MARKET", "EXCHANGE IOC", "EXCHANGE FOK"]
const FLAGS = 4096
const PRICE_DIGITS = 5
const PLACES = 8
/** "int45". */
const CID_MAX = 2 ** 45

const NOT_SERVED = ["gid", "lev", "price_trailing", "price_aux_limit", "price_oco_stop", "tif"]

/** "Anything exceeding this will be rounded to the 8th decimal": cut here. */
const cutTo8 = (text: string): string => {
  const [whole = "", fraction = ""] = text.split(".")
  return fraction.length <= PLACES ? text : `${whole}.${fraction.slice(0, PLACES)}`
}

/** "Prices submit with a precision larger than 5 will be cut by the API." */
const cutToDigits = (text: string): string => {
  let digits = 0
  let hasBegun = false
  return [...text]
    .map((letter) => {
      if (letter === ".") return letter
      hasBegun ||= letter !== "0"
      if (hasBegun) digits++
      return digits > PRICE_DIGITS ? "0" : letter
    })
    .join("")
}

const unitsOf = (name: string, text: string): bigint => {
  const units = readFixed(cutTo8(text))
  if (typeof units === "string") throw invalid(name)
  return units
}

/** Texts: an amount that sells is below zero. */
export const signedAmount = (fields: Fields, name: string): bigint => {
  const text = fields[name]
  if (typeof text !== "string") throw invalid(name)
  return text.startsWith("-") ? -unitsOf(name, text.slice(1)) : unitsOf(name, text)
}

export const readPrice = (fields: Fields): bigint => {
  const { price } = fields
  if (typeof price !== "string") throw invalid("price")
  const units = unitsOf("price", cutToDigits(price))
  if (units === 0n) throw invalid("price")
  return units
}

export const pairOf = ({ rules: { base, quote } }: Market): string => `${base}${quote}`

export const checkSize = (market: Market, quantity: bigint): void => {
  const { minQuantity, maxQuantity } = market.filters
  if (quantity < minQuantity) throw tooSmall(pairOf(market), plain(minQuantity))
  if (quantity > maxQuantity) throw tooLarge(pairOf(market), plain(maxQuantity))
}

const readCid = (cid: unknown): number | null => {
  if (cid === undefined) return null
  if (typeof cid !== "number" || !Number.isInteger(cid) || cid < 0 || cid >= CID_MAX) throw invalid("cid")
  return cid
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** Throws a `BitfinexRefusal`. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, fields: Fields): Placement => {
  const { type, symbol, flags = 0 } = fields
  for (const name of NOT_SERVED) if (fields[name] !== undefined) throw invalid(name)
  if (!KINDS.includes(type)) throw invalid("type")
  if (flags !== 0 && flags !== FLAGS) throw invalid("flags")
  const cid = readCid(fields["cid"])
  const kind = String(type)
  const isMarket = kind === "EXCHANGE MARKET"
  const amount = signedAmount(fields, "amount")
  const quantity = amount < 0n ? -amount : amount
  checkSize(market, quantity)
  return {
    request: {
      symbol: String(symbol),
      side: amount < 0n ? "SELL" : "BUY",
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: kind.endsWith("IOC") ? "IOC" : kind.endsWith("FOK") ? "FOK" : "GTC",
      quantity,
      quoteOrderQuantity: undefined,
      price: isMarket ? undefined : readPrice(fields),
      stopPrice: undefined,
      // The engine keeps ids of working orders apart, which this venue does not.
      clientOrderId: undefined,
    },
    words: { cid, kind, flags: Number(flags), isKilled: false, isTold: false },
  }
}
