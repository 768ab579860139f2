/**
 * The orders that an account's actor holds in memory, by each of their ids: all open ones, and those that ended recently. Older ones are read
 * from the store. The one thing to know: an order is evicted only once its newest image is durable, and its ids are kept some seconds longer, so
 * that an earlier read from the store is recognised as stale. A list is in memory whole or not at all: its arithmetic needs all of its orders.
 */
import type { InstrumentId, TradeOrderId } from "../../domain/ids.ts"
import { isTerminal } from "../../domain/order/status.ts"
import type { Execution, TradeOrder } from "../../domain/order/trade-order.ts"
import { LeanMap, LeanSet } from "../../foundation/lean.ts"
import {
  ENDED_MILLIS,
  type EndedActivity,
  LIFE_MILLIS,
  NEWEST_ENDED,
  type OrderName,
  type TradeName,
  tradeKey,
  type VenueOrderName,
  venueOrderKey,
} from "../../ports/account-store.ts"
import { newWorkingOrder, type WorkingOrder } from "./working-order.ts"

const REST_MILLIS = 60_000
/** An answer of the store counts for so long after it was asked. */
export const BELIEVED_MILLIS = 20_000
const NAMES_MILLIS = BELIEVED_MILLIS + 10_000
const SWEEP_MILLIS = 15_000
/** Of those that may stay, so many more are looked at together: a look is at each that is still at work, too. */
const LEAVING_SHARE = 0.1

/** What a venue says of whose order it is. */
export interface NamesAtVenue extends VenueOrderName {
  /** By its client id, where that looks like one of ours. */
  readonly tradeOrderId: TradeOrderId | null
}

/** What stays for a while of an order that has left memory. */
interface Past {
  /** Of its newest image: whatever is older is no longer true. */
  readonly version: number
  readonly key: string | null
  readonly clientOrderId: string | null
  /** Monotonic ms. */
  readonly leftAt: number
  /** Of its newest trade, venue ms. */
  readonly tradedAt: number
}

const keyOf = (order: TradeOrder): string | null => order.idempotencyKey ?? order.clientOrderId

/** What the memory of orders works with. */
interface Needs {
  /** How many that are over it keeps. */
  readonly wholeOrders: number
  /** What ended before this process. */
  readonly ended: EndedActivity | null
  /** Of which instruments, where the newest of it is of the last minutes. */
  readonly endedLately: ReadonlyArray<InstrumentId>
  /** A trade of until then may be counted of an order that is out of memory; venue ms. */
  readonly forgottenUpTo: number
  readonly monotonic: () => number
  readonly later: (millis: number, run: () => void) => unknown
  readonly whenDurable: (run: () => void) => void
  /** An order has got a name of the venue's, or is over. */
  readonly becameClear: () => void
}

export class AccountOrders {
  private readonly all = new LeanMap<TradeOrderId, WorkingOrder>()
  readonly open = new LeanSet<TradeOrderId>()
  /** When (monotonic ms) an order of each instrument was last touched. */
  private readonly touched = new LeanMap<InstrumentId, number>()
  /** Those that were at rest when they left memory, and those before this process. */
  private readonly ended: EndedOrders
  /** Those that are over, oldest first. */
  private readonly recent = new LeanSet<TradeOrderId>()
  /** Those that left lately, oldest first. */
  private readonly past = new LeanMap<TradeOrderId, Past>()
  private readonly byKey = new LeanMap<string, TradeOrderId>()
  private readonly byClientOrderId = new LeanMap<string, TradeOrderId>()
  /** By `venueOrderKey`: some venues number the orders of each instrument. */
  private readonly byVenueName = new LeanMap<string, TradeOrderId>()
  /** What the venue has called each order; a change of an order may give it another name. */
  private readonly venueNames = new LeanMap<TradeOrderId, ReadonlyArray<string>>()
  /** The orders of each list, oldest first. */
  private readonly byList = new LeanMap<string, Set<TradeOrderId>>()
  /** Whose each of the venue's trades is, and the trades of each order. */
  private readonly trades = new LeanMap<string, TradeOrderId>()
  private readonly tradesOf = new LeanMap<TradeOrderId, Array<string>>()

  /** A trade of until then may be counted of an order that memory has forgotten; venue ms. */
  private forgottenUpTo: number
  private isLeaving = false
  /** How many were over and stayed when some last left. */
  private stayed = 0
  private isSweepDue = false
  /** Monotonic ms. */
  private readonly beganAt: number

  constructor(private readonly needs: Needs) {
    this.beganAt = needs.monotonic()
    this.ended = new EndedOrders(needs.ended)
    this.forgottenUpTo = needs.forgottenUpTo
  }

  get(id: TradeOrderId): WorkingOrder | undefined {
    return this.all.get(id)
  }

  values(): MapIterator<WorkingOrder> {
    return this.all.values()
  }

