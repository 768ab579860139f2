/** The markets of a connector: who is content with those of before, and who asks the venue. Unmodified ccxt, answers of the test's own. */
import { describe, expect, it } from "vitest"
import { BINANCE } from "../../../../src/venues/adapters/binance/profile.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { Markets } from "../../../../src/venues/worker/exchange/markets.ts"

const [profile] = BINANCE
if (profile === undefined) throw new Error("Binance has no profile")

const symbol = (base: string) => ({
  symbol: `${base}USDT`,
  status: "TRADING",
  baseAsset: base,
  quoteAsset: "USDT",
  isSpotTradingAllowed: true,
  filters: [],
  permissions: ["SPOT"],
})

interface Binance extends CcxtExchange {
  fetch(url: string): Promise<unknown>
  safeSymbol(id: string): string
}

const made = async (): Promise<Binance> => {
  const Exchange = await loadExchange("binance")
  return new Exchange({ enableRateLimit: false, options: structuredClone(profile.options) }) as Binance
}

const venue = async () => {
  const exchange = await made()
  const asked: Array<string> = []
  const state = {
    listed: ["BTC"] as ReadonlyArray<string>,
    isAway: false,
    isClockAway: false,
    aheadMillis: 0,
    timesAsked: 0,
    answers: Promise.resolve(),
  }
  exchange.fetch = async (url) => {
    const { pathname } = new URL(url)
    if (pathname.endsWith("time")) state.timesAsked += 1
    const serverTime = Date.now() + state.aheadMillis
    await state.answers
    if (state.isAway) throw new Error("away")
    if (state.isClockAway && pathname.endsWith("time")) throw new Error("no time")
    if (pathname.endsWith("exchangeInfo")) asked.push(pathname)
    return pathname.endsWith("time") ? { serverTime } : { symbols: state.listed.map(symbol) }
  }
  const reached: Array<unknown> = []
  const markets = new Markets(profile, exchange, (failure) => reached.push(failure))
  const names = () => markets.listing.all().map(({ name }) => name)
  return { exchange, asked, state, markets, names, reached }
}

/** Past the moment in which what was loaded counts as fresh. */
const later = async (run: () => Promise<void>, millis: number): Promise<void> => {
  const { now } = Date
  Date.now = () => now() + millis
  try {
    await run()
  } finally {
    Date.now = now
  }
}

describe("the markets of a connector", () => {
  it("are asked for once by all who wait", async () => {
    const { asked, markets, names } = await venue()
    await Promise.all([markets.loaded(), markets.fresh(), markets.loaded()])
    await markets.fresh()
    expect(asked).toHaveLength(1)
    expect(names()).toEqual(["BTC/USDT"])
  })

  it("are asked for anew by a sync, with what is listed since and without what is gone", async () => {
    const { asked, state, markets, names } = await venue()
    await markets.loaded()
    state.listed = ["ETH"]
    await later(async () => {
      await markets.loaded()
      expect(asked).toHaveLength(1)
      await Promise.all([markets.fresh(), markets.fresh()])
    }, 60_000)
    expect(asked).toHaveLength(2)
    expect(names()).toEqual(["ETH/USDT"])
  })

  it("of before are no answer to a sync when the venue is away, but to everybody else", async () => {
    const { state, markets, names, reached } = await venue()
    await markets.loaded()
    state.isAway = true
    await later(async () => {
      await expect(markets.fresh()).rejects.toThrow("away")
      await markets.loaded()
    }, 60_000)
    expect(names()).toEqual(["BTC/USDT"])
    expect(reached).toHaveLength(2)
  })

  it("of before stay in ccxt and in who shares them when the list is empty, or less than half of it", async () => {
    const { exchange, state, markets, names } = await venue()
    const sharer = await made()
    const all = Array.from({ length: 12 }, (_, nth) => `A${nth}`)
    state.listed = all
    await markets.loaded()
    markets.share(sharer)
    const expectAll = (count: number): void => {
      for (const it of [exchange, sharer]) {
        expect(it.safeSymbol("A11USDT")).toBe("A11/USDT")
        expect(Object.keys(it.markets ?? {})).toHaveLength(count)
        expect(it.currencies["A11"]).toBeDefined()
      }
      expect(names()).toHaveLength(count)
    }
    state.listed = []
    await later(async () => {
      await expect(markets.fresh()).rejects.toThrow("no markets")
    }, 60_000)
    expectAll(12)
    // What is new of a part of the list is taken.
    state.listed = [...all.slice(0, 5), "NEW"]
    await later(() => markets.fresh(), 60_000)
    expectAll(13)
    state.listed = all.slice(0, 7)
    await later(() => markets.fresh(), 120_000)
    expect([names().length, Object.keys(sharer.markets ?? {}).length]).toEqual([7, 7])
  })

  it("of before are what streams go on with while newer ones are asked for, and when that fails", async () => {
    const { exchange, state, markets } = await venue()
    await markets.loaded()
    let answer = () => {}
    state.answers = new Promise<void>((resolve) => {
      answer = resolve
    })
    state.isAway = true
    await later(async () => {
      const asked = expect(markets.fresh()).rejects.toThrow("away")
      const streams = exchange.loadMarkets()
      answer()
      await asked
      expect(await streams).toHaveProperty("BTC/USDT")
    }, 60_000)
    expect(await exchange.loadMarkets()).toHaveProperty("BTC/USDT")
  })

  it("are there without the venue's clock, which only those who sign wait for; it is asked for until it answers", async () => {
    const { exchange, state, markets, names, reached } = await venue()
    state.isClockAway = true
    await markets.loaded()
    expect([names(), reached]).toEqual([["BTC/USDT"], [undefined]])
    await expect(markets.timed()).rejects.toThrow("no time")
    state.isClockAway = false
    await markets.timed()
    expect(typeof exchange.options["timeDifference"]).toBe("number")
    // Of before it is enough when a newer one is not told.
    state.isClockAway = true
    await later(() => markets.fresh(), 60_000)
    await markets.timed()
  })

  it("are signed for by a clock that was read after the refusal, although one was being read", async () => {
    const { exchange, state, markets } = await venue()
    await markets.loaded()
    const asked = state.timesAsked
    let answer = () => {}
    state.answers = new Promise<void>((resolve) => {
      answer = resolve
    })
    const before = markets.syncClock()
    while (state.timesAsked === asked) await new Promise((resolve) => setImmediate(resolve))
    // Its answer is on the way when the clock is set; what is signed by it is refused, once for both.
    state.aheadMillis = 600_000
    const refused = [markets.syncClock(), markets.syncClock()]
    answer()
    await Promise.all([before, ...refused])
    expect(markets.venueNow() - Date.now()).toBeGreaterThan(540_000)
    expect(state.timesAsked).toBe(asked + 2)
    expect(Number(exchange.options["timeDifference"])).toBeLessThan(-540_000)
  })
})
