/**
 * The orders that an account's actor has in memory, by every name they are asked for: all open ones and the newest that are over. Of
 * older ones only the names stay, so that a replay is known and a trade is counted once; the order itself is read back (`recall`). A
 * list is in memory whole or not at all: its arithmetic needs all of its orders.
 */
import type { InstrumentId, TradeOrderId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { Execution, TradeOrder } from "../domain/trade-order.ts"
import { NAMED_ORDERS, type OrderName, type PastOrder } from "../ports/account-store.ts"
import type { Live } from "./trading-account-live.ts"

/** Ended orders whose instruments and times still count when trades are fetched. */
const NEWEST_ENDED = 100

type Trade = Pick<Execution, "instrumentId" | "orderSide" | "externalTradeId">
const tradeKey = (it: Trade): string => `${it.instrumentId}|${it.orderSide}|${it.externalTradeId}`

/** What stays of an order that has left memory. */
interface Names {
  /** Of its newest image: whatever is older is no longer true. */
  readonly version: number
  readonly key: string | null
  readonly clientOrderId: string | null
  readonly externalOrderId: string | null
  /** Keys of its trades. */
  readonly trades: ReadonlyArray<string>
}

const namesOf = (order: TradeOrder): Names => ({
  version: order.version,
  key: order.idempotencyKey ?? order.clientOrderId,
  clientOrderId: order.clientOrderId,
  externalOrderId: order.externalOrderId,
  trades: order.executions.map(tradeKey),
})

export class AccountOrders {
  readonly orders = new Map<TradeOrderId, Live>()
  readonly open = new Set<TradeOrderId>()
  /** Whole ones that are over, oldest first. */
  private readonly recent = new Set<TradeOrderId>()
  /** Oldest first. */
  private readonly past = new Map<TradeOrderId, Names>()
  private readonly byKey = new Map<string, TradeOrderId>()
  private readonly byClientOrderId = new Map<string, TradeOrderId>()
  private readonly byExternalOrderId = new Map<string, TradeOrderId>()
  /** The orders of each list, oldest first. */
  private readonly byList = new Map<string, Set<TradeOrderId>>()
  /** Whose each of the venue's trades is. */
  private readonly trades = new Map<string, TradeOrderId>()

  constructor(private readonly wholeOrders: number) {}

  find(by: OrderName): Live | undefined {
    const id = "tradeOrderId" in by ? by.tradeOrderId : this.byClientOrderId.get(by.clientOrderId)
    return id === undefined ? undefined : this.orders.get(id)
  }

  /** By the key that governs deduplication: idempotencyKey, else clientOrderId (contract C2). Whole or past. */
  idOfKey(key: string): TradeOrderId | undefined {
    return this.byKey.get(key)
  }

  /** Whole or past. */
  idOfClient(clientOrderId: string): TradeOrderId | undefined {
    return this.byClientOrderId.get(clientOrderId)
  }

  /** Whole or past. */
  idAtVenue(tradeOrderId: TradeOrderId | null, externalOrderId: string): TradeOrderId | undefined {
    return tradeOrderId ?? this.byExternalOrderId.get(externalOrderId)
  }

  findAtVenue(tradeOrderId: TradeOrderId | null, externalOrderId: string): Live | undefined {
    const id = this.idAtVenue(tradeOrderId, externalOrderId)
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

  /** A trade that is not counted yet, of an order that has left memory. */
  isMissing(fill: Trade & { readonly tradeOrderId: TradeOrderId | null; readonly externalOrderId: string }): boolean {
    const id = this.idAtVenue(fill.tradeOrderId, fill.externalOrderId)
    return id !== undefined && this.past.has(id) && this.ownerOf(fill) === undefined
  }

  /** An image of before the order left memory. */
  isOutdated({ tradeOrderId, version }: TradeOrder): boolean {
    return version < (this.past.get(tradeOrderId)?.version ?? 0)
  }

  openLives(): ReadonlyArray<Live> {
    return [...this.open].map((id) => this.orders.get(id)!)
  }

  /** The orders of a list that is in memory. */
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
    if (this.orders.get(id) !== live) this.enter(live)
    if (order.externalOrderId !== null && this.byExternalOrderId.get(order.externalOrderId) !== id)
      this.byExternalOrderId.set(order.externalOrderId, id)
    if (!isTerminal(order.orderStatus)) {
      this.open.add(id)
      return
    }
    this.open.delete(id)
    this.recent.add(id)
    // Two at most for one that came: after a time in which none could go there are fewer again.
    for (let looked = 0; this.recent.size > this.wholeOrders && looked < 2; looked++)
      this.dismiss(this.recent.values().next().value!)
  }

  private enter(live: Live): void {
    const { order } = live
    const id = order.tradeOrderId
    if (!this.orders.has(id)) for (const execution of order.executions) this.own(execution)
    this.orders.set(id, live)
    this.past.delete(id)
    const key = order.idempotencyKey ?? order.clientOrderId
    if (key !== null) this.byKey.set(key, id)
    if (order.clientOrderId !== null) this.byClientOrderId.set(order.clientOrderId, id)
    if (order.orderListId === null) return
    const list = this.byList.get(order.orderListId)
    if (list === undefined) this.byList.set(order.orderListId, new Set([id]))
    else list.add(id)
  }

  /** An order that is over, with the rest of its list: out of memory, but for the names. What is still at work stays, as if it were new. */
  private dismiss(id: TradeOrderId): void {
    const { orderListId } = this.orders.get(id)!.order
    const leaving = orderListId === null ? [this.orders.get(id)!] : this.ofList(orderListId)
    const isAtWork = leaving.some(
      ({ order, stored, owed, doubt }) => !isTerminal(order.orderStatus) || !stored || owed !== null || doubt !== null,
    )
    for (const { order } of leaving) {
      const { tradeOrderId } = order
      this.recent.delete(tradeOrderId)
      if (isAtWork) {
        if (isTerminal(order.orderStatus)) this.recent.add(tradeOrderId)
        continue
      }
      this.orders.delete(tradeOrderId)
      this.remember(tradeOrderId, namesOf(order))
    }
    if (!isAtWork && orderListId !== null) this.byList.delete(orderListId)
  }

  /** The names of an order that is over, as the store has them; oldest first, before any whole one that is over. */
  protected knowPast(order: PastOrder): void {
    const { tradeOrderId, version, clientOrderId, externalOrderId, instrumentId, orderSide } = order
    if (this.orders.has(tradeOrderId)) return
    const key = order.idempotencyKey ?? clientOrderId
    const trades = order.externalTradeIds.map((it) => tradeKey({ instrumentId, orderSide, externalTradeId: it }))
    if (key !== null) this.byKey.set(key, tradeOrderId)
    if (clientOrderId !== null) this.byClientOrderId.set(clientOrderId, tradeOrderId)
    if (externalOrderId !== null) this.byExternalOrderId.set(externalOrderId, tradeOrderId)
    for (const trade of trades) this.trades.set(trade, tradeOrderId)
    this.remember(tradeOrderId, { version, key, clientOrderId, externalOrderId, trades })
  }

  private remember(id: TradeOrderId, names: Names): void {
    this.past.set(id, names)
    if (this.past.size <= NAMED_ORDERS - this.wholeOrders) return
    const [oldest, forgotten] = this.past.entries().next().value!
    this.past.delete(oldest)
    this.unname(forgotten)
  }

  private unname({ key, clientOrderId, externalOrderId, trades }: Names): void {
    for (const trade of trades) this.trades.delete(trade)
    if (key !== null) this.byKey.delete(key)
    if (clientOrderId !== null) this.byClientOrderId.delete(clientOrderId)
    if (externalOrderId !== null) this.byExternalOrderId.delete(externalOrderId)
  }

  /** As if it had never been. */
  protected forget(id: TradeOrderId): void {
    const order = this.orders.get(id)?.order
    this.orders.delete(id)
    this.open.delete(id)
    this.recent.delete(id)
    if (order === undefined) return
    this.unname(namesOf(order))
    const list = order.orderListId === null ? undefined : this.byList.get(order.orderListId)
    if (list?.delete(id) && list.size === 0) this.byList.delete(order.orderListId!)
  }
}
