/**
 * "For private API entry points, we limit requests to 600 requests per minute", by key, and for public ones to 120, by address. Of more than ten a second
 * five are queued, which here are taken at once, and others are refused.
 */
import { takes } from "../rolling-window.ts"
import { tooManyRequests } from "./refusal.ts"

export interface Quota {
  readonly most: number
  readonly withinMillis: number
}

export const PRIVATE_QUOTAS: ReadonlyArray<Quota> = [
  { most: 15, withinMillis: 1000 },
  { most: 600, withinMillis: 60_000 },
]

const PUBLIC_QUOTAS: ReadonlyArray<Quota> = [
  { most: 7, withinMillis: 1000 },
  { most: 120, withinMillis: 60_000 },
]

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #instants = new Map<string, ReadonlyArray<Array<number>>>()

  /** Of a key; none: nothing is limited. What is counted goes by a clock that is never set. */
  constructor(readonly quotas: ReadonlyArray<Quota>) {}

  /** `key` null: of the address. */
  take(key: string | null): void {
    const quotas = this.quotas.length === 0 ? [] : key === null ? PUBLIC_QUOTAS : this.quotas
    const instants = this.#instants.get(key ?? "") ?? quotas.map(() => [])
    this.#instants.set(key ?? "", instants)
    const now = performance.now()
    const isOver = quotas.some(({ most, withinMillis }, at) => !takes(instants[at] ?? [], now, withinMillis, most))
    if (!isOver) return
    this.refused++
    throw tooManyRequests()
  }
}
