/**
 * One account at the venue: its orders and its questions. Every outcome is a report; nothing here throws at its caller. A submit
 * that failed is refused, not sent or in doubt as contract C3 says; whether it was signed decides where the failure does not.
 */
import { type InstrumentId, type TradeOrderId, venueClientId } from "../../domain/ids.ts"
import type {
  SessionReport,
  VenueAmend,
  VenueBalances,
  VenueFill,
  VenueOrder,
  VenueOrderRef,
  VenueOrderState,
} from "../../ports/venue-session.ts"
import type { VenueProfile } from "../profile.ts"
import { amendReports, editAt } from "./amendment.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "./ccxt.ts"
import { createAt } from "./create-order.ts"
import { Departures } from "./departures.ts"
import { classify, type Failure, forbids, refusesKey } from "./errors.ts"
import { fillsOf, openOrdersOf } from "./fill-pages.ts"
import { KnownOrders } from "./known-orders.ts"
import type { Markets } from "./markets.ts"
import { balances, namedBalances, orderState } from "./normalise.ts"
import { PrivateStream } from "./private-stream.ts"
import { type Quirks, quirksOf } from "./quirks.ts"
import { requestedCancel } from "./requested-cancel.ts"
import { answerFor, submitReports } from "./submit-answer.ts"

const REFUSED = "the credential was refused"
/** Refused orders ask at most this often what is true of the account: a question weighs as much as 20 orders at Binance. */
const CONFIRM_MILLIS = 30_000

const BALANCES_WITHIN_MILLIS = 1000

/** What a failed request was about: one order or instrument, or the account itself. */
type Subject = "order" | "account"

/** Goes onto the order's record: the venue's own words where it said any, and none of ccxt's or the network's. */
const inWords = ({ category, code, text }: Failure): string => (code === null ? category : `${category}: ${text}`)

export class PrivateSession {
  readonly #profile: VenueProfile
  readonly #exchange: CcxtExchange
  readonly #markets: Markets
  readonly #quirks: Quirks
  readonly #report: (report: SessionReport) => void
  readonly #stream: PrivateStream
  readonly #known = new KnownOrders()
  readonly #departures: Departures
  /** Orders that are being asked for, and whether to ask once more. */
  readonly #looks = new Map<string, boolean>()
  #hasMarkets = false
  #isRefused = false
  #confirmedAt = Number.NEGATIVE_INFINITY
  #balancesAreDue = false

