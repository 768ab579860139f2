/** The request budget of one account at a venue that counts its orders apart from its questions. */
import { describe, expect, it } from "vitest"
import type { Purpose } from "../../../../src/ports/venue-stats.ts"
import { RateBudget } from "../../../../src/venues/worker/budget/rate-budget.ts"

/** Those who may leave at once, of so many who ask. */
const leaving = async (budget: RateBudget, purpose: Purpose, cost: number, count: number): Promise<number> => {
  let left = 0
  for (let i = 0; i < count; i++) {
    budget.take(cost, purpose, null).then(
      () => (left += 1),
      () => undefined,
    )
  }
  await new Promise((resolve) => setImmediate(resolve))
  return left
}

describe("the pace of an account", () => {
  it("lets what costs nothing go at once, however many questions wait", async () => {
    const budget = new RateBudget({ capacity: 45, windowMillis: 45_000, limitedMillis: 2_000 })
    expect(await leaving(budget, "doubt", 3, 20)).toBe(14)
    expect(await leaving(budget, "submit", 0, 5)).toBe(5)
    expect(await leaving(budget, "cancel", 0, 5)).toBe(5)
    expect(budget.load().sent).toMatchObject({ submit: 5, cancel: 5 })
    budget.close()
  })

  it("sends nothing, whatever it costs, while the venue wants to be left alone", async () => {
    const budget = new RateBudget({ capacity: 45, windowMillis: 45_000, limitedMillis: 2_000 })
    budget.pause(60_000)
    expect(await leaving(budget, "submit", 0, 1)).toBe(0)
    budget.close()
  })

  it("gives audits a quarter, or what the venue's profile says", async () => {
    const usual = new RateBudget({ capacity: 45, windowMillis: 45_000, limitedMillis: 2_000 })
    const generous = new RateBudget({ capacity: 45, windowMillis: 45_000, limitedMillis: 2_000, auditsShare: 0.7 })
    expect(await leaving(usual, "audit", 3, 20)).toBe(3)
    expect(await leaving(generous, "audit", 3, 20)).toBe(10)
    usual.close()
    generous.close()
  })
})
