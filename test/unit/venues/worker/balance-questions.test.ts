/** Balances that move without a pause: how often they are asked for, and what is left of the venue's budget for others. */
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import type { VenueBalances } from "../../../../src/ports/venue-session.ts"
import type { Purpose } from "../../../../src/ports/venue-stats.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { Budgets } from "../../../../src/venues/worker/budget/budgets.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { BalanceQuestions } from "../../../../src/venues/worker/session/balance-questions.ts"
import { doing } from "../../../../src/venues/worker/work.ts"

const BALANCES: VenueBalances = { complete: true, balances: [], at: 1 }
/** Of GET /fapi/v3/account, in ccxt's units: 5 of 2,400 a minute, 1,200 units. */
const COST = 2.5
const AUDITS_A_MINUTE = 1200 / 4 / COST

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const during = async (millis: number, each: number, run: () => void): Promise<void> => {
  for (let passed = 0; passed < millis; passed += each) {
    run()
    await vi.advanceTimersByTimeAsync(each)
  }
}

it("that move once are asked for after a second, and again after five while they go on moving; the last word is asked for", async () => {
  const askedAt: Array<number> = []
  const beganAt = performance.now()
  const found: Array<VenueBalances> = []
  const questions = new BalanceQuestions(
    () => {
      askedAt.push(performance.now() - beganAt)
      return Promise.resolve(BALANCES)
    },
    (balances) => found.push(balances),
  )
  await during(14_000, 100, () => questions.moved())
  await vi.advanceTimersByTimeAsync(60_000)
  expect(askedAt).toEqual([1_000, 6_000, 11_000, 16_000])
  questions.moved()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(askedAt).toHaveLength(5)
  expect(found).toHaveLength(5)
})

it("are asked for again only after the answer, also after none, and not after the session", async () => {
  let answer: () => void = () => undefined
  let asked = 0
  const found = vi.fn()
  const questions = new BalanceQuestions(() => {
    asked += 1
    return new Promise((_resolve, reject) => (answer = () => reject(new Error("no answer"))))
  }, found)
  await during(60_000, 100, () => questions.moved())
  expect(asked).toBe(1)
  answer()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(asked).toBe(2)
  questions.moved()
  answer()
  questions.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([asked, found.mock.calls.length]).toEqual([2, 0])
})

it.each([
  [2, 1],
  [20, 0.75],
])("of %i accounts at one address of BINANCEUSDM leave audits %d of their share", async (accounts, share) => {
  const profile = PROFILES.find(({ venue }) => venue === "BINANCEUSDM")
  if (profile === undefined) throw new Error("BINANCEUSDM is not in the registry")
  const budgets = new Budgets(profile)
  const sent = { audit: 0, market: 0 } satisfies Partial<Record<Purpose, number>>
  const accountOf = () => {
    const exchange = {
      rateLimit: 50,
      rollingWindowSize: 60_000,
      throttle: null,
      onRestResponse: () => undefined,
      close: () => Promise.resolve(),
    } as unknown as CcxtExchange
    budgets.install(exchange, true)
    return exchange
  }
  const busy = Array.from({ length: accounts }, () => {
    const exchange = accountOf()
    return new BalanceQuestions(
      async () => {
        await exchange.throttle(COST)
        sent.market += 1
        return BALANCES
      },
      () => undefined,
    )
  })
  const audited = accountOf()
  const auditing = { connector: "BINANCEUSDM", purpose: "audit", until: null } as const
  // More audits than there is room for, behind what they leave.
  await during(20_000, 100, () => busy.forEach((it) => void it.moved()))
  const auditAgain = async (): Promise<void> => {
    await doing(auditing, () => audited.throttle(COST))
    sent.audit += 1
    return auditAgain()
  }
  auditAgain().catch(() => undefined)
  await during(120_000, 100, () => busy.forEach((it) => void it.moved()))
  expect(sent.audit).toBeGreaterThanOrEqual(2 * AUDITS_A_MINUTE * share)
  expect(sent.market).toBeGreaterThanOrEqual(accounts * 24)
  expect(sent.market).toBeLessThanOrEqual(accounts * 29)
  expect(budgets.load().sent.doubt).toBe(0)
  budgets.close()
})
