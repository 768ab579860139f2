/** What an account has by asset, what its orders hold of it, which positions changed since they were last published, and how recent all that is. */
import type { ContractPosition, Position, TradingAccount } from "../../domain/account/trading-account.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { AcknowledgedHolds } from "../../domain/order/hold.ts"
import { movesOf, Portfolio } from "../../domain/order/portfolio.ts"
import { type AppliedExecution, heldAssetOf, type TradeOrder } from "../../domain/order/trade-order.ts"
import { LeanSet } from "../../foundation/lean.ts"
import type { AccountEvent, NewsDesk } from "./channel/publication.ts"
import { OpenContracts } from "./contracts.ts"
import type { AccountOrders } from "./order-memory.ts"
import type { Rest } from "./resting-accounts.ts"
import type { WorkingOrder } from "./working-order.ts"

export class AccountPositions {
  readonly portfolio = new Portfolio()
  readonly contracts = new OpenContracts()
  /** Assets whose position changed since it was last told. */
  private readonly dirty = new LeanSet<string>()
  /** By currency: what tells one position from another. */
  readonly told: Map<string, string>
  private readonly acknowledgedHolds = new AcknowledgedHolds()

  constructor(
    private readonly account: Pick<TradingAccount, "tradingAccountId" | "venue">,
    private readonly orders: Pick<AccountOrders, "openLives">,
    private readonly news: Pick<NewsDesk, "ofPositions">,
    /** Null: its clock was not heard yet. */
    private readonly venueNow: () => number | null,
    rest: Rest | null,
  ) {
    this.told = new Map(rest?.told)
    if (rest !== null) this.markDirty([...rest.told.keys()])
  }

  positionOf(currency: string): Position {
    const balance = this.portfolio.of(currency)
    const { tradingAccountId, venue } = this.account
    const contracts = this.contracts.of(currency)
    return { tradingAccountId, venue, currency, ...balance, ...(contracts !== undefined && { contracts }) }
  }

  /** Every asset ever seen, in alphabetical order. */
  assets(): ReadonlyArray<string> {
    return [...new Set([...this.portfolio.assets(), ...this.contracts.currencies()])].sort()
  }

  /** As `OpenContracts.seen`. */
  contractsSeen(...word: Parameters<OpenContracts["seen"]>): void {
    this.markDirty(this.contracts.currencies())
    this.contracts.seen(...word)
    this.markDirty(this.contracts.currencies())
  }

  markDirty(assets: ReadonlyArray<string>): void {
    for (const asset of assets) this.dirty.add(asset)
  }

  /** PORTFOLIO.UPDATED of what changed since it was last told; nothing when nothing did. */
  changedPositions(now: number): ReadonlyArray<AccountEvent> {
    if (this.dirty.size === 0 || !this.portfolio.isKnown) return []
    const changed: Array<Position> = []
    for (const currency of [...this.dirty].sort()) {
      const position = this.positionOf(currency)
      const text = `${position.available}|${position.locked}${textOf(position.contracts)}`
      if (this.told.get(currency) === text) continue
      this.told.set(currency, text)
      changed.push(position)
    }
    this.dirty.clear()
    return changed.length === 0 ? [] : [this.news.ofPositions(changed, now)]
  }

  /** The venue has the order since `at` (its time), so its snapshots from then on contain what the order holds. */
  acknowledged(working: WorkingOrder, at: number): void {
    if (working.acknowledged !== null) return
    working.acknowledged = { asset: heldAssetOf(working.order), held: working.order.held, acceptedAt: at }
    this.acknowledgedHolds.acknowledged(working.acknowledged)
  }

  /** What the orders held that the venue had acknowledged by `at`, per asset. */
  includedAt(at: number): ReadonlyMap<string, Decimal> {
    const known = this.acknowledgedHolds.at(at)
    if (known !== null) return known
    const included = new Map<string, Decimal>()
    for (const { acknowledged } of this.orders.openLives()) {
      if (acknowledged === null || acknowledged.acceptedAt > at) continue
      const { asset, held } = acknowledged
      included.set(asset, (included.get(asset) ?? Decimal.ZERO).add(held))
    }
    return included
  }

  /** What an order holds is another amount; `at`: when the cause was, 0 of what is known from before. */
  hold({ order, acknowledged }: WorkingOrder, before: Decimal, after: Decimal, at: number): void {
    const asset = heldAssetOf(order)
    // A position is dated by the venue's clock alone, as its snapshots and executions are.
    this.portfolio.hold(asset, before, after, at, at === 0 ? 0 : (this.venueNow() ?? at))
    if (acknowledged !== null) this.acknowledgedHolds.changed(acknowledged, after)
    this.dirty.add(asset)
  }

  /** `contained`: what the venue showed of a balance may have had the fill in it already. */
  moved(applied: AppliedExecution, { baseAsset, quoteAsset }: TradeOrder): "moved" | "contained" {
    let moved: "moved" | "contained" = "moved"
    for (const { asset, change, at } of movesOf(applied, baseAsset, quoteAsset)) {
      if (!this.portfolio.executed(asset, change, at)) moved = "contained"
      this.dirty.add(asset)
    }
    return moved
  }
}

/** The same text for the same contracts; empty for none. */
const textOf = (contracts: ReadonlyArray<ContractPosition> = []): string =>
  contracts.map((it) => `|${it.instrumentId} ${it.quantity} ${it.entryPrice} ${it.unrealizedProfit}`).join("")

/** A command that waits until the account knows of money that its venue has acknowledged. */
export interface Behind {
  /** Which change of the account's money it must know. */
  readonly due: number
  /** Monotonic ms. */
  readonly until: number
  readonly run: () => void
  readonly fail: (error: DomainError) => void
}

/** What is known of the venue's clock is that old: the time of an answer on its way. A smaller difference is none. */
export const VENUE_CLOCK_MILLIS = 1_000

/** How new the balances are, and what waits until they are newer. Changed by `venue/balances.ts` alone. */
export class BalanceReadings {
  /** Up to which change of its money from elsewhere it knows its balances: see `VenueSession.movedTo`. */
  knowsMovesTo = 0
  readonly behind: Array<Behind> = []
  /** They are asked for in a moment. */
  isAskDue = false
  /** How many of these questions failed at a venue of this process since balances that were asked for came. */
  failures = 0
  /** Monotonic ms of the newest question for all balances whose answer could be read to the end. */
  askedAt = Number.NEGATIVE_INFINITY
  /** When (monotonic ms) the newest view of all balances was asked for, and when any was last seen to be another. */
  seenAt = Number.NEGATIVE_INFINITY
  movedAt = Number.NEGATIVE_INFINITY
  /** What the venue's clock said, and when (monotonic ms) that was heard; null: it was not. Ours may be hours off, and is set. */
  venueClock: { readonly at: number; readonly heardAt: number } | null = null

  /** The venue's time at `monotonic` ms, in whole ms, as records have it; null: its clock was not heard. */
  venueTimeAt(monotonic: number): number | null {
    return this.venueClock === null ? null : Math.round(this.venueClock.at - this.venueClock.heardAt + monotonic)
  }

  /** By how much the venue's clock is ahead of ours, which shows `now` at `monotonic`, in ms; undefined: by no second, or it was not heard. */
  venueAhead(monotonic: number, now: number): number | undefined {
    const ahead = (this.venueTimeAt(monotonic) ?? now) - now
    return Math.abs(ahead) > VENUE_CLOCK_MILLIS ? ahead : undefined
  }
}
