/**
 * One world: the real account actors over the memory store, a simulated venue, and time that is run by hand. `start` is a process that
 * begins with what was committed, `crash` is its end at any instant.
 */
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, LogLevel, Scope } from "effect"
import { TradingAccountsLive } from "../../src/actors/account/accounts.ts"
import { AccountDirectory } from "../../src/actors/account/directory.ts"
import { type AccountCommand, type SubmitAnswer, TradingAccounts } from "../../src/actors/account/messages.ts"
import { WholeOrders } from "../../src/actors/account/parts.ts"
import { InstrumentDirectory } from "../../src/actors/market/instrument-directory.ts"
import { type MarketListener, Markets } from "../../src/actors/market/messages.ts"
import type { Position, TradingAccount } from "../../src/domain/account/trading-account.ts"
import { type TradingMode, TradingModeInForce } from "../../src/domain/account/trading-mode.ts"
import { accountOrdersChannel, accountPositionsChannel, type ChannelKind } from "../../src/domain/channel.ts"
import { CredentialRevoked } from "../../src/domain/errors/credential.ts"
import type { DomainError } from "../../src/domain/errors/domain-error.ts"
import { OrderBookUnavailable, TickerUnavailable } from "../../src/domain/errors/market.ts"
import { VenueUnavailable } from "../../src/domain/errors/venue.ts"
import type { CredentialId, InstrumentId, TradeOrderId, TradingAccountId } from "../../src/domain/ids.ts"
import { type Instrument, parseInstrumentId } from "../../src/domain/instrument/instrument.ts"
import type { Venue } from "../../src/domain/instrument/venue.ts"
import { type Bar, klineRecord } from "../../src/domain/market/kline.ts"
import { ORDER_LIMITS, type OrderLimits, OrderLimitsInForce } from "../../src/domain/order/rates.ts"
import type { AskedChange } from "../../src/domain/order/rules/change.ts"
import type { SubmitRequest } from "../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../src/domain/order/trade-order.ts"
import type { Reply } from "../../src/domain/reply.ts"
import type { PlacedBy } from "../../src/domain/user/act.ts"
import { AccountStore, type Unit } from "../../src/ports/account-store.ts"
import { ChannelPort, type ChannelSource, type ChannelState, type Publication } from "../../src/ports/channel-port.ts"
import { Clock } from "../../src/ports/clock.ts"
import { CredentialVault } from "../../src/ports/credential-vault.ts"
import { Failpoint, type FailpointName } from "../../src/ports/failpoint.ts"
import { Ids } from "../../src/ports/ids.ts"
import { VenuePort } from "../../src/ports/venue-port.ts"
import type { SessionReport, VenueSession } from "../../src/ports/venue-session.ts"
import {
  type Applied,
  type MemoryAccountStore,
  type MemoryDatabase,
  makeMemoryAccountStore,
  makeMemoryDatabase,
} from "../kit/worlds/memory-account-store.ts"
import { ACCOUNT, credentialId, START, simAccount, type VenueCall, watchedPort } from "./accounts.ts"
import { SimTime } from "./time.ts"
import { UnitsInFlight } from "./units.ts"
import { BTC_USDT, instrument, simVenue } from "./venue/listing.ts"
import { SimVenue } from "./venue/venue.ts"

export { ACCOUNT, START, simAccount } from "./accounts.ts"

const LEAVING_MILLIS = 600_000
const CONNECT_MILLIS = 30_000
/** So few that ended orders are read back from the store all the time. */
const WHOLE = 6
/** What came back for one command; undefined while it waits. */
export interface Asked<A> {
  answer: { readonly ok: A } | { readonly error: DomainError } | undefined
}

export interface WorldOptions {
  readonly venue?: Partial<Venue>
  readonly account?: Partial<TradingAccount>
  /** Accounts beside the first. */
  readonly others?: ReadonlyArray<TradingAccount>
  readonly asks?: ReadonlyArray<readonly [string, string]>
  /** Wall ms. */
  readonly startAt?: number
  readonly limits?: OrderLimits
  /** A database of its own kind beside the memory store, which must do the same with each batch, and which answers the reads. */
  readonly backing?: Backing
  /** In place of what a session tells, or of the session itself: for tests that break what stands between gateway and venue. */
  readonly hears?: (report: SessionReport) => SessionReport | null
  readonly sessionOf?: (session: VenueSession) => VenueSession
  /** What the gateway takes the venue for, where that is not what it is: likewise. */
  readonly taken?: Partial<Venue>
  /** The venues of each process, made anew with it, where they are not the simulated one. */
  readonly portOf?: (world: World) => Context.Tag.Service<VenuePort>
  /** What every process has in the store's place: for tests that break it. */
  readonly storeOf?: (store: Context.Tag.Service<AccountStore>, world: World) => Context.Tag.Service<AccountStore>
}

