/** Klines of a whole gateway, over HTTP and by the official client: MOCK makes its bars of trades, Binance streams them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { KlineRecord } from "../../../../src/domain/market/kline.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUp } from "../users/people.ts"
import { closeClients, connectClient, listen } from "./socket.ts"

const BINANCE = "BINANCE:BTC/USDT"
const SECOND = 1000

let exchange: BinanceExchange
let gateway: Gateway
beforeAll(async () => {
  exchange = await startBinanceExchange({ tickMillis: 100 })
  gateway = await startGateway({ env: { VENUE_ROUTES: JSON.stringify(exchange.routes) } })
})
afterAll(async () => {
  closeClients()
  await endGateways()
  await exchange.stop()
})

const opens = (records: ReadonlyArray<KlineRecord>) =>
  records.filter(({ isClosed }) => isClosed).map(({ candles }) => candles[0]?.[0] ?? 0)

const inARow = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i * SECOND)

const listening = async (instrumentId: string) => {
  const { calls, session } = await signUp(gateway)
  const client = await connectClient(gateway, session.accessToken)
  return { calls, feed: await listen<KlineRecord>(client, `market:kline:${instrumentId}:1s`) }
}

describe.each(["MOCK:BTC/USDT", BINANCE])("klines of %s", (instrumentId) => {
  it("close every bar once, in order, as the history shows it afterwards", async () => {
    const { calls, feed } = await listening(instrumentId)
    await until("three closed bars", () => opens(feed.records()).length >= 3, 120_000)
    const closed = feed.records().filter(({ isClosed }) => isClosed)
    const [first = 0] = opens(closed)
    expect(opens(closed)).toEqual(inARow(first, closed.length))
    const last = opens(closed).at(-1) ?? 0
    const query = { instrumentId, interval: "1s", from: first, to: last, limit: 1000 }
    // The venue's clock is known late by the way of one answer: for as long its history may call the newest of them alive.
    const record = await until("a history of closed bars", async () => {
      const answer = (await calls.klines(query)).record
      return answer.isClosed && answer
    })
    expect(record.candles.map(([openAt]) => openAt)).toEqual(opens(closed))
    // What the gateway fills itself has volume "0", Binance's own "0.00000000".
    const plain = (rows: KlineRecord["candles"]) => rows.map((row) => row.map((it) => (it === "0.00000000" ? "0" : it)))
    expect(plain(record.candles)).toEqual(plain(closed.flatMap(({ candles }) => candles)))
    expect((await calls.klines(query)).record.candles).toEqual(record.candles)
  })

  it("give a newcomer the newest bar at once", async () => {
    const { feed } = await listening(instrumentId)
    await until("a bar", () => feed.records().length > 0)
    const second = await listening(instrumentId)
    await until("a bar for the newcomer", () => second.feed.records().length > 0)
    const [newest] = second.feed.records()
    expect(newest).toMatchObject({ instrumentId, interval: "1s" })
    expect(newest?.candles).toHaveLength(1)
  })
})

describe("klines of Binance", () => {
  it("lose no closed bar while the venue's sockets are cut", async () => {
    const { feed } = await listening(BINANCE)
    for (let round = 0; round < 2; round++) {
      const before = opens(feed.records()).length
      await until("closed bars", () => opens(feed.records()).length > before, 120_000)
      exchange.fault({ fault: "closeSockets", kind: "market" })
    }
    const before = opens(feed.records()).length
    await until("closed bars after the cuts", () => opens(feed.records()).length >= before + 2, 120_000)
    const seen = opens(feed.records())
    expect(seen).toEqual(inARow(seen[0] ?? 0, seen.length))
  })

  it("are asked of the venue once for what is closed", async () => {
    const { calls } = await signUp(gateway)
    const query = { instrumentId: BINANCE, interval: "1h", to: Date.now() - 3_600_000, limit: 5 }
    const count = () => exchange.counts()["GET /api/v3/klines"] ?? 0
    await calls.klines({ instrumentId: BINANCE, interval: "1h", limit: 5 })
    const now = { instrumentId: BINANCE, interval: "1h", limit: 5 }
    const before = count()
    const answers = await Promise.all(Array.from({ length: 8 }, () => calls.klines(now)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(count() - before).toBeLessThan(8)
    expect((await calls.klines(query)).record.isClosed).toBe(true)
  })
})
