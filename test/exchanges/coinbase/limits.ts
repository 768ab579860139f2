/**
 * Private requests are counted by user, public ones by address, within one rolling second: 30 and 10
 * (docs.cdp.coinbase.com, advanced-trade, rest-api-rate-limits).
 */
import { takes } from "../rolling-window.ts"
import type { CoinbaseAccount } from "./model.ts"
import { rateLimited } from "./refusal.ts"

const SECOND_MILLIS = 1000
const PRIVATE_MOST = 30
const PUBLIC_MOST = 10

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #ofAddress: Array<number> = []
  readonly #ofAccounts = new Map<string, Array<number>>()

  constructor(readonly isOn: boolean) {}

  address(): void {
    this.#take(this.#ofAddress, PUBLIC_MOST)
  }

  account({ apiKey }: CoinbaseAccount): void {
    const instants = this.#ofAccounts.get(apiKey) ?? []
    this.#ofAccounts.set(apiKey, instants)
    this.#take(instants, PRIVATE_MOST)
  }

  /** By a clock that is never set. */
  #take(instants: Array<number>, most: number): void {
    if (!this.isOn || takes(instants, performance.now(), SECOND_MILLIS, most)) return
    this.refused++
    throw rateLimited()
  }
}
