/**
 * One account as its actor holds it: its parts, each field with one owner, and the only two ways to change it: `change` for an order,
 * `saveAccount` for the account. Both change memory at once and hand one unit to the store; whatever is sent or published is sent from the unit's
 * commit callback, but what goes to a venue that follows the journal.
 */
import type { AccountEventKind } from "../../domain/account/event.ts"
import {
  type TradingAccount,
  type TradingAccountStatus,
  tradingAccountRecord,
} from "../../domain/account/trading-account.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { isSpot, type Venue } from "../../domain/instrument/venue.ts"
import { isTerminal } from "../../domain/order/status.ts"
import { type AppliedExecution, placeOf, type TradeOrder } from "../../domain/order/trade-order.ts"
import { LeanMap, LeanSet } from "../../foundation/lean.ts"
import type { Self } from "../../kernel/behaviour.ts"
import { type AccountState, ENDED_MILLIS, type FoundNames, type Row } from "../../ports/account-store.ts"
import type { VenueFill, VenueOrderRef, VenueOrderState } from "../../ports/venue-session.ts"
import { type AccountEvent, AccountImage, AccountOutlet } from "./channel/publication.ts"
import { AccountOrders } from "./order-memory.ts"
import { AccountLimits } from "./orders/limits.ts"
import { Quoting, WaitingSubmits } from "./orders/waiting-submits.ts"
import type { AccountParts } from "./parts.ts"
import { AccountPositions, BalanceReadings } from "./positions.ts"
import type { Rest } from "./resting-accounts.ts"
import { UsedNames } from "./used-names.ts"
import { Connection } from "./venue/connection.ts"
import { LateOrders } from "./venue/late-orders.ts"
import { NameDesk } from "./venue/names.ts"
import { Quarantine, type Refusals } from "./venue/refusals.ts"
import { Strays } from "./venue/strays.ts"
import { AccountTrades } from "./venue/trades.ts"
import { answerClosed, type ChangeOptions, type Consequence, stopAsking, type WorkingOrder } from "./working-order.ts"

const NO_OTHERS: ReadonlyArray<Consequence> = []

/** What the venue shows of an account at one instant, and since another. */
export interface OpenAndFills {
  readonly open: ReadonlyArray<VenueOrderState>
  readonly fills: ReadonlyArray<VenueFill>
  /** Whose the names are of trades that do not name an order of ours. */
  readonly names: FoundNames
}

/** What becomes one unit of the store. */
interface ChangeUnit {
  readonly now: number
  /** Venue time of the cause; ours when there is none. */
  readonly at: number
  /** With its change what changed of the positions is told; null: with none. */
  readonly teller: WorkingOrder | null
  readonly rows: Array<Row>
  readonly events: Array<AccountEvent>
  readonly changed: Array<{ readonly one: Consequence; readonly order: TradeOrder }>
}

/**
 * What is above the changes of orders and follows from them: the list's other orders in the same turn, the rest after a while. The one
 * place where the parts of an account need each other in a circle; given at its making and the same for all accounts.
 */
export interface Sequels {
  /** What a change of an order of a list changes in the list's other orders. Asked in the same turn. */
  readonly consequences: (core: AccountCore, working: WorkingOrder, before: TradeOrder) => ReadonlyArray<Consequence>
  /** Its list has nothing more for it to do: another leg did it, or was given up. */
  readonly isSpent: (core: AccountCore, working: WorkingOrder) => boolean
  /** The next question about the order is due. */
  readonly ask: (core: AccountCore, working: WorkingOrder) => void
  /** Asks the venue for the account's balances soon. */
  readonly askBalances: (core: AccountCore) => void
  /** Reads the order and its trades from the venue after a while: the store refused what was said of it. */
  readonly readAgain: (core: AccountCore, working: WorkingOrder, millis: number) => void
}

/** Watches over the triggers of an account's orders. */
export interface TriggerKeeper {
  readonly arm: (working: WorkingOrder) => void
  /** An order that was armed when the process ended: watched again, and what it missed is looked at. */
  readonly resume: (working: WorkingOrder) => void
  /** Off the board; `isShutdown`: how far trailing stops came is stored first. */
  readonly close: (isShutdown: boolean) => void
}

/** Watches over the lists of an account's orders. */
export interface ListKeeper {
  readonly consequences: (working: WorkingOrder, before: TradeOrder) => ReadonlyArray<Consequence>
  readonly isSpent: (working: WorkingOrder) => boolean
  /** The account is ready again: what is due is looked at. */
  readonly becameReady: () => void
}

