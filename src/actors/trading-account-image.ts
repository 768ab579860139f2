/**
 * The account as its channel has told it: open orders and positions after the newest published event. Memory is often ahead of what
 * is durable and told; a reader who starts from here and follows the channel misses nothing and sees nothing twice.
 */

import type { TradeOrderId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import { RareMap } from "../domain/rare.ts"
import type { TradeOrder } from "../domain/trade-order.ts"
import { tradeOrderJson } from "../domain/trade-order-record.ts"
import type { AccountState } from "../ports/account-store.ts"
import type { StateEntry } from "./account-messages.ts"
import type { Rest } from "./resting-accounts.ts"
import type { News } from "./trading-account-news.ts"

export class AccountImage {
  /** Of the newest event that it includes. */
  sequence: number
  /** Of the newest event when the actor woke, or first woke of all its sleeps without a change. */
  readonly awakeSince: number
  /** A PORTFOLIO.UPDATED was told since the actor woke: only then is anything known of positions. */
  hasPositions: boolean
  private readonly open = new RareMap<TradeOrderId, TradeOrder>()
  /** By currency. */
  readonly held: Map<string, string>

  constructor({ lastSequence, openOrders }: AccountState, rest: Rest | null) {
    this.sequence = lastSequence
    this.awakeSince = rest?.awakeSince ?? lastSequence
    this.hasPositions = rest?.hasPositions ?? false
    this.held = new Map(rest?.held)
    for (const order of openOrders) this.open.set(order.tradeOrderId, order)
  }

  /** An event that is being published. */
  take(sequence: number, { order, positions }: News): void {
    this.sequence = sequence
    if (order !== null) {
      if (isTerminal(order.orderStatus)) this.open.delete(order.tradeOrderId)
      else this.open.set(order.tradeOrderId, order)
    }
    if (positions === null) return
    this.hasPositions = true
    for (const [currency, json] of positions) {
      if (json === null) this.held.delete(currency)
      else this.held.set(currency, json)
    }
  }

  /** In the order in which they became known. */
  orders(): ReadonlyArray<StateEntry> {
    return [...this.open.values()].map((order) => ({ key: order.tradeOrderId, json: tradeOrderJson(order) }))
  }

  /** In order of currency. */
  positions(): ReadonlyArray<StateEntry> {
    return [...this.held].sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, json]) => ({ key: currency, json }))
  }
}
