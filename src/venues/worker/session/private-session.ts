/**
 * One account at the venue: its orders, from the ccxt call to what the answer proves; its queries are its `questions`. Every outcome is a report;
 * nothing here throws at its caller. A failed submit is refused, not sent or in doubt as contract C3 says; if the failure does not decide, it
 * matters whether the request was signed: ccxt signs after its throttle, which is the last point before bytes may leave (order-path 3).
 */
import { type TradeOrderId, venueClientId } from "../../../domain/ids.ts"
import { parseInstrumentId } from "../../../domain/instrument/instrument.ts"
import { LeanMap, LeanSet } from "../../../foundation/lean.ts"
import type { SharedOwnership } from "../../../ports/ownership.ts"
import type { SessionReport, VenueAmend, VenueOrder, VenueOrderRef } from "../../../ports/venue-session.ts"
import type { ExchangeAdapter } from "../../adapters/adapter.ts"
import { adapterOf } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder } from "../exchange/ccxt.ts"
import { classify, type Failure, TooLate, WITHDRAWN } from "../exchange/errors.ts"
import type { Listing, Markets } from "../exchange/markets.ts"
import { Gate } from "../gate.ts"
import { waitsOf } from "../waits.ts"
import { behind, withdrawable } from "../work.ts"
import { AccountQuestions, CredentialStanding, REFUSED } from "./account-questions.ts"
import { amendReports, editAt } from "./amendment.ts"
import { KnownOrders } from "./client-ids.ts"
import { Departures } from "./departures.ts"
import { fill, orderState } from "./normalise.ts"
import { NotSupported } from "./order-terms.ts"
import { PrivateStream } from "./private-stream.ts"
import { RequestedCancel } from "./requested-cancel.ts"

// An order of ours as ccxt is asked to create it. What a venue needs for a trigger, an expiry or a cost stands in its adapter; where
// nothing stands there, such an order is refused here, before a byte leaves.

/** No spot venue lends for an order without being told so in its own words. */
const refuseLeverage = ({ leverage = 1 }: VenueOrder): void => {
  if (leverage !== 1) throw new NotSupported("orders with leverage are not sent to this venue")
}

/** Perpetuals too get plain orders only: what a family of venues has in common ends there. */
const termsOf = (order: VenueOrder, { terms, reduceOnly }: ExchangeAdapter, { lists }: VenueProfile) => {
  refuseLeverage(order)
  if (order.reduceOnly === true) {
    if (reduceOnly === undefined || order.trigger !== undefined || order.cost !== undefined)
      throw new NotSupported("the gateway sends this venue no such order that is reduce-only")
    return reduceOnly
  }
  if (terms !== undefined && lists === "spot") return terms(order)
  if (order.trigger !== undefined || order.cost !== undefined)
    throw new NotSupported("the gateway sends this venue plain orders only")
  return {}
}

/** The orders of the answer: of a list there are two. Throws `NotSupported` for what was never proved at this venue. */
const createAt = async (
  exchange: CcxtExchange,
  listing: Listing,
  profile: VenueProfile,
  order: VenueOrder,
): Promise<ReadonlyArray<CcxtOrder>> => {
  if (order.pairedWith === undefined) return [await createOne(exchange, listing, profile, order)]
  const { placePair } = adapterOf(profile)
  if (placePair === undefined || profile.lists !== "spot")
    throw new NotSupported("the gateway sends this venue no order lists")
  for (const leg of [order, order.pairedWith]) refuseLeverage(leg)
  return placePair(exchange, listing.symbolOf(order.instrumentId), [order, order.pairedWith])
}

const createOne = async (
  exchange: CcxtExchange,
  listing: Listing,
  profile: VenueProfile,
  order: VenueOrder,
): Promise<CcxtOrder> => {
  const isMarket = order.orderType === "MARKET"
  const isPostOnly = order.orderType === "LIMIT_MAKER" || order.timeInForce === "GTX"
  const isImmediate = order.timeInForce === "IOC" || order.timeInForce === "FOK"
  // Without an id of ours ccxt would send its broker's.
  const params: Record<string, unknown> = { clientOrderId: venueClientId(order.tradeOrderId) }
  if (isPostOnly) params["postOnly"] = true
  else if (!isMarket && isImmediate) params["timeInForce"] = order.timeInForce
  // A price on a market buy would silently become a quote quantity (venues 4.10).
  const price = isMarket ? undefined : (order.limitPrice ?? undefined)
  return exchange.createOrder(
    listing.symbolOf(order.instrumentId),
    isMarket ? "market" : "limit",
    order.orderSide === "BUY" ? "buy" : "sell",
    order.quantity,
    price,
    { ...params, ...termsOf(order, adapterOf(profile), profile) },
  )
}

