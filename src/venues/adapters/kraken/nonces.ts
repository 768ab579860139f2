/**
 * Nonces of API keys: each above the one before, in nanoseconds, which is above whatever a key was used with elsewhere. All instances
 * of a thread share them; between threads the clock keeps them nearly in order, and the venue refuses definitely what is late.
 */

const last = new Map<string, bigint>()

/** The clock in microseconds is finer than two calls are apart; the last three digits are for those that are not. */
const nanosNow = (): bigint => BigInt(Math.floor((performance.timeOrigin + performance.now()) * 1000)) * 1000n

export const nextNonce = (apiKey: string): string => {
  const now = nanosNow()
  const previous = last.get(apiKey) ?? 0n
  const next = now > previous ? now : previous + 1n
  last.set(apiKey, next)
  return String(next)
}

/** The venue has seen higher ones: a clock was set back, or another program uses the key. */
export const raiseNonce = (apiKey: string, byMillis: number): void => {
  const now = nanosNow()
  const previous = last.get(apiKey) ?? 0n
  last.set(apiKey, (now > previous ? now : previous) + BigInt(byMillis) * 1_000_000n)
}
