/**
 * Deribit's orders and trades, one form in its answers, its lists and its channels. ccxt 4.5.84 keeps their exponents, leaves out when an order changed
 * last, makes up what its fees are counted in, and takes what waits for a trigger for an order that is open.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../../worker/exchange/ccxt.ts"
import { readBack } from "../../worker/session/client-ids.ts"
import { word } from "../adapter.ts"

/** `2.5e-7` and floats in plain digits. */
export const decimalOf = (value: unknown): Decimal => Decimal.fromVenue(String(value ?? "")) ?? Decimal.ZERO

const millisOf = (value: unknown): number | undefined => {
  const millis = Number(value ?? Number.NaN)
  return Number.isFinite(millis) ? millis : undefined
}

/** Undefined: no market that is loaded. */
export const symbolOf = (exchange: CcxtExchange, id: unknown): string | undefined => {
  try {
    return exchange.market(String(id)).symbol
  } catch {
    return undefined
  }
}

const STATUS: Readonly<Record<string, string>> = {
  open: "open",
  filled: "closed",
  cancelled: "canceled",
  rejected: "rejected",
}

const TIMES_IN_FORCE: Readonly<Record<string, string>> = {
  good_til_cancelled: "GTC",
  good_til_day: "GTD",
  fill_or_kill: "FOK",
  immediate_or_cancel: "IOC",
}

/** `order_type` of what waits for a trigger, also behind it. */
const TRIGGERS = /^(stop|take|trailing)/

/** A trigger that has fired says so; before, it is no order, whatever ended it. */
const hasWaited = (row: Raw): boolean => TRIGGERS.test(String(row["order_type"])) && row["triggered"] !== true

/** Without a symbol, by which the session leaves it out, where it is no order of a market that is listed. */
export const orderOf = (exchange: CcxtExchange, row: Raw): CcxtOrder => {
  const type =
    String(row["order_type"] ?? "").includes("market") && row["order_type"] !== "market_limit" ? "market" : "limit"
  const isPostOnly = row["post_only"] === true
  const label = word(row, "label")
  return {
    id: word(row, "order_id") ?? undefined,
    clientOrderId: readBack(label) ?? label ?? undefined,
    symbol: hasWaited(row) ? undefined : symbolOf(exchange, row["instrument_name"]),
    type,
    timeInForce: isPostOnly ? "PO" : TIMES_IN_FORCE[String(row["time_in_force"])],
    postOnly: isPostOnly,
    side: word(row, "direction") ?? undefined,
    // A market order says "market_price".
    price: type === "market" ? undefined : decimalOf(row["price"]).toString(),
    amount: decimalOf(row["amount"]).toString(),
    filled: decimalOf(row["filled_amount"]).toString(),
    status: STATUS[String(row["order_state"])],
    timestamp: millisOf(row["creation_timestamp"]),
    lastUpdateTimestamp: millisOf(row["last_update_timestamp"]),
    lastTradeTimestamp: undefined,
    trades: undefined,
    info: row,
  }
}

/** A maker's fee may be below zero. */
export const tradeOf = (exchange: CcxtExchange, row: Raw): CcxtTrade => {
  const [cost, currency] = [row["fee"], word(row, "fee_currency")]
  const fee =
    cost === undefined || cost === null || currency === null
      ? undefined
      : { cost: decimalOf(cost).toString(), currency: exchange.safeCurrencyCode(currency) }
  return {
    id: word(row, "trade_id") ?? undefined,
    order: word(row, "order_id") ?? undefined,
    symbol: symbolOf(exchange, row["instrument_name"]),
    side: word(row, "direction") ?? undefined,
    price: decimalOf(row["price"]).toString(),
    amount: decimalOf(row["amount"]).toString(),
    timestamp: millisOf(row["timestamp"]),
    fee,
    fees: fee === undefined ? undefined : [fee],
    info: row,
  }
}

/** Labels are not unique. Ours was first: no other program can have known it before. */
export const firstOf = (orders: ReadonlyArray<Raw>): Raw | undefined =>
  orders.reduce<Raw | undefined>(
    (first, it) =>
      first === undefined || Number(it["creation_timestamp"]) < Number(first["creation_timestamp"]) ? it : first,
    undefined,
  )

// How an order ended.

/** `cancel_reason` of what the venue, or the user, ended while it stood; user_request is also said of what never stood. */
const REASONS: ReadonlySet<unknown> = new Set([
  "autoliquidation",
  "cancel_on_disconnect",
  "risk_mitigation",
  "pme_risk_reduction",
  "pme_account_locked",
  "position_locked",
  "mmp_trigger",
  "mmp_config_curtailment",
  "edit_post_only_reject",
  "oco_other_closed",
  "oto_primary_closed",
  "settlement",
])

export const ended = ({ type, timeInForce, info }: CcxtOrder) => {
  const isImmediate = type === "market" || timeInForce === "IOC" || timeInForce === "FOK"
  const isRest = isImmediate && !REASONS.has(info?.["cancel_reason"])
  return { status: "CANCELLED", ending: isRest ? "REMAINDER" : null } as const
}
