/**
 * Trades of which an account need not know yet: its stream lost them, it has none of their orders, and it rests. An account that rests is
 * asked for its balances within ten minutes, and at the next audit of balances only once something has stirred it (decision 41).
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { NEVER_PLACED, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueFill } from "../../../src/ports/venue-session.ts"
import type { VenueCall } from "../accounts.ts"
import type { Readiness } from "../readiness.ts"
import { shownKey, tradeKey } from "../venue/exchange.ts"
import { listed } from "../venue/listing.ts"
import type { AccountView } from "./view.ts"

const NEVER: ReadonlySet<string> = new Set(Object.values(NEVER_PLACED))
/** From the newest balances of an account that rests to the next. */
const RESTING_MILLIS = 600_000
/** From what stirred it to the next audit of balances. */
const STIRRED_MILLIS = 30_000

/** It is open, or was given up and may appear. */
const keepsAwake = ({ orderStatus, rejectReason }: TradeOrder): boolean =>
  !isTerminal(orderStatus) || (orderStatus === "REJECTED" && NEVER.has(rejectReason ?? ""))

export class UnheardTrades {
  /** When the newest balances that it was told were true; null: it was told none in this session. */
  private trueAt: number | null = null
  /** Since when it does not rest, at the earliest since those balances were asked for; null: it rests. */
  private stirredAt: number | null = null
  /** The same since the newest question for balances, whose answer is to come. */
  private stirredSinceAsked: number | null = null

  constructor(
    private readonly view: AccountView,
    private readonly readiness: Readiness,
  ) {}

  processStarted(): void {
    this.beginAgain()
  }

  private beginAgain(): void {
    this.trueAt = null
    this.stirredAt = null
    this.stirredSinceAsked = null
  }

  call(call: VenueCall): void {
    switch (call._tag) {
      case "Opened":
      case "Closed":
        return this.beginAgain()
      case "AskedBalances":
        this.stirredSinceAsked = null
        return
      case "ToldBalances": {
        const { world, id } = this.view
        this.trueAt = Math.max(this.trueAt ?? 0, call.at - world.venue.traits.balancesLagMillis)
        this.stirredAt = this.stirredSinceAsked
        // What is open here may be over by a unit that is not stored yet: that unit has stirred it.
        if (world.units.of(id) === 0 && this.view.rows().some(keepsAwake)) this.stirredAt ??= world.time.now
      }
    }
  }

  /** A unit on its way to the store. The balances that a session begins with stir nothing. */
  handedOver({ rows, events }: Unit): void {
    const isOfOrder = rows.some((it) => it._tag === "Order")
    const isOfBalances = this.readiness.since !== null && events.some((it) => it.kind === "PORTFOLIO.UPDATED")
    if (!isOfOrder && !isOfBalances) return
    const { now } = this.view.world.time
    this.stirredAt ??= now
    this.stirredSinceAsked ??= now
  }

  /** What they have moved, by asset: with less by as much the account is right. Empty once it must have read its balances. */
  moved(): ReadonlyMap<string, Decimal> {
    const moved = new Map<string, Decimal>()
    const { trueAt, stirredAt, view } = this
    if (trueAt === null) return moved
    const { time, venue, database } = view.world
    const due = stirredAt === null ? trueAt + RESTING_MILLIS : stirredAt + STIRRED_MILLIS
    if (time.now > due + view.turnMillis + venue.traits.balancesLagMillis) return moved
    const heard = new Set<string>()
    for (const it of database.executions.values()) if (it.tradingAccountId === view.id) heard.add(tradeKey(it))
    const orders = new Set(view.rows().map(shownKey))
    const add = (asset: string, quantity: Decimal): void =>
      void moved.set(asset, (moved.get(asset) ?? Decimal.ZERO).add(quantity))
    for (const fill of venue.fillsOf(view.exchange)) {
      if (fill.executedAt < trueAt || heard.has(tradeKey(fill)) || orders.has(shownKey(fill))) continue
      moneyOf(fill, add)
    }
    return moved
  }
}

const moneyOf = (fill: VenueFill, add: (asset: string, quantity: Decimal) => void): void => {
  const { baseAsset, quoteAsset } = listed(fill.instrumentId)
  const quantity = Decimal.of(fill.quantity)
  const cost = Decimal.of(fill.price).multiply(quantity)
  const isBuy = fill.orderSide === "BUY"
  add(baseAsset, isBuy ? quantity : quantity.negate())
  add(quoteAsset, isBuy ? cost.negate() : cost)
  for (const fee of fill.fees) add(fee.asset, Decimal.of(fee.quantity).negate())
}
