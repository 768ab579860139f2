/** Compact payloads read by proto/market.proto itself, as any other client would: every digit is the venue's. */
import { readFileSync } from "node:fs"
import protobuf from "protobufjs"
import { describe, expect, it } from "vitest"
import type { KlineRecord } from "../../../src/domain/market/kline.ts"
import type { OrderBookRecord, TickerRecord, TradeRecord } from "../../../src/domain/market/market.ts"
import { compactKind, compactPayload } from "../../../src/ws/protocol/compact.ts"

const source = readFileSync(new URL("../../../proto/market.proto", import.meta.url), "utf8")
const { root } = protobuf.parse(source, { keepCase: true })

/** Absent optional fields stay absent; a plain field has its zero value. */
const read = (type: "OrderBook" | "Ticker" | "Trade" | "Kline", payload: Uint8Array): Record<string, unknown> => {
  const message = root.lookupType(`gateway.market.v1.${type}`)
  return message.toObject(message.decode(payload), { enums: String, longs: Number, arrays: true, defaults: true })
}

const DIGITS = [
  "0",
  "0.10",
  "1.000000000000000000",
  "00012.500",
  "0.000000000000000001",
  "123456789012345678901234567890.123456789012345678901234567890",
  "9007199254740993",
  "1e-18",
  "-0.0",
]

const book: OrderBookRecord = {
  updateType: "SNAPSHOT",
  instrumentId: "MOCK:BTC/USDT",
  venue: "MOCK",
  symbol: "BTC/USDT",
  orderBookType: "L2",
  columns: ["price", "quantity", "orderCount"],
  bids: DIGITS.map((digits, n) => [digits, DIGITS[DIGITS.length - 1 - n] ?? "", n === 0 ? "" : String(n)] as const),
  asks: [],
  timestamp: 1_700_000_000_123,
  sequence: Number.MAX_SAFE_INTEGER,
  previousSequence: null,
  quality: "SYNCED",
}

const ticker: TickerRecord = {
  instrumentId: "MOCK:BTC/USDT",
  venue: "MOCK",
  symbol: "BTC/USDT",
  lastPrice: "0.10",
  lastQuantity: null,
  bidPrice: "",
  bidQuantity: "1.000000000000000000",
  askPrice: null,
  askQuantity: "0",
  timestamp: 1,
}

const trade: TradeRecord = {
  tradeId: "8c4f7f2e-0000-4000-8000-000000000001",
  externalTradeId: "наука-1",
  instrumentId: "MOCK:BTC/USDT",
  venue: "MOCK",
  symbol: "BTC/USDT",
  price: "123456789012345678901234567890.10",
  quantity: "0.000000000000000001",
  side: "SELL",
  timestamp: 1_700_000_000_123,
  timestampDateTime: "2023-11-14T22:13:20.123Z",
  sequence: 2 ** 40,
}

describe("a compact order book", () => {
  const readBook = (record: OrderBookRecord) => read("OrderBook", compactPayload("orderbook", JSON.stringify(record)))

  it("has every level with the venue's digits, in its order", () => {
    const { bids, ...rest } = readBook(book)
    expect(bids).toEqual(book.bids.map(([price, quantity, order_count]) => ({ price, quantity, order_count })))
    expect(rest).toEqual({
      update_type: "SNAPSHOT",
      instrument_id: "MOCK:BTC/USDT",
      asks: [],
      timestamp: 1_700_000_000_123,
      sequence: Number.MAX_SAFE_INTEGER,
      quality: "SYNCED",
    })
  })

  it("says how far it is known, and nothing of one that is known to its end", () => {
    const coveredRange = { lowestBid: "0.10", highestAsk: null, levels: null }
    expect(readBook({ ...book, coveredRange })).toMatchObject({ covered_range: { lowest_bid: "0.10" } })
    expect(readBook({ ...book, coveredRange: { lowestBid: null, highestAsk: null, levels: 400 } })).toMatchObject({
      covered_range: { levels: 400 },
    })
    expect(readBook(book)).not.toHaveProperty("covered_range")
  })

  it("says what a DIFF follows, also when that is 0, and of what quality it is", () => {
    const diff = { ...book, updateType: "DIFF", previousSequence: 0, asks: [["1", "0", ""]] } as const
    expect(readBook(diff)).toMatchObject({
      update_type: "DIFF",
      previous_sequence: 0,
      asks: [{ price: "1", quantity: "0", order_count: "" }],
    })
    expect(readBook({ ...diff, previousSequence: 7, quality: "RESYNCING" })).toMatchObject({
      previous_sequence: 7,
      quality: "RESYNCING",
    })
    expect(readBook({ ...diff, quality: "STALE" })).toMatchObject({ quality: "STALE" })
  })

  it("is smaller than its text", () => {
    const json = JSON.stringify(book)
    expect(compactPayload("orderbook", json).length).toBeLessThan(json.length * 0.8)
  })
})

