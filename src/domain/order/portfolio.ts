/**
 * Balances and holds of one account, as arithmetic (contract C10): balance = last snapshot ± executions since; locked = what the
 * snapshot locks beyond our own orders + the holds of our open orders, within [0, balance]; available = balance − locked.
 */
import { LeanMap } from "../../foundation/lean.ts"
import { Decimal } from "../decimal.ts"
import { type AppliedExecution, type Execution, shareOf } from "./trade-order.ts"

export interface Balance {
  readonly available: Decimal
  readonly locked: Decimal
  /** Venue time of the snapshot, or of what has moved it or what is held of it since. */
  readonly updatedAt: number
}

export interface SnapshotRow {
  readonly asset: string
  readonly available: Decimal
  readonly locked: Decimal
}

interface Snapshot {
  readonly balance: Decimal
  readonly locked: Decimal
  /** Locked at the venue by what is not ours. */
  readonly foreignLocked: Decimal
  readonly at: number
}

/** Something that happened after a snapshot it may not contain. */
interface Movement {
  readonly asset: string
  readonly change: Decimal
  /** How much less is held for open orders since. */
  readonly released: Decimal
  readonly at: number
  /** Counts the movements, from 1. */
  readonly number: number
}

/** The venue's word of balances. */
export interface BalancesWord {
  readonly rows: ReadonlyArray<SnapshotRow>
  /** Venue time. */
  readonly at: number
  /** Assets that are not listed are zero. */
  readonly complete: boolean
  /** What our orders that the venue already knew held, per asset. */
  readonly included: ReadonlyMap<string, Decimal>
  /** Of an answer: `moveCount` when it was asked for. So many movements it contains, whatever their times say. */
  readonly contains?: number
}

export interface BalancesTaken {
  readonly touched: ReadonlyArray<string>
  /** Another word of the same instant said otherwise: which of the two is newer is not known. */
  readonly isContested: boolean
}

const MOVEMENT_MILLIS = 120_000
const EMPTY: Snapshot = { balance: Decimal.ZERO, locked: Decimal.ZERO, foreignLocked: Decimal.ZERO, at: 0 }

/** Signed changes of balances by one execution, fees included: [asset, change]. */
const changesOf = (
  execution: Execution,
  baseAsset: string,
  quoteAsset: string,
): ReadonlyArray<readonly [asset: string, change: Decimal]> => {
  const bought = execution.orderSide === "BUY"
  const { executedQuantity: quantity, executedCost: cost } = execution
  return [
    [baseAsset, bought ? quantity : quantity.negate()],
    [quoteAsset, bought ? cost.negate() : cost],
    ...execution.fees.map((fee) => [fee.asset, fee.quantity.negate()] as const),
  ]
}

interface BalanceMove {
  readonly asset: string
  readonly change: Decimal
  /** Venue time. */
  readonly at: number
}

/**
 * What an execution moves. What it takes over of an inferred one was counted at that one's instant: a trade takes it back there, and is
 * counted at its own.
 */
export const movesOf = (
  applied: AppliedExecution,
  baseAsset: string,
  quoteAsset: string,
): ReadonlyArray<BalanceMove> => {
  const { execution } = applied
  const share = shareOf(applied)
  const whole = changesOf(execution, baseAsset, quoteAsset)
  if (share === null) return whole.map(([asset, change]) => ({ asset, change, at: execution.executedAt }))
  const back = changesOf(share, baseAsset, quoteAsset).map(([asset, change]) => [asset, change.negate()] as const)
  const at = execution.inferred ? execution.executedAt : share.executedAt
  return [
    ...back.map(([asset, change]) => ({ asset, change, at })),
    ...whole.map(([asset, change]) => ({ asset, change, at: execution.executedAt })),
  ]
}

const NEVER = (): boolean => false

