/** The request budget of one account at a venue that counts its orders apart from its questions. */
import { afterEach, describe, expect, it, vi } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { Purpose } from "../../../../src/ports/venue-stats.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { Budgets } from "../../../../src/venues/worker/budget/budgets.ts"
import { RateBudget } from "../../../../src/venues/worker/budget/rate-budget.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { Gate } from "../../../../src/venues/worker/gate.ts"
import { behind, doing, ordering } from "../../../../src/venues/worker/work.ts"

/** Of trade/order, in ccxt 4.5.84. */
const OKX_ORDER_COST = 1 / 3
/** Of order/create, in ccxt 4.5.84. */
const CREATE_COST = 2.5

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

/** What budgets take over of an instance that asks nobody. */
const NOTHING = { throttle: null, fetch2: () => Promise.resolve(), onRestResponse: () => undefined }

/** By a clock that the test turns. */
const turned = (): void => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] })

afterEach(() => void vi.useRealTimers())

describe("the pace of an account", () => {
  it("lets what costs nothing go at once, however many questions wait", async () => {
    const budget = new RateBudget({ capacity: 45, windowMillis: 45_000, limitedMillis: 2_000 })
    expect(await leaving(budget, "doubt", 3, 20)).toBe(14)
    expect(await leaving(budget, "submit", 0, 5)).toBe(5)
    expect(await leaving(budget, "cancel", 0, 5)).toBe(5)
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

  it("keeps each pair of an account below the 10 orders that GATE takes in a second, whatever goes to others", async () => {
    const profile = PROFILES.find(({ venue }) => venue === "GATE")
    if (profile === undefined) throw new Error("GATE is not in the registry")
    const budgets = new Budgets(profile)
    const exchange = { rateLimit: 50, rollingWindowSize: 0, ...NOTHING }
    const account = Object.assign(exchange, { close: () => Promise.resolve() }) as unknown as CcxtExchange
    budgets.install(account, true)
    const sent = async (pair: string): Promise<number> => {
      let left = 0
      const order = { instrumentId: `GATE:${pair}` as InstrumentId }
      for (let i = 0; i < 20; i++)
        void ordering(order, Date.now() + 60_000, () =>
          account.throttle(0).then(
            () => (left += 1),
            () => undefined,
          ),
        )
      await new Promise((resolve) => setImmediate(resolve))
      return left
    }
    expect([await sent("BTC/USDT"), await sent("ETH/USDT"), await sent("BTC/USDT")]).toEqual([9, 9, 0])
    budgets.close()
  })

  it("keeps a pair below them when they have all waited for the venue to take requests again", async () => {
    turned()
    const profile = PROFILES.find(({ venue }) => venue === "GATE")
    if (profile === undefined) throw new Error("GATE is not in the registry")
    const budgets = new Budgets(profile)
    const made = (ofAccount: boolean): CcxtExchange => {
      const exchange = { rateLimit: 50, rollingWindowSize: 0, ...NOTHING, close: () => Promise.resolve() }
      budgets.install(exchange as unknown as CcxtExchange, ofAccount)
      return exchange as unknown as CcxtExchange
    }
    const account = made(true)
    made(false).onRestResponse(429, "", "", "GET", { "retry-after": "1" }, "{}")
    let left = 0
    const submit = (pair: string): void => {
      void ordering({ instrumentId: `GATE:${pair}` as InstrumentId }, Date.now() + 60_000, () =>
        account.throttle(0).then(
          () => (left += pair === "BTC/USDT" ? 1 : 0),
          () => undefined,
        ),
      )
    }
    // Another pair between them: what nothing counts in is forgotten for it.
    for (const pair of ["BTC/USDT", "ETH/USDT", "BTC/USDT"]) for (let i = 0; i < 10; i++) submit(pair)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(left).toBe(9)
    budgets.close()
  })

  it("keeps each account below the 60 orders that OKX takes of a user in 2 s, whatever others send", async () => {
    const profile = PROFILES.find(({ venue }) => venue === "OKX")
    if (profile === undefined) throw new Error("OKX is not in the registry")
    const budgets = new Budgets(profile)
    const sent = async (): Promise<number> => {
      const exchange = { rateLimit: 100, rollingWindowSize: 2000, ...NOTHING }
      const account = Object.assign(exchange, { close: () => Promise.resolve() }) as unknown as CcxtExchange
      budgets.install(account, true)
      let left = 0
      const order = { instrumentId: "OKX:BTC/USDT" as InstrumentId }
      for (let i = 0; i < 80; i++)
        void ordering(order, Date.now() + 60_000, () =>
          account.throttle(OKX_ORDER_COST).then(
            () => (left += 1),
            () => undefined,
          ),
        )
      await new Promise((resolve) => setImmediate(resolve))
      return left
    }
    // Cancels have the rest.
    expect([await sent(), await sent()]).toEqual([51, 51])
    budgets.close()
  })

  it("lets an address ask BITFINEX at once what it takes in a minute, which is a window that ccxt names where it knows none", async () => {
    const profile = PROFILES.find(({ venue }) => venue === "BITFINEX")
    if (profile === undefined) throw new Error("BITFINEX is not in the registry")
    const budgets = new Budgets(profile)
    const exchange = { rateLimit: 250, rollingWindowSize: 60_000, ...NOTHING }
    const account = Object.assign(exchange, { close: () => Promise.resolve() }) as unknown as CcxtExchange
    budgets.install(account, true)
    let left = 0
    for (let i = 0; i < 120; i++)
      void doing({ connector: "BITFINEX", purpose: "cancel", until: null }, () =>
        account.throttle(2.7).then(
          () => (left += 1),
          () => undefined,
        ),
      )
    await new Promise((resolve) => setImmediate(resolve))
    // 90 in a minute, of each endpoint.
    expect(left).toBe(88)
    budgets.close()
  })

  it("keeps each account below the 20 orders that BYBIT takes of it in a second, whatever others send", async () => {
    const profile = PROFILES.find(({ venue }) => venue === "BYBIT")
    if (profile === undefined) throw new Error("BYBIT is not in the registry")
    const budgets = new Budgets(profile)
    const account = (): CcxtExchange => {
      const exchange = { rateLimit: 20, rollingWindowSize: 5000, ...NOTHING }
      budgets.install(Object.assign(exchange, { close: () => Promise.resolve() }) as unknown as CcxtExchange, true)
      return exchange as unknown as CcxtExchange
    }
    const sent = async (exchange: CcxtExchange): Promise<number> => {
      let left = 0
      for (let i = 0; i < 40; i++)
        void doing({ connector: "BYBIT", purpose: "submit", until: null }, () =>
          exchange.throttle(CREATE_COST).then(
            () => (left += 1),
            () => undefined,
          ),
        )
      await new Promise((resolve) => setImmediate(resolve))
      return left
    }
    expect([await sent(account()), await sent(account())]).toEqual([15, 15])
    budgets.close()
  })

  it("has room again for what was given up, and not for what was sent meanwhile", async () => {
    turned()
    const profile = PROFILES.find(({ venue }) => venue === "BYBIT")
    if (profile === undefined) throw new Error("BYBIT is not in the registry")
    const budgets = new Budgets(profile)
    const exchange = { rateLimit: 20, rollingWindowSize: 5000, ...NOTHING, close: () => Promise.resolve() }
    const account = exchange as unknown as CcxtExchange
    budgets.install(account, true)
    let left = 0
    const ask = (): Promise<unknown> =>
      account.throttle(CREATE_COST).then(
        () => (left += 1),
        () => undefined,
      )
    const submit = (gate?: Gate): void =>
      doing({ connector: "BYBIT", purpose: "submit", until: null }, () => {
        void (gate === undefined ? ask() : behind(gate, ask))
      })
    const gates = Array.from({ length: 15 }, () => new Gate())
    for (const gate of gates) submit(gate)
    await vi.advanceTimersByTimeAsync(900)
    gates.pop()?.drop()
    for (let i = 0; i < 2; i++) submit()
    await vi.advanceTimersByTimeAsync(0)
    expect(left).toBe(15 + 1)
    // The places of those that wait at their gates are free by now.
    await vi.advanceTimersByTimeAsync(100)
    for (let i = 0; i < 20; i++) submit()
    await vi.advanceTimersByTimeAsync(0)
    expect(left).toBe(16 + 14)
    for (const gate of gates) gate.drop()
    await vi.advanceTimersByTimeAsync(0)
    expect(left).toBe(16 + 14)
    budgets.close()
  })

  it("leaves to the address what takes no key: COINBASE answers 10 of those in a second, whatever asks", async () => {
    const profile = PROFILES.find(({ venue }) => venue === "COINBASE")
    if (profile === undefined) throw new Error("COINBASE is not in the registry")
    const budgets = new Budgets(profile)
    const account = (): CcxtExchange => {
      const exchange = { rateLimit: 34, rollingWindowSize: 0, ...NOTHING, close: () => Promise.resolve() }
      const made = exchange as unknown as CcxtExchange
      // As ccxt does: 3 for each of its public endpoints, 1 for the private ones.
      made.fetch2 = (_path, api) => made.throttle([api].flat().includes("public") ? 3 : 1)
      budgets.install(made, true)
      return made
    }
    const accounts = [account(), account()]
    const sent = async (api: ReadonlyArray<string>): Promise<number> => {
      let left = 0
      for (let i = 0; i < 40; i++)
        void doing({ connector: "COINBASE", purpose: "doubt", until: null }, () => {
          return accounts[i % 2]!.fetch2("brokerage/time", api).then(
            () => (left += 1),
            () => undefined,
          )
        })
      await new Promise((resolve) => setImmediate(resolve))
      return left
    }
    expect([await sent(["v3", "public"]), await sent(["v3", "private"])]).toEqual([9, 40])
    budgets.close()
  })
})
