/** What must hold of lists and triggers in every world, by the venue's truth and by the rows that are durable. */
import { Decimal } from "../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../src/domain/ids.ts"
import { isTerminal } from "../../src/domain/order-status.ts"
import { placeOf, type TradeOrder } from "../../src/domain/trade-order.ts"
import { reaches } from "../../src/domain/trailing-stop.ts"
import type { SimMarket } from "./market.ts"
import type { SimOrder } from "./venue.ts"
import type { World } from "./world.ts"

/** A live price crossed: so long it may take until that is durable, a slow store included. */
const FIRING_MILLIS = 15_000

interface Crossed {
  readonly at: number
  readonly price: Decimal
}

export class ListChecks {
  private readonly crossed = new Map<TradeOrderId, Crossed>()
  private readonly pairs = new Map<string, Decimal>()
  private restarts = 0

  constructor(
    private readonly world: World,
    private readonly market: SimMarket,
    private readonly say: (violation: string) => void,
  ) {
    world.venue.placed = (sim) => this.placed(sim)
    market.heard = (price) => this.heard(price)
  }

  processStarted(): void {
    this.crossed.clear()
    this.restarts = 0
  }

  /** An actor that begins again reads of the past what the bars say: within a minute they prove nothing. */
  private forgetAfterRestart(): void {
    const restarts = this.world.isRunning ? this.world.accounts.stats().restarts : 0
    if (restarts !== this.restarts) this.crossed.clear()
    this.restarts = restarts
  }

  private heard(price: Decimal): void {
    this.forgetAfterRestart()
    for (const { order } of this.world.database.orders.values()) {
      const trigger = order.terms?.trigger ?? null
      if (trigger === null || placeOf(order) !== "ARMED" || this.crossed.has(order.tradeOrderId)) continue
      if (reaches(trigger.on, trigger.stopPrice, price))
        this.crossed.set(order.tradeOrderId, { at: this.world.time.now, price })
    }
  }

  safety(): void {
    const { world } = this
    this.forgetAfterRestart()
    // What a process heard before it ended the next one reads in the venue's history.
    if (!world.isRunning) this.crossed.clear()
    for (const [id, { at, price }] of this.crossed) {
      const stored = world.database.orders.get(id)
      if (stored === undefined || placeOf(stored.order) !== "ARMED") this.crossed.delete(id)
      else if (world.time.now - at > FIRING_MILLIS) this.say(`${id} is armed, and ${price} crossed its stop price`)
    }
    for (const [listId, orders] of this.lists()) this.checkExits(listId, orders)
  }

  private lists(): ReadonlyMap<string, ReadonlyArray<TradeOrder>> {
    const lists = new Map<string, Array<TradeOrder>>()
    for (const { order } of this.world.database.orders.values()) {
      if (order.orderListId === null) continue
      const list = lists.get(order.orderListId)
      if (list === undefined) lists.set(order.orderListId, [order])
      else list.push(order)
    }
    return lists
  }

  private atVenue(order: TradeOrder): SimOrder | undefined {
    return this.world.venue.find({ tradeOrderId: order.tradeOrderId, externalOrderId: null })
  }

  /** Exits never execute more than the entry brought, nor a pair more than it was for; a venue that breaks its own word excepted. */
  private checkExits(listId: string, orders: ReadonlyArray<TradeOrder>): void {
    const sims = orders.map((order) => this.atVenue(order))
    if (sims.some((sim) => sim?.isOdd)) return
    let brought = Decimal.ZERO
    let sold = Decimal.ZERO
    let hasEntry = false
    for (const [i, order] of orders.entries()) {
      const sim = sims[i]
      const executed = sim?.executed ?? Decimal.ZERO
      if ((order.terms?.leg ?? null) !== null) {
        sold = sold.add(executed)
        continue
      }
      hasEntry = true
      brought = brought.add(executed)
      for (const { asset, quantity } of sim?.fills.flatMap((it) => it.fees) ?? [])
        if (asset === order.baseAsset) brought = brought.subtract(Decimal.of(quantity))
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

  /** On spot two legs of a list are never at the venue at once. */
  private placed(sim: SimOrder): void {
    const { database, venue } = this.world
    if (sim.tradeOrderId === null) return
    const order = database.orders.get(sim.tradeOrderId)?.order
    if (order === undefined) return this.say(`at the venue and not stored: ${sim.tradeOrderId}`)
    if (order.orderListId === null || (order.terms?.leg ?? null) === null) return
    for (const other of venue.openOrders()) {
      const its = other.tradeOrderId === null ? undefined : database.orders.get(other.tradeOrderId)?.order
      const isOneList = its?.terms?.pairedWith === sim.tradeOrderId
      if (other !== sim && !isOneList && its?.orderListId === order.orderListId && (its.terms?.leg ?? null) !== null)
        this.say(`two legs of a list at the venue: ${other.tradeOrderId} and ${sim.tradeOrderId}`)
    }
  }

  /** A TRIGGERED event: the price crosses, and there was a trade at it while the order was armed, or just before. */
  triggered(order: Pick<TradeOrder, "tradeOrderId" | "terms">): void {
    const trigger = order.terms?.trigger ?? null
    if (trigger === null || trigger.execution === "NATIVE") return
    const { triggerPrice, armedAt, on, stopPrice, trailing } = trigger
    const id = order.tradeOrderId
    if (triggerPrice === null || armedAt === null) return this.say(`${id} was triggered by no price`)
    if (!reaches(on, stopPrice, triggerPrice))
      this.say(`${id} was triggered at ${triggerPrice}, its stop is ${stopPrice}`)
    const { trades } = this.market
    const first = this.world.hasSteppedClock ? 0 : trades.findLastIndex((it) => it.at < armedAt)
    const since = trades.slice(Math.max(0, first))
    if (!since.some((it) => it.price.equals(triggerPrice))) this.say(`${id}: nobody traded at ${triggerPrice}`)
    if (trailing !== null && !trades.some((it) => it.price.equals(trailing.highWaterMark)))
      this.say(`${id}: nobody traded at its best price ${trailing.highWaterMark}`)
  }

  /** At rest the exits of an entry that is over are the venue's own list, where it keeps such and was never seen to end one. */
  atRest(): void {
    const { capabilities } = this.world.venue.venue
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
    if (expireAt !== null && this.world.wall() > expireAt + 5_000) return "works past its end"
    if (placeOf(order) === "ARMED") {
      const trigger = terms?.trigger
      return trigger && reaches(trigger.on, trigger.stopPrice, this.market.price) ? "is armed beyond its stop" : null
    }
    if (placeOf(order) !== "WAITING") return "was never at the venue"
    const parent = terms?.parentId ? this.world.database.orders.get(terms.parentId)?.order : undefined
    if (parent === undefined || (terms?.trigger?.triggeredAt ?? null) !== null) return "waits for nothing"
    const entries = [...this.world.database.orders.values()].filter(
      (it) => it.order.orderListId === order.orderListId && (it.order.terms?.leg ?? null) === null,
    )
    return entries.some((it) => !isTerminal(it.order.orderStatus)) ? null : "waits for a parent that is over"
  }
}
