/**
 * Keeps a dealer's hedges (contract C8): what executed quotes owe is sent as orders of linked accounts, through the accounts' own order path. The
 * one thing to know: it stores nothing of its own. The open exposure is what quotes owe less what hedges executed, there is one hedge of a pair
 * at a time, and the states of a line are in one table (domain/dealer/hedging/hedging.ts).
 */
import type { HedgeIntent } from "../../../domain/dealer/dealer.ts"
import {
  type HedgePlan,
  type HedgeRefusal,
  refusalOfOrder,
  refusalOfSubmit,
} from "../../../domain/dealer/hedging/hedge-order.ts"
import { type HedgeReportRecord, hedgeReportRecord } from "../../../domain/dealer/hedging/hedge-report.ts"
import { HEDGE_LAW, type HedgeVerdict, type Span, sideOf } from "../../../domain/dealer/hedging/hedging.ts"
import { Decimal, type PositiveDecimalText } from "../../../domain/decimal.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId, VenueId } from "../../../domain/ids.ts"
import { quantityStep } from "../../../domain/instrument/instrument.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { SubmitRequest } from "../../../domain/order/submit-request.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import { hedgeKey, type StoredHedges } from "../../../ports/hedge-store.ts"
import type { DealerCore } from "../core.ts"
import { HeldBooks } from "../held-books.ts"
import type { HedgeCounts } from "../messages.ts"
import { HedgeAlarms } from "./alarms.ts"
import { type AskedHedge, type AskedHedges, canBeAsked, HedgeCourier } from "./courier.ts"
import { LateHedges } from "./late-fills.ts"
import { emptyLine, HedgeLine, type HedgeTrouble } from "./line.ts"
import { environmentOwed, type HedgePlace, placeOfHedge, placesOfHedge } from "./place.ts"
import { dustBy, sizeNext } from "./sizing.ts"

/** What is refused for good is tried again this often at last, unless the dealer's own retryMs is longer. */
const REFUSED_MILLIS_MAX = 300_000
/** A venue's "too small" is believed up to so many times what its listing calls the smallest; a larger one is a refusal like others. */
const LEARNED_MAX = Decimal.of("100")
/** And for so long: its rules may change. */
const LEARNED_MILLIS = 3_600_000

/** Why an attempt closed nothing, or not all. SHORT: too little was to be had. UNSENT: it did not leave, which says nothing of those that did. */
type Miss = HedgeRefusal | "SHORT" | "UNSENT"

interface Refused {
  readonly instrumentId: InstrumentId
  readonly quantity: Decimal
}

export class HedgeKeeper {
  readonly #lines = new Map<string, HedgeLine>()
  /** Planned looks at a pair: they are called off by what makes one due at once. */
  readonly #later = new LeanMap<string, () => void>()
  readonly #books: HeldBooks
  readonly #courier: HedgeCourier
  readonly #alarms: HedgeAlarms
  readonly #late: LateHedges
  /** Words of admins on a hedge that wait for the one before them to be stored. */
  readonly resolving = new Map<TradeOrderId, Array<() => void>>()

