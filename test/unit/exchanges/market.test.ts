/**
 * The synthetic market and the tape: one seed is one market, it never crosses itself, and candles are cut where Binance cuts them.
 */
import { describe, expect, it } from "vitest"
import { toFixed8 } from "../../exchanges/binance/fixed.ts"
import { Matching } from "../../exchanges/binance/matching.ts"
import { DEFAULT_SYMBOLS, SyntheticMarket } from "../../exchanges/binance/replay/synthetic.ts"
import { candlePeriod, Tape } from "../../exchanges/binance/replay/tape.ts"

const SILENT = {
  onLevel: () => undefined,
  onTrade: () => undefined,
  onOrder: () => undefined,
  onBalances: () => undefined,
}

const play = (seed: number, steps: number, look: (matching: Matching) => void): void => {
  const matching = new Matching(SILENT, () => 1_700_000_000_000)
  const markets = DEFAULT_SYMBOLS.map((rules) => new SyntheticMarket(matching, matching.addSymbol(rules), seed))
  for (let step = 0; step < steps; step += 1) {
    for (const market of markets) market.step()
    look(matching)
  }
}

const picture = (seed: number): string => {
  const seen: Array<string> = []
  play(seed, 50, (matching) => {
    for (const { bids, asks, tape } of matching.markets.values()) {
      seen.push([bids.best?.price, bids.best?.total, asks.best?.price, asks.best?.total, tape.last?.price].join())
    }
  })
  return seen.join(";")
}

describe("the synthetic market", () => {
  it("is the same for the same seed and another for another", () => {
    expect(picture(7)).toBe(picture(7))
    expect(picture(7)).not.toBe(picture(8))
  })

  it("moves, trades, keeps both sides deep, and never crosses itself", () => {
    const mids = new Set<bigint>()
    play(3, 500, (matching) => {
      for (const [symbol, { bids, asks }] of matching.markets) {
        const [bid, ask] = [bids.best?.price ?? 0n, asks.best?.price ?? 0n]
        expect(bid > 0n && bid < ask, `${symbol} ${bid} ${ask}`).toBe(true)
        expect(Math.min(bids.levels.length, asks.levels.length)).toBeGreaterThan(80)
        if (symbol === "BTCUSDT") mids.add(bid + ask)
      }
    })
    expect(mids.size).toBeGreaterThan(10)
  })
})

describe("candles", () => {
  it.each([
    ["1m", "2024-08-08T23:59:59.999Z", "2024-08-08T23:59:00.000Z", "2024-08-08T23:59:59.999Z"],
    ["1w", "2024-08-08T12:00:00.000Z", "2024-08-05T00:00:00.000Z", "2024-08-11T23:59:59.999Z"],
    ["1M", "2024-02-29T12:00:00.000Z", "2024-02-01T00:00:00.000Z", "2024-02-29T23:59:59.999Z"],
  ])("of %s that hold %s open at %s and close at %s", (interval, at, opens, closes) => {
    const { openAt, closeAt } = candlePeriod(interval, Date.parse(at))
    expect([new Date(openAt).toISOString(), new Date(closeAt).toISOString()]).toEqual([opens, closes])
  })

  it("take in every trade, and go on at the last price when nobody trades", () => {
    const tape = new Tape()
    const trade = (tradeId: number, price: string, tradedAt: number) =>
      tape.add({ tradeId, price: toFixed8(price), quantity: toFixed8("2"), tradedAt, isBuyerMaker: tradeId === 2 })
    trade(1, "100", 0)
    trade(2, "90", 30_000)
    trade(3, "95", 59_999)
    const [first, second, third] = tape.candles("1m", 120_000)
    expect(first).toMatchObject({
      open: toFixed8("100"),
      high: toFixed8("100"),
      low: toFixed8("90"),
      close: toFixed8("95"),
    })
    expect(first).toMatchObject({ volume: toFixed8("6"), takerBuyVolume: toFixed8("4"), tradeCount: 3, lastTradeId: 3 })
    expect(first?.quoteVolume).toBe(toFixed8("570"))
    for (const [candle, openAt] of [
      [second, 60_000],
      [third, 120_000],
    ] as const)
      expect(candle).toMatchObject({ openAt, open: toFixed8("95"), volume: 0n, tradeCount: 0, firstTradeId: -1 })
    expect(tape.candles("1m", 120_000)).toHaveLength(3)
  })
})
