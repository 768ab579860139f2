/**
 * What the venue counts: the cost of all requests of an account to `/derivatives` within ten seconds, and those to `/history` out of a pool that fills up
 * again. Public requests cost nothing. Source: docs.kraken.com, "Derivatives Rate Limits".
 */
import type { FuturesAccount } from "./model.ts"
import { limitExceeded } from "./refusal.ts"

export const COST_IN_TEN_SECONDS = 500
const WINDOW_MILLIS = 10_000
export const HISTORY_POOL = 100
const POOL_FILLS_MILLIS = 600_000

const COSTS: ReadonlyMap<string, number> = new Map([
  ["sendorder", 10],
  ["editorder", 10],
  ["cancelorder", 10],
  ["cancelallorders", 25],
  ["accounts", 2],
  ["openpositions", 2],
  ["openorders", 2],
  ["orders/status", 1],
  ["leveragepreferences", 2],
])

const costOf = (path: string, query: URLSearchParams): number =>
  path === "fills" ? (query.has("lastFillTime") ? 25 : 2) : (COSTS.get(path) ?? 2)

interface Spent {
  readonly at: number
  readonly cost: number
}

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #spent = new Map<string, Array<Spent>>()
  readonly #pools = new Map<string, { left: number; at: number }>()

  constructor(readonly isOn: boolean) {}

  derivatives({ apiKey }: FuturesAccount, path: string, query: URLSearchParams): void {
    if (!this.isOn) return
    const now = performance.now()
    const within = (this.#spent.get(apiKey) ?? []).filter(({ at }) => at > now - WINDOW_MILLIS)
    this.#spent.set(apiKey, within)
    const cost = costOf(path, query)
    if (within.reduce((sum, it) => sum + it.cost, cost) > COST_IN_TEN_SECONDS) this.#refuse()
    within.push({ at: now, cost })
  }

  history({ apiKey }: FuturesAccount): void {
    if (!this.isOn) return
    const now = performance.now()
    const pool = this.#pools.get(apiKey) ?? { left: HISTORY_POOL, at: now }
    this.#pools.set(apiKey, pool)
    pool.left = Math.min(HISTORY_POOL, pool.left + ((now - pool.at) * HISTORY_POOL) / POOL_FILLS_MILLIS)
    pool.at = now
    if (pool.left < 1) this.#refuse()
    pool.left -= 1
  }

  #refuse(): never {
    this.refused++
    throw limitExceeded()
  }
}
