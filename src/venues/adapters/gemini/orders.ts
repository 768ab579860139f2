/**
 * Gemini's orders and trades, as its answers and its order events have them. ccxt 4.5.84 calls an order filled that is neither live nor cancelled, and with its first
 * fill; it knows names of markets in lower case alone, and reads no trade from an event. What an order has come to is read from its amounts.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { record, word } from "../adapter.ts"

/** What ccxt's Gemini has for names. */
export interface Names {
  safeSymbol(marketId: string | undefined, market?: unknown): string
  safeCurrencyCode(id: string): string
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined

const decimalOf = (value: unknown): Decimal | undefined => Decimal.fromVenue(textOf(value) ?? "")

const instantOf = (value: unknown): number | undefined => {
  const at = Number(textOf(value) ?? Number.NaN)
  return Number.isFinite(at) ? at : undefined
}

const isWhole = (row: Raw): boolean => {
  const [original, executed] = [decimalOf(row["original_amount"]), decimalOf(row["executed_amount"])]
  if (original === undefined || executed === undefined) return false
  return executed.isPositive() && executed.atLeast(original)
}

/** Undefined: it does not say, and has to be asked for. */
const statusOf = (row: Raw): string | undefined => {
  if (row["type"] === "rejected") return "rejected"
  if (isWhole(row)) return "closed"
  if (row["is_cancelled"] === true) return "canceled"
  return row["is_live"] === true ? "open" : undefined
}

const OPTIONS: Readonly<Record<string, Partial<CcxtOrder>>> = {
  "maker-or-cancel": { timeInForce: "PO", postOnly: true },
  "immediate-or-cancel": { timeInForce: "IOC" },
  "fill-or-kill": { timeInForce: "FOK" },
}

/** `options` of an answer, `behavior` of an event. */
const optionOf = (row: Raw): string =>
  String((Array.isArray(row["options"]) ? row["options"][0] : undefined) ?? row["behavior"] ?? "")

const TYPES: Readonly<Record<string, string>> = {
  "exchange limit": "limit",
  "market buy": "market",
  "market sell": "market",
  "exchange market": "market",
}

/** What answers and events say alike. */
const common = (names: Names, row: Raw): CcxtOrder => ({
  id: textOf(row["order_id"]),
  clientOrderId: textOf(row["client_order_id"]),
  symbol: marketOf(names, row),
  timeInForce: "GTC",
  postOnly: false,
  ...OPTIONS[optionOf(row)],
  type: undefined,
  side: textOf(row["side"])?.toLowerCase(),
  price: textOf(row["price"]),
  amount: textOf(row["original_amount"]),
  filled: textOf(row["executed_amount"]),
  status: statusOf(row),
  timestamp: undefined,
  lastUpdateTimestamp: undefined,
  lastTradeTimestamp: undefined,
  trades: undefined,
  info: row,
})

const marketOf = (names: Names, row: Raw): string | undefined => {
  const id = textOf(row["symbol"])?.toLowerCase()
  return id === undefined ? undefined : names.safeSymbol(id)
}

/** `timestampms` is when it was submitted. */
export const shown = (names: Names, row: Raw): CcxtOrder => ({
  ...common(names, row),
  type: TYPES[String(row["type"])] ?? textOf(row["type"]),
  timestamp: instantOf(row["timestampms"]),
})

const BIRTHS: ReadonlySet<unknown> = new Set(["initial", "accepted"])

/** `timestampms` is when it happened. */
export const told = (names: Names, event: Raw): CcxtOrder => {
  const at = instantOf(event["timestampms"])
  return {
    ...common(names, event),
    type: TYPES[String(event["order_type"])] ?? textOf(event["order_type"]),
    timestamp: BIRTHS.has(event["type"]) ? at : undefined,
    lastUpdateTimestamp: event["type"] === "initial" ? undefined : at,
  }
}

/** Words of a cancel that was not carried out: what became of the order it does not say. */
const HINTS: ReadonlySet<unknown> = new Set(["cancel_rejected"])

/** The order has to be asked for. */
export const isHint = ({ status, amount, info }: CcxtOrder): boolean =>
  status === undefined || amount === undefined || HINTS.has(info?.["type"])

/** The trade of a `fill`, whose number is the `tid` of the list. */
export const tradeTold = (names: Names, event: Raw): CcxtTrade | undefined => {
  const fill = record(event["fill"])
  const id = textOf(fill["trade_id"])
  if (event["type"] !== "fill" || id === undefined) return undefined
  const asset = word(fill, "fee_currency")
  const fee = {
    cost: textOf(fill["fee"]) ?? "0",
    currency: asset === null ? undefined : names.safeCurrencyCode(asset),
  }
  return {
    id,
    order: textOf(event["order_id"]),
    symbol: marketOf(names, event),
    side: textOf(event["side"])?.toLowerCase(),
    price: textOf(fill["price"]),
    amount: textOf(fill["amount"]),
    timestamp: instantOf(event["timestampms"]),
    fee,
    fees: undefined,
    info: event,
  }
}

/** "The trade was fully broken": it is as if it had not happened. */
export const unbroken = (answer: unknown): ReadonlyArray<Raw> =>
  (Array.isArray(answer) ? answer : []).map(record).filter((row) => row["break"] !== "full")

const ENDED_AT_ONCE: ReadonlySet<string> = new Set(["ImmediateOrCancelWouldPost", "FillOrKillWouldNotFill"])

export const reasonOf = ({ info }: Pick<CcxtOrder, "info">): string | null => word(info, "reason")

/** The rest of an order that had to be filled at once. */
export const isRemainder = (order: CcxtOrder): boolean => {
  const reason = reasonOf(order)
  if (reason !== null) return ENDED_AT_ONCE.has(reason)
  return order.timeInForce === "IOC" || order.timeInForce === "FOK"
}
