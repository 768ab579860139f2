/**
 * The exchange behind the simulated venue: the orders and the money of each exchange account, and the matching. This is the truth that
 * the gateway's accounts must end up with; what is told of it, and when, is the affair of the stream and of the history.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import { type InstrumentId, type TradeOrderId, venueClientId } from "../../../src/domain/ids.ts"
import { isBetter, reaches, stopAt } from "../../../src/domain/order/trigger-prices.ts"
import type {
  VenueAmend,
  VenueBalance,
  VenueBalances,
  VenueFill,
  VenueOrder,
  VenueOrderState,
  VenueOrderStatus,
} from "../../../src/ports/venue-session.ts"
import { Random, type SimTime } from "../time.ts"
import { PLAIN_TRAITS, type VenueTraits } from "../traits.ts"
import { type Fates, kindFates } from "./fates.ts"
import { BTC_USDT, FEE_ASSET, FIRST_TOTALS, listed, MORE_TOTALS, unitsOf } from "./listing.ts"
import { lockedBy } from "./locks.ts"
import { feeOf, partsOf, priceOf } from "./matching.ts"
import { Positions } from "./positions.ts"

/** The exchange account of the first gateway account. */
export const MAIN = "sim-1"

export interface SimOrder {
  /** The exchange account that it belongs to. */
  readonly account: string
  /** Of the gateway's order; null: it was placed at the exchange itself. */
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
  /** What its client called it. */
  readonly clientId: string | null
  /** Counts the exchange's orders, from 1. */
  readonly number: number
  order: Omit<VenueOrder, "tradeOrderId" | "notAfter">
  quantity: Decimal
  readonly createdAt: number
  status: VenueOrderStatus
  ending: VenueOrderState["ending"]
  executed: Decimal
  readonly fills: Array<VenueFill>
  updatedAt: number
  /** Of an order with a trigger: where it stands. */
  trigger: { stopPrice: Decimal; best: Decimal; isTriggered: boolean } | null
  /** The other order of a list that the venue keeps. */
  partner: SimOrder | null
  /** The venue broke its own word about it: took it after its expiry, filled it after its end, or beyond its quantity. */
  isOdd: boolean
}

interface OrderNames {
  readonly tradeOrderId: TradeOrderId | null
  /** Counts only together with its instrument. */
  readonly externalOrderId: string | null
  readonly instrumentId?: InstrumentId
}

/** Of one exchange: its own numbers may be given once for each instrument. */
export const orderKey = (instrumentId: InstrumentId, externalOrderId: string): string =>
  `${instrumentId}|${externalOrderId}`

/** As the gateway was shown it, or has it. */
export const shownKey = (of: {
  readonly instrumentId: InstrumentId
  readonly externalOrderId: string | null
}): string => orderKey(of.instrumentId, of.externalOrderId ?? "")

/** Trades are numbered as orders are. */
export const tradeKey = (of: {
  readonly instrumentId: InstrumentId
  readonly externalTradeId: string | null
}): string => orderKey(of.instrumentId, of.externalTradeId ?? "")

export const keyOf = ({ order, externalOrderId }: SimOrder): string => orderKey(order.instrumentId, externalOrderId)

export const isPostOnly = ({ orderType, timeInForce }: SimOrder["order"]): boolean =>
  orderType === "LIMIT_MAKER" || timeInForce === "GTX"

const PRICE = Decimal.of("100")

const counted = (counts: Map<InstrumentId, number>, instrumentId: InstrumentId): number => {
  const count = (counts.get(instrumentId) ?? 0) + 1
  counts.set(instrumentId, count)
  return count
}

export abstract class Exchange {
  fates: Fates = kindFates()
  traits: VenueTraits = PLAIN_TRAITS
  /** Of what the traits leave to chance. */
  random = new Random(1)
  /** What is traded here. */
  instruments: ReadonlyArray<InstrumentId> = [BTC_USDT]
  /** By `orderKey`. */
  readonly orders = new Map<string, SimOrder>()
  /** Rows that the venue adds to its balances, as it writes them. */
  oddBalances: ReadonlyArray<VenueBalance> = []
  /** What is open in contracts, as it says with its balances; undefined: it says nothing of them. */
  contracts: VenueBalances["contracts"]
  /** Rate of the fee of a buy that is charged in the base asset; null: as the traits say. */
  baseFee: Decimal | null = null
  /** For the story of a world. */
  note: (what: string) => void = () => undefined
  /** What is taken now, is taken after its expiry. */
  isPastExpiry = false
  /** Told of every order that is taken. */
  placed: (sim: SimOrder) => void = () => undefined
  /** What its accounts have open, where it trades contracts. */
  readonly positions = new Positions((instrumentId) => this.priceIn(instrumentId))
  private readonly money = new Map<string, Map<string, Decimal>>()
  private readonly prices = new Map<InstrumentId, Decimal>()
  private tradeCount = 0
  /** Where each instrument counts for itself. */
  private readonly orderCounts = new Map<InstrumentId, number>()
  private readonly tradeCounts = new Map<InstrumentId, number>()

