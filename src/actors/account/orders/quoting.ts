/**
 * Submits of type QUOTED that wait for their dealer: there is no order of them yet, so their keys and their quotes are kept here. A second
 * submit under one of the keys waits until the first is decided.
 */

import type { SubmitRequest } from "../../../domain/order/submit-request.ts"
import { RareMap } from "../../../domain/rare.ts"

type Keys = Pick<SubmitRequest, "idempotencyKey" | "clientOrderId">

/** One text may be both. */
const keysOf = ({ idempotencyKey, clientOrderId }: Keys): ReadonlyArray<string> => [
  ...new Set([idempotencyKey, clientOrderId].filter((it) => it !== null && it !== undefined)),
]

/** Behind one key. Each that begins anew asks the store, and those behind it wait again. */
const WAITING_MAX = 32

export class Quoting {
  readonly #waiting = new RareMap<string, Array<() => void>>()

  get isIdle(): boolean {
    return this.#waiting.size === 0
  }

  /** `waits`: `run` is called once the submit that goes before it is decided. `full`: too many wait for that already. */
  holdUp(keys: Keys, run: () => void): "free" | "waits" | "full" {
    for (const key of keysOf(keys)) {
      const queue = this.#waiting.get(key)
      if (queue === undefined) continue
      if (queue.length >= WAITING_MAX) return "full"
      queue.push(run)
      return "waits"
    }
    return "free"
  }

  /** The answer ends it. */
  begin(keys: Keys): () => void {
    const own = keysOf(keys)
    for (const key of own) this.#waiting.set(key, [])
    return () => {
      const held = own.map((key) => this.#waiting.get(key) ?? [])
      for (const key of own) this.#waiting.delete(key)
      for (const run of held.flat()) run()
    }
  }
}