export interface Backing {
  /** A new process. */
  readonly begin: () => void
  readonly insert: (account: TradingAccount) => void
  /** `at`: wall ms. */
  readonly revoke: (id: CredentialId, at: number) => void
  readonly commit: (applied: ReadonlyArray<Applied>) => void
  readonly reads: Partial<Context.Tag.Service<AccountStore>>
  /** What of it is not as in the memory store. */
  readonly differences: (database: MemoryDatabase) => ReadonlyArray<string>
  /** Events that it tells otherwise than they were published. */
  readonly toldOtherwise: (database: MemoryDatabase) => ReadonlyArray<string>
}

/** A market that moves by itself, as the world sees it. */
export interface MovingMarket {
  readonly of: (instrumentId: InstrumentId) => {
    readonly bars: ReadonlyArray<Bar>
    readonly asks: ReadonlyArray<readonly [string, string]>
    readonly lastPrice: string | null
  }
  /** A process started; `alive` says whether it still runs. */
  readonly begin: (alive: () => boolean) => void
  /** Somebody asked for the price. */
  readonly know: (instrumentId: InstrumentId) => void
  readonly tellsHistory: () => boolean
  readonly follow: (instrumentId: InstrumentId, listener: MarketListener) => () => void
}

export class World {
  readonly time: SimTime
  readonly database: MemoryDatabase
  readonly venue: SimVenue
  memory!: MemoryAccountStore
  accounts!: Context.Tag.Service<TradingAccounts>
  directory!: AccountDirectory
  /** Of the newest process. */
  readonly sources = new Map<ChannelKind, ChannelSource>()
  readonly published: Array<Publication> = []
  readonly terminated: Array<string> = []
  readonly invalidated: Array<string> = []
  readonly failpoints: Array<FailpointName> = []
  asks: ReadonlyArray<readonly [string, string]>
  /** Of the newest trade that the gateway has seen. */
  lastPrice: string | null = null
  /** How long a feed that is closed takes to know a price. */
  tickerMillis = 20
  pressure: "calm" | "full" = "calm"
  mode: TradingMode = "online"
  hasCredential = true
  /** Beside that, of one account. */
  usableOf: (id: TradingAccountId) => CredentialId | null = () => credentialId(1)
  /** What the gateway knows to be traded. */
  instruments: ReadonlyArray<Instrument> = [instrument]
  /** Told of every call of a living process at the venue. */
  watch: (account: TradingAccount, call: VenueCall) => void = () => undefined
  /** Told of every unit that a living process hands to its store. */
  watchUnit: (unit: Unit) => void = () => undefined
  /** Somebody listens to the account's channel. */
  isHeard = true
  /** Who follows the market in the newest process, and what the venue's history says of it. */
  /** What the accounts were told is closed. */
  readonly closedMarkets: Array<InstrumentId> = []
  readonly openMarkets: Array<InstrumentId> = []
  readonly followers = new Set<MarketListener>()
  bars: ReadonlyArray<Bar> = []
  /** A market that moves by itself; null: prices come from `trade`. */
  market: MovingMarket | null = null
  /** How far the gateway's wall clock is ahead of the venue's. */
  wallAheadMillis = 0
  /** It was not always the same. */
  hasSteppedClock = false
  /** When the newest process began. */
  startedAt = START
  /** Units of the newest process that its store was made to refuse. */
  refusals = 0
  /** When something last went wrong. */
  troubledAt = START
  /** What the actors of the newest process died of and began anew after. */
  readonly defects: Array<string> = []
  private readonly defectLog = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause }) => {
      if (!Cause.isEmpty(cause)) this.defects.push(Cause.pretty(cause))
    }),
  )
  /** What each account has handed to the store of the newest process. */
  readonly units = new UnitsInFlight(() => this.time.now)
  /** Accounts of the newest process with a session. */
  readonly inSession = new Set<TradingAccountId>()
  private scope: Scope.CloseableScope | undefined
  private fiber: Fiber.RuntimeFiber<void> | undefined
  /** Grows with every process: what an older one still does, goes nowhere. */
  generation = 0
  private uuids = 0

  constructor(private readonly options: WorldOptions = {}) {
    this.time = new SimTime(options.startAt ?? START)
    this.database = makeMemoryDatabase([simAccount(options.account), ...(options.others ?? [])])
    this.venue = new SimVenue(this.time, { ...simVenue, ...options.venue })
    this.asks = options.asks ?? [["100", "1000"]]
  }

  /** The gateway's clocks. */
  wall(): number {
    return this.time.now + this.wallAheadMillis
  }

  monotonic(): number {
    return this.time.now - START
  }

  /** The venue's own, but for what a test has put in its place. */
  private brokenPort(): Context.Tag.Service<VenuePort> {
    const port = this.options.portOf?.(this) ?? this.venue.port
    const { hears = (report) => report, sessionOf = (session) => session, taken } = this.options
    return {
      ...port,
      find: (id) => {
        const found = port.find(id)
        // Itself otherwise: a test may change it while the world runs.
        return found && taken !== undefined ? { ...found, ...taken } : found
      },
      openSession: (asked) =>
        Effect.map(
          port.openSession({
            ...asked,
            report: (report) => {
              const heard = hears(report)
              if (heard !== null) asked.report(heard)
            },
          }),
          sessionOf,
        ),
    }
  }

  /** Bids are there where limit orders stand in for market orders, whose sells go by them. */
  private levelsOf(id: InstrumentId, side: "asks" | "bids"): ReadonlyArray<readonly [string, string]> {
    if (side === "bids" && this.venue.venue.capabilities.marketOrders) return []
    return this.market?.of(id).asks ?? this.asks
  }

  get isRunning(): boolean {
    return this.scope !== undefined
  }

  /** Of the actors of this life; none while the gateway is away. */
  get restarts(): number {
    return this.isRunning ? this.accounts.stats().restarts : 0
  }

  get source(): ChannelSource | undefined {
    return this.sources.get("tradingAccount")
  }

  uuid(): string {
    return `0ccccccc-0000-4000-8000-${(++this.uuids).toString(16).padStart(12, "0")}`
  }

  /** A process over what is committed; returns when its layers are built. */
  start(): void {
    const mine = ++this.generation
    this.followers.clear()
    this.inSession.clear()
    this.refusals = 0
    this.defects.length = 0
    this.startedAt = this.time.now
    this.units.clear()
    const alive = (): boolean => mine === this.generation
    const { backing } = this.options
    backing?.begin()
    this.memory = makeMemoryAccountStore(
      this.database,
      (run, delay) => {
        this.time.schedule(() => {
          if (alive()) run()
        }, delay)
      },
      backing?.commit,
    )
    const memoryStore = this.memory.store
    this.market?.begin(alive)
    const base: Context.Tag.Service<AccountStore> = {
      ...memoryStore,
      ...backing?.reads,
      commit: (unit) => {
        if (!alive()) return
        this.watchUnit(unit)
        memoryStore.commit(this.units.handedOver(unit))
      },
      pressure: () => this.pressure,
    }
    const store = this.options.storeOf?.(base, this) ?? base
    const ports = Layer.mergeAll(
      Layer.succeed(AccountStore, store),
      Layer.succeed(
        VenuePort,
        watchedPort(this.brokenPort(), (account, call) => {
          if (!alive()) return
          if (call._tag === "Opened") this.inSession.add(account.tradingAccountId)
          if (call._tag === "Closed") this.inSession.delete(account.tradingAccountId)
          this.watch(account, call)
        }),
      ),
      Layer.succeed(ChannelPort, {
        publish: (publication) => {
          if (alive()) this.published.push(publication)
        },
        isHeard: () => this.isHeard,
        invalidate: (channel) => void this.invalidated.push(channel),
        terminate: (channel) => void this.terminated.push(channel),
        attach: (kind, source) => void this.sources.set(kind, source),
      }),
      Layer.succeed(Clock, { now: () => this.wall(), monotonic: () => this.monotonic() }),
      Layer.succeed(OrderLimitsInForce, this.options.limits ?? ORDER_LIMITS),
      Layer.succeed(TradingModeInForce, { current: () => this.mode }),
      Layer.succeed(WholeOrders, WHOLE),
      Layer.succeed(Ids, { uuid: () => this.uuid() }),
      Layer.succeed(Failpoint, { hit: (name) => void this.failpoints.push(name) }),
      Layer.succeed(CredentialVault, {
        usableOf: (id) => {
          const usable = this.hasCredential ? this.usableOf(id) : null
          return usable === null
            ? Effect.fail(new CredentialRevoked())
            : Effect.succeed({ credentialId: usable, secrets: { apiKey: "k", apiSecret: "s", apiPassphrase: null } })
        },
      }),
      Layer.succeed(Markets, {
        readBook: (instrumentId, _depth, reply) => reply.fail(new OrderBookUnavailable({ instrumentId })),
        readTicker: (instrumentId, reply) => {
          if (this.market === null) return reply.fail(new TickerUnavailable({ instrumentId }))
          this.time.schedule(() => {
            if (!alive()) return
            this.market?.know(instrumentId)
            reply.fail(new TickerUnavailable({ instrumentId }))
          }, this.tickerMillis)
        },
        readKlines: () => undefined,
        lookBack: (instrumentId, range, reply) => {
          const bars = (this.market?.of(instrumentId).bars ?? this.bars).filter(
            ({ openAt }) => openAt >= (range.from ?? 0),
          )
          if (this.market?.tellsHistory() === false) return reply.fail(new VenueUnavailable({ reason: "simulated" }))
          this.time.schedule(() => {
            if (alive())
              reply.ok(
                klineRecord(
                  { instrumentId, name: parseInstrumentId(instrumentId)!, ...range },
                  bars,
                  false,
                  this.time.now,
                ),
              )
          }, 5)
        },
        tickers: () => [],
        topOfBook: (id, side) => this.levelsOf(id, side),
        levels: (id, side) => this.levelsOf(id, side),
        isWhole: () => true,
        lastPrice: (id) => (this.market === null ? this.lastPrice : this.market.of(id).lastPrice),
        hold: () => undefined,
        release: () => undefined,
        follow: (id, listener) => {
          if (this.market !== null) return alive() ? this.market.follow(id, listener) : () => undefined
          if (alive()) this.followers.add(listener)
          return () => void this.followers.delete(listener)
        },
        lastUpdateAt: () => null,
        confirmBook: () => undefined,
        bookAge: () => null,
        marketClosed: (id) => void this.closedMarkets.push(id),
        marketOpen: (id) => void this.openMarkets.push(id),
        listingChanged: () => undefined,
        stats: () => [],
      }),
      Layer.effect(
        AccountDirectory,
        Effect.map(AccountDirectory, (directory) => {
          for (const account of this.database.accounts.values()) directory.put(account)
          this.directory = directory
          return directory
        }),
      ).pipe(Layer.provide(AccountDirectory.Default)),
      Layer.effect(
        InstrumentDirectory,
        Effect.map(InstrumentDirectory, (directory) => {
          directory.put(this.instruments)
          return directory
        }),
      ).pipe(Layer.provide(InstrumentDirectory.Default)),
    )
    const scope = Effect.runSync(Scope.make())
    this.scope = scope
    const boot = Layer.buildWithScope(Layer.provide(TradingAccountsLive, ports), scope).pipe(
      Effect.flatMap((context) =>
        Effect.sync(() => {
          this.accounts = Context.get(context, TradingAccounts)
        }),
      ),
      Effect.withClock(this.time.clock),
      Effect.provide(this.defectLog),
      Logger.withMinimumLogLevel(LogLevel.Error),
    )
    this.fiber = Effect.runFork(boot, { scheduler: this.time })
    this.time.settle()
    const exit = Effect.runSync(Fiber.poll(this.fiber))
    if (exit._tag === "Some" && Exit.isFailure(exit.value)) throw new Error(`boot failed: ${exit.value.cause}`)
  }

  /** The process ends here and now: nothing it had in hand is written, sent or answered. */
  crash(): void {
    this.generation++
    this.venue.drop()
    const { scope } = this
    if (scope === undefined) return
    this.scope = undefined
    Effect.runFork(Effect.withClock(Scope.close(scope, Exit.void), this.time.clock), { scheduler: this.time })
    this.time.settle()
  }

  /** Nothing of the world goes on: its fibers would keep it in memory for as long as they live. */
  leave(): void {
    this.crash()
    this.time.advance(LEAVING_MILLIS)
  }

  advance(millis: number, each?: () => void): void {
    this.time.advance(millis, each)
  }

  /** Public trades, one after the other. */
  trade(...prices: ReadonlyArray<string>): void {
    for (const price of prices) {
      for (const it of [...this.followers]) it.onTrade?.(price, this.time.now)
      this.time.settle()
    }
  }

  /** Neither trades nor a book come any more, or they come again. */
  marketTurns(isLive: boolean): void {
    for (const it of [...this.followers]) it.onHealth?.(isLive)
    this.time.settle()
  }

  // Commands

  /** `heard` is told the answer in the moment in which it is given. */
  ask<A>(
    build: (reply: Reply<A, DomainError>) => AccountCommand,
    id: TradingAccountId = ACCOUNT,
    heard: (answer: NonNullable<Asked<A>["answer"]>) => void = () => undefined,
  ): Asked<A> {
    const asked: Asked<A> = { answer: undefined }
    const mine = this.generation
    const settle = (answer: NonNullable<Asked<A>["answer"]>): void => {
      if (mine !== this.generation) return
      asked.answer ??= answer
      heard(answer)
    }
    this.accounts.post(id, build({ ok: (ok) => settle({ ok }), fail: (error) => settle({ error }) }))
    this.time.settle()
    return asked
  }

  /** As connect stores it. */
  insert(account: TradingAccount): void {
    this.database.accounts.set(account.tradingAccountId, account)
    this.options.backing?.insert(account)
  }

  /** As the credential's service stores it, before accounts are told. */
  revoke(id: CredentialId): void {
    const at = this.wall()
    const { accounts } = this.database
    for (const [key, account] of accounts) {
      const credentials = account.credentials.map((it) =>
        it.credentialId === id && it.status !== "REVOKED"
          ? { ...it, status: "REVOKED" as const, updatedAt: at, revokedAt: at }
          : it,
      )
      accounts.set(key, { ...account, credentials })
    }
    this.options.backing?.revoke(id, at)
  }

  /** A new account, stored; its actor starts and agrees with the venue. Later than at a process's start. */
  connect(account: TradingAccount): void {
    this.insert(account)
    Effect.runFork(
      Effect.withClock(this.accounts.start(account, CONNECT_MILLIS), this.time.clock).pipe(
        Logger.withMinimumLogLevel(LogLevel.None),
      ),
      { scheduler: this.time },
    )
    this.time.settle()
  }

  submit(
    patch: Partial<SubmitRequest> = {},
    heard?: (answer: NonNullable<Asked<SubmitAnswer>["answer"]>) => void,
  ): Asked<SubmitAnswer> {
    const request = {
      tradingAccountId: ACCOUNT,
      instrumentId: BTC_USDT,
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "1",
      ...(patch.orderType === "MARKET" ? {} : { limitPrice: "100" }),
      ...patch,
    } as SubmitRequest
    const receivedAt = this.time.now - START
    return this.ask<SubmitAnswer>(
      (reply) => ({ _tag: "SubmitOrder", request, receivedAt, named: () => undefined, reply }),
      request.tradingAccountId,
      heard,
    )
  }

  cancel(tradeOrderId: TradeOrderId, id?: TradingAccountId): Asked<TradeOrder> {
    return this.ask(
      (reply) => ({ _tag: "CancelOrder", by: { tradeOrderId }, receivedAt: this.time.now - START, reply }),
      id,
    )
  }

  replace(tradeOrderId: TradeOrderId, asked: AskedChange, placedBy?: PlacedBy): Asked<TradeOrder> {
    const message = { _tag: "ReplaceOrder", by: { tradeOrderId }, asked, receivedAt: this.monotonic() } as const
    return this.ask((reply) => ({ ...message, ...(placedBy && { placedBy }), reply }))
  }

  read(tradeOrderId: TradeOrderId): TradeOrder {
    const asked = this.ask<TradeOrder>((reply) => ({ _tag: "ReadOrder", by: { tradeOrderId }, reply }))
    this.advance(10)
    return okOf(asked)
  }

  portfolio(currency: string | null = null, id?: TradingAccountId): ReadonlyArray<Position> {
    const asked = this.ask<ReadonlyArray<Position>>((reply) => ({ _tag: "ReadPortfolio", currency, reply }), id)
    this.advance(10)
    return okOf(asked)
  }

  /** What a map of the account begins with; null when it cannot be read, undefined while nothing was answered. */
  state(of: "accountOrders" | "accountPositions", id: TradingAccountId = ACCOUNT): ChannelState | null | undefined {
    const channel = of === "accountOrders" ? accountOrdersChannel(id) : accountPositionsChannel(id)
    let answer: ChannelState | null | undefined
    this.sources.get(of)?.state?.(channel, (state) => {
      answer = state
    })
    this.time.settle()
    return answer
  }

  status(id: TradingAccountId = ACCOUNT): string {
    return this.directory.find(id)?.status ?? "none"
  }

  /** Kinds of the published events, in order. */
  kinds(): ReadonlyArray<string> {
    return this.published.map((it) => (JSON.parse(it.json) as { kind: string }).kind)
  }
}

export const okOf = <A>(asked: Asked<A>): A => {
  if (asked.answer === undefined) throw new Error("no answer yet")
  if ("error" in asked.answer)
    throw new Error(`refused: ${asked.answer.error._tag} ${JSON.stringify(asked.answer.error)}`)
  return asked.answer.ok
}

export const errorOf = (asked: Asked<unknown>): string | undefined =>
  asked.answer !== undefined && "error" in asked.answer ? asked.answer.error._tag : undefined