  constructor(readonly time: SimTime) {}

  /** An order is not what it was. */
  protected abstract changed(sim: SimOrder): void
  /** Before the change of its order is told. */
  protected abstract traded(sim: SimOrder, fill: VenueFill): void

  // The truth

  find({ tradeOrderId, externalOrderId, instrumentId }: OrderNames): SimOrder | undefined {
    for (const it of this.orders.values())
      if (
        (it.externalOrderId === externalOrderId && it.order.instrumentId === instrumentId) ||
        (tradeOrderId !== null && it.tradeOrderId === tradeOrderId)
      )
        return it
    return undefined
  }

  /** Of one exchange account, or of all. */
  openOrders(account?: string): ReadonlyArray<SimOrder> {
    return [...this.orders.values()].filter((it) => it.status === "OPEN" && (account ?? it.account) === it.account)
  }

  ordersOf(account: string, instrumentId?: InstrumentId): ReadonlyArray<SimOrder> {
    return [...this.orders.values()].filter(
      (it) => it.account === account && (instrumentId ?? it.order.instrumentId) === it.order.instrumentId,
    )
  }

  /** Oldest first. */
  fillsOf(account: string, instrumentId?: InstrumentId): ReadonlyArray<VenueFill> {
    return this.ordersOf(account, instrumentId)
      .flatMap((it) => it.fills)
      .sort((a, b) => a.executedAt - b.executedAt)
  }

  get accounts(): ReadonlyArray<string> {
    return [...this.money.keys()]
  }

  totalsOf(account: string): Map<string, Decimal> {
    const known = this.money.get(account)
    if (known !== undefined) return known
    const rows = [
      ...FIRST_TOTALS,
      ...(this.instruments.length > 1 ? MORE_TOTALS : []),
      // So little that it is used up.
      ...(this.traits.feeAsset === "THIRD" ? [[FEE_ASSET, "0.5"] as const] : []),
    ]
    const totals = new Map(rows.map(([asset, total]) => [asset, Decimal.of(total)]))
    this.money.set(account, totals)
    return totals
  }

  get totals(): Map<string, Decimal> {
    return this.totalsOf(MAIN)
  }

  locked(asset: string, account: string = MAIN): Decimal {
    const open = this.openOrders(account)
    return this.traits.contracts ? this.positions.margin(account, asset, open) : lockedBy(open, asset)
  }

  balances(account: string = MAIN, askedAt: number = this.time.now): VenueBalances {
    const balances = [...this.totalsOf(account)].map(([asset, total]) => {
      const locked = this.locked(asset, account)
      return { asset, available: total.subtract(locked).toString(), locked: locked.toString() }
    })
    const { oddBalances, time, traits } = this
    const contracts = traits.contracts ? this.positions.shown(account) : this.contracts
    // Where positions are told the connector names the instant of its question: they may have moved once more since.
    const at = traits.contracts ? askedAt : time.now
    const all = { complete: true, balances: [...balances, ...oddBalances], at }
    return contracts === undefined ? all : { ...all, contracts }
  }

  /** Of the newest trade. */
  priceIn(instrumentId: InstrumentId): Decimal {
    return this.prices.get(instrumentId) ?? unitsOf(instrumentId).price.multiply(PRICE)
  }

  get price(): Decimal {
    return this.priceIn(BTC_USDT)
  }
  set price(price: Decimal) {
    this.prices.set(BTC_USDT, price)
  }

  // Orders

  /** An order on the book (or through it: IOC, FOK and MARKET end at once, filled as the fates say). */
  place(
    order: SimOrder["order"],
    tradeOrderId: TradeOrderId | null,
    account: string = MAIN,
    clientId: string | null = tradeOrderId === null ? null : venueClientId(tradeOrderId),
  ): SimOrder {
    const sim = this.take(order, tradeOrderId, account, clientId)
    if (sim.trigger === null) this.match(sim)
    return sim
  }

  /** Two orders, of which each ends when the other is executed, triggered or cancelled. */
  placeList(
    orders: ReadonlyArray<readonly [order: SimOrder["order"], tradeOrderId: TradeOrderId]>,
    account: string = MAIN,
  ): void {
    const [one, other] = orders.map(([order, id]) => this.take(order, id, account, venueClientId(id)))
    if (one === undefined || other === undefined) throw new Error("a list has two orders")
    one.partner = other
    other.partner = one
  }

  /** What happened to one order of a list ends the other. */
  private follow({ partner }: SimOrder, ending: VenueOrderState["ending"]): void {
    if (partner?.status === "OPEN") this.finish(partner, "CANCELLED", ending)
  }

