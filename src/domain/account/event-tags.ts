/**
 * What subscribers of `tradingAccount:<id>` may filter by. The one thing to know: an event that is read from the journal has the tags
 * that it had when it was published, so a filter sees one stream, live or recovered.
 */

import type { TradeOrder } from "../order/trade-order.ts"
import type { AccountEventKind } from "./event.ts"

export type AccountEventTags = Readonly<Record<string, string>>

/** Of TRADE_ORDER events. */
export const orderTags = (kind: AccountEventKind, order: TradeOrder): AccountEventTags => ({
  kind,
  tradeOrderId: order.tradeOrderId,
  instrumentId: order.instrumentId,
  orderStatus: order.orderStatus,
})

/** Of EXECUTION.CREATED: the state of the order is the next event's to tell. */
export const executionTags = (kind: AccountEventKind, order: TradeOrder): AccountEventTags => ({
  kind,
  tradeOrderId: order.tradeOrderId,
  instrumentId: order.instrumentId,
})

/** Of TRADING_ACCOUNT.ALERT. */
export const alertTags = (kind: AccountEventKind, tradeOrderId: string | null): AccountEventTags =>
  tradeOrderId === null ? { kind } : { kind, tradeOrderId }

/** The same tags, from what the journal keeps of an event. */
export const storedTags = (kind: AccountEventKind, payload: string): AccountEventTags => {
  if (kind === "TRADING_ACCOUNT.ALERT") return alertTags(kind, plainField(payload, "tradeOrderId"))
  const isExecution = kind === "EXECUTION.CREATED"
  if (!isExecution && !kind.startsWith("TRADE_ORDER.")) return { kind }
  const tags: Record<string, string> = { kind }
  for (const name of isExecution ? OF_EXECUTION : OF_ORDER) {
    const value = plainField(payload, name)
    if (value !== null) tags[name] = value
  }
  return tags
}

const OF_EXECUTION = ["tradeOrderId", "instrumentId"] as const
const OF_ORDER = [...OF_EXECUTION, "orderStatus"] as const

/**
 * A field that holds an id or a word, read without parsing the record: a thousand events are read in one turn. Within a text of the
 * record every quote is escaped, so nothing else looks like the field; the records name these before any record inside them does.
 */
const plainField = (payload: string, name: string): string | null => {
  const field = `"${name}":"`
  const at = payload.indexOf(field)
  if (at < 0) return null
  const from = at + field.length
  return payload.slice(from, payload.indexOf('"', from))
}
