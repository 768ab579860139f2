/** What must hold in every world: safety after each step, agreement with the venue at rest. Violations are sentences. */
import { createHash } from "node:crypto"
import { Decimal } from "../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../src/domain/ids.ts"
import { isTerminal, mayBecome, type OrderStatus } from "../../src/domain/order-status.ts"
import type { TradeOrder } from "../../src/domain/trade-order.ts"
import { ACCOUNT, type World } from "./world.ts"

const NOTHING = [Decimal.ZERO, Decimal.ZERO] as const

/** An order's record without what changes between two events of it and is told with the next. */
const withoutSilent = (json: string): string => {
  const record = JSON.parse(json) as Record<string, unknown>
  for (const name of ["inDoubt", "evidence", "externalOrderId", "updatedAt", "updatedAtDateTime"]) delete record[name]
  return JSON.stringify(record)
}

interface Said {
  status: OrderStatus
  executed: Decimal
}

export class Checks {
  readonly violations: Array<string> = []
  private readonly answeredIds = new Set<TradeOrderId>()
  private readonly said = new Map<string, Said>()
  private readonly executed = new Map<string, Decimal>()
  private eventsRead = 0
  private publishedRead = 0
  private lastOffset = 0
  private streamDownAt: number | null = null
  /** What the events say, up to `followedTo`. */
  private readonly openOrders = new Map<string, string>()
  private readonly positions = new Map<string, string>()
  private followedTo = 0

  constructor(private readonly world: World) {}

  private say(violation: string): void {
    this.violations.push(`${new Date(this.world.time.now).toISOString()} ${violation}`)
  }

  acknowledged(): ReadonlyArray<TradeOrderId> {
    return [...this.answeredIds]
  }

  eventCount(): number {
    return this.eventsRead
  }

  trace(): string {
    const hash = createHash("sha256")
    for (const event of this.world.database.events.get(ACCOUNT) ?? []) hash.update(`${event.kind}${event.payload}`)
    return hash.digest("hex")
  }

  /** A client was told of this order: from now on it may not be lost. */
  answered(order: TradeOrder): void {
    if (this.answeredIds.has(order.tradeOrderId)) return
    this.answeredIds.add(order.tradeOrderId)
    if (!this.world.database.orders.has(order.tradeOrderId))
      this.say(`acknowledged but not stored: ${order.tradeOrderId}`)
  }

  processStarted(): void {
    this.lastOffset = this.world.database.events.get(ACCOUNT)?.length ?? 0
    this.publishedRead = this.world.published.length
  }

  safety(): void {
    const { database, venue, time } = this.world
    if (venue.session === null || venue.session.streamUp) this.streamDownAt = null
    else this.streamDownAt ??= time.now
    // The word of it may wait for a slow commit.
    if (this.streamDownAt !== null && time.now - this.streamDownAt > 10_000 && this.world.status() === "ACTIVE")
      this.say("ACTIVE without a private stream")
    for (const [id, count] of venue.arrivals) if (count > 1) this.say(`sent ${count} times: ${id}`)
    for (const id of this.answeredIds) if (!database.orders.has(id)) this.say(`acknowledged order lost: ${id}`)
    this.readEvents()
    this.readPublications()
    this.readMaps()
    const sums = new Map<string, readonly [quantity: Decimal, cost: Decimal]>()
    for (const { tradeOrderId, executedQuantity, executedCost } of database.executions.values()) {
      const [quantity, cost] = sums.get(tradeOrderId) ?? NOTHING
      sums.set(tradeOrderId, [quantity.add(executedQuantity), cost.add(executedCost)])
    }
    for (const { order } of database.orders.values()) this.checkRow(order, sums.get(order.tradeOrderId) ?? NOTHING)
  }

