/**
 * A simulated venue with one spot instrument and one account: the truth that the gateway's account must end up with. What happens to
 * each submit, cancel, question and stream event is decided by `fates`; scripted tests set them, the simulation draws them.
 */

import type { Context } from "effect"
import { Effect } from "effect"
import { Decimal } from "../../src/domain/decimal.ts"
import { VenueUnavailable } from "../../src/domain/errors/venue.ts"
import { type InstrumentId, type TradeOrderId, type VenueId, venueClientId } from "../../src/domain/ids.ts"
import { isBetter, reaches, stopAt } from "../../src/domain/trailing-stop.ts"
import type { Venue } from "../../src/domain/venue.ts"
import { PLAIN_CAPABILITIES } from "../../src/domain/venue-capabilities.ts"
import type { VenuePort } from "../../src/ports/venue-port.ts"
import type {
  SessionReport,
  VenueAmend,
  VenueBalance,
  VenueBalances,
  VenueFill,
  VenueOrder,
  VenueOrderRef,
  VenueOrderState,
  VenueOrderStatus,
  VenueSession,
} from "../../src/ports/venue-session.ts"
import { instrumentOf } from "../kit/instruments.ts"
import type { SimTime } from "./time.ts"

export const SIM = "SIM" as VenueId
export const BTC_USDT = "SIM:BTC/USDT" as InstrumentId

export const instrument = instrumentOf(BTC_USDT, { maxQuantity: Decimal.of("1000"), minNotional: Decimal.of("1") })

export const simVenue: Venue = {
  venue: SIM,
  name: "Simulated venue",
  status: "ACTIVE",
  features: ["SPOT"],
  needsCredentials: false,
  needsPassphrase: false,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  orderExpiryMillis: 5_000,
  feeInQuote: false,
  inProcess: false,
  capabilities: PLAIN_CAPABILITIES,
}

/** Arrives: the venue gets it. Answer: what the session hears of it. */
export type SubmitFate =
  | "accept"
  | "refuse"
  | "notSent"
  | "lostBefore"
  | "lostAfter"
  | "silentBefore"
  | "silentAfter"
  | "arrivesLate"
export type CancelFate = "accept" | "refuse" | "lostBefore" | "lostAfter" | "silentBefore" | "silentAfter"
export type AmendFate = CancelFate | "arrivesLate"
export type StreamFate = "deliver" | "drop" | "twice" | "delay"

export interface Fates {
  submit: (order: VenueOrder) => SubmitFate
  cancel: (ref: VenueOrderRef) => CancelFate
  amend: (ref: VenueOrderRef) => AmendFate
  /** Whether the venue places an order of which it has seen the trigger fire; false: it ends it REJECTED. */
  trigger: () => boolean
  /** Whether a question is answered; false: VenueUnavailable after a while. */
  query: () => boolean
  stream: (report: SessionReport) => StreamFate
  latencyMillis: () => number
  /** How much of an order that ends at once (IOC, FOK, MARKET) finds a counterpart. */
  immediate: (quantity: Decimal) => Decimal
}

export const kindFates = (): Fates => ({
  submit: () => "accept",
  cancel: () => "accept",
  amend: () => "accept",
  trigger: () => true,
  query: () => true,
  stream: () => "deliver",
  latencyMillis: () => 5,
  immediate: (quantity) => quantity,
})

export interface SimOrder {
  readonly tradeOrderId: TradeOrderId | null
  readonly externalOrderId: string
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
  /** The venue broke its own word about it: filled after its end, or beyond its quantity. */
  isOdd: boolean
}

interface OpenSession {
  readonly report: (report: SessionReport) => void
  streamUp: boolean
  closed: boolean
}

export const PRICE = Decimal.of("100")
const FEE = Decimal.of("0.001")
const LOT = instrument.lotSize

/** A list locks once, for its dearer leg. */
const isLockedByPartner = ({ order, partner, externalOrderId }: SimOrder): boolean => {
  if (partner?.status !== "OPEN") return false
  const own = Decimal.of(order.limitPrice ?? "0")
  const other = Decimal.of(partner.order.limitPrice ?? "0")
  return own.lessThan(other) || (own.equals(other) && externalOrderId > partner.externalOrderId)
}

