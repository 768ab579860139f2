/** What must hold of one account after each step, by what is durable, told and published. Violations are sentences. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import { isTerminal, mayBecome, type OrderStatus } from "../../../src/domain/order/status.ts"
import { fingerprint, type SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import { isFired, NEVER_PLACED, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { StoredEvent } from "../../../src/ports/account-store.ts"
import type { Publication } from "../../../src/ports/channel-port.ts"
import { retold } from "../../kit/worlds/retold.ts"
import type { SimMarkets } from "../venue/market.ts"
import { CallChecks } from "./calls.ts"
import { FundsChecks } from "./funds.ts"
import { ListChecks } from "./lists.ts"
import { TrailingChecks } from "./trailing.ts"
import { type AccountView, LISTED_MILLIS } from "./view.ts"

const NEVER: ReadonlySet<string> = new Set(Object.values(NEVER_PLACED))
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
  const known = reduced.get(json)
  if (known !== undefined) return known
  if (reduced.size >= REDUCED_MAX) reduced.clear()
  const text = reducedOf(json)
  reduced.set(json, text)
  return text
}

/** Records of orders are looked at after every step, and most are what they were. */
const reduced = new Map<string, string>()
const REDUCED_MAX = 2_000

const reducedOf = (json: string): string => {
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
const STILL: ReadonlySet<string> = new Set(["TRADE_ORDER.TRIGGERED"])
/** States that an order stays in while the gateway changes it in its own row. */
const RESIZED: ReadonlySet<OrderStatus> = new Set(["CREATED", "ACCEPTED", "PARTIALLY_FILLED"])

interface Said {
  status: OrderStatus
  executed: Decimal
}

/** Of an order's record in an event. */
interface ToldOrder {
  readonly tradeOrderId: TradeOrderId
  readonly orderStatus: OrderStatus
  readonly executedQuantity: string
  readonly rejectReason: string | null
}

export class AccountChecks {
  private readonly answeredIds = new Set<TradeOrderId>()
  private readonly said = new Map<string, Said>()
  private readonly executed = new Map<string, Decimal>()
  private eventsRead = 0
  private lastOffset = 0
  private streamDownAt: number | null = null
  /** What the events say, up to `followedTo`. */
  private readonly openOrders = new Map<string, string>()
  private readonly positions = new Map<string, string>()
  private followedTo = 0

  readonly lists: ListChecks
  readonly calls: CallChecks
  readonly funds: FundsChecks
  private readonly trailing: TrailingChecks
  /** What was answered to each key. */
  private readonly byKey = new Map<string, TradeOrderId>()
  /** Orders that had no successor, as people were told. */
  readonly notReplaced = new Set<string>()
  /** How many events there were when it was disconnected. */
  private eventsAtEnd: number | null = null

  constructor(
    readonly view: AccountView,
    market: SimMarkets,
    private readonly note: (what: string) => void,
  ) {
    this.lists = new ListChecks(view, market)
    this.calls = new CallChecks(view)
    this.funds = new FundsChecks(view, this.calls)
    this.trailing = new TrailingChecks(view, market)
  }

  private say(violation: string): void {
    this.view.say(violation)
  }

  acknowledged(): ReadonlyArray<TradeOrderId> {
    return [...this.answeredIds]
  }

  eventCount(): number {
    return this.eventsRead
  }

  /** A client was told of this order: from now on it may not be lost. */
  answered(order: TradeOrder, request: Partial<SubmitRequest>): void {
    const key = request.idempotencyKey ?? request.clientOrderId ?? null
    const first = key === null ? undefined : this.byKey.get(key)
    if (first !== undefined && first !== order.tradeOrderId)
      this.say(`two orders of one key: ${first} and ${order.tradeOrderId}`)
    if (key !== null) this.byKey.set(key, order.tradeOrderId)
    if (order.tradingAccountId !== this.view.id) this.say(`answered with another account's order ${order.tradeOrderId}`)
    if (this.answeredIds.has(order.tradeOrderId)) return
    this.answeredIds.add(order.tradeOrderId)
    const row = this.view.row(order.tradeOrderId)
    if (row === undefined) this.say(`acknowledged but not stored: ${order.tradeOrderId}`)
  }

  /** Another body under a key is not the order that has it; of a repeat by client order id the key is no part. */
  answeredAs(order: TradeOrder, request: SubmitRequest): void {
    const isNamed = order.clientOrderId !== null && order.clientOrderId === request.clientOrderId
    const repeated = isNamed ? { ...request, idempotencyKey: order.idempotencyKey } : request
    if (order.fingerprint !== fingerprint(repeated))
      this.say(`${order.tradeOrderId} was answered to another request under its key`)
  }

  processStarted(): void {
    this.lastOffset = this.view.events().length
    this.lists.processStarted()
    this.calls.processStarted()
    this.trailing.processStarted()
  }

  safety(): void {
    const { world, exchange } = this.view
    const { database, time } = world
    const session = world.inSession.has(this.view.id) ? world.venue.sessions.newest(exchange) : null
    if (session === null || session.streamUp) this.streamDownAt = null
    else this.streamDownAt ??= time.now
    // The word of it may wait for a slow commit.
    if (
      this.streamDownAt !== null &&
      time.now - Math.max(this.streamDownAt, world.units.promptSince) > 10_000 &&
      world.status(this.view.id) === "ACTIVE"
    )
      this.say("ACTIVE without a private stream")
    for (const id of this.answeredIds) if (this.view.row(id) === undefined) this.say(`acknowledged order lost: ${id}`)
    this.readEvents()
    this.readMaps()
    this.checkEnd()
    this.lists.safety()
    this.trailing.safety()
    const sums = new Map<string, readonly [quantity: Decimal, cost: Decimal]>()
    // What was inferred counts no more once the trades that explain it are there.
    const replaced = new Set([...database.executions.values()].map((it) => it.replaces))
    for (const { tradeOrderId, executionId, executedQuantity, executedCost } of database.executions.values()) {
      if (replaced.has(executionId)) continue
      const [quantity, cost] = sums.get(tradeOrderId) ?? NOTHING
      sums.set(tradeOrderId, [quantity.add(executedQuantity), cost.add(executedCost)])
    }
    const rows = this.view.rows()
    for (const order of rows) this.checkRow(order, sums.get(order.tradeOrderId) ?? NOTHING)
    this.funds.safety(rows)
    this.calls.safety()
  }

  /** Nothing comes after the end of an account. */
  private checkEnd(): void {
    if (this.view.status() !== "DISCONNECTED") return
    const count = this.view.events().length
    this.eventsAtEnd ??= count
    if (count !== this.eventsAtEnd)
      this.say(`${this.view.id} is disconnected, and was told ${count - this.eventsAtEnd} events more`)
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

  /** Told of an order that the trades of the venue had shown for a while to be filled. */
  private checkGivenUp({ tradeOrderId, orderStatus, rejectReason }: ToldOrder, at: number): void {
    if (orderStatus !== "CANCELLED" && orderStatus !== "REJECTED") return
    if (orderStatus === "REJECTED" && !NEVER.has(rejectReason ?? "")) return
    const { world } = this.view
    const order = this.view.row(tradeOrderId)
    const sim = order && this.view.simOf(order)
    if (sim === undefined || sim.isOdd || sim.status !== "FILLED" || world.hasSteppedClock) return
    if (sim.fills.every((it) => world.venue.history.listedAt(it) < at - LISTED_MILLIS))
      this.say(`${tradeOrderId} ended ${orderStatus}, and had been filled for a while`)
  }

  /** Whoever returns hears what was published, whatever the order has become since. */
  checkRetold(event: StoredEvent): void {
    const { world, id } = this.view
    const told = retold(world.database, id, event)
    if (told !== event.payload) this.say(`event ${event.sequence} was ${event.payload}, and is told again as ${told}`)
  }

  private readEvents(): void {
    const events = this.view.events()
    for (const event of events.slice(this.eventsRead)) {
      this.eventsRead++
      if (event.sequence !== this.eventsRead) this.say(`event ${event.sequence} where ${this.eventsRead} was due`)
      this.checkRetold(event)
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
      if (event.kind === "TRADING_ACCOUNT.RECONCILED") this.calls.reconciled()
      if (event.kind === "TRADING_ACCOUNT.ALERT") {
        this.note(`event ${event.sequence} ALERT ${event.payload}`)
        const { code, tradeOrderId } = JSON.parse(event.payload) as { code: string; tradeOrderId: string | null }
        if (code === "NOT_REPLACED" && tradeOrderId !== null) this.notReplaced.add(tradeOrderId)
      }
      if (!event.kind.startsWith("TRADE_ORDER.")) continue
      const record = JSON.parse(event.payload) as ToldOrder
      const before = this.said.get(record.tradeOrderId)
      const executed = Decimal.of(record.executedQuantity)
      const late = event.kind === "TRADE_ORDER.LATE_FILL"
      const isTold = event.kind === `TRADE_ORDER.${record.orderStatus}` && RESIZED.has(record.orderStatus)
      const still = (STILL.has(event.kind) || isTold) && before?.status === record.orderStatus
      this.note(
        `event ${event.sequence} ${event.kind} ${record.tradeOrderId}: ${record.orderStatus} ${record.executedQuantity}`,
      )
      // Only what was executed late changes an order that is over, or a trade in the place of what was inferred.
      const isExplained =
        late &&
        [...this.view.world.database.executions.values()].some(
          (it) => it.replaces !== null && it.tradeOrderId === record.tradeOrderId,
        )
      if (before !== undefined && isTerminal(before.status) && !executed.greaterThan(before.executed) && !isExplained)
        this.say(`${record.tradeOrderId} was told over, and then ${event.kind} without an execution`)
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
        const row = this.view.row(record.tradeOrderId)
        if (row !== undefined && isFired(row)) this.lists.triggered(row)
      }
      if (!late) this.checkGivenUp(record, event.at)
      this.said.set(record.tradeOrderId, { status: record.orderStatus, executed })
    }
  }

  /** A word on the account's channel. */
  published(publication: Publication): void {
    if (publication.offset !== this.lastOffset + 1) this.say(`published ${publication.offset} after ${this.lastOffset}`)
    this.lastOffset = publication.offset
    const event = this.view.events()[publication.offset - 1]
    if (event === undefined || !publication.json.includes(event.eventId))
      this.say(`published ${publication.offset}, which is not stored`)
  }

  /** The account's maps are what its events say, up to the very event that they name. */
  private readMaps(): void {
    const { world, id } = this.view
    if (!world.isRunning || this.view.status() === "DISCONNECTED") return
    for (const of of ["accountOrders", "accountPositions"] as const) {
      const state = world.state(of, id)
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
    const events = this.view.events()
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
}
