/** OKX's public side: real ccxt in a real worker, the loopback OKX behind it. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { OKX_INSTRUMENTS } from "../../../exchanges/okx/instruments.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import { BTC, OKX_BTC, type OkxUnderTest, startOkx } from "./okx-kit.ts"

/** A repeatable walk: the same numbers in every run. */
const walk = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    // The low bits of such a generator repeat soon.
    return Math.floor(state / 65_536) % below
  }
}

describe("OKX's market data", () => {
  let at: OkxUnderTest
  beforeEach(async () => {
    at = await startOkx({ tickMillis: 50 })
  })
  afterEach(() => at.stop())

  const subscribed = (channel: string) => at.exchange.counts()[`WS subscribe ${channel}`] ?? 0

  /** Prices around the touch, sizes with few digits and with many. */
  const churn = (next: (below: number) => number, steps: number, levels = 40): void => {
    for (let i = 0; i < steps; i++) {
      const isBid = next(2) === 0
      const price = isBid ? 59_990 - next(levels) : 60_010 + next(levels)
      const quantity = next(4) === 0 ? "0" : `${next(3)}.${String(1 + next(99_999)).padStart(3 + next(5), "0")}`
      at.exchange.setLevel(BTC, isBid ? "bids" : "asks", `${price}.${next(10)}`, quantity)
    }
  }

  const isEqual = (): boolean => {
    const { isSettled, seqId } = at.exchange.book(BTC)
    return isSettled && at.sink.book.isWhole && at.sink.book.nonce === seqId
  }

  const expectEqual = (): void => {
    const shown = at.exchange.book(BTC)
    expect(at.sink.book.rows("bids")).toEqual(shown.bids)
    expect(at.sink.book.rows("asks")).toEqual(shown.asks)
  }

  const whole = async (): Promise<void> => {
    at.source.open("book", OKX_BTC)
    await until(() => at.sink.book.isWhole, "the first snapshot")
  }

  /** After a hole the next change shows it. */
  const secondSnapshot = async (next: (below: number) => number): Promise<void> => {
    await until(() => {
      if (at.sink.book.snapshots < 2) churn(next, 1)
      return at.sink.book.snapshots === 2
    }, "the second snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's sequence")
    expectEqual()
  }

  it("says that a book is the venue's while the venue answers on its connection", async () => {
    const isConfirmed = () => Effect.runPromise(at.source.confirm(OKX_BTC))
    expect(await isConfirmed()).toBe(false)
    await whole()
    expect(await Promise.all([isConfirmed(), isConfirmed()])).toEqual([true, true])
    at.source.close("book", OKX_BTC)
    expect(await isConfirmed()).toBe(false)
  })

  it("rebuilds the venue's book from snapshot and updates, digit for digit", async () => {
    const next = walk(7)
    await whole()
    for (let round = 0; round < 8; round++) {
      churn(next, 60)
      await until(isEqual, "the book at the venue's sequence")
      expectEqual()
    }
    expect(at.sink.book.snapshots).toBe(1)
    expect(at.sink.depths.length).toBeGreaterThanOrEqual(8)
    expect(
      [...at.sink.book.bids.values()].some((quantity) => !quantity.includes("e") && /\.\d{7}$/.test(quantity)),
    ).toBe(true)
  })

  it("holds the venue's 400 levels and no other, while they come and go", async () => {
    const next = walk(5)
    churn(next, 2500, 300)
    await whole()
    for (let round = 0; round < 6; round++) {
      churn(next, 300, 300)
      await until(isEqual, "the book at the venue's sequence")
      expectEqual()
    }
    expect(at.sink.book.bids.size).toBe(400)
    expect(at.sink.book.snapshots).toBe(1)
  })

  it("begins anew with a snapshot when an update was lost, and tells nothing of what came behind it", async () => {
    await whole()
    const seen: Array<string> = []
    at.sink.onDepth = (update) => seen.push(`${update.snapshot ? "snapshot" : "update"} ${update.nonce}`)
    at.exchange.fault({ fault: "dropNextDiffs", symbol: BTC, count: 1 })
    const { seqId } = at.exchange.book(BTC)
    at.exchange.setLevel(BTC, "bids", "59000.1", "1")
    await until(() => at.exchange.book(BTC).seqId > seqId, "the lost update")
    at.exchange.setLevel(BTC, "bids", "59000.2", "2")
    await until(() => at.sink.book.snapshots === 2, "the second snapshot")
    // ccxt applies an update before it looks at its sequence.
    expect(seen[0]).toMatch(/^snapshot/)
    expect(at.sink.downs).toEqual([expect.stringMatching(/^book: STREAM_GAP/)])
    await until(isEqual, "the book at the venue's sequence")
    expectEqual()
  })

  it("ends the old subscription first: a repeated one would be answered without a snapshot", async () => {
    await whole()
    at.exchange.fault({ fault: "dropNextDiffs", symbol: BTC, count: 1 })
    await secondSnapshot(walk(12))
    expect(at.exchange.counts()["WS unsubscribe"]).toBe(1)
    expect(subscribed("books")).toBe(2)
  })

  it("begins anew after repeated and after reordered updates", async () => {
    const next = walk(13)
    await whole()
    at.exchange.fault({ fault: "duplicateNextDiffs", symbol: BTC, count: 1 })
    await secondSnapshot(next)
    at.exchange.fault({ fault: "reorderNextDiffs", symbol: BTC })
    await until(() => {
      if (at.sink.book.snapshots < 3) churn(next, 1)
      return at.sink.book.snapshots === 3
    }, "the third snapshot")
    churn(next, 20)
    await until(isEqual, "the book at the venue's sequence")
    expectEqual()
  })

  it("catches up without a new snapshot after updates that came late, all at once", async () => {
    const next = walk(15)
    await whole()
    at.exchange.fault({ fault: "holdBooks", on: true })
    for (let i = 0; i < 5; i++) {
      const { seqId } = at.exchange.book(BTC)
      churn(next, 20)
      await until(() => at.exchange.book(BTC).seqId > seqId, "an update that is held back")
    }
    at.exchange.fault({ fault: "holdBooks", on: false })
    await until(isEqual, "the book at the venue's sequence")
    expectEqual()
    expect(at.sink.book.snapshots).toBe(1)
  })

  it("takes the venue's sign of life for no hole, and a book without levels for whole", async () => {
    await whole()
    at.exchange.beat(BTC)
    churn(walk(16), 5)
    await until(isEqual, "the book at the venue's sequence")
    expect(at.sink.book.snapshots).toBe(1)
    const empty = await startOkx({ market: "empty" })
    empty.source.open("book", OKX_BTC)
    await until(() => empty.sink.book.isWhole, "the empty snapshot")
    expect(empty.sink.depths).toMatchObject([{ snapshot: true, bids: [], asks: [] }])
    empty.exchange.setLevel(BTC, "bids", "50000", "1")
    await until(() => empty.sink.book.bids.get("50000") === "1", "its first level")
    await empty.stop()
  })

  it("fetches a fresh snapshot when its reader asks for one", async () => {
    const next = walk(17)
    await whole()
    at.source.resync(OKX_BTC)
    await secondSnapshot(next)
  })

  it("comes back with a snapshot after its sockets were cut", async () => {
    const next = walk(19)
    await whole()
    at.exchange.fault({ fault: "closeSockets", kind: "market" })
    await until(() => at.sink.downs.length > 0, "the news that the stream is down")
    await secondSnapshot(next)
  })

  it("moves to a new connection when the venue says that it will close this one", async () => {
    const next = walk(21)
    await whole()
    at.exchange.fault({ fault: "announceUpgrade" })
    await secondSnapshot(next)
    expect(at.exchange.counts()["WS connect public"]).toBe(2)
    expect(at.exchange.socketCount("public")).toBe(1)
  })

  it("sends every match once, in the venue's order, with the venue's digits", async () => {
    at.source.open("trade", OKX_BTC)
    await until(() => subscribed("trades-all") === 1, "the subscription")
    // Matches of one taker at one price, which the channel `trades` would add up.
    at.exchange.setLevel(BTC, "asks", "60000.3", "0.00012345")
    for (let i = 0; i < 30; i++) at.exchange.trade(BTC, i % 2 === 0 ? "BUY" : "SELL", `0.0020${10 + i}`)
    await until(() => at.sink.seenTrades.length >= 31, "every match")
    const ids = at.sink.seenTrades.map((trade) => Number(trade.externalTradeId))
    expect(ids).toEqual(ids.map((_, i) => (ids[0] ?? 0) + i))
    const [first, second] = at.sink.seenTrades
    expect([first?.price, first?.quantity, first?.side]).toEqual(["60000.3", "0.00012345", "BUY"])
    expect([second?.quantity, second?.side]).toEqual(["0.00188655", "BUY"])
    expect(at.sink.seenTrades.at(-1)).toMatchObject({ quantity: "0.002039", side: "SELL" })
  })

  it("shows last, bid and ask with their quantities in a ticker", async () => {
    at.exchange.trade(BTC, "BUY", "0.00125")
    at.source.open("ticker", OKX_BTC)
    await until(() => at.sink.tickers.length > 0, "a ticker")
    const shown = at.exchange.book(BTC)
    expect(at.sink.tickers.at(-1)).toMatchObject({
      bidPrice: shown.bids[0]?.[0],
      bidQuantity: shown.bids[0]?.[1],
      askPrice: shown.asks[0]?.[0],
      askQuantity: shown.asks[0]?.[1],
      lastQuantity: "0.00125",
      lastPrice: "60000.5",
    })
  })

  it("is silent once a stream is closed, and whole again once it is reopened", async () => {
    const next = walk(23)
    await whole()
    at.source.close("book", OKX_BTC)
    const before = at.sink.depths.length
    churn(next, 20)
    await until(() => at.exchange.counts()["WS unsubscribe"] === 1, "the venue to be told")
    expect(at.sink.depths.length).toBe(before)
    at.source.open("book", OKX_BTC)
    await secondSnapshot(next)
  })

  it("brings all streams up with few requests: a connection may send 480 in an hour", async () => {
    await at.stop()
    at = await startOkx({ tickMillis: 50, requestsPerHour: 12 })
    const ids = OKX_INSTRUMENTS.map(({ base, quote }) => `OKX:${base}/${quote}` as InstrumentId)
    for (const id of ids) for (const stream of ["book", "trade", "ticker"] as const) at.source.open(stream, id)
    await until(
      () => ids.every((id) => at.sink.tickers.some((update) => update.instrumentId === id)),
      "a ticker of every instrument",
    )
    await until(() => subscribed("books") === 5 && subscribed("trades-all") === 5, "every subscription")
    expect(at.exchange.counts()["WS subscribe"]).toBeLessThan(12)
    expect(at.sink.downs).toEqual([])
  })

  it("goes on with every other stream when the venue does not know one", async () => {
    const next = walk(25)
    await whole()
    at.exchange.fault({
      fault: "refuseSubscribe",
      channel: "tickers",
      count: 1,
      code: "60018",
      msg: "Wrong URL or channel:tickers,instId:ETH-USDT doesn't exist. Please use the correct URL, channel and parameters referring to API document.",
    })
    at.source.open("ticker", "OKX:ETH/USDT" as InstrumentId)
    await until(() => at.sink.downs.length > 0, "the refusal")
    expect(at.sink.downs).toEqual([expect.stringMatching(/^ticker: INSTRUMENT_NOT_FOUND/)])
    churn(next, 20)
    await until(isEqual, "the book at the venue's sequence")
    expectEqual()
    expect([at.sink.book.snapshots, subscribed("books")]).toEqual([1, 1])
  })

  it("asks again for a stream that was refused without a name, and for one that was never answered", async () => {
    await at.stop()
    at = await startOkx({ tickMillis: 50 }, { change: { waits: SOON_LATE } })
    await whole()
    const msg = "Internal system error"
    at.exchange.fault({ fault: "refuseSubscribe", channel: "tickers", count: 1, code: "63999", msg })
    at.exchange.fault({ fault: "loseSubscribe", channel: "trades-all", count: 1 })
    at.source.open("ticker", OKX_BTC)
    at.source.open("trade", OKX_BTC)
    await until(() => at.sink.tickers.length > 0, "the ticker after all")
    await until(() => {
      at.exchange.trade(BTC, "BUY", "0.001")
      return at.sink.seenTrades.length > 0
    }, "a trade after all")
    expect([subscribed("tickers"), subscribed("trades-all"), subscribed("books")]).toEqual([2, 2, 1])
    expect(at.sink.book.isWhole).toBe(true)
  })

  it("has the venue's instruments with their steps and smallest sizes, and no smallest worth", async () => {
    const all = await at.run(at.venue.instruments(null))
    expect(all.map(({ instrumentId }) => instrumentId).sort()).toEqual(
      OKX_INSTRUMENTS.map(({ base, quote }) => `OKX:${base}/${quote}`).sort(),
    )
    const btc = all.find(({ instrumentId }) => instrumentId === OKX_BTC)
    expect([btc?.tickSize, btc?.lotSize, btc?.minQuantity].map(String)).toEqual(["0.1", "0.00000001", "0.00001"])
    expect([btc?.precision, btc?.scale, btc?.status, btc?.minNotional]).toEqual([1, 8, "ACTIVE", null])
  })
})
