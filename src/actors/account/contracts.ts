/**
 * What an account has open in contracts: its venue's word, and the executions since. The one thing to know: a word contains what was executed by its
 * time, and also what was known here when it was asked for, whatever time that has: what is inferred may have none of the venue's.
 */
import type { ContractPosition } from "../../domain/account/trading-account.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import { type AppliedExecution, beyondReplaced } from "../../domain/order/trade-order.ts"

interface Move {
  readonly instrumentId: InstrumentId
  /** Above zero where it was bought. */
  readonly change: Decimal
  /** Venue time. */
  readonly at: number
  /** Counts the moves, from 1. */
  readonly number: number
}

/** The venue's word comes within seconds of each; what is older is in it. */
const MOVES_KEPT = 1_000
/** Of the many accounts that have no contracts. */
const NONE: ReadonlyMap<string, ReadonlyArray<ContractPosition>> = new Map()
const NO_MOVES: ReadonlyArray<Move> = []

export class OpenContracts {
  /** By the currency of their margin, as the venue said at `at`, its time. */
  private told = NONE
  private at = Number.NEGATIVE_INFINITY
  /** That the venue's word does not contain. */
  private moves = NO_MOVES
  /** How many moves there were, ever. */
  moveCount = 0

  of(currency: string): ReadonlyArray<ContractPosition> | undefined {
    return this.told.get(currency)
  }

  currencies(): ReadonlyArray<string> {
    return [...this.told.keys()]
  }

  /** What is open in one, above zero where it is long. Null: the venue said nothing yet. */
  openOf(instrumentId: InstrumentId): Decimal | null {
    if (this.at === Number.NEGATIVE_INFINITY) return null
    let open = Decimal.ZERO
    for (const held of [...this.told.values()].flat())
      if (held.instrumentId === instrumentId) open = open.add(held.quantity)
    for (const move of this.moves) if (move.instrumentId === instrumentId) open = open.add(move.change)
    return open
  }

  /** What takes the place of an inferred execution counts as far as it is more. */
  executed(applied: AppliedExecution): void {
    const { instrumentId, orderSide, executedAt: at } = applied.execution
    const { quantity } = beyondReplaced(applied)
    this.moveCount += 1
    if (quantity.isZero() || at <= this.at) return
    const change = orderSide === "BUY" ? quantity : quantity.negate()
    this.moves = [...this.moves.slice(-MOVES_KEPT), { instrumentId, change, at, number: this.moveCount }]
  }

  /** All that are open, at the venue's time of it. `contains`: `moveCount` when it was asked for. An older word than the known one changes nothing. */
  seen(rows: ReadonlyArray<readonly [currency: string, contract: ContractPosition]>, at: number, contains = 0): void {
    if (at < this.at) return
    this.at = at
    const all = new Map<string, Array<ContractPosition>>()
    for (const [currency, contract] of rows) {
      const known = all.get(currency)
      if (known === undefined) all.set(currency, [contract])
      else known.push(contract)
    }
    this.told = all
    this.moves = this.moves.filter((move) => move.at > at && move.number > contains)
  }
}
