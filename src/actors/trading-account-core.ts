/**
 * What one account's actor remembers, and the only two ways to change it: `change` for an order, `saveAccount` for the account.
 * Both change memory at once and hand one unit to the store; whatever leaves the actor leaves from the unit's commit callback.
 */

import { Effect } from "effect"
import type { AccountEventKind } from "../domain/account-event.ts"
import { Decimal } from "../domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import { RareMap } from "../domain/rare.ts"
import { type AppliedExecution, placeOf, type TradeOrder } from "../domain/trade-order.ts"
import { type TradingAccount, type TradingAccountStatus, tradingAccountRecord } from "../domain/trading-account.ts"
import type { Venue } from "../domain/venue.ts"
import type { Self } from "../kernel/behaviour.ts"
import type { AccountState, FoundNames, Row } from "../ports/account-store.ts"
import type { SessionReport, VenueFill, VenueOrderRef, VenueOrderState, VenueSession } from "../ports/venue-session.ts"
import type { Rest } from "./resting-accounts.ts"
import { AccountLimits } from "./trading-account-limits.ts"
import {
  answerClosed,
  type Behind,
  type ChangeOptions,
  type Consequence,
  type FillScan,
  type Live,
  newLive,
} from "./trading-account-live.ts"
import { NameDesk } from "./trading-account-names.ts"
import type { News } from "./trading-account-news.ts"
import type { AccountParts } from "./trading-account-parts.ts"
import { AccountPositions } from "./trading-account-positions.ts"
import { Quoting } from "./trading-account-quoting.ts"
import { Quarantine, type Refusals } from "./trading-account-refusals.ts"
import { Strays } from "./trading-account-strays.ts"
import { Turns } from "./turns.ts"

const QUERY_SPACING_MILLIS = 100
/** Venues list trades by their own clocks. */
export const FILLS_MARGIN_MILLIS = 60_000
/** More orders that were declared never placed are not looked for at once. */
const LATE_MAX = 20
const NO_OTHERS: ReadonlyArray<Consequence> = []

export const newestOf = (fills: ReadonlyArray<Pick<VenueFill, "executedAt">>, known: number): number =>
  fills.reduce((newest, { executedAt }) => Math.max(newest, executedAt), known)

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
  readonly teller: Live | null
  readonly rows: Array<Row>
  readonly events: Array<News>
  readonly changed: Array<{ readonly one: Consequence; readonly order: TradeOrder }>
}

/** Who watches over the account's orders. */
export interface Keepers {
  /** An order is over. */
  readonly becameOver: () => void
  /** An order that the venue shows may be one of ours. */
  readonly becameWithheld: () => void
  /** Less is in doubt of what such an order may be. */
  readonly becameClear: () => void
  /** Asks the venue about an order until the question is answered. */
  readonly look: (live: Live, why: string) => void
  /** Reads the order and its trades from the venue after a while: the store refused what was said of it. */
  readonly readAgain: (live: Live, millis: number) => void
  /** Watches the order's trigger. */
  readonly arm: (live: Live) => void
  /** As `arm`, of an order that was armed when the process ended: what it missed is looked at. */
  readonly resumeTrigger: (live: Live) => void
  /** Ends the order at its `expireAt`. */
  readonly watchExpiry: (live: Live) => void
  /** What a change of an order of a list changes in the list's other orders. Asked in the same turn. */
  readonly consequences: (live: Live, before: TradeOrder) => ReadonlyArray<Consequence>
  /** Another leg of its list may still be at the venue: what fired is not let go yet, but when that is over. */
  readonly isHeldBack: (live: Live) => boolean
  /** Its list has nothing more for it to do: another leg did it, or was given up. */
  readonly isSpent: (live: Live) => boolean
  /** The account is ready again: what waited for a session is looked at. */
  readonly becameReady: () => void
  /** Once, before anything is asked of the venue. */
  readonly resumeLists: () => void
  /** Nothing is watched any more; `isOrderly`: how far trailing stops came is stored first. */
  readonly close: (isOrderly: boolean) => void
}

