/**
 * Queries of an account at its venue (its lists, page by page), and how an order is identified there. Every answer is at least as new as its
 * query; if that is not possible the query fails, and a failure that concerns the credential is recorded.
 */
import { type InstrumentId, venueClientId } from "../../../domain/ids.ts"
import { instrumentIdOf } from "../../../domain/instrument/instrument.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import { Newest } from "../../../foundation/newest.ts"
import type {
  EndedOrdersPage,
  EndedSince,
  FillsPage,
  SessionReport,
  VenueBalances,
  VenueContract,
  VenueFill,
  VenueOrderRef,
  VenueOrderState,
} from "../../../ports/venue-session.ts"
import type { ContractRow, ExchangeAdapter } from "../../adapters/adapter.ts"
import { adapterOf } from "../../adapters/adapters.ts"
import type { PageCursor, VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../exchange/ccxt.ts"
import { classify, type Failure, forbids, refusesKey } from "../exchange/errors.ts"
import type { Listing, Markets } from "../exchange/markets.ts"
import { doingFor } from "../work.ts"
import { BalanceQuestions } from "./balance-questions.ts"
import type { KnownOrders } from "./client-ids.ts"
import { balances, fill, namedBalances, orderState } from "./normalise.ts"
import { firstPage, openOrdersOf, readPage } from "./pages.ts"

// An account's lists, page by page as its venue gives them: fills, orders that are open, orders that are over.

/** What a list is read with. */
interface ListReader {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly listing: Listing
  /** Venue ms. */
  readonly now: number
}

/** Of lists that are read one after the other: which one, and where in it. Its text is the cursor that leaves this file. */
interface Place {
  readonly list: number
  readonly page: PageCursor
}

const placeOf = (cursor: string | null, first: () => PageCursor): Place =>
  cursor === null ? { list: 0, page: first() } : (JSON.parse(cursor) as Place)

/** `first`: the first page of the list after this one; undefined after the last. */
const textOf = (
  list: number,
  next: PageCursor | null,
  first: (list: number) => PageCursor | undefined,
): string | null => {
  const page = next ?? first(list + 1)
  return page === undefined ? null : JSON.stringify({ list: next === null ? list + 1 : list, page } satisfies Place)
}

/** Since `since` (venue ms, inclusive). `next` null: that was all. */
const fillsPage = async (
  { profile, exchange, listing, now }: ListReader,
  known: KnownOrders,
  {
    since,
    instruments,
    cursor,
  }: {
    readonly since: number
    readonly instruments: ReadonlyArray<InstrumentId>
    readonly cursor: string | null
  },
): Promise<{ readonly fills: ReadonlyArray<VenueFill>; readonly next: string | null }> => {
  const { of, paging } = profile.fills
  const lists: ReadonlyArray<InstrumentId | null> = of === "ACCOUNT" ? [null] : instruments
  const { list, page } = placeOf(cursor, () => firstPage(since))
  const instrumentId = lists[list]
  if (instrumentId === undefined) return { fills: [], next: null }
  const symbol = instrumentId === null ? undefined : listing.symbolOf(instrumentId)
  const { rows, next } = await readPage<CcxtTrade>(paging, page, now, (request) =>
    exchange.fetchMyTrades(symbol, request.since, request.limit, request.params),
  )
  const wanted = new Set(instruments)
  const fills = rows.flatMap((trade) => {
    // One without a time is in the history since then: that much is known of it.
    const row = listing.named(trade)
    const clientId = adapterOf(profile).fillClientId(trade) ?? known.clientIdOfTrade(profile.venue, row)
    const found = fill(profile.venue, row, { clientId, at: since })
    return found !== undefined && found.executedAt >= since && wanted.has(found.instrumentId) ? [found] : []
  })
  return { fills, next: textOf(list, next, (it) => (lists[it] === undefined ? undefined : firstPage(since))) }
}

/** Orders that are over, and whatever else the list has of that time. */
const endedPage = async (
  { profile, exchange, listing, now }: ListReader,
  markets: ReadonlyArray<EndedSince>,
  cursor: string | null,
): Promise<{ readonly orders: ReadonlyArray<CcxtOrder>; readonly next: string | null }> => {
  if (profile.endedOrders === null) throw new Error(`${profile.venue} has no list of closed orders`)
  const { of, lists, starts, paging } = profile.endedOrders
  const oldest = Math.min(...markets.map(({ since }) => since))
  const ways = (of === "ACCOUNT" ? [null] : markets).flatMap((market) => lists.map((name) => ({ market, name })))
  const first = (list: number): PageCursor | undefined => {
    const way = ways[list]
    if (way === undefined) return undefined
    return starts === "ID"
      ? { ...firstPage(null), at: way.market?.oldestId ?? null }
      : firstPage(way.market?.since ?? oldest)
  }
  const { list, page } = placeOf(cursor, () => first(0) ?? firstPage(null))
  const way = ways[list]
  if (way === undefined) return { orders: [], next: null }
  const symbol = way.market === null ? undefined : listing.symbolOf(way.market.instrumentId)
  const { rows, next } = await readPage<CcxtOrder>(paging, page, now, ({ since, limit, params }) =>
    exchange[way.name](symbol, since, limit, params),
  )
  return { orders: rows, next: textOf(list, next, first) }
}

// Whether the venue still accepts an account's credential. Refused is for good: nothing more is tried with it. One forbidden order says
// nothing of the credential yet; a question about the account does.

export const REFUSED = "the credential was refused"
/** Refused orders ask at most this often what is true of the account: a question weighs as much as 20 orders at Binance. */
const CONFIRM_MILLIS = 30_000

/** What a failed request was about: one order or instrument, or the account itself. */
type Subject = "order" | "account"

interface StandingParts {
  /** A question about the account, whose failure is noted here. */
  readonly ask: () => Promise<unknown>
  /** Once. */
  readonly refused: (failure: Failure) => void
}

export class CredentialStanding {
  readonly #parts: StandingParts
  #isRefused = false
  #confirmedAt = Number.NEGATIVE_INFINITY

  constructor(parts: StandingParts) {
    this.#parts = parts
  }

  get isRefused(): boolean {
    return this.#isRefused
  }

  note(failure: Failure, subject: Subject): void {
    if (this.#isRefused) return
    if (forbids(failure) && subject === "order") this.#confirm()
    else if (forbids(failure) || refusesKey(failure)) {
      this.#isRefused = true
      this.#parts.refused(failure)
    }
  }

  #confirm(): void {
    const now = performance.now()
    if (now - this.#confirmedAt < CONFIRM_MILLIS) return
    this.#confirmedAt = now
    // A failure has been noted by then.
    this.#parts.ask().catch(() => undefined)
  }
}

const TRADES_REMEMBERED = 10_000

/** One question at a time of each name; once more after its answer, if it was asked meanwhile. One that fails is left to the account's audits. */
class Looks {
  /** What is being asked, and whether to ask once more. */
  readonly #asked = new LeanMap<string, boolean>()

  begin(name: string, ask: () => Promise<void>): void {
    const isAsked = this.#asked.has(name)
    this.#asked.set(name, isAsked)
    if (isAsked) return
    ask()
      .catch(() => undefined)
      .finally(() => {
        const again = this.#asked.get(name) === true
        this.#asked.delete(name)
        if (again) this.begin(name, ask)
      })
  }
}

/** Of instruments that are listed. */
const contractsOf = (
  { profile, markets }: Pick<QuestionParts, "profile" | "markets">,
  rows: ReadonlyArray<ContractRow>,
): ReadonlyArray<VenueContract> =>
  rows.flatMap((row) => {
    const { symbol, ...said } = markets.listing.named(row)
    return symbol === undefined ? [] : [{ instrumentId: instrumentIdOf(profile.venue, symbol), ...said }]
  })

interface QuestionParts {
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
  readonly #looks = new Looks()
  readonly #fillLooks = new Looks()
  readonly #toldTrades = new Newest(TRADES_REMEMBERED)
  readonly #balances: BalanceQuestions

  constructor(parts: QuestionParts) {
    this.#parts = parts
    this.#adapter = adapterOf(parts.profile)
    this.#balances = new BalanceQuestions(
      () => this.balances(),
      (balances) => parts.report({ _tag: "BalancesSeen", balances }),
    )
  }

  /** Nothing is asked of its own accord any more. */
  stop(): void {
    this.#balances.stop()
  }

  /** Null: the venue says that it does not know the order. */
  async order(ref: VenueOrderRef): Promise<VenueOrderState | null> {
    return this.#asking("order", async () => {
      const [id, params] = this.nameOf(ref)
      try {
        const { exchange, markets } = this.#parts
        const answer = await exchange.fetchOrder(id, markets.listing.symbolOf(ref.instrumentId), { ...params })
        const state = this.stateOf(answer, this.knownAs(ref))
        if (state === undefined) throw new Error("the venue's answer is not an order")
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
      const contracts = this.#adapter.fetchedContracts?.(this.#parts.exchange, answer)
      const open = contracts && { contracts: contractsOf(this.#parts, contracts) }
      return { complete: true, balances: all, ...open, at }
    })
  }

  balancesMoved(): void {
    this.#balances.moved()
  }

  stateOf(order: CcxtOrder, knownAs: string | null = null): VenueOrderState | undefined {
    return orderState(this.#parts.profile, this.#parts.markets.listing.named(order), this.#adapter, knownAs)
  }

  look({ id, symbol }: CcxtOrder): void {
    if (id === undefined || symbol === undefined) return
    this.#looks.begin(id, async () => {
      const answer = await this.#asking("order", () => this.#parts.exchange.fetchOrder(id, symbol, {}))
      const { known, markets, profile } = this.#parts
      const row = markets.listing.named({ order: id, symbol })
      const state = this.stateOf(answer, known.clientIdOfTrade(profile.venue, row))
      if (state === undefined || state.status === "UNKNOWN") return
      this.#parts.known.remember(state)
      this.#parts.report({ _tag: "OrderSeen", state })
    })
  }

  /** Behind submits. */
  lookAtFills(order: CcxtOrder): void {
    const { fillsOf } = this.#adapter
    const { id } = order
    if (id === undefined || fillsOf === undefined) return
    const { exchange, known, markets, profile, report } = this.#parts
    this.#fillLooks.begin(id, () =>
      doingFor("market", null, async () => {
        const trades = await this.#asking("order", () =>
          fillsOf(exchange, order, (trade) => this.#toldTrades.has(this.#tradeName(trade))),
        )
        for (const trade of [...trades].reverse()) {
          const row = markets.listing.named(trade)
          const clientId = this.#adapter.fillClientId(trade) ?? known.clientIdOfTrade(profile.venue, row)
          const found = fill(profile.venue, row, { clientId, at: markets.venueNow() })
          if (found !== undefined && this.#toldTrades.add(this.#tradeName(trade)))
            report({ _tag: "Filled", fill: found })
        }
      }),
    )
  }

  /** Some venues count their trades anew in each market, and an account may be both sides of one. */
  #tradeName({ symbol, side, id }: CcxtTrade): string {
    return `${symbol}|${side}|${id}`
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