  private checkRow(order: TradeOrder, [sum, cost]: readonly [Decimal, Decimal]): void {
    const id = order.tradeOrderId
    if (order.held.isNegative()) this.say(`${id} holds ${order.held}`)
    if (isTerminal(order.orderStatus) && !order.held.isZero()) this.say(`${id} is over and holds ${order.held}`)
    const before = this.executed.get(id) ?? Decimal.ZERO
    if (order.executedQuantity.lessThan(before)) this.say(`${id} executed ${before}, then ${order.executedQuantity}`)
    this.executed.set(id, order.executedQuantity)
    if (!sum.equals(order.executedQuantity) || !cost.equals(order.executedCost))
      this.say(`${id} has executed ${order.executedQuantity} and executions of ${sum}`)
    const said = this.said.get(id)
    if (said === undefined) this.say(`${id} is stored and no event told of it`)
    else if (said.status !== order.orderStatus || !said.executed.equals(order.executedQuantity))
      this.say(
        `${id} is ${order.orderStatus} ${order.executedQuantity}, the last event said ${said.status} ${said.executed}`,
      )
  }

  private readEvents(): void {
    const events = this.world.database.events.get(ACCOUNT) ?? []
    for (const event of events.slice(this.eventsRead)) {
      this.eventsRead++
      if (event.sequence !== this.eventsRead) this.say(`event ${event.sequence} where ${this.eventsRead} was due`)
      if (event.kind === "PORTFOLIO.UPDATED") {
        for (const row of JSON.parse(event.payload) as ReadonlyArray<{
          available: string
          locked: string
          balance: string
        }>) {
          const available = Decimal.of(row.available)
          const locked = Decimal.of(row.locked)
          if (available.isNegative() || locked.isNegative()) this.say(`negative position: ${event.payload}`)
          if (!available.add(locked).equals(Decimal.of(row.balance)))
            this.say(`balance is not the sum: ${event.payload}`)
        }
      }
      if (!event.kind.startsWith("TRADE_ORDER.")) continue
      const record = JSON.parse(event.payload) as {
        tradeOrderId: string
        orderStatus: OrderStatus
        executedQuantity: string
      }
      const before = this.said.get(record.tradeOrderId)
      const executed = Decimal.of(record.executedQuantity)
      const late = event.kind === "TRADE_ORDER.LATE_FILL"
      if (!late && event.kind !== `TRADE_ORDER.${record.orderStatus}`)
        this.say(`${event.kind} of ${record.orderStatus}`)
      if (
        before === undefined ? record.orderStatus !== "CREATED" : !late && !mayBecome(before.status, record.orderStatus)
      )
        this.say(`${record.tradeOrderId}: ${before?.status ?? "nothing"} became ${record.orderStatus}`)
      if (before !== undefined && executed.lessThan(before.executed))
        this.say(`${record.tradeOrderId}: executed fell to ${executed}`)
      this.said.set(record.tradeOrderId, { status: record.orderStatus, executed })
    }
  }

  private readPublications(): void {
    const events = this.world.database.events.get(ACCOUNT) ?? []
    for (const publication of this.world.published.slice(this.publishedRead)) {
      this.publishedRead++
      if (publication.offset !== this.lastOffset + 1)
        this.say(`published ${publication.offset} after ${this.lastOffset}`)
      this.lastOffset = publication.offset
      const event = events[publication.offset - 1]
      if (event === undefined || !publication.json.includes(event.eventId))
        this.say(`published ${publication.offset}, which is not stored`)
    }
  }

  /** The account's maps are what its events say, up to the very event that they name. */
  private readMaps(): void {
    if (!this.world.isRunning) return
    for (const of of ["accountOrders", "accountPositions"] as const) {
      const state = this.world.state(of)
      if (state === null || state === undefined) continue
      if (state.offset < this.followedTo) this.say(`a map stands at ${state.offset}, one before at ${this.followedTo}`)
      this.follow(state.offset)
      const [told, text] =
        of === "accountOrders" ? [this.openOrders, withoutSilent] : [this.positions, (json: string) => json]
      const shown = new Map(state.entries.map(({ key, json }) => [key, text(json)]))
      for (const [key, record] of told)
        if (shown.get(key) !== record) this.say(`${of} at ${state.offset} has ${shown.get(key)}, told was ${record}`)
      for (const key of shown.keys())
        if (!told.has(key)) this.say(`${of} at ${state.offset} has ${key}, of which nothing was told`)
    }
  }