export class AccountCore extends AccountPositions {
  readonly venue: Venue
  session: VenueSession | null = null
  phase: "away" | "reconciling" | "ready" = "away"
  /** The first agreement with a venue in this process is under way: a matter of one turn, so submits wait for it. */
  isWaking = false
  deferred: Array<() => void> = []
  /** Up to which change of its money from elsewhere it knows its balances: see `VenueSession.movedTo`. */
  knowsMovesTo = 0
  /** What waits for the balances to be read again; kept by `whenCurrent`. */
  readonly behind: Array<Behind> = []
  /** Runs when the account is ready, or when it will not be. */
  readonly whenReady: Array<() => void> = []
  /** Reports that wait for the end of a reconciliation. */
  buffered: Array<SessionReport> = []
  lastExecutionAt: number | null
  /** Until when the trades have been read, by the venue's clock; null in a new process. */
  fillsSeenTo: number | null = null
  /** Trades of an absence that are not all read; null: there are none. */
  fillScan: FillScan | null = null
  /** Orders that were declared never placed, oldest first; a late appearance is looked for until then (monotonic ms). */
  readonly watched = new RareMap<TradeOrderId, { readonly until: number; readonly instrumentId: InstrumentId }>()
  /** Orders that are over here and that the venue has shown open since, and when (monotonic ms) it did so last. */
  readonly leftThere = new RareMap<Live, number>()
  /** Orders that wait for the next view of the venue's open orders and trades, and who judges by it (null: there was none). */
  readonly awaitingProof = new RareMap<Live, (seen: OpenAndFills | null) => void>()
  isProving = false
  /** Monotonic ms of the newest question for all balances whose answer could be read to the end. */
  balancesAskedAt = Number.NEGATIVE_INFINITY
  /** When (monotonic ms) the newest view of all balances was asked for, and when any was last seen to be another. */
  balancesSeenAt = Number.NEGATIVE_INFINITY
  balancesMovedAt = Number.NEGATIVE_INFINITY
  /** When (monotonic ms) an order of each instrument was last touched. */
  private readonly touched = new RareMap<InstrumentId, number>()
  readonly strays = new Strays()
  /** What the venue's clock said, and when (monotonic ms) that was heard; null: it was not. Ours may be hours off, and is set. */
  venueClock: { readonly at: number; readonly heardAt: number } | null = null
  /** Asks the venue for its balances soon; set by the session's keeper. */
  askBalances: () => void = () => undefined
  readonly keepers: Keepers
  readonly names = new NameDesk(this)
  readonly quarantine = new Quarantine()
  readonly quoting = new Quoting()
  readonly limits: AccountLimits
  private readonly queries = new Turns()
  private readonly lists = new Turns()

  constructor(
    parts: AccountParts,
    self: Self<never>,
    state: AccountState,
    venue: Venue,
    refusals: Refusals,
    keepersOf: (core: AccountCore) => Keepers,
  ) {
    super(parts, self, state, refusals)
    this.venue = venue
    this.keepers = keepersOf(this)
    this.limits = new AccountLimits(parts.rates, state.account, parts.clock.monotonic)
    this.lastExecutionAt = state.lastExecutionAt
    if (!venue.inProcess && state.lastExecutionAt !== null) this.forgottenUpTo = state.lastExecutionAt
    parts.resting.keep(this.id, this)
    parts.loaded(state.account, state.lastSequence, this.image.awakeSince)
    for (const order of state.openOrders) this.adopt(order)
    for (const order of state.listOrders) this.adopt(order)
  }

  /** What is kept of it while it sleeps. */
  toRest(): Rest {
    const { sequence, awakeSince, hasPositions, held } = this.image
    return { sequence, awakeSince, hasPositions, held, told: this.told }
  }

  // Keeping watch

  protected override becameOver(): void {
    this.keepers.becameOver()
  }

  protected override becameClear(): void {
    if (this.strays.hasWithheld) this.keepers.becameClear()
  }

  becameWithheld(): void {
    this.keepers.becameWithheld()
  }

  look(live: Live, why: string): void {
    this.keepers.look(live, why)
  }

  readAgain(live: Live, millis: number): void {
    this.keepers.readAgain(live, millis)
  }

  arm(live: Live): void {
    this.keepers.arm(live)
  }

  watchExpiry(live: Live): void {
    this.keepers.watchExpiry(live)
  }

  isHeldBack(live: Live): boolean {
    return this.keepers.isHeldBack(live)
  }

  refOf(order: TradeOrder): VenueOrderRef {
    return {
      tradeOrderId: order.tradeOrderId,
      externalOrderId: order.externalOrderId,
      instrumentId: order.instrumentId,
    }
  }

