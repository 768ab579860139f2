/** Token buckets: what they give at once, and in the long run. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TokenBucket } from "../../../src/foundation/token-bucket.ts"

describe("a token bucket", () => {
  it("gives its burst at once, then says when there is one again, and gives it then", () => {
    const bucket = new TokenBucket({ perSecond: 50, burst: 100 })
    for (let i = 0; i < 100; i++) expect(bucket.take(1_000)).toBe(0)
    expect(bucket.take(1_000)).toBe(20)
    expect(bucket.take(1_019)).toBe(1)
    expect(bucket.take(1_020)).toBe(0)
    expect(bucket.take(1_020)).toBe(20)
  })

  it("never holds more than its burst, and is not emptied by a clock that goes back", () => {
    const bucket = new TokenBucket({ perSecond: 1, burst: 2 })
    for (const answer of [0, 0, 1_000]) expect(bucket.take(86_400_000)).toBe(answer)
    expect(bucket.take(86_399_000)).toBe(2_000)
    for (const answer of [0, 1_000]) expect(bucket.take(86_401_000)).toBe(answer)
  })

  it("gives no more than burst + rate × time, whenever it is asked, and no less to who waits as told", () => {
    const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 200 }), burst: fc.integer({ min: 1, max: 200 }) })
    void fc.assert(
      fc.property(rates, fc.array(fc.nat(500), { maxLength: 300 }), (rate, pauses) => {
        const bucket = new TokenBucket(rate)
        let now = 0
        let given = 0
        for (const pause of pauses) {
          now += pause
          const wait = bucket.take(now)
          if (wait === 0) given++
          else {
            now += wait
            expect(bucket.take(now)).toBe(0)
            given++
          }
          expect(given).toBeLessThanOrEqual(rate.burst + (now * rate.perSecond) / 1_000 + 1e-6)
        }
      }),
    )
  })
})
