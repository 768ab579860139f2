/** Reads the fields of a new order as Gemini does. Source: developer.gemini.com, "Create new order". */
import { readFixed } from "../binance/fixed.ts"
import type { Market } from "../binance/market.ts"
import type { OrderRequest } from "../binance/wire/filters.ts"
import type { Option, OrderWords } from "./model.ts"
import {
  conflictingOptions,
  missingField,
  nameNoText,
  nameTooLong,
  optionsNoArray,
  unsupportedOption,
  wrongPrice,
  wrongQuantity,
  wrongSide,
  wrongStop,
  wrongType,
} from "./refusal.ts"
import type { Payload } from "./signature.ts"

const NAME_LENGTH_MAX = 100

const textOf = (payload: Payload, name: string): string => {
  const value = payload[name]
  if (value === undefined) throw missingField(name)
  return String(value)
}

/** Nothing of it is rounded: what is between two steps is refused. */
const stepped = (text: string, step: bigint, refuse: (text: string) => Error): bigint => {
  const units = readFixed(text)
  if (typeof units !== "bigint" || units === 0n || units % step !== 0n) throw refuse(text)
  return units
}

const OPTIONS: ReadonlyArray<Option> = ["maker-or-cancel", "immediate-or-cancel", "fill-or-kill"]

const optionOf = ({ options }: Payload, isStop: boolean): Option | undefined => {
  if (options === undefined) return undefined
  if (!Array.isArray(options)) throw optionsNoArray()
  if (options.length > 1) throw conflictingOptions()
  const [given] = options as ReadonlyArray<unknown>
  if (given === undefined) return undefined
  const option = OPTIONS.find((it) => it === given)
  // "No options can be applied to stop-limit orders at this time."
  if (option === undefined || isStop) throw unsupportedOption(String(given))
  return option
}

/** "For buy orders, the stop_price must be below the price while sell orders require the stop_price to be greater than the price." */
const stopOf = (market: Market, payload: Payload, side: "BUY" | "SELL", price: bigint): bigint => {
  const stop = stepped(textOf(payload, "stop_price"), market.filters.tickSize, () => wrongStop("InvalidStopPrice"))
  if (side === "BUY" && stop > price) throw wrongStop("InvalidStopPriceBuy")
  if (side === "SELL" && stop < price) throw wrongStop("InvalidStopPriceSell")
  return stop
}

const nameOf = ({ client_order_id: name }: Payload): string | undefined => {
  if (name === undefined) return undefined
  if (typeof name !== "string") throw nameNoText()
  if (name.length > NAME_LENGTH_MAX) throw nameTooLong()
  return name
}

export interface Placement {
  readonly request: OrderRequest
  readonly words: OrderWords
}

/** Throws a `GeminiRefusal`. A maker-or-cancel order is read as a plain limit order: whether it may stay is seen at the book. */
export const readPlacement = (market: Market, payload: Payload): Placement => {
  const clientOrderId = nameOf(payload)
  const given = textOf(payload, "side")
  if (given !== "buy" && given !== "sell") throw wrongSide(given)
  const side = given === "buy" ? "BUY" : "SELL"
  const kind = textOf(payload, "type")
  if (kind !== "exchange limit" && kind !== "exchange stop limit") throw wrongType(kind)
  const isStop = kind === "exchange stop limit"
  const option = optionOf(payload, isStop)
  const price = stepped(textOf(payload, "price"), market.filters.tickSize, wrongPrice)
  const quantity = stepped(textOf(payload, "amount"), market.filters.stepSize, wrongQuantity)
  const timeInForce = option === "immediate-or-cancel" ? "IOC" : option === "fill-or-kill" ? "FOK" : "GTC"
  const common = { symbol: market.rules.symbol, side, clientOrderId: undefined, quoteOrderQuantity: undefined } as const
  const terms = isStop
    ? ({ type: "STOP_LOSS_LIMIT", stopPrice: stopOf(market, payload, side, price) } as const)
    : ({ type: "LIMIT", stopPrice: undefined } as const)
  return {
    request: { ...common, ...terms, timeInForce, price, quantity },
    words: { clientOrderId, option, reason: undefined },
  }
}
