/**
 * One dealer's quotes and everything around them that a test decides: the clock, the book, when the ledger answers, and when the process
 * dies. The ledger here does what the contract says of it: all or nothing, holds that resolve once, guards; it is a model, not the real one.
 */
import { Effect, type Exit } from "effect"
import type { AccountCommand } from "../../../src/actors/account/messages.ts"
import { configureDealer, linkAccount, setDealerStatus } from "../../../src/actors/dealer/admin.ts"
import { DealerCore, type DealerParts } from "../../../src/actors/dealer/core.ts"
import type { QuoteTrade } from "../../../src/actors/dealer/messages.ts"
import {
  acceptQuote,
  keepExpiry,
  letQuoteGo,
  releaseOrphans,
  settleQuote,
} from "../../../src/actors/dealer/quotes/execution.ts"
import { requestQuote } from "../../../src/actors/dealer/quotes/quotes.ts"
import { type DealerConfig, dealerConfigOf } from "../../../src/domain/dealer/config.ts"
import type { Dealer, DealerStatus, HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import type { Span } from "../../../src/domain/dealer/hedging/hedging.ts"
import {
  type FirmQuote,
  isFirm,
  type Quote,
  type QuoteNews,
  type QuoteStatus,
} from "../../../src/domain/dealer/quote.ts"
import type { AskedQuote } from "../../../src/domain/dealer/quote-request.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import { InsufficientBalance } from "../../../src/domain/errors/risk.ts"
import { LedgerConflict, WalletFrozen } from "../../../src/domain/errors/wallet.ts"
import type {
  DealerAccountId,
  InstrumentId,
  QuoteId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../../../src/domain/ids.ts"
import type { Contract, Instrument } from "../../../src/domain/instrument/instrument.ts"
import type { VenueEnvironment } from "../../../src/domain/instrument/venue.ts"
import type { BookRows } from "../../../src/domain/order/plan.ts"
import type { Reply } from "../../../src/domain/reply.ts"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import type { DealerAct, DealerState } from "../../../src/ports/dealer-store.ts"
import type { LedgerOutcome, LedgerRequest } from "../../../src/ports/ledger-port.ts"
import { pair } from "../records/hedges.ts"

export const CLIENT = "00000000-0000-7000-8000-0000000000c1" as WalletId
export const INVENTORY = "00000000-0000-7000-8000-0000000000d1" as WalletId
const TRADER = "00000000-0000-7000-8000-0000000000c2" as TradingAccountId
export const LINKED = "00000000-0000-7000-8000-0000000000d3" as TradingAccountId
export const OTHER = "00000000-0000-7000-8000-0000000000d4" as TradingAccountId
export const THIRD = "00000000-0000-7000-8000-0000000000d5" as TradingAccountId
const DEALER = "00000000-0000-7000-8000-0000000000d0" as DealerAccountId
const HOLD_MARGIN = 30_000

interface Hold {
  readonly debit: string
  readonly credit: string
  readonly asset: string
  readonly amount: Decimal
  readonly code: string
  readonly reference: string | null
  readonly expiresAt: number
  isOpen: boolean
}

const uuidOf = (n: number): string => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

const IN_PROCESS: ReadonlySet<string> = new Set(["MOCK", "PAPER", "INTERNAL"])

/** `installation`: INTERNAL's. */
const environmentOf = (venue: string, installation: VenueEnvironment): VenueEnvironment => {
  if (venue === "INTERNAL") return installation
  return venue.endsWith("_UAT") ? "UAT" : venue === "MOCK" || venue === "PAPER" ? "SIMULATED" : "PROD"
}

/** What is durable. */
class Stored {
  readonly balances = new Map<string, Decimal>()
  readonly holds = new Map<string, Hold>()
  readonly quotes = new Map<QuoteId, Quote>()
  readonly intents: Array<unknown> = []
  readonly trades: Array<unknown> = []
  readonly frozen = new Set<string>()
  /** Every state that a quote was in, in order. */
  readonly lives = new Map<QuoteId, Array<QuoteStatus>>()
  readonly news: Array<QuoteNews> = []
  /** Orders that the client's account has stored and not ended. */
  readonly orders = new Map<QuoteId, TradeOrderId>()
  dealer: Dealer = {
    dealerAccountId: DEALER,
    tenantId: "default",
    version: 1,
    name: "Desk",
    status: "ACTIVE",
    baseCurrencies: ["USDT"],
    riskThreshold: null,
    linkedAccountIds: [LINKED],
    config: dealerConfigOf({ pricing: { allowSimulatedVenues: true } }),
    ownerUserId: uuidOf(1),
    tradingAccountId: uuidOf(2),
    walletId: INVENTORY,
    createdAt: 0,
    updatedAt: 0,
  } as unknown as Dealer

  balance(wallet: string, asset: string): Decimal {
    return this.balances.get(`${wallet} ${asset}`) ?? Decimal.ZERO
  }

  held(wallet: string, asset: string): Decimal {
    return [...this.holds.values()]
      .filter((it) => it.isOpen && it.debit === wallet && it.asset === asset)
      .reduce((sum, it) => sum.add(it.amount), Decimal.ZERO)
  }

  move(from: string, to: string, asset: string, amount: Decimal): void {
    this.balances.set(`${from} ${asset}`, this.balance(from, asset).subtract(amount))
    this.balances.set(`${to} ${asset}`, this.balance(to, asset).add(amount))
  }

  apply({ transfers, facts }: LedgerRequest, now: number): LedgerOutcome {
    const effects: Array<() => void> = []
    const refused = (failure: DomainError, at: number): LedgerOutcome => ({ _tag: "Refused", failure, at })
    for (const [at, it] of transfers.entries()) {
      if (it.kind === "pending" || it.kind === "single") {
        if (this.frozen.has(it.debitWalletId) || this.frozen.has(it.creditWalletId))
          return refused(new WalletFrozen(), at)
        const { asset, amount } = it
        const available = this.balance(it.debitWalletId, asset).subtract(this.held(it.debitWalletId, asset))
        if (available.lessThan(amount))
          return refused(new InsufficientBalance({ asset, required: `${amount}`, available: `${available}` }), at)
        const { transferId, debitWalletId: debit, creditWalletId: credit, code, reference } = it
        const expiresAt = it.expiresAt ?? Number.MAX_SAFE_INTEGER
        effects.push(() =>
          this.holds.set(transferId, { debit, credit, asset, amount, code, reference, expiresAt, isOpen: true }),
        )
        continue
      }
      const hold = this.holds.get(it.pendingId ?? "")
      if (hold?.isOpen !== true) return refused(new LedgerConflict({ reason: "hold resolved" }), at)
      if (it.kind === "post") {
        if (hold.expiresAt <= now) return refused(new LedgerConflict({ reason: "hold expired" }), at)
        if (this.frozen.has(hold.debit) || this.frozen.has(hold.credit)) return refused(new WalletFrozen(), at)
        effects.push(() => this.move(hold.debit, hold.credit, hold.asset, hold.amount))
      }
      effects.push(() => {
        hold.isOpen = false
      })
    }
    for (const [index, { tag, row, refusal }] of facts.entries()) {
      const id = row["quoteId"] as QuoteId
      const known = this.quotes.get(id)
      switch (tag) {
        case "quote_created": {
          const quote = (row["quote"] as { readonly quoteId: QuoteId }).quoteId
          effects.push(() => this.#write(quote, this.pending.get(quote)!))
          break
        }
        case "quote_executed":
          if (known?.status !== "CREATED" || known.expireAt <= (row["ingressAt"] as number))
            return refused(refusal!(known?.status === "EXECUTED" ? "USED" : "EXPIRED"), transfers.length + index)
          effects.push(() =>
            this.#write(id, { ...known, status: "EXECUTED", tradeOrderId: row["tradeOrderId"] as TradeOrderId }),
          )
          break
        case "quote_ended":
          if (known?.status === "CREATED")
            effects.push(() => this.#write(id, { ...known, status: row["status"] as QuoteStatus }))
          break
        case "hedge_intent":
          effects.push(() => this.intents.push(row))
          break
        default:
          effects.push(() => this.trades.push(row))
      }
      effects.push(() => this.news.push(...((row["news"] as ReadonlyArray<QuoteNews> | undefined) ?? [])))
    }
    for (const run of effects) run()
    return { _tag: "Applied", replayed: false, balances: [] }
  }

  /** Images of quotes on their way: a fact has them as text. */
  readonly pending = new Map<QuoteId, Quote>()

  #write(id: QuoteId, quote: Quote): void {
    this.quotes.set(id, quote)
    const life = this.lives.get(id) ?? []
    this.lives.set(id, [...life, quote.status])
  }
}

interface ChangeAnswer {
  dealer?: Dealer
  error?: DomainError
}

/** What a change of the dealer is answered, as soon as it is. */
const answered = (ask: (reply: Reply<Dealer, DomainError>) => void): ChangeAnswer => {
  const answer: ChangeAnswer = {}
  ask({
    ok: (it) => {
      answer.dealer = it
    },
    fail: (error) => {
      answer.error = error
    },
  })
  return answer
}

export class QuoteWorld {
  readonly stored = new Stored()
  core!: DealerCore
  /** Handed over, and not in the database yet. */
  inFlight: Array<LedgerRequest> = []
  readonly hedged: Array<HedgeIntent> = []
  now = 1_000_000
  asks: ReadonlyArray<readonly [string, string]> = [["100", "1000"]]
  bids: ReadonlyArray<readonly [string, string]> = [["99", "1000"]]
  bookAge = 0
  /** What the linked venues trade. */
  readonly listed = new Set(["MOCK:BTC/USDT"])
  /** Of accounts that are not on MOCK. */
  readonly venues = new Map<TradingAccountId, string>()
  /** Books that are not `asks` and `bids`. */
  readonly books = new Map<string, { readonly asks: BookRows; readonly bids: BookRows }>()
  /** What instruments are beside cents and thousandths. */
  terms: Partial<Instrument> = {}
  /** What INTERNAL's money is. */
  installation: VenueEnvironment = "PROD"
  /** Instruments that are counted in contracts. */
  readonly contracts = new Map<string, Contract>()
  /** What the dealer's own account was told. */
  readonly alerts: Array<string> = []
  /** Where what is open was priced or hedged. */
  owing: ReadonlyArray<VenueId> = []
  /** Books whose age is another; null: not there. */
  readonly bookAges = new Map<string, number | null>()
  readonly followed = new Set<string>()
  /** Executed and not hedged. */
  readonly positions = new Map<string, Span>()
  /** What clients last traded at. */
  readonly lastPrices = new Map<string, { readonly price: Decimal; readonly quoteAsset: string }>()
  /** Of the linked account. */
  linkedStatus = "ACTIVE"
  /** How often all that a wallet holds was read. */
  holdReads = 0
  /** The ledger answers by itself. */
  isPrompt = true
  #timers: Array<{ readonly at: number; readonly run: () => void }> = []
  #incarnation = 0
  #ids = 1_000
  readonly #confirms: Array<{ readonly id: string; readonly ok: () => void }> = []
  readonly #bookReads: Array<{ readonly id: string; readonly ok: () => void }> = []

  constructor() {
    for (const wallet of [CLIENT, INVENTORY]) {
      this.stored.balances.set(`${wallet} BTC`, Decimal.of("100"))
      this.stored.balances.set(`${wallet} USDT`, Decimal.of("100000"))
    }
    this.wake()
  }

  /** A request; the answer is the quote or the failure, once there is one. */
  ask(fields: Partial<AskedQuote> = {}): { quote?: Quote; error?: DomainError } {
    const answer: { quote?: Quote; error?: DomainError } = {}
    const asked: AskedQuote = {
      userId: uuidOf(7) as UserId,
      traderAccountId: TRADER,
      traderWalletId: CLIENT,
      instrumentId: "INTERNAL:BTC/USDT" as AskedQuote["instrumentId"],
      baseAsset: "BTC",
      quoteAsset: "USDT",
      orderSide: "BUY",
      size: { quantityType: "BASE", quantity: Decimal.of("1") },
      expiry: { ttlSeconds: 10 },
      pricingProfileId: null,
      quoteRequestId: null,
      fingerprint: "f",
      ...fields,
    }
    requestQuote(this.core, {
      _tag: "RequestQuote",
      asked,
      reply: {
        ok: ({ quote }) => {
          answer.quote = quote
        },
        fail: (error) => {
          answer.error = error
        },
      },
    })
    return answer
  }

  firm(fields: Partial<AskedQuote> = {}): FirmQuote {
    const { quote, error } = this.ask(fields)
    if (quote === undefined || !isFirm(quote)) throw new Error(`no firm quote: ${error?._tag ?? quote?.rejectReason}`)
    return quote
  }

  accept(quote: FirmQuote, tradeOrderId = this.orderId(), ingressAt = this.now, fields: object = {}) {
    const answer: { order: TradeOrderId; accepted?: FirmQuote; error?: DomainError } = { order: tradeOrderId }
    const order = {
      tradeOrderId,
      quoteId: quote.quoteId,
      tradingAccountId: TRADER,
      instrumentId: null,
      orderSide: quote.orderSide,
      quantity: quote.quantity.toString(),
      limitPrice: null,
      ingressAt,
      ...fields,
    }
    acceptQuote(this.core, {
      _tag: "AcceptQuote",
      order,
      reply: {
        ok: (it) => {
          answer.accepted = it
        },
        fail: (error) => {
          answer.error = error
        },
      },
    })
    return answer
  }

  settle(quoteId: QuoteId, tradeOrderId: TradeOrderId, ingressAt = this.now, isResumed = false) {
    const answer: { trade?: QuoteTrade; error?: DomainError } = {}
    const reply = {
      ok: (it: QuoteTrade) => {
        answer.trade = it
      },
      fail: (error: DomainError) => {
        answer.error = error
      },
    }
    settleQuote(this.core, { _tag: "SettleQuote", quoteId, tradeOrderId, ingressAt, isResumed, reply })
    return answer
  }

  /** A book that was followed comes. */
  bring(id: string): void {
    if (!this.followed.has(id)) throw new Error(`nobody follows ${id}`)
    this.bookAges.set(id, 0)
    for (const read of this.#bookReads.splice(0)) if (read.id === id) read.ok()
  }

  /** The venue says that a book is still its own, to all who asked for it. */
  confirm(id: string): void {
    this.bookAges.set(id, 0)
    for (const asked of this.#confirms.splice(0)) if (asked.id === id) asked.ok()
  }

  /** The dealer is another one from now on. */
  change(patch: Partial<Dealer>): void {
    this.stored.dealer = { ...this.stored.dealer, ...patch }
    this.wake()
  }

  letGo(quoteId: QuoteId, tradeOrderId: TradeOrderId): void {
    letQuoteGo(this.core, { _tag: "LetQuoteGo", quoteId, tradeOrderId })
  }

  set(status: DealerStatus): ChangeAnswer {
    return answered((reply) => setDealerStatus(this.core, { _tag: "SetDealerStatus", status, reply }))
  }

  /** While it runs: what the dealer knows stays, as after `dealer/update`. */
  configure(config: DealerConfig): ChangeAnswer {
    const { updatedAt } = this.core.dealer
    const asked = {} as DealerAct
    return answered((reply) => configureDealer(this.core, { _tag: "ConfigureDealer", config, updatedAt, asked, reply }))
  }

  /** `DONE`, or the failure. */
  link(tradingAccountId: TradingAccountId): "DONE" | DomainError {
    let answer: "DONE" | DomainError = "DONE"
    const reply = {
      ok: () => undefined,
      fail: (error: DomainError) => {
        answer = error
      },
    }
    linkAccount(this.core, { _tag: "LinkAccount", tradingAccountId, reply })
    return answer
  }

  orderId(): TradeOrderId {
    return uuidOf(this.#ids++) as TradeOrderId
  }

  status(quoteId: QuoteId): QuoteStatus | undefined {
    return this.stored.quotes.get(quoteId)?.status
  }

  pass(millis: number): void {
    const until = this.now + millis
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter((it) => it !== due)
      this.now = Math.max(this.now, due.at)
      this.#expireHolds()
      due.run()
    }
    this.now = until
    this.#expireHolds()
  }

  /** The next of what was handed over reaches the database, and its outcome the actor. */
  step(): boolean {
    const request = this.inFlight.shift()
    if (request === undefined) return false
    request.settled(this.stored.apply(request, this.now))
    return true
  }

  flush(): void {
    while (this.step());
  }

  /** The process dies: so many of what is in flight had reached the database. Another one wakes. */
  kill(reached: number): void {
    for (const request of this.inFlight.splice(0).slice(0, reached)) this.stored.apply(request, this.now)
    this.wake()
  }

  wake(): void {
    const mine = ++this.#incarnation
    const alive = (): boolean => mine === this.#incarnation
    this.#timers = []
    const self = {
      turn: (run: () => void) => () => void (alive() && run()),
      settling: (run: (outcome: unknown) => void) => (outcome: unknown) => void (alive() && run(outcome)),
      fork: (work: Effect.Effect<unknown>, done: (exit: Exit.Exit<unknown>) => void) => {
        const exit = Effect.runSyncExit(work)
        if (alive()) done(exit)
      },
      later: (millis: number, run: () => void) => {
        const timer = { at: this.now + millis, run: () => void (alive() && run()) }
        this.#timers.push(timer)
        return () => {
          this.#timers = this.#timers.filter((it) => it !== timer)
        }
      },
    }
    this.core = new DealerCore(this.#parts(), self as never, this.#state())
    this.core.watchExpiry = keepExpiry(this.core)
    this.core.hedging = {
      executed: (intent) => void this.hedged.push(intent),
      positions: () => this.positions,
      lastPriceOf: (asset) => this.lastPrices.get(asset),
      isFlat: () => true,
      isHedgingOn: () => false,
      venuesOwing: () => this.owing,
      dealerChanged: () => undefined,
      report: () => [],
    }
    releaseOrphans(this.core)
    for (const live of this.core.quotes.all()) this.core.watchExpiry(live)
  }

  #expireHolds(): void {
    for (const hold of this.stored.holds.values()) if (hold.isOpen && hold.expiresAt <= this.now) hold.isOpen = false
  }

  #state(): DealerState {
    const openQuotes = [...this.stored.quotes.values()]
      .filter((it): it is FirmQuote => it.status === "CREATED" && isFirm(it))
      .map((quote) => ({ quote, tradeOrderId: this.stored.orders.get(quote.quoteId) ?? null }))
    const clientHolds = [...this.stored.holds].flatMap(([transferId, { isOpen, credit, code, reference }]) =>
      isOpen && credit === INVENTORY && code === "HOLD" ? [{ transferId, quoteId: reference as QuoteId }] : [],
    )
    return { dealer: this.stored.dealer, openQuotes, clientHolds }
  }

  #instrument(id: string): Instrument | undefined {
    if (!this.listed.has(id)) return undefined
    const contract = this.contracts.get(id)
    return {
      ...pair(),
      status: "ACTIVE",
      ...this.terms,
      instrumentId: id as InstrumentId,
      venue: id.slice(0, id.indexOf(":")) as VenueId,
      ...(contract !== undefined && { contract }),
    } as Instrument
  }

  #parts(): DealerParts {
    const { stored } = this
    return {
      store: {
        save: (dealer: Dealer) =>
          Effect.sync(() => {
            stored.dealer = dealer
          }),
        findQuote: (id: QuoteId) => Effect.sync(() => stored.quotes.get(id) ?? null),
        findRequested: () => Effect.succeed(null),
      },
      ledger: {
        post: (request: LedgerRequest) => {
          for (const { tag, row } of request.facts)
            if (tag === "quote_created") {
              const { quoteId } = row["quote"] as { readonly quoteId: QuoteId }
              stored.pending.set(quoteId, this.core.quotes.get(quoteId)?.quote ?? (row["quote"] as Quote))
            }
          this.inFlight.push(request)
          if (this.isPrompt) this.flush()
        },
        pressure: () => "calm",
        wallet: (id: WalletId) => Effect.sync(() => ({ status: stored.frozen.has(id) ? "FROZEN" : "ACTIVE" })),
        balances: (walletId: WalletId) =>
          Effect.sync(() =>
            ["BTC", "USDT"].map((asset) => {
              const [balance, held] = [stored.balance(walletId, asset), stored.held(walletId, asset)]
              return { walletId, asset, balance, held, available: balance.subtract(held) }
            }),
          ),
        openHolds: (id: WalletId) =>
          Effect.sync(() => {
            this.holdReads++
            return [...stored.holds].flatMap(([transferId, it]) =>
              it.isOpen && it.debit === id ? [{ transferId, ...it }] : [],
            )
          }),
      },
      markets: {
        topOfBook: (id: string, side: "bids" | "asks") => (this.books.get(id) ?? this)[side],
        levels: (id: string, side: "bids" | "asks") => (this.books.get(id) ?? this)[side],
        isWhole: () => true,
        bookAge: (id: string) => (this.bookAges.has(id) ? this.bookAges.get(id)! : this.bookAge),
        hold: (id: string) => void this.followed.add(id),
        release: (id: string) => void this.followed.delete(id),
        confirmBook: (id: string, { ok }: { readonly ok: () => void }) => void this.#confirms.push({ id, ok }),
        readBook: (id: string, _: number, { ok }: { readonly ok: () => void }) => void this.#bookReads.push({ id, ok }),
      },
      venues: {
        find: (venue: string) => ({
          venue,
          features: venue === "DERIBIT" ? ["FUTURES"] : ["SPOT"],
          environment: environmentOf(venue, this.installation),
          inProcess: IN_PROCESS.has(venue),
          takesOrders: true,
        }),
      },
      accounts: {
        find: (tradingAccountId: TradingAccountId) => ({
          tradingAccountId,
          venue: this.venues.get(tradingAccountId) ?? "MOCK",
          status: this.linkedStatus,
        }),
      },
      tradingAccounts: {
        post: (_: TradingAccountId, command: AccountCommand) => {
          if (command._tag === "RaiseAlert") this.alerts.push(`${command.alert.code}: ${command.alert.message}`)
        },
      },
      instruments: {
        find: (id: string) => this.#instrument(id),
        ofPair: (venue: string, symbol: string) => this.#instrument(`${venue}:${symbol}`),
      },
      clock: { now: () => this.now, monotonic: () => this.now },
      ids: { uuid: () => uuidOf(this.#ids++) },
      failpoint: { hit: () => undefined },
      rates: null,
      shares: null,
      mode: { current: () => "online" },
      dealerChanged: () => undefined,
      quoteOpened: () => undefined,
      quoteClosed: () => undefined,
    } as unknown as DealerParts
  }

  /** Past every quote and every hold. */
  rest(): void {
    this.flush()
    for (let i = 0; i < 3; i++) {
      this.pass(400_000)
      this.flush()
    }
    this.pass(HOLD_MARGIN)
  }
}
