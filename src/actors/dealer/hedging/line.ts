/**
 * The hedging of one pair: what is open, which hedges are working, when the next one is sent. The one thing to know: at most one hedge of a pair
 * is working, including one in doubt; and what a hedge in doubt at an account that can no longer be queried may have executed is carried, so that
 * no exposure is hedged twice.
 */
import type { HedgeIntent } from "../../../domain/dealer/dealer.ts"
import type { HedgeInDoubt, HedgeReport } from "../../../domain/dealer/hedging/hedge-report.ts"
import {
  countedOf,
  exposureOf,
  type HedgeProgress,
  type HedgeState,
  type HedgeTotals,
  type HedgeVerdict,
  hedgeStateOf,
  noTotals,
  restOf,
  type Span,
  sideOf,
  spanOf,
  surelyOpen,
  withIntent,
  withProgress,
} from "../../../domain/dealer/hedging/hedging.ts"
import { IntentQueue, type OpenIntents } from "../../../domain/dealer/hedging/intent-queue.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { HedgeIntentId, InstrumentId, TradeOrderId, TradingAccountId } from "../../../domain/ids.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import { LeanMap, LeanSet } from "../../../foundation/lean.ts"
import { HEDGES_KEPT, type StoredHedge, type StoredHedges } from "../../../ports/hedge-store.ts"
import type { Owing } from "./place.ts"

/** A line with nothing on it. */
export const emptyLine = (baseAsset: string, quoteAsset: string): StoredHedges => ({
  baseAsset,
  quoteAsset,
  totals: noTotals(baseAsset),
  intents: [],
  sent: new Map(),
  hedges: [],
})

const storedOf = (order: TradeOrder): StoredHedge => ({
  tradeOrderId: order.tradeOrderId,
  tradingAccountId: order.tradingAccountId,
  version: order.version,
  isOver: isTerminal(order.orderStatus),
  orderSide: order.orderSide,
  executedQuantity: order.executedQuantity,
  executedCost: order.executedCost,
  fees: order.fees,
  baseQuantity: order.baseQuantity,
  isInDoubt: order.doubt !== null,
  createdAt: order.createdAt,
  updatedAt: order.updatedAt,
  verdict: null,
})

/** What an image of a hedge means: null, it is older than what is known. */
export type Heard = { readonly hasFilled: boolean; readonly hasEnded: boolean } | null

/** Why something is open that should not be. */
export interface HedgeTrouble {
  readonly message: string
  /** The hedge that it is about; null: none left. */
  readonly tradeOrderId: TradeOrderId | null
}

export class HedgeLine {
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  totals: HedgeTotals
  /** Why the newest attempt closed nothing, or not all. */
  trouble: HedgeTrouble | null = null
  /** 1 before the first of a round. */
  attempt = 1
  /** Rounds of attempts that failed since the exposure was last closed or reduced. */
  rounds = 0
  /** This round has been to the market already. */
  wasAtMarket = false
  /** How many attempts in a row were refused for good. */
  refusals = 0
  /** What a venue has found too small, although its listing says otherwise; null: nothing. */
  tooSmall: { readonly instrumentId: InstrumentId; readonly quantity: Decimal; readonly until: number } | null = null
  /**
   * What is open is less than the venue takes, as its listing or only its refusal says; not known again after whatever changed it, so that nothing
   * large is taken for dust.
   */
  dust: "NONE" | "LISTED" | "LEARNED" = "NONE"
  readonly #intents: IntentQueue
  readonly #sent: Map<HedgeIntentId, number>
  /** In order of their making. */
  readonly #hedges = new LeanMap<TradeOrderId, StoredHedge>()
  /** Of which more may be heard. */
  readonly #open = new LeanSet<TradeOrderId>()
  /** Accounts whose hedges executed more than was owed, and since when, in order of time, for as long as that is open. */
  readonly #tooMuch = new Map<TradingAccountId, number>()

  /** `canAsk`: whether the account can still say what became of its orders. */
  constructor(
    stored: StoredHedges,
    private readonly canAsk: (account: TradingAccountId) => boolean,
  ) {
    this.baseAsset = stored.baseAsset
    this.quoteAsset = stored.quoteAsset
    this.symbol = `${stored.baseAsset}/${stored.quoteAsset}`
    this.totals = stored.totals
    this.#intents = new IntentQueue(stored.intents)
    this.#sent = new Map(stored.sent)
    for (const hedge of stored.hedges) this.#remember(hedge)
  }

  /** What is to be bought; below zero: to be sold. What hedges in doubt may have executed is in it. */
  get exposure(): Decimal {
    return exposureOf(this.totals)
  }

  /** Between what it is if all that is carried was executed, and if none of it was. */
  get span(): Span {
    return this.#spanWith(this.#carried())
  }

  /** The same of all that is not over: what is at work, or in doubt at an account that can be asked, may have executed more than is known. */
  get risk(): Span {
    return this.#spanWith(this.#unsettled())
  }

