/**
 * Recorded OKX: its own books judged by its own checksums, its own private messages through the connector, and the loopback exchange's
 * words compared with the venue's. The recordings are not part of the repository.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { crc32 } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../src/domain/ids.ts"
import { readArchive } from "../exchanges/cryptofeed/archive.ts"
import { hasCaptures, readCapture } from "../exchanges/cryptofeed/capture.ts"
import {
  OKX_BTC,
  OKX_SECRETS,
  OkxSession,
  type OkxUnderTest,
  okxOrder,
  startOkx,
} from "../integration/venues/okx/okx-kit.ts"
import { type DumbBook, until } from "../integration/venues/venue-kit.ts"

const fileOf = (name: string): string => fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url))
const PRIVATE_STREAMS = fileOf("gocryptotrader/exchanges_testdata.tar.xz")
const MESSAGES = fileOf("nautilus/adapters_test_data.tar.xz")
const hasMessages = existsSync(PRIVATE_STREAMS) && existsSync(MESSAGES)
if (!hasCaptures || !hasMessages) console.info("skipped: the recordings are not beside the repository")

type Json = Readonly<Record<string, unknown>>

interface BookMessage {
  readonly arg?: { readonly channel: string; readonly instId: string }
  readonly action?: "snapshot" | "update"
  readonly data?: ReadonlyArray<{ readonly checksum: number }>
}

/** The venue's own: the best 25 of both sides in turn, as text, in the venue's digits. */
const checksumOf = (book: DumbBook): number => {
  const [bids, asks] = [book.rows("bids"), book.rows("asks")]
  const parts = Array.from({ length: 25 }, (_, i) => [bids[i], asks[i]]).flat()
  // Signed, as the venue sends it.
  return crc32(parts.flatMap((row) => row ?? []).join(":")) | 0
}

describe.skipIf(!hasCaptures)("recorded books of OKX", () => {
  it.each([
    ["BTC-USDT", "OKX:BTC/USDT", 98],
    // Perpetuals and futures to the venue, books like any other to the connector: listed as pairs for this test.
    ["UNI-USD-SWAP", "OKX:UNI/USD", 93],
  ])("of %s have the venue's checksum after every message, through the connector", async (instId, id, messages) => {
    const { frames } = await readCapture("OKX")
    const books = frames.flatMap((text) => {
      const message: BookMessage = text.startsWith("{") ? JSON.parse(text) : {}
      return message.data !== undefined && message.arg?.channel === "books" && message.arg.instId === instId
        ? [{ text, message }]
        : []
    })
    expect(books.length).toBe(messages)
    const [first, ...updates] = books
    if (first?.message.action !== "snapshot") throw new Error("the recording does not begin with a snapshot")
    const { baseAsset = "", quoteAsset = "" } = /:(?<baseAsset>.*)\/(?<quoteAsset>.*)/.exec(id)?.groups ?? {}
    const rules = { symbol: instId, base: baseAsset, quote: quoteAsset, tickSize: "0.0001", stepSize: "0.00000001" }
    const replay = { instId, snapshot: first.text, updates: updates.map(({ text }) => text) }
    const at = await startOkx({ market: "empty", instruments: [rules], replay })
    try {
      at.source.open("book", id as InstrumentId)
      await until(() => at.sink.book.isWhole, "the recorded snapshot")
      expect(checksumOf(at.sink.book)).toBe(first.message.data?.[0]?.checksum)
      for (const [index, { message }] of updates.entries()) {
        expect(at.exchange.replay?.next()).toBe(true)
        await until(() => at.sink.depths.length === index + 2, `update ${index}`)
        expect(checksumOf(at.sink.book)).toBe(message.data?.[0]?.checksum)
      }
      expect([at.sink.book.snapshots, at.sink.downs]).toEqual([1, []])
    } finally {
      await at.stop()
    }
  })
})

