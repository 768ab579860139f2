/**
 * Requests are counted by account and endpoint within one rolling second (docs/v5/rate-limit, unified accounts, spot); those of an address
 * within five: above that it is answered 403.
 */
import { takes } from "../rolling-window.ts"
import type { BybitAccount } from "./model.ts"
import { BybitRefusal, tooManyVisits } from "./refusal.ts"

const SECOND_MILLIS = 1000
const ADDRESS_MOST = 600
const ADDRESS_MILLIS = 5000

const PER_SECOND: ReadonlyMap<string, number> = new Map([
  ["POST /v5/order/create", 20],
  ["POST /v5/order/amend", 20],
  ["POST /v5/order/cancel", 20],
  ["GET /v5/order/realtime", 50],
  ["GET /v5/order/history", 50],
  ["GET /v5/execution/list", 50],
  ["GET /v5/account/wallet-balance", 50],
])

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #ofAddress: Array<number> = []
  readonly #ofAccounts = new Map<string, Array<number>>()

  /** `venueNow` is what the headers say; what is counted goes by a clock that is never set. */
  constructor(
    readonly isOn: boolean,
    readonly venueNow: () => number,
  ) {}

  /** Of every request. */
  address(): void {
    if (!this.isOn || takes(this.#ofAddress, performance.now(), ADDRESS_MILLIS, ADDRESS_MOST)) return
    this.refused++
    throw new BybitRefusal(0, "access too frequent", 403)
  }

  /** Of a signed one; answers the headers that say what is left. */
  account({ apiKey }: BybitAccount, key: string): Readonly<Record<string, string>> {
    const most = PER_SECOND.get(key)
    if (!this.isOn || most === undefined) return {}
    const name = `${apiKey} ${key}`
    const instants = this.#ofAccounts.get(name) ?? []
    this.#ofAccounts.set(name, instants)
    const now = performance.now()
    const isTaken = takes(instants, now, SECOND_MILLIS, most)
    const headers = {
      "X-Bapi-Limit": String(most),
      "X-Bapi-Limit-Status": String(Math.max(0, most - instants.length)),
      "X-Bapi-Limit-Reset-Timestamp": String(
        this.venueNow() + (isTaken ? 0 : Math.ceil((instants[0] ?? now) + SECOND_MILLIS - now)),
      ),
    }
    if (isTaken) return headers
    this.refused++
    throw tooManyVisits(headers)
  }
}