export class SimVenue {
  fates: Fates = kindFates()
  isUp = true
  readonly orders = new Map<string, SimOrder>()
  /** How often a submit of each order arrived: more than once is the sin this product exists to avoid. */
  readonly arrivals = new Map<TradeOrderId, number>()
  readonly totals = new Map<string, Decimal>([
    ["BTC", Decimal.of("1000")],
    ["USDT", Decimal.of("100000")],
  ])
  session: OpenSession | null = null
  /** A session is handed over although its private stream could not be opened: the session says so before anything else. */
  opensDown = false
  /** Rows that the venue adds to its balances, as it writes them. */
  oddBalances: ReadonlyArray<VenueBalance> = []
  /** How often a cancel of each order was sent, and how many questions were asked. */
  readonly cancels = new Map<TradeOrderId, number>()
  readonly amends = new Map<TradeOrderId, number>()
  questions = 0
  /** How long lists wait at the venue's budget before they are answered; questions about one order do not. */
  listsWaitMillis = 0
  /** How often the account's trades were asked for: the dearest question of all. */
  fillsAsked = 0
  /** Rate of the fee of a buy that is charged in BTC; null: all fees are charged in USDT. */
  baseFee: Decimal | null = null
  /** Price of the newest trade. */
  price = PRICE
  /** What the gateway's wall clock says: no order is signed past its `notAfter`. */
  gatewayNow: () => number = () => this.time.now
  /** For the story of a world. */
  note: (what: string) => void = () => undefined
  /** Told of every order that is taken. */
  placed: (sim: SimOrder) => void = () => undefined
  /** Whether the venue shows an order when it is asked for it or for all open ones. */
  isKnown: (sim: SimOrder) => boolean = () => true
  private orderCount = 0
  private tradeCount = 0

  constructor(
    private readonly time: SimTime,
    readonly venue: Venue = simVenue,
  ) {}

  // The truth

  find(ref: { readonly tradeOrderId: TradeOrderId | null; readonly externalOrderId: string | null }) {
    for (const it of this.orders.values())
      if (
        it.externalOrderId === ref.externalOrderId ||
        (ref.tradeOrderId !== null && it.tradeOrderId === ref.tradeOrderId)
      )
        return it
    return undefined
  }

  openOrders(): ReadonlyArray<SimOrder> {
    return [...this.orders.values()].filter((it) => it.status === "OPEN")
  }

  locked(asset: string): Decimal {
    let sum = Decimal.ZERO
    for (const sim of this.openOrders()) {
      const { order, quantity, executed } = sim
      if (isLockedByPartner(sim)) continue
      const rest = quantity.subtract(executed)
      if (order.orderSide === "SELL" && asset === "BTC") sum = sum.add(rest)
      if (order.orderSide === "BUY" && asset === "USDT")
        sum = sum.add(Decimal.of(order.limitPrice ?? "0").multiply(rest))
    }
    return sum
  }

  /** An order on the book (or through it: IOC, FOK and MARKET end at once, filled as the fates say). */
  place(order: SimOrder["order"], tradeOrderId: TradeOrderId | null): SimOrder {
    const sim = this.take(order, tradeOrderId)
    if (sim.trigger === null) this.match(sim)
    return sim
  }

  /** Two orders, of which each ends when the other is executed, triggered or cancelled. */
  placeList(orders: ReadonlyArray<readonly [order: SimOrder["order"], tradeOrderId: TradeOrderId]>): void {
    const [one, other] = orders.map(([order, id]) => this.take(order, id))
    if (one === undefined || other === undefined) throw new Error("a list has two orders")
    one.partner = other
    other.partner = one
  }

  /** What happened to one order of a list ends the other. */
  private follow({ partner }: SimOrder, ending: VenueOrderState["ending"]): void {
    if (partner?.status === "OPEN") this.finish(partner, "CANCELLED", ending)
  }

