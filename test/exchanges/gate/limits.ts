/**
 * Requests are counted within a rolling window: of an account by endpoint, its orders and their changes together by pair; of an address by public endpoint.
 * Each answer says what is left. Source: www.gate.com/docs/developers/apiv4, "Frequency limit rule".
 */
import { takes } from "../rolling-window.ts"
import type { GateAccount } from "./model.ts"
import { tooManyRequests } from "./refusal.ts"

interface Quota {
  readonly most: number
  readonly withinMillis: number
}

const ENDPOINT: Quota = { most: 200, withinMillis: 10_000 }
const ORDERS: Quota = { most: 10, withinMillis: 1000 }
const CANCELS: Quota = { most: 200, withinMillis: 1000 }

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #instants = new Map<string, Array<number>>()

  /** `venueNow` is what the headers say; what is counted goes by a clock that is never set. */
  constructor(
    readonly isOn: boolean,
    readonly venueNow: () => number,
  ) {}

  /** Of a request without keys; answers the headers that say what is left. */
  address(key: string): Readonly<Record<string, string>> {
    return this.#take(key, ENDPOINT)
  }

  /** `key` names the endpoint, `pair` what an order is of. */
  account({ apiKey }: GateAccount, key: string, pair: string): Readonly<Record<string, string>> {
    if (key === "POST /api/v4/spot/orders" || key.startsWith("PATCH "))
      return this.#take(`${apiKey} orders ${pair}`, ORDERS)
    return key.startsWith("DELETE ")
      ? this.#take(`${apiKey} cancels`, CANCELS)
      : this.#take(`${apiKey} ${key}`, ENDPOINT)
  }

  #take(name: string, { most, withinMillis }: Quota): Readonly<Record<string, string>> {
    if (!this.isOn) return {}
    const instants = this.#instants.get(name) ?? []
    this.#instants.set(name, instants)
    const now = performance.now()
    const isTaken = takes(instants, now, withinMillis, most)
    const left = isTaken ? 0 : (instants[0] ?? now) + withinMillis - now
    const headers = {
      "X-Gate-RateLimit-Limit": String(most),
      "X-Gate-RateLimit-Requests-Remain": String(Math.max(0, most - instants.length)),
      "X-Gate-RateLimit-Reset-Timestamp": String(Math.ceil((this.venueNow() + left) / 1000)),
    }
    if (isTaken) return headers
    this.refused++
    throw tooManyRequests(headers)
  }
}
