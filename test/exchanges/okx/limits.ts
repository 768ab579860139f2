/**
 * Orders, cancels and changes are counted by account and instrument, each by itself: 60 in 2 s, those over the socket together with the requests
 * (okx.com/docs-v5, "Place order": "Rate limit shared with the REST API endpoint").
 */
import { takes } from "../rolling-window.ts"
import type { OkxAccount } from "./model.ts"
import { tooManyRequests } from "./refusal.ts"

const MOST = 60
const WINDOW_MILLIS = 2000
const COUNTED = /^POST \/api\/v5\/trade\//

export class Limits {
  /** Requests above a limit. */
  refused = 0
  readonly #instants = new Map<string, Array<number>>()

  constructor(readonly isOn: boolean) {}

  /** `key` is `METHOD /path`. Throws a `RequestRefusal`. */
  operation({ apiKey }: OkxAccount, key: string, instId: string): void {
    if (!this.isOn || !COUNTED.test(key)) return
    const name = `${apiKey} ${key} ${instId}`
    const instants = this.#instants.get(name) ?? []
    this.#instants.set(name, instants)
    if (takes(instants, performance.now(), WINDOW_MILLIS, MOST)) return
    this.refused++
    throw tooManyRequests()
  }
}
