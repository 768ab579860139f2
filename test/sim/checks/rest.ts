/** What must hold of an account when the faults are over: the gateway's word is that of the exchange account behind it. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import { isTerminal, type OrderStatus } from "../../../src/domain/order/status.ts"
import { NEVER_PLACED, placeOf, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { keyOf, type SimOrder, shownKey } from "../venue/exchange.ts"
import type { AccountChecks } from "./account.ts"
import { checkContracts } from "./contracts.ts"
import type { AccountView } from "./view.ts"

const NEVER: ReadonlySet<string> = new Set(Object.values(NEVER_PLACED))

export class RestChecks {
  private readonly view: AccountView

  constructor(private readonly checks: AccountChecks) {
    this.view = checks.view
  }

  private say(violation: string): void {
    this.view.say(violation)
  }

  check(): void {
    const { world, exchange, id: account } = this.view
    const { venue } = world
    const { lists } = this.checks
    for (const event of this.view.events()) this.checks.checkRetold(event)
    if (world.status(account) !== "ACTIVE") return this.say(`the account ${account} is ${world.status(account)}`)
    const known = new Set<string>()
    const holds = new Map<string, Decimal>()
    for (const order of this.view.rows()) {
      const sim = this.view.simOf(order)
      const asset = order.orderSide === "BUY" ? order.quoteAsset : order.baseAsset
      holds.set(asset, (holds.get(asset) ?? Decimal.ZERO).add(order.held))
      const id = `${order.tradeOrderId} (${order.orderStatus} ${order.executedQuantity}, ${order.rejectReason ?? order.cancelReason ?? ""})`
      if (order.doubt !== null) this.say(`${id} is still in doubt`)
      if (sim === undefined) {
        const wrong = lists.elsewhere(order)
        if (wrong !== null) this.say(`${id} ${wrong}`)
        continue
      }
      if (this.isNeverNamed(order, sim)) continue
      if (known.has(keyOf(sim))) this.say(`${id}: another order here is ${sim.externalOrderId} as well`)
      known.add(keyOf(sim))
      this.checkTruth(order, sim, id)
    }
    this.checkReplaced()
    lists.atRest()
    for (const sim of venue.openOrders(exchange))
      if (!known.has(keyOf(sim))) this.say(`open at the venue and unknown here: ${sim.externalOrderId}`)
    const portfolio = world.portfolio(null, account)
    if (venue.traits.contracts) checkContracts(this.view, portfolio)
    for (const position of portfolio) {
      const total = venue.totalsOf(exchange).get(position.currency) ?? Decimal.ZERO
      // What waits here is held here only; and of what is there, we hold at least what the venue locks.
      const held = Decimal.max(holds.get(position.currency) ?? Decimal.ZERO, venue.locked(position.currency, exchange))
      const locked = Decimal.min(total, held)
      if (!position.available.add(position.locked).equals(total) || !position.locked.equals(locked))
        this.say(
          `${position.currency}: ${position.available} + ${position.locked}, the venue says ${total.subtract(locked)} + ${locked}`,
        )
    }
  }

  /**
   * Cancelled before the venue had ever named it, and forgotten there: nothing joins it to the order that was shown without our id, and
   * that one stands here as placed elsewhere (decision 40).
   */
  private isNeverNamed(order: TradeOrder, sim: SimOrder): boolean {
    const { forgotten, traits } = this.view.world.venue
    if (!forgotten.has(sim) || (traits.clientIds !== "ASKED" && traits.clientIds !== "CHANGED")) return false
    const { origin, externalOrderId, orderStatus, executedQuantity } = order
    if (origin !== "GATEWAY" || externalOrderId !== null) return false
    if (orderStatus !== "CANCELLED" || !executedQuantity.isZero()) return false
    return this.view.rows().some((it) => it.origin === "EXTERNAL" && shownKey(it) === keyOf(sim))
  }

  private checkTruth(order: TradeOrder, sim: SimOrder, id: string): void {
    const truth = `${id}, the venue says ${sim.status} ${sim.executed}`
    if (!order.executedQuantity.equals(sim.executed)) this.say(`executed: ${truth}`)
    const isOver = order.expireAt !== null && this.view.world.wall() >= order.expireAt
    // By a clock that was ahead for a while, its time had come.
    const isTimed = isOver || (order.expireAt !== null && this.view.world.hasSteppedClock)
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
    // What showed up after it was given up is cancelled there, and stays what people were told.
    const isGivenUp = order.orderStatus === "REJECTED" && sim.status !== "OPEN" && NEVER.has(order.rejectReason ?? "")
    if (!expected.includes(order.orderStatus) && !isGivenUp) this.say(`status: ${truth}`)
    if (sim.status !== "OPEN") return
    const { quantity, limitPrice } = sim.order
    if (order.terms?.change) this.say(`a change of it is still under way: ${truth}`)
    if (placeOf(order) !== "VENUE") this.say(`at the venue, and thought to be here: ${truth}`)
    if (isOver && this.view.world.wall() > (order.expireAt ?? 0) + 60_000) this.say(`works past its end: ${truth}`)
    if (!order.baseQuantity.equals(sim.quantity) || (order.limitPrice?.toString() ?? null) !== limitPrice)
      this.say(
        `values ${order.baseQuantity} at ${order.limitPrice}, the venue's ${quantity} at ${limitPrice}: ${truth}`,
      )
    const trigger = order.terms?.trigger ?? null
    const isFiredThere = sim.trigger?.isTriggered === true
    // Of an order that was imported nothing but its price is known.
    if (
      sim.trigger !== null &&
      order.origin === "GATEWAY" &&
      ((trigger?.triggeredAt ?? null) !== null) !== isFiredThere
    )
      this.say(`triggered there: ${isFiredThere}, and here not the same: ${truth}`)
  }

  /** Each order that was replaced has exactly one successor. */
  private checkReplaced(): void {
    const rows = this.view.rows()
    const replaced = new Set<TradeOrderId>()
    for (const order of rows) {
      const id = order.replacesTradeOrderId
      if (id === null) continue
      if (replaced.has(id)) this.say(`${id} was replaced twice`)
      replaced.add(id)
      const before = this.view.row(id)
      // A leg of a list may begin again after it was filled or withdrawn.
      if (before === undefined || !isTerminal(before.orderStatus)) this.say(`${id} was replaced and is not over`)
      else if (
        (order.terms?.leg ?? null) === null &&
        before.cancelReason !== "REPLACED" &&
        before.orderStatus !== "FILLED"
      )
        this.say(`${id} was replaced and ended ${before.orderStatus} ${before.cancelReason}`)
    }
    for (const order of rows)
      if (order.cancelReason === "REPLACED" && !replaced.has(order.tradeOrderId) && order.executedQuantity.isZero())
        if (!this.checks.notReplaced.has(order.tradeOrderId)) this.say(`${order.tradeOrderId} was replaced by nothing`)
  }
}
