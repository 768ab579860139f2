/** What must hold of an account's funds after each step: each open order holds what is due, and the portfolio says so. */

import type { Position } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { isSpot } from "../../../src/domain/instrument/venue.ts"
import { type HoldDue, holdDue, legsHoldDue } from "../../../src/domain/order/hold.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { isFired, placeOf, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { CallChecks } from "./calls.ts"
import { checkContracts } from "./contracts.ts"
import type { AccountView } from "./view.ts"

const FEE = Decimal.of("0.001")
/** Shares of holds are rounded up. */
const ROUNDING = Decimal.of("0.000000001")

/** What an order that is no leg of a list must hold, by its terms and what is executed of it; null: nothing can be said. */
export const dueOf = (order: TradeOrder): Decimal | null => {
  const { baseQuantity, executedQuantity, orderSide, limitPrice, terms } = order
  if (isTerminal(order.orderStatus)) return Decimal.ZERO
  const rest = Decimal.max(Decimal.ZERO, baseQuantity.subtract(executedQuantity))
  if (orderSide === "SELL") return rest
  const budget = terms?.budget ?? null
  if (budget !== null) return Decimal.max(Decimal.ZERO, budget.amount.subtract(order.executedCost))
  const trigger = terms?.trigger ?? null
  // At market it costs what it costs: what is held was an estimate. Where the venue has no market orders a limit stands in for them.
  if (order.orderType === "MARKET" || (isFired(order) && order.timeInForce === "IOC")) return null
  if (limitPrice === null && (trigger === null || isFired(order) || trigger.triggeredAt !== null)) return null
  // A trailing stop moves away from the price that its hold was made by.
  if (trigger?.trailing && limitPrice === null) return null
  const price = limitPrice ?? trigger?.stopPrice
  return price === undefined ? null : price.multiply(rest)
}

const assetOf = (order: TradeOrder): string => (order.orderSide === "BUY" ? order.quoteAsset : order.baseAsset)

/** Calm for so long, an account has what its exchange account has, but for what it need not have heard of (`unheard.ts`). */
const FRESH_MILLIS = 6_000
const FRESH_MAX_MILLIS = 15_000
const CALM_MILLIS = 35_000

export class FundsChecks {
  /** Since when it is ACTIVE. */
  private activeSince: number | null = null

  constructor(
    private readonly view: AccountView,
    private readonly calls: CallChecks,
  ) {}

  safety(rows: ReadonlyArray<TradeOrder>): void {
    const { view } = this
    if (view.status() === "DISCONNECTED") return
    const holds = new Map<string, Decimal>()
    for (const order of rows) {
      if (isTerminal(order.orderStatus)) continue
      this.checkHold(order)
      const asset = assetOf(order)
      holds.set(asset, (holds.get(asset) ?? Decimal.ZERO).add(order.held))
    }
    this.checkDue(rows)
    this.checkPortfolio(holds)
  }

  /** By what is said of holds in one place, for lists as well. */
  private checkDue(rows: ReadonlyArray<TradeOrder>): void {
    const { venue } = this.view.world.venue
    const lists = new Map<string, Array<TradeOrder>>()
    for (const order of rows) {
      if (order.orderListId !== null) lists.set(order.orderListId, [...(lists.get(order.orderListId) ?? []), order])
      if (isTerminal(order.orderStatus) || (order.terms?.leg ?? null) !== null) continue
      this.checkBounds(order.tradeOrderId, order.held, holdDue(order, venue))
    }
    for (const [id, orders] of lists) {
      const market = this.view.world.instruments.find((it) => it.instrumentId === orders[0]!.instrumentId)
      if (market === undefined) continue
      const { lotSize: lot, minQuantity, minNotional } = market
      const legs = orders.filter((it) => (it.terms?.leg ?? null) !== null)
      const held = legs.reduce((sum, it) => sum.add(it.held), Decimal.ZERO)
      this.checkBounds(
        `the legs of ${id}`,
        held,
        legsHoldDue(this.whole(orders), venue, { lot, minQuantity, minNotional }),
      )
    }
  }

  /** With their executions, whose fees an exit need not sell. */
  private whole(orders: ReadonlyArray<TradeOrder>): ReadonlyArray<TradeOrder> {
    const executions = [...this.view.world.database.executions.values()]
    return orders.map((order) => ({
      ...order,
      executions: executions.filter((it) => it.tradeOrderId === order.tradeOrderId),
    }))
  }

