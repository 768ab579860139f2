/**
 * The orders that an account's actor has in memory, by every name they are asked for: all open ones, and the newest 10,000 that are over,
 * for replays and late fills.
 */
import type { InstrumentId, TradeOrderId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { Execution, TradeOrder } from "../domain/trade-order.ts"
import type { Live } from "./trading-account-live.ts"

const RECENT_MAX = 10_000
/** Ended orders whose instruments and times still count when trades are fetched. */
const NEWEST_ENDED = 100

type Trade = Pick<Execution, "instrumentId" | "orderSide" | "externalTradeId">
const tradeKey = (it: Trade): string => `${it.instrumentId}|${it.orderSide}|${it.externalTradeId}`

export class AccountOrders {
  readonly orders = new Map<TradeOrderId, Live>()
  readonly open = new Set<TradeOrderId>()
  private readonly recent = new Set<TradeOrderId>()
  private readonly byKey = new Map<string, TradeOrderId>()
  private readonly byClientOrderId = new Map<string, TradeOrderId>()
  private readonly byExternalOrderId = new Map<string, TradeOrderId>()
  /** The orders of each list, oldest first. */
  private readonly byList = new Map<string, Set<TradeOrderId>>()
  /** Whose each of the venue's trades is. */
  private readonly trades = new Map<string, TradeOrderId>()

  find(by: { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string }): Live | undefined {
    const id = "tradeOrderId" in by ? by.tradeOrderId : this.byClientOrderId.get(by.clientOrderId)
    return id === undefined ? undefined : this.orders.get(id)
  }

  /** By the key that governs deduplication: idempotencyKey, else clientOrderId (contract C2). */
  findKey(key: string): Live | undefined {
    const id = this.byKey.get(key)
    return id === undefined ? undefined : this.orders.get(id)
  }

  findAtVenue(tradeOrderId: TradeOrderId | null, externalOrderId: string): Live | undefined {
    const id = tradeOrderId ?? this.byExternalOrderId.get(externalOrderId)
    return id === undefined ? undefined : this.orders.get(id)
  }

  /** The venue's id of an order, as an answer of the venue gave it, before any event carries it. */
  knowAs(live: Live, externalOrderId: string): void {
    this.byExternalOrderId.set(externalOrderId, live.order.tradeOrderId)
  }

  /** The order that has this trade of the venue; the store keeps each trade of an instrument and side once. */
  ownerOf(trade: Trade): TradeOrderId | undefined {
    return this.trades.get(tradeKey(trade))
  }

  openLives(): ReadonlyArray<Live> {
    return [...this.open].map((id) => this.orders.get(id)!)
  }

  /** The orders of a list, as far as they are in memory: all of them while one is open. */
  ofList(orderListId: string): ReadonlyArray<Live> {
    return [...(this.byList.get(orderListId) ?? [])].map((id) => this.orders.get(id)!)
  }

  /** Instruments with an open order, and those of the newest closed ones. */
  instruments(): ReadonlyArray<InstrumentId> {
    const found = new Set<InstrumentId>()
    for (const id of this.open) found.add(this.orders.get(id)!.order.instrumentId)
    for (const order of this.newestEnded()) found.add(order.instrumentId)
    return [...found]
  }

  /** The newest orders that are over, oldest first. */
  protected newestEnded(): ReadonlyArray<TradeOrder> {
    return [...this.recent].slice(-NEWEST_ENDED).map((id) => this.orders.get(id)!.order)
  }

  /** A trade is this order's from now on. */
  protected own(execution: Execution): void {
    this.trades.set(tradeKey(execution), execution.tradeOrderId)
  }

  protected index(live: Live): void {
    const { order } = live
    const id = order.tradeOrderId
    if (this.orders.get(id) !== live) {
      if (!this.orders.has(id)) for (const execution of order.executions) this.own(execution)
      this.orders.set(id, live)
      const key = order.idempotencyKey ?? order.clientOrderId
      if (key !== null) this.byKey.set(key, id)
      if (order.clientOrderId !== null) this.byClientOrderId.set(order.clientOrderId, id)
      if (order.orderListId !== null) this.enlist(order.orderListId, id)
    }
    if (order.externalOrderId !== null && this.byExternalOrderId.get(order.externalOrderId) !== id)
      this.byExternalOrderId.set(order.externalOrderId, id)
    if (!isTerminal(order.orderStatus)) {
      this.open.add(id)
      return
    }
    this.open.delete(id)
    this.recent.add(id)
    if (this.recent.size > RECENT_MAX) {
      const oldest = this.recent.values().next().value!
      this.recent.delete(oldest)
      // The arithmetic of a list needs all of its orders.
      if (this.hasOpenList(this.orders.get(oldest)!.order)) this.recent.add(oldest)
      else this.forget(oldest)
    }
  }

  private enlist(orderListId: string, id: TradeOrderId): void {
    const known = this.byList.get(orderListId)
    if (known === undefined) this.byList.set(orderListId, new Set([id]))
    else known.add(id)
  }

  private hasOpenList({ orderListId }: TradeOrder): boolean {
    return orderListId !== null && this.ofList(orderListId).some((it) => !isTerminal(it.order.orderStatus))
  }

  protected forget(id: TradeOrderId): void {
    const order = this.orders.get(id)?.order
    this.orders.delete(id)
    this.open.delete(id)
    if (order === undefined) return
    for (const execution of order.executions) this.trades.delete(tradeKey(execution))
    const key = order.idempotencyKey ?? order.clientOrderId
    if (key !== null) this.byKey.delete(key)
    if (order.clientOrderId !== null) this.byClientOrderId.delete(order.clientOrderId)
    const list = order.orderListId === null ? undefined : this.byList.get(order.orderListId)
    if (list?.delete(id) && list.size === 0) this.byList.delete(order.orderListId!)
    if (order.externalOrderId !== null) this.byExternalOrderId.delete(order.externalOrderId)
  }
}