  /** Into memory; `stored`: as the store has it, else a new one. */
  introduce(order: TradeOrder, stored: boolean): WorkingOrder {
    const now = this.needs.monotonic()
    this.touched.set(order.instrumentId, now)
    const working = newWorkingOrder(order, stored, now)
    this.index(working)
    return working
  }

  /** Something was heard of it, or done with it. */
  touch(working: WorkingOrder): void {
    const now = this.needs.monotonic()
    working.touchedAt = now
    this.touched.set(working.order.instrumentId, now)
  }

  /** Instruments of orders that were touched since, also of those that are out of memory. */
  touchedSince(monotonic: number): ReadonlyArray<InstrumentId> {
    return [...this.touched].filter(([, at]) => at >= monotonic).map(([instrumentId]) => instrumentId)
  }

  /** The same, and instruments of orders that may have ended since then, but before this process. */
  activeSince(monotonic: number): ReadonlyArray<InstrumentId> {
    return [...this.touchedSince(monotonic), ...(monotonic < this.beganAt ? this.needs.endedLately : [])]
  }

  find(by: OrderName): WorkingOrder | undefined {
    const id = "tradeOrderId" in by ? by.tradeOrderId : this.byClientOrderId.get(by.clientOrderId)
    return id === undefined ? undefined : this.all.get(id)
  }

  /** By the key that governs deduplication: idempotencyKey, else clientOrderId (contract C2). In memory, or left lately. */
  idOfKey(key: string): TradeOrderId | undefined {
    return this.byKey.get(key)
  }

  /** In memory, or left lately. */
  idOfClient(clientOrderId: string): TradeOrderId | undefined {
    return this.byClientOrderId.get(clientOrderId)
  }

  /**
   * In memory, or left lately. A client id that looks like one of ours may be another account's, on the same account of the venue: it counts
   * where this account has such an order.
   */
  idAtVenue({ tradeOrderId, ...name }: NamesAtVenue): TradeOrderId | undefined {
    if (tradeOrderId !== null && (this.all.has(tradeOrderId) || this.past.has(tradeOrderId))) return tradeOrderId
    return this.byVenueName.get(venueOrderKey(name))
  }

  findAtVenue(names: NamesAtVenue): WorkingOrder | undefined {
    const id = this.idAtVenue(names)
    return id === undefined ? undefined : this.all.get(id)
  }

  /** The venue's id of an order, as an answer of the venue gave it, before any event carries it. */
  knowAs(working: WorkingOrder, externalOrderId: string): void {
    const { tradeOrderId, instrumentId } = working.order
    const key = venueOrderKey({ instrumentId, externalOrderId })
    if (this.byVenueName.get(key) === tradeOrderId) return
    this.byVenueName.set(key, tradeOrderId)
    this.venueNames.set(tradeOrderId, [...(this.venueNames.get(tradeOrderId) ?? []), key])
    this.needs.becameClear()
  }

  /** What the venue calls it is known, whether an event carries it yet or not. */
  hasVenueName(id: TradeOrderId): boolean {
    return this.venueNames.has(id)
  }

  /** The order that has this trade of the venue, if it is in memory or left lately; the store keeps each trade once. */
  ownerOf(trade: TradeName): TradeOrderId | undefined {
    return this.trades.get(tradeKey(trade))
  }

  /** Memory does not know the trade, and may have: the store says whether it is counted. */
  mayBeForgotten(trade: TradeName & Pick<Execution, "executedAt">): boolean {
    return trade.executedAt <= this.forgottenUpTo && this.ownerOf(trade) === undefined
  }

  /** An image of before the order left memory. */
  isOutdated({ tradeOrderId, version }: Pick<TradeOrder, "tradeOrderId" | "version">): boolean {
    return version < (this.past.get(tradeOrderId)?.version ?? 0)
  }

  openLives(): ReadonlyArray<WorkingOrder> {
    return [...this.open].map((id) => this.all.get(id)!)
  }

  /** The orders of a list that is in memory. */
  ofList(orderListId: string): ReadonlyArray<WorkingOrder> {
    return [...(this.byList.get(orderListId) ?? [])].map((id) => this.all.get(id)!)
  }

  /** Instruments with an open order, and those of the newest that are over. */
  instruments(): ReadonlyArray<InstrumentId> {
    const found = new Set<InstrumentId>(this.ended.instruments)
    for (const id of this.open) found.add(this.all.get(id)!.order.instrumentId)
    for (const order of this.newestEnded()) found.add(order.instrumentId)
    return [...found]
  }

  /** The newest orders in memory that are over, oldest first. */
  private newestEnded(): ReadonlyArray<TradeOrder> {
    return [...this.recent].slice(-NEWEST_ENDED).map((id) => this.all.get(id)!.order)
  }

