/**
 * The last published state of sleeping accounts, so that one that wakes publishes only what changed since. The one thing to know: it serves sleep
 * only; an actor that restarts after a defect, or in a new process, publishes everything again.
 */
import type { Position } from "../../domain/account/trading-account.ts"
import type { TradingAccountId } from "../../domain/ids.ts"

export interface Rest {
  /** Of the newest published event. */
  readonly sequence: number
  /** Of the newest event when the account's positions were first told. */
  readonly awakeSince: number
  readonly hasPositions: boolean
  /** By currency: the position as it was published. */
  readonly held: ReadonlyMap<string, Position>
  /** By currency: what tells one position from another. */
  readonly told: ReadonlyMap<string, string>
}

interface Awake {
  /** Asked for when it goes to sleep. */
  readonly toRest: () => Rest
}

export class RestingAccounts {
  readonly #awake = new Map<TradingAccountId, Awake>()
  readonly #resting = new Map<TradingAccountId, Rest>()

  /** An actor begins; null: it did not sleep, or events came after it. */
  woke(id: TradingAccountId, sequence: number): Rest | null {
    const rest = this.#resting.get(id)
    this.#resting.delete(id)
    return rest?.sequence === sequence ? rest : null
  }

  keep(id: TradingAccountId, awake: Awake): void {
    this.#awake.set(id, awake)
  }

  slept(id: TradingAccountId): void {
    const awake = this.#awake.get(id)
    if (awake !== undefined) this.#resting.set(id, awake.toRest())
    this.#awake.delete(id)
  }
}
