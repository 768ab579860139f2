/**
 * What must hold of an account's calls at its venue: nothing leaves before it is stored, nothing that is over or being cancelled is sent,
 * what was asked for while away is sent when the session is back, and a reconciliation leaves no open order out.
 */
import type { TradeOrderId } from "../../../src/domain/ids.ts"
import { changeOf } from "../../../src/domain/order/change.ts"
import { isTerminal } from "../../../src/domain/order/status.ts"
import { placeOf, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Unit } from "../../../src/ports/account-store.ts"
import type { VenueCall } from "../accounts.ts"
import { Readiness } from "../readiness.ts"
import { orderKey, shownKey } from "../venue/exchange.ts"
import { AgreementChecks } from "./agreement.ts"
import { BalanceChecks } from "./balances.ts"
import { ContractChecks } from "./contracts.ts"
import { GivenUpChecks } from "./given-up.ts"
import { UnheardTrades } from "./unheard.ts"
import type { AccountView } from "./view.ts"

/** So long a question may wait for its turn: other questions, and answers that take long. */
const TURN_MILLIS = 3_000
const SPACING_MILLIS = 300

interface Comparison {
  readonly at: number
  /** Open orders that the venue's list did not show under a name that was stored. */
  readonly hidden: ReadonlyArray<TradeOrderId>
  /** What it showed, by the venue's id. */
  readonly shown: ReadonlySet<string>
}

export class CallChecks {
  /** When each order was asked for, last. */
  private readonly askedAt = new Map<TradeOrderId, number>()
  /** The venue's id of each order, as the answer about it said: also of one whose row does not have it yet. */
  private readonly names = new Map<TradeOrderId, string>()
  private readonly cancelled = new Set<TradeOrderId>()
  /** By any process. */
  private readonly sent = new Set<TradeOrderId>()
  /** Orders whose cancel was stored when there was no session, and that the next one must send. */
  private owed: ReadonlyArray<TradeOrderId> = []
  /** Of the newest list by which the account agrees with its venue. */
  private comparison: Comparison | null = null
  /** Those by which it agreed, in its own memory: what it tells of them may wait for a slow store. */
  private readonly agreed: Array<Comparison> = []
  /** Orders of a comparison that are still to be asked for, until when. */
  private due: { readonly at: number; readonly until: number; readonly orders: Set<TradeOrderId> } | null = null
  private restarts = 0
  /** Of the newest trade that was heard, by the venue's clock; and whether balances told since may lack it. */
  private executedAt = Number.NEGATIVE_INFINITY
  areBalancesUnsure = true
  private readonly balances: BalanceChecks
  private readonly contracts: ContractChecks
  private readonly givenUp: GivenUpChecks
  readonly unheard: UnheardTrades
  /** In the order in which they are told. */
  private readonly parts: ReadonlyArray<Pick<GivenUpChecks, "processStarted" | "call" | "handedOver">>

  constructor(private readonly view: AccountView) {
    const readiness = new Readiness(view)
    this.balances = new BalanceChecks(view, readiness)
    this.contracts = new ContractChecks(view, readiness)
    this.givenUp = new GivenUpChecks(view, readiness)
    this.unheard = new UnheardTrades(view, readiness)
    this.parts = [readiness, new AgreementChecks(view), this.balances, this.contracts, this.givenUp, this.unheard]
  }

  processStarted(): void {
    for (const part of this.parts) part.processStarted()
    this.areBalancesUnsure = true
    this.askedAt.clear()
    this.names.clear()
    this.cancelled.clear()
    this.owed = []
    this.comparison = null
    this.agreed.length = 0
    this.due = null
    this.restarts = 0
  }

  private restarted(): boolean {
    const { world } = this.view
    const { restarts } = world
    if (restarts === this.restarts) return false
    this.restarts = restarts
    return true
  }

  private atVenue(): ReadonlyArray<TradeOrder> {
    return this.view.rows().filter((it) => !isTerminal(it.orderStatus) && placeOf(it) === "VENUE")
  }

  /** A unit on its way to the store. */
  handedOver(unit: Unit): void {
    for (const part of this.parts) part.handedOver(unit)
    if (this.comparison !== null && unit.events.some((it) => it.kind === "TRADING_ACCOUNT.RECONCILED"))
      this.agreed.push(this.comparison)
  }

