/** What each exchange account has open in contracts, one position in each instrument, with its margin in that instrument's quote asset. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { VenueContract, VenueFill, VenueOrder } from "../../../src/ports/venue-session.ts"
import { listed } from "./listing.ts"

interface Held {
  /** Below zero where it is short. */
  readonly quantity: Decimal
  readonly entryPrice: Decimal
}

const NONE: Held = { quantity: Decimal.ZERO, entryPrice: Decimal.ZERO }
const ENTRY_DIGITS = 8
/** A tenth of what is open, and of what orders would open. */
const MARGIN = Decimal.of("0.1")

type Execution = Pick<VenueFill, "instrumentId" | "orderSide" | "quantity" | "price">

/** An order at work. */
interface Opening {
  readonly order: Pick<VenueOrder, "instrumentId" | "limitPrice" | "reduceOnly">
  readonly quantity: Decimal
  readonly executed: Decimal
}

export class Positions {
  private readonly accounts = new Map<string, Map<InstrumentId, Held>>()

  constructor(private readonly priceIn: (instrumentId: InstrumentId) => Decimal) {}

  private of(account: string): Map<InstrumentId, Held> {
    const known = this.accounts.get(account) ?? new Map<InstrumentId, Held>()
    this.accounts.set(account, known)
    return known
  }

  openIn(account: string, instrumentId: InstrumentId): Decimal {
    return (this.of(account).get(instrumentId) ?? NONE).quantity
  }

  /** What an order of this side can close, at most. */
  reducible(account: string, instrumentId: InstrumentId, orderSide: "BUY" | "SELL"): Decimal {
    const open = this.openIn(account, instrumentId)
    return Decimal.max(Decimal.ZERO, orderSide === "SELL" ? open : open.negate())
  }

  /** Answers what is earned of what it closes; below zero: lost. */
  executed(account: string, { instrumentId, orderSide, quantity, price }: Execution): Decimal {
    const before = this.of(account).get(instrumentId) ?? NONE
    const at = Decimal.of(price)
    const amount = Decimal.of(quantity)
    const change = orderSide === "BUY" ? amount : amount.negate()
    const after = before.quantity.add(change)
    const closes = Decimal.min(this.reducible(account, instrumentId, orderSide), amount)
    const gain = at.subtract(before.entryPrice).multiply(closes)
    const isTurned = closes.isPositive() && amount.greaterThan(closes)
    const cost = before.entryPrice.multiply(before.quantity.abs()).add(at.multiply(amount))
    const entryPrice = isTurned
      ? at
      : closes.isPositive()
        ? before.entryPrice
        : cost.divide(after.abs(), ENTRY_DIGITS, "HALF_EVEN")
    if (after.isZero()) this.of(account).delete(instrumentId)
    else this.of(account).set(instrumentId, { quantity: after, entryPrice })
    return orderSide === "SELL" ? gain : gain.negate()
  }

  /** As the venue shows them. */
  shown(account: string): ReadonlyArray<VenueContract> {
    return [...this.of(account)].map(([instrumentId, { quantity, entryPrice }]) => ({
      instrumentId,
      asset: listed(instrumentId).quoteAsset,
      quantity: quantity.toString(),
      entryPrice: entryPrice.toString(),
      unrealizedProfit: this.priceIn(instrumentId).subtract(entryPrice).multiply(quantity).toString(),
    }))
  }

  /** Of one asset: what holds the positions, and what orders would open. */
  margin(account: string, asset: string, orders: ReadonlyArray<Opening>): Decimal {
    const held = [...this.of(account)].map(([instrumentId, { quantity, entryPrice }]) => ({
      instrumentId,
      cost: quantity.abs().multiply(entryPrice),
    }))
    const ordered = orders
      .filter(({ order }) => order.reduceOnly !== true)
      .map(({ order: { instrumentId, limitPrice }, quantity, executed }) => ({
        instrumentId,
        cost: Decimal.of(limitPrice ?? "0").multiply(quantity.subtract(executed)),
      }))
    return [...held, ...ordered]
      .filter(({ instrumentId }) => listed(instrumentId).quoteAsset === asset)
      .reduce((sum, { cost }) => sum.add(cost.multiply(MARGIN)), Decimal.ZERO)
  }
}
