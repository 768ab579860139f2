/** What must hold in every world: safety after each step, agreement with the venue at rest. Violations are sentences. */
import { createHash } from "node:crypto"
import { Decimal } from "../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../src/domain/ids.ts"
import { isTerminal, mayBecome, type OrderStatus } from "../../src/domain/order-status.ts"
import { isFired, placeOf, type TradeOrder } from "../../src/domain/trade-order.ts"
import { ListChecks } from "./checks-lists.ts"
import type { SimMarket } from "./market.ts"
import type { SimOrder } from "./venue.ts"
import { ACCOUNT, type World } from "./world.ts"

const FEE = Decimal.of("0.001")
/** Shares of holds are rounded up. */
const ROUNDING = Decimal.of("0.000000001")
const NOTHING = [Decimal.ZERO, Decimal.ZERO] as const

const SILENT = [
  "inDoubt",
  "evidence",
  "externalOrderId",
  "updatedAt",
  "updatedAtDateTime",
  "triggerHealth",
  "highWaterMark",
]

const CHANGEABLE = ["quantity", "baseQuantity", "orderQuantityType", "limitPrice", "stopPrice"]

/** An order's record without what changes between two events of it and is told with the next. */
const withoutSilent = (json: string): string => {
  const record = JSON.parse(json) as Record<string, unknown>
  for (const name of SILENT) delete record[name]
  if (record.orderType === "TRAILING_STOP") delete record.stopPrice
  // A change that was made while it is being cancelled is told with its end.
  if (record.cancelRequested === true) for (const name of CHANGEABLE) delete record[name]
  // A leg that is let go has its size from then on, and tells it when it is on its way.
  if (record.orderListId !== null) for (const name of ["quantity", "baseQuantity"]) delete record[name]
  return JSON.stringify(record)
}

