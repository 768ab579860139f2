/**
 * An account's orders that are over, and its trades, in pages. What is recent is in one list, and everything, once it is indexed, in another that is
 * asked for with `historical`. Source: docs.deribit.com, "Accessing Historical Trades and Orders Using API".
 */
import { executedQuantity, type Fill, isOpen } from "../binance/model.ts"
import { type Core, isTrue, type Method, type Params, textOf } from "./core.ts"
import type { DeribitAccount } from "./model.ts"
import { invalidParams } from "./refusal.ts"
import { orderRow, tradeRow } from "./wire.ts"

const COUNT_MOST = 1000
const USUAL_ORDERS = 20
const USUAL_TRADES = 10
const RECENT_ORDERS_MILLIS = 30 * 60_000
const RECENT_TRADES_MILLIS = 24 * 3_600_000

const countOf = (params: Params, usual: number): number => {
  const count = Number(textOf(params, "count") ?? usual)
  if (!(count >= 1 && count <= COUNT_MOST)) throw invalidParams("count", "out of range")
  return count
}

/** Whether something of that time stands in the list that is asked for. */
const stands = (core: Core, params: Params, at: number, recentMillis: number): boolean =>
  isTrue(params, "historical")
    ? at < core.faults.heldSince
    : at > Math.max(core.now() - recentMillis, core.faults.forgottenUntil)

/** Newest first. */
const orders: Method = (core, account, params) => {
  const symbol = textOf(params, "instrument_name")
  const found = [...account.orders.values()]
    .filter(
      (order) =>
        !isOpen(order) &&
        (symbol === undefined || order.symbol === symbol) &&
        (isTrue(params, "include_unfilled") || executedQuantity(order) > 0n) &&
        stands(core, params, order.updatedAt, RECENT_ORDERS_MILLIS),
    )
    .reverse()
  const offset = Number(textOf(params, "offset") ?? 0)
  return found.slice(offset, offset + countOf(params, USUAL_ORDERS)).map(orderRow)
}

const required = (params: Params, name: string): number => {
  const value = textOf(params, name)
  if (value === undefined || !/^\d+$/.test(value)) throw invalidParams(name, "must be a number")
  return Number(value)
}

const tradesPage = (core: Core, account: DeribitAccount, params: Params, wanted: (fill: Fill) => boolean): object => {
  const found = account.fills.filter(
    (fill) => wanted(fill) && stands(core, params, fill.filledAt, RECENT_TRADES_MILLIS),
  )
  const sorted = textOf(params, "sorting") === "asc" ? found : [...found].reverse()
  const page = sorted.slice(0, countOf(params, USUAL_TRADES))
  return { trades: page.map((fill) => tradeRow(core, account, fill)), has_more: sorted.length > page.length }
}

const ofInstrument = (params: Params, { symbol }: Fill): boolean => {
  const name = textOf(params, "instrument_name")
  return name === undefined || name === symbol
}

const trades: Method = (core, account, params) =>
  tradesPage(core, account, params, (fill) => ofInstrument(params, fill))

/** Both ends are required, and in it. */
const tradesBetween: Method = (core, account, params) => {
  const [since, until] = [required(params, "start_timestamp"), required(params, "end_timestamp")]
  return tradesPage(
    core,
    account,
    params,
    (fill) => ofInstrument(params, fill) && fill.filledAt >= since && fill.filledAt <= until,
  )
}

export const accountLists: ReadonlyArray<readonly [string, Method]> = [
  ["private/get_order_history_by_currency", orders],
  ["private/get_order_history_by_instrument", orders],
  ["private/get_user_trades_by_currency", trades],
  ["private/get_user_trades_by_instrument", trades],
  ["private/get_user_trades_by_currency_and_time", tradesBetween],
  ["private/get_user_trades_by_instrument_and_time", tradesBetween],
]