describe("a compact ticker", () => {
  it("tells what is empty from what is not there", () => {
    for (const kind of ["ticker", "venueTicker"] as const)
      expect(read("Ticker", compactPayload(kind, JSON.stringify(ticker)))).toEqual({
        instrument_id: "MOCK:BTC/USDT",
        last_price: "0.10",
        bid_price: "",
        bid_quantity: "1.000000000000000000",
        ask_quantity: "0",
        timestamp: 1,
      })
  })

  it.each(DIGITS)("keeps %s", (digits) => {
    const record: TickerRecord = { ...ticker, lastPrice: digits, askPrice: digits }
    expect(read("Ticker", compactPayload("ticker", JSON.stringify(record)))).toMatchObject({
      last_price: digits,
      ask_price: digits,
    })
  })
})

describe("a compact trade", () => {
  it.each(["BUY", "SELL", "UNKNOWN"] as const)("has its ids, digits and the side %s", (side) => {
    expect(read("Trade", compactPayload("trade", JSON.stringify({ ...trade, side })))).toEqual({
      trade_id: trade.tradeId,
      external_trade_id: trade.externalTradeId,
      instrument_id: trade.instrumentId,
      price: trade.price,
      quantity: trade.quantity,
      side,
      timestamp: trade.timestamp,
      sequence: trade.sequence,
    })
  })
})

describe("a compact bar", () => {
  it.each(DIGITS)("keeps %s, and says whether it is closed", (digits) => {
    for (const isClosed of [false, true]) {
      const record: KlineRecord = {
        instrumentId: "MOCK:BTC/USDT",
        venue: "MOCK",
        symbol: "BTC/USDT",
        interval: "1M",
        candles: [[1_700_000_000_000, digits, "2", "1", digits, digits]],
        isClosed,
        timestamp: 1_700_000_000_123,
      }
      expect(read("Kline", compactPayload("kline", JSON.stringify(record)))).toEqual({
        instrument_id: "MOCK:BTC/USDT",
        interval: "1M",
        candles: [{ open_time: 1_700_000_000_000, open: digits, high: "2", low: "1", close: digits, volume: digits }],
        is_closed: isClosed,
        timestamp: 1_700_000_000_123,
      })
    }
  })
})

describe("the kinds of channel", () => {
  it.each([
    ["market:orderbook:MOCK:BTC/USDT", "orderbook"],
    ["market:ticker:MOCK:BTC/USDT", "ticker"],
    ["market:ticker:MOCK", "venueTicker"],
    ["market:trade:MOCK:BTC/USDT", "trade"],
    ["market:kline:MOCK:BTC-USDT:1M", "kline"],
    ["market:kline:MOCK:BTC/USDT", undefined],
    ["market:kline:MOCK:BTC/USDT:7m", undefined],
    ["market:kline:MOCK:1m", undefined],
    ["market:trade:MOCK:BTC/USDT:1m", undefined],
    ["tradingAccount:8c4f7f2e-0000-4000-8000-000000000001", undefined],
    ["elsewhere", undefined],
  ])("%s: %s", (channel, kind) => {
    expect(compactKind(channel)).toBe(kind)
  })
})