/** Changed by `prove` alone. */
interface Proofs {
  /** Orders that wait for the next view of the venue's open orders and trades, and who judges by it (null: there was none). */
  readonly waiting: LeanMap<WorkingOrder, (seen: OpenAndFills | null) => void>
  isUnderWay: boolean
}

/** Made when they are first needed: an account without such orders has none of them. Each is set by its own file alone. */
interface Keepers {
  triggers: TriggerKeeper | null
  lists: ListKeeper | null
}

export class AccountCore {
  readonly id: TradingAccountId
  /** What was told before the account slept; null: it did not. */
  readonly rest: Rest | null
  readonly connection: Connection
  readonly outlet: AccountOutlet
  readonly orders: AccountOrders
  readonly positions: AccountPositions
  readonly balances: BalanceReadings
  readonly trades: AccountTrades
  readonly late: LateOrders
  readonly strays: Strays
  readonly names = new NameDesk(this)
  readonly quarantine = new Quarantine()
  readonly quoting = new Quoting()
  readonly waiting = new WaitingSubmits()
  readonly limits: AccountLimits
  /** Null: none of its orders leaves before it is stored. */
  readonly usedNames: UsedNames | null
  readonly keepers: Keepers = { triggers: null, lists: null }
  readonly proofs: Proofs = { waiting: new LeanMap(), isUnderWay: false }
  /** Orders that are read from the venue again after a while. */
  readonly readingAgain = new LeanSet<TradeOrderId>()
  private image: TradingAccount

  constructor(
    readonly parts: AccountParts,
    readonly self: Self<never>,
    state: AccountState,
    readonly venue: Venue,
    readonly refusals: Refusals,
    readonly sequels: Sequels,
  ) {
    const { account, ended, lastExecutionAt } = state
    const { monotonic, now } = parts.clock
    this.image = account
    this.id = account.tradingAccountId
    this.rest = parts.resting.woke(this.id, state.lastSequence)
    this.connection = new Connection(venue)
    this.outlet = new AccountOutlet(parts, self, account, new AccountImage(state, this.rest), refusals)
    const later = (millis: number, run: () => void) => self.later(millis, run)
    this.strays = new Strays(monotonic, later)
    this.orders = new AccountOrders({
      wholeOrders: parts.wholeOrders,
      ended,
      endedLately: ended !== null && ended.newestAt > now() - ENDED_MILLIS ? ended.instruments : [],
      forgottenUpTo: venue.inProcess ? Number.NEGATIVE_INFINITY : (lastExecutionAt ?? Number.NEGATIVE_INFINITY),
      monotonic,
      later,
      whenDurable: (run) => this.whenDurable(run),
      becameClear: () => this.strays.becameClear(),
    })
    this.balances = new BalanceReadings()
    const venueNow = (): number | null => this.balances.venueTimeAt(monotonic())
    this.positions = new AccountPositions(account, this.orders, this.outlet.news, venueNow, this.rest)
    this.trades = new AccountTrades(this.orders, lastExecutionAt, account.createdAt)
    this.late = new LateOrders(monotonic)
    this.limits = new AccountLimits(parts.rates, account, monotonic)
    this.usedNames = venue.followsJournal === true ? new UsedNames(this) : null
    parts.resting.keep(this.id, this)
    parts.loaded(account, state.lastSequence, this.outlet.image.awakeSince)
    for (const order of state.openOrders) this.adopt(order)
    for (const order of state.listOrders) this.adopt(order)
  }

  get account(): TradingAccount {
    return this.image
  }

  /** Wall ms of the venue's clock; of ours where it was not heard. */
  venueTime(): number {
    const { clock } = this.parts
    return this.balances.venueTimeAt(clock.monotonic()) ?? clock.now()
  }

  /** As `BalanceReadings.venueAhead`, now. */
  venueAhead(): number | undefined {
    const { clock } = this.parts
    return this.balances.venueAhead(clock.monotonic(), clock.now())
  }

  /** What is kept of it while it sleeps. */
  toRest(): Rest {
    const { sequence, awakeSince, hasPositions, held } = this.outlet.image
    return { sequence, awakeSince, hasPositions, held, told: this.positions.told }
  }

  refOf(order: TradeOrder): VenueOrderRef {
    return {
      tradeOrderId: order.tradeOrderId,
      externalOrderId: order.externalOrderId,
      instrumentId: order.instrumentId,
    }
  }

