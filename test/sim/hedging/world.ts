/**
 * One hedging world: the real actors of dealers over what is stored, scripted accounts and books below them, and time that is run by hand.
 * `start` is a process that begins with what was committed, `crash` is its end at any instant.
 */
import { Context, Effect, Cause as EffectCause, Exit, Fiber, Layer, Logger, LogLevel, Scope } from "effect"
import { AccountDirectory } from "../../../src/actors/account/directory.ts"
import { TradingAccounts } from "../../../src/actors/account/messages.ts"
import { DealersLive } from "../../../src/actors/dealer/dealers.ts"
import { DealerDirectory } from "../../../src/actors/dealer/directory.ts"
import { HedgeDesk, HedgeDeskInForce } from "../../../src/actors/dealer/hedging/courier.ts"
import { Dealers } from "../../../src/actors/dealer/messages.ts"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { Markets } from "../../../src/actors/market/messages.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { type TradingMode, TradingModeInForce } from "../../../src/domain/account/trading-mode.ts"
import type { HedgeVerdict } from "../../../src/domain/dealer/hedging/hedging.ts"
import type { DealerAccountId, HedgeIntentId, InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import { OrderRatesInForce } from "../../../src/domain/order/rates.ts"
import { Clock } from "../../../src/ports/clock.ts"
import { DealerStore } from "../../../src/ports/dealer-store.ts"
import { Failpoint, type FailpointName } from "../../../src/ports/failpoint.ts"
import { HedgeStore } from "../../../src/ports/hedge-store.ts"
import { Ids } from "../../../src/ports/ids.ts"
import { LedgerPort, type LedgerRequest } from "../../../src/ports/ledger-port.ts"
import { VenuePort } from "../../../src/ports/venue-port.ts"
import { START } from "../accounts.ts"
import { type Random, SimTime } from "../time.ts"
import { Books, marketsOf } from "./books.ts"
import { type Cause, dealerStoreOf, HedgingDatabase, hedgeStoreOf, ledgerOf, type StoreHost } from "./database.ts"
import { LinkedAccounts, type LinkedHost } from "./linked-accounts.ts"
import { VENUES } from "./listing.ts"

const LEAVING_MILLIS = 600_000

export interface HedgingWorldOptions {
  /** What every process has in the store's place: for tests that break it. */
  readonly storeOf?: (store: Context.Tag.Service<HedgeStore>) => Context.Tag.Service<HedgeStore>
}

/** What the world leaves to whoever drives it. */
export interface Driver
  extends Pick<LinkedHost, "refusal" | "fate" | "asked" | "answered" | "told" | "alert">,
    Pick<StoreHost, "posted"> {
  readonly note: (what: string) => void
  /** A process passes a named place: whether it dies there. */
  readonly dies: (name: FailpointName) => boolean
  /** Whether this look at a book is a defect. */
  readonly breaks: () => boolean
  /** After every event, with what may have moved lines in it. */
  readonly happened: (causes: ReadonlySet<Cause>) => void
}

export class HedgingWorld {
  readonly time = new SimTime(START)
  readonly database = new HedgingDatabase()
  readonly books: Books
  readonly linked: LinkedAccounts
  readonly instruments = new Map<InstrumentId, Instrument>()
  mode: TradingMode = "online"
  dealers!: Context.Tag.Service<Dealers>
  directory!: DealerDirectory
  #accounts!: AccountDirectory
  #instruments!: InstrumentDirectory
  #desk = new HedgeDesk()
  #scope: Scope.CloseableScope | undefined
  /** Grows with every process: what an older one still does goes nowhere. */
  generation = 0
  #isDoomed = false
  #isLooking = false
  #uuids = 0
  readonly #causes = new Set<Cause>()
  /** What is on its way to the database, in order. */
  #writes: Array<{ readonly run: () => void; isDone: boolean }> = []
  /** Of this process: how much of each dealer is on its way. */
  readonly #underWay = new Map<DealerAccountId, number>()
  /** Executed quotes that the dealers of this process have heard of. */
  readonly heard = new Set<HedgeIntentId>()
  /** The same of what admins said of hedges. */
  readonly heardVerdicts = new Map<TradeOrderId, HedgeVerdict>()
  /** What actors of the newest process died of. */
  readonly defects: Array<string> = []
  readonly #random: Random
  readonly #defectLog = Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ cause }) => {
      if (!EffectCause.isEmpty(cause)) this.defects.push(EffectCause.pretty(cause))
    }),
  )

  constructor(
    random: Random,
    private readonly driver: Driver,
    private readonly options: HedgingWorldOptions = {},
  ) {
    this.#random = random
    this.books = new Books(random, () => this.time.now)
    this.linked = new LinkedAccounts({
      ...this.#driven(),
      database: this.database,
      now: () => this.time.now,
      isAlive: () => this.isRunning,
      later: (cause, run, millis) => this.later(cause, run, millis),
      write: (run, cause) => this.write(run, cause),
      happens: (cause) => this.alsoCauses(cause),
      at: (at, run) => {
        this.time.schedule(() => {
          this.#causes.add("NONE")
          run()
        }, at - this.time.now)
      },
      desk: () => this.#desk,
      directory: () => this.#accounts,
      instrument: (id) => this.instruments.get(id),
      isHalted: () => this.mode === "maintenance",
    })
  }

  #driven(): Pick<LinkedHost, "refusal" | "fate" | "note" | "asked" | "answered" | "told" | "alert"> {
    const { refusal, fate, note, asked, answered, told, alert } = this.driver
    return { refusal, fate, note, asked, answered, told, alert }
  }

  /** What has happened in this event. */
  get causes(): ReadonlySet<Cause> {
    return this.#causes
  }

  /** A check looks: it changes nothing, and nothing breaks in it. */
  looking(run: () => void): void {
    this.#isLooking = true
    run()
    this.#isLooking = false
  }

  get isRunning(): boolean {
    return this.#scope !== undefined && !this.#isDoomed
  }

  /** Everything that this dealer is to know has been told. */
  isSettled(dealer: DealerAccountId): boolean {
    return (this.#underWay.get(dealer) ?? 0) === 0
  }

  /** After a moment of this process. */
  later(cause: Cause, run: () => void, millis = this.#random.between(0, 4)): void {
    const mine = this.generation
    this.time.schedule(() => {
      if (mine !== this.generation || !this.isRunning) return
      this.#causes.add(cause)
      run()
    }, millis)
  }

  /** Durable after a moment; where the process dies before it is, or will never be. */
  write(run: () => void, cause: Cause = "NONE"): void {
    if (!this.isRunning) return
    const write = { run, isDone: false }
    this.#writes.push(write)
    this.time.schedule(
      () => {
        if (write.isDone) return
        // One connection: what was handed over before comes before.
        const until = this.#writes.indexOf(write) + 1
        this.#causes.add(cause)
        for (const one of this.#writes.splice(0, until)) {
          one.isDone = true
          one.run()
        }
      },
      this.#random.between(1, 8),
    )
  }

  /** What an admin or the market does happens in an event of its own. */
  act(cause: Cause, run: () => void): void {
    this.#causes.add(cause)
    run()
    this.time.settle()
    this.#happened()
  }

  advance(millis: number): void {
    this.time.advance(millis, () => this.#happened())
  }

  #happened(): void {
    if (this.#isDoomed) this.crash()
    const causes = new Set<Cause>(this.#causes.size === 0 ? ["TIME"] : this.#causes)
    this.#causes.clear()
    this.driver.happened(causes)
  }

  /** Within an event: what else happens in it. */
  alsoCauses(cause: Cause): void {
    this.#causes.add(cause)
  }

  /** A new account, ready for orders. */
  connect(account: TradingAccount): void {
    this.database.accounts.set(account.tradingAccountId, account)
    if (this.isRunning) this.#accounts.put(account)
  }

  list(instrument: Instrument): void {
    this.instruments.set(instrument.instrumentId, instrument)
    if (this.isRunning) this.#instruments.put([instrument])
  }

  start(): void {
    this.generation++
    this.heard.clear()
    this.heardVerdicts.clear()
    this.#underWay.clear()
    this.defects.length = 0
    this.#desk = new HedgeDesk()
    const mine = this.generation
    const isAlive = (): boolean => mine === this.generation && this.isRunning
    const host: StoreHost = {
      database: this.database,
      write: (run) => this.write(run),
      later: (cause, run, millis) => this.later(cause, run, millis),
      underWay: (dealer) => {
        this.#underWay.set(dealer, (this.#underWay.get(dealer) ?? 0) + 1)
        return () => this.#underWay.set(dealer, (this.#underWay.get(dealer) ?? 0) - 1)
      },
      told: (_, intents) => {
        for (const id of intents) this.heard.add(id)
      },
      toldVerdict: (hedge, verdict) => void this.heardVerdicts.set(hedge, verdict),
      posted: (request: LedgerRequest) => {
        if (isAlive()) this.driver.posted(request)
      },
      now: () => this.time.now,
    }
    const hedges = hedgeStoreOf(host)
    const clock = { now: () => this.time.now, monotonic: () => this.time.now - START }
    const ports = Layer.mergeAll(
      Layer.succeed(DealerStore, dealerStoreOf(host)),
      Layer.succeed(HedgeStore, this.options.storeOf?.(hedges) ?? hedges),
      Layer.succeed(LedgerPort, ledgerOf(host)),
      Layer.succeed(
        Markets,
        marketsOf(
          this.books,
          (cause, run, millis) => this.later(cause, run, millis),
          isAlive,
          () => {
            if (isAlive() && !this.#isLooking && this.driver.breaks())
              throw new Error("a look at a book that does not return")
          },
        ),
      ),
      Layer.succeed(VenuePort, {
        venues: VENUES,
        find: (name: string) => VENUES.find(({ venue }) => venue === name),
      } as never),
      Layer.succeed(TradingAccounts, { post: this.linked.post } as never),
      Layer.succeed(Clock, clock),
      Layer.succeed(Ids, { uuid: () => this.uuid() }),
      Layer.succeed(Failpoint, {
        hit: (name) => {
          if (isAlive() && this.driver.dies(name)) this.#isDoomed = true
        },
      }),
      Layer.succeed(TradingModeInForce, { current: () => this.mode }),
      Layer.succeed(OrderRatesInForce, null),
      Layer.succeed(HedgeDeskInForce, this.#desk),
      Layer.effect(
        AccountDirectory,
        Effect.map(AccountDirectory, (directory) => {
          for (const account of this.database.accounts.values()) directory.put(account)
          this.#accounts = directory
          return directory
        }),
      ).pipe(Layer.provide(AccountDirectory.Default)),
      Layer.effect(
        InstrumentDirectory,
        Effect.map(InstrumentDirectory, (directory) => {
          directory.put([...this.instruments.values()])
          this.#instruments = directory
          return directory
        }),
      ).pipe(Layer.provide(InstrumentDirectory.Default)),
      Layer.effect(
        DealerDirectory,
        Effect.map(DealerDirectory, (directory) => {
          for (const dealer of this.database.dealers.values()) directory.put(dealer)
          this.directory = directory
          return directory
        }),
      ).pipe(Layer.provide(DealerDirectory.Default)),
    )
    const scope = Effect.runSync(Scope.make())
    this.#scope = scope
    this.#isDoomed = false
    this.driver.note("process starts")
    const boot = Layer.buildWithScope(Layer.provide(DealersLive, ports), scope).pipe(
      Effect.flatMap((context) =>
        Effect.sync(() => {
          this.dealers = Context.get(context, Dealers)
        }),
      ),
      Effect.withClock(this.time.clock),
      Effect.provide(this.#defectLog),
      Logger.withMinimumLogLevel(LogLevel.Error),
    )
    const fiber = Effect.runFork(boot, { scheduler: this.time })
    this.#causes.add("ANY")
    this.time.settle()
    const exit = Effect.runSync(Fiber.poll(fiber))
    if (exit._tag === "Some" && Exit.isFailure(exit.value)) throw new Error(`boot failed: ${exit.value.cause}`)
    if (exit._tag === "None") throw new Error("the process does not come up")
    this.linked.begin()
    this.#happened()
  }

  /** The process ends here and now; of what was on its way to the database a part has reached it, in order. */
  crash(): void {
    const scope = this.#scope
    if (scope === undefined) return
    this.driver.note("process ends")
    this.#scope = undefined
    this.#isDoomed = false
    this.generation++
    const writes = this.#writes.splice(0)
    const reached = this.#random.between(0, writes.length)
    for (const [index, write] of writes.entries()) {
      write.isDone = true
      if (index < reached) write.run()
    }
    this.linked.died()
    this.books.held.clear()
    Effect.runFork(Effect.withClock(Scope.close(scope, Exit.void), this.time.clock), { scheduler: this.time })
    this.time.settle()
  }

  /** Nothing of the world goes on: its fibers would keep it in memory for as long as they live. */
  leave(): void {
    this.crash()
    this.time.advance(LEAVING_MILLIS)
  }

  uuid(): string {
    return `0ccccccc-0000-4000-8000-${(++this.#uuids).toString(16).padStart(12, "0")}`
  }
}
