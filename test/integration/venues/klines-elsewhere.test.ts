/** Klines at venues that do not have them all: OKX knows no 8h, 3d and 1s, and streams the others under its own names. */
import { Effect } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { type Bar, barIndex, barStart, foldBars, type KlineInterval } from "../../../src/domain/market/kline.ts"
import { klineStream } from "../../../src/ports/market-source.ts"
import { BTC, OKX_BTC, type OkxUnderTest, startOkx } from "./okx/okx-kit.ts"
import { until } from "./venue-kit.ts"

let at: OkxUnderTest
afterEach(() => at.stop())

const read = (interval: KlineInterval, limit: number) =>
  Effect.runPromise(at.venue.klines({ instrumentId: OKX_BTC, interval, from: null, to: null, limit }))

describe("klines of OKX", () => {
  it("are folded where it has no such bars, and refused where there is nothing to fold", async () => {
    at = await startOkx({ tickMillis: 50 })
    at.exchange.trade(BTC, "BUY", "0.0123")
    const parts = (await read("4h", 5)).bars
    const { bars, venueAt } = await read("8h", 3)
    const whole = (list: ReadonlyArray<Bar>) => list.map((bar) => [barStart("8h", bar.openAt), bar.close, bar.high])
    expect(bars.length).toBeGreaterThan(0)
    expect(whole(bars).at(-1)).toEqual(whole(foldBars("8h", parts)).at(-1))
    expect(barIndex("8h", bars.at(-1)?.openAt ?? 0)).toBe(barIndex("8h", venueAt))
    const refused = await Effect.runPromise(
      Effect.flip(at.venue.klines({ instrumentId: OKX_BTC, interval: "1s", from: null, to: null, limit: 1 })),
    )
    expect(refused._tag).toBe("NotSupportedByVenue")
  })

  it("are streamed with the venue's digits, and called unstreamed where there is no stream", async () => {
    at = await startOkx({ tickMillis: 50 })
    at.source.open(klineStream("1m"), OKX_BTC)
    at.source.open(klineStream("8h"), OKX_BTC)
    at.source.open(klineStream("1s"), OKX_BTC)
    await until(() => at.sink.unstreamedKlines.length === 2, "the two that are not streamed")
    expect(at.sink.unstreamedKlines.toSorted()).toEqual(["kline 1s", "kline 8h"])
    await until(() => {
      at.exchange.trade(BTC, "BUY", "0.0007")
      return at.sink.klines.length > 3
    }, "bars")
    const streamed = at.sink.klines.at(-1)
    expect(streamed?.interval).toBe("1m")
    const now = (await read("1m", 3)).bars.find(({ openAt }) => openAt === streamed?.bar.openAt)
    expect([streamed?.bar.open, streamed?.bar.low]).toEqual([now?.open, now?.low])
    expect(streamed?.bar.volume).toMatch(/^\d+(\.\d+)?$/)
  })
})
