/**
 * One account at the venue: its orders; what it asks are its `questions`. Every outcome is a report; nothing here throws at its caller. A submit
 * that failed is refused, not sent or in doubt as contract C3 says; whether it was signed decides where the failure does not.
 */
import { type TradeOrderId, venueClientId } from "../../../domain/ids.ts"
import type { SessionReport, VenueAmend, VenueOrder, VenueOrderRef } from "../../../ports/venue-session.ts"
import { adapterOf, type ExchangeAdapter } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange } from "../exchange/ccxt.ts"
import { classify, type Failure } from "../exchange/errors.ts"
import type { Markets } from "../exchange/markets.ts"
import { waitsOf } from "../waits.ts"
import { AccountQuestions } from "./account-questions.ts"
import { amendReports, editAt } from "./amendment.ts"
import { createAt } from "./create-order.ts"
import { CredentialStanding, REFUSED } from "./credential-standing.ts"
import { Departures } from "./departures.ts"
import { KnownOrders } from "./known-orders.ts"
import { PrivateStream } from "./private-stream.ts"
import { RequestedCancel } from "./requested-cancel.ts"
import { answerFor, submitReports } from "./submit-answer.ts"

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
  readonly #cancels = new Set<RequestedCancel>()
  #hasMarkets = false

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
    this.#adapter = adapterOf(profile)
    const told = (it: SessionReport): void => {
      if (it._tag === "OrderSeen") for (const cancel of this.#cancels) cancel.saw(it.state)
      report(it)
    }
    this.#report = told
    this.#departures = new Departures(exchange)
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
      ready: () => this.ready(),
      venueNow: () => this.#markets.venueNow(),
      failed: async (failure) => {
        this.#standing.note(failure, "account")
        // If the clock cannot be read either, the next attempt will say so.
        if (failure.category === "CLOCK_SKEW") await this.#markets.syncClock().catch(() => undefined)
        return !this.#standing.isRefused
      },
      balancesMoved: () => this.questions.askBalances(),
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
    if (this.#standing.isRefused) return notSent(REFUSED)
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
      const failure = classify(error)
      for (const { tradeOrderId } of orders) this.#submitFailed(tradeOrderId, failure, departure.signed)
    } finally {
      this.#departures.end(clientId)
    }
  }

  async cancel(ref: VenueOrderRef): Promise<void> {
    const { tradeOrderId } = ref
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

  #submitFailed(tradeOrderId: TradeOrderId, failure: Failure, signed: boolean): void {
    const at = this.#markets.venueNow()
    this.#standing.note(failure, "order")
    if (failure.verdict === "REFUSED") {
      const text = failure.code === null ? "refused" : failure.text
      this.#report({ _tag: "Refused", tradeOrderId, code: failure.category, text, at })
    } else if (failure.verdict === "NOT_SENT" || !signed) {
      this.#report({ _tag: "NotSent", tradeOrderId, reason: inWords(failure), at })
    } else {
      this.#report({ _tag: "InDoubt", tradeOrderId, reason: inWords(failure), at })
    }
  }
}