  private take(
    order: SimOrder["order"],
    tradeOrderId: TradeOrderId | null,
    account: string,
    clientId: string | null,
  ): SimOrder {
    const number = this.orders.size + 1
    const price = this.priceIn(order.instrumentId)
    const sim: SimOrder = {
      account,
      tradeOrderId,
      externalOrderId: this.nextId(order.instrumentId, number),
      clientId,
      number,
      order,
      quantity: Decimal.of(order.quantity),
      createdAt: this.time.now,
      status: "OPEN",
      ending: null,
      executed: Decimal.ZERO,
      fills: [],
      updatedAt: this.time.now,
      trigger:
        order.trigger === undefined
          ? null
          : { stopPrice: Decimal.of(order.trigger.stopPrice), best: price, isTriggered: false },
      partner: null,
      isOdd: this.isPastExpiry,
    }
    // By cost: as much as that buys now.
    if (order.cost !== undefined) {
      const { lotSize } = listed(order.instrumentId)
      sim.quantity = Decimal.of(order.cost).divide(price.multiply(lotSize), 0, "DOWN").multiply(lotSize)
    }
    this.orders.set(keyOf(sim), sim)
    const { orderSide, orderType, limitPrice } = order
    const owner = tradeOrderId ?? "a foreign order"
    this.note(`takes ${owner} as ${sim.externalOrderId}: ${orderSide} ${sim.quantity} ${orderType} ${limitPrice ?? ""}`)
    this.placed(sim)
    this.changed(sim)
    if (order.expireAt !== undefined)
      this.time.schedule(() => {
        if (sim.status === "OPEN") this.end(sim, "EXPIRED")
      }, order.expireAt - this.time.now)
    return sim
  }

  /** IOC, FOK and MARKET end at once. */
  private match(sim: SimOrder): void {
    const { order } = sim
    if (isPostOnly(order) && this.traits.endsTakers && this.isThere(order))
      return this.end(sim, "REJECTED", "WOULD_TAKE")
    if (order.orderType === "MARKET" || order.timeInForce === "IOC" || order.timeInForce === "FOK") {
      const part = this.fates.immediate(sim.quantity)
      if (part.isPositive()) this.fill(sim, part)
      if (sim.status === "OPEN") this.end(sim, "CANCELLED", "REMAINDER")
    }
  }

  /** A public trade: triggers that the venue watches itself may fire. */
  trade(price: Decimal, instrumentId: InstrumentId = BTC_USDT): void {
    this.prices.set(instrumentId, price)
    for (const sim of this.openOrders()) {
      const { trigger } = sim
      const terms = sim.order.trigger
      if (sim.order.instrumentId !== instrumentId) continue
      if (trigger === null || terms === undefined || trigger.isTriggered) continue
      if (reaches(terms.on, trigger.stopPrice, price)) {
        trigger.isTriggered = true
        sim.updatedAt = this.time.now
        this.note(`${sim.externalOrderId} is triggered at ${price}`)
        this.changed(sim)
        this.follow(sim, "LIST")
        if (this.fates.trigger()) this.match(sim)
        else this.end(sim, "REJECTED")
      } else if (terms.kind === "TRAILING_STOP" && isBetter(terms.on, price, trigger.best)) {
        trigger.best = price
        const amount = terms.trailingAmount === undefined ? null : Decimal.of(terms.trailingAmount)
        const stop = stopAt(terms.on, { delta: terms.trailingDelta ?? null, amount }, price)
        trigger.stopPrice =
          terms.on === "RISE" ? Decimal.min(stop, trigger.stopPrice) : Decimal.max(stop, trigger.stopPrice)
      }
    }
  }

  /** What nobody expects of a venue: a fill after the end of an order, or of more than was ordered. */
  oddFill(sim: SimOrder, quantity: Decimal): void {
    sim.isOdd = true
    this.fill(sim, quantity, sim.order.limitPrice ?? this.priceIn(sim.order.instrumentId).toString(), undefined, true)
  }

  /** Without a price: in as many trades, and as much better than its limit, as the traits let it. Answers the last trade. */
  fill(sim: SimOrder, quantity: Decimal, price?: string, externalTradeId?: string, isBeyond = false): VenueFill {
    const whole = isBeyond ? quantity : Decimal.min(quantity, this.most(sim))
    const parts = price === undefined ? partsOf(this, sim, whole) : [whole]
    const fills = parts.map((part) => {
      const fill = this.execute(sim, part, price ?? priceOf(this, sim), externalTradeId ?? this.nextTradeId(sim))
      this.note(`fills ${part} of ${sim.externalOrderId} at ${fill.price}: ${sim.executed}, ${sim.status}`)
      this.traded(sim, fill)
      this.changed(sim)
      return fill
    })
    this.follow(sim, "LIST")
    this.endReduced(sim)
    return fills.at(-1)!
  }