  /**
   * From when trades must be fetched so that none is missed: the newest applied, the newest of the last whole look, and the life of orders
   * that ended just before the newest activity (an order that ended by our cancel says nothing about its last fills). Wall ms.
   */
  fillsSince(): number {
    const seenTo = this.fillsSeenTo ?? Number.MAX_SAFE_INTEGER
    const since = Math.min(this.lastExecutionAt ?? this.account.createdAt, seenTo, this.ended.since(this.newestEnded()))
    return since - FILLS_MARGIN_MILLIS
  }

  /** All trades since then were read, `fills` among them. Our clock says nothing of how far that is by the venue's. */
  sawFills(since: number, fills: ReadonlyArray<Pick<VenueFill, "executedAt">>): void {
    this.fillsSeenTo = newestOf(fills, since + FILLS_MARGIN_MILLIS)
  }

  // Remembering

  /** Takes an order that the store already has into memory. */
  adopt(order: TradeOrder): Live {
    const live = this.introduce(order, true)
    if (order.held.isPositive()) this.hold(live, Decimal.ZERO, order.held, 0)
    return live
  }

  /** A new order: in memory at once, `stored` when its unit is. */
  add(order: TradeOrder): Live {
    const live = this.introduce(order, false)
    if (order.held.isPositive()) this.hold(live, Decimal.ZERO, order.held, order.createdAt)
    return live
  }

  /** The unit of a new order was refused by the unique index: nothing of it ever was. */
  undo(live: Live): void {
    const { order } = live
    this.hold(live, order.held, Decimal.ZERO, this.parts.clock.now())
    this.forget(order.tradeOrderId)
  }

  /** Something was heard of it, or done with it. */
  touch(live: Live): void {
    const now = this.parts.clock.monotonic()
    live.touchedAt = now
    this.touched.set(live.order.instrumentId, now)
  }

  /** Of those that were declared never placed. */
  newestWatched() {
    return [...this.watched].slice(-LATE_MAX)
  }

  /** Instruments of orders that were touched since, also of those that are out of memory. */
  touchedSince(monotonic: number): ReadonlyArray<InstrumentId> {
    return [...this.touched].filter(([, at]) => at >= monotonic).map(([instrumentId]) => instrumentId)
  }

  private introduce(order: TradeOrder, stored: boolean): Live {
    const now = this.parts.clock.monotonic()
    this.touched.set(order.instrumentId, now)
    const live = newLive(order, stored, now)
    this.index(live)
    return live
  }

  // Changing

  /** A new image that no event tells of yet: it is stored with the order's next commit. */
  amend(live: Live, next: TradeOrder): void {
    live.order = next
    this.index(live)
  }