  private follow(to: number): void {
    const events = this.world.database.events.get(ACCOUNT) ?? []
    for (const { kind, payload } of events.slice(this.followedTo, to)) {
      if (kind.startsWith("TRADE_ORDER.")) {
        const { tradeOrderId, orderStatus } = JSON.parse(payload) as { tradeOrderId: string; orderStatus: OrderStatus }
        if (isTerminal(orderStatus)) this.openOrders.delete(tradeOrderId)
        else this.openOrders.set(tradeOrderId, withoutSilent(payload))
      }
      if (kind === "PORTFOLIO.UPDATED")
        for (const record of JSON.parse(payload) as ReadonlyArray<{ currency: string; balance: string }>) {
          if (record.balance === "0") this.positions.delete(record.currency)
          else this.positions.set(record.currency, JSON.stringify(record))
        }
    }
    this.followedTo = Math.max(this.followedTo, to)
  }

  /** The faults are over: the gateway's word is the venue's. */
  atRest(): void {
    const { world } = this
    const { database, venue } = world
    if (world.status() !== "ACTIVE") this.say(`the account is ${world.status()}`)
    const known = new Set<string>()
    for (const { order } of database.orders.values()) {
      const sim = venue.find(order)
      const id = `${order.tradeOrderId} (${order.orderStatus} ${order.executedQuantity}, ${order.rejectReason ?? ""})`
      if (order.inDoubt) this.say(`${id} is still in doubt`)
      if (sim === undefined) {
        if (order.orderStatus !== "REJECTED" && order.orderStatus !== "CANCELLED")
          this.say(`${id} was never at the venue`)
        continue
      }
      known.add(sim.externalOrderId)
      const truth = `${id}, the venue says ${sim.status} ${sim.executed}`
      if (!order.executedQuantity.equals(sim.executed)) this.say(`executed: ${truth}`)
      const expected: ReadonlyArray<OrderStatus> =
        sim.status === "OPEN"
          ? [sim.executed.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED"]
          : sim.status === "FILLED"
            ? ["FILLED"]
            : ["CANCELLED"]
      if (!expected.includes(order.orderStatus)) this.say(`status: ${truth}`)
      if (sim.status !== "OPEN") continue
      const { quantity, limitPrice } = sim.order
      if (order.terms?.change) this.say(`a change of it is still under way: ${truth}`)
      if (!order.baseQuantity.equals(sim.quantity) || (order.limitPrice?.toString() ?? null) !== limitPrice)
        this.say(
          `values ${order.baseQuantity} at ${order.limitPrice}, the venue's ${quantity} at ${limitPrice}: ${truth}`,
        )
    }
    const replaced = new Set<TradeOrderId>()
    for (const { order } of database.orders.values()) {
      const id = order.replacesTradeOrderId
      if (id === null) continue
      if (replaced.has(id)) this.say(`${id} was replaced twice`)
      replaced.add(id)
      if (database.orders.get(id)?.order.orderStatus !== "CANCELLED")
        this.say(`${id} was replaced and is not cancelled`)
    }
    for (const sim of venue.openOrders())
      if (!known.has(sim.externalOrderId)) this.say(`open at the venue and unknown here: ${sim.externalOrderId}`)
    for (const position of world.portfolio()) {
      const total = venue.totals.get(position.currency) ?? Decimal.ZERO
      const locked = venue.locked(position.currency)
      if (!position.available.add(position.locked).equals(total) || !position.locked.equals(locked))
        this.say(
          `${position.currency}: ${position.available} + ${position.locked}, the venue says ${total.subtract(locked)} + ${locked}`,
        )
    }
  }
}
