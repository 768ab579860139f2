/** What becomes of hedges in a hedging world: what their submit runs into, what their venue executes of them, and when that is known. */
import type { SubmitOrder } from "../../../src/actors/account/messages.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import { InsufficientBalance } from "../../../src/domain/errors/risk.ts"
import { Busy } from "../../../src/domain/errors/service.ts"
import { OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Tally } from "../tally.ts"
import type { Random } from "../time.ts"
import type { VenueFill, VenueHedge } from "./venue-hedge.ts"

const LOT = Decimal.of("0.001")
const FEE = Decimal.of("0.001")
const HIDDEN_MINIMUM = Decimal.of("0.02")
const HALF = Decimal.of("0.5")
const TENTH = Decimal.of("0.1")

type Fee = "NONE" | "BASE" | "QUOTE" | "OTHER"

export class HedgeFates {
  faultiness = 0
  /** Accounts without funds: until then all is refused there. */
  readonly broke = new Map<TradingAccountId, number>()
  readonly #fees = new Map<TradingAccountId, Fee>()
  /** Instruments whose venue takes nothing so small as it lists. */
  readonly #hidden = new Map<string, boolean>()

  constructor(
    private readonly random: Random,
    private readonly tally: Tally,
    private readonly now: () => number,
    private readonly priceOf: (order: TradeOrder) => Decimal,
  ) {}

  refusal({ tradingAccountId, instrumentId }: SubmitOrder["request"]): DomainError | "LOST" | null {
    const { random, faultiness, tally } = this
    if (this.#isBroke(tradingAccountId) && this.#isKnownBroke(instrumentId!)) {
      tally.add("hedge refused: no funds")
      return new InsufficientBalance({ asset: "USDT", required: "1", available: "0" })
    }
    if (!random.chance(faultiness / 2)) return null
    const drawn = random.pick(["LOST", "UNKNOWN", "BUSY", "FUNDS"] as const)
    tally.add(`submit ${drawn}`)
    if (drawn === "LOST") return "LOST"
    if (drawn === "UNKNOWN") return new OutcomeUnknown({ tradeOrderId: null })
    if (drawn === "BUSY") return new Busy({ retryAfterSeconds: 1 })
    return new InsufficientBalance({ asset: "USDT", required: "1", available: "0" })
  }