/**
 * What a BUY of `quantity` costs walking `asks` (best first); beyond the shown depth at its last price, or not at all where the book is not
 * known any further (`isCut`): levels may be missing there. Undefined as for an empty book: the cost is not known.
 */
export const walkCost = (
  asks: ReadonlyArray<readonly [price: string, quantity: string]>,
  quantity: Decimal,
  isCut = NEVER,
): Decimal | undefined => {
  let rest = quantity
  let cost = Decimal.ZERO
  let last: Decimal | undefined
  for (const [priceText, quantityText] of asks) {
    const price = Decimal.fromVenue(priceText)
    const offered = Decimal.fromVenue(quantityText)
    if (price === undefined || offered === undefined) continue
    last = price
    const taken = Decimal.min(rest, offered)
    cost = cost.add(price.multiply(taken))
    rest = rest.subtract(taken)
    if (!rest.isPositive()) return cost
  }
  return last === undefined || isCut() ? undefined : cost.add(last.multiply(rest))
}

/**
 * How much base `amount` of quote trades for walking `rows` (best first), 18 digits, never too much; beyond the shown depth at its last
 * price, as `walkCost`. Undefined for an empty book.
 */
export const walkBase = (
  rows: ReadonlyArray<readonly [price: string, quantity: string]>,
  amount: Decimal,
  isCut = NEVER,
): Decimal | undefined => {
  let rest = amount
  let base = Decimal.ZERO
  let last: Decimal | undefined
  for (const [priceText, quantityText] of rows) {
    const price = Decimal.fromVenue(priceText)
    const offered = Decimal.fromVenue(quantityText)
    if (price === undefined || offered === undefined || !price.isPositive()) continue
    last = price
    const cost = price.multiply(offered)
    if (cost.atLeast(rest)) return base.add(rest.divide(price, 18, "DOWN"))
    base = base.add(offered)
    rest = rest.subtract(cost)
  }
  return last === undefined || isCut() ? undefined : base.add(rest.divide(last, 18, "DOWN"))
}

export class Portfolio {
  private readonly snapshots = new Map<string, Snapshot>()
  private readonly changes = new LeanMap<string, { sum: Decimal; at: number }>()
  private readonly holds = new LeanMap<string, Decimal>()
  /** When what is held was last another amount, by the venue's clock, as all that a balance is dated by. */
  private readonly heldAt = new LeanMap<string, number>()
  /** What executions have moved of each asset, ever. */
  private readonly moved = new LeanMap<string, Decimal>()
  private movements: Array<Movement> = []
  /** How many movements there were, ever. */
  moveCount = 0
  /** Venue time of the newest complete snapshot: what it does not list was zero then. */
  private completeAt = 0
  /** A complete snapshot was seen. */
  isKnown = false

  /** An order now holds `after` of an asset where it held `before`; `at` is the time of the cause, `shownAt` the same by the venue's clock. */
  hold(asset: string, before: Decimal, after: Decimal, at: number, shownAt = at): void {
    const change = after.subtract(before)
    if (change.isZero()) return
    this.holds.set(asset, (this.holds.get(asset) ?? Decimal.ZERO).add(change))
    this.heldAt.set(asset, Math.max(this.heldAt.get(asset) ?? 0, shownAt))
    if (change.isNegative()) this.move(asset, Decimal.ZERO, change.negate(), at)
  }

  /** An execution moved a balance; false when the snapshot is not older, and so is taken to contain it. */
  executed(asset: string, change: Decimal, at: number): boolean {
    this.move(asset, change, Decimal.ZERO, at)
    this.moved.set(asset, (this.moved.get(asset) ?? Decimal.ZERO).add(change))
    if (at <= (this.snapshots.get(asset)?.at ?? 0)) return false
    const known = this.changes.get(asset)
    this.changes.set(asset, { sum: (known?.sum ?? Decimal.ZERO).add(change), at: Math.max(known?.at ?? 0, at) })
    return true
  }