  /** What of the exposure is there whatever hedges that are carried executed: that much is hedged. */
  get due(): Decimal {
    return surelyOpen(this.span)
  }

  /** The executed quotes that make up the exposure, oldest first. */
  open(): OpenIntents {
    return this.#intents.open(this.exposure)
  }

  /** The executed quotes that the next hedge is for, oldest first. */
  openDue(): OpenIntents {
    return this.#intents.open(this.due)
  }

  get isAccumulating(): boolean {
    return this.dust !== "NONE"
  }

  isAtWork(): boolean {
    return this.#atWork().length > 0
  }

  isCarrying(): boolean {
    return this.#carried().length > 0
  }

  /** A hedge is there of which more may be heard. */
  hasHedgeOn(account: TradingAccountId): boolean {
    return this.#unsettled().some(({ tradingAccountId }) => tradingAccountId === account)
  }

  find(id: TradeOrderId): StoredHedge | undefined {
    return this.#hedges.get(id)
  }

  /** An admin has said what it executed: the line has gone on without its end. */
  isResolved(id: TradeOrderId): boolean {
    return this.#hedges.get(id)?.verdict != null
  }

  /** Hedges whose outcome is not known, the oldest first. */
  inDoubt(): ReadonlyArray<HedgeInDoubt> {
    return this.#unsettled()
      .filter((hedge) => hedge.isInDoubt || !this.canAsk(hedge.tradingAccountId))
      .map((hedge) => ({ ...hedge, quantity: restOf(hedge), isCarried: !this.canAsk(hedge.tradingAccountId) }))
  }

  /** The newest executed quote. */
  newest(): HedgeIntent | undefined {
    return this.#intents.newest()
  }

  /** In whose name the next hedge leaves: the oldest quote that it is for; where hedges executed too much, the newest there was. */
  lead(open = this.openDue()): HedgeIntent | undefined {
    return open.first?.intent ?? this.newest()
  }

  owing(): Owing {
    const open = this.openDue()
    return { lead: this.lead(open), venues: open.venues, executors: this.executors(open) }
  }

