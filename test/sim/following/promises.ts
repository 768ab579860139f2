/** What an account has promised to its client and to its subscribers, held against what is durable after each step, and at rest against its venue. */
import { Effect, Exit } from "effect"
import { accountEventText } from "../../../src/domain/account/event.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Publication } from "../../../src/ports/channel-port.ts"
import type { VenueOrderState } from "../../../src/ports/venue-session.ts"
import { countedExecutions } from "../../kit/worlds/memory-account-store.ts"
import type { World } from "../world.ts"
import type { InProcessVenues } from "./venues.ts"

/** One that is not sent yet is cancelled as it is stored: if the process ends between, it never leaves. */
const isCancelStored = ({ cancelRequested, orderStatus }: TradeOrder): boolean =>
  cancelRequested || isTerminal(orderStatus) || orderStatus === "CREATED"

export class Promises {
  /** By the name that it was sent with. */
  private readonly answered = new Map<string, TradeOrderId>()
  /** Who said that the order's cancel was asked for. */
  private readonly swept = new Map<TradeOrderId, string>()
  /** The newest instant of a switch that has fired, by the account's row and by the alert. */
  private firedBy: { readonly at: number; readonly word: string } | null = null
  private cancelAllAt: number | null = null
  private eventsRead = 0
  private offset = 0

  constructor(
    readonly id: TradingAccountId,
    private readonly world: World,
    private readonly venues: InProcessVenues,
    /** Its switch is never taken off. */
    private readonly keepsSwitch: boolean,
    private readonly tell: (violation: string) => void,
  ) {}

  rows(): ReadonlyArray<TradeOrder> {
    return [...this.world.database.orders.values()].flatMap(({ order }) =>
      order.tradingAccountId === this.id ? [order] : [],
    )
  }

  private row(id: TradeOrderId): TradeOrder | undefined {
    return this.world.database.orders.get(id)?.order
  }

  private say(violation: string): void {
    this.tell(`${this.id.slice(-2)}: ${violation}`)
  }

  // What a client was answered

  submitted(request: SubmitRequest, { tradeOrderId }: TradeOrder): void {
    const name = request.idempotencyKey ?? request.clientOrderId ?? ""
    const first = this.answered.get(name)
    if (first !== undefined && first !== tradeOrderId) this.say(`two orders of one name: ${first}, ${tradeOrderId}`)
    this.answered.set(name, tradeOrderId)
    if (this.row(tradeOrderId) === undefined) this.say(`acknowledged and not stored: ${tradeOrderId}`)
  }

  cancelled(word: string, ids: ReadonlyArray<TradeOrderId>): void {
    for (const id of ids) this.swept.set(id, word)
    this.checkSwept()
  }

  // After each step

  processStarted(): void {
    this.offset = this.world.database.events.get(this.id)?.length ?? 0
  }

  published({ offset, json }: Publication): void {
    const event = this.world.database.events.get(this.id)?.[offset - 1]
    if (event === undefined) this.say(`published and not stored: ${offset}`)
    else if (accountEventText(this.id, offset, event) !== json) this.say(`published otherwise than stored: ${offset}`)
    if (offset !== this.offset + 1) this.say(`published ${offset} after ${this.offset}`)
    this.offset = offset
  }

  safety(): void {
    for (const id of this.answered.values()) if (this.row(id) === undefined) this.say(`acknowledged order lost: ${id}`)
    this.checkSwept()
    this.checkSwitch()
    this.checkExecutions()
    this.checkVenue()
  }

  private checkSwept(): void {
    for (const [id, word] of this.swept) {
      const row = this.row(id)
      if (row !== undefined && !isCancelStored(row)) this.say(`${word} was answered, and that of ${id} is not stored`)
    }
  }

  /** What fired has asked for the cancel of all orders that there were: by the alert, and by the row in which the instant is gone. */
  private checkSwitch(): void {
    const { database } = this.world
    const { cancelAllAt } = database.accounts.get(this.id)!
    if (this.keepsSwitch && this.cancelAllAt !== null && cancelAllAt === null)
      this.firedBy = { at: this.cancelAllAt, word: "its instant is over" }
    this.cancelAllAt = cancelAllAt
    const events = database.events.get(this.id) ?? []
    for (const { payload, at } of events.slice(this.eventsRead))
      if (payload.includes('"DEAD_MAN_SWITCH"') && payload.includes('"severity"'))
        this.firedBy = { at, word: "it said so" }
    this.eventsRead = events.length
    const { firedBy } = this
    if (firedBy === null) return
    for (const order of this.rows())
      if (order.createdAt < firedBy.at && !isCancelStored(order))
        this.say(`the switch has fired (${firedBy.word}), and the cancel of ${order.tradeOrderId} is not stored`)
  }

  /** No trade without its order, and each once. */
  private checkExecutions(): void {
    const { executions, orders } = this.world.database
    const sums = new Map<TradeOrderId, Decimal>()
    for (const { tradeOrderId, tradingAccountId, executedQuantity } of executions.values()) {
      if (tradingAccountId !== this.id) continue
      if (orders.get(tradeOrderId)?.order.tradingAccountId !== this.id)
        this.say(`executed and not stored: ${tradeOrderId}`)
      sums.set(tradeOrderId, (sums.get(tradeOrderId) ?? Decimal.ZERO).add(executedQuantity))
    }
    for (const { tradeOrderId, executedQuantity, baseQuantity } of this.rows()) {
      const sum = sums.get(tradeOrderId) ?? Decimal.ZERO
      if (!sum.equals(executedQuantity)) this.say(`${tradeOrderId} executed ${executedQuantity}, its trades ${sum}`)
      if (sum.greaterThan(baseQuantity)) this.say(`${tradeOrderId} of ${baseQuantity} executed ${sum}`)
    }
  }

