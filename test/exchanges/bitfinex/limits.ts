/**
 * Requests of an address are counted by endpoint within a rolling minute; an endpoint that was asked more often is closed to it for a while. Source:
 * docs.bitfinex.com, "Requirements and Limitations" and the page of each endpoint.
 */
import { takes } from "../rolling-window.ts"
import { tooMany } from "./refusal.ts"

export interface Quota {
  readonly most: number
  readonly withinMillis: number
  /** "Blocked for 10-60 seconds on that endpoint." */
  readonly closedMillis: number
}

export const PER_MINUTE: Quota = { most: 90, withinMillis: 60_000, closedMillis: 10_000 }
const BOOKS_MOST = 240

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #instants = new Map<string, Array<number>>()
  readonly #closedUntil = new Map<string, number>()

  constructor(readonly quota: Quota | null) {}

  /** By a clock that is never set. Throws where it is one too many. */
  take(endpoint: string): void {
    if (this.quota === null) return
    const { withinMillis, closedMillis } = this.quota
    const most = endpoint.includes("/book/") ? BOOKS_MOST : this.quota.most
    const instants = this.#instants.get(endpoint) ?? []
    this.#instants.set(endpoint, instants)
    const now = performance.now()
    if (now >= (this.#closedUntil.get(endpoint) ?? 0)) {
      if (takes(instants, now, withinMillis, most)) return
      this.#closedUntil.set(endpoint, now + closedMillis)
    }
    this.refused++
    throw tooMany()
  }
}