  /** An answer that names state which may not be durable yet. */
  whenDurable(run: () => void): void {
    this.parts.store.after(this.id, this.self.turn(run))
  }

  // Remembering

  /** Takes an order that the store already has into memory. */
  adopt(order: TradeOrder): WorkingOrder {
    const working = this.orders.introduce(order, true)
    if (order.held.isPositive()) this.positions.hold(working, Decimal.ZERO, order.held, 0)
    return working
  }

  /** A new order: in memory at once, `stored` when its unit is. */
  add(order: TradeOrder): WorkingOrder {
    const working = this.orders.introduce(order, false)
    if (order.held.isPositive()) this.positions.hold(working, Decimal.ZERO, order.held, order.createdAt)
    return working
  }

  /** The unit of a new order was refused by the unique index: nothing of it ever was. */
  undo(working: WorkingOrder): void {
    const { order } = working
    this.positions.hold(working, order.held, Decimal.ZERO, this.parts.clock.now())
    this.orders.forget(order.tradeOrderId)
  }

  // Changing

  /** A new image that no event tells of yet: it is stored with the order's next commit. */
  amend(working: WorkingOrder, next: TradeOrder): void {
    working.order = next
    this.orders.index(working)
  }

  /**
   * The next image of an order, its event, whatever belongs to it, and what follows for its list, as one unit. `kind` null: no event of
   * the order itself.
   */
  change(working: WorkingOrder, next: TradeOrder, kind: AccountEventKind | null, options: ChangeOptions = {}): void {
    const now = this.parts.clock.now()
    const { alerts, committed } = options
    const isReport = options.portfolio !== false
    const teller = isReport ? working : null
    const unit: ChangeUnit = { now, at: options.at ?? now, teller, rows: [], events: [], changed: [] }
    const others = options.others ?? NO_OTHERS
    this.include(unit, { live: working, next, kind, alerts, committed }, others, options.executions)
    for (let i = 0; i < others.length; i++) this.include(unit, others[i]!, others.slice(i + 1))
    if (options.rows !== undefined) unit.rows.push(...options.rows)
    // What the list's other orders hold now.
    if (unit.changed.length > 1) unit.events.push(...this.positions.changedPositions(now))
    this.outlet.commit(unit.rows, unit.events, {
      committed: () => {
        if (isReport) this.parts.failpoint.hit("report.committed")
        for (const { one, order } of unit.changed) this.changeStored(one, order)
      },
      published: () => {
        if (isReport) this.parts.failpoint.hit("report.published")
      },
    })
  }

  /** One order's change, and what follows for its list: once for all images of a list that come together, the rest of which is in `later`. */
  private include(
    unit: ChangeUnit,
    one: Consequence,
    later: ReadonlyArray<Consequence>,
    executions: ReadonlyArray<AppliedExecution> = [],
  ): void {
    const { now, rows, events } = unit
    const { news } = this.outlet
    const { before, order } = this.advance(one.live, one.next, unit.at, now, events)
    rows.push(one.by === undefined ? { _tag: "Order", order } : { _tag: "Order", order, actor: one.by })
    for (const applied of executions) {
      rows.push({ _tag: "Execution", execution: applied.execution })
      events.push(this.executed(applied, order, now))
    }
    if (one.kind !== null) events.push(news.ofOrder(one.kind, order, now))
    if (one.live === unit.teller) events.push(...this.positions.changedPositions(now))
    if (one.alerts !== undefined) for (const alert of one.alerts) events.push(news.ofAlert(alert, now))
    unit.changed.push({ one, order })
    if (
      order.orderListId === null ||
      later.some(({ live: working }) => working.order.orderListId === order.orderListId)
    )
      return
    const more = this.sequels.consequences(this, one.live, before)
    for (let i = 0; i < more.length; i++) this.include(unit, more[i]!, [...more.slice(i + 1), ...later])
  }

  private changeStored({ live: working, committed }: Consequence, order: TradeOrder): void {
    this.answerWaiters(working, order)
    if (isTerminal(order.orderStatus)) {
      for (const reply of working.cancelWaiters.splice(0)) answerClosed(order, reply)
      for (const run of working.changeWaiters.splice(0)) run({ _tag: "Ended", order })
    }
    committed?.(order)
  }

