/** How often users may ask a dealer: each on his own, and nobody is remembered for ever. */
import { describe, expect, it } from "vitest"
import { UserRates } from "../../../src/actors/dealer-rates.ts"
import type { UserId } from "../../../src/domain/ids.ts"

const RATE = { perSecond: 1, burst: 2 }
const user = (n: number) => `user-${n}` as UserId

describe("the rates of users", () => {
  it("are each one's own", () => {
    const rates = new UserRates()
    expect([1, 1, 1, 2].map((n) => rates.take(user(n), RATE, 0))).toEqual([0, 0, 1_000, 0])
  })

  it("are forgotten once they are like new, and no sooner", () => {
    const rates = new UserRates()
    for (let n = 0; n < 100_000; n++) rates.take(user(n), RATE, n)
    expect(rates.size).toBeLessThan(5_000)
    const [newest] = [user(99_999)]
    rates.take(newest, RATE, 99_999)
    for (let n = 200_000; n < 205_000; n++) rates.take(user(n), RATE, 99_999)
    expect(rates.take(newest, RATE, 99_999)).toBeGreaterThan(0)
  })
})
