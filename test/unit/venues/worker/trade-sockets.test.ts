/** Which trades are behind a hole, by the socket that brought them: ccxt's own classes, handed the frames of two sockets. */
import { afterEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { MarketTrade } from "../../../../src/ports/market-source.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { Batch, WorkerRecord } from "../../../../src/venues/connector/wire.ts"
import type { ToldTrades } from "../../../../src/venues/trade-ids.ts"
import type { CcxtExchange, CcxtSocket, CcxtTrade } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { Markets } from "../../../../src/venues/worker/exchange/markets.ts"
import { PublicFeed } from "../../../../src/venues/worker/feed/public-feed.ts"
import { Outbox } from "../../../../src/venues/worker/outbox.ts"

const URL = "wss://stream.example"

interface Scripted extends CcxtExchange {
  readonly clients: Record<string, CcxtSocket>
  safeMarketStructure(market: Readonly<Record<string, unknown>>): unknown
  setMarkets(markets: ReadonlyArray<unknown>): unknown
}

let feed: PublicFeed | undefined
afterEach(async () => {
  await feed?.stop()
  feed = undefined
})

/** The feed of one market whose watch call hears of nothing: neither of trades nor of the end of a socket. */
const scripted = async (venue: string, history: ReadonlyArray<number>, told: ToldTrades | null = null) => {
  const profile = PROFILES.find((it) => it.venue === venue)
  if (profile === undefined) throw new Error(`${venue} is not in the registry`)
  const settings = { connector: venue, profile, routes: {}, proxy: null, breakable: false }
  const exchange = publicInstance(await loadExchange(profile.exchange), settings) as Scripted
  const names = { id: "BTCUSDT", symbol: "BTC/USDT", base: "BTC", quote: "USDT", baseId: "BTC", quoteId: "USDT" }
  exchange.has["fetchTime"] = false
  exchange.loadMarkets = () => {
    exchange.setMarkets([exchange.safeMarketStructure({ ...names, type: "spot", spot: true, active: true })])
    return Promise.resolve(exchange.markets ?? {})
  }
  let questions = 0
  exchange.fetchTrades = () => {
    questions += 1
    const row = (id: number) => ({ id: String(id), timestamp: id, price: 1, amount: 1, side: "buy", info: {} })
    return Promise.resolve(history.map(row) as unknown as ReadonlyArray<CcxtTrade>)
  }
  exchange.watchTrades = () => new Promise(() => undefined)
  const markets = new Markets(profile, exchange, () => undefined)
  await markets.loaded()
  const said: Array<WorkerRecord> = []
  const outbox = new Outbox({ postMessage: (batch: Batch) => said.push(...batch.records) })
  feed = new PublicFeed(settings, exchange, markets, outbox)
  feed.open("trade", `${venue}:BTC/USDT` as InstrumentId, told)
  const socket = (): CcxtSocket => {
    const made = {
      url: URL,
      subscriptions: {},
      close: () => undefined,
      onError: () => undefined,
      resolve: () => undefined,
    }
    exchange.clients[URL] = made as unknown as CcxtSocket
    return exchange.clients[URL]
  }
  const hear = (from: CcxtSocket, id: number): void => {
    const frame = { e: "trade", E: id, s: "BTCUSDT", t: id, p: "1", q: "1", T: id, m: false }
    exchange.handleMessage(from, frame)
  }
  /** Ids of trades, and "hole" where one was told. */
  const story = (): ReadonlyArray<number | "hole"> => {
    outbox.flush()
    return said.flatMap((record): ReadonlyArray<number | "hole"> => {
      if (record._tag === "TradesMissed") return ["hole"]
      return record._tag === "Trades" ? record.trades.map(({ externalTradeId }) => Number(externalTradeId)) : []
    })
  }
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { socket, hear, story, until, questions: () => questions }
}

const trade = (id: number): MarketTrade => ({
  instrumentId: "BINANCE:BTC/USDT" as InstrumentId,
  externalTradeId: String(id),
  price: "1",
  quantity: "1",
  side: "BUY",
  at: id,
})

describe("trades of another socket", () => {
  it("have those before them from the history, though nothing that waited heard of the end of the first", async () => {
    const { socket, hear, story, until } = await scripted("BINANCE", [1224, 1225, 1226, 1227, 1228])
    const first = socket()
    for (const id of [1224, 1225]) hear(first, id)
    const second = socket()
    for (const id of [1228, 1229]) hear(second, id)
    await until(() => story().includes(1229))
    expect(story()).toEqual([1224, 1225, 1226, 1227, 1228, 1229])
  })

  it("are behind a hole that is told where the history does not name both ends of it", async () => {
    const { socket, hear, story, until, questions } = await scripted("BINANCE", [])
    const first = socket()
    hear(first, 1)
    const second = socket()
    hear(second, 7)
    await until(() => story().includes(7))
    expect(story()).toEqual([1, "hole", 7])
    expect(questions()).toBeGreaterThan(0)
  })

  it("join on where they repeat what was told", async () => {
    const { socket, hear, story, questions } = await scripted("BINANCE", [])
    const first = socket()
    for (const id of [1, 2]) hear(first, id)
    const second = socket()
    for (const id of [2, 3]) hear(second, id)
    expect([story(), questions()]).toEqual([[1, 2, 3], 0])
  })
})

describe("trades of a new worker", () => {
  it("are told without those that the one before told, and with those that came between", async () => {
    const told = { last: trade(2), ids: ["1", "2"] }
    const { socket, hear, story, until } = await scripted("BINANCE", [1, 2, 3, 4], told)
    hear(socket(), 4)
    await until(() => story().includes(4))
    expect(story()).toEqual([3, 4])
  })

  it("join on where the venue repeats what the one before told", async () => {
    const { socket, hear, story, questions } = await scripted("BINANCE", [], { last: trade(2), ids: ["1", "2"] })
    const first = socket()
    for (const id of [1, 2, 3]) hear(first, id)
    expect([story(), questions()]).toEqual([[3], 0])
  })
})
