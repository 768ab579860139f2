/** A venue's request budget: who goes first, what is left for whom, and when nobody goes at all. */
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { PURPOSES, type Purpose } from "../../../../src/ports/venue-stats.ts"
import { retryAfterMillis } from "../../../../src/venues/worker/budget/budgets.ts"
import { RateBudget, type Taken } from "../../../../src/venues/worker/budget/rate-budget.ts"

const CAPACITY = 100
const WINDOW_MILLIS = 10_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const budgeting = (runsOff = false) => {
  const budget = new RateBudget({ capacity: CAPACITY, windowMillis: WINDOW_MILLIS, runsOff, limitedMillis: 2_000 })
  budget.keepRoom(1)
  const left: Array<{ readonly purpose: Purpose; readonly cost: number; readonly at: number; readonly taken: Taken }> =
    []
  const late: Array<Purpose> = []
  const ask = (purpose: Purpose, cost = 1, waitMillis: number | null = null): void => {
    budget.take(cost, purpose, waitMillis).then(
      (taken) => left.push({ purpose, cost, at: performance.now(), taken }),
      () => late.push(purpose),
    )
  }
  const names = () => left.map(({ purpose }) => purpose)
  const count = (purpose: Purpose) => names().filter((name) => name === purpose).length
  return { budget, left, late, ask, names, count }
}

const settle = () => vi.advanceTimersByTimeAsync(0)

