/** Buckets by name: each name's own, and the memory of all bounded whatever names come. */
import { describe, expect, it } from "vitest"
import type { TradingAccountId, UserId } from "../../../src/domain/ids.ts"
import { OrderRates } from "../../../src/domain/order/rates.ts"
import { addressKey, RATE_LIMITS } from "../../../src/domain/user/rate-limits.ts"
import { perHour, TokenBucket, TokenBuckets } from "../../../src/foundation/token-bucket.ts"

describe("a bucket", () => {
  it("says how it stands, and takes what is dearer than all of it when it is full", () => {
    const bucket = new TokenBucket({ perSecond: 10, burst: 20 })
    expect(bucket.take(0, 5)).toBe(0)
    expect(bucket.state(0)).toEqual({ limit: 10, windowSeconds: 1, burst: 20, remaining: 15, resetMs: 500 })
    expect(bucket.take(0, 50)).toBe(500)
    expect(bucket.take(500, 50)).toBe(0)
    expect(bucket.remaining(500)).toBe(0)
    expect(bucket.remaining(650)).toBe(1)
  })
})

describe("buckets by name", () => {
  const RATE = { perSecond: 1, burst: 2 }

  it("are each one's own", () => {
    const buckets = new TokenBuckets(RATE)
    expect(["a", "a", "a", "b"].map((name) => buckets.of(name, 0).take(0))).toEqual([0, 0, 1_000, 0])
  })

  it("are forgotten once they are like new, and no sooner", () => {
    const buckets = new TokenBuckets(RATE)
    for (let n = 0; n < 100_000; n++) buckets.of(`${n}`, n).take(n)
    expect(buckets.size).toBeLessThan(5_000)
    buckets.of("newest", 99_999).take(99_999, 2)
    for (let n = 200_000; n < 205_000; n++) buckets.of(`${n}`, 99_999).take(99_999)
    expect(buckets.of("newest", 99_999).take(99_999)).toBeGreaterThan(0)
  })

  it("never pass their number, though none of them is full: a million addresses that signed up once", () => {
    const buckets = new TokenBuckets(perHour(5), 2_000)
    let most = 0
    for (let n = 0; n < 1_000_000; n++) {
      buckets.of(`${n}`, n / 1_000).take(n / 1_000)
      most = Math.max(most, buckets.size)
    }
    expect(most).toBeLessThanOrEqual(2_000)
    // Who came last is still remembered.
    const last = buckets.of("999999", 1_000)
    for (let taken = 0; taken < 4; taken++) last.take(1_000)
    expect(last.take(1_000)).toBeGreaterThan(0)
  })
})

describe("an address", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["2001:0db8:0000:0001:0000:0000:0000:0001", "2001:db8:0:1::/64"],
    ["2001:db8:0:1:ffff:ffff:ffff:ffff", "2001:db8:0:1::/64"],
    ["2001:db8:0:1::", "2001:db8:0:1::/64"],
    ["2001:db8:0:2::1", "2001:db8:0:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ])("%s is counted as %s", (address, key) => {
    expect(addressKey(address)).toBe(key)
  })
})

describe("an account's rates", () => {
  const account = "account" as TradingAccountId
  const owner = "owner" as UserId

  it("outlive its actor while they are not full, and count the submits of the running second", () => {
    const rates = new OrderRates(RATE_LIMITS)
    rates.ofAccount(account, owner, 0).submits.take(0, 100)
    for (let n = 0; n < 3; n++) rates.ofAccount(account, owner, 1_500).count(1_500)
    for (let n = 0; n < 10_000; n++) rates.ofAccount(`other-${n}` as TradingAccountId, owner, 1_500)
    expect(rates.find(account)?.submits.remaining(1_500)).toBe(75)
    expect(rates.find(account)?.submitsOfSecond(1_999)).toBe(3)
    expect(rates.find(account)?.submitsOfSecond(2_000)).toBe(0)
    for (let n = 0; n < 40_000; n++) rates.ofAccount(`later-${n}` as TradingAccountId, owner, 10_000)
    expect(rates.find(account)).toBeUndefined()
  })
})
