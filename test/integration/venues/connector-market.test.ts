/** The public side of a connector: real ccxt in a real worker, the loopback exchange behind it. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BTC_USDT, startVenue, until, type VenueUnderTest } from "./venue-kit.ts"

const PRICES = 40

/** A repeatable walk: the same numbers in every run. */
const walk = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    // The low bits of such a generator repeat soon.
    return Math.floor(state / 65_536) % below
  }
}

describe("a connector's market data", () => {
  let at: VenueUnderTest
  beforeEach(async () => {
    at = await startVenue({ market: "still", tickMillis: 50 })
  })
  afterEach(() => at.stop())

  const churn = (next: (below: number) => number, steps: number): void => {
    for (let i = 0; i < steps; i++) {
      const isBid = next(2) === 0
      const price = isBid ? 59_900 - next(PRICES) : 60_100 + next(PRICES)
      const quantity = next(4) === 0 ? "0" : `${next(3)}.${String(1 + next(99_999)).padStart(5, "0")}`
      at.exchange.setLevel("BTCUSDT", isBid ? "bids" : "asks", `${price}.50`, quantity)
    }
  }

  const isEqual = (): boolean => {
    const shown = at.exchange.depth("BTCUSDT", 5000)
    return at.sink.book.isWhole && at.sink.book.nonce === shown.lastUpdateId
  }

  const expectEqual = (): void => {
    const shown = at.exchange.depth("BTCUSDT", 5000)
    expect(at.sink.book.rows("bids")).toEqual(shown.bids)
    expect(at.sink.book.rows("asks")).toEqual(shown.asks)
  }

  it("says that a book is the venue's while the venue answers on its connection", async () => {
    const isConfirmed = () => Effect.runPromise(at.source.confirm(BTC_USDT))
    expect(await isConfirmed()).toBe(false)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    expect(await Promise.all([isConfirmed(), isConfirmed()])).toEqual([true, true])
    at.source.close("book", BTC_USDT)
    expect(await isConfirmed()).toBe(false)
  })

  it("rebuilds the venue's book from snapshot and differences, digit for digit", async () => {
    const next = walk(7)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    for (let round = 0; round < 8; round++) {
      churn(next, 60)
      await until(isEqual, "the book at the venue's update id")
      expectEqual()
    }
    expect(at.sink.book.snapshots).toBe(1)
    expect(at.sink.depths.length).toBeGreaterThanOrEqual(8)
    const quantities = at.sink.depths.flatMap((update) =>
      [...update.bids, ...update.asks].filter((_, i) => i % 2 === 1),
    )
    expect(quantities.some((quantity) => /^\d\.\d{5}000$/.test(quantity))).toBe(true)
    expect(quantities.every((quantity) => quantity === "0" || /^\d+\.\d{8}$/.test(quantity))).toBe(true)
  })

  it("begins anew with a snapshot when the venue's frames have a hole", async () => {
    const next = walk(11)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    at.exchange.fault({ fault: "dropNextDiffs", symbol: "BTCUSDT", count: 1 })
    churn(next, 20)
    await until(() => {
      churn(next, 1)
      return at.sink.book.snapshots === 2
    }, "the second snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's update id")
    expectEqual()
    expect(at.sink.downs.some((down) => down.startsWith("book: STREAM_GAP"))).toBe(true)
  })

  it("keeps its book through repeated frames, and begins anew after reordered ones", async () => {
    const next = walk(13)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    at.exchange.fault({ fault: "duplicateNextDiffs", symbol: "BTCUSDT", count: 2 })
    churn(next, 20)
    await until(isEqual, "the book at the venue's update id")
    expectEqual()
    expect(at.sink.book.snapshots).toBe(1)
    at.exchange.fault({ fault: "reorderNextDiffs", symbol: "BTCUSDT" })
    await until(() => {
      churn(next, 1)
      return at.sink.book.snapshots === 2
    }, "the second snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's update id")
    expectEqual()
  })

  it("fetches a fresh snapshot when its reader asks for one", async () => {
    const next = walk(17)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    at.source.resync(BTC_USDT)
    await until(() => at.sink.book.snapshots === 2, "the second snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's update id")
    expectEqual()
  })

  it("comes back with a snapshot after its sockets were cut", async () => {
    const next = walk(19)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    at.exchange.fault({ fault: "closeSockets", kind: "market" })
    await until(() => at.sink.downs.length > 0, "the news that the stream is down")
    await until(() => at.sink.book.snapshots === 2, "the second snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's update id")
    expectEqual()
  })

  it("sends every trade once, in the venue's order, with the venue's digits", async () => {
    at.source.open("trade", BTC_USDT)
    await until(() => (at.exchange.counts()["WS SUBSCRIBE"] ?? 0) === 1, "the subscription")
    for (let i = 0; i < 30; i++) {
      at.exchange.trade("BTCUSDT", i % 2 === 0 ? "BUY" : "SELL", `0.000${10 + i}`)
    }
    await until(() => at.sink.seenTrades.length >= 30, "thirty trades")
    const ids = at.sink.seenTrades.map((trade) => Number(trade.externalTradeId))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    for (const trade of at.sink.seenTrades) {
      expect(trade.price).toMatch(/^\d+\.\d{8}$/)
      expect(trade.quantity).toMatch(/^0\.000\d\d000$/)
    }
    expect(at.sink.seenTrades.map((trade) => trade.side).slice(0, 2)).toEqual(["BUY", "SELL"])
  })

  it("shows last, bid and ask with their quantities in a ticker", async () => {
    at.exchange.trade("BTCUSDT", "BUY", "0.00125")
    at.source.open("ticker", BTC_USDT)
    await until(() => at.sink.tickers.length > 0, "a ticker")
    const ticker = at.sink.tickers.at(-1)
    const shown = at.exchange.depth("BTCUSDT", 1)
    expect([ticker?.bidPrice, ticker?.bidQuantity]).toEqual(shown.bids[0])
    expect([ticker?.askPrice, ticker?.askQuantity]).toEqual(shown.asks[0])
    expect(ticker?.lastQuantity).toBe("0.00125000")
    expect(ticker?.lastPrice).toMatch(/^\d+\.\d{8}$/)
  })

  it("is silent once a stream is closed, and whole again once it is reopened", async () => {
    const next = walk(23)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.isWhole, "the first snapshot")
    at.source.close("book", BTC_USDT)
    const before = at.sink.depths.length
    churn(next, 20)
    await until(() => (at.exchange.counts()["WS UNSUBSCRIBE"] ?? 0) === 1, "the venue to be told")
    expect(at.sink.depths.length).toBe(before)
    at.source.open("book", BTC_USDT)
    await until(() => at.sink.book.snapshots === 2, "the second snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's update id")
    expectEqual()
  })
})
