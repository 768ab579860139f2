/** MOCK's public feed: what a sink gets, when, and in which pieces. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DepthUpdate, MarketSink, MarketTrade, TickerUpdate } from "../../../../src/ports/market-source.ts"
import { account, BTC, ETH, limit, mockWorld, settle } from "../../../kit/worlds/market-world.ts"

const RICH = { BTC: "100", USDT: "10000000" }

const recorded = () => {
  const depths: Array<DepthUpdate> = []
  const trades: Array<ReadonlyArray<MarketTrade>> = []
  const tickers: Array<TickerUpdate> = []
  const downs: Array<string> = []
  const unstreamed: Array<string> = []
  const sink: MarketSink = {
    depth: (update) => depths.push(update),
    trades: (frame) => trades.push(frame),
    ticker: (update) => tickers.push(update),
    kline: () => undefined,
    tradesMissed: () => undefined,
    unstreamed: (stream, instrumentId) => unstreamed.push(`${stream} ${instrumentId}`),
    down: (stream, instrumentId) => downs.push(`${stream} ${instrumentId}`),
  }
  return { sink, depths, trades, tickers, downs, unstreamed }
}

describe("MOCK's public feed", () => {
  it.scoped("sends a snapshot and then exactly the levels that changed, one update a loop turn", () =>
    Effect.gen(function* () {
      const { adapter, open } = yield* mockWorld()
      const { sink, depths } = recorded()
      const source = adapter.market(sink)
      const { session } = yield* open(account(1, RICH))
      source.open("book", BTC)
      source.open("book", BTC)
      expect(depths).toEqual([])
      yield* settle
      expect(depths.length).toBe(1)
      expect(depths[0]).toMatchObject({ snapshot: true })
      expect([depths[0]!.bids.length, depths[0]!.asks.length]).toEqual([100, 100])
      session.submit(limit("BUY", "1", "50000"))
      session.submit(limit("SELL", "2", "70000.5"))
      yield* settle
      session.submit(limit("BUY", "0.5", "49000"))
      yield* settle
      expect(depths.slice(1).map(({ snapshot, bids, asks }) => ({ snapshot, bids, asks }))).toEqual([
        { snapshot: false, bids: ["50000", "1"], asks: ["70000.5", "2"] },
        { snapshot: false, bids: ["49000", "0.5"], asks: [] },
      ])
      expect(depths.map(({ sequence }) => sequence - depths[0]!.sequence)).toEqual([0, 1, 2])
    }),
  )

  it.scoped("sends nothing of a closed stream, and a snapshot when it opens again", () =>
    Effect.gen(function* () {
      const { adapter, rig } = yield* mockWorld()
      const { sink, depths } = recorded()
      const source = adapter.market(sink)
      source.open("book", BTC)
      yield* settle
      rig.movePrice(BTC, "60010")
      source.close("book", BTC)
      rig.movePrice(BTC, "60020")
      yield* settle
      expect(depths.length).toBe(1)
      source.open("book", BTC)
      yield* settle
      rig.movePrice(BTC, "60021")
      yield* settle
      expect(depths.slice(1).map(({ snapshot }) => snapshot)).toEqual([true, false])
      expect(depths[2]!.bids).not.toContain("59999")
    }),
  )

  it.scoped("sends trades of one order together and a ticker after them, each on its own stream", () =>
    Effect.gen(function* () {
      const { adapter, open, rig } = yield* mockWorld()
      const { sink, depths, trades, tickers } = recorded()
      const source = adapter.market(sink)
      source.open("trade", BTC)
      source.open("ticker", BTC)
      source.open("ticker", ETH)
      yield* settle
      expect(tickers.map((ticker) => ticker.instrumentId)).toEqual([BTC, ETH])
      const { session } = yield* open(account(1, RICH))
      session.submit(limit("SELL", "3", "59990", { timeInForce: "IOC" }))
      yield* settle
      expect(depths).toEqual([])
      expect(trades.length).toBe(1)
      expect(trades[0]!.length).toBeGreaterThan(1)
      expect(trades[0]!.every((trade) => trade.side === "SELL")).toBe(true)
      const last = trades[0]!.at(-1)!
      const [best] = rig.book(BTC).bids
      expect(tickers.length).toBe(3)
      expect(tickers[2]).toMatchObject({
        lastPrice: last.price,
        lastQuantity: last.quantity,
        bidPrice: best![0],
        bidQuantity: best![1],
      })
    }),
  )

  it.scoped("says that a cut stream is down, and begins anew when it is mended", () =>
    Effect.gen(function* () {
      const { adapter, rig } = yield* mockWorld()
      const { sink, depths, downs } = recorded()
      const source = adapter.market(sink)
      source.open("book", BTC)
      yield* settle
      rig.loseStream("book", BTC)
      rig.movePrice(BTC, "60001")
      source.resync(BTC)
      yield* settle
      expect([downs, depths.length]).toEqual([[`book ${BTC}`], 1])
      rig.mendStream("book", BTC)
      yield* settle
      expect(depths.map(({ snapshot }) => snapshot)).toEqual([true, true])
    }),
  )

  it.scoped("says once that bars are made of trades, after the call that asked for them", () =>
    Effect.gen(function* () {
      const { adapter } = yield* mockWorld()
      const { sink, unstreamed } = recorded()
      const source = adapter.market(sink)
      source.open("kline 1m", BTC)
      source.open("kline 1m", BTC)
      source.open("kline 1h", ETH)
      expect(unstreamed).toEqual([])
      yield* settle
      yield* settle
      expect(unstreamed).toEqual([`kline 1m ${BTC}`, `kline 1h ${ETH}`])
    }),
  )
})
