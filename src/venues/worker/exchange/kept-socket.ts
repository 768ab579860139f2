/**
 * A socket that has nothing but orders (BYBIT): dialled and logged in while the private stream is, and again after its loss. Its failures end
 * nothing else: meanwhile orders are requests, and whether a key is good the private stream and they will say.
 */
import { pause, redialMillis } from "../waits.ts"
import type { CcxtSocket } from "./ccxt.ts"
import { STABLE_MILLIS } from "./dials.ts"
import { endSocket, isOpen } from "./sockets.ts"

export interface KeptSocketParts {
  /** Resolves when it is logged in. */
  readonly open: () => Promise<unknown>
  /** As it is now. */
  readonly socket: () => CcxtSocket | undefined
  readonly isWanted: () => boolean
  /** A login that is not answered within is lost. */
  readonly acknowledgedMillis: number
}

export class KeptSocket {
  readonly #parts: KeptSocketParts
  #isKept = false
  #current: { readonly socket: CcxtSocket | undefined; readonly ended: () => void } | null = null

  constructor(parts: KeptSocketParts) {
    this.#parts = parts
  }

  /** Until it is not wanted any more. */
  begin(): void {
    if (this.#isKept) return
    this.#isKept = true
    void this.#keep().finally(() => {
      this.#isKept = false
    })
  }

  ended(socket: CcxtSocket): void {
    if (this.#current?.socket === socket) this.#current.ended()
  }

  async #keep(): Promise<void> {
    for (let failures = 0; this.#parts.isWanted(); ) {
      let upAt: number | null = null
      try {
        await this.#opened()
        upAt = performance.now()
        await this.#end()
      } catch {
        // What ccxt has of a login that failed would never be sent again.
        const failed = this.#parts.socket()
        if (failed !== undefined) endSocket(failed, "the login of the order socket failed")
      }
      failures = upAt !== null && performance.now() - upAt >= STABLE_MILLIS ? 1 : failures + 1
      await pause(redialMillis(failures))
    }
  }

  async #opened(): Promise<void> {
    const { open, socket, acknowledgedMillis } = this.#parts
    const late = setInterval(() => {
      const dialled = socket()
      // It may wait for its turn to be dialled.
      if (dialled?.connection !== undefined) endSocket(dialled, "the login of the order socket was not acknowledged")
    }, acknowledgedMillis)
    try {
      await open()
    } finally {
      clearInterval(late)
    }
  }

  #end(): Promise<void> {
    const socket = this.#parts.socket()
    return new Promise((resolve) => {
      this.#current = { socket, ended: resolve }
      // It may have ended before anything listened.
      if (socket === undefined || !isOpen(socket)) resolve()
    })
  }
}
