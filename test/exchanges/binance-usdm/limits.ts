/**
 * What the venue counts (developers.binance.com, USDS-margined futures, "General Info" and exchangeInfo): the weight of all requests of an address
 * by the minute, and the orders of an account by ten seconds and by the minute. Who goes on after 429 is banned.
 */
import { takes } from "../rolling-window.ts"
import type { UsdmAccount } from "./model.ts"
import { tooManyOrders, tooMuchWeight } from "./refusal.ts"

export const WEIGHT_A_MINUTE = 2400
export const ORDERS_IN_TEN_SECONDS = 300
export const ORDERS_A_MINUTE = 1200
const MINUTE_MILLIS = 60_000
const TEN_SECONDS_MILLIS = 10_000
/** Requests that are answered 429 within the minute before the address is banned. */
const WARNINGS = 20
const BANNED_MILLIS = 120_000

/** Of an address; what is not listed weighs 1. Orders and their changes are counted by account alone. */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ["POST /fapi/v1/order", 0],
  ["PUT /fapi/v1/order", 0],
  ["GET /fapi/v1/allOrders", 5],
  ["GET /fapi/v1/userTrades", 5],
  ["GET /fapi/v1/trades", 5],
  ["GET /fapi/v2/account", 5],
  ["GET /fapi/v3/account", 5],
  ["GET /fapi/v2/balance", 5],
  ["GET /fapi/v3/balance", 5],
  ["GET /fapi/v2/positionRisk", 5],
  ["GET /fapi/v3/positionRisk", 5],
  ["GET /fapi/v1/accountConfig", 5],
  ["GET /fapi/v1/symbolConfig", 5],
  ["GET /fapi/v1/positionSide/dual", 30],
])

const weightOf = (key: string, query: URLSearchParams): number => {
  if (key === "GET /fapi/v1/depth") {
    const limit = Number(query.get("limit") ?? 500)
    return limit <= 50 ? 2 : limit <= 100 ? 5 : limit <= 500 ? 10 : 20
  }
  if (key === "GET /fapi/v1/openOrders") return query.has("symbol") ? 1 : 40
  if (key === "GET /fapi/v1/ticker/24hr") return query.has("symbol") ? 1 : 40
  return WEIGHTS.get(key) ?? 1
}

const COUNTED: ReadonlyArray<string> = ["POST /fapi/v1/order", "PUT /fapi/v1/order"]

export class Limits {
  /** Requests above a limit. */
  refused = 0
  #minute = 0
  #weight = 0
  #warned = 0
  #bannedUntil = 0
  readonly #orders = new Map<string, { readonly short: Array<number>; readonly long: Array<number> }>()

  /** `venueNow` is whose minutes are counted; a ban goes by a clock that is never set. */
  constructor(
    readonly isOn: boolean,
    readonly venueNow: () => number,
  ) {}

  /** Of every request. */
  address(key: string, query: URLSearchParams): void {
    const minute = Math.floor(this.venueNow() / MINUTE_MILLIS)
    if (minute !== this.#minute) this.#begin(minute)
    this.#weight += weightOf(key, query)
    if (!this.isOn) return
    const isBanned = performance.now() < this.#bannedUntil
    if (!isBanned && this.#weight <= WEIGHT_A_MINUTE) return
    this.refused++
    this.#warned++
    if (this.#warned > WARNINGS && !isBanned) this.#bannedUntil = performance.now() + BANNED_MILLIS
    throw tooMuchWeight(this.#warned > WARNINGS ? 418 : 429, WEIGHT_A_MINUTE)
  }

  /** Of a signed request. */
  account({ apiKey }: UsdmAccount, key: string): void {
    if (!COUNTED.includes(key)) return
    const { short, long } = this.#orders.get(apiKey) ?? { short: [], long: [] }
    this.#orders.set(apiKey, { short, long })
    const now = performance.now()
    const most = this.isOn ? [ORDERS_IN_TEN_SECONDS, ORDERS_A_MINUTE] : [Number.POSITIVE_INFINITY, 1e9]
    const isTaken = takes(short, now, TEN_SECONDS_MILLIS, most[0] ?? 0) && takes(long, now, MINUTE_MILLIS, most[1] ?? 0)
    if (isTaken) return
    this.refused++
    throw short.length >= ORDERS_IN_TEN_SECONDS
      ? tooManyOrders(ORDERS_IN_TEN_SECONDS, "10 SECOND")
      : tooManyOrders(ORDERS_A_MINUTE, "1 MINUTE")
  }

  /** As they go with every answer. */
  headers(apiKey: string | undefined, key: string, status: number): Readonly<Record<string, string>> {
    const orders = this.#orders.get(apiKey ?? "")
    const isOrder = COUNTED.includes(key) && orders !== undefined
    return {
      "x-mbx-used-weight-1m": String(this.#weight),
      ...(isOrder && {
        "x-mbx-order-count-10s": String(orders.short.length),
        "x-mbx-order-count-1m": String(orders.long.length),
      }),
      ...(status === 418 && { "retry-after": String(Math.ceil(BANNED_MILLIS / 1000)) }),
    }
  }

  #begin(minute: number): void {
    this.#minute = minute
    this.#weight = 0
    this.#warned = 0
  }
}