  /** The private stream is opened at once and kept up until `stop`. */
  constructor(
    profile: VenueProfile,
    exchange: CcxtExchange,
    markets: Markets,
    report: (report: SessionReport) => void,
  ) {
    this.#profile = profile
    this.#exchange = exchange
    this.#markets = markets
    this.#quirks = quirksOf(profile)
    this.#report = report
    this.#departures = new Departures(exchange)
    this.#stream = new PrivateStream({
      profile,
      exchange,
      report,
      known: this.#known,
      listing: markets.listing,
      look: (order) => this.#look(order),
      ready: () => this.ready(),
      venueNow: () => this.#markets.venueNow(),
      failed: async (failure) => {
        this.#note(failure, "account")
        // If the clock cannot be read either, the next attempt will say so.
        if (failure.category === "CLOCK_SKEW") await this.#markets.syncClock().catch(() => undefined)
        return !this.#isRefused
      },
      balancesMoved: () => this.#askBalances(),
    })
  }

  /** Resolves when the session can trade. */
  async ready(): Promise<void> {
    await this.#markets.loaded()
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
    this.#stream.stop()
    this.#markets.unshare(this.#exchange)
    await this.#exchange.close()
  }

  async submit(order: VenueOrder): Promise<void> {
    // Of a list each order is reported for itself.
    const orders = order.pairedWith === undefined ? [order] : [order, order.pairedWith]
    const notSent = (reason: string): void => {
      for (const { tradeOrderId } of orders)
        this.#report({ _tag: "NotSent", tradeOrderId, reason, at: this.#markets.venueNow() })
    }
    if (this.#isRefused) return notSent(REFUSED)
    const clientId = venueClientId(order.tradeOrderId)
    try {
      await this.ready()
    } catch (error) {
      return notSent(inWords(classify(error)))
    }
    const departure = this.#departures.begin(clientId, order.notAfter)
    try {
      // `sign` looks at notAfter each time.
      const { listing } = this.#markets
      const ask = (): ReturnType<typeof createAt> => createAt(this.#exchange, listing, this.#profile, order)
      const answers = (await this.#byVenueClock(ask)).map((answer) => listing.named(answer))
      const [quirks, known, at] = [this.#quirks, this.#known, this.#markets.venueNow()]
      for (const one of orders)
        for (const report of submitReports(this.#profile.venue, {
          order: one,
          answer: answerFor(one, orders, answers),
          quirks,
          known,
          at,
        }))
          this.#report(report)
    } catch (error) {
      const failure = classify(error)
      for (const { tradeOrderId } of orders) this.#submitFailed(tradeOrderId, failure, departure.signed)
    } finally {
      this.#departures.end(clientId)
    }
  }

  async cancel(ref: VenueOrderRef): Promise<void> {
    const { tradeOrderId } = ref
    if (this.#isRefused) {
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
      const [id, params] = this.#nameOf(ref)
      const answer = await this.#byVenueClock(() =>
        this.#exchange.cancelOrder(id, this.#markets.listing.symbolOf(ref.instrumentId), { ...params }),
      )
      if (this.#profile.cancelIsRequest === true) {
        const reports = await requestedCancel(
          tradeOrderId,
          () => this.order(ref),
          () => this.#markets.venueNow(),
        )
        for (const report of reports) this.#report(report)
        return
      }
      const state = this.#stateOf(answer, this.#knownAs(ref))
      // First what was executed before the end: the answer may know of fills that no event has told yet.
      if (state !== undefined && state.status !== "UNKNOWN") this.#report({ _tag: "OrderSeen", state })
      this.#report({ _tag: "CancelAccepted", tradeOrderId, at: this.#markets.venueNow() })
    } catch (error) {
      const failure = classify(error)
      const at = this.#markets.venueNow()
      this.#note(failure, "order")
      if (failure.verdict === "REFUSED") {
        const unknownOrder = failure.category === "ORDER_NOT_FOUND"
        this.#report({ _tag: "CancelRefused", tradeOrderId, unknownOrder, text: failure.text, at })
      } else this.#report({ _tag: "CancelInDoubt", tradeOrderId, reason: inWords(failure), at })
    }
  }

  /** Asked for once: what is in doubt then, the order itself will say. */
  async amend(ref: VenueOrderRef, to: VenueAmend): Promise<void> {
    const reports = await amendReports({
      ref,
      to,
      isRequest: this.#profile.amendIsRequest === true,
      ready: () => (this.#isRefused ? Promise.reject(new Error(REFUSED)) : this.ready()),
      ask: () => {
        const [id, params] = this.#nameOf(ref)
        const symbol = this.#markets.listing.symbolOf(ref.instrumentId)
        return this.#byVenueClock(() => editAt(this.#exchange, id, symbol, to, params))
      },
      look: () => this.order(ref),
      failed: (failure) => this.#note(failure, "order"),
      venueNow: () => this.#markets.venueNow(),
    })
    for (const report of reports) this.#report(report)
  }

  /** Null: the venue says that it does not know the order. */
  async order(ref: VenueOrderRef): Promise<VenueOrderState | null> {
    return this.#asking("order", async () => {
      const [id, params] = this.#nameOf(ref)
      try {
        const answer = await this.#exchange.fetchOrder(id, this.#markets.listing.symbolOf(ref.instrumentId), {
          ...params,
        })
        const state = this.#stateOf(answer, this.#knownAs(ref))
        if (state === undefined) throw new Error("the venue's answer is no order")
        return state
      } catch (error) {
        if (classify(error).category === "ORDER_NOT_FOUND") return null
        throw error
      }
    })
  }

  async openOrders(): Promise<ReadonlyArray<VenueOrderState>> {
    return this.#asking("account", async () => {
      const orders = await openOrdersOf(this.#profile, this.#exchange)
      return orders.flatMap((order) => {
        const state = this.#stateOf(order)
        if (state === undefined) return []
        this.#known.remember(state)
        return [state]
      })
    })
  }

  async fills(since: number, instruments: ReadonlyArray<InstrumentId>): Promise<ReadonlyArray<VenueFill>> {
    return this.#asking("order", async () => {
      const fills: Array<VenueFill> = []
      for (const instrumentId of instruments) {
        fills.push(
          ...(await fillsOf(this.#profile, this.#exchange, this.#known, this.#markets.listing, instrumentId, since)),
        )
      }
      return fills.sort((a, b) => a.executedAt - b.executedAt)
    })
  }

  async balances(): Promise<VenueBalances> {
    return this.#asking("account", async () => {
      // The answer is at least as new as the question. Taken for newer than it is, it would outrank the stream's word on what
      // happened meanwhile; taken for older, that word corrects it.
      const at = this.#markets.venueNow()
      const answer = await this.#exchange.fetchBalance()
      const own = this.#quirks.fetchedBalances?.(answer)
      const all = own === undefined ? balances(answer, true) : namedBalances(this.#exchange, own)
      return { complete: true, balances: all, at }
    })
  }

  /** What moves within a moment is asked for once. A question that fails is left to the account's audits. */
  #askBalances(): void {
    if (this.#balancesAreDue) return
    this.#balancesAreDue = true
    setTimeout(() => {
      this.#balancesAreDue = false
      this.balances().then(
        (found) => this.#report({ _tag: "BalancesSeen", balances: found }),
        () => undefined,
      )
    }, BALANCES_WITHIN_MILLIS).unref()
  }

  #stateOf(order: CcxtOrder, knownAs: string | null = null): VenueOrderState | undefined {
    return orderState(this.#profile.venue, this.#markets.listing.named(order), this.#quirks, knownAs)
  }

  /** Once more after the answer, if the stream spoke of the order meanwhile. A question that fails is left to the account's audits. */
  #look({ id, symbol }: CcxtOrder): void {
    if (id === undefined || symbol === undefined) return
    const isAsked = this.#looks.has(id)
    this.#looks.set(id, isAsked)
    if (isAsked) return
    this.#asking("order", () => this.#exchange.fetchOrder(id, symbol, {}))
      .then((answer) => {
        const state = this.#stateOf(answer, this.#known.clientIdOf(id))
        if (state === undefined || state.status === "UNKNOWN") return
        this.#known.remember(state)
        this.#report({ _tag: "OrderSeen", state })
      })
      .catch(() => undefined)
      .finally(() => {
        const again = this.#looks.get(id) === true
        this.#looks.delete(id)
        if (again) this.#look({ id, symbol } as CcxtOrder)
      })
  }

  async #asking<A>(subject: Subject, ask: () => Promise<A>): Promise<A> {
    if (this.#isRefused) throw new Error(REFUSED)
    try {
      await this.ready()
      return await this.#byVenueClock(ask)
    } catch (error) {
      this.#note(classify(error), subject)
      throw error
    }
  }

  /** Refused for our clock alone (definitely, so nothing can happen twice): once more by the venue's. */
  async #byVenueClock<A>(run: () => Promise<A>): Promise<A> {
    try {
      return await run()
    } catch (error) {
      const { category, verdict } = classify(error)
      if (category !== "CLOCK_SKEW" || verdict !== "REFUSED") throw error
      const isSynced = await this.#markets.syncClock().then(
        () => true,
        () => false,
      )
      if (!isSynced) throw error
      return run()
    }
  }

  #submitFailed(tradeOrderId: TradeOrderId, failure: Failure, signed: boolean): void {
    const at = this.#markets.venueNow()
    this.#note(failure, "order")
    if (failure.verdict === "REFUSED") {
      const text = failure.code === null ? "refused" : failure.text
      this.#report({ _tag: "Refused", tradeOrderId, code: failure.category, text, at })
    } else if (failure.verdict === "NOT_SENT" || !signed) {
      this.#report({ _tag: "NotSent", tradeOrderId, reason: inWords(failure), at })
    } else {
      this.#report({ _tag: "InDoubt", tradeOrderId, reason: inWords(failure), at })
    }
  }

  /** Once a credential is refused nothing more is tried with it. */
  #note(failure: Failure, subject: Subject): void {
    if (this.#isRefused) return
    if (forbids(failure) && subject === "order") this.#confirm()
    else if (forbids(failure) || refusesKey(failure)) {
      this.#isRefused = true
      this.#stream.stop()
      this.#report({ _tag: "SessionRefused", reason: inWords(failure) })
    }
  }

  /** One order was forbidden: only a question about the account can say whether everything is. */
  #confirm(): void {
    const now = performance.now()
    if (now - this.#confirmedAt < CONFIRM_MILLIS) return
    this.#confirmedAt = now
    // A failure has been noted by then.
    this.balances().catch(() => undefined)
  }

  /** How ccxt is told which order is meant: by the venue's id where it is known, else by ours. */
  #nameOf(ref: VenueOrderRef): readonly [id: string | undefined, params: Raw] {
    return ref.externalOrderId === null
      ? [undefined, { [this.#profile.clientIdParam]: venueClientId(ref.tradeOrderId) }]
      : [ref.externalOrderId, {}]
  }

  #knownAs({ tradeOrderId, externalOrderId }: VenueOrderRef): string | null {
    return externalOrderId === null ? venueClientId(tradeOrderId) : this.#known.clientIdOf(externalOrderId)
  }
}
