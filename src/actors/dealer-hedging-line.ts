/**
 * The hedging of one pair: what is open, which hedges are at work, when the next one leaves. The one thing to know: there is never more
 * than one hedge of a pair that is not over, its outcome in doubt included, so that no exposure is ever closed twice.
 */
import type { HedgeIntent } from "../domain/dealer.ts"
import { Decimal } from "../domain/decimal.ts"
import type { HedgeReport, HedgeState } from "../domain/hedge-report.ts"
import {
  exposureOf,
  type HedgeProgress,
  type HedgeTotals,
  noTotals,
  type OpenIntent,
  openIntents,
  withIntent,
  withProgress,
} from "../domain/hedging.ts"
import type { HedgeIntentId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { TradeOrder } from "../domain/trade-order.ts"
import { HEDGES_KEPT, type StoredHedge, type StoredHedges } from "../ports/hedge-store.ts"

/** A line with nothing on it. */
export const emptyLine = (baseAsset: string, quoteAsset: string): StoredHedges => ({
  baseAsset,
  quoteAsset,
  totals: noTotals(baseAsset),
  intents: [],
  sent: new Map(),
  hedges: [],
})

const progressOf = (order: TradeOrder): HedgeProgress => ({
  orderSide: order.orderSide,
  executedQuantity: order.executedQuantity,
  executedCost: order.executedCost,
  fees: order.fees,
})

/** What an image of a hedge means: null, it is older than what is known. */
export type Heard = { readonly hasFilled: boolean; readonly hasEnded: boolean } | null

export class HedgeLine {
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  totals: HedgeTotals
  /** Why the newest attempt closed nothing. */
  trouble: string | null = null
  /** 1 before the first of a round. */
  attempt = 1
  /** Rounds of attempts that failed since the exposure was last closed or reduced. */
  rounds = 0
  /** This round has been to the market already. */
  wasAtMarket = false
  isAlerted = false
  /** The exposure is smaller than the venue takes. */
  isAccumulating = false
  newestHedge: TradeOrderId | null = null
  #intents: ReadonlyArray<HedgeIntent>
  readonly #sent: Map<HedgeIntentId, number>
  /** In order of their making. */
  readonly #hedges = new Map<TradeOrderId, StoredHedge>()
  readonly #open = new Set<TradeOrderId>()

  constructor(stored: StoredHedges) {
    this.baseAsset = stored.baseAsset
    this.quoteAsset = stored.quoteAsset
    this.symbol = `${stored.baseAsset}/${stored.quoteAsset}`
    this.totals = stored.totals
    this.#intents = stored.intents
    this.#sent = new Map(stored.sent)
    for (const hedge of stored.hedges) this.#remember(hedge)
  }

  /** What is to be bought; below zero: to be sold. */
  get exposure(): Decimal {
    return exposureOf(this.totals)
  }

  /** The executed quotes that make it up, oldest first. */
  open(): ReadonlyArray<OpenIntent> {
    return openIntents(this.#intents, this.exposure)
  }

  isAtWork(): boolean {
    return this.#open.size > 0
  }

  isAtWorkOn(account: TradingAccountId): boolean {
    return [...this.#open].some((id) => this.#hedges.get(id)?.tradingAccountId === account)
  }

  /** For which quotes the next hedge leaves, oldest first; where hedges executed too much, the newest there was. */
  owing(): ReadonlyArray<HedgeIntent> {
    const open = this.open()
    return open.length > 0 ? open.map(({ intent }) => intent) : this.#intents.slice(0, 1)
  }

  /** In whose name it leaves. */
  lead(): HedgeIntent | undefined {
    return this.owing()[0]
  }

  /** Number of the next hedge in this intent's name: part of its key, so that it is the same after a restart. */
  nextNumber({ hedgeIntentId }: HedgeIntent): number {
    return (this.#sent.get(hedgeIntentId) ?? 0) + 1
  }

  owe(intent: HedgeIntent): void {
    if (this.#intents.some(({ hedgeIntentId }) => hedgeIntentId === intent.hedgeIntentId)) return
    this.totals = withIntent(this.totals, intent)
    this.#intents = [intent, ...this.#intents]
    this.#forgetClosed()
  }

  /** A hedge in this intent's name is stored: the next one has another key. */
  sent({ hedgeIntentId }: HedgeIntent, number: number): void {
    this.#sent.set(hedgeIntentId, Math.max(number, this.#sent.get(hedgeIntentId) ?? 0))
  }

  /** An image of a hedge, once it is durable. `isNew`: it may be heard of for the first time. */
  hear(order: TradeOrder, isNew: boolean): Heard {
    const { tradeOrderId, tradingAccountId, version } = order
    const known = this.#hedges.get(tradeOrderId)
    if (known !== undefined && known.version >= version) return null
    // Neither new nor known: so old that its first fills are in the sums and nowhere else.
    if (known === undefined && !isNew) throw new Error(`hedge ${tradeOrderId} is not in memory: all is read anew`)
    const progress = progressOf(order)
    this.totals = withProgress(this.totals, known ?? null, progress)
    this.#remember({
      ...progress,
      tradeOrderId,
      tradingAccountId,
      version,
      isOver: isTerminal(order.orderStatus),
    })
    this.#forgetClosed()
    return {
      hasFilled: progress.executedQuantity.greaterThan(known?.executedQuantity ?? Decimal.ZERO),
      hasEnded: isTerminal(order.orderStatus) && known?.isOver !== true,
    }
  }

  report(mid: Decimal | null, isAsking: boolean): HedgeReport {
    return {
      symbol: this.symbol,
      state: this.#state(isAsking),
      totals: this.totals,
      open: this.open(),
      openHedges: [...this.#open],
      mid,
      trouble: this.exposure.isZero() ? null : this.trouble,
    }
  }

  /** Nothing of what went before counts any more. */
  beginAnew(): void {
    this.attempt = 1
    this.rounds = 0
    this.wasAtMarket = false
    this.isAlerted = false
    this.trouble = null
  }

  #state(isAsking: boolean): HedgeState {
    if (this.isAtWork() || isAsking) return "HEDGING"
    if (this.exposure.isZero()) return "FLAT"
    if (this.isAccumulating) return "ACCUMULATING"
    return this.rounds > 0 ? "OPEN" : "HEDGING"
  }

  #remember(hedge: StoredHedge): void {
    const { tradeOrderId } = hedge
    this.#hedges.set(tradeOrderId, hedge)
    this.newestHedge = tradeOrderId
    if (hedge.isOver) this.#open.delete(tradeOrderId)
    else this.#open.add(tradeOrderId)
    if (this.#hedges.size <= HEDGES_KEPT) return
    for (const [id, { isOver }] of this.#hedges) {
      if (!isOver) continue
      this.#hedges.delete(id)
      break
    }
  }

  /** Those that make up the exposure stay, and the newest. */
  #forgetClosed(): void {
    const open = new Set(this.open().map(({ intent }) => intent))
    this.#intents = this.#intents.filter((intent, index) => index === 0 || open.has(intent))
    for (const id of this.#sent.keys())
      if (!this.#intents.some(({ hedgeIntentId }) => hedgeIntentId === id)) this.#sent.delete(id)
  }
}
