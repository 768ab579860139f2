/**
 * What the venue counts of an account: credits of requests that reach the matching engine, and of all others, each refilled evenly. Source:
 * docs.deribit.com, "Rate Limits", of the tier that everybody begins in.
 */
import { tooManyRequests } from "./refusal.ts"

interface Pool {
  readonly most: number
  readonly perSecond: number
}

export const MATCHING: Pool = { most: 20, perSecond: 5 }
const OTHERS: Pool = { most: 100, perSecond: 20 }

const OF_MATCHING: ReadonlySet<string> = new Set([
  "private/buy",
  "private/sell",
  "private/edit",
  "private/cancel",
  "private/cancel_by_label",
  "private/cancel_all",
])

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #left = new Map<string, { credits: number; at: number }>()

  constructor(readonly isOn: boolean) {}

  take(apiKey: string, method: string): void {
    if (!this.isOn) return
    const pool = OF_MATCHING.has(method) ? MATCHING : OTHERS
    const name = `${apiKey} ${pool === MATCHING}`
    const now = performance.now()
    const known = this.#left.get(name) ?? { credits: pool.most, at: now }
    this.#left.set(name, known)
    known.credits = Math.min(pool.most, known.credits + ((now - known.at) * pool.perSecond) / 1000)
    known.at = now
    if (known.credits < 1) {
      this.refused++
      throw tooManyRequests()
    }
    known.credits -= 1
  }
}