  private checkBounds(what: string, held: Decimal, { least, most }: HoldDue): void {
    if (held.add(ROUNDING).lessThan(least) || (most !== null && held.greaterThan(most.add(ROUNDING))))
      this.view.say(`${what}: ${held} is held, and due is ${least} to ${most ?? "any"}`)
  }

  private checkHold(order: TradeOrder): void {
    // The legs of a list hold once, for all of them.
    if ((order.terms?.leg ?? null) !== null) return
    const due = isSpot(this.view.world.venue.venue) ? dueOf(order) : Decimal.ZERO
    if (due === null) return
    const said = `${order.tradeOrderId} (${order.orderStatus}) holds ${order.held}, ${due} is due`
    if (order.held.add(ROUNDING).lessThan(due)) this.view.say(said)
    const isPlain = order.terms === null && placeOf(order) === "VENUE" && order.limitPrice !== null
    if (!isPlain || order.origin === "EXTERNAL") return
    const most = due.add(order.orderSide === "BUY" ? due.multiply(FEE) : Decimal.ZERO).add(ROUNDING)
    if (order.held.greaterThan(most)) this.view.say(said)
  }

  /** Only what is durable is in memory: then both must say the same. */
  private checkPortfolio(holds: ReadonlyMap<string, Decimal>): void {
    const { view } = this
    const { world } = view
    if (!world.isRunning || world.units.of(view.id) > 0) return
    const asked = world.ask<ReadonlyArray<Position>>(
      (reply) => ({ _tag: "ReadPortfolio", currency: null, reply }),
      view.id,
    )
    world.advance(0)
    if (asked.answer === undefined || "error" in asked.answer || world.units.of(view.id) > 0) return
    const positions = new Map(asked.answer.ok.map((it) => [it.currency, it]))
    for (const [asset, held] of holds) {
      const { available, locked } = positions.get(asset) ?? { available: Decimal.ZERO, locked: Decimal.ZERO }
      const balance = available.add(locked)
      if (locked.lessThan(Decimal.min(balance, held)))
        view.say(`${asset}: ${locked} of ${balance} is locked, and the open orders hold ${held}`)
    }
    for (const { currency, available, locked } of asked.answer.ok)
      if (available.isNegative() || locked.isNegative()) view.say(`${currency}: ${available} + ${locked}`)
    if (!this.calls.areBalancesUnsure && this.isFresh()) this.checkBalances(positions)
  }

  /** Nothing went wrong for a while, and nothing was traded just now. */
  private isFresh(): boolean {
    const { world, id, exchange } = this.view
    const { now } = world.time
    if (world.status(id) !== "ACTIVE") this.activeSince = null
    else this.activeSince ??= now
    // An event that was lost before the venue went down cannot be made up for until it answers again.
    if (!world.venue.isUp) return false
    const { tradeLagMillis, eventSpreadMillis, balancesLagMillis } = world.venue.traits
    // The stream tells a trade so late at most; then fresh balances are asked for.
    const fresh = FRESH_MILLIS + tradeLagMillis + eventSpreadMillis + balancesLagMillis
    if (fresh > FRESH_MAX_MILLIS) return false
    if (this.activeSince === null || now - this.activeSince < fresh || now - world.troubledAt < CALM_MILLIS)
      return false
    // Where pages are small, balances wait longer behind the trades than those take to be told.
    const told = fresh + this.view.turnMillis
    return !world.venue.ordersOf(exchange).some((it) => now - it.updatedAt < told)
  }

  private checkBalances(positions: ReadonlyMap<string, Position>): void {
    const { view } = this
    const unheard = this.calls.unheard.moved()
    if (view.world.venue.traits.contracts) {
      // What is open, and its margin, are the venue's word: of trades that nothing told, that word may be from before them.
      if (unheard.size > 0) return
      checkContracts(view, [...positions.values()])
    }
    for (const [asset, total] of view.world.venue.totalsOf(view.exchange)) {
      const { available, locked } = positions.get(asset) ?? { available: Decimal.ZERO, locked: Decimal.ZERO }
      const balance = available.add(locked)
      // Of trades that nothing told it of it has not heard, to the digit: any other balance is wrong.
      if (balance.equals(total) || balance.equals(total.subtract(unheard.get(asset) ?? Decimal.ZERO))) continue
      view.say(`${asset}: ${available} + ${locked}, and the venue has had ${total} for a while`)
    }
  }
}