/** These tell of an order whose state stays what it was. */
const STILL: ReadonlySet<string> = new Set(["TRADE_ORDER.TRIGGERED", "TRADE_ORDER.REPLACED"])

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

  private readonly lists: ListChecks
  /** What was answered to each key. */
  private readonly byKey = new Map<string, TradeOrderId>()
  /** Orders that had no successor, as people were told. */
  private readonly notReplaced = new Set<string>()

  constructor(
    private readonly world: World,
    market: SimMarket,
    private readonly note: (what: string) => void,
  ) {
    this.lists = new ListChecks(world, market, (violation) => this.say(violation))
  }

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
  answered(order: TradeOrder, key: string | null): void {
    const first = key === null ? undefined : this.byKey.get(key)
    if (first !== undefined && first !== order.tradeOrderId)
      this.say(`two orders of one key: ${first} and ${order.tradeOrderId}`)
    if (key !== null) this.byKey.set(key, order.tradeOrderId)
    if (this.answeredIds.has(order.tradeOrderId)) return
    this.answeredIds.add(order.tradeOrderId)
    if (!this.world.database.orders.has(order.tradeOrderId))
      this.say(`acknowledged but not stored: ${order.tradeOrderId}`)
  }

  processStarted(): void {
    this.lastOffset = this.world.database.events.get(ACCOUNT)?.length ?? 0
    this.publishedRead = this.world.published.length
    this.lists.processStarted()
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
    this.lists.safety()
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
      if (event.kind === "TRADING_ACCOUNT.ALERT") {
        this.note(`event ${event.sequence} ALERT ${event.payload}`)
        const { code, tradeOrderId } = JSON.parse(event.payload) as { code: string; tradeOrderId: string | null }
        if (code === "NOT_REPLACED" && tradeOrderId !== null) this.notReplaced.add(tradeOrderId)
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
      const still = STILL.has(event.kind) && before?.status === record.orderStatus
      this.note(
        `event ${event.sequence} ${event.kind} ${record.tradeOrderId}: ${record.orderStatus} ${record.executedQuantity}`,
      )
      if (!late && !still && event.kind !== `TRADE_ORDER.${record.orderStatus}`)
        this.say(`${event.kind} of ${record.orderStatus}`)
      if (
        before === undefined
          ? record.orderStatus !== "CREATED"
          : !late && !still && !mayBecome(before.status, record.orderStatus)
      )
        this.say(`${record.tradeOrderId}: ${before?.status ?? "nothing"} became ${record.orderStatus}`)
      if (before !== undefined && executed.lessThan(before.executed))
        this.say(`${record.tradeOrderId}: executed fell to ${executed}`)
      if (event.kind === "TRADE_ORDER.TRIGGERED") {
        const row = this.world.database.orders.get(record.tradeOrderId as TradeOrderId)
        if (row !== undefined && isFired(row.order)) this.lists.triggered(row.order)
      }
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
    const holds = new Map<string, Decimal>()
    for (const { order } of database.orders.values()) {
      const sim = venue.find(order)
      const asset = order.orderSide === "BUY" ? order.quoteAsset : order.baseAsset
      holds.set(asset, (holds.get(asset) ?? Decimal.ZERO).add(order.held))
      const id = `${order.tradeOrderId} (${order.orderStatus} ${order.executedQuantity}, ${order.rejectReason ?? order.cancelReason ?? ""})`
      if (order.inDoubt) this.say(`${id} is still in doubt`)
      if (sim === undefined) {
        const wrong = this.lists.elsewhere(order)
        if (wrong !== null) this.say(`${id} ${wrong}`)
        continue
      }
      known.add(sim.externalOrderId)
      this.checkTruth(order, sim, id)
    }
    this.checkReplaced()
    this.lists.atRest()
    for (const sim of venue.openOrders())
      if (!known.has(sim.externalOrderId)) this.say(`open at the venue and unknown here: ${sim.externalOrderId}`)
    for (const position of world.portfolio()) {
      const total = venue.totals.get(position.currency) ?? Decimal.ZERO
      // What waits here is held here only; and of what is there, we hold at least what the venue locks.
      const held = Decimal.max(holds.get(position.currency) ?? Decimal.ZERO, venue.locked(position.currency))
      const locked = Decimal.min(total, held)
      if (!position.available.add(position.locked).equals(total) || !position.locked.equals(locked))
        this.say(
          `${position.currency}: ${position.available} + ${position.locked}, the venue says ${total.subtract(locked)} + ${locked}`,
        )
    }
  }

  private checkTruth(order: TradeOrder, sim: SimOrder, id: string): void {
    const truth = `${id}, the venue says ${sim.status} ${sim.executed}`
    if (!order.executedQuantity.equals(sim.executed)) this.say(`executed: ${truth}`)
    const isOver = order.expireAt !== null && this.world.wall() >= order.expireAt
    // By a clock that was ahead for a while, its time had come.
    const isTimed = isOver || (order.expireAt !== null && this.world.hasSteppedClock)
    const expected: ReadonlyArray<OrderStatus> =
      sim.status === "OPEN"
        ? [sim.executed.isPositive() ? "PARTIALLY_FILLED" : "ACCEPTED"]
        : sim.status === "FILLED"
          ? ["FILLED"]
          : sim.status === "EXPIRED"
            ? ["EXPIRED"]
            : sim.status === "REJECTED"
              ? ["REJECTED"]
              : isTimed
                ? ["CANCELLED", "EXPIRED"]
                : ["CANCELLED"]
    if (!expected.includes(order.orderStatus)) this.say(`status: ${truth}`)
    if (sim.status !== "OPEN") return
    const { quantity, limitPrice } = sim.order
    this.checkHold(order, sim, truth)
    if (order.terms?.change) this.say(`a change of it is still under way: ${truth}`)
    if (placeOf(order) !== "VENUE") this.say(`at the venue, and thought to be here: ${truth}`)
    if (isOver && this.world.wall() > (order.expireAt ?? 0) + 60_000) this.say(`works past its end: ${truth}`)
    if (!order.baseQuantity.equals(sim.quantity) || (order.limitPrice?.toString() ?? null) !== limitPrice)
      this.say(
        `values ${order.baseQuantity} at ${order.limitPrice}, the venue's ${quantity} at ${limitPrice}: ${truth}`,
      )
    const trigger = order.terms?.trigger ?? null
    const isFiredThere = sim.trigger?.isTriggered === true
    if (sim.trigger !== null && ((trigger?.triggeredAt ?? null) !== null) !== isFiredThere)
      this.say(`triggered there: ${isFiredThere}, and here not the same: ${truth}`)
  }

  /** A plain order holds what is left of it. */
  private checkHold(order: TradeOrder, sim: SimOrder, truth: string): void {
    if (order.terms !== null || order.orderListId !== null || sim.isOdd) return
    const rest = sim.quantity.subtract(sim.executed)
    const cost = rest.multiply(Decimal.of(sim.order.limitPrice ?? "0"))
    const fee = this.world.venue.venue.feeInQuote && order.origin === "GATEWAY" ? cost.multiply(FEE) : Decimal.ZERO
    const due = order.orderSide === "SELL" ? rest : cost.add(fee)
    const excess = order.held.subtract(due)
    // What took a foreign order's place holds as that did.
    if (order.replacesTradeOrderId !== null && excess.add(fee).atLeast(Decimal.ZERO) && !excess.isPositive()) return
    if (excess.isNegative() || excess.greaterThan(ROUNDING)) this.say(`holds ${order.held}, ${due} is due: ${truth}`)
  }

  /** Each order that was replaced has exactly one successor. */
  private checkReplaced(): void {
    const { orders } = this.world.database
    const replaced = new Set<TradeOrderId>()
    for (const { order } of orders.values()) {
      const id = order.replacesTradeOrderId
      if (id === null) continue
      if (replaced.has(id)) this.say(`${id} was replaced twice`)
      replaced.add(id)
      const before = orders.get(id)?.order
      // A leg of a list may begin again after it was filled or withdrawn.
      if (before === undefined || !isTerminal(before.orderStatus)) this.say(`${id} was replaced and is not over`)
      else if (
        (order.terms?.leg ?? null) === null &&
        before.cancelReason !== "REPLACED" &&
        before.orderStatus !== "FILLED"
      )
        this.say(`${id} was replaced and ended ${before.orderStatus} ${before.cancelReason}`)
    }
    for (const { order } of orders.values())
      if (order.cancelReason === "REPLACED" && !replaced.has(order.tradeOrderId) && order.executedQuantity.isZero())
        if (!this.notReplaced.has(order.tradeOrderId)) this.say(`${order.tradeOrderId} was replaced by nothing`)
  }
}
