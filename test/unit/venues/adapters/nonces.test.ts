/** Nonces of API keys. */
import { describe, expect, it } from "vitest"
import { nextNonce, raiseNonce } from "../../../../src/venues/adapters/kraken/private.ts"

describe("nonces", () => {
  it("grow, however many are taken in one moment", () => {
    const taken = Array.from({ length: 5000 }, () => BigInt(nextNonce("a key")))
    for (const [i, nonce] of taken.entries()) expect(nonce > (taken[i - 1] ?? 0n)).toBe(true)
  })

  it("are nanoseconds of the clock, for each key by itself", () => {
    raiseNonce("a raised key", 86_400_000)
    const off = (key: string) => Number(BigInt(nextNonce(key)) / 1_000_000n) - Date.now()
    expect(Math.abs(off("a fresh key"))).toBeLessThan(5000)
    expect(off("a raised key")).toBeGreaterThan(86_000_000)
  })
})
