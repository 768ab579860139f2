/**
 * A world with one list of orders: an entry that rests at the simulated venue with its exits waiting, or a bare pair of exits, as rows
 * that a process finds when it starts. `fire` is what the watch over a trigger does. The test mocks the session: see `newest-core.ts`.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import { NO_TERMS, type Trigger } from "../../../src/domain/order/terms.ts"
import { type OrderSide, type TradeOrder, UNPLACED } from "../../../src/domain/order/trade-order.ts"
import type { SimOrder } from "../../sim/venue/exchange.ts"
import { BTC_USDT, SIM } from "../../sim/venue/listing.ts"
import { ACCOUNT, START, simAccount, World } from "../../sim/world.ts"
import { newestCore } from "./newest-core.ts"
import { placedElsewhere } from "./ready-world.ts"

export const ENTRY = "0ddddddd-0000-4000-8000-00000000000e" as TradeOrderId
export const TAKE_PROFIT = "0ddddddd-0000-4000-8000-00000000000a" as TradeOrderId
export const STOP_LOSS = "0ddddddd-0000-4000-8000-00000000000b" as TradeOrderId

export interface ListOptions {
  /** Of the entry, or of the pair. */
  readonly quantity?: string
  readonly legs?: ReadonlyArray<"TAKE_PROFIT" | "STOP_LOSS">
  /** LIMIT: rests at the venue. TRIGGER: armed at the gateway, at market when it fires. */
  readonly takeProfit?: "LIMIT" | "TRIGGER"
  readonly execution?: Trigger["execution"]
  readonly venue?: Partial<Venue>
}

const base = (tradeOrderId: TradeOrderId, orderSide: OrderSide, quantity: string): TradeOrder => ({
  ...UNPLACED,
  tradeOrderId,
  tenantId: simAccount().tenantId,
  tradingAccountId: ACCOUNT,
  venue: SIM,
  instrumentId: BTC_USDT,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide,
  orderType: "LIMIT",
  timeInForce: "GTC",
  limitPrice: null,
  quantity: Decimal.of(quantity),
  quantityRounding: "",
  baseQuantity: Decimal.of(quantity),
  origin: "GATEWAY",
  held: Decimal.ZERO,
  createdAt: START,
  updatedAt: START,
})

/** Not armed yet. */
export const triggerAt = (kind: Trigger["kind"], stopPrice: string, execution: Trigger["execution"]): Trigger => ({
  kind,
  execution,
  source: "LAST_TRADE",
  on: kind === "TAKE_PROFIT" ? "RISE" : "FALL",
  stopPrice: Decimal.of(stopPrice),
  trailing: null,
  armedAt: null,
  triggeredAt: null,
  triggeredBy: null,
  triggerPrice: null,
  health: "LIVE",
})

/** A SELL leg: take-profit at 110, stop-loss at 90. */
const legOf = (leg: "TAKE_PROFIT" | "STOP_LOSS", parentId: TradeOrderId | null, options: ListOptions): TradeOrder => {
  const { quantity = "10", legs = ["TAKE_PROFIT", "STOP_LOSS"], execution = "EMULATED" } = options
  const isResting = leg === "TAKE_PROFIT" && options.takeProfit !== "TRIGGER"
  const trigger = isResting
    ? null
    : triggerAt(leg === "TAKE_PROFIT" ? leg : "STOP", leg === "TAKE_PROFIT" ? "110" : "90", execution)
  return {
    ...base(leg === "TAKE_PROFIT" ? TAKE_PROFIT : STOP_LOSS, "SELL", quantity),
    orderType: isResting ? "LIMIT" : leg,
    limitPrice: isResting ? Decimal.of("110") : null,
    orderListId: ENTRY,
    contingencyType: legs.length === 2 ? "OCO" : "OTO",
    terms: { ...NO_TERMS, parentId, leg, trigger },
  }
}

export class ListWorld extends World {
  readonly entry: SimOrder | null
  constructor(kind: "entry" | "pair", options: ListOptions = {}) {
    super({ ...(options.venue && { venue: options.venue }) })
    const { quantity = "10", legs = ["TAKE_PROFIT", "STOP_LOSS"] } = options
    const rows: Array<TradeOrder> = []
    if (kind === "entry") {
      this.entry = placedElsewhere(this, { quantity }, ENTRY)
      rows.push({
        ...base(ENTRY, "BUY", quantity),
        limitPrice: Decimal.of("100"),
        orderStatus: "ACCEPTED",
        externalOrderId: this.entry.externalOrderId,
        orderListId: ENTRY,
        contingencyType: legs.length === 2 ? "OTOCO" : "OTO",
        notAfter: START,
        submitDeadline: START,
        held: Decimal.of("100").multiply(Decimal.of(quantity)),
      })
    } else this.entry = null
    for (const leg of legs) rows.push(legOf(leg, kind === "entry" ? ENTRY : null, options))
    for (const order of rows) this.database.orders.set(order.tradeOrderId, { order, acceptedNumber: null })
  }

  /** A process; returns when its account is ACTIVE. */
  wake(): this {
    this.start()
    this.advance(1_000)
    this.published.length = 0
    return this
  }

  restart(): void {
    this.crash()
    this.start()
    this.advance(5_000)
  }

  /** The newest order of a leg, as memory has it. */
  leg(kind: "TAKE_PROFIT" | "STOP_LOSS"): TradeOrder {
    const orders = newestCore()
      .orders.ofList(ENTRY)
      .map((it) => it.order)
      .filter((it) => it.terms?.leg === kind)
    const replaced = new Set(orders.map((it) => it.replacesTradeOrderId))
    const newest = orders.findLast((it) => !replaced.has(it.tradeOrderId))
    if (newest === undefined) throw new Error(`no ${kind} in memory`)
    return newest
  }

  /** The venue's side of the leg's newest order. */
  atVenue(kind: "TAKE_PROFIT" | "STOP_LOSS"): SimOrder | undefined {
    return this.venue.find({ tradeOrderId: this.leg(kind).tradeOrderId, externalOrderId: null })
  }

  /** Every stored order of the list. */
  rows(): ReadonlyArray<TradeOrder> {
    return [...this.database.orders.values()].map((it) => it.order).filter((it) => it.orderListId === ENTRY)
  }

  buy(quantity: string): void {
    if (this.entry === null) throw new Error("a bare pair has no entry")
    this.venue.fill(this.entry, Decimal.of(quantity))
  }

  /** A price passed the leg's stop: as the watch over triggers stores it. */
  fire(kind: "TAKE_PROFIT" | "STOP_LOSS"): void {
    const core = newestCore()
    const working = core.orders.get(this.leg(kind).tradeOrderId)
    const terms = working?.order.terms
    if (working === undefined || !terms?.trigger) throw new Error(`the ${kind} has no trigger`)
    const fired: Trigger = {
      ...terms.trigger,
      triggeredAt: this.time.now,
      triggeredBy: "TRADE",
      triggerPrice: terms.trigger.stopPrice,
    }
    core.change(working, { ...working.order, terms: { ...terms, trigger: fired } }, "TRADE_ORDER.TRIGGERED")
    this.time.settle()
  }

  alerts(): ReadonlyArray<{ readonly code: string; readonly severity: string }> {
    return this.published
      .map((it) => JSON.parse(it.json) as { kind: string; data: { code: string; severity: string } })
      .filter((it) => it.kind === "TRADING_ACCOUNT.ALERT")
      .map(({ data }) => ({ code: data.code, severity: data.severity }))
  }
}
