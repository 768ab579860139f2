/** What must hold of lists and triggers in every world, by the venue's truth and by the rows that are durable. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { Trigger } from "../../../src/domain/order/terms.ts"
import { NEVER_PLACED, placeOf, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { reaches } from "../../../src/domain/order/trigger-prices.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueCall } from "../accounts.ts"
import { keyOf, type SimOrder, shownKey } from "../venue/exchange.ts"
import type { SimMarkets } from "../venue/market.ts"
import { type AccountView, LISTED_MILLIS } from "./view.ts"

/** A live price crossed: so long it may take until that is durable, a slow store included. */
const FIRING_MILLIS = 15_000
/** So exactly the gateway knows the venue's clock. */
const VENUE_CLOCK_MILLIS = 1_000

interface Crossed {
  readonly at: number
  readonly price: Decimal
}

export class ListChecks {
  private readonly crossed = new Map<TradeOrderId, Crossed>()
  private readonly pairs = new Map<string, Decimal>()
  private restarts = 0
  /** When each order was last sent. */
  private readonly sentAt = new Map<TradeOrderId, number>()
  /** When this process was first told of each of the venue's orders, by the venue's id. */
  private readonly shownAt = new Map<string, number>()
  /** Exits that were given up while the venue hid from this process that they were filled: what takes their place knows nothing of it. */
  private readonly hidden = new Set<TradeOrderId>()

  constructor(
    private readonly view: AccountView,
    private readonly market: SimMarkets,
  ) {
    market.hears.push((price, instrumentId) => this.heard(price, instrumentId))
  }

  private say(violation: string): void {
    this.view.say(violation)
  }

  processStarted(): void {
    this.crossed.clear()
    this.shownAt.clear()
    this.restarts = 0
    // Its end was not durable: this process makes a proof of its own.
    for (const id of this.hidden) if (!isTerminal(this.view.row(id)?.orderStatus ?? "REJECTED")) this.hidden.delete(id)
  }

  /** A unit on its way to the store: what it says is so in the gateway's memory from this moment on. */
  handedOver({ rows }: Unit): void {
    for (const row of rows)
      if (row._tag === "Order" && this.isHidden(row.order)) this.hidden.add(row.order.tradeOrderId)
  }

  /** Neither the stream nor an answer has shown it, and no trade of it was listed when the proof was made. */
  private isHidden(order: TradeOrder): boolean {
    if (order.orderStatus !== "REJECTED" || order.rejectReason !== NEVER_PLACED.proven) return false
    const sim = this.atVenue(order)
    if (sim?.status !== "FILLED" || this.shownAt.has(keyOf(sim))) return false
    const { time, venue } = this.view.world
    return sim.fills.every((it) => venue.history.listedAt(it) >= time.now - LISTED_MILLIS)
  }

  call(call: VenueCall): void {
    switch (call._tag) {
      case "Submit":
        this.sentAt.set(call.tradeOrderId, this.view.world.time.now)
        return
      case "ToldOrder":
        if (call.lookup._tag === "Found") this.shown(shownKey(call.lookup.state))
        return
      case "ToldOpen":
        for (const it of call.open) this.shown(shownKey(it))
        return
      case "Heard": {
        const { report } = call
        if (report._tag === "OrderSeen") this.shown(shownKey(report.state))
        if (report._tag === "Filled") this.shown(shownKey(report.fill))
      }
    }
  }

  private shown(key: string): void {
    if (!this.shownAt.has(key)) this.shownAt.set(key, this.view.world.time.now)
  }

  /** An actor that begins again reads of the past what the bars say: within a minute they prove nothing. */
  private forgetAfterRestart(): void {
    const { world } = this.view
    const { restarts } = world
    if (restarts !== this.restarts) this.crossed.clear()
    this.restarts = restarts
  }

  private heard(price: Decimal, instrumentId: InstrumentId): void {
    this.forgetAfterRestart()
    for (const order of this.view.rows()) {
      const trigger = order.terms?.trigger ?? null
      if (order.instrumentId !== instrumentId) continue
      if (trigger === null || placeOf(order) !== "ARMED" || this.crossed.has(order.tradeOrderId)) continue
      if (this.mayBeOfBefore(trigger)) continue
      if (reaches(trigger.on, trigger.stopPrice, price))
        this.crossed.set(order.tradeOrderId, { at: this.view.world.time.now, price })
    }
  }

