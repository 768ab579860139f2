/**
 * Nonces of API keys, where a venue takes none that is not above the one before: all instances of a thread share them, and between threads the clock keeps
 * them nearly in order. What was overtaken is refused and sent again; but a copy of what was taken, which a proxy on the way may have made, is refused in the same words.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { CcxtExchange } from "../worker/exchange/ccxt.ts"
import { classify } from "../worker/exchange/errors.ts"

/** The clock, finer than two calls are apart. */
const microsNow = (): bigint => BigInt(Math.floor((performance.timeOrigin + performance.now()) * 1000))

export class Nonces {
  /** The next ones are above. */
  readonly #last = new Map<string, bigint>()
  readonly #given = new Map<string, bigint>()

  /** Above what a key was used with elsewhere: 1 counts microseconds, 1000 nanoseconds. */
  constructor(readonly perMicro: bigint) {}

  /** The last one that was given out. */
  newest(apiKey: string): bigint {
    return this.#given.get(apiKey) ?? 0n
  }

  next(apiKey: string): string {
    const next = this.#after(apiKey)
    this.#last.set(apiKey, next)
    this.#given.set(apiKey, next)
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
}

interface Attempt {
  /** Undefined until it is signed. */
  nonce?: bigint
}

const attempts = new AsyncLocalStorage<Attempt>()

/** Refusals of calls that another call of this thread was signed after. Where none was, the call itself may have been taken. */
const overtaken = new WeakSet<object>()

/**
 * Changes the instance in place, before its first call. `isOnce`: of paths whose calls do something each time that they are taken: they are repeated by
 * `placedOnce` alone.
 */
export const signByNonces = (
  exchange: NonceSigned,
  nonces: Nonces,
  isRefusal: (error: unknown) => boolean,
  isOnce: (path: string) => boolean = () => false,
): void => {
  exchange.nonce = () => {
    const nonce = nonces.next(exchange.apiKey ?? "")
    const attempt = attempts.getStore()
    if (attempt !== undefined) attempt.nonce = BigInt(nonce)
    return nonce
  }
  const fetch2 = exchange.fetch2.bind(exchange)
  exchange.fetch2 = async (path, api, ...rest) => {
    for (let count = 1; ; count++) {
      const attempt: Attempt = {}
      try {
        return await attempts.run(attempt, () => fetch2(path, api, ...rest))
      } catch (error) {
        if (api !== "private" || !isRefusal(error)) throw error
        if (nonces.newest(exchange.apiKey ?? "") !== attempt.nonce) overtaken.add(Object(error))
        if (isOnce(path) || count === ATTEMPTS) throw error
        nonces.raise(exchange.apiKey ?? "", RAISES_MILLIS[count] ?? 0)
      }
    }
  }
}

/** By this name it is in doubt, whatever code the refusal had. */
class InvalidNonce extends Error {
  override readonly name = "InvalidNonce"
}

/** Of what was refused for its nonce and must not be done twice. */
export const mayBeTaken = (): Error =>
  new InvalidNonce("its nonce was refused, which a copy of what was taken is told as well")

/**
 * An order of a venue that keeps no id unique. It is placed again only where a later call was signed before the refusal, and where the order is not there: the look has a
 * later nonce, so nothing of before comes any more.
 */
export const placedOnce = async <A>(
  place: () => Promise<A>,
  look: () => Promise<A>,
  isRefusal: (error: unknown) => boolean,
): Promise<A> => {
  for (let count = 1; ; count++) {
    try {
      return await place()
    } catch (error) {
      const isLate = count > 1 && classify(error).verdict === "NOT_SENT"
      if (!isLate && !isRefusal(error)) throw error
      if (isLate || !overtaken.has(Object(error)) || count === ATTEMPTS) throw mayBeTaken()
    }
    try {
      return await look()
    } catch (error) {
      if (classify(error).category !== "ORDER_NOT_FOUND") throw mayBeTaken()
    }
  }
}