  /**
   * The next image of an order, its event, whatever belongs to it, and what follows for its list, as one unit. `kind` null: no event of
   * the order itself.
   */
  change(live: Live, next: TradeOrder, kind: AccountEventKind | null, options: ChangeOptions = {}): void {
    const now = this.parts.clock.now()
    const { alerts, committed } = options
    const isReport = options.portfolio !== false
    const teller = isReport ? live : null
    const unit: ChangeUnit = { now, at: options.at ?? now, teller, rows: [], events: [], changed: [] }
    const others = options.others ?? NO_OTHERS
    this.include(unit, { live, next, kind, alerts, committed }, others, options.executions)
    for (let i = 0; i < others.length; i++) this.include(unit, others[i]!, others.slice(i + 1))
    if (options.rows !== undefined) unit.rows.push(...options.rows)
    // What the list's other orders hold now.
    if (unit.changed.length > 1) unit.events.push(...this.changedPositions(now))
    this.commit(unit.rows, unit.events, {
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
    const { before, order } = this.advance(one.live, one.next, unit.at, now, events)
    rows.push({ _tag: "Order", order })
    for (const applied of executions) {
      rows.push({ _tag: "Execution", execution: applied.execution })
      events.push(this.executed(applied, order, now))
    }
    if (one.kind !== null) events.push(this.news.ofOrder(one.kind, order, now))
    if (one.live === unit.teller) events.push(...this.changedPositions(now))
    if (one.alerts !== undefined) for (const alert of one.alerts) events.push(this.news.ofAlert(alert, now))
    unit.changed.push({ one, order })
    if (order.orderListId === null || later.some(({ live }) => live.order.orderListId === order.orderListId)) return
    const more = this.keepers.consequences(one.live, before)
    for (let i = 0; i < more.length; i++) this.include(unit, more[i]!, [...more.slice(i + 1), ...later])
  }

  private changeStored({ live, committed }: Consequence, order: TradeOrder): void {
    this.answerWaiters(live, order)
    if (isTerminal(order.orderStatus)) {
      for (const reply of live.cancelWaiters.splice(0)) answerClosed(order, reply)
      for (const run of live.changeWaiters.splice(0)) run({ _tag: "Ended", order })
    }
    committed?.(order)
  }

  /** The next image in memory, and the SUBMITTED event that was waiting for it. */
  private advance(live: Live, next: TradeOrder, at: number, now: number, events: Array<News>) {
    const before = live.order
    const order: TradeOrder = { ...next, version: before.version + 1, updatedAt: now }
    if (live.unsavedSubmit !== null) {
      events.push(this.news.ofOrder("TRADE_ORDER.SUBMITTED", live.unsavedSubmit, now))
      live.unsavedSubmit = null
    }
    live.order = order
    this.parts.meters.answered(before, order, live.knownAt, this.parts.clock.monotonic)
    this.touch(live)
    if (!before.held.equals(order.held)) this.hold(live, before.held, order.held, at)
    this.index(live)
    if (live.watch !== null && placeOf(order) !== "ARMED") {
      live.watch.callOff()
      live.watch = null
    }
    if (live.expiry !== null && (order.expireAt === null || isTerminal(order.orderStatus))) {
      live.expiry()
      live.expiry = null
    }
    return { before, order }
  }

  private executed(applied: AppliedExecution, order: TradeOrder, now: number): News {
    const { execution } = applied
    // What is inferred may have no time of the venue's.
    if (!execution.inferred) this.lastExecutionAt = Math.max(this.lastExecutionAt ?? 0, execution.executedAt)
    this.own(execution)
    if (applied.replaced === null || !execution.inferred)
      this.parts.prices.note(execution.instrumentId, execution.executedPrice, execution.executedAt)
    // The snapshot and the fill carry the same instant, or nearly: only a fresh snapshot can say which came first; what is
    // inferred may have no time of the venue's at all.
    if (this.moved(applied, order) === "contained" || execution.inferred) this.askBalances()
    return this.news.ofExecution(execution, order, now)
  }

  /** The next image of the account with its event, and what goes with it. */
  saveAccount(
    patch: Partial<TradingAccount> & { readonly status: TradingAccountStatus },
    extra: {
      readonly rows?: ReadonlyArray<Row>
      readonly after?: ReadonlyArray<News>
      readonly committed?: (account: TradingAccount) => void
      readonly published?: () => void
    } = {},
  ): void {
    const now = this.parts.clock.now()
    const account: TradingAccount = { ...this.account, ...patch, version: this.account.version + 1, updatedAt: now }
    this.account = account
    // Submits are refused from now on: no list calls it ACTIVE until that is stored.
    if (account.status === "UNAVAILABLE") this.parts.accountChanged(account)
    const event = this.news.of("TRADING_ACCOUNT.UPDATED", JSON.stringify(tradingAccountRecord(account)), now)
    const { published } = extra
    this.commit([{ _tag: "Account", account }, ...(extra.rows ?? [])], [event, ...(extra.after ?? [])], {
      committed: () => {
        this.parts.accountChanged(account)
        extra.committed?.(account)
      },
      published,
    })
  }

  // Asking and answering

  /** A question to the venue: one at a time and 100 ms apart, unless the venue is in this process (contract C3). */
  budget<A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E> {
    if (this.venue.inProcess) return question
    return this.queries.run(Effect.ensuring(question, Effect.sleep(QUERY_SPACING_MILLIS)))
  }

  /** A question for a list. They have a turn of their own: where audits wait at the venue's budget, no order in doubt waits with them. */
  listing<A, E>(question: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return this.venue.inProcess ? question : this.lists.run(question)
  }

  answerWaiters(live: Live, order: TradeOrder): void {
    if (live.waiters.length === 0) return
    const closed = isTerminal(order.orderStatus)
    const accepted = closed || order.externalOrderId !== null || order.orderStatus === "ACCEPTED"
    const due = live.waiters.filter((it) => (it.until === "CLOSED" ? closed : accepted))
    if (due.length === 0) return
    live.waiters = live.waiters.filter((it) => !due.includes(it))
    for (const { reply, replayed } of due) reply.ok({ order, replayed })
  }
}
