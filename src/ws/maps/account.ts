/** An account's open orders and its positions as maps: what its events, and the state before them, say of the entries. */
import type { AccountEventKind } from "../../domain/account/event.ts"
import type { PositionRecord } from "../../domain/account/trading-account.ts"
import { isTerminal } from "../../domain/order/status.ts"
import type { TradeOrderRecord } from "../../domain/order/trade-order-record.ts"
import type { EntryChange } from "./entries.ts"

interface AccountEvent<A> {
  readonly kind: AccountEventKind
  readonly data: A
}

/** Events begin with their kind: those of other kinds are not read any further. */
const isOf = (json: string, kinds: string): boolean => json.startsWith(`{"kind":"${kinds}`)

const orderEntry = (order: TradeOrderRecord, json: string): EntryChange => {
  const { tradeOrderId, instrumentId, orderStatus } = order
  return { key: tradeOrderId, json: isTerminal(orderStatus) ? null : json, tags: { tradeOrderId, instrumentId } }
}

/** By trade order id; an order that is closed leaves. */
export const orderState = (entries: ReadonlyArray<{ readonly json: string }>): ReadonlyArray<EntryChange> =>
  entries.map(({ json }) => orderEntry(JSON.parse(json) as TradeOrderRecord, json))

export const orderChanges = (json: string): ReadonlyArray<EntryChange> => {
  if (!isOf(json, "TRADE_ORDER.")) return []
  const { data } = JSON.parse(json) as AccountEvent<TradeOrderRecord>
  return [orderEntry(data, JSON.stringify(data))]
}

const positionEntry = (position: PositionRecord, json: string): EntryChange => {
  const { currency, balance } = position
  return { key: currency, json: balance === "0" ? null : json, tags: { currency } }
}

/** By currency; a balance of nothing leaves, as it does from the portfolio. */
export const positionState = (entries: ReadonlyArray<{ readonly json: string }>): ReadonlyArray<EntryChange> =>
  entries.map(({ json }) => positionEntry(JSON.parse(json) as PositionRecord, json))

export const positionChanges = (json: string): ReadonlyArray<EntryChange> => {
  if (!isOf(json, "PORTFOLIO.UPDATED")) return []
  const { data } = JSON.parse(json) as AccountEvent<ReadonlyArray<PositionRecord>>
  return data.map((position) => positionEntry(position, JSON.stringify(position)))
}