  constructor(
    private readonly core: DealerCore,
    stored: ReadonlyArray<StoredHedges>,
    asked: AskedHedges,
    private readonly counts: HedgeCounts,
  ) {
    this.#books = new HeldBooks(core.parts.markets, `hedge ${core.id}`)
    this.#late = new LateHedges(core, {
      known: (order, before) => {
        const line = this.#lines.get(`${order.baseAsset}/${order.quoteAsset}`)!
        line.recall(order, before)
        this.#hear(line, order, false)
      },
      again: (order) => this.hear(order),
    })
    this.#alarms = new HedgeAlarms(core, counts, (line) => this.#isAsking(line))
    for (const line of stored) this.#add(line)
    // Of a quote whose line was not there yet when the one before it was asked: there is nothing without an intent.
    for (const { intent } of asked.values()) this.#lineOf(intent)
    this.#courier = new HedgeCourier(core, asked, {
      taken: (symbol, hedge, order) => this.#taken(this.#lines.get(symbol)!, hedge, order),
      refused: (symbol, { message }, error) => {
        const { instrumentId, quantity } = message.request
        const refused = { instrumentId: instrumentId as InstrumentId, quantity: Decimal.of(quantity) }
        const trouble = { message: error.message, tradeOrderId: null }
        this.#refused(this.#lines.get(symbol)!, refused, refusalOfSubmit(error), trouble)
      },
    })
  }

  /** Goes on with what was open, in the first turn of the actor. */
  start(): void {
    this.#courier.resume()
    for (const line of this.#lines.values()) this.#look(line)
  }

  /** From the commit callback of the execution. */
  readonly executed = (intent: HedgeIntent): void => {
    const line = this.#lineOf(intent)
    const before = sideOf(line.due)
    const waits = line.isAccumulating || line.rounds > 0
    line.owe(intent)
    const { nettingWindowMillis, attemptsMax } = this.core.dealer.config.hedge
    const isOther = line.due.isZero() || sideOf(line.due) !== before
    // A delayed hedge is retried now: a client has just been quoted a price. A definite refusal would be refused at any price.
    if (waits && (isOther || line.refusals < attemptsMax)) this.#callOff(line)
    if (isOther) line.beginAnew()
    if (nettingWindowMillis > 0) this.#lookLater(line, nettingWindowMillis)
    else this.#look(line)
  }

  /** A hedge's image, once it is durable. */
  hear(order: TradeOrder): void {
    const line = this.#lines.get(`${order.baseAsset}/${order.quoteAsset}`)
    if (line === undefined) throw new Error(`hedge ${order.tradeOrderId} of a pair without a quote`)
    const isNew = order.version === 1
    if (isNew || line.find(order.tradeOrderId) !== undefined || !isTerminal(order.orderStatus))
      this.#hear(line, order, isNew)
    else this.#late.hear(order)
  }

  /** By asset, in that asset: above zero the dealer has too much of it. What hedges may have executed is known between two ends; dust is no risk. */
  readonly positions = (): ReadonlyMap<string, Span> => {
    const sums = new Map<string, Span>()
    for (const line of this.#lines.values()) {
      const { baseAsset, risk } = line
      if ((risk.low.isZero() && risk.high.isZero()) || line.state(this.#isAsking(line)) === "ACCUMULATING") continue
      const { low, high } = sums.get(baseAsset) ?? NOWHERE
      sums.set(baseAsset, { low: low.subtract(risk.high), high: high.subtract(risk.low) })
    }
    return sums
  }

  readonly lastPriceOf = (asset: string): { readonly price: Decimal; readonly quoteAsset: string } | undefined => {
    const newest = [...this.#lines.values()]
      .flatMap((line) => (line.baseAsset === asset ? (line.newest() ?? []) : []))
      .toSorted((a, b) => b.createdAt - a.createdAt)[0]
    return newest && { price: newest.walkedPrice, quoteAsset: newest.quoteAsset }
  }

  readonly isFlat = (): boolean =>
    this.resolving.size === 0 &&
    [...this.#lines.values()].every((line) => !this.#isBusy(line) && !line.isCarrying() && this.#isDust(line))

  /** The account can be asked no longer: what is in doubt there is carried, and the rest of the pair goes on. */
  readonly lost = (account: TradingAccountId): void => {
    for (const line of this.#lines.values()) {
      if (!line.hasHedgeOn(account)) continue
      this.#callOff(line)
      this.#look(line)
    }
  }

  /** The line of a hedge; undefined: there is none, or it is over for so long that it is not in memory. */
  lineOfHedge(hedge: TradeOrderId): HedgeLine | undefined {
    return [...this.#lines.values()].find((line) => line.find(hedge) !== undefined)
  }

  /** The account can be asked again: what is in doubt there is carried no longer, and told as such. */
  readonly found = (account: TradingAccountId): void => {
    for (const line of this.#lines.values()) if (line.hasHedgeOn(account)) this.#alarms.check(line)
  }

  /** What an admin says of a hedge is stored. */
  resolved(line: HedgeLine, hedge: TradeOrderId, verdict: HedgeVerdict): void {
    line.resolve(hedge, verdict)
    this.#alarms.resolved(line)
    this.#callOff(line)
    this.#look(line)
  }

  /** Where what is open was priced or executed, and where hedges in doubt are; dust is not asked for. */
  readonly venuesOwing = (): ReadonlyArray<VenueId> =>
    [...this.#lines.values()].flatMap((line) => {
      if (!line.isCarrying() && this.#isDust(line)) return []
      const executors = [...line.inDoubt().map(({ tradingAccountId }) => tradingAccountId), ...line.executors()]
      const executedAt = executors.flatMap((id) => this.core.parts.accounts.find(id)?.venue ?? [])
      return [...line.open().venues, ...executedAt]
    })

  /** A hedge is at work there, or what is open was priced or executed there and is to be hedged. */
  readonly isHedgingOn = (account: TradingAccountId): boolean =>
    [...this.#lines.values()].some(
      (line) =>
        line.hasHedgeOn(account) ||
        this.#courier.find(line.symbol)?.accountId === account ||
        ([...line.open().accounts, ...line.executors()].includes(account) && !this.#isDust(line)),
    )

  /** Linked accounts or settings are others: what found no place may find one. */
  readonly dealerChanged = (): void => {
    for (const line of this.#lines.values()) {
      if (line.due.isZero()) continue
      this.#callOff(line)
      this.#look(line)
    }
  }

  /** Nothing is open, and nothing is at work. */
  readonly isIdle = (): boolean =>
    [...this.#lines.values()].every(
      (line) => !this.#isBusy(line) && !line.isCarrying() && (line.due.isZero() || line.isAccumulating),
    )

  readonly report = (): ReadonlyArray<HedgeReportRecord> => [...this.#lines.values()].map((line) => this.reportOf(line))

  reportOf(line: HedgeLine): HedgeReportRecord {
    const place = this.#placeOf(line)
    const mid = place === undefined ? null : this.#midOf(place.instrument.instrumentId)
    return hedgeReportRecord(line.report(mid, this.#isAsking(line), this.core.parts.clock.now()))
  }

  #add(stored: StoredHedges): HedgeLine {
    const line = new HedgeLine(stored, (id) => canBeAsked(this.core.parts.accounts.find(id)?.status))
    this.#lines.set(line.symbol, line)
    return line
  }

  #lineOf({ baseAsset, quoteAsset }: HedgeIntent): HedgeLine {
    return this.#lines.get(`${baseAsset}/${quoteAsset}`) ?? this.#add(emptyLine(baseAsset, quoteAsset))
  }

  #isAsking(line: HedgeLine): boolean {
    return this.#courier.find(line.symbol) !== undefined
  }

  /** A hedge of the pair is at work, or may be. */
  #isBusy(line: HedgeLine): boolean {
    return line.isAtWork() || this.#isAsking(line)
  }

  #isDust(line: HedgeLine): boolean {
    return line.due.isZero() || sizeNext(this.core, line, this.#placeOf(line), line.dust)._tag === "TooSmall"
  }

  #placeOf(line: HedgeLine): HedgePlace | undefined {
    return placeOfHedge(this.core.parts, this.core.dealer, line.owing(), line.rounds > 0)
  }

  /** The next hedge of the pair, if one is due. */
  #look(line: HedgeLine): void {
    this.#hedgeNext(line)
    this.#alarms.check(line)
    const open = [...this.#lines.values()].filter((it) => !it.exposure.isZero() && !it.isAccumulating)
    this.counts.open.set(this.core.id, open.length)
  }

  #hedgeNext(line: HedgeLine): void {
    if (this.#isBusy(line) || this.#later.has(line.symbol)) return
    const before = line.dust
    line.dust = "NONE"
    if (!HEDGE_LAW[line.state(false)].sends) {
      line.beginAnew()
      this.#letBooksGo()
      return
    }
    this.#holdBooks(line)
    const place = this.#placeOf(line)
    const plan = sizeNext(this.core, line, place, before)
    if (plan._tag === "TooSmall") {
      // The venue takes it together with what comes.
      line.beginAnew()
      line.dust = dustBy(this.core, line, place, before)
      const now = this.core.parts.clock.monotonic()
      if (line.tooSmall !== null && line.tooSmall.until > now) this.#lookLater(line, line.tooSmall.until - now)
    } else if (place === undefined) {
      const environment = environmentOwed(this.core.parts, line.owing())
      this.#unsent(line, `no linked account can hedge ${line.symbol}: it needs one that is ${environment}`)
    } else if (plan._tag === "Order") this.#send(line, place, plan)
    else this.#unsent(line, `${place.instrument.instrumentId} has no order book`)
  }

  #send(line: HedgeLine, { account, instrument }: HedgePlace, plan: Extract<HedgePlan, { _tag: "Order" }>): void {
    const intent = line.lead()!
    const number = line.nextNumber(intent)
    const isMarket = plan.limitPrice === null
    const request: SubmitRequest = {
      tradingAccountId: account.tradingAccountId,
      instrumentId: instrument.instrumentId,
      idempotencyKey: hedgeKey(this.core.id, intent.hedgeIntentId, number),
      orderSide: plan.orderSide,
      orderType: isMarket ? "MARKET" : "LIMIT",
      quantity: plan.quantity.toString() as PositiveDecimalText,
      ...(plan.limitPrice !== null && {
        limitPrice: plan.limitPrice.toString() as PositiveDecimalText,
        timeInForce: "IOC",
      }),
    }
    const message = {
      _tag: "SubmitOrder",
      request,
      hedge: { dealerAccountId: this.core.id, quotes: plan.quotes },
      receivedAt: this.core.parts.clock.monotonic(),
      named: () => undefined,
    } as const
    this.core.parts.failpoint.hit("hedge.decided")
    this.counts.sent++
    this.#courier.ask(line.symbol, { intent, number, accountId: account.tradingAccountId, message })
  }

  #taken(line: HedgeLine, { intent, number }: AskedHedge, order: TradeOrder): void {
    line.sent(intent, number)
    this.core.parts.failpoint.hit("hedge.submitted")
    // One whose answer was lost may have been told meanwhile, its end too: what follows from that has waited for the answer.
    const hasEnded = isTerminal(order.orderStatus) && line.find(order.tradeOrderId)?.isOver === true
    this.#hear(line, order, true)
    if (hasEnded) this.#conclude(line, order)
    else this.#look(line)
  }

  #hear(line: HedgeLine, order: TradeOrder, isNew: boolean): void {
    const wasDust = line.isAccumulating
    const heard = line.hear(order, isNew)
    if (heard === null) return
    if (heard.hasFilled) {
      this.core.parts.failpoint.hit("hedge.filled")
      this.counts.filled++
      // Told of once what is left is known, not with every fill.
      if (!this.#isBusy(line)) this.#alarms.closedSome(line)
    }
    this.#alarms.check(line)
    if (this.#isBusy(line)) return
    // What waited for more has changed: it does not wait for the hour at which a venue is asked again.
    if (wasDust) this.#callOff(line)
    // A late fill: what it executed too much is open.
    if (heard.hasEnded) this.#conclude(line, order)
    else this.#look(line)
  }

  /** A hedge is over: what is left is sent at once, or after a while. The end of one that an admin has resolved is no attempt: others left since. */
  #conclude(line: HedgeLine, order: TradeOrder): void {
    if (order.orderStatus === "FILLED") {
      line.beginAnew()
      this.#callOff(line)
      this.#look(line)
    } else if (line.due.isZero() || line.isResolved(order.tradeOrderId)) this.#look(line)
    else {
      const refusal = refusalOfOrder(order)
      const { tradeOrderId, rejectReason, instrumentId, baseQuantity: quantity } = order
      const because = (message: string): HedgeTrouble => ({ message, tradeOrderId })
      if (refusal === null)
        this.#missed(line, because(`only ${order.executedQuantity} of ${quantity} could be executed`), "SHORT")
      else this.#refused(line, { instrumentId, quantity }, refusal, because(rejectReason ?? "rejected"))
    }
  }

  /** An attempt was refused, by its venue or before it left. */
  #refused(line: HedgeLine, { instrumentId, quantity }: Refused, refusal: HedgeRefusal, trouble: HedgeTrouble): void {
    const instrument = this.core.parts.instruments.find(instrumentId, this.core.dealer.tenantId)
    const most = instrument && Decimal.max(instrument.minQuantity, quantityStep(instrument)).multiply(LEARNED_MAX)
    const isAll = instrument?.maxQuantity?.atMost(quantity) === true
    if (refusal !== "TOO_SMALL" || most === undefined || isAll || quantity.greaterThan(most)) {
      this.#missed(line, trouble, refusal)
      return
    }
    this.counts.missed++
    line.tooSmall = { instrumentId, quantity, until: this.core.parts.clock.monotonic() + LEARNED_MILLIS }
    this.#callOff(line)
    this.#look(line)
  }

  #unsent(line: HedgeLine, message: string): void {
    this.#missed(line, { message, tradeOrderId: null }, "UNSENT")
  }

  #missed(line: HedgeLine, trouble: HedgeTrouble, miss: Miss): void {
    const { attemptsMax, allowMarket, repriceMillis, retryMillis } = this.core.dealer.config.hedge
    line.trouble = trouble
    this.counts.missed++
    const isRefused = miss === "FOR_GOOD" || miss === "TOO_SMALL"
    if (miss !== "UNSENT") line.refusals = isRefused ? line.refusals + 1 : 0
    // After a whole round that was refused it is asked once at a time, and less and less often; where nothing trades, once at a time.
    const isHopeless = miss === "CLOSED" || (isRefused && line.refusals > attemptsMax)
    if (!isHopeless && line.attempt < attemptsMax) {
      line.attempt++
      this.#lookLater(line, repriceMillis)
    } else if (!isHopeless && allowMarket && !line.wasAtMarket) {
      line.wasAtMarket = true
      this.#lookLater(line, repriceMillis)
    } else {
      line.attempt = 1
      line.rounds++
      this.#holdBooks(line)
      line.wasAtMarket = false
      this.#alarms.check(line)
      const doubled = retryMillis * 2 ** Math.max(0, line.refusals - attemptsMax)
      this.#lookLater(line, Math.max(retryMillis, Math.min(doubled, REFUSED_MILLIS_MAX)))
    }
  }

  #lookLater(line: HedgeLine, millis: number): void {
    if (this.#later.has(line.symbol)) return
    const callOff = this.core.self.later(millis, () => {
      this.#later.delete(line.symbol)
      this.#look(line)
    })
    this.#later.set(line.symbol, callOff)
  }

  #callOff(line: HedgeLine): void {
    this.#later.get(line.symbol)?.()
    this.#later.delete(line.symbol)
  }

  #midOf(instrumentId: InstrumentId): Decimal | null {
    const { markets } = this.core.parts
    const [ask, bid] = (["asks", "bids"] as const).map((side) =>
      Decimal.fromVenue(markets.topOfBook(instrumentId, side, 1)[0]?.[0] ?? ""),
    )
    return ask === undefined || bid === undefined ? null : ask.add(bid).multiply(HALF)
  }

  /** Where nothing comes of the first place the others are there: what has no book is none of them. */
  #holdBooks(line: HedgeLine): void {
    const places = placesOfHedge(this.core.parts, this.core.dealer, line.owing())
    for (const { instrument } of line.rounds > 0 ? places : places.slice(0, 1))
      this.#books.hold(instrument.instrumentId)
  }

  /** Books that only open exposures needed. */
  #letBooksGo(): void {
    if ([...this.#lines.values()].every(({ exposure }) => exposure.isZero())) this.close()
  }

  /** This incarnation is over: the next one keeps open what it needs itself. */
  close(): void {
    this.#books.close()
  }
}

const HALF = Decimal.of("0.5")
const NOWHERE: Span = { low: Decimal.ZERO, high: Decimal.ZERO }
