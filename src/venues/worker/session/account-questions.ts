/**
 * Inquiries of an account at its venue, and how an order is identified there. Every answer is at least as new as its question; where it
 * cannot be had the question fails, and a failure that tells of the credential is noted.
 */
import { type InstrumentId, venueClientId } from "../../../domain/ids.ts"
import type {
  EndedOrdersPage,
  EndedSince,
  FillsPage,
  SessionReport,
  VenueBalances,
  VenueOrderRef,
  VenueOrderState,
} from "../../../ports/venue-session.ts"
import { adapterOf, type ExchangeAdapter } from "../../adapters/adapters.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder, Raw } from "../exchange/ccxt.ts"
import { classify } from "../exchange/errors.ts"
import type { Markets } from "../exchange/markets.ts"
import { endedPage, fillsPage, type ListReader } from "./account-lists.ts"
import { type CredentialStanding, REFUSED, type Subject } from "./credential-standing.ts"
import type { KnownOrders } from "./known-orders.ts"
import { balances, namedBalances, orderState } from "./normalise.ts"
import { openOrdersOf } from "./open-orders.ts"

const BALANCES_WITHIN_MILLIS = 1000

export interface QuestionParts {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly markets: Markets
  readonly known: KnownOrders
  readonly standing: CredentialStanding
  /** Resolves when the venue can be asked. */
  readonly ready: () => Promise<void>
  readonly report: (report: SessionReport) => void
}

export class AccountQuestions {
  readonly #parts: QuestionParts
  readonly #adapter: ExchangeAdapter
  /** Orders that are being asked for, and whether to ask once more. */
  readonly #looks = new Map<string, boolean>()
  #balancesAreDue = false

  constructor(parts: QuestionParts) {
    this.#parts = parts
    this.#adapter = adapterOf(parts.profile)
  }

  /** Null: the venue says that it does not know the order. */
  async order(ref: VenueOrderRef): Promise<VenueOrderState | null> {
    return this.#asking("order", async () => {
      const [id, params] = this.nameOf(ref)
      try {
        const { exchange, markets } = this.#parts
        const answer = await exchange.fetchOrder(id, markets.listing.symbolOf(ref.instrumentId), { ...params })
        const state = this.stateOf(answer, this.knownAs(ref))
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
      return this.#statesOf(await openOrdersOf(this.#reader()))
    })
  }

  /** One page, in one request: a scan that is long keeps what it has read, and others go between. */
  async fills(since: number, instruments: ReadonlyArray<InstrumentId>, cursor: string | null): Promise<FillsPage> {
    return this.#asking("order", async () => {
      const page = await fillsPage(this.#reader(), this.#parts.known, { since, instruments, cursor })
      return { ...page, fills: [...page.fills].sort((a, b) => a.executedAt - b.executedAt) }
    })
  }

  /** One page, in one request. */
  async ended(markets: ReadonlyArray<EndedSince>, cursor: string | null): Promise<EndedOrdersPage> {
    return this.#asking("order", async () => {
      const { orders, next } = await endedPage(this.#reader(), markets, cursor)
      return { orders: this.#statesOf(orders), next }
    })
  }

  #reader(): ListReader {
    const { profile, exchange, markets } = this.#parts
    return { profile, exchange, listing: markets.listing, now: markets.venueNow() }
  }

  #statesOf(orders: ReadonlyArray<CcxtOrder>): ReadonlyArray<VenueOrderState> {
    return orders.flatMap((order) => {
      const state = this.stateOf(order)
      if (state === undefined) return []
      this.#parts.known.remember(state)
      return [state]
    })
  }

  async balances(): Promise<VenueBalances> {
    return this.#asking("account", async () => {
      // The answer is at least as new as the question. Taken for newer than it is, it would outrank the stream's word on what
      // happened meanwhile; taken for older, that word corrects it.
      const at = this.#parts.markets.venueNow()
      const answer = await this.#parts.exchange.fetchBalance()
      const own = this.#adapter.fetchedBalances?.(answer)
      const all = own === undefined ? balances(answer, true) : namedBalances(this.#parts.exchange, own)
      return { complete: true, balances: all, at }
    })
  }

  /** What moves within a moment is asked for once. A question that fails is left to the account's audits. */
  askBalances(): void {
    if (this.#balancesAreDue) return
    this.#balancesAreDue = true
    setTimeout(() => {
      this.#balancesAreDue = false
      this.balances().then(
        (found) => this.#parts.report({ _tag: "BalancesSeen", balances: found }),
        () => undefined,
      )
    }, BALANCES_WITHIN_MILLIS).unref()
  }

  stateOf(order: CcxtOrder, knownAs: string | null = null): VenueOrderState | undefined {
    return orderState(this.#parts.profile, this.#parts.markets.listing.named(order), this.#adapter, knownAs)
  }

  /** Once more after the answer, if the stream spoke of the order meanwhile. A question that fails is left to the account's audits. */
  look({ id, symbol }: CcxtOrder): void {
    if (id === undefined || symbol === undefined) return
    const isAsked = this.#looks.has(id)
    this.#looks.set(id, isAsked)
    if (isAsked) return
    this.#asking("order", () => this.#parts.exchange.fetchOrder(id, symbol, {}))
      .then((answer) => {
        const { known, markets, profile } = this.#parts
        const row = markets.listing.named({ order: id, symbol })
        const state = this.stateOf(answer, known.clientIdOfTrade(profile.venue, row))
        if (state === undefined || state.status === "UNKNOWN") return
        this.#parts.known.remember(state)
        this.#parts.report({ _tag: "OrderSeen", state })
      })
      .catch(() => undefined)
      .finally(() => {
        const again = this.#looks.get(id) === true
        this.#looks.delete(id)
        if (again) this.look({ id, symbol } as CcxtOrder)
      })
  }

  async #asking<A>(subject: Subject, ask: () => Promise<A>): Promise<A> {
    if (this.#parts.standing.isRefused) throw new Error(REFUSED)
    try {
      await this.#parts.ready()
      return await this.byVenueClock(ask)
    } catch (error) {
      this.#parts.standing.note(classify(error), subject)
      throw error
    }
  }

  /** Refused for our clock alone (definitely, so nothing can happen twice): once more by the venue's. */
  async byVenueClock<A>(run: () => Promise<A>): Promise<A> {
    try {
      return await run()
    } catch (error) {
      const { category, verdict } = classify(error)
      if (category !== "CLOCK_SKEW" || verdict !== "REFUSED") throw error
      const isSynced = await this.#parts.markets.syncClock().then(
        () => true,
        () => false,
      )
      if (!isSynced) throw error
      return run()
    }
  }

  /** How ccxt is told which order is meant: by the venue's id where it is known, else by ours. */
  nameOf(ref: VenueOrderRef): readonly [id: string | undefined, params: Raw] {
    return ref.externalOrderId === null
      ? [undefined, { [this.#parts.profile.clientIdParam]: venueClientId(ref.tradeOrderId) }]
      : [ref.externalOrderId, {}]
  }

  knownAs({ tradeOrderId, externalOrderId, instrumentId }: VenueOrderRef): string | null {
    return externalOrderId === null
      ? venueClientId(tradeOrderId)
      : this.#parts.known.clientIdOf(externalOrderId, instrumentId)
  }
}
