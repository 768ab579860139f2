/** The request budget of one address that several accounts share, of which one storms. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { Purpose } from "../../../../src/ports/venue-stats.ts"
import { RateBudget, type Taken } from "../../../../src/venues/worker/budget/rate-budget.ts"

const CAPACITY = 100
const WINDOW_MILLIS = 10_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const sharing = (accounts: number) => {
  const budget = new RateBudget({ capacity: CAPACITY, windowMillis: WINDOW_MILLIS, limitedMillis: 2_000 })
  budget.keepRoom(accounts)
  const left = new Map<object, Array<Taken>>()
  const ask = (owner: object, purpose: Purpose, count = 1): void => {
    for (let i = 0; i < count; i++)
      budget.take(1, purpose, null, { owner }).then(
        (taken) => void left.set(owner, [...(left.get(owner) ?? []), taken]),
        () => undefined,
      )
  }
  const takenBy = (owner: object) => left.get(owner) ?? []
  return { budget, ask, takenBy, leftOf: (owner: object) => takenBy(owner).length }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

describe("the budget of an address", () => {
  it.each(["submit", "cancel"] as const)(
    "has room at once for one account's cancels while another storms with %ss",
    async (purpose) => {
      const { ask, leftOf } = sharing(2)
      const [storm, other] = [{}, {}]
      ask(storm, purpose, 1_000)
      await settle()
      expect(leftOf(storm)).toBe(purpose === "submit" ? 75 : 90)
      ask(other, "cancel", 5)
      await settle()
      expect(leftOf(other)).toBe(5)
    },
  )

  it("lets the orders of one account go while the cancels of another wait for what is left for others", async () => {
    const { ask, leftOf } = sharing(2)
    const [storm, other] = [{}, {}]
    ask(storm, "cancel", 1_000)
    await settle()
    ask(other, "submit", 3)
    await settle()
    expect(leftOf(other)).toBe(3)
  })

  it("goes by turns once it is full: who has taken less is first, and the storm goes on", async () => {
    const { ask, leftOf } = sharing(2)
    const [storm, other] = [{}, {}]
    ask(storm, "submit", 1_000)
    await settle()
    ask(other, "submit", 40)
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS)
    expect(leftOf(other)).toBe(40)
    await vi.advanceTimersByTimeAsync(2 * WINDOW_MILLIS)
    expect(leftOf(storm)).toBeGreaterThanOrEqual(75 + 2 * 35)
  })

  it("is all of an account's that is alone", async () => {
    const { ask, leftOf } = sharing(1)
    const only = {}
    ask(only, "submit", 1_000)
    await settle()
    expect(leftOf(only)).toBe(95)
    ask(only, "cancel", 1_000)
    await settle()
    expect(leftOf(only)).toBe(100)
  })

  it("forgets what was taken with its window, and what was given back at once", async () => {
    const { budget, ask, takenBy, leftOf } = sharing(2)
    const [storm, other] = [{}, {}]
    ask(storm, "submit", 75)
    await settle()
    for (const taken of takenBy(storm)) budget.giveBack(taken)
    ask(other, "submit", 75)
    await settle()
    expect(leftOf(other)).toBe(75)
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS)
    expect(budget.isIdle()).toBe(true)
    ask(storm, "submit", 75)
    await settle()
    expect(leftOf(storm)).toBe(150)
  })
})