  /** Nothing rests there that is neither stored nor on its way to the store. */
  private checkVenue(): void {
    const { world } = this
    if (!world.isRunning || world.memory.hasDied() || world.units.of(this.id) > 0) return
    for (const { tradeOrderId } of this.openThere() ?? [])
      if (tradeOrderId === null || this.row(tradeOrderId) === undefined)
        this.say(`at the venue and not stored: ${tradeOrderId}`)
  }

  private openThere(): ReadonlyArray<VenueOrderState> | null {
    const session = this.venues.sessions.get(this.id)
    const exit = session === undefined ? null : Effect.runSyncExit(session.fetchOpenOrders)
    return exit !== null && Exit.isSuccess(exit) ? exit.value : null
  }

  // At rest

  /** `isFresh`: the venue has what the journal has, and no more. */
  atRest(isFresh: boolean): void {
    const { world } = this
    if (world.status(this.id) !== "ACTIVE") return this.say(`it is ${world.status(this.id)}`)
    const there = new Map(this.openThere()?.map((it) => [it.tradeOrderId, it]))
    for (const order of this.rows()) {
      const { tradeOrderId: id, orderStatus, executedQuantity, baseQuantity, limitPrice } = order
      const state = there.get(id)
      there.delete(id)
      if (isTerminal(orderStatus)) {
        if (state !== undefined) this.say(`${id} is ${orderStatus}, and open at the venue`)
        continue
      }
      const values = `${orderStatus} ${executedQuantity} of ${baseQuantity} at ${limitPrice}`
      if (state === undefined) this.say(`${id} (${values}) is not at the venue`)
      else if (!executedQuantity.equals(Decimal.of(state.executedQuantity)))
        this.say(`${id} (${values}), the venue says ${state.executedQuantity}`)
      if (!["ACCEPTED", "PARTIALLY_FILLED", "REPLACED"].includes(orderStatus)) this.say(`${id} stays ${orderStatus}`)
      if (this.swept.has(id)) this.say(`${id} works, and ${this.swept.get(id)} was answered`)
    }
    for (const id of there.keys()) this.say(`open at the venue and unknown here: ${id}`)
    this.checkFunds(isFresh)
  }

  private checkFunds(isFresh: boolean): void {
    const { world } = this
    const exit = Effect.runSyncExit(this.venues.sessions.get(this.id)!.fetchBalances)
    if (!Exit.isSuccess(exit)) return this.say("its balances cannot be read")
    const held = new Map<string, Decimal>()
    for (const order of this.rows()) {
      if (isTerminal(order.orderStatus) || order.limitPrice === null) continue
      const rest = order.baseQuantity.subtract(order.executedQuantity)
      const [asset, due] =
        order.orderSide === "BUY" ? [order.quoteAsset, order.limitPrice.multiply(rest)] : [order.baseAsset, rest]
      held.set(asset, (held.get(asset) ?? Decimal.ZERO).add(due))
    }
    const journal = this.journal()
    const portfolio = new Map(world.portfolio(null, this.id).map((it) => [it.currency, it]))
    for (const { asset, available, locked } of exit.value.balances) {
      const due = held.get(asset) ?? Decimal.ZERO
      if (!due.equals(Decimal.of(locked))) this.say(`${asset}: ${due} rests, the venue locks ${locked}`)
      const total = Decimal.of(available).add(Decimal.of(locked))
      const told = portfolio.get(asset)
      const here = told === undefined ? Decimal.ZERO : told.available.add(told.locked)
      if (!here.equals(total)) this.say(`${asset}: ${here} here, ${total} at the venue`)
      if (isFresh && !total.equals(journal.get(asset) ?? Decimal.ZERO))
        this.say(`${asset}: ${total} at the venue, ${journal.get(asset)} by the journal`)
    }
  }

  private journal(): ReadonlyMap<string, Decimal> {
    const { database } = this.world
    const totals = new Map<string, Decimal>()
    const add = (asset: string, change: Decimal): void =>
      void totals.set(asset, (totals.get(asset) ?? Decimal.ZERO).add(change))
    for (const [asset, quantity] of database.accounts.get(this.id)!.initialBalances) add(asset, Decimal.of(quantity))
    for (const { tradingAccountId, tradeOrderId, orderSide, executedQuantity, executedCost, fees } of countedExecutions(
      database,
    )) {
      const order = database.orders.get(tradeOrderId)?.order
      if (tradingAccountId !== this.id || order === undefined) continue
      add(order.baseAsset, orderSide === "BUY" ? executedQuantity : executedQuantity.negate())
      add(order.quoteAsset, orderSide === "BUY" ? executedCost.negate() : executedCost)
      for (const fee of fees) add(fee.asset, fee.quantity.negate())
    }
    return totals
  }
}
