/**
 * Submits of type QUOTED that wait for their dealer: there is no order of them yet, so their keys and their quotes are kept here. A second
 * submit under one of the keys waits until the first is decided.
 */
import type { SubmitRequest } from "../domain/submit-request.ts"

type Keys = Pick<SubmitRequest, "idempotencyKey" | "clientOrderId">

const keysOf = ({ idempotencyKey, clientOrderId }: Keys): ReadonlyArray<string> =>
  [idempotencyKey, clientOrderId].filter((it) => it !== null && it !== undefined)

export class Quoting {
  readonly #waiting = new Map<string, Array<() => void>>()

  /** True: `run` is called once the submit that goes before it is decided. */
  isHeldUp(keys: Keys, run: () => void): boolean {
    if (this.#waiting.size === 0) return false
    for (const key of keysOf(keys)) {
      const queue = this.#waiting.get(key)
      if (queue === undefined) continue
      queue.push(run)
      return true
    }
    return false
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