describe.skipIf(!hasMessages)("recorded messages of OKX", () => {
  let at: OkxUnderTest
  let orders: ReadonlyArray<Json>
  let recorded: (name: string) => Json
  beforeAll(async () => {
    at = await startOkx()
    const lines = (await readArchive(PRIVATE_STREAMS)).get("exchanges/okx/testdata/wsOrders.json") ?? ""
    orders = lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
    const files = await readArchive(MESSAGES)
    recorded = (name) => JSON.parse(files.get(`crates/adapters/okx/test_data/${name}.json`) ?? "null")
  })
  afterAll(() => at.stop())

  it("of orders become states and fills in our words, with fees the right way round", async () => {
    const my = await OkxSession.start(at)
    for (const order of orders) my.push(order)
    await until(() => my.states.length === 2 && my.fills.length === 2, "every order that is known")
    const [limit, market] = my.states
    expect(limit).toMatchObject({
      externalOrderId: "452197707845865472",
      clientId: "HamsterParty14",
      tradeOrderId: null,
      instrumentId: OKX_BTC,
      orderSide: "SELL",
      orderType: "LIMIT",
      limitPrice: "31527.1",
      quantity: "0.001",
      executedQuantity: "0.001",
      status: "FILLED",
      createdAt: 1654084334977,
      updatedAt: 1654084353264,
    })
    // Placed in quote ("sell for 10 USDT"): ten is no quantity. What it came to is known when it has ended.
    expect(market).toMatchObject({
      externalOrderId: "620258920632008725",
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.00038128",
      executedQuantity: "0.00038128",
      status: "FILLED",
    })
    expect(my.fills).toMatchObject([
      {
        externalTradeId: "242589207",
        price: "31527.1",
        quantity: "0.001",
        fees: [{ asset: "USDT", quantity: "0.02522168" }],
        executedAt: 1654084353263,
      },
      {
        externalTradeId: "435550732",
        price: "26228.1",
        quantity: "0.00038128",
        fees: [{ asset: "USDT", quantity: "0.010000249968" }],
        executedAt: 1694153250535,
      },
    ])
  })

  it("of IOC and FOK orders keep their time in force", async () => {
    const my = await OkxSession.start(at)
    my.push(recorded("ws_orders_ioc"))
    my.push(recorded("ws_orders_fok"))
    await until(() => my.states.length === 2, "both orders")
    expect(my.states).toMatchObject([
      { clientId: "IOC-TEST-001", timeInForce: "IOC", status: "OPEN", executedQuantity: "0.02", quantity: "0.05" },
      { clientId: "FOK-TEST-001", timeInForce: "FOK", status: "FILLED", executedQuantity: "0.05" },
    ])
  })

  it("of the account become balances, by what is free and what is held", async () => {
    const my = await OkxSession.start(at)
    my.push(recorded("ws_account"))
    const usdt = { asset: "USDT", available: "100.52768569797846", locked: "0" }
    // Beside them the session tells those of its own user, sooner or later.
    const told = () =>
      my.balances.find(({ balances }) => balances.some(({ available }) => available === usdt.available))
    await until(() => told() !== undefined, "the recorded balances")
    expect(told()?.balances).toContainEqual(usdt)
    expect(told()?.balances).toContainEqual({ asset: "BTC", available: "0.0000000051", locked: "0" })
  })

  /** Fields of the venue that the loopback exchange does not send. */
  const missing = (theirs: Json, ours: object): ReadonlyArray<string> =>
    Object.keys(theirs).filter((name) => !(name in ours))

  const fetched = async (path: string): Promise<Json> => {
    const answer = await fetch(`${at.exchange.url}/api/v5/${path}`)
    const { data } = (await answer.json()) as { readonly data: ReadonlyArray<Json> }
    const [row] = data
    if (row === undefined) throw new Error(`${path} has no row`)
    return row
  }

  const firstOf = (message: Json): Json => (message["data"] as ReadonlyArray<Json>)[0] ?? {}

  it("have no field that the loopback exchange lacks: orders, instruments, tickers, trades", async () => {
    const my = await OkxSession.start(at)
    await my.outcomeOf(okxOrder())
    const [order] = my.rows
    if (order === undefined) throw new Error("no order")
    expect(missing(firstOf(recorded("http_get_orders_pending")), order)).toEqual([])
    const spot = firstOf(recorded("http_get_instruments_spot"))
    expect(missing(spot, await fetched("public/instruments?instType=SPOT"))).toEqual([])
    expect(missing(firstOf(recorded("ws_tickers")), await fetched("market/ticker?instId=BTC-USDT"))).toEqual([])
    expect(missing(firstOf(recorded("http_get_trades")), await fetched("market/trades?instId=BTC-USDT"))).toEqual([])
    expect(missing(firstOf(recorded("http_get_order_book")), await fetched("market/books?instId=BTC-USDT"))).toEqual([])
    const [balance] = at.exchange.balances(OKX_SECRETS.apiKey)
    const [detail = {}] = firstOf(recorded("http_get_account_balance"))["details"] as ReadonlyArray<Json>
    expect(missing(detail, balance ?? {})).toEqual([])
  })
})
