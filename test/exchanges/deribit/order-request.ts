/** Reads the parameters of private/buy, private/sell and private/edit. Source: docs.deribit.com, "private/buy". */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { Side } from "../binance/model.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import { isTrue, type Params, textOf } from "./core.ts"
import type { OrderWords } from "./model.ts"
import { amountTooLow, invalidAmount, invalidParams, timedOut, wrongTick } from "./refusal.ts"

/** "maximum 64 characters" */
const LABEL_LENGTH_MAX = 64
const TIMES_IN_FORCE: ReadonlyArray<string> = ["good_til_cancelled", "fill_or_kill", "immediate_or_cancel"]
const TYPES: ReadonlyArray<string> = ["limit", "market"]
const TRIGGERS: ReadonlyArray<string> = ["stop_limit", "take_limit", "stop_market", "take_market", "trailing_stop"]

export const isTrigger = (params: Params): boolean => TRIGGERS.includes(textOf(params, "type") ?? "")

const required = (params: Params, name: string): string => {
  const value = textOf(params, name)
  if (value === undefined || value === "") throw invalidParams(name, "value required")
  return value
}

export const readAmount = (market: Market, params: Params): bigint => {
  const amount = readFixed(required(params, "amount"))
  if (typeof amount === "string") throw invalidAmount()
  if (amount < market.filters.minQuantity) throw amountTooLow()
  if (amount % market.filters.stepSize !== 0n) throw invalidAmount()
  return amount
}

export const readPrice = (market: Market, params: Params): bigint => {
  const price = readFixed(required(params, "price"))
  if (typeof price === "string") throw invalidParams("price", "must be a number")
  if (price === 0n || price % market.filters.tickSize !== 0n) throw wrongTick()
  return price
}

/** "Server will start processing request in Matching Engine only before given timestamp." */
export const checkTime = (params: Params, now: number): void => {
  const until = textOf(params, "valid_until")
  if (until !== undefined && now >= Number(until)) throw timedOut()
}

/** What a market order gives up at. */
const protectedPrice = (market: Market, side: Side): bigint => {
  const best = (side === "BUY" ? market.asks : market.bids).best?.price ?? market.tape.last?.price ?? 0n
  const price = side === "BUY" ? (best * 101n) / 100n : (best * 99n) / 100n
  return price - (price % market.filters.tickSize)
}

export interface ReadOrder {
  readonly request: OrderRequest & { readonly price: bigint; readonly quantity: bigint }
  readonly words: OrderWords
}

export const readOrder = (market: Market, side: Side, params: Params): ReadOrder => {
  const type = textOf(params, "type") ?? "limit"
  if (!TYPES.includes(type)) throw invalidParams("type", "invalid value")
  const timeInForce = textOf(params, "time_in_force") ?? "good_til_cancelled"
  if (!TIMES_IN_FORCE.includes(timeInForce)) throw invalidParams("time_in_force", "invalid value")
  const label = textOf(params, "label") ?? ""
  if (label.length > LABEL_LENGTH_MAX) throw invalidParams("label", "value too long")
  const isPostOnly = isTrue(params, "post_only")
  if (isPostOnly && timeInForce !== "good_til_cancelled") throw invalidParams("post_only", "invalid combination")
  const isMarket = type === "market"
  return {
    request: {
      symbol: market.rules.symbol,
      side,
      type: "LIMIT",
      timeInForce:
        timeInForce === "fill_or_kill" ? "FOK" : isMarket || timeInForce === "immediate_or_cancel" ? "IOC" : "GTC",
      quantity: readAmount(market, params),
      quoteOrderQuantity: undefined,
      price: isMarket ? protectedPrice(market, side) : readPrice(market, params),
      stopPrice: undefined,
      // Labels are not unique: the engine, which keeps ids unique, is told none.
      clientOrderId: undefined,
      isReduceOnly: isTrue(params, "reduce_only"),
    },
    words: {
      label,
      type: isMarket ? "market" : "limit",
      timeInForce,
      isPostOnly,
      isLiquidation: false,
      isReplaced: false,
      cancelReason: undefined,
    },
  }
}
