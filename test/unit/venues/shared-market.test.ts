/** One feed for several readers: whoever comes later is told what the first one was told about streams that do not exist. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { MarketSink } from "../../../src/ports/market-source.ts"
import { SharedMarket } from "../../../src/venues/paper/venue.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId

const reader = () => {
  const told: Array<string> = []
  const sink: MarketSink = {
    depth: () => undefined,
    trades: () => undefined,
    ticker: () => undefined,
    kline: () => undefined,
    tradesMissed: (instrumentId) => told.push(`missed ${instrumentId}`),
    unstreamed: (stream, instrumentId) => told.push(`${stream} ${instrumentId}`),
    down: () => undefined,
  }
  return { sink, told }
}

describe("a shared feed", () => {
  it("tells each reader of klines that the venue does not stream them, as long as somebody asks for them", async () => {
    let venue: MarketSink | undefined
    const opened: Array<string> = []
    const shared = new SharedMarket((sink) => {
      venue = sink
      return {
        open: (stream) => opened.push(stream),
        close: () => undefined,
        resync: () => undefined,
        confirm: () => Effect.succeed(true),
      }
    })
    const [first, second, third] = [reader(), reader(), reader()]
    const [a, b, c] = [first, second, third].map(({ sink }) => shared.attach(sink))
    a?.open("kline 8h", BTC)
    venue?.unstreamed("kline 8h", BTC)
    b?.open("kline 8h", BTC)
    expect(second.told).toEqual([])
    await Promise.resolve()
    expect([first.told, second.told]).toEqual([[`kline 8h ${BTC}`], [`kline 8h ${BTC}`]])
    expect(opened).toEqual(["kline 8h"])
    a?.close("kline 8h", BTC)
    b?.close("kline 8h", BTC)
    c?.open("kline 8h", BTC)
    await Promise.resolve()
    // The venue is asked anew, and answers for itself.
    expect(opened).toEqual(["kline 8h", "kline 8h"])
    expect(third.told).toEqual([])
  })
})