  /** From when on trades may be missing of orders that are over; wall ms, or Infinity. */
  endedSince(): number {
    return this.ended.since(this.newestEnded())
  }

  /** A trade is this order's from now on. */
  own(execution: TradeName & Pick<Execution, "tradeOrderId">): void {
    const { tradeOrderId } = execution
    const key = tradeKey(execution)
    this.trades.set(key, tradeOrderId)
    const known = this.tradesOf.get(tradeOrderId)
    if (known === undefined) this.tradesOf.set(tradeOrderId, [key])
    else known.push(key)
  }

  /** It has a new image. */
  index(working: WorkingOrder): void {
    const { order } = working
    const id = order.tradeOrderId
    if (this.all.get(id) !== working) this.enter(working)
    if (order.externalOrderId !== null) this.knowAs(working, order.externalOrderId)
    if (!isTerminal(order.orderStatus)) {
      this.open.add(id)
      return
    }
    this.open.delete(id)
    this.recent.add(id)
    const { wholeOrders } = this.needs
    if (this.recent.size >= Math.max(wholeOrders, this.stayed) + Math.ceil(wholeOrders * LEAVING_SHARE)) this.leave()
    this.sweepLater()
    this.needs.becameClear()
  }

  private enter(working: WorkingOrder): void {
    const { order } = working
    const id = order.tradeOrderId
    // Its names were known for as long as it was on its way out.
    if (this.past.delete(id)) this.unname(id, keyOf(order), order.clientOrderId)
    if (!this.all.has(id)) {
      for (const execution of order.executions) this.own(execution)
      const { tradeOrderId, instrumentId, orderSide } = order
      for (const externalTradeId of order.olderTradeIds ?? [])
        this.own({ tradeOrderId, instrumentId, orderSide, externalTradeId })
    }
    this.all.set(id, working)
    const key = keyOf(order)
    if (key !== null) this.byKey.set(key, id)
    if (order.clientOrderId !== null) this.byClientOrderId.set(order.clientOrderId, id)
    if (order.orderListId === null) return
    const list = this.byList.get(order.orderListId)
    if (list === undefined) this.byList.set(order.orderListId, new Set([id]))
    else list.add(id)
  }

  // Leaving

  /**
   * At once when there are too many, else after a minute in which nothing touched them, so that an idle account has none. Between the
   * decision and the leaving lies the store's word that everything is durable.
   */
  private leave(): void {
    if (this.isLeaving) return
    const restedSince = this.needs.monotonic() - REST_MILLIS
    const leaving = this.leavers(restedSince)
    if (leaving.size === 0) return
    this.isLeaving = true
    this.needs.whenDurable(() => {
      this.isLeaving = false
      // What is still at work stays: nothing is gained by looking again at once.
      const isLess = this.dismiss(leaving, restedSince, this.needs.monotonic())
      this.stayed = this.recent.size
      if (isLess && this.stayed > this.needs.wholeOrders) this.leave()
    })
  }

  private sweepLater(): void {
    if (this.isSweepDue || (this.recent.size === 0 && this.past.size === 0)) return
    this.isSweepDue = true
    this.needs.later(SWEEP_MILLIS, () => {
      this.isSweepDue = false
      this.forgetPast(this.needs.monotonic() - NAMES_MILLIS)
      this.leave()
      this.sweepLater()
    })
  }

  /**
   * Orders that may leave once everything handed to the store until now is durable, with the versions that they have now: the oldest, as
   * long as there are too many, and those that nothing has touched since `restedSince` (monotonic ms); whole lists.
   */
  leavers(restedSince: number): ReadonlyMap<TradeOrderId, number> {
    const leaving = new Map<TradeOrderId, number>()
    let left = this.recent.size
    for (const id of this.recent) {
      const working = this.all.get(id)!
      if (left <= this.needs.wholeOrders && working.touchedAt > restedSince) break
      left--
      for (const { order } of this.companyOf(working)) leaving.set(order.tradeOrderId, order.version)
    }
    return leaving
  }

  /** The order, and the rest of its list. */
  private companyOf(working: WorkingOrder): ReadonlyArray<WorkingOrder> {
    const { orderListId } = working.order
    return orderListId === null ? [working] : this.ofList(orderListId)
  }

