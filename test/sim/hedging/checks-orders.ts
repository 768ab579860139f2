/** Of every hedge in the moment in which its dealer hands it over: it closes what is surely open, at a place that counts, and not too soon. */
import type { SubmitOrder } from "../../../src/actors/account/messages.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import type { DealerAccountId, InstrumentId, TradingAccountId } from "../../../src/domain/ids.ts"
import { parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import type { SubmitRequest } from "../../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { LineChecks } from "./checks.ts"
import type { Cause } from "./database.ts"
import { symbolOf } from "./database.ts"
import { environmentOf, gravest, isOfBase } from "./listing.ts"
import { isLost, sizeOf, viewOf } from "./view.ts"
import type { HedgingWorld } from "./world.ts"

/** The longest that an order waits that is refused again and again. */
const REFUSED_MILLIS_MAX = 300_000

/** What makes the next attempt due before its time. */
export const HURRIES: ReadonlyArray<Cause> = ["QUOTE", "RESOLVED", "ACCOUNT", "DEALER", "ANY"]

interface Attempts {
  /** When the newest closed nothing; null: none, or something has happened since. */
  missedAt: number | null
  /** How many in a row were refused for good since the world was last touched. */
  refusals: number
}

export class OrderChecks {
  /** Keys that were handed over, by account. */
  readonly #keys = new Set<string>()
  /** By dealer and pair: the key whose account has not answered. */
  readonly #asking = new Map<string, string>()
  readonly #attempts = new Map<string, Attempts>()
  /** Until then a quote has its hedge wait for opposite ones, whatever else is waited for. */
  #nettingUntil = 0
  asked = 0

  constructor(
    private readonly world: HedgingWorld,
    private readonly lines: LineChecks,
    private readonly say: (violation: string) => void,
  ) {}

  /** Whoever drives the world has done something: what was to be waited for counts no longer. */
  touched(): void {
    this.#attempts.clear()
  }

  /** A quote was executed. */
  executed(): void {
    const windows = this.world.directory.all().map(({ config }) => config.hedge.nettingWindowMillis)
    this.#nettingUntil = this.world.time.now + Math.max(0, ...windows)
  }

  died(): void {
    this.#asking.clear()
    this.touched()
  }

  handedOver(account: TradingAccountId, { request, hedge }: SubmitOrder): void {
    const { world } = this
    const key = `${account} ${request.idempotencyKey}`
    if (this.#keys.has(key)) return
    this.#keys.add(key)
    this.asked++
    const dealer = hedge!.dealerAccountId
    const symbol = symbolOf(parseInstrumentId(request.instrumentId!)!)
    const what = `a hedge ${request.orderSide} ${request.quantity} ${request.instrumentId} of ${dealer.slice(-2)}`
    this.#judgePlace(
      dealer,
      account,
      request.instrumentId as InstrumentId,
      symbol,
      request.orderSide,
      Decimal.of(request.quantity),
      hedge!.quotes.quoteIds,
      what,
    )
    const line = `${dealer} ${symbol}`
    const other = this.#asking.get(line)
    if (other !== undefined) this.say(`${what} leaves while ${other} is not answered`)
    this.#asking.set(line, key)
    this.#judgeTime(dealer, line, what)
    // What an incarnation that wakes has not heard yet is mail.
    if (!this.lines.isAwake(dealer)) return
    const view = viewOf(world.database, dealer, symbol, (id) => world.heard.has(id), world.heardVerdicts)
    const atWork = view.unsettled.filter((it) => !view.carried.includes(it))
    if (atWork.length > 0) this.say(`${what} leaves while ${atWork[0]!.tradeOrderId.slice(-4)} is at work`)
    const quantity = Decimal.of(request.quantity)
    const isSide = request.orderSide === (view.sure.isNegative() ? "SELL" : "BUY")
    if (!isSide || quantity.greaterThan(sizeOf(view.sure)))
      this.say(`${what} leaves where ${view.sure} is open whatever others executed`)
  }

  #judgePlace(
    dealer: DealerAccountId,
    account: TradingAccountId,
    instrumentId: InstrumentId,
    symbol: string,
    orderSide: SubmitRequest["orderSide"],
    quantity: Decimal,
    quoteIds: ReadonlyArray<string>,
    what: string,
  ): void {
    const { database, instruments } = this.world
    const own = database.intentsOf(dealer, symbol).filter(({ hedgeIntentId }) => this.world.heard.has(hedgeIntentId))
    const named = own.filter(({ quoteId }) => quoteIds.includes(quoteId))
    const priced = gravest((named.length > 0 ? named : own.slice(-1)).map(({ venue }) => venue))
    const { venue } = database.accounts.get(account)!
    // Only what is more than its quotes closes what others executed too much, and with quotes of several environments the gravest decides.
    const isMore = quantity.greaterThan(named.reduce((sum, it) => sum.add(it.quantity), Decimal.ZERO))
    const isGravest = named.length === 0 || gravest([venue, ...named.map((it) => it.venue)]) === environmentOf(venue)
    const closes = isMore && isGravest && this.#isTooMuchOf(dealer, symbol, orderSide, venue)
    if (environmentOf(venue) !== priced && !closes)
      this.say(`${what} goes to ${environmentOf(venue)} and was priced in ${priced}`)
    const instrument = instruments.get(instrumentId)
    if (instrument === undefined) this.say(`${what} goes where there is no such instrument`)
    else if (!isOfBase(instrument)) this.say(`${what} is counted in contracts`)
    else if (instrument.status !== "ACTIVE") this.say(`${what} goes where it is delisted`)
    const { linkedAccountIds, config } = this.world.directory.find(dealer)!
    if (this.world.isSettled(dealer) && !linkedAccountIds.includes(account))
      this.say(`${what} goes to no linked account`)
    if (environmentOf(venue) !== "PROD" && !config.allowSimulatedVenues)
      this.say(`${what} goes to ${venue}, which this dealer does not allow`)
    if (isLost(database.accounts.get(account)?.status)) this.say(`${what} goes to an account that is gone`)
  }

  /** What hedges executed beyond what was owed is closed where they executed it. */
  #isTooMuchOf(dealer: DealerAccountId, symbol: string, orderSide: SubmitRequest["orderSide"], venue: string): boolean {
    const { database } = this.world
    return database
      .hedgesOf(dealer, symbol)
      .some(
        (it) =>
          it.orderSide !== orderSide &&
          it.executedQuantity.isPositive() &&
          environmentOf(it.venue) === environmentOf(venue),
      )
  }

  /** After what closed nothing some time passes, and more and more after what is refused for good. */
  #judgeTime(dealer: DealerAccountId, line: string, what: string): void {
    const attempts = this.#attempts.get(line)
    const now = this.world.time.now
    if (
      attempts?.missedAt == null ||
      now <= this.#nettingUntil ||
      HURRIES.some((cause) => this.world.causes.has(cause))
    ) {
      this.#attempts.delete(line)
      return
    }
    const { attemptsMax, repriceMillis, retryMillis } = this.world.directory.find(dealer)!.config.hedge
    const { refusals, missedAt } = attempts
    const beyond = refusals - attemptsMax
    const pause = beyond > 0 ? Math.min(retryMillis * 2 ** beyond, REFUSED_MILLIS_MAX) : repriceMillis
    if (now - missedAt < pause)
      this.say(
        `${what} leaves ${now - missedAt} ms after one that closed nothing, with ${refusals} refusals: ${pause} were to pass`,
      )
    attempts.missedAt = null
  }

  answered(account: TradingAccountId, { request, hedge }: SubmitOrder, error: DomainError | null): void {
    if (error !== null && (error._tag === "OutcomeUnknown" || error._tag === "IdempotencyConflict")) return
    const line = `${hedge!.dealerAccountId} ${symbolOf(parseInstrumentId(request.instrumentId!)!)}`
    if (this.#asking.get(line) === `${account} ${request.idempotencyKey}`) this.#asking.delete(line)
    if (error === null) return
    const isForGood = error._tag === "InsufficientBalance" || error._tag === "InstrumentDelisted"
    if (error._tag === "NotionalBelowMinimum" || error._tag === "QuantityBelowMinimum") this.#attempts.delete(line)
    else this.#missed(line, isForGood)
  }

  /** An image of a hedge is stored. `before`: the one it takes the place of. */
  told(order: TradeOrder, before: TradeOrder | undefined): void {
    const line = `${order.dealerAccountId} ${symbolOf(order)}`
    const isMore = order.executedQuantity.greaterThan(before?.executedQuantity ?? Decimal.ZERO)
    if (isMore) this.#attempts.delete(line)
    const hasEnded = isTerminal(order.orderStatus) && (before === undefined || !isTerminal(before.orderStatus))
    if (!hasEnded || isMore || order.orderStatus === "FILLED") return
    // Its dealer has gone on without it since an admin resolved it.
    if (this.world.heardVerdicts.has(order.tradeOrderId)) return
    const reason = order.rejectReason ?? ""
    if (/NOTIONAL|minimum/.test(reason)) this.#attempts.delete(line)
    else this.#missed(line, order.orderStatus === "REJECTED" && !reason.startsWith("GATEWAY_"))
  }

  #missed(line: string, isForGood: boolean): void {
    const attempts = this.#attempts.get(line) ?? { missedAt: null, refusals: 0 }
    this.#attempts.set(line, attempts)
    attempts.missedAt = this.world.time.now
    attempts.refusals = isForGood ? attempts.refusals + 1 : 0
  }
}
