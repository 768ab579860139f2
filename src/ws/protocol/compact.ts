/** The compact payloads of proto/market.proto, made from the JSON text of the market records: the venue's digits are passed unchanged. */
import { parseChannel } from "../../domain/channel.ts"
import type { KlineRecord } from "../../domain/market/kline.ts"
import type { BookRange, OrderBookRecord, TickerRecord, TradeRecord } from "../../domain/market/market.ts"
import { gateway } from "../generated/market.js"

const { Kline, OrderBook, Ticker, Trade } = gateway.market.v1

type Row = OrderBookRecord["bids"][number]

const level = ([price, quantity, order_count]: Row) => ({ price, quantity, order_count })

const range = ({ lowestBid, highestAsk, levels }: BookRange) => ({
  lowest_bid: lowestBid,
  highest_ask: highestAsk,
  levels,
})

const orderBook = (record: OrderBookRecord): Uint8Array =>
  OrderBook.encode({
    update_type: OrderBook.UpdateType[record.updateType],
    instrument_id: record.instrumentId,
    bids: record.bids.map(level),
    asks: record.asks.map(level),
    timestamp: record.timestamp,
    sequence: record.sequence,
    previous_sequence: record.previousSequence,
    quality: OrderBook.Quality[record.quality],
    ...(record.coveredRange !== undefined && { covered_range: range(record.coveredRange) }),
  }).finish()

const ticker = (record: TickerRecord): Uint8Array =>
  Ticker.encode({
    instrument_id: record.instrumentId,
    last_price: record.lastPrice,
    last_quantity: record.lastQuantity,
    bid_price: record.bidPrice,
    bid_quantity: record.bidQuantity,
    ask_price: record.askPrice,
    ask_quantity: record.askQuantity,
    timestamp: record.timestamp,
    ...(record.isStale === true && { is_stale: true }),
  }).finish()

const trade = (record: TradeRecord): Uint8Array =>
  Trade.encode({
    trade_id: record.tradeId,
    external_trade_id: record.externalTradeId,
    instrument_id: record.instrumentId,
    price: record.price,
    quantity: record.quantity,
    side: Trade.Side[record.side],
    timestamp: record.timestamp,
    sequence: record.sequence,
  }).finish()

const kline = (record: KlineRecord): Uint8Array =>
  Kline.encode({
    instrument_id: record.instrumentId,
    interval: record.interval,
    candles: record.candles.map(([open_time, open, high, low, close, volume]) => ({
      open_time,
      open,
      high,
      low,
      close,
      volume,
    })),
    is_closed: record.isClosed,
    timestamp: record.timestamp,
  }).finish()

/** The kinds of channel whose records have one. */
export type CompactKind = "orderbook" | "trade" | "ticker" | "venueTicker" | "kline"

/** Undefined for a channel whose records have no compact payload. */
export const compactKind = (channel: string): CompactKind | undefined => {
  const found = parseChannel(channel)
  return found === undefined || "tradingAccountId" in found ? undefined : found.kind
}

/** `json` is a record of the kind, as it is published. */
export const compactPayload = (kind: CompactKind, json: string): Uint8Array => {
  switch (kind) {
    case "orderbook":
      return orderBook(JSON.parse(json))
    case "trade":
      return trade(JSON.parse(json))
    case "ticker":
    case "venueTicker":
      return ticker(JSON.parse(json))
    case "kline":
      return kline(JSON.parse(json))
  }
}