  /** A word that is older than the known one changes nothing; of two of one instant the later counts. */
  seen({ rows, at, complete, included, contains = 0 }: BalancesWord): BalancesTaken {
    const listed = new Set(rows.map((row) => row.asset))
    const all = [...rows]
    if (complete) {
      this.isKnown = true
      this.completeAt = Math.max(this.completeAt, at)
      for (const asset of this.snapshots.keys())
        if (!listed.has(asset)) all.push({ asset, available: Decimal.ZERO, locked: Decimal.ZERO })
    }
    const touched = new Set<string>()
    let isContested = false
    for (const { asset, available, locked } of all) {
      const known = this.snapshots.get(asset)
      if (at < (known?.at ?? 0)) continue
      let ours = included.get(asset) ?? Decimal.ZERO
      let sum = Decimal.ZERO
      let newest = 0
      for (const movement of this.movements) {
        if (movement.asset !== asset || movement.at <= at || movement.number <= contains) continue
        ours = ours.add(movement.released)
        sum = sum.add(movement.change)
        if (!movement.change.isZero()) newest = Math.max(newest, movement.at)
      }
      const balance = available.add(locked)
      if (at === known?.at && !(balance.equals(known.balance) && locked.equals(known.locked))) isContested = true
      const foreignLocked = Decimal.max(Decimal.ZERO, locked.subtract(ours))
      this.snapshots.set(asset, { balance, locked, foreignLocked, at })
      if (newest > 0) this.changes.set(asset, { sum, at: newest })
      else this.changes.delete(asset)
      touched.add(asset)
    }
    this.movements = this.movements.filter(
      (it) => it.at > at - MOVEMENT_MILLIS && !(it.number <= contains && touched.has(it.asset)),
    )
    return { touched: [...touched], isContested }
  }

  /** What is held of an asset for our own open orders. */
  held(asset: string): Decimal {
    return this.holds.get(asset) ?? Decimal.ZERO
  }

  /**
   * The balance less what executions have moved: another one only when something has moved it that no known execution explains, as an
   * execution that the venue did not report, a deposit, or a trade while a snapshot did not say whether it contains it.
   */
  unexplained(asset: string): Decimal {
    return this.balanceOf(asset).subtract(this.moved.get(asset) ?? Decimal.ZERO)
  }

  private balanceOf(asset: string): Decimal {
    const { balance } = this.snapshots.get(asset) ?? EMPTY
    const since = this.changes.get(asset)
    return since === undefined ? balance : balance.add(since.sum)
  }

  of(asset: string): Balance {
    const snapshot = this.snapshots.get(asset) ?? EMPTY
    const since = this.changes.get(asset)
    const balance = Decimal.max(Decimal.ZERO, this.balanceOf(asset))
    const locked = Decimal.min(balance, snapshot.foreignLocked.add(Decimal.max(Decimal.ZERO, this.held(asset))))
    const at = snapshot === EMPTY ? this.completeAt : snapshot.at
    const updatedAt = Math.max(at, since?.at ?? 0, this.heldAt.get(asset) ?? 0)
    return { available: balance.subtract(locked), locked, updatedAt }
  }

  /** What the venue locks beyond our own orders, as text that is the same for the same locks; empty for none. */
  foreignLocks(): string {
    let text = ""
    for (const [asset, { foreignLocked }] of this.snapshots)
      if (foreignLocked.isPositive()) text += `${asset} ${foreignLocked} `
    return text
  }

  /** Every asset ever seen, in alphabetical order. */
  assets(): ReadonlyArray<string> {
    return [...new Set([...this.snapshots.keys(), ...this.changes.keys()])].sort()
  }

  private move(asset: string, change: Decimal, released: Decimal, at: number): void {
    this.movements.push({ asset, change, released, at, number: ++this.moveCount })
    if (this.movements.length > 4_096) this.movements = this.movements.slice(2_048)
  }
}