  /**
   * Accounts whose hedges executed more than was owed, the newest first. Which they were a new process does not know: where no quote is open
   * any that it knows of may be.
   */
  executors(open = this.openDue()): ReadonlyArray<TradingAccountId> {
    const { due } = this
    if (due.isZero() || (this.#tooMuch.size === 0 && open.size > 0)) return []
    const known = this.#opposite().map(({ tradingAccountId }) => tradingAccountId)
    return [...new Set(this.#tooMuch.size > 0 ? this.#tooMuch.keys() : known)].reverse()
  }

  /** Number of the next hedge in this intent's name: part of its key, so that it is the same after a restart. */
  nextNumber({ hedgeIntentId }: HedgeIntent): number {
    return (this.#sent.get(hedgeIntentId) ?? 0) + 1
  }

  owe(intent: HedgeIntent): void {
    if (this.#intents.has(intent.hedgeIntentId)) return
    // What was too little for an order goes with what comes.
    if (this.isAccumulating) this.#tooMuch.clear()
    this.#become(withIntent(this.totals, intent))
    this.#intents.add(intent)
    this.#forgetClosed()
  }

  /** A hedge in this intent's name is stored: the next one has another key. */
  sent({ hedgeIntentId }: HedgeIntent, number: number): void {
    this.#sent.set(hedgeIntentId, Math.max(number, this.#sent.get(hedgeIntentId) ?? 0))
  }

  /** A hedge that is over and was forgotten, as the sums have it: as it was before this image. */
  recall(order: TradeOrder, before: HedgeProgress): void {
    this.#remember({ ...storedOf(order), ...before, version: order.version - 1 })
  }

  /** An image of a hedge, once it is durable. `isNew`: it may be heard of for the first time. */
  hear(order: TradeOrder, isNew: boolean): Heard {
    const { tradeOrderId, version } = order
    const known = this.#hedges.get(tradeOrderId)
    if (known !== undefined && known.version >= version) return null
    // Those that are not over are all in memory, and of others what they counted as is asked for first.
    if (known === undefined && !isNew)
      throw new Error(`hedge ${tradeOrderId} is not in memory: the line is read again from the database`)
    const told = { ...storedOf(order), verdict: known?.verdict ?? null }
    this.#count(known, told)
    return {
      hasFilled: told.executedQuantity.greaterThan(known?.executedQuantity ?? Decimal.ZERO),
      hasEnded: told.isOver && known?.isOver !== true,
    }
  }

  /** What an admin says of a hedge; it counts until the venue says more. */
  resolve(id: TradeOrderId, verdict: HedgeVerdict): void {
    const known = this.#hedges.get(id)
    if (known !== undefined) this.#count(known, { ...known, verdict })
  }

  /** `now`: wall ms. */
  report(mid: Decimal | null, isAsking: boolean, now: number): HedgeReport {
    const since = this.since()
    return {
      symbol: this.symbol,
      state: this.state(isAsking),
      totals: this.totals,
      open: this.open(),
      openHedges: this.#atWork().map(({ tradeOrderId }) => tradeOrderId),
      inDoubt: this.inDoubt(),
      span: this.span,
      ageMillis: since === null ? null : Math.max(0, now - since),
      at: now,
      mid,
      trouble: this.exposure.isZero() || this.trouble === null ? null : this.trouble.message,
    }
  }

  /** Since when something is open or in doubt, wall ms; null: nothing is. */
  since(): number | null {
    const times = [
      this.open().first?.intent.createdAt,
      this.#tooMuchSince(),
      ...this.inDoubt().map(({ createdAt }) => createdAt),
    ]
    const known = times.filter((it) => it != null)
    return known.length === 0 ? null : Math.min(...known)
  }

  /** Since when hedges have executed more than was owed, at the latest; null: they have not. */
  #tooMuchSince(): number | null {
    if (this.executors().length === 0) return null
    if (this.#tooMuch.size > 0) return Math.min(...this.#tooMuch.values())
    return Math.max(...this.#opposite().map(({ updatedAt }) => updatedAt))
  }

  /** Hedges that have executed on the other side than what is open is closed on. */
  #opposite(): ReadonlyArray<StoredHedge> {
    const side = sideOf(this.due)
    return [...this.#hedges.values()].filter((it) => it.orderSide !== side && it.executedQuantity.isPositive())
  }

  /** Nothing of what went before counts any more. */
  beginAnew(): void {
    this.attempt = 1
    this.rounds = 0
    this.wasAtMarket = false
    this.refusals = 0
    this.trouble = null
  }

  state(isAsking: boolean): HedgeState {
    const atWork = this.#atWork()
    return hedgeStateOf({
      isAsking,
      atWork: atWork.some(({ isInDoubt }) => isInDoubt) ? "IN_DOUBT" : atWork.length > 0 ? "WORKING" : "NONE",
      open: this.due.isZero() ? "NOTHING" : this.isAccumulating ? "DUST" : "SOME",
      isCarrying: this.isCarrying(),
      hasFailed: this.rounds > 0,
    })
  }

  /** Of which more may be heard, and of which no admin has spoken. */
  #unsettled(): ReadonlyArray<StoredHedge> {
    return [...this.#open].map((id) => this.#hedges.get(id)!).filter(({ verdict }) => verdict === null)
  }

  #atWork(): ReadonlyArray<StoredHedge> {
    return this.#unsettled().filter(({ tradingAccountId }) => this.canAsk(tradingAccountId))
  }

  /** Left at accounts that can be asked no longer. */
  #carried(): ReadonlyArray<StoredHedge> {
    return this.#unsettled().filter(({ tradingAccountId }) => !this.canAsk(tradingAccountId))
  }

  #spanWith(hedges: ReadonlyArray<StoredHedge>): Span {
    return spanOf(
      this.exposure,
      hedges.map((hedge) => ({ orderSide: hedge.orderSide, rest: restOf(hedge) })),
    )
  }

  #count(before: StoredHedge | undefined, now: StoredHedge): void {
    const counted = (hedge: StoredHedge): HedgeProgress => countedOf(hedge, hedge.isOver, hedge.verdict)
    const exposed = this.exposure
    this.#become(withProgress(this.totals, before === undefined ? null : counted(before), counted(now)))
    const { exposure } = this
    const isMore = exposure
      .abs()
      .greaterThan(exposed.isNegative() === exposure.isNegative() ? exposed.abs() : Decimal.ZERO)
    if (isMore && sideOf(exposure) !== now.orderSide) {
      const since = this.#tooMuch.get(now.tradingAccountId) ?? now.updatedAt
      this.#tooMuch.delete(now.tradingAccountId)
      this.#tooMuch.set(now.tradingAccountId, since)
    }
    this.#remember(now)
    this.#forgetClosed()
  }

  #become(totals: HedgeTotals): void {
    const before = this.exposure
    this.totals = totals
    this.dust = "NONE"
    const { exposure } = this
    if (exposure.isZero() || exposure.isNegative() !== before.isNegative()) this.#tooMuch.clear()
  }

  #remember(hedge: StoredHedge): void {
    const { tradeOrderId } = hedge
    this.#hedges.set(tradeOrderId, hedge)
    if (hedge.isOver) this.#open.delete(tradeOrderId)
    else this.#open.add(tradeOrderId)
    if (this.#hedges.size <= HEDGES_KEPT) return
    for (const [id, { isOver }] of this.#hedges) {
      if (!isOver) continue
      this.#hedges.delete(id)
      break
    }
  }

  /** Those that make up the exposure stay, whatever unsettled hedges executed, and the newest. */
  #forgetClosed(): void {
    this.#intents.forgetClosed(this.risk)
    for (const id of this.#sent.keys()) if (!this.#intents.has(id)) this.#sent.delete(id)
  }
}
