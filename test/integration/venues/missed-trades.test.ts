/** The trades that happen while a stream is interrupted: real ccxt in a real worker, a loopback exchange behind it. */
import { afterEach, describe, expect, it } from "vitest"
import type { MarketTrade } from "../../../src/ports/market-source.ts"
import { BTC, OKX_BTC, startOkx } from "./okx-kit.ts"
import { BTC_USDT, startVenue, until } from "./venue-kit.ts"

const MISSED = 40

let stop: (() => Promise<void>) | undefined
afterEach(async () => {
  await stop?.()
  stop = undefined
})

const quantitiesOf = (trades: ReadonlyArray<MarketTrade>): ReadonlyArray<number> =>
  trades.map(({ quantity }) => Number(quantity))

/** 0.00001, 0.00002, …: each trade has a quantity of its own, which tells its place, and all find room on the best level. */
const nth = (n: number): string => `0.${String(n).padStart(5, "0")}`
const upTo = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => Number(nth(i + 1)))

interface Scene {
  readonly trade: (n: number) => void
  readonly subscriptions: () => number
  readonly cut: () => void
  readonly seen: () => ReadonlyArray<MarketTrade>
  readonly open: () => void
}

const liveOverACut = async ({ trade, subscriptions, cut, seen, open }: Scene): Promise<void> => {
  open()
  await until(() => subscriptions() === 1, "the subscription")
  trade(1)
  await until(() => seen().length === 1, "the first trade")
  cut()
  for (let n = 2; n <= MISSED; n++) trade(n)
  await until(() => subscriptions() === 2, "the next subscription")
  trade(MISSED + 1)
}

const binance = async (): Promise<{ readonly scene: Scene; readonly fault: (status: number) => void }> => {
  const at = await startVenue({ market: "still", tickMillis: 50 })
  stop = () => at.stop()
  return {
    scene: {
      trade: (n) => void at.exchange.trade("BTCUSDT", n % 2 === 0 ? "BUY" : "SELL", nth(n)),
      subscriptions: () => at.exchange.counts()["WS SUBSCRIBE"] ?? 0,
      cut: () => at.exchange.fault({ fault: "closeSockets", kind: "market" }),
      seen: () => at.sink.seenTrades,
      open: () => at.source.open("trade", BTC_USDT),
    },
    fault: (status) =>
      at.exchange.fault({
        fault: "answer",
        match: "GET /api/v3/trades",
        times: "always",
        action: { kind: "status", status },
      }),
  }
}

describe("trades over a cut", () => {
  it("come once and in order, the missed ones from BINANCE's history", async () => {
    const { scene } = await binance()
    await liveOverACut(scene)
    await until(() => scene.seen().length >= MISSED + 1, "all trades")
    expect(quantitiesOf(scene.seen())).toEqual(upTo(MISSED + 1))
    expect(scene.seen().every(({ quantity }) => /^0\.\d{8}$/.test(quantity))).toBe(true)
    scene.trade(MISSED + 2)
    await until(() => scene.seen().length >= MISSED + 2, "the trade after them")
    expect(quantitiesOf(scene.seen())).toEqual(upTo(MISSED + 2))
  })

  it("come once and in order, the missed ones from OKX's history", async () => {
    const at = await startOkx({ tickMillis: 50 })
    stop = () => at.stop()
    const scene: Scene = {
      trade: (n) => void at.exchange.trade(BTC, n % 2 === 0 ? "BUY" : "SELL", nth(n)),
      subscriptions: () => at.exchange.counts()["WS subscribe trades-all"] ?? 0,
      cut: () => at.exchange.fault({ fault: "closeSockets" }),
      seen: () => at.sink.seenTrades,
      open: () => at.source.open("trade", OKX_BTC),
    }
    await liveOverACut(scene)
    await until(() => scene.seen().length >= MISSED + 1, "all trades")
    expect(quantitiesOf(scene.seen())).toEqual(upTo(MISSED + 1))
  })

  it("go on without the missed ones where the history does not answer", async () => {
    const { scene, fault } = await binance()
    fault(503)
    await liveOverACut(scene)
    await until(() => scene.seen().length >= 2, "the trade behind the hole")
    expect(quantitiesOf(scene.seen())).toEqual([1, MISSED + 1].map((n) => Number(nth(n))))
  })
})