  /**
   * Out of memory, but for the names: those that have not changed since. What is still at work stays, as if it had just ended. Both
   * instants are monotonic ms. False: nothing left.
   */
  dismiss(leaving: ReadonlyMap<TradeOrderId, number>, restedSince: number, now: number): boolean {
    const before = this.recent.size
    for (const id of leaving.keys()) {
      const working = this.all.get(id)
      if (working === undefined || !this.recent.has(id)) continue
      const company = this.companyOf(working)
      const isAtWork = company.some(
        ({ order, stored, owed, question }) =>
          leaving.get(order.tradeOrderId) !== order.version || !stored || owed !== null || question !== null,
      )
      for (const { order } of company)
        if (this.recent.delete(order.tradeOrderId) && isAtWork) this.recent.add(order.tradeOrderId)
      if (isAtWork || company.some(({ order }) => !isTerminal(order.orderStatus))) continue
      for (const { order } of company) {
        this.all.delete(order.tradeOrderId)
        const { version, clientOrderId } = order
        const tradedAt = Math.max(...order.executions.map(({ executedAt }) => executedAt))
        this.past.set(order.tradeOrderId, { version, key: keyOf(order), clientOrderId, leftAt: now, tradedAt })
      }
      // In a busy account the newest ones in memory say enough.
      for (const { order, touchedAt } of company) if (touchedAt <= restedSince) this.ended.add(order)
      if (working.order.orderListId !== null) this.byList.delete(working.order.orderListId)
    }
    return this.recent.size < before
  }

  /** The names of orders that left before (monotonic ms). */
  forgetPast(before: number): void {
    for (const [id, { leftAt, key, clientOrderId, tradedAt }] of this.past) {
      if (leftAt > before) return
      this.past.delete(id)
      this.forgottenUpTo = Math.max(this.forgottenUpTo, tradedAt)
      this.unname(id, key, clientOrderId)
    }
  }

  private unname(id: TradeOrderId, key: string | null, clientOrderId: string | null): void {
    const drop = (names: LeanMap<string, TradeOrderId>, name: string): void => {
      if (names.get(name) === id) names.delete(name)
    }
    for (const trade of this.tradesOf.get(id) ?? []) drop(this.trades, trade)
    this.tradesOf.delete(id)
    for (const name of this.venueNames.get(id) ?? []) drop(this.byVenueName, name)
    this.venueNames.delete(id)
    if (key !== null) drop(this.byKey, key)
    if (clientOrderId !== null) drop(this.byClientOrderId, clientOrderId)
  }

  /** As if it had never been. */
  forget(id: TradeOrderId): void {
    const order = this.all.get(id)?.order
    this.all.delete(id)
    this.open.delete(id)
    this.recent.delete(id)
    if (order === undefined) return
    this.unname(id, keyOf(order), order.clientOrderId)
    const list = order.orderListId === null ? undefined : this.byList.get(order.orderListId)
    if (list?.delete(id) && list.size === 0) this.byList.delete(order.orderListId!)
  }
}

/** Orders that ended within so long of each other are one span: few spans say nearly what all the orders would. */
const SPAN_MILLIS = ENDED_MILLIS / 2

type Ended = Pick<TradeOrder, "instrumentId" | "createdAt" | "updatedAt">

/** Wall ms. */
interface Span {
  readonly from: number
  to: number
  /** When the first of them was created. */
  since: number
}

/** What orders that are over and out of memory still say: from when trades must be fetched, and of which instruments. */
class EndedOrders {
  /** The newest last; none ended more than ENDED_MILLIS before the newest. */
  private spans: Array<Span> = []
  /** The latest last. */
  private readonly latest = new LeanSet<InstrumentId>()

  constructor(known: EndedActivity | null) {
    if (known === null) return
    this.spans.push({ from: known.newestAt, to: known.newestAt, since: known.since })
    for (const instrumentId of known.instruments) this.latest.add(instrumentId)
  }

  get instruments(): Iterable<InstrumentId> {
    return this.latest
  }

  add({ instrumentId, createdAt, updatedAt }: Ended): void {
    const last = this.spans.at(-1)
    if (last === undefined || updatedAt > last.from + SPAN_MILLIS)
      this.spans.push({ from: updatedAt, to: updatedAt, since: createdAt })
    else {
      last.to = Math.max(last.to, updatedAt)
      last.since = Math.min(last.since, createdAt)
    }
    const newestAt = Math.max(...this.spans.map(({ to }) => to))
    this.spans = this.spans.filter(({ to }) => to > newestAt - ENDED_MILLIS)
    this.latest.delete(instrumentId)
    this.latest.add(instrumentId)
    if (this.latest.size > NEWEST_ENDED) this.latest.delete(this.latest[Symbol.iterator]().next().value!)
  }

  /** From when on trades may be missing of these orders in memory and of those that have left it; wall ms, or Infinity. */
  since(orders: ReadonlyArray<Ended>): number {
    const newestAt = Math.max(...this.spans.map(({ to }) => to), ...orders.map(({ updatedAt }) => updatedAt))
    let since = Number.POSITIVE_INFINITY
    for (const span of this.spans) if (span.to > newestAt - ENDED_MILLIS) since = Math.min(since, span.since)
    for (const { createdAt, updatedAt } of orders)
      if (updatedAt > newestAt - ENDED_MILLIS) since = Math.min(since, createdAt)
    return Math.max(since, newestAt - LIFE_MILLIS)
  }
}