  private take(order: SimOrder["order"], tradeOrderId: TradeOrderId | null): SimOrder {
    const externalOrderId = `X${++this.orderCount}`
    const sim: SimOrder = {
      tradeOrderId,
      externalOrderId,
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
          : { stopPrice: Decimal.of(order.trigger.stopPrice), best: this.price, isTriggered: false },
      partner: null,
      isOdd: false,
    }
    // By cost: as much as that buys now.
    if (order.cost !== undefined)
      sim.quantity = Decimal.of(order.cost).divide(this.price.multiply(LOT), 0, "DOWN").multiply(LOT)
    this.orders.set(externalOrderId, sim)
    const { orderSide, orderType, limitPrice } = order
    this.note(
      `takes ${tradeOrderId ?? "a foreign order"} as ${externalOrderId}: ${orderSide} ${sim.quantity} ${orderType} ${limitPrice ?? ""}`,
    )
    this.placed(sim)
    this.tell({ _tag: "OrderSeen", state: this.stateOf(sim) })
    if (order.expireAt !== undefined)
      this.time.schedule(() => {
        if (sim.status === "OPEN") this.end(sim, "EXPIRED")
      }, order.expireAt - this.time.now)
    return sim
  }

  /** IOC, FOK and MARKET end at once. */
  private match(sim: SimOrder): void {
    const { order } = sim
    if (order.orderType === "MARKET" || order.timeInForce === "IOC" || order.timeInForce === "FOK") {
      const part = this.fates.immediate(sim.quantity)
      if (part.isPositive()) this.fill(sim, part)
      if (sim.status === "OPEN") this.end(sim, "CANCELLED", "REMAINDER")
    }
  }