  /**
   * Armed by a clock that is ahead of the venue's, where no price was known: of a trade in that second nobody can say whether it came before, and
   * the newest one decides.
   */
  private mayBeOfBefore({ isUnpriced, armedAt }: Trigger): boolean {
    const { time, wallAheadMillis, hasSteppedClock } = this.view.world
    if (isUnpriced !== true || armedAt === null || !hasSteppedClock || time.now >= armedAt) return false
    return time.now - (armedAt - wallAheadMillis) < VENUE_CLOCK_MILLIS
  }

  safety(): void {
    const { world } = this.view
    this.forgetAfterRestart()
    // What a process heard before it ended the next one reads in the venue's history.
    if (!world.isRunning) this.crossed.clear()
    for (const [id, { at, price }] of this.crossed) {
      const order = this.view.row(id)
      if (order === undefined || placeOf(order) !== "ARMED") this.crossed.delete(id)
      else if (world.time.now - Math.max(at, world.units.promptSince) > FIRING_MILLIS)
        this.say(`${id} is armed, and ${price} crossed its stop price`)
    }
    const inferred = new Set<TradeOrderId>()
    for (const it of world.database.executions.values()) if (it.inferred) inferred.add(it.tradeOrderId)
    for (const [listId, orders] of this.lists()) this.checkExits(listId, orders, inferred)
  }

  private lists(): ReadonlyMap<string, ReadonlyArray<TradeOrder>> {
    const lists = new Map<string, Array<TradeOrder>>()
    for (const order of this.view.rows()) {
      if (order.orderListId === null) continue
      const list = lists.get(order.orderListId)
      if (list === undefined) lists.set(order.orderListId, [order])
      else list.push(order)
    }
    return lists
  }

  private atVenue(order: TradeOrder): SimOrder | undefined {
    return this.view.world.venue.find({ tradeOrderId: order.tradeOrderId, externalOrderId: null })
  }

  /**
   * Exits never execute more than the entry brought, nor a pair more than it was for; a venue that breaks its own word excepted, and what it
   * hid of an exit until that was given up.
   */
  private checkExits(listId: string, orders: ReadonlyArray<TradeOrder>, inferred: ReadonlySet<TradeOrderId>): void {
    const sims = orders.map((order) => this.atVenue(order))
    if (sims.some((sim) => sim?.isOdd)) return
    let brought = Decimal.ZERO
    let sold = Decimal.ZERO
    let hasEntry = false
    for (const [i, order] of orders.entries()) {
      const sim = sims[i]
      const executed = sim?.executed ?? Decimal.ZERO
      if ((order.terms?.leg ?? null) !== null) {
        if (!this.hidden.has(order.tradeOrderId)) sold = sold.add(executed)
        continue
      }
      hasEntry = true
      brought = brought.add(executed)
      const fees = sim?.fills.flatMap((it) => it.fees) ?? []
      // The fee of what was inferred is not known when the exits get their size; a rebate makes them larger when it is.
      for (const fee of fees.filter(({ asset }) => asset === order.baseAsset).map((it) => Decimal.of(it.quantity)))
        if (fee.isNegative() || !inferred.has(order.tradeOrderId)) brought = brought.subtract(fee)
    }
    const isPair = !hasEntry && orders.length > 0
    if (isPair) brought = this.pairOf(listId, orders)
    if (sold.greaterThan(brought)) this.say(`list ${listId}: the exits executed ${sold} of ${brought}`)
  }

  /** What a bare pair was for when it was first seen: legs shrink, and their successors are smaller. */
  private pairOf(listId: string, orders: ReadonlyArray<TradeOrder>): Decimal {
    const known = this.pairs.get(listId)
    if (known !== undefined) return known
    const whole = orders.map((it) => it.baseQuantity).reduce(Decimal.max)
    this.pairs.set(listId, whole)
    return whole
  }

