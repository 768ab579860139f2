/**
 * The list of orders as SQL. The one thing to know: the keys of a page come first, each account's from an index of its own in the order of
 * the list, and whole rows are read of one page only, whatever the number of stored orders.
 */
import { COUNTED_MAX } from "../../domain/counted.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { isTerminal, type OrderStatus } from "../../domain/order/status.ts"
import { ORDER_COLUMNS } from "./rows.ts"

/** The last order of the page before. */
export interface OrderKeyset {
  readonly createdAt: number
  readonly tradeOrderId: TradeOrderId
}

export interface OrderQuery {
  /** The accounts whose orders the caller may see. */
  readonly tradingAccountIds: ReadonlyArray<TradingAccountId>
  readonly tradeOrderId?: TradeOrderId
  readonly clientOrderId?: string
  /** Children of a list's parent, or both legs of a pair without one. */
  readonly orderListId?: string
  readonly orderStatus?: ReadonlyArray<OrderStatus>
  /** With `orderStatus`: PENDING_CANCEL, PENDING_REPLACE and REPLACED count only with (true) or without (false) executions. */
  readonly hasFills?: boolean
  readonly instrumentId?: InstrumentId
  /** createdAt, both inclusive, ms. */
  readonly startTime?: number
  readonly endTime?: number
  /** updatedAt, inclusive, ms. An order that changes meanwhile keeps its place among the pages, which is that of its createdAt. */
  readonly updatedSince?: number
  readonly limit: number
  readonly offset: number
  /** Continue behind this order; `offset` then counts from there. */
  readonly cursor?: OrderKeyset
  /** Oldest first. */
  readonly ascending?: boolean
  /** False leaves the count out (total 0): pages behind the first carry it in their cursor. */
  readonly counted?: boolean
}

interface Condition {
  /** What a row `o` of account `a` must satisfy. */
  readonly text: string
  /** `FROM` of the accounts, and of the statuses where each has an index of its own. */
  readonly from: string
  /** One of them holds of each row, and each has an index of its own. */
  readonly parts: ReadonlyArray<string>
  /** The first is the accounts, as an array literal. */
  readonly values: Array<string | number>
}

const MOMENTARY = "'PENDING_CANCEL', 'PENDING_REPLACE', 'REPLACED'"

const conditionOf = (query: OrderQuery): Condition => {
  const values: Array<string | number> = [`{${query.tradingAccountIds.join(",")}}`]
  const parts: Array<string> = ["o.trading_account_id = a.id"]
  let from = "unnest($1::uuid[]) AS a(id)"
  const param = (value: string | number): string => {
    values.push(value)
    return `$${values.length}`
  }
  if (query.tradeOrderId !== undefined) parts.push(`o.trade_order_id = ${param(query.tradeOrderId)}`)
  if (query.clientOrderId !== undefined) parts.push(`o.client_order_id = ${param(query.clientOrderId)}`)
  // The list's id is its parent's: the parent itself is no part of the answer (contract C4).
  if (query.orderListId !== undefined) {
    const list = param(query.orderListId)
    parts.push(`o.order_list_id = ${list}::uuid AND o.trade_order_id <> ${list}::uuid`)
  }
  if (query.instrumentId !== undefined) parts.push(`o.instrument_id = ${param(query.instrumentId)}`)
  if (query.orderStatus !== undefined) {
    const words = `${param(`{${query.orderStatus.join(",")}}`)}::text[]`
    if (query.orderStatus.every((word) => !isTerminal(word))) parts.push(`o.open AND o.order_status = ANY (${words})`)
    else if (query.orderStatus.every(isTerminal)) {
      from += ` CROSS JOIN unnest(${words}) AS s(word)`
      parts.push("o.ended_as = s.word")
    } else parts.push(`o.order_status = ANY (${words})`)
  }
  if (query.hasFills !== undefined)
    parts.push(`(o.order_status NOT IN (${MOMENTARY}) OR o.executed_quantity ${query.hasFills ? ">" : "="} 0)`)
  if (query.startTime !== undefined) parts.push(`o.created_at >= ${param(query.startTime)}`)
  if (query.endTime !== undefined) parts.push(`o.created_at <= ${param(query.endTime)}`)
  return { text: parts.join(" AND "), from, parts: changedSince(query.updatedSince, param), values }
}

/** What is open is little; of what is over the index has when it changed last (migration 42). */
const changedSince = (at: number | undefined, param: (value: number) => string): ReadonlyArray<string> => {
  if (at === undefined) return ["true"]
  const since = `${param(at)}::bigint`
  return [`o.open AND o.updated_at >= ${since}`, `o.over_since >= ${since}`]
}

export interface Statement {
  readonly text: string
  readonly values: ReadonlyArray<string | number>
}

/** One row more than the page has, so that it is known whether another follows; and how many there are in all. */
export const orderListSql = (query: OrderQuery): { readonly page: Statement; readonly count: Statement } => {
  const { text, from, parts, values } = conditionOf(query)
  const pageValues = [...values]
  let where = text
  if (query.cursor !== undefined) {
    pageValues.push(query.cursor.createdAt, query.cursor.tradeOrderId)
    const n = pageValues.length
    where += ` AND (o.created_at, o.trade_order_id) ${query.ascending ? ">" : "<"} ($${n - 1}::bigint, $${n}::uuid)`
  }
  const direction = query.ascending ? "ASC" : "DESC"
  const order = `o.created_at ${direction}, o.trade_order_id ${direction}`
  pageValues.push(query.offset + query.limit + 1, query.offset, query.limit + 1)
  const [reach, skip, take] = [2, 1, 0].map((back) => `$${pageValues.length - back}::bigint`)
  const keysOf = (part: string): string => `SELECT o.created_at, o.trade_order_id FROM ${from} CROSS JOIN LATERAL (
      SELECT o.created_at, o.trade_order_id FROM trade_order o WHERE ${where} AND ${part} ORDER BY ${order} LIMIT ${reach}
    ) AS o`
  const keys = `SELECT * FROM (${parts.map(keysOf).join(" UNION ALL ")}) AS o ORDER BY ${order} OFFSET ${skip} LIMIT ${take}`
  const matchingOf = (part: string): string => `SELECT FROM ${from} CROSS JOIN LATERAL (
      SELECT FROM trade_order o WHERE ${text} AND ${part} LIMIT ${COUNTED_MAX + 1}) AS o`
  const matching = `${parts.map(matchingOf).join(" UNION ALL ")} LIMIT ${COUNTED_MAX + 1}`
  return {
    page: {
      text: `SELECT ${ORDER_COLUMNS} FROM (${keys}) AS page JOIN trade_order o ON o.trade_order_id = page.trade_order_id ORDER BY ${order}`,
      values: pageValues,
    },
    count: { text: `SELECT count(*)::int AS total FROM (${matching}) AS matching`, values },
  }
}