  /** A public trade: triggers that the venue watches itself may fire. */
  trade(price: Decimal): void {
    this.price = price
    for (const sim of this.openOrders()) {
      const { trigger } = sim
      const terms = sim.order.trigger
      if (trigger === null || terms === undefined || trigger.isTriggered) continue
      if (reaches(terms.on, trigger.stopPrice, price)) {
        trigger.isTriggered = true
        sim.updatedAt = this.time.now
        this.note(`${sim.externalOrderId} is triggered at ${price}`)
        this.tell({ _tag: "OrderSeen", state: this.stateOf(sim) })
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
    this.fill(sim, quantity, undefined, undefined, true)
  }

  fill(
    sim: SimOrder,
    quantity: Decimal,
    price = sim.order.limitPrice ?? this.price.toString(),
    externalTradeId = `T${++this.tradeCount}`,
    isBeyond = false,
  ): VenueFill {
    const part = isBeyond ? quantity : Decimal.min(quantity, sim.quantity.subtract(sim.executed))
    const cost = Decimal.of(price).multiply(part)
    const inBase = sim.order.orderSide === "BUY" ? this.baseFee : null
    const [feeAsset, fee] = inBase === null ? ["USDT", cost.multiply(FEE)] : ["BTC", part.multiply(inBase)]
    const fill: VenueFill = {
      tradeOrderId: sim.tradeOrderId,
      externalOrderId: sim.externalOrderId,
      externalTradeId,
      instrumentId: sim.order.instrumentId,
      orderSide: sim.order.orderSide,
      quantity: part.toString(),
      price,
      fees: [{ asset: feeAsset, quantity: fee.toString() }],
      executedAt: this.time.now,
    }
    const sign = sim.order.orderSide === "BUY" ? Decimal.ONE : Decimal.ONE.negate()
    this.totals.set("BTC", this.totals.get("BTC")!.add(part.multiply(sign)))
    this.totals.set("USDT", this.totals.get("USDT")!.subtract(cost.multiply(sign)))
    this.totals.set(feeAsset, this.totals.get(feeAsset)!.subtract(fee))
    sim.executed = sim.executed.add(part)
    sim.fills.push(fill)
    sim.updatedAt = this.time.now
    if (sim.executed.atLeast(sim.quantity)) sim.status = "FILLED"
    this.note(`fills ${part} of ${sim.externalOrderId} at ${price}: ${sim.executed} of ${sim.quantity}, ${sim.status}`)
    this.tell({ _tag: "Filled", fill })
    this.tell({ _tag: "OrderSeen", state: this.stateOf(sim) })
    this.follow(sim, "LIST")
    return fill
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
    this.tell({ _tag: "OrderSeen", state: this.stateOf(sim) })
  }

  stateOf(sim: SimOrder): VenueOrderState {
    return {
      tradeOrderId: sim.tradeOrderId,
      externalOrderId: sim.externalOrderId,
      clientId: sim.tradeOrderId === null ? null : venueClientId(sim.tradeOrderId),
      instrumentId: sim.order.instrumentId,
      orderSide: sim.order.orderSide,
      orderType: sim.order.orderType,
      timeInForce: sim.order.timeInForce,
      limitPrice: sim.order.limitPrice,
      quantity: sim.order.cost === undefined ? sim.order.quantity : sim.quantity.toString(),
      executedQuantity: sim.executed.toString(),
      status: sim.status,
      ending: sim.ending,
      ...(sim.trigger !== null && { isTriggered: sim.trigger.isTriggered }),
      createdAt: sim.createdAt,
      updatedAt: sim.updatedAt,
    }
  }

  balances(): VenueBalances {
    const balances = [...this.totals].map(([asset, total]) => {
      const locked = this.locked(asset)
      return { asset, available: total.subtract(locked).toString(), locked: locked.toString() }
    })
    return { complete: true, balances: [...balances, ...this.oddBalances], at: this.time.now }
  }

  // The way to the session

  /** An event of the private stream: lost while the stream is down, else as its fate says. */
  tell(report: SessionReport): void {
    const { session } = this
    if (session === null || !session.streamUp) return
    const fate = this.fates.stream(report)
    if (fate === "drop") return
    const latency = this.fates.latencyMillis() * (fate === "delay" ? 20 : 1)
    this.deliver(session, report, latency)
    if (fate === "twice") this.deliver(session, report, latency + this.fates.latencyMillis() * 3)
  }

  private deliver(session: OpenSession, report: SessionReport, latency: number): void {
    this.time.schedule(() => {
      if (!session.closed) session.report(report)
    }, latency)
  }

  streamDown(): void {
    if (this.session === null || !this.session.streamUp) return
    this.note("private stream down")
    this.session.streamUp = false
    this.deliver(this.session, { _tag: "StreamDown", reason: "simulated" }, 0)
  }

  streamUp(): void {
    if (this.session === null || this.session.streamUp) return
    this.note("private stream up")
    this.session.streamUp = true
    this.deliver(this.session, { _tag: "StreamUp" }, 0)
  }

  /** The process that held the session is gone. */
  drop(): void {
    if (this.session !== null) this.session.closed = true
    this.session = null
  }

  private answer(session: OpenSession, report: SessionReport): void {
    this.deliver(session, report, this.fates.latencyMillis())
  }

  private submit(session: OpenSession, order: VenueOrder): void {
    const { tradeOrderId, pairedWith } = order
    const fate = this.fates.submit(order)
    // Of a list each order is reported for itself, a moment after the other.
    const report = (make: (id: TradeOrderId) => SessionReport): void => {
      this.answer(session, make(tradeOrderId))
      if (pairedWith !== undefined) this.answer(session, make(pairedWith.tradeOrderId))
    }
    // The venue counts the order's age from its signing, by its own clock.
    const expiresAt = order.notAfter - (this.gatewayNow() - this.time.now) + (this.venue.orderExpiryMillis ?? 0)
    this.note(`submit of ${tradeOrderId}: ${fate}`)
    this.time.schedule(() => {
      const at = this.time.now
      if (fate === "notSent" || this.gatewayNow() > order.notAfter) {
        report((id) => ({ _tag: "NotSent", tradeOrderId: id, reason: "simulated", at }))
        return
      }
      const arrives = fate !== "lostBefore" && fate !== "silentBefore"
      if (fate === "arrivesLate") {
        this.time.schedule(() => this.arrive(order, fate, expiresAt), 4_000)
        report((id) => ({ _tag: "InDoubt", tradeOrderId: id, reason: "timeout", at }))
        return
      }
      const isPlaced = arrives && this.arrive(order, fate, expiresAt)
      if (fate === "silentBefore" || fate === "silentAfter") return
      if (fate === "lostBefore" || fate === "lostAfter")
        report((id) => ({ _tag: "InDoubt", tradeOrderId: id, reason: "timeout", at }))
      else if (isPlaced)
        report((id) => ({
          _tag: "Accepted",
          tradeOrderId: id,
          externalOrderId: this.find({ tradeOrderId: id, externalOrderId: null })?.externalOrderId ?? "",
          at,
        }))
      else report((id) => ({ _tag: "Refused", tradeOrderId: id, code: "INVALID_ORDER", text: "simulated", at }))
    }, this.fates.latencyMillis())
  }

  private arrive(order: VenueOrder, fate: SubmitFate, expiresAt: number): boolean {
    if (this.time.now > expiresAt) return false
    const { pairedWith } = order
    const orders = [order, ...(pairedWith === undefined ? [] : [pairedWith])].map(
      ({ tradeOrderId, notAfter: _, pairedWith: __, ...rest }) => [rest, tradeOrderId] as const,
    )
    for (const [, id] of orders) this.arrivals.set(id, (this.arrivals.get(id) ?? 0) + 1)
    if (fate === "refuse") return false
    // Between its prices the market must be, as at Binance.
    if (orders.length === 2 && orders.some(([leg]) => this.isThere(leg))) return false
    const [[only, id] = []] = orders
    if (orders.length === 2) this.placeList(orders)
    else if (only !== undefined && id !== undefined) this.place(only, id)
    return true
  }

  /** It would trigger or trade at once. */
  private isThere({ trigger, limitPrice, orderSide }: SimOrder["order"]): boolean {
    const level = Decimal.of(trigger?.stopPrice ?? limitPrice ?? "0")
    return reaches(trigger?.on ?? (orderSide === "SELL" ? "RISE" : "FALL"), level, this.price)
  }

  private cancel(session: OpenSession, ref: VenueOrderRef): void {
    const { tradeOrderId } = ref
    this.cancels.set(tradeOrderId, (this.cancels.get(tradeOrderId) ?? 0) + 1)
    const fate = this.fates.cancel(ref)
    this.note(`cancel of ${tradeOrderId}: ${fate}`)
    this.time.schedule(() => {
      const at = this.time.now
      const sim = fate === "lostBefore" || fate === "silentBefore" ? undefined : this.find(ref)
      const refused = fate === "refuse" && sim?.status === "OPEN"
      const works = sim?.status === "OPEN" && !refused
      if (works) this.end(sim, "CANCELLED")
      if (fate === "silentBefore" || fate === "silentAfter") return
      if (fate === "lostBefore" || fate === "lostAfter")
        this.answer(session, { _tag: "CancelInDoubt", tradeOrderId, reason: "timeout", at })
      else if (works) this.answer(session, { _tag: "CancelAccepted", tradeOrderId, at })
      else this.answer(session, { _tag: "CancelRefused", tradeOrderId, unknownOrder: !refused, text: "simulated", at })
    }, this.fates.latencyMillis())
  }

  private amend(session: OpenSession, ref: VenueOrderRef, to: VenueAmend): void {
    const { tradeOrderId } = ref
    this.amends.set(tradeOrderId, (this.amends.get(tradeOrderId) ?? 0) + 1)
    const fate = this.fates.amend(ref)
    this.note(`amend of ${tradeOrderId} to ${to.quantity} at ${to.limitPrice ?? "market"}: ${fate}`)
    this.time.schedule(() => {
      const at = this.time.now
      if (fate === "arrivesLate") {
        this.time.schedule(() => this.make(ref, to), 4_000)
        this.answer(session, { _tag: "AmendInDoubt", tradeOrderId, reason: "timeout", at })
        return
      }
      const arrives = fate === "accept" || fate === "lostAfter" || fate === "silentAfter"
      const sim = arrives ? this.make(ref, to) : undefined
      if (fate === "silentBefore" || fate === "silentAfter") return
      if (fate === "lostBefore" || fate === "lostAfter")
        this.answer(session, { _tag: "AmendInDoubt", tradeOrderId, reason: "timeout", at })
      else if (sim !== undefined)
        this.answer(session, { _tag: "AmendAccepted", tradeOrderId, externalOrderId: sim.externalOrderId, at })
      else {
        const unknownOrder = this.find(ref)?.status !== "OPEN"
        this.answer(session, { _tag: "AmendRefused", tradeOrderId, unknownOrder, text: "simulated", at })
      }
    }, this.fates.latencyMillis())
  }

  /** The change itself, if the order still works; less than is executed ends it. */
  private make(ref: VenueOrderRef, { quantity, limitPrice, stopPrice }: VenueAmend): SimOrder | undefined {
    const sim = this.find(ref)
    if (sim?.status !== "OPEN" || Decimal.of(quantity).atMost(sim.executed)) return undefined
    sim.order = { ...sim.order, quantity, limitPrice }
    sim.quantity = Decimal.of(quantity)
    if (sim.trigger !== null && stopPrice !== null) sim.trigger.stopPrice = Decimal.of(stopPrice)
    sim.updatedAt = this.time.now
    this.tell({ _tag: "OrderSeen", state: this.stateOf(sim) })
    return sim
  }

  private question<A>(answer: () => A, isList = false): Effect.Effect<A, VenueUnavailable> {
    return Effect.gen(this, function* () {
      this.questions++
      if (isList && this.listsWaitMillis > 0) yield* Effect.sleep(this.listsWaitMillis)
      yield* Effect.sleep(this.fates.latencyMillis())
      const ok = this.isUp && this.fates.query()
      const result = ok ? answer() : undefined
      yield* Effect.sleep(this.fates.latencyMillis())
      if (!ok) return yield* new VenueUnavailable({ reason: "simulated" })
      return result as A
    })
  }

  private sessionOf(open: OpenSession): VenueSession {
    const fetchFills: VenueSession["fetchFills"] = (since) =>
      this.question(() => {
        this.fillsAsked++
        return (
          [...this.orders.values()]
            .flatMap((it) => it.fills)
            .filter((it) => it.executedAt >= since)
            .sort((a, b) => a.executedAt - b.executedAt)
            // Trades that are fetched name their order by the venue's id only, as Binance's do.
            .map((it) => ({ ...it, tradeOrderId: null }))
        )
      })
    const openOrders = (isList: boolean): VenueSession["fetchOpenOrders"] =>
      this.question(() => this.openOrders().map((it) => this.stateOf(it)), isList)
    return {
      submit: (order) => this.submit(open, order),
      cancel: (ref) => this.cancel(open, ref),
      amend: (ref, to) => this.amend(open, ref, to),
      fetchOrder: (ref) =>
        this.question(() => {
          const sim = this.find(ref)
          return sim === undefined || !this.isKnown(sim)
            ? ({ _tag: "NotFound", definite: this.venue.inProcess } as const)
            : ({ _tag: "Found", state: this.stateOf(sim) } as const)
        }),
      fetchOpenOrders: openOrders(true),
      fetchFills,
      forProof: { fetchOpenOrders: openOrders(false), fetchFills },
      fetchBalances: this.question(() => this.balances(), true),
    }
  }

  readonly port: Context.Tag.Service<VenuePort> = {
    venues: [],
    find: (id) => (id === this.venue.venue ? this.venue : undefined),
    verify: () => Effect.succeed({ externalAccountId: null }),
    openSession: ({ report }) =>
      Effect.acquireRelease(
        Effect.flatMap(
          this.question(() => undefined),
          () =>
            Effect.sync(() => {
              const open: OpenSession = { report, streamUp: !this.opensDown, closed: false }
              this.session = open
              if (this.opensDown) report({ _tag: "StreamDown", reason: "simulated" })
              return open
            }),
        ),
        (open) =>
          Effect.sync(() => {
            open.closed = true
            if (this.session === open) this.session = null
          }),
      ).pipe(Effect.map((open) => this.sessionOf(open))),
    instruments: () => Effect.succeed([instrument]),
    klines: () => Effect.succeed({ bars: [], venueAt: 0 }),
    market: () => ({ open: () => undefined, close: () => undefined, resync: () => undefined }),
    health: () => [],
    stats: () => ({ shards: [], connectors: [] }),
  }
}