describe("a request budget", () => {
  it("gets back all of what is larger than a window has room for", async () => {
    const { budget, ask, left } = budgeting()
    ask("submit", 2.5 * CAPACITY)
    await settle()
    budget.giveBack(left[0]!.taken)
    expect(budget.load().used).toBe(0)
  })

  it("lets everything go at once while there is room", async () => {
    const { ask, names } = budgeting()
    for (const purpose of [...PURPOSES].reverse()) ask(purpose)
    await settle()
    expect(names()).toEqual([...PURPOSES].reverse())
  })

  it("sends what waits in the order of its urgency, and within that in the order of its coming", async () => {
    const { ask, left, names } = budgeting()
    ask("cancel", CAPACITY)
    await settle()
    for (const purpose of [...PURPOSES].reverse()) for (const cost of [1, 2]) ask(purpose, cost)
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS - 1)
    expect(names()).toEqual(["cancel"])
    await vi.advanceTimersByTimeAsync(1)
    expect(names().slice(1)).toEqual(PURPOSES.flatMap((purpose) => [purpose, purpose]))
    expect(left.slice(1).map(({ cost }) => cost)).toEqual(PURPOSES.flatMap(() => [1, 2]))
  })

  it("keeps room for what is more urgent", async () => {
    const { ask, count } = budgeting()
    for (let i = 0; i < 2 * CAPACITY; i++) ask("market")
    await settle()
    expect(count("market")).toBe(65)
    for (let i = 0; i < CAPACITY; i++) ask("submit")
    await settle()
    expect(count("submit")).toBe(30)
    for (let i = 0; i < 10; i++) ask("cancel")
    await settle()
    expect(count("cancel")).toBe(5)
  })

  it("keeps no room for accounts that are not there", async () => {
    const { budget, ask, count } = budgeting()
    budget.keepRoom(0)
    for (let i = 0; i < 2 * CAPACITY; i++) ask("market")
    await settle()
    expect(count("market")).toBe(95)
  })

  it("gives audits a quarter at most, beside market data that asks for everything", async () => {
    const { ask, count, budget } = budgeting()
    for (let i = 0; i < 200; i++) {
      ask("market")
      ask("audit")
    }
    await settle()
    expect(count("audit")).toBe(25)
    expect(count("market")).toBe(40)
    expect(budget.load().waiting).toMatchObject({ market: 160, audit: 175 })
    const alone = budgeting()
    for (let i = 0; i < 200; i++) alone.ask("audit")
    await settle()
    expect(alone.count("audit")).toBe(25)
    expect(alone.budget.load()).toMatchObject({ audits: 1, used: 0.25 })
  })

  it("lets the opening of an account go before every audit that waits", async () => {
    const { ask, names, count } = budgeting()
    ask("cancel", CAPACITY)
    for (let i = 0; i < 200; i++) ask("audit")
    await settle()
    for (let i = 0; i < 40; i++) ask("opening")
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS)
    expect(names().slice(1, 41)).toEqual(Array.from({ length: 40 }, () => "opening"))
    expect(count("audit")).toBe(25)
  })

  it("leaves room for market data, submits and cancels beside accounts that open", async () => {
    const { ask, count } = budgeting()
    for (let i = 0; i < CAPACITY; i++) ask("opening")
    await settle()
    expect(count("opening")).toBe(85)
    for (let i = 0; i < CAPACITY; i++) ask("market")
    await settle()
    expect(count("market")).toBe(5)
    for (let i = 0; i < CAPACITY; i++) ask("submit")
    await settle()
    expect(count("submit")).toBe(5)
    for (let i = 0; i < CAPACITY; i++) ask("cancel")
    await settle()
    expect(count("cancel")).toBe(5)
  })

  it("gives up on what would come too late, and only on that", async () => {
    const { ask, late, names } = budgeting()
    ask("cancel", CAPACITY)
    ask("submit", 1, WINDOW_MILLIS / 2)
    ask("submit", 1, WINDOW_MILLIS * 2)
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS / 2)
    expect(late).toEqual(["submit"])
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS / 2)
    expect(names()).toEqual(["cancel", "submit"])
  })

  it("lets one that is larger than the whole budget go when there is nothing else, and takes its time back afterwards", async () => {
    const { ask, left } = budgeting()
    ask("market", 2.5 * CAPACITY)
    ask("cancel", CAPACITY)
    await settle()
    expect(left.map(({ cost }) => cost)).toEqual([2.5 * CAPACITY])
    await vi.advanceTimersByTimeAsync(2 * WINDOW_MILLIS)
    expect(left.length).toBe(1)
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS)
    expect(left.map(({ purpose }) => purpose)).toEqual(["market", "cancel"])
  })

  it("sends nothing for as long as the venue asks after 429, and counts it", async () => {
    const { ask, budget, names } = budgeting()
    budget.answered(200, null)
    budget.answered(404, null)
    budget.answered(503, null)
    budget.pause(budget.answered(429, 7000))
    ask("cancel")
    await vi.advanceTimersByTimeAsync(6999)
    expect(names()).toEqual([])
    expect(budget.load()).toMatchObject({
      pausedMillis: 1,
      answers: { ok: 1, refused: 1, failed: 1, limited: 1 },
      waiting: { cancel: 1 },
    })
    await vi.advanceTimersByTimeAsync(1)
    expect(names()).toEqual(["cancel"])
  })

  it("pauses long by itself after a ban, short after a limit", () => {
    const { budget } = budgeting()
    expect(budget.answered(429, null)).toBeLessThan(10_000)
    expect(budget.answered(418, null)).toBeGreaterThan(60_000)
    expect(budget.answered(403, null)).toBe(0)
  })

  it("believes the venue when that counts more: somebody else uses the address, too", async () => {
    const { ask, budget, count } = budgeting()
    budget.observe(0.6)
    expect(budget.load().used).toBeCloseTo(0.6)
    for (let i = 0; i < CAPACITY; i++) ask("market")
    await settle()
    expect(count("market")).toBe(5)
    // What it counts of ours is not counted twice.
    budget.observe(0.65)
    expect(budget.load().used).toBeCloseTo(0.65)
    await vi.advanceTimersByTimeAsync(WINDOW_MILLIS)
    expect(count("market")).toBe(70)
  })

  it("has its part of the budget when it shares it", async () => {
    const { ask, budget, count } = budgeting()
    budget.share(4)
    for (let i = 0; i < CAPACITY; i++) ask("cancel")
    await settle()
    expect(count("cancel")).toBe(CAPACITY / 4)
  })

  it("leaves nobody waiting when it closes", async () => {
    const { ask, budget, late } = budgeting()
    ask("cancel", CAPACITY)
    ask("audit")
    ask("submit", 1, 60_000)
    await settle()
    budget.close()
    await settle()
    expect(late.sort()).toEqual(["audit", "submit"])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("that runs off lets the next request go as soon as there is room for it, and not after a window", async () => {
    const { budget, ask, left } = budgeting(true)
    ask("opening", 80)
    ask("audit", 20)
    ask("opening", 10)
    await settle()
    expect(left.map(({ cost }) => cost)).toEqual([80])
    await vi.advanceTimersByTimeAsync(500)
    expect(left.map(({ cost }) => cost)).toEqual([80, 10])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(left.map(({ cost }) => cost)).toEqual([80, 10, 20])
    expect(budget.load().used).toBeCloseTo(0.85)
    budget.giveBack(left.at(-1)!.taken)
    expect(budget.load()).toMatchObject({ audits: 0 })
    await vi.advanceTimersByTimeAsync(6_500)
    expect(budget.load().used).toBe(0)
  })

  it.each([false, true])(
    "lets an account open beside orders in doubt that are asked for without an end (runs off: %s)",
    async (runsOff) => {
      const { budget, ask, left, count } = budgeting(runsOff)
      let isOver = false
      let doubts = 0
      const askOn = (): void => {
        doubts += 1
        if (!isOver) void budget.take(6, "doubt", null).then(askOn, () => undefined)
      }
      for (let n = 0; n < 3; n++) askOn()
      await vi.advanceTimersByTimeAsync(2 * WINDOW_MILLIS)
      for (let n = 0; n < 3; n++) ask("opening", 12)
      await vi.advanceTimersByTimeAsync(2 * WINDOW_MILLIS)
      expect(count("opening")).toBe(3)
      const before = doubts
      await vi.advanceTimersByTimeAsync(WINDOW_MILLIS)
      expect(doubts).toBeGreaterThan(before)
      isOver = true
      budget.close()
      expect(left).toHaveLength(3)
    },
  )

  it("that runs off never fills the venue's counter, and serves everyone in the end", async () => {
    const asked = fc.record({
      purpose: fc.constantFrom(...PURPOSES),
      cost: fc.integer({ min: 1, max: 40 }),
      pauseMillis: fc.integer({ min: 0, max: 4000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 60 }), async (steps) => {
        const { ask, left, late } = budgeting(true)
        for (const { purpose, cost, pauseMillis } of steps) {
          ask(purpose, cost)
          await vi.advanceTimersByTimeAsync(pauseMillis)
        }
        await vi.advanceTimersByTimeAsync(60 * WINDOW_MILLIS)
        expect(late).toEqual([])
        expect(left.length).toBe(steps.length)
        let counter = 0
        let countedAt = 0
        for (const { at, cost } of left) {
          counter = Math.max(0, counter - ((at - countedAt) * CAPACITY) / WINDOW_MILLIS) + cost
          countedAt = at
          expect(counter).toBeLessThanOrEqual(CAPACITY + 1e-6)
        }
      }),
      { numRuns: 100 },
    )
  })

  it("never spends more than it has in any window, whatever is asked, and serves everyone in the end", async () => {
    const asked = fc.record({
      purpose: fc.constantFrom(...PURPOSES),
      cost: fc.integer({ min: 1, max: 40 }),
      pauseMillis: fc.integer({ min: 0, max: 4000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { maxLength: 60 }), async (steps) => {
        const { ask, left, late } = budgeting()
        for (const { purpose, cost, pauseMillis } of steps) {
          ask(purpose, cost)
          await vi.advanceTimersByTimeAsync(pauseMillis)
        }
        await vi.advanceTimersByTimeAsync(60 * WINDOW_MILLIS)
        expect(late).toEqual([])
        expect(left.length).toBe(steps.length)
        for (const { at } of left) {
          const inWindow = left.filter((other) => other.at > at - WINDOW_MILLIS && other.at <= at)
          const sum = (of: typeof inWindow) => of.reduce((total, { cost }) => total + cost, 0)
          expect(sum(inWindow)).toBeLessThanOrEqual(CAPACITY)
          const audits = inWindow.filter(({ purpose }) => purpose === "audit")
          // One that alone is more than a quarter goes when no other is in the window.
          if (audits.length > 1) expect(sum(audits)).toBeLessThanOrEqual(CAPACITY / 4)
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe("Retry-After", () => {
  const now = Date.UTC(2030, 0, 1)
  it.each([
    ["7", 7000],
    ["0", 0],
    [new Date(now + 90_000).toUTCString(), 90_000],
    [new Date(now - 90_000).toUTCString(), null],
    ["soon", null],
    ["", null],
    [undefined, null],
  ])("%s is %s ms", (header, millis) => {
    expect(retryAfterMillis(header, now)).toBe(millis)
  })
})
