/**
 * Reads the fields of a new order as Coinbase does: product, configuration, increments. Source: docs.cdp.coinbase.com, create-order.
 */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { Side } from "../binance/model.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { fees } from "./fees.ts"
import type { OrderWords } from "./model.ts"
import { invalidArgument, priceTooPrecise, sizeTooPrecise, sizeTooSmall, unsupported } from "./refusal.ts"

export type Fields = Readonly<Record<string, unknown>>

export const recordOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const decimalOf = (fields: Fields, name: string, tooPrecise: () => Error): bigint => {
  const text = fields[name]
  const units = typeof text === "string" ? readFixed(text) : "malformed"
  if (units === "too precise") throw tooPrecise()
  if (units === "malformed" || units === 0n) throw unsupported(`malformed ${name}`)
  return units
}

export const readPrice = (market: Market, fields: Fields, name: string): bigint => {
  const price = decimalOf(fields, name, priceTooPrecise)
  if (price % market.filters.tickSize !== 0n) throw priceTooPrecise()
  return price
}

export const readSize = (market: Market, fields: Fields, name: string): bigint => {
  const size = decimalOf(fields, name, sizeTooPrecise)
  if (size % market.filters.stepSize !== 0n) throw sizeTooPrecise()
  if (size < market.filters.minQuantity) throw sizeTooSmall()
  return size
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

const TIMES_IN_FORCE = {
  limit_limit_gtc: ["GTC", "GOOD_UNTIL_CANCELLED"],
  sor_limit_ioc: ["IOC", "IMMEDIATE_OR_CANCEL"],
  limit_limit_fok: ["FOK", "FILL_OR_KILL"],
} as const

const isLimit = (kind: string): kind is keyof typeof TIMES_IN_FORCE => Object.hasOwn(TIMES_IN_FORCE, kind)

/** Throws a refusal. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, fields: Fields): Placement => {
  const { product_id, side, client_order_id, order_configuration } = fields
  if (typeof client_order_id !== "string" || client_order_id === "")
    throw invalidArgument("client_order_id is required")
  if (side !== "BUY" && side !== "SELL") throw invalidArgument("side")
  const configuration = recordOf(order_configuration)
  const [kind = "", ...others] = Object.keys(configuration)
  const terms = recordOf(configuration[kind])
  if (others.length > 0) throw unsupported("more than one order configuration")
  const named = { symbol: String(product_id), side: side as Side, stopPrice: undefined, clientOrderId: client_order_id }
  const words = { configuration, edits: [], cancelMessage: "" }
  if (kind === "market_market_ioc") {
    // "quote_size: required for BUY orders", "base_size: required for SELL orders".
    const amount =
      side === "BUY" ? decimalOf(terms, "quote_size", sizeTooPrecise) : readSize(market, terms, "base_size")
    const quote = side === "BUY" ? fees.withoutFee(amount) : undefined
    const quantity = side === "BUY" ? undefined : amount
    return {
      request: { ...named, type: "MARKET", timeInForce: "GTC", quantity, quoteOrderQuantity: quote, price: undefined },
      words: { ...words, timeInForce: "IMMEDIATE_OR_CANCEL", isPostOnly: false, isInQuote: side === "BUY" },
    }
  }
  if (!isLimit(kind)) throw unsupported(`not served by the loopback exchange: ${kind}`)
  const [timeInForce, said] = TIMES_IN_FORCE[kind]
  return {
    request: {
      ...named,
      type: "LIMIT",
      timeInForce,
      quantity: readSize(market, terms, "base_size"),
      quoteOrderQuantity: undefined,
      price: readPrice(market, terms, "limit_price"),
    },
    words: { ...words, timeInForce: said, isPostOnly: terms["post_only"] === true, isInQuote: false },
  }
}