  /** On spot two legs of a list are never at the venue at once, but where it took one that had expired, and has not told of it. */
  placed(sim: SimOrder): void {
    const { exchange, world } = this.view
    const order = sim.tradeOrderId === null ? undefined : this.view.row(sim.tradeOrderId)
    if (order === undefined || order.orderListId === null || (order.terms?.leg ?? null) === null) return
    if (sim.isOdd) return
    for (const other of world.venue.openOrders(exchange)) {
      const its = other.tradeOrderId === null ? undefined : this.view.row(other.tradeOrderId)
      if (other === sim || its?.orderListId !== order.orderListId || (its.terms?.leg ?? null) === null) continue
      if (its.terms?.pairedWith === sim.tradeOrderId || !this.isKnown(other, order.tradeOrderId)) continue
      this.say(`two legs of a list at the venue: ${other.tradeOrderId} and ${sim.tradeOrderId}`)
    }
  }

  /** Whether the gateway could know of it when it sent that order. */
  private isKnown(other: SimOrder, sent: TradeOrderId): boolean {
    const shownAt = this.shownAt.get(keyOf(other))
    return !other.isOdd || (shownAt !== undefined && shownAt < (this.sentAt.get(sent) ?? 0))
  }

  /** A TRIGGERED event: the price crosses, and there was a trade at it while the order was armed, or just before. */
  triggered(order: Pick<TradeOrder, "tradeOrderId" | "instrumentId" | "terms">): void {
    const trigger = order.terms?.trigger ?? null
    if (trigger === null || trigger.execution === "NATIVE") return
    const { triggerPrice, armedAt, on, stopPrice, trailing } = trigger
    const id = order.tradeOrderId
    if (triggerPrice === null || armedAt === null) return this.say(`${id} was triggered by no price`)
    if (!reaches(on, stopPrice, triggerPrice))
      this.say(`${id} was triggered at ${triggerPrice}, its stop is ${stopPrice}`)
    const { trades } = this.market.of(order.instrumentId)
    const first = this.view.world.hasSteppedClock ? 0 : trades.findLastIndex((it) => it.at < armedAt)
    const since = trades.slice(Math.max(0, first))
    if (!since.some((it) => it.price.equals(triggerPrice))) this.say(`${id}: nobody traded at ${triggerPrice}`)
    if (trailing !== null && !trades.some((it) => it.price.equals(trailing.highWaterMark)))
      this.say(`${id}: nobody traded at its best price ${trailing.highWaterMark}`)
  }

  /** At rest the exits of an entry that is over are the venue's own list, where it keeps such and was never seen to end one. */
  atRest(): void {
    const { capabilities } = this.view.world.venue.venue
    if (capabilities.oco !== "NATIVE") return
    for (const [listId, orders] of this.lists()) {
      const entries = orders.filter((it) => (it.terms?.leg ?? null) === null)
      const open = orders.filter((it) => !isTerminal(it.orderStatus))
      const isTried = orders.some((it) => (it.terms?.pairedWith ?? null) !== null)
      const isPlain = open.every((it) => it.timeInForce === "GTC" && (it.terms?.trigger?.triggeredAt ?? null) === null)
      if (entries.length === 0 || open.length !== 2 || isTried || !isPlain) continue
      if (open.every((it) => (it.terms?.leg ?? null) !== null))
        this.say(`list ${listId}: its entry is over, and the gateway keeps its exits`)
    }
  }

  /** What no venue has, at rest: it waits for its parent, is watched, or is over. */
  elsewhere(order: TradeOrder): string | null {
    const { orderStatus, expireAt, terms } = order
    if (isTerminal(orderStatus)) return orderStatus === "FILLED" ? "is filled and was never at the venue" : null
    if (expireAt !== null && this.view.world.wall() > expireAt + 5_000) return "works past its end"
    if (placeOf(order) === "ARMED") {
      const trigger = terms?.trigger
      const market = this.market.of(order.instrumentId)
      if (!trigger || !reaches(trigger.on, trigger.stopPrice, market.price)) return null
      const isLive = trigger.health === "LIVE"
      const { startedAt } = this.view.world
      return market.isTold(trigger.armedAt ?? 0, isLive, startedAt) ? "is armed beyond its stop" : null
    }
    if (placeOf(order) !== "WAITING") return "was never at the venue"
    const parent = terms?.parentId ? this.view.row(terms.parentId) : undefined
    if (parent === undefined || (terms?.trigger?.triggeredAt ?? null) !== null) return "waits for nothing"
    const entries = this.view
      .rows()
      .filter((it) => it.orderListId === order.orderListId && (it.terms?.leg ?? null) === null)
    return entries.some((it) => !isTerminal(it.orderStatus)) ? null : "waits for a parent that is over"
  }
}