  /** That it can still execute. */
  private most({ account, order, quantity, executed }: SimOrder): Decimal {
    const rest = quantity.subtract(executed)
    const { instrumentId, orderSide } = order
    return this.reduces(order) ? Decimal.min(rest, this.positions.reducible(account, instrumentId, orderSide)) : rest
  }

  reduces({ reduceOnly }: SimOrder["order"]): boolean {
    return this.traits.contracts && reduceOnly === true
  }

  /** Of the same position: those that have nothing left to reduce. */
  private endReduced({ account, order: { instrumentId } }: SimOrder): void {
    if (!this.traits.contracts) return
    for (const sim of this.openOrders(account))
      if (sim.order.instrumentId === instrumentId && !this.most(sim).isPositive()) this.end(sim, "CANCELLED")
  }

  private execute(sim: SimOrder, part: Decimal, price: string, externalTradeId: string): VenueFill {
    const { instrumentId, orderSide } = sim.order
    const { baseAsset, quoteAsset } = listed(instrumentId)
    const cost = Decimal.of(price).multiply(part)
    const fee = feeOf(this, sim, part, cost)
    const fill: VenueFill = {
      tradeOrderId: sim.tradeOrderId,
      externalOrderId: sim.externalOrderId,
      externalTradeId,
      instrumentId,
      orderSide,
      quantity: part.toString(),
      price,
      fees: fee === null ? [] : [{ asset: fee.asset, quantity: fee.quantity.toString() }],
      executedAt: this.time.now,
    }
    const sign = orderSide === "BUY" ? Decimal.ONE : Decimal.ONE.negate()
    if (this.traits.contracts) this.add(sim.account, quoteAsset, this.positions.executed(sim.account, fill))
    else {
      this.add(sim.account, baseAsset, part.multiply(sign))
      this.add(sim.account, quoteAsset, cost.multiply(sign).negate())
    }
    if (fee !== null) this.add(sim.account, fee.asset, fee.quantity.negate())
    sim.executed = sim.executed.add(part)
    sim.fills.push(fill)
    sim.updatedAt = this.time.now
    if (sim.executed.atLeast(sim.quantity)) sim.status = "FILLED"
    return fill
  }

  private nextId(instrumentId: InstrumentId, number: number): string {
    return this.traits.orderIds === "VENUE" ? `X${number}` : `${counted(this.orderCounts, instrumentId)}`
  }

  private nextTradeId({ order: { instrumentId } }: SimOrder): string {
    const count = ++this.tradeCount
    return `T${this.traits.orderIds === "VENUE" ? count : counted(this.tradeCounts, instrumentId)}`
  }

  private add(account: string, asset: string, quantity: Decimal): void {
    const totals = this.totalsOf(account)
    totals.set(asset, (totals.get(asset) ?? Decimal.ZERO).add(quantity))
  }

  end(sim: SimOrder, status: VenueOrderStatus, ending: VenueOrderState["ending"] = null): void {
    this.finish(sim, status, ending)
    this.follow(sim, null)
  }

  private finish(sim: SimOrder, status: VenueOrderStatus, ending: VenueOrderState["ending"]): void {
    this.note(`ends ${sim.externalOrderId}: ${status} ${ending ?? ""}`)
    sim.status = status
    sim.ending = ending
    sim.updatedAt = this.time.now
    this.changed(sim)
  }

  /** Whether it was changed: not what is over, nor to less than is executed. */
  alter(sim: SimOrder | undefined, { quantity, limitPrice, stopPrice }: VenueAmend): sim is SimOrder {
    if (sim?.status !== "OPEN" || Decimal.of(quantity).atMost(sim.executed)) return false
    if (this.reduces(sim.order) && Decimal.of(quantity).subtract(sim.executed).greaterThan(this.most(sim))) return false
    this.note(`changes ${sim.externalOrderId} to ${quantity} at ${limitPrice ?? "market"}`)
    sim.order = { ...sim.order, quantity, limitPrice }
    sim.quantity = Decimal.of(quantity)
    if (sim.trigger !== null && stopPrice !== null) sim.trigger.stopPrice = Decimal.of(stopPrice)
    sim.updatedAt = this.time.now
    this.changed(sim)
    return true
  }

  /** It would trigger or trade at once. */
  isThere({ instrumentId, trigger, limitPrice, orderSide }: SimOrder["order"]): boolean {
    const level = Decimal.of(trigger?.stopPrice ?? limitPrice ?? "0")
    return reaches(trigger?.on ?? (orderSide === "SELL" ? "RISE" : "FALL"), level, this.priceIn(instrumentId))
  }
}