  call(call: VenueCall): void {
    for (const part of this.parts) part.call(call)
    const { view } = this
    const now = view.world.time.now
    switch (call._tag) {
      case "Opened":
        this.comparison = null
        this.agreed.length = 0
        this.due = null
        this.owed = this.atVenue()
          .filter((it) => it.cancelRequested && !this.cancelled.has(it.tradeOrderId))
          .map((it) => it.tradeOrderId)
        return
      case "Closed":
        this.owed = []
        this.due = null
        return
      case "Prepare":
        if (this.sent.has(call.tradeOrderId) || view.row(call.tradeOrderId) !== undefined)
          view.say(`prepare of ${call.tradeOrderId} that is stored, or was sent`)
        return
      case "Submit":
        this.sent.add(call.tradeOrderId)
        return this.submitted(call.tradeOrderId)
      case "Cancel":
        this.cancelled.add(call.tradeOrderId)
        return this.cancels(call.tradeOrderId)
      case "Amend": {
        const row = view.row(call.tradeOrderId)
        if (row === undefined || changeOf(row) === null)
          view.say(`amend of ${call.tradeOrderId} sent before it is stored`)
        return
      }
      case "AskedOrder":
        this.askedAt.set(call.tradeOrderId, now)
        this.due?.orders.delete(call.tradeOrderId)
        return
      case "ToldOrder":
        if (call.lookup._tag === "Found") this.names.set(call.tradeOrderId, shownKey(call.lookup.state))
        return
      case "ToldBalances":
        // Taken for newer than the trade, and older.
        this.areBalancesUnsure = this.executedAt >= call.at - view.world.venue.traits.balancesLagMillis
        return
      case "Heard":
        if (call.report._tag !== "Filled") return
        this.executedAt = Math.max(this.executedAt, call.report.fill.executedAt)
        return
      case "ToldOpen": {
        if (!call.isOpening) return
        const shown = new Set(call.open.map(shownKey))
        const ours = new Set(call.open.map((it) => it.tradeOrderId))
        // What was let go, and waits for a slow commit, has not left.
        const hidden = this.atVenue().filter(
          (it) =>
            (it.externalOrderId !== null || this.sent.has(it.tradeOrderId)) &&
            !ours.has(it.tradeOrderId) &&
            (it.externalOrderId === null || !shown.has(orderKey(it.instrumentId, it.externalOrderId))),
        )
        this.comparison = { at: now, hidden: hidden.map((it) => it.tradeOrderId), shown }
      }
    }
  }

  private submitted(id: TradeOrderId): void {
    const { view } = this
    const row = view.row(id)
    if (row === undefined) return view.say(`sent before it is stored: ${id}`)
    if (isTerminal(row.orderStatus)) view.say(`sent although it is ${row.orderStatus}: ${id}`)
    else if (row.cancelRequested) view.say(`sent although it is being cancelled: ${id}`)
    const status = view.status()
    if (status === "LOCKED" || status === "DISCONNECTED") view.say(`sent while the account is ${status}: ${id}`)
  }

  private cancels(id: TradeOrderId): void {
    const row = this.view.row(id)
    // One that is over by our word, and shows up, is cancelled without a request.
    const isAsked = row !== undefined && (row.cancelRequested || changeOf(row) !== null || isTerminal(row.orderStatus))
    if (!isAsked) this.view.say(`cancel of ${id} sent before it is stored`)
  }

  /** The account told that it agrees with its venue. */
  reconciled(): void {
    const { view } = this
    // Stored as the process's last: the next one sends it.
    if (view.world.memory.hasDied()) return
    for (const id of this.owed) {
      const row = view.row(id)
      const isOpen = row !== undefined && !isTerminal(row.orderStatus) && row.cancelRequested
      if (isOpen && !this.cancelled.has(id)) view.say(`the cancel of ${id}, asked for while away, was not sent`)
    }
    this.owed = []
    const comparison = this.agreed.shift()
    if (comparison === undefined) return
    const { hidden, shown } = comparison
    const isShown = (id: TradeOrderId): boolean => shown.has(this.names.get(id) ?? "")
    const orders = new Set(hidden.filter((id) => (this.askedAt.get(id) ?? 0) < comparison.at && !isShown(id)))
    const until = view.world.time.now + TURN_MILLIS + SPACING_MILLIS * this.atVenue().length
    this.due = { at: comparison.at, until, orders }
  }

  safety(): void {
    this.balances.safety()
    this.contracts.safety()
    this.givenUp.safety()
    const { view, due } = this
    const { world } = view
    if (this.restarted()) {
      this.due = null
      this.owed = []
      return
    }
    if (due === null || world.time.now <= due.until) return
    this.due = null
    if (world.status(view.id) !== "ACTIVE" || !world.inSession.has(view.id)) return
    for (const id of due.orders) {
      const row = view.row(id)
      if (row !== undefined && !isTerminal(row.orderStatus) && placeOf(row) === "VENUE")
        view.say(`${id} is open, was not among the venue's open orders, and was not asked for`)
    }
  }
}
