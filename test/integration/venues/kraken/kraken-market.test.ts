/** Kraken's public side: real ccxt in a real worker, the loopback Kraken behind it. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { DEFAULT_PAIRS } from "../../../exchanges/kraken/pairs.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import { BTC, KRAKEN_BTC, type KrakenUnderTest, startKraken } from "./kraken-kit.ts"

/** A repeatable walk: the same numbers in every run. */
const walk = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    // The low bits of such a generator repeat soon.
    return Math.floor(state / 65_536) % below
  }
}

describe("Kraken's market data", () => {
  let at: KrakenUnderTest
  beforeEach(async () => {
    at = await startKraken({}, { waits: SOON_LATE })
  })
  afterEach(() => at.stop())

  const subscribed = (channel: string) => at.exchange.counts()[`WS subscribe ${channel}`] ?? 0

  /** Prices around the touch, sizes with few digits and with many. */
  const churn = (next: (below: number) => number, steps: number, levels = 40): void => {
    for (let i = 0; i < steps; i++) {
      const isBid = next(2) === 0
      const price = isBid ? 59_999 - next(levels) : 60_001 + next(levels)
      const quantity = next(4) === 0 ? "0" : `${next(3)}.${String(1 + next(99_999)).padStart(3 + next(5), "0")}`
      at.exchange.setLevel(BTC, isBid ? "bids" : "asks", `${price}.${next(10)}`, quantity)
    }
  }

  const shown = () => at.exchange.depth(BTC, 1000)
  const rows = () => ({ bids: at.sink.book.rows("bids"), asks: at.sink.book.rows("asks") })
  const isEqual = (): boolean => at.sink.book.isWhole && JSON.stringify(rows()) === JSON.stringify(shown())

  const equal = async (): Promise<void> => {
    try {
      await until(isEqual, "the venue's book")
    } catch {
      expect(rows()).toEqual(shown())
    }
  }

  const isCrossed = (): boolean => {
    const [bid, ask] = [at.sink.book.best("bids"), at.sink.book.best("asks")]
    return bid !== undefined && ask !== undefined && Number(bid[0]) >= Number(ask[0])
  }

  const whole = async (): Promise<void> => {
    at.source.open("book", KRAKEN_BTC)
    await until(() => at.sink.book.isWhole, "the first snapshot")
  }

  /** What is wrong shows with the next change. */
  const snapshots = async (count: number, next: (below: number) => number): Promise<void> => {
    await until(() => {
      if (at.sink.book.snapshots < count) churn(next, 1, 1)
      return at.sink.book.snapshots === count
    }, `snapshot ${count}`)
    churn(next, 20)
    await equal()
  }

  it("says that a book is the venue's while the venue answers on its connection", async () => {
    const isConfirmed = () => Effect.runPromise(at.source.confirm(KRAKEN_BTC))
    expect(await isConfirmed()).toBe(false)
    await whole()
    expect(await Promise.all([isConfirmed(), isConfirmed()])).toEqual([true, true])
    at.source.close("book", KRAKEN_BTC)
    expect(await isConfirmed()).toBe(false)
  })

  it("rebuilds the venue's book from snapshot and updates, digit for digit", async () => {
    const next = walk(7)
    await whole()
    at.sink.onDepth = () => expect(isCrossed()).toBe(false)
    for (let round = 0; round < 8; round++) {
      churn(next, 60)
      await equal()
    }
    expect(at.sink.book.snapshots).toBe(1)
    expect(at.sink.downs).toEqual([])
    expect([...at.sink.book.bids.values()].some((quantity) => /\.\d{7}[1-9]$/.test(quantity))).toBe(true)
  })

  it.each([
    ["a lost update", { fault: "dropNextDiffs", symbol: BTC, count: 1 }],
    ["two updates in the wrong order", { fault: "reorderNextDiffs", symbol: BTC }],
    ["a late update", { fault: "delayNextBook", symbol: BTC, millis: 300 }],
  ] as const)("begins anew with a snapshot after %s, and never shows a book that is wrong", async (_, fault) => {
    const next = walk(11)
    await whole()
    at.exchange.fault(fault)
    await snapshots(2, next)
    expect(at.sink.downs).toEqual([expect.stringMatching(/^book: STREAM_GAP/)])
    expect(subscribed("book")).toBe(2)
    expect(isCrossed()).toBe(false)
  })

  it("is not misled by an update that comes twice", async () => {
    const next = walk(13)
    await whole()
    at.exchange.fault({ fault: "duplicateNextDiffs", symbol: BTC, count: 2 })
    for (let round = 0; round < 3; round++) {
      churn(next, 10)
      await equal()
    }
  })

  it("finds in time what was lost below the levels that the checksum covers, without a new beginning", async () => {
    await at.stop()
    at = await startKraken({}, { bookRefreshMillis: 500 })
    await whole()
    at.exchange.fault({ fault: "dropNextDiffs", symbol: BTC, count: 1 })
    at.exchange.setLevel(BTC, "bids", "59000.1", "7.5")
    await equal()
    expect(at.sink.book.bids.get("59000.1")).toBe("7.50000000")
    expect([at.sink.book.snapshots, at.sink.downs.length]).toEqual([1, 0])
  })

  it("comes back with a snapshot after its sockets were cut", async () => {
    const next = walk(19)
    await whole()
    at.exchange.fault({ fault: "closeSockets", kind: "market" })
    await until(() => at.sink.downs.length > 0, "the news that the stream is down")
    await snapshots(2, next)
  })

  it("fetches a fresh snapshot when its reader asks for one", async () => {
    await whole()
    at.source.resync(KRAKEN_BTC)
    await snapshots(2, walk(17))
  })

  it("is silent once a stream is closed, and whole again once it is reopened", async () => {
    const next = walk(23)
    await whole()
    at.source.close("book", KRAKEN_BTC)
    await until(() => (at.exchange.counts()["WS unsubscribe book"] ?? 0) === 1, "the venue to be told")
    const before = at.sink.depths.length
    churn(next, 20)
    at.source.open("book", KRAKEN_BTC)
    await snapshots(2, next)
    expect(at.sink.depths[before]?.snapshot).toBe(true)
  })

  it("goes on with a book beside one that the venue refuses, and one that it never answers", async () => {
    await whole()
    at.exchange.fault({ fault: "refuseSubscribe", channel: "ticker", count: 1, text: "Internal error" })
    at.exchange.fault({ fault: "loseSubscribe", channel: "trade", count: 1 })
    at.source.open("ticker", KRAKEN_BTC)
    at.source.open("trade", KRAKEN_BTC)
    await until(() => at.sink.tickers.length > 0, "the ticker after all")
    await until(() => {
      at.exchange.trade(BTC, "BUY", "0.001")
      return at.sink.seenTrades.length > 0
    }, "a trade after all")
    expect(at.sink.book.snapshots).toBe(1)
    await equal()
  })

  it("sends every trade once, in the venue's order, with the venue's digits, over a cut", async () => {
    at.exchange.trade(BTC, "BUY", "0.5")
    at.source.open("trade", KRAKEN_BTC)
    await until(() => subscribed("trade") === 1, "the subscription")
    await until(() => {
      at.exchange.trade(BTC, "SELL", "0.001")
      return at.sink.seenTrades.length > 0
    }, "the first trade")
    for (let i = 0; i < 15; i++) at.exchange.trade(BTC, i % 2 === 0 ? "BUY" : "SELL", `0.0020${10 + i}`)
    at.exchange.fault({ fault: "refuseWebSockets", on: true })
    at.exchange.fault({ fault: "closeSockets", kind: "market" })
    await until(() => at.sink.downs.length > 0, "the news that the stream is down")
    // More than the 50 that come with a subscription.
    for (let i = 0; i < 80; i++) at.exchange.trade(BTC, "BUY", `0.001${100 + i}`)
    at.exchange.fault({ fault: "refuseWebSockets", on: false })
    await until(() => subscribed("trade") >= 2, "the next subscription")
    at.exchange.trade(BTC, "SELL", "0.00777")
    await until(() => at.sink.seenTrades.some(({ quantity }) => quantity === "0.00777000"), "the trade behind the hole")
    const ids = at.sink.seenTrades.map((trade) => Number(trade.externalTradeId))
    expect(ids).toEqual(ids.map((_, i) => (ids[0] ?? 0) + i))
    const bought = at.sink.seenTrades.filter(({ quantity }) => /^0\.001[1-9]\d{4}$/.test(quantity))
    expect(bought.map(({ quantity }) => quantity)).toEqual(Array.from({ length: 80 }, (_, i) => `0.001${100 + i}00`))
    // Of before anybody listened.
    expect(at.sink.seenTrades.some(({ quantity }) => quantity === "0.50000000")).toBe(false)
  })

  it("shows last, bid and ask with their quantities in a ticker", async () => {
    at.source.open("ticker", KRAKEN_BTC)
    await until(() => at.sink.tickers.length > 0, "a ticker")
    at.exchange.setLevel(BTC, "bids", "59999.9", "0.01234567")
    await until(() => at.sink.tickers.at(-1)?.bidQuantity === "0.01234567", "the new best bid")
    const [ask] = shown().asks
    expect(at.sink.tickers.at(-1)).toMatchObject({
      bidPrice: "59999.9",
      askPrice: ask?.[0],
      askQuantity: ask?.[1],
      lastQuantity: null,
    })
  })

  it("has the venue's instruments with their steps, smallest sizes and smallest worth, under today's names", async () => {
    const all = await at.run(at.venue.instruments(null))
    expect(all.map(({ instrumentId }) => instrumentId).sort()).toEqual(
      DEFAULT_PAIRS.map(({ symbol }) => `KRAKEN:${symbol}` as InstrumentId).sort(),
    )
    const btc = all.find(({ instrumentId }) => instrumentId === KRAKEN_BTC)
    expect([btc?.tickSize, btc?.lotSize, btc?.minQuantity, btc?.minNotional].map(String)).toEqual([
      "0.1",
      "0.00000001",
      "0.00005",
      "0.5",
    ])
    expect([btc?.baseAsset, btc?.quoteAsset, btc?.precision, btc?.scale]).toEqual(["BTC", "USD", 1, 8])
  })
})
