/**
 * Reads the fields of a new order as OKX does: every one of them text, each wrong one named, and lot, step and smallest size
 * checked before money is. Source: okx.com/docs-v5, "POST / Place order".
 */

import { readFixed, toFixed8 } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { offLot, tooPrecise, tooSmall, wrongField } from "./refusal.ts"

export type Fields = Readonly<Record<string, unknown>>

const ORDER_TYPES: ReadonlyArray<string> = ["market", "limit", "post_only", "fok", "ioc"]

export const fieldOf = (fields: Fields, name: string): string | undefined => {
  const value = fields[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const decimalOf = (fields: Fields, name: string): bigint => {
  const text = fieldOf(fields, name)
  const units = text === undefined ? "malformed" : readFixed(text)
  if (units === "too precise") throw tooPrecise()
  if (units === "malformed" || units === 0n) throw wrongField(name)
  return units
}

/** Lot and smallest size, which OKX says apart. */
export const checkSize = (market: Market, size: bigint): void => {
  if (size % market.filters.stepSize !== 0n) throw offLot()
  if (size < toFixed8(market.rules.minQuantity ?? market.rules.stepSize)) throw tooSmall()
}

export interface Placement {
  readonly request: OrderRequest
  readonly ordType: string
  readonly tgtCcy: string
  readonly tag: string
}

/** Throws an `OperationRefusal`. A post-only order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, fields: Fields): Placement => {
  const { instId, side, ordType, tdMode } = fields
  if (tdMode !== "cash") throw wrongField("tdMode")
  if (side !== "buy" && side !== "sell") throw wrongField("side")
  if (typeof ordType !== "string" || !ORDER_TYPES.includes(ordType)) throw wrongField("ordType")
  const clOrdId = fieldOf(fields, "clOrdId")
  if (clOrdId !== undefined && !/^[A-Za-z0-9]{1,32}$/.test(clOrdId)) throw wrongField("clOrdId")
  const tgtCcy = fieldOf(fields, "tgtCcy") ?? (side === "buy" ? "quote_ccy" : "base_ccy")
  if (tgtCcy !== "base_ccy" && tgtCcy !== "quote_ccy") throw wrongField("tgtCcy")
  const isMarket = ordType === "market"
  const size = decimalOf(fields, "sz")
  const byQuote = isMarket && tgtCcy === "quote_ccy"
  const price = isMarket ? undefined : decimalOf(fields, "px")
  if (price !== undefined && price % market.filters.tickSize !== 0n) throw tooPrecise()
  if (!byQuote) checkSize(market, size)
  return {
    request: {
      symbol: String(instId),
      side: side === "buy" ? "BUY" : "SELL",
      type: isMarket ? "MARKET" : "LIMIT",
      timeInForce: ordType === "ioc" ? "IOC" : ordType === "fok" ? "FOK" : "GTC",
      quantity: byQuote ? undefined : size,
      quoteOrderQuantity: byQuote ? size : undefined,
      price,
      stopPrice: undefined,
      clientOrderId: clOrdId,
    },
    ordType,
    tgtCcy: isMarket ? tgtCcy : "",
    tag: fieldOf(fields, "tag") ?? "",
  }
}
