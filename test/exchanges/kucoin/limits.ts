/**
 * Requests weigh, and weights are counted in pools: of an account for spot and for its management, of an address for what is public. A pool begins anew
 * 30 s after its first request (www.kucoin.com/docs-new/rate-limit, VIP0; weights by the page of each request).
 */
import type { KucoinAccount } from "./model.ts"
import { tooManyRequests } from "./refusal.ts"

const WINDOW_MILLIS = 30_000

const SPOT_WEIGHTS: Readonly<Record<string, number>> = { GET: 2, POST: 1, DELETE: 1 }
const MANAGEMENT: ReadonlyMap<string, number> = new Map([
  ["GET /api/v1/accounts", 5],
  ["GET /api/v1/user/api-key", 20],
  ["GET /api/v1/hf/accounts/opened", 2],
  ["GET /api/ua/v1/account/mode", 30],
  ["POST /api/v1/bullet-private", 10],
])
const PUBLIC: ReadonlyMap<string, number> = new Map([
  ["GET /api/v2/symbols", 4],
  ["GET /api/v1/market/allTickers", 15],
  ["GET /api/v1/market/stats", 15],
  ["GET /api/v1/timestamp", 3],
  ["GET /api/v1/market/orderbook/level2_100", 4],
  ["GET /api/v1/market/histories", 3],
  ["POST /api/v1/bullet-public", 10],
])

interface Pool {
  readonly most: number
  used: number
  until: number
}

export interface Quotas {
  readonly spot: number
  readonly management: number
  readonly public: number
}

export const VIP0: Quotas = { spot: 4000, management: 2000, public: 2000 }

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #pools = new Map<string, Pool>()

  constructor(readonly quotas: Quotas | null) {}

  /** Of a request without keys; answers the headers that say what is left. */
  address(key: string): Readonly<Record<string, string>> {
    return this.#take("", this.quotas?.public ?? 0, PUBLIC.get(key) ?? 1)
  }

  account({ apiKey }: KucoinAccount, key: string): Readonly<Record<string, string>> {
    const managed = MANAGEMENT.get(key)
    return managed === undefined
      ? this.#take(`spot ${apiKey}`, this.quotas?.spot ?? 0, SPOT_WEIGHTS[key.split(" ")[0] ?? ""] ?? 1)
      : this.#take(`management ${apiKey}`, this.quotas?.management ?? 0, managed)
  }

  /** By a clock that is never set. */
  #take(name: string, most: number, weight: number): Readonly<Record<string, string>> {
    if (this.quotas === null) return {}
    const now = performance.now()
    const known = this.#pools.get(name)
    const pool = known !== undefined && now < known.until ? known : { most, used: 0, until: now + WINDOW_MILLIS }
    this.#pools.set(name, pool)
    const isTaken = pool.used + weight <= most
    if (isTaken) pool.used += weight
    const headers = {
      "gw-ratelimit-limit": String(most),
      "gw-ratelimit-remaining": String(most - pool.used),
      "gw-ratelimit-reset": String(Math.ceil(pool.until - now)),
    }
    if (isTaken) return headers
    this.refused++
    throw tooManyRequests(headers)
  }
}