  #isBroke(id: TradingAccountId): boolean {
    return (this.broke.get(id) ?? 0) > this.now()
  }

  /** The gateway knows of its balance itself, or the venue says so: one of them per instrument. */
  #isKnownBroke(instrumentId: string): boolean {
    return instrumentId.length % 2 === 0
  }

  fateOf(order: TradeOrder): VenueHedge {
    const { random, tally } = this
    if (this.#isBroke(order.tradingAccountId)) {
      tally.add("hedge refused: no funds")
      return this.#over("REJECTED", "INSUFFICIENT_BALANCE: Account has insufficient balance")
    }
    if (order.baseQuantity.lessThan(HIDDEN_MINIMUM) && this.#hasHiddenMinimum(order.instrumentId)) {
      tally.add("hedge refused: too small")
      return this.#over("REJECTED", "INVALID_ORDER: Filter failure: NOTIONAL")
    }
    if (!random.chance(this.faultiness)) return this.#filled(order, Decimal.ONE, this.now() + random.between(2, 400))
    const drawn = random.pick([
      "PART",
      "NOTHING",
      "REFUSED",
      "LATE",
      "LATE_REFUSED",
      "TOO_SMALL",
      "NEVER_LEFT",
      "SLOW",
      "DOUBT",
      "DOUBT",
      "SILENT",
    ] as const)
    tally.add(`hedge ${drawn}`)
    const soon = this.now() + random.between(2, 400)
    const part = Decimal.fromUnits(BigInt(random.between(1, 9)), 1)
    const later = (least: number, most: number): number => this.now() + random.between(least, most)
    switch (drawn) {
      case "PART":
        return { ...this.#filled(order, part, soon), end: CANCELLED, endAt: soon + 1 }
      case "NOTHING":
        return this.#over(random.pick(["CANCELLED", "EXPIRED"]), null)
      case "REFUSED":
        return this.#over("REJECTED", "INVALID_ORDER: Market is closed")
      case "TOO_SMALL":
        return this.#over("REJECTED", "INVALID_ORDER: volume minimum not met")
      case "NEVER_LEFT":
        return this.#over("REJECTED", "GATEWAY_LATE")
      case "LATE":
        return { ...this.#late(order, part, soon, later(1_000, 7_200_000)), end: CANCELLED, endAt: soon }
      case "LATE_REFUSED": {
        const filled = this.#filled(order, part, later(1_000, 7_200_000))
        return { ...filled, end: { status: "REJECTED", reason: "INSUFFICIENT_BALANCE: no" }, endAt: soon }
      }
      case "SLOW":
        return {
          ...this.#late(order, Decimal.ONE, soon, later(1_000, 120_000)),
          end: null,
          endAt: Number.POSITIVE_INFINITY,
        }
      case "DOUBT":
        return this.#doubtful(order, later(2_000, 1_200_000))
      case "SILENT":
        return this.#doubtful(order, Number.POSITIVE_INFINITY)
    }
  }

  /** From now on nothing goes wrong. */
  calm(): void {
    this.faultiness = 0
    this.broke.clear()
  }

  /** What will be known of it is known soon. */
  reveal(hedge: VenueHedge): void {
    const soon = this.now() + this.random.between(1_000, 60_000)
    hedge.mutedUntil = Math.min(hedge.mutedUntil, soon)
    for (const fill of hedge.fills) fill.shownAt = Math.min(fill.shownAt, soon)
    if (Number.isFinite(hedge.endAt)) hedge.endAt = Math.min(hedge.endAt, soon)
  }

  #hasHiddenMinimum(instrumentId: string): boolean {
    const known = this.#hidden.get(instrumentId) ?? this.random.chance(0.2)
    this.#hidden.set(instrumentId, known)
    return known
  }

  #over(status: "CANCELLED" | "EXPIRED" | "REJECTED", reason: string | null): VenueHedge {
    return { fills: [], end: { status, reason }, endAt: this.now() + this.random.between(1, 400), mutedUntil: 0 }
  }

  #doubtful(order: TradeOrder, mutedUntil: number): VenueHedge {
    const share = this.random.pick([Decimal.ZERO, Decimal.of("0.4"), Decimal.ONE, Decimal.ONE])
    const at = this.now() + 1
    if (share.isZero()) return { ...this.#over("CANCELLED", null), mutedUntil }
    return { ...this.#filled(order, share, at), end: CANCELLED, endAt: at, mutedUntil }
  }

  /** A part at once, and the rest of `share` later. */
  #late(order: TradeOrder, share: Decimal, soon: number, later: number): VenueHedge {
    const quantity = lots(order.baseQuantity.multiply(share))
    const half = lots(quantity.multiply(HALF))
    const rest = quantity.subtract(half)
    const parts = [this.#fill(order, half, soon), this.#fill(order, rest, later)]
    return { ...PLAIN, fills: parts.filter(({ quantity }) => quantity.isPositive()) }
  }

  #filled(order: TradeOrder, share: Decimal, at: number): VenueHedge {
    const quantity = lots(order.baseQuantity.multiply(share))
    if (!quantity.isPositive()) return { ...PLAIN, end: CANCELLED, endAt: at }
    const first = this.random.chance(0.3) ? lots(quantity.multiply(TENTH)) : Decimal.ZERO
    const parts = [this.#fill(order, first, at), this.#fill(order, quantity.subtract(first), at + 3)]
    return { ...PLAIN, fills: parts.filter((it) => it.quantity.isPositive()), end: CANCELLED, endAt: at + 4 }
  }

  #fill(order: TradeOrder, quantity: Decimal, shownAt: number): VenueFill {
    const price = order.limitPrice ?? this.priceOf(order)
    return { quantity, price, fee: this.#feeOf(order, quantity, price), shownAt }
  }

  #feeOf(order: TradeOrder, quantity: Decimal, price: Decimal): VenueFill["fee"] {
    const { tradingAccountId: id, baseAsset, quoteAsset } = order
    const kind = this.#fees.get(id) ?? this.random.pick(["NONE", "BASE", "QUOTE", "OTHER"] as const)
    this.#fees.set(id, kind)
    if (kind === "NONE") return null
    if (kind === "BASE") return { asset: baseAsset, quantity: quantity.multiply(FEE) }
    return kind === "QUOTE"
      ? { asset: quoteAsset, quantity: quantity.multiply(price).multiply(FEE) }
      : { asset: "BNB", quantity: TENTH }
  }
}

const lots = (quantity: Decimal): Decimal => quantity.roundTo(LOT, "DOWN")

const CANCELLED = { status: "CANCELLED", reason: null } as const
const PLAIN: VenueHedge = { fills: [], end: null, endAt: Number.POSITIVE_INFINITY, mutedUntil: 0 }
