/** Reads the fields of a new order, or of a change of one, as Gate does. Source: www.gate.com/docs/developers/apiv4, "Create an order". */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import type { OrderWords } from "./model.ts"
import { invalidPrecision, invalidValue, missingParameter } from "./refusal.ts"

export type Fields = Readonly<Record<string, unknown>>

export const recordOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const TIMES_IN_FORCE: ReadonlyArray<unknown> = ["gtc", "ioc", "poc", "fok"]

/** "Prefixed with `t-`, no longer than 28 bytes without it, can only include 0-9, A-Z, a-z, underscore, hyphen or dot." */
const TEXT = /^t-[0-9A-Za-z_.-]{1,28}$/

/** Of orders that came without one. */
const OF_THE_API = "apiv4"

const decimalOf = (fields: Fields, name: string): bigint => {
  const text = fields[name]
  if (text === undefined) throw missingParameter(name)
  const units = typeof text === "string" ? readFixed(text) : "malformed"
  if (units === "too precise") throw invalidPrecision(name)
  if (units === "malformed" || units === 0n) throw invalidValue(name)
  return units
}

export const readPrice = (market: Market, fields: Fields): bigint => {
  const price = decimalOf(fields, "price")
  if (price % market.filters.tickSize !== 0n) throw invalidPrecision("price")
  return price
}

export const readAmount = (market: Market, fields: Fields): bigint => {
  const amount = decimalOf(fields, "amount")
  if (amount % market.filters.stepSize !== 0n) throw invalidPrecision("amount")
  if (amount < market.filters.minQuantity) throw invalidValue("amount is too small")
  return amount
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** Throws a `GateRefusal`. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, fields: Fields): Placement => {
  const { text, side, type = "limit", account = "spot", currency_pair: symbol } = fields
  if (text !== undefined && !TEXT.test(String(text))) throw invalidValue("text")
  if (side !== "buy" && side !== "sell") throw invalidValue("side")
  if (type !== "limit" && type !== "market") throw invalidValue("type")
  if (account !== "spot") throw invalidValue("account: not served by the loopback exchange")
  for (const name of ["iceberg", "auto_borrow", "auto_repay", "stp_act", "action_mode"])
    if (fields[name] !== undefined) throw invalidValue(`${name}: not served by the loopback exchange`)
  const isMarket = type === "market"
  const timeInForce = fields["time_in_force"] ?? "gtc"
  if (!TIMES_IN_FORCE.includes(timeInForce)) throw invalidValue("time_in_force")
  if (isMarket && timeInForce !== "ioc" && timeInForce !== "fok") throw invalidValue("time_in_force of a market order")
  // A market buy is of so much of the quote asset, and of nothing else.
  const budget = isMarket && side === "buy" ? decimalOf(fields, "amount") : 0n
  return {
    request: {
      symbol: String(symbol),
      side: side === "buy" ? "BUY" : "SELL",
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: timeInForce === "ioc" ? "IOC" : timeInForce === "fok" ? "FOK" : "GTC",
      quantity: budget > 0n ? undefined : readAmount(market, fields),
      quoteOrderQuantity: budget > 0n ? budget : undefined,
      price: isMarket ? undefined : readPrice(market, fields),
      stopPrice: undefined,
      // The engine keeps ids of working orders apart, which this venue does not.
      clientOrderId: undefined,
    },
    words: { text: String(text ?? OF_THE_API), timeInForce: String(timeInForce), budget, isKilled: false },
  }
}
