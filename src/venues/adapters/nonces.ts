/**
 * Nonces of API keys, where a venue takes none that is not above the one before: all instances of a thread share them, and between threads the clock keeps
 * them nearly in order. What overtook is refused, definitely, and is sent again.
 */
import type { CcxtExchange } from "../worker/exchange/ccxt.ts"

/** The clock, finer than two calls are apart. */
const microsNow = (): bigint => BigInt(Math.floor((performance.timeOrigin + performance.now()) * 1000))

export class Nonces {
  readonly #last = new Map<string, bigint>()

  /** Above what a key was used with elsewhere: 1 counts microseconds, 1000 nanoseconds. */
  constructor(readonly perMicro: bigint) {}

  next(apiKey: string): string {
    const next = this.#after(apiKey)
    this.#last.set(apiKey, next)
    return String(next)
  }

  /** The venue has seen higher ones: a clock was set back, or another program uses the key. */
  raise(apiKey: string, byMillis: number): void {
    this.#last.set(apiKey, this.#after(apiKey) + BigInt(byMillis) * 1000n * this.perMicro)
  }

  #after(apiKey: string): bigint {
    const now = microsNow() * this.perMicro
    const previous = this.#last.get(apiKey) ?? 0n
    return now > previous ? now : previous + 1n
  }
}

/** The later of two calls that overtook each other. */
const ATTEMPTS = 5
/** What no race explains: another program uses the key, or the clock was set back. */
const RAISES_MILLIS: Readonly<Record<number, number>> = { 3: 60_000, 4: 86_400_000 }

export interface NonceSigned extends CcxtExchange {
  readonly apiKey: string | undefined
  nonce(): string
  /** A call through ccxt's throttle, signed and sent. */
  fetch2(path: string, api: unknown, ...rest: ReadonlyArray<unknown>): Promise<unknown>
}

/** Changes the instance in place, before its first call. */
export const signByNonces = (exchange: NonceSigned, nonces: Nonces, isRefusal: (error: unknown) => boolean): void => {
  exchange.nonce = () => nonces.next(exchange.apiKey ?? "")
  const fetch2 = exchange.fetch2.bind(exchange)
  exchange.fetch2 = async (path, api, ...rest) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetch2(path, api, ...rest)
      } catch (error) {
        if (api !== "private" || !isRefusal(error) || attempt === ATTEMPTS) throw error
        nonces.raise(exchange.apiKey ?? "", RAISES_MILLIS[attempt] ?? 0)
      }
    }
  }
}
