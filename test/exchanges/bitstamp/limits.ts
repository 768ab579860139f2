/** "All clients can make 400 requests per second. There is a default limit threshold of 10,000 requests per 10 minutes." By key; by address without one. */
import { takes } from "../rolling-window.ts"
import { tooManyRequests } from "./refusal.ts"

export interface Quota {
  readonly most: number
  readonly withinMillis: number
}

export const QUOTAS: ReadonlyArray<Quota> = [
  { most: 400, withinMillis: 1000 },
  { most: 10_000, withinMillis: 600_000 },
]

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #instants = new Map<string, ReadonlyArray<Array<number>>>()

  /** None: nothing is limited. What is counted goes by a clock that is never set. */
  constructor(readonly quotas: ReadonlyArray<Quota>) {}

  take(client: string): void {
    const instants = this.#instants.get(client) ?? this.quotas.map(() => [])
    this.#instants.set(client, instants)
    const now = performance.now()
    const isOver = this.quotas.some(({ most, withinMillis }, at) => !takes(instants[at] ?? [], now, withinMillis, most))
    if (!isOver) return
    this.refused++
    throw tooManyRequests()
  }
}
