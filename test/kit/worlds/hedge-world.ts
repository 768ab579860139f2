/**
 * A dealer's keeper of hedges and everything around it that a test decides: the book, the linked accounts, what becomes of each order, and
 * time. Accounts here do what the contract says of submits: one order per key, whoever asks how often.
 */
import { Effect, type Exit } from "effect"
import type { AccountCommand, SubmitOrder } from "../../../src/actors/account/messages.ts"
import { resolveHedge } from "../../../src/actors/dealer/admin.ts"
import type { DealerCore } from "../../../src/actors/dealer/core.ts"
import type { AskedHedges } from "../../../src/actors/dealer/hedging/courier.ts"
import { HedgeKeeper } from "../../../src/actors/dealer/hedging/hedging.ts"
import type { HedgeResolved } from "../../../src/actors/dealer/messages.ts"
import type { TradingAccount, TradingAccountStatus } from "../../../src/domain/account/trading-account.ts"
import { type DealerConfigRecord, dealerConfigOf } from "../../../src/domain/dealer/config.ts"
import type { Dealer, HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import type { HedgeProgress, HedgeVerdict } from "../../../src/domain/dealer/hedging/hedging.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DomainError } from "../../../src/domain/errors/domain-error.ts"
import { IdempotencyConflict, OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import { AccountReconciling } from "../../../src/domain/errors/trading-account.ts"
import type { TradeOrderId, TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import type { VenueEnvironment } from "../../../src/domain/instrument/venue.ts"
import { graver } from "../../../src/domain/order/evidence/doubt.ts"
import { isTerminal, type OrderStatus } from "../../../src/domain/order/status.ts"
import { fingerprint } from "../../../src/domain/order/submit-request.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { DealerAct } from "../../../src/ports/dealer-store.ts"
import type { LateHedge, StoredHedges } from "../../../src/ports/hedge-store.ts"
import { DEALER, hedgeOrder, LINKED, pair } from "../records/hedges.ts"
import { storedHedges } from "../records/stored-hedges.ts"

export const OTHER = LINKED.replace(/1$/, "2") as TradingAccountId
export const OWN = LINKED.replace(/1$/, "3") as TradingAccountId

const environmentOf = (venue: string): VenueEnvironment =>
  venue.endsWith("_UAT") ? "UAT" : venue === "MOCK" || venue === "PAPER" ? "SIMULATED" : "PROD"

interface Stored {
  readonly order: TradeOrder
  readonly print: string
}

export class HedgeWorld {
  readonly orders: Array<Stored> = []
  readonly alerts: Array<string> = []
  /** Of each of them, the order that it names. */
  readonly alerted: Array<TradeOrderId | null> = []
  readonly intents: Array<HedgeIntent> = []
  readonly held = new Set<string>()
  /** Instruments whose market is known to be closed. */
  readonly closed = new Set<string>()
  /** Books come only where they are held, as in a new process. */
  hasOnlyHeld = false
  readonly asked: AskedHedges = new Map()
  /** What admins said of hedges, as it is stored. */
  readonly verdicts = new Map<TradeOrderId, HedgeVerdict>()
  readonly counts = { sent: 0, filled: 0, missed: 0, alerts: 0, open: new Map() }
  /** Of either side, best first. */
  book: ReadonlyArray<readonly [string, string]> = [["100", "1000"]]
  /** What the next submits run into; LOST: stored, and its answer lost. */
  failures: Array<DomainError | "LOST" | "UNANSWERED"> = []
  dealer: Dealer
  core!: DealerCore
  keeper: HedgeKeeper
  readonly instruments = new Map<string, Instrument>()
  /** BINANCE is the one that is not simulated. */
  readonly venues = new Map<TradingAccountId, string>([
    [LINKED, "MOCK"],
    [OTHER, "PAPER"],
  ])
  readonly statuses = new Map<TradingAccountId, TradingAccountStatus>([
    [LINKED, "ACTIVE"],
    [OTHER, "ACTIVE"],
  ])
  #now = 0
  #timers: Array<{ readonly at: number; readonly run: () => void }> = []
  #incarnation = 0
  /** Null: whatever is asked of the store is answered at once. */
  #forks: Array<() => () => void> | null = null
  #told: Array<TradeOrder> = []
  /** Of hedges that were over, since the dealer woke: the image that changed one, and what it had counted as. */
  #late: Array<LateHedge & { readonly before: HedgeProgress }> = []

  constructor(hedge: DealerConfigRecord["hedge"] = {}, linked: ReadonlyArray<TradingAccountId> = [LINKED]) {
    for (const venue of ["MOCK", "PAPER", "BINANCE", "BINANCE_UAT"]) {
      const instrumentId = `${venue}:BTC/USDT` as Instrument["instrumentId"]
      this.instruments.set(instrumentId, pair({ venue: venue as VenueId, instrumentId }))
    }
    this.dealer = {
      dealerAccountId: DEALER,
      status: "ACTIVE",
      linkedAccountIds: linked,
      config: dealerConfigOf({ hedge, pricing: { allowSimulatedVenues: true } }),
      tradingAccountId: OWN,
    } as unknown as Dealer
    this.keeper = this.#wake()
  }

  /** An executed quote, as its commit tells it. */
  executed(intent: HedgeIntent): void {
    this.intents.push(intent)
    this.keeper.executed(intent)
  }

  /** What becomes of the newest order, or another; `fee`: what its venue took, in base. */
  becomes(
    orderStatus: OrderStatus,
    executed: string,
    tradeOrderId?: TradeOrderId,
    fee?: string,
    rejectReason: string | null = null,
  ): void {
    const index = tradeOrderId === undefined ? this.orders.length - 1 : this.#index(tradeOrderId)
    const { order, print } = this.orders[index]!
    const executedQuantity = Decimal.of(executed)
    const executedCost = executedQuantity.multiply(order.limitPrice ?? Decimal.of("100"))
    const next: TradeOrder = {
      ...order,
      orderStatus,
      rejectReason,
      doubt: orderStatus === "UNKNOWN" ? graver(order, "SUBMIT") : null,
      executedQuantity,
      executedCost,
      fees: fee === undefined ? [] : [{ asset: "BTC", venue: order.venue, quantity: Decimal.of(fee) }],
      version: order.version + 1,
      updatedAt: this.#now,
    }
    this.orders[index] = { order: next, print }
    if (isTerminal(order.orderStatus)) this.#late.push({ ...next, before: order })
    this.keeper.hear(next)
  }

  /** Its venue says no to the newest. */
  refuses(rejectReason: string): void {
    this.becomes("REJECTED", "0", undefined, undefined, rejectReason)
  }

  /** As a disconnect by force, or the end of the last credential, leaves it: what is at work there stays in doubt. */
  lose(account: TradingAccountId, status: "DISCONNECTED" | "INACTIVE" = "DISCONNECTED"): void {
    const left = this.orders.filter(({ order }) => order.tradingAccountId === account && !isTerminal(order.orderStatus))
    if (status === "INACTIVE") this.statuses.set(account, status)
    for (const { order, print } of left) {
      const next: TradeOrder = { ...order, doubt: graver(order, "SUBMIT"), version: order.version + 1 }
      this.orders[this.#index(order.tradeOrderId)] = { order: next, print }
      this.keeper.hear(next)
    }
    this.statuses.set(account, status)
    this.keeper.lost(account)
  }

  /** An admin says what a hedge executed; by default of the newest. */
  resolve(executed: string, price: string | null = null, tradeOrderId = this.order().tradeOrderId) {
    const answer: { resolved?: HedgeResolved; error?: DomainError } = {}
    resolveHedge(this.core, this.keeper, {
      _tag: "ResolveHedge",
      tradeOrderId,
      executedQuantity: Decimal.of(executed),
      averagePrice: price === null ? null : Decimal.of(price),
      asked: {} as DealerAct,
      reply: {
        ok: (resolved) => {
          answer.resolved = resolved
        },
        fail: (error) => {
          answer.error = error
        },
      },
    })
    return answer
  }

  /** What is asked of the store meanwhile is stored in turn, and answered the other way round. */
  later<A>(run: () => A): A {
    this.#forks = []
    const result = run()
    for (let forks = this.#forks; forks.length > 0; forks = this.#forks) {
      this.#forks = []
      for (const answer of forks.map((store) => store()).reverse()) answer()
    }
    this.#forks = null
    return result
  }

  /** The actor dies and is built again from what is stored. */
  restart(): void {
    this.#timers = []
    this.keeper = this.#wake()
    this.keeper.start()
    for (const order of this.#told.splice(0)) this.keeper.hear(order)
  }

  /** A new process: what was asked and not answered is gone with it. */
  kill(): void {
    this.asked.clear()
    this.restart()
  }

  pass(millis: number): void {
    const until = this.#now + millis
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers = this.#timers.filter((it) => it !== due)
      this.#now = due.at
      due.run()
    }
    this.#now = until
  }

  /** side quantity @ limit, of each order. */
  sent(): ReadonlyArray<string> {
    return this.orders.map(({ order }) => {
      const price = order.limitPrice === null ? "market" : `${order.limitPrice}`
      return `${order.orderSide} ${order.quantity} @ ${price}`
    })
  }

  order(index = -1): TradeOrder {
    return this.orders.at(index)!.order
  }

  /** As the store sums it up. */
  stored(): ReadonlyArray<StoredHedges> {
    return storedHedges(
      this.intents,
      this.orders.map(({ order }) => order),
      this.verdicts,
    )
  }

  #index(tradeOrderId: TradeOrderId): number {
    return this.orders.findIndex(({ order }) => order.tradeOrderId === tradeOrderId)
  }

  #wake(): HedgeKeeper {
    const mine = ++this.#incarnation
    const alive = (): boolean => mine === this.#incarnation
    const self = {
      turn: (run: () => void) => () => {
        if (alive()) run()
      },
      fork: (work: Effect.Effect<unknown>, done: (exit: Exit.Exit<unknown>) => void) => {
        const store = () => {
          const exit = Effect.runSyncExit(work)
          return () => {
            if (alive()) done(exit)
          }
        }
        if (this.#forks === null) store()()
        else this.#forks.push(store)
      },
      later: (millis: number, run: () => void) => {
        const timer = { at: this.#now + millis, run: () => (alive() ? run() : undefined) }
        this.#timers.push(timer)
        return () => {
          this.#timers = this.#timers.filter((it) => it !== timer)
        }
      },
    }
    const world = this
    const core = {
      id: DEALER,
      self,
      get dealer() {
        return world.dealer
      },
      parts: {
        accounts: { find: (id: TradingAccountId) => this.#account(id) },
        venues: {
          find: (id: string) => ({
            features: id === "DERIBIT" ? ["FUTURES"] : ["SPOT"],
            environment: environmentOf(id),
            takesOrders: true,
          }),
        },
        instruments: {
          find: (id: string) => this.instruments.get(id),
          ofPair: (venue: string, symbol: string) => this.instruments.get(`${venue}:${symbol}`),
        },
        markets: {
          topOfBook: () => this.book,
          bookAge: (id: string) => (this.closed.has(id) || (this.hasOnlyHeld && !this.held.has(id)) ? null : 0),
          hold: (id: string) => void this.held.add(id),
          release: (id: string) => void this.held.delete(id),
        },
        clock: { monotonic: () => this.#now, now: () => this.#now },
        failpoint: { hit: () => undefined },
        hedgeStore: {
          before: ({ tradeOrderId, version }: LateHedge) =>
            Effect.sync(
              () => this.#late.find((it) => it.tradeOrderId === tradeOrderId && it.version >= version)?.before ?? null,
            ),
          resolve: (_: unknown, hedge: TradeOrderId, verdict: HedgeVerdict) =>
            Effect.sync(() => void this.verdicts.set(hedge, verdict)),
        },
        tradingAccounts: { post: (id: TradingAccountId, command: AccountCommand) => this.#take(id, command) },
      },
    } as unknown as DealerCore
    this.core = core
    this.#late = []
    return new HedgeKeeper(core, this.stored(), this.asked, this.counts)
  }

  #account(tradingAccountId: TradingAccountId): TradingAccount | undefined {
    const status = this.statuses.get(tradingAccountId)
    const venue = this.venues.get(tradingAccountId)
    return status === undefined ? undefined : ({ tradingAccountId, status, venue } as unknown as TradingAccount)
  }

  #take(id: TradingAccountId, command: AccountCommand): void {
    if (command._tag === "RaiseAlert") {
      if (id !== OWN) throw new Error("an alert of another account")
      this.alerts.push(command.alert.message)
      this.alerted.push(command.alert.tradeOrderId as TradeOrderId | null)
    } else if (command._tag === "SubmitOrder") this.#submit(id, command)
    else if (command._tag === "ReadOrder") {
      const { by, reply } = command
      reply.ok(this.orders.find(({ order }) => "tradeOrderId" in by && order.tradeOrderId === by.tradeOrderId)!.order)
    } else throw new Error(`not expected: ${command._tag}`)
  }

  #submit(id: TradingAccountId, message: SubmitOrder): void {
    const { request, reply } = message
    const print = fingerprint(request)
    const known = this.orders.find(
      ({ order }) => order.tradingAccountId === id && order.idempotencyKey === request.idempotencyKey,
    )
    const failure = this.failures.shift()
    if (failure === "UNANSWERED") return
    if (known !== undefined) {
      if (known.print === print) reply.ok({ order: known.order, replayed: true })
      else reply.fail(new IdempotencyConflict({ tradeOrderId: known.order.tradeOrderId }))
      return
    }
    if (failure !== undefined && failure !== "LOST") {
      reply.fail(failure)
      return
    }
    if (this.statuses.get(id) !== "ACTIVE") {
      reply.fail(new AccountReconciling({ reason: "RECONCILING" }))
      return
    }
    const number = `${this.orders.length + 1}`.padStart(12, "0")
    const tradeOrderId = `00000006-0000-4000-8000-${number}` as TradeOrderId
    const order = hedgeOrder(id, message, { tradeOrderId, createdAt: this.#now })
    this.orders.push({ order, print })
    if (failure === "LOST") {
      this.#told.push(order)
      reply.fail(new OutcomeUnknown({ tradeOrderId: null }))
      return
    }
    reply.ok({ order, replayed: false })
    this.keeper.hear(order)
  }
}