// Interprets the response to a submit: that the venue accepted the order, and its state if the response contains it. Some venues answer
// with the order's id and nothing else (OKX, Kraken); an answer without one is no proof of anything.

interface SubmitAnswer {
  readonly order: VenueOrder
  /** Undefined: it does not speak of the order. */
  readonly answer: CcxtOrder | undefined
  readonly adapter: ExchangeAdapter
  readonly known: KnownOrders
  /** The venue's clock, ms: stands in where the answer names no instant. */
  readonly at: number
}

/** What an answer says of one of the orders that were submitted together: of two, each goes by its client id. */
const answerFor = (
  { tradeOrderId }: VenueOrder,
  orders: ReadonlyArray<VenueOrder>,
  answers: ReadonlyArray<CcxtOrder>,
): CcxtOrder | undefined =>
  orders.length === 1 ? answers[0] : answers.find(({ clientOrderId }) => clientOrderId === venueClientId(tradeOrderId))

export const submitReports = (
  profile: Parameters<typeof orderState>[0],
  { order, answer, adapter, known, at: now }: SubmitAnswer,
): ReadonlyArray<SessionReport> => {
  const { tradeOrderId } = order
  const clientId = venueClientId(tradeOrderId)
  const state = answer && orderState(profile, answer, adapter, clientId)
  const externalOrderId = state?.externalOrderId ?? (answer && ownIdOf(answer, clientId))
  if (answer === undefined || externalOrderId === undefined)
    return [{ _tag: "InDoubt", tradeOrderId, reason: "the venue's answer is not an order", at: now }]
  known.remember(state ?? { clientId, externalOrderId, instrumentId: order.instrumentId })
  const at = state?.updatedAt ?? now
  const context = {
    clientId,
    externalOrderId,
    symbol: parseInstrumentId(order.instrumentId)?.symbol ?? order.instrumentId,
    side: order.orderSide === "BUY" ? "buy" : "sell",
    at,
  }
  // The answer may come before the stream's events, and it comes when the stream is down.
  const fills = (answer.trades ?? []).flatMap((trade) => fill(profile.venue, trade, context) ?? [])
  return [
    { _tag: "Accepted", tradeOrderId, externalOrderId, at },
    ...fills.map((found): SessionReport => ({ _tag: "Filled", fill: found })),
    ...(state === undefined || state.status === "UNKNOWN" ? [] : [{ _tag: "OrderSeen" as const, state }]),
  ]
}

/** The id alone; not where it came under another client id than ours. */
const ownIdOf = ({ id, clientOrderId, status }: CcxtOrder, clientId: string): string | undefined => {
  const isOurs = clientOrderId === undefined || clientOrderId === null || clientOrderId === clientId
  return id === undefined || id === "" || !isOurs || status === "rejected" ? undefined : id
}

/** A submit that is built, and perhaps signed, and behind its gate. */
interface Prepared {
  /** What it was asked for as. */
  readonly order: string
  readonly gate: Gate
  readonly answers: ReturnType<typeof createAt>
  readonly withdrawal: AbortController
  /** Of its notAfter. */
  readonly timer: NodeJS.Timeout
  /** It came to nothing before it was released: it is built anew. */
  isOver: boolean
}

/** Goes onto the order's record: the venue's own words where it said any, and none of ccxt's or the network's. */
const inWords = ({ category, code, text }: Failure): string => (code === null ? category : `${category}: ${text}`)

export class PrivateSession {
  readonly #profile: VenueProfile
  readonly #exchange: CcxtExchange
  readonly #markets: Markets
  readonly #adapter: ExchangeAdapter
  readonly #report: (report: SessionReport) => void
  readonly #stream: PrivateStream
  readonly #known = new KnownOrders()
  readonly #departures: Departures
  readonly #standing: CredentialStanding
  readonly questions: AccountQuestions
  /** Cancels that were asked for and are not seen to be carried out. */
  readonly #cancels = new LeanSet<RequestedCancel>()
  readonly #prepared = new LeanMap<TradeOrderId, Prepared>()
  #hasMarkets = false

