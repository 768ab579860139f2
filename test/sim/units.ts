/** What accounts have handed to the store and not heard of yet: what may be in memory and is not durable. */
import type { TradingAccountId } from "../../src/domain/ids.ts"
import type { Unit } from "../../src/ports/account-store.ts"

/** A store that takes longer is slow. */
const PROMPT_MILLIS = 200

export class UnitsInFlight {
  private readonly handed = new Map<TradingAccountId, number>()
  private readonly settled = new Map<TradingAccountId, number>()
  private waiting: Array<number> = []
  private slowAt = Number.NEGATIVE_INFINITY

  constructor(private readonly now: () => number) {}

  /** A new process. */
  clear(): void {
    this.handed.clear()
    this.settled.clear()
    this.waiting = []
  }

  handedOver(unit: Unit): Unit {
    const { accountId } = unit
    const at = this.now()
    const { waiting } = this
    this.handed.set(accountId, this.handedBy(accountId) + 1)
    waiting.push(at)
    return {
      ...unit,
      settled: (outcome) => {
        this.settled.set(accountId, this.settledOf(accountId) + 1)
        waiting.splice(waiting.indexOf(at), 1)
        if (this.now() - at > PROMPT_MILLIS) this.slowAt = this.now()
        unit.settled(outcome)
      },
    }
  }

  handedBy(account: TradingAccountId): number {
    return this.handed.get(account) ?? 0
  }

  settledOf(account: TradingAccountId): number {
    return this.settled.get(account) ?? 0
  }

  /** Units of the account that are not settled. */
  of(account: TradingAccountId): number {
    return this.handedBy(account) - this.settledOf(account)
  }

  /** Since when the store is prompt: nothing that was handed over before waits any more. */
  get promptSince(): number {
    const oldest = this.waiting[0]
    return oldest !== undefined && this.now() - oldest > PROMPT_MILLIS ? this.now() : this.slowAt
  }
}