  /** The next image in memory, and the SUBMITTED event that was waiting for it. */
  private advance(working: WorkingOrder, next: TradeOrder, at: number, now: number, events: Array<AccountEvent>) {
    const before = working.order
    const order: TradeOrder = { ...next, version: before.version + 1, updatedAt: now }
    if (working.unsavedSubmit !== null) {
      events.push(this.outlet.news.ofOrder("TRADE_ORDER.SUBMITTED", working.unsavedSubmit, now))
      working.unsavedSubmit = null
    }
    working.order = order
    this.parts.meters.answered(before, order, working.knownAt, this.parts.clock.monotonic)
    this.orders.touch(working)
    if (!before.held.equals(order.held)) this.positions.hold(working, before.held, order.held, at)
    this.orders.index(working)
    if (working.watch !== null && placeOf(order) !== "ARMED") {
      working.watch.callOff()
      working.watch = null
    }
    if (working.expiry !== null && (order.expireAt === null || isTerminal(order.orderStatus))) {
      working.expiry()
      working.expiry = null
    }
    // Questions wait for each other: one of an order that is over would keep those of orders in doubt waiting. An answer that is on its way counts.
    if (isTerminal(order.orderStatus) && working.question?.isUnderWay === false) stopAsking(working)
    return { before, order }
  }

  private executed(applied: AppliedExecution, order: TradeOrder, now: number): AccountEvent {
    const { execution } = applied
    // What is inferred may have no time of the venue's.
    if (!execution.inferred) this.trades.applied(execution.executedAt)
    this.orders.own(execution)
    if (applied.replaced === null || !execution.inferred)
      this.parts.prices.note(execution.instrumentId, execution.executedPrice, execution.executedAt)
    // The snapshot and the fill carry the same instant, or nearly: only a fresh snapshot can say which came first; what is
    // inferred may have no time of the venue's at all.
    // Contracts move no assets: their margin is the venue's to say, which its stream does after each execution.
    const isKnown = isSpot(this.venue) ? this.positions.moved(applied, order) === "moved" : true
    if (!isSpot(this.venue)) this.positions.contracts.executed(applied)
    if (!isKnown || execution.inferred) this.sequels.askBalances(this)
    return this.outlet.news.ofExecution(execution, order, now)
  }

  /** The next image of the account with its event, and what goes with it. */
  saveAccount(
    patch: Partial<TradingAccount> & { readonly status: TradingAccountStatus },
    extra: {
      readonly rows?: ReadonlyArray<Row>
      readonly after?: ReadonlyArray<AccountEvent>
      readonly committed?: (account: TradingAccount) => void
      readonly published?: () => void
    } = {},
  ): void {
    const { account, now } = this.nextAccount(patch)
    // Submits are refused from now on: no list calls it ACTIVE until that is stored.
    if (account.status === "UNAVAILABLE") this.parts.accountChanged(account)
    const event = this.outlet.news.of("TRADING_ACCOUNT.UPDATED", JSON.stringify(tradingAccountRecord(account)), now)
    const { published } = extra
    this.outlet.commit([{ _tag: "Account", account }, ...(extra.rows ?? [])], [event, ...(extra.after ?? [])], {
      committed: () => {
        this.parts.accountChanged(account)
        extra.committed?.(account)
      },
      published,
    })
  }

  /** The next image of the account, without an event: its clients change it every few seconds. */
  noteAccount(patch: Pick<TradingAccount, "cancelAllAt">, committed: (account: TradingAccount) => void): void {
    const { account } = this.nextAccount(patch)
    this.outlet.commit([{ _tag: "Account", account }], [], {
      committed: () => {
        this.parts.accountChanged(account)
        committed(account)
      },
    })
  }

  private nextAccount(patch: Partial<TradingAccount>) {
    const now = this.parts.clock.now()
    this.image = { ...this.image, ...patch, version: this.image.version + 1, updatedAt: now }
    return { account: this.image, now }
  }

  // Answering

  private answerWaiters(working: WorkingOrder, order: TradeOrder): void {
    if (working.waiters.length === 0) return
    const closed = isTerminal(order.orderStatus)
    const accepted = closed || order.externalOrderId !== null || order.orderStatus === "ACCEPTED"
    const due = working.waiters.filter((it) => (it.until === "CLOSED" ? closed : accepted))
    if (due.length === 0) return
    working.waiters = working.waiters.filter((it) => !due.includes(it))
    for (const { reply, replayed } of due) reply.ok({ order, replayed })
  }
}
