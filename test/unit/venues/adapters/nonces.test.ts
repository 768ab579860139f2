/** Nonces of API keys. */
import { describe, expect, it } from "vitest"
import { Nonces } from "../../../../src/venues/adapters/nonces.ts"

describe.each([
  ["nanoseconds", 1000n],
  ["microseconds", 1n],
])("nonces in %s", (_, perMicro) => {
  const nonces = new Nonces(perMicro)

  it("grow, however many are taken in one moment", () => {
    const taken = Array.from({ length: 5000 }, () => BigInt(nonces.next("a key")))
    for (const [i, nonce] of taken.entries()) expect(nonce > (taken[i - 1] ?? 0n)).toBe(true)
  })

  it("are of the clock, for each key by itself", () => {
    nonces.raise("a raised key", 86_400_000)
    const off = (key: string) => Number(BigInt(nonces.next(key)) / (1000n * perMicro)) - Date.now()
    expect(Math.abs(off("a fresh key"))).toBeLessThan(5000)
    expect(off("a raised key")).toBeGreaterThan(86_000_000)
  })
})
