/** The trades that happen while a stream is interrupted: real ccxt in a real worker, a loopback exchange behind it. */
import { afterEach, describe, expect, it } from "vitest"
import type { MarketTrade } from "../../../src/ports/market-source.ts"
import { KRAKEN_BTC, BTC as KRAKENS_BTC, startKraken } from "./kraken/kraken-kit.ts"
import { BTC, OKX_BTC, startOkx } from "./okx/okx-kit.ts"
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

const binance = async (): Promise<{
  readonly scene: Scene
  readonly fault: (status: number) => void
  readonly missed: () => ReadonlyArray<number>
}> => {
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
    missed: () => at.sink.missed,
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

  it("go on without the missed ones where the history does not answer, and the hole is told between them", async () => {
    const { scene, fault, missed } = await binance()
    fault(503)
    await liveOverACut(scene)
    await until(() => scene.seen().length >= 2, "the trade behind the hole")
    expect(quantitiesOf(scene.seen())).toEqual([1, MISSED + 1].map((n) => Number(nth(n))))
    expect(missed()).toEqual([1])
  })
})

describe("trades over a worker's death", () => {
  it("come once and in order, the missed ones from BINANCE's history", async () => {
    // A thread of its own: it ends.
    const at = await startVenue({ market: "still", tickMillis: 50 }, { heapMegabytes: 1024 })
    stop = () => at.stop()
    const trade = (n: number) => at.exchange.trade("BTCUSDT", n % 2 === 0 ? "BUY" : "SELL", nth(n))
    const subscriptions = () => at.exchange.counts()["WS SUBSCRIBE"] ?? 0
    at.source.open("trade", BTC_USDT)
    await until(() => subscriptions() === 1, "the subscription")
    for (const n of [1, 2]) trade(n)
    await until(() => at.sink.seenTrades.length === 2, "the first trades")
    at.venue.supervisor.break("exit")
    await until(() => at.sink.downs.length > 0, "the worker's end")
    for (let n = 3; n <= 12; n++) trade(n)
    await until(() => subscriptions() === 2, "the next worker's subscription")
    trade(13)
    await until(() => quantitiesOf(at.sink.seenTrades).includes(Number(nth(13))), "the trade behind the hole")
    expect(quantitiesOf(at.sink.seenTrades)).toEqual(upTo(13))
    expect(at.sink.missed).toEqual([])
  })

  it("are told to be missing where BINANCE's history does not answer", async () => {
    const at = await startVenue({ market: "still", tickMillis: 50 }, { heapMegabytes: 1024 })
    stop = () => at.stop()
    const trade = (n: number) => at.exchange.trade("BTCUSDT", "BUY", nth(n))
    const subscriptions = () => at.exchange.counts()["WS SUBSCRIBE"] ?? 0
    const action = { kind: "status", status: 503 } as const
    at.exchange.fault({ fault: "answer", match: "GET /api/v3/trades", times: "always", action })
    at.source.open("trade", BTC_USDT)
    await until(() => subscriptions() === 1, "the subscription")
    trade(1)
    await until(() => at.sink.seenTrades.length === 1, "the first trade")
    at.venue.supervisor.break("exit")
    await until(() => at.sink.downs.length > 0, "the worker's end")
    trade(2)
    await until(() => subscriptions() === 2, "the next worker's subscription")
    trade(3)
    await until(() => at.sink.seenTrades.length === 2, "the trade behind the hole")
    expect(quantitiesOf(at.sink.seenTrades)).toEqual([Number(nth(1)), Number(nth(3))])
    expect(at.sink.missed).toEqual([1])
  })

  /** One trade seen, the worker dead, and so many trades until another that the next worker's stream brings. */
  const krakenOver = async (missed: number, historyAnswers: boolean) => {
    const at = await startKraken({}, {}, { heapMegabytes: 1024 })
    stop = () => at.stop()
    const trade = (n: number) => at.exchange.trade(KRAKENS_BTC, "BUY", nth(n))
    const subscriptions = () => at.exchange.counts()["WS subscribe trade"] ?? 0
    const action = { kind: "status", status: 503 } as const
    if (!historyAnswers) at.exchange.fault({ fault: "answer", match: "GET /0/public/Trades", times: "always", action })
    at.source.open("trade", KRAKEN_BTC)
    await until(() => subscriptions() === 1, "the subscription")
    for (const n of [1, 2, 3]) trade(n)
    await until(() => at.sink.seenTrades.length === 3, "the first trades")
    at.venue.supervisor.break("exit")
    await until(() => at.sink.downs.length > 0, "the worker's end")
    for (let n = 4; n < 4 + missed; n++) trade(n)
    await until(() => subscriptions() === 2, "the next worker's subscription")
    trade(4 + missed)
    await until(
      () => quantitiesOf(at.sink.seenTrades).includes(Number(nth(4 + missed))),
      "the trade that the new worker hears of",
    )
    return at.sink
  }

  it("come once and in order, the missed ones with KRAKEN's next subscription", async () => {
    const sink = await krakenOver(12, false)
    expect(quantitiesOf(sink.seenTrades)).toEqual(upTo(16))
    expect(sink.missed).toEqual([])
  })

  it("come once and in order, those before KRAKEN's next subscription from its history", async () => {
    const sink = await krakenOver(80, true)
    expect(quantitiesOf(sink.seenTrades)).toEqual(upTo(84))
    expect(sink.missed).toEqual([])
  })

  it("are told to be missing where neither KRAKEN's next subscription nor its history has them", async () => {
    const sink = await krakenOver(80, false)
    expect(quantitiesOf(sink.seenTrades).slice(0, 3)).toEqual(upTo(3))
    expect(sink.missed).toEqual([3])
    const rest = sink.seenTrades.slice(3).map(({ externalTradeId }) => Number(externalTradeId))
    expect(rest).toEqual(rest.map((_, i) => (rest[0] ?? 0) + i))
  })
})