  /** The private stream is opened at once and kept up until `stop`. */
  constructor(
    profile: VenueProfile,
    exchange: CcxtExchange,
    markets: Markets,
    report: (report: SessionReport) => void,
    owned: SharedOwnership | null = null,
  ) {
    this.#profile = profile
    this.#exchange = exchange
    this.#markets = markets
    this.#adapter = adapterOf(profile)
    const told = (it: SessionReport): void => {
      if (it._tag === "OrderSeen") for (const cancel of this.#cancels) cancel.saw(it.state)
      report(it)
    }
    this.#report = told
    this.#departures = new Departures(exchange, owned)
    this.#standing = new CredentialStanding({
      ask: () => this.questions.balances(),
      refused: (failure) => {
        this.#stream.stop()
        told({ _tag: "SessionRefused", reason: inWords(failure) })
      },
    })
    this.questions = new AccountQuestions({
      profile,
      exchange,
      markets,
      known: this.#known,
      standing: this.#standing,
      ready: () => this.ready(),
      report: told,
    })
    this.#stream = new PrivateStream({
      profile,
      exchange,
      report: told,
      known: this.#known,
      listing: markets.listing,
      look: (order) => this.questions.look(order),
      lookAtFills: (order) => this.questions.lookAtFills(order),
      ready: () => this.ready(),
      venueNow: () => this.#markets.venueNow(),
      failed: async (failure) => {
        this.#standing.note(failure, "account")
        // If the clock cannot be read either, the next attempt will say so.
        if (failure.category === "CLOCK_SKEW") await this.#markets.syncClock().catch(() => undefined)
        return !this.#standing.isRefused
      },
      balancesMoved: () => this.questions.balancesMoved(),
    })
  }

  /** Resolves when the session can trade. */
  async ready(): Promise<void> {
    await this.#markets.timed()
    if (this.#hasMarkets) return
    this.#hasMarkets = true
    this.#markets.share(this.#exchange)
  }

  /** Resolves when it can trade and its stream has come up, or has failed to. */
  async opened(): Promise<void> {
    await this.ready()
    await this.#stream.tried
  }

  async stop(): Promise<void> {
    for (const id of [...this.#prepared.keys()]) this.forgo(id)
    this.#departures.stop()
    this.#stream.stop()
    this.questions.stop()
    this.#markets.unshare(this.#exchange)
    await this.#exchange.close()
  }

  /** Built and signed at once, and kept behind its gate until `submit` asks for the same order; dropped at its notAfter. */
  prepare(order: VenueOrder): void {
    const left = order.notAfter - Date.now()
    if (left <= 0 || !this.#hasMarkets || this.#standing.isRefused || order.pairedWith !== undefined) return
    const { tradeOrderId } = order
    this.forgo(tradeOrderId)
    const gate = new Gate()
    const withdrawal = new AbortController()
    const answers = withdrawable(withdrawal.signal, () =>
      behind(gate, () => createAt(this.#exchange, this.#markets.listing, this.#profile, order)),
    )
    const timer = setTimeout(() => this.forgo(tradeOrderId), left)
    const prepared: Prepared = { order: JSON.stringify(order), gate, answers, withdrawal, timer, isOver: false }
    const over = (): void => {
      prepared.isOver = true
    }
    answers.then(over, over)
    this.#prepared.set(tradeOrderId, prepared)
  }

  forgo(tradeOrderId: TradeOrderId): void {
    this.#taken(tradeOrderId)?.gate.drop()
  }

  #taken(tradeOrderId: TradeOrderId): Prepared | undefined {
    const prepared = this.#prepared.get(tradeOrderId)
    this.#prepared.delete(tradeOrderId)
    clearTimeout(prepared?.timer)
    return prepared
  }

  /** What is behind a gate for exactly this order; null: nothing, and the order is built now. */
  #preparedFor(order: VenueOrder): Prepared | null {
    const prepared = this.#taken(order.tradeOrderId)
    if (prepared === undefined) return null
    if (!prepared.isOver && prepared.order === JSON.stringify(order)) return prepared
    prepared.gate.drop()
    return null
  }

  async submit(order: VenueOrder): Promise<void> {
    const prepared = this.#preparedFor(order)
    // Of a list each order is reported for itself.
    const orders = order.pairedWith === undefined ? [order] : [order, order.pairedWith]
    const notSent = (reason: string): void => {
      for (const { tradeOrderId } of orders)
        this.#report({ _tag: "NotSent", tradeOrderId, reason, at: this.#markets.venueNow() })
    }
    if (this.#standing.isRefused) {
      prepared?.gate.drop()
      return notSent(REFUSED)
    }
    const clientId = venueClientId(order.tradeOrderId)
    const { gate, withdrawal } = prepared ?? {}
    // Of a list the venue takes both orders or none, and the cancel of one is not asked for the other.
    const departure = this.#departures.begin(clientId, { gate, withdrawal, yieldsToCancel: orders.length === 1 })
    try {
      try {
        await this.ready()
      } catch (error) {
        gate?.drop()
        return notSent(inWords(classify(error)))
      }
      // `sign` looks each time whether the order's notAfter, which this work is for, has passed.
      const { listing } = this.#markets
      let isFirst = true
      const ask = (): ReturnType<typeof createAt> => {
        const isReleased = isFirst && prepared?.gate.open() === true
        isFirst = false
        if (isReleased) return prepared.answers
        return withdrawable(departure.withdrawn, () => createAt(this.#exchange, listing, this.#profile, order))
      }
      const answers = (await this.questions.byVenueClock(ask)).map((answer) => listing.named(answer))
      const [adapter, known, at] = [this.#adapter, this.#known, this.#markets.venueNow()]
      for (const one of orders)
        for (const report of submitReports(this.#profile, {
          order: one,
          answer: answerFor(one, orders, answers),
          adapter,
          known,
          at,
        }))
          this.#report(report)
    } catch (error) {
      // Whatever else it failed with: this is what its cancel is answered with.
      const failure = classify(departure.withdrawn.aborted ? new TooLate(WITHDRAWN) : error)
      for (const { tradeOrderId } of orders) this.#submitFailed(tradeOrderId, failure, departure.mayHaveLeft)
    } finally {
      this.#departures.end(clientId)
    }
  }

  /** Of an order that has not left nothing is sent: its submit says that it was not. */
  async cancel(ref: VenueOrderRef): Promise<void> {
    const { tradeOrderId } = ref
    if (this.#departures.withdraw(venueClientId(tradeOrderId))) return
    if (this.#standing.isRefused) {
      this.#report({
        _tag: "CancelRefused",
        tradeOrderId,
        unknownOrder: false,
        text: REFUSED,
        at: this.#markets.venueNow(),
      })
      return
    }
    try {
      await this.ready()
      const [id, params] = this.questions.nameOf(ref)
      const answer = await this.questions.byVenueClock(() =>
        this.#exchange.cancelOrder(id, this.#markets.listing.symbolOf(ref.instrumentId), { ...params }),
      )
      const state = this.questions.stateOf(answer, this.questions.knownAs(ref))
      const isDone = this.#profile.cancelAnswer === "DONE" && this.#adapter.cancelPends?.(answer) !== true
      if (!isDone || state?.status === "OPEN") {
        for (const report of await this.#seenCancelled(ref)) this.#report(report)
        return
      }
      // First what was executed before the end: the answer may know of fills that no event has told yet.
      if (state !== undefined && state.status !== "UNKNOWN") this.#report({ _tag: "OrderSeen", state })
      this.#report({ _tag: "CancelAccepted", tradeOrderId, at: this.#markets.venueNow() })
    } catch (error) {
      const failure = classify(error)
      const at = this.#markets.venueNow()
      this.#standing.note(failure, "order")
      if (failure.verdict === "REFUSED") {
        const unknownOrder = failure.category === "ORDER_NOT_FOUND"
        this.#report({ _tag: "CancelRefused", tradeOrderId, unknownOrder, text: failure.text, at })
      } else this.#report({ _tag: "CancelInDoubt", tradeOrderId, reason: inWords(failure), at })
    }
  }

  async #seenCancelled(ref: VenueOrderRef): Promise<ReadonlyArray<SessionReport>> {
    const cancel = new RequestedCancel(
      ref,
      () => this.questions.order(ref),
      () => this.#markets.venueNow(),
      waitsOf(this.#profile).cancelLooksMillis,
    )
    this.#cancels.add(cancel)
    try {
      return await cancel.reports()
    } finally {
      this.#cancels.delete(cancel)
    }
  }

  /** Asked for once: what is in doubt then, the order itself will say. */
  async amend(ref: VenueOrderRef, to: VenueAmend): Promise<void> {
    const reports = await amendReports({
      ref,
      to,
      isRequest: this.#profile.amendAnswer === "REQUESTED",
      ready: () => (this.#standing.isRefused ? Promise.reject(new Error(REFUSED)) : this.ready()),
      ask: () => {
        const [id, params] = this.questions.nameOf(ref)
        const symbol = this.#markets.listing.symbolOf(ref.instrumentId)
        return this.questions.byVenueClock(() => editAt(this.#exchange, id, symbol, to, params))
      },
      look: () => this.questions.order(ref),
      failed: (failure) => this.#standing.note(failure, "order"),
      venueNow: () => this.#markets.venueNow(),
    })
    for (const report of reports) this.#report(report)
  }

  #submitFailed(tradeOrderId: TradeOrderId, failure: Failure, mayHaveLeft: boolean): void {
    const at = this.#markets.venueNow()
    this.#standing.note(failure, "order")
    if (failure.verdict === "REFUSED") {
      const text = failure.code === null ? "refused" : failure.text
      this.#report({ _tag: "Refused", tradeOrderId, code: failure.category, text, at })
    } else if (failure.verdict === "NOT_SENT" || !mayHaveLeft) {
      this.#report({ _tag: "NotSent", tradeOrderId, reason: inWords(failure), at })
    } else {
      this.#report({ _tag: "InDoubt", tradeOrderId, reason: inWords(failure), at })
    }
  }
}
