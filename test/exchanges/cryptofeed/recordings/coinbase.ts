/**
 * Coinbase Pro, 2021, in two ways. Its feed lives on as the feed of Coinbase Exchange, which ccxt speaks as `coinbaseexchange`: there
 * the frames are untouched, and the instance has keys, because ccxt signs the subscription of a book. COINBASE is the Advanced Trade
 * API (`coinbase`), whose messages have another form: there the same levels and trades are said in that form, digit for digit.
 * `last_match` repeats the last trade before the subscription and is no trade of it; ccxt leaves it out.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { COINBASE } from "../../../../src/venues/adapters/coinbase/profile.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"
import type { Recorded, RecordedBook, Recording } from "../recording.ts"
import { listAt, readSpelled, type Spelled, textAt } from "../spelled-json.ts"
import { levelsOf } from "./levels.ts"

const PRODUCTS = [
  "SKL-USD",
  "SKL-BTC",
  "BAND-GBP",
  "NMR-EUR",
  "BAND-BTC",
  "YFI-BTC",
  "DASH-BTC",
  "NU-GBP",
  "CRV-EUR",
  "SKL-GBP",
]

const PRODUCTS_URL = "https://api.pro.coinbase.com/products"

const book = (frame: Spelled): RecordedBook => {
  if (textAt(frame, "type") === "snapshot")
    return { isSnapshot: true, bids: levelsOf(listAt(frame, "bids")), asks: levelsOf(listAt(frame, "asks")) }
  const changes = listAt(frame, "changes")
  const of = (side: string) =>
    levelsOf(
      changes.filter((change) => textAt(change, 0) === side),
      1,
      2,
    )
  return { isSnapshot: false, bids: of("buy"), asks: of("sell") }
}

const trades: Recording["trades"] = (frame) => [
  { id: textAt(frame, "trade_id"), price: textAt(frame, "price"), quantity: textAt(frame, "size") },
]

const instruments = (venue: string, channels: Channels): Recording["instruments"] =>
  PRODUCTS.map((product) => ({
    instrumentId: `${venue}:${product.replace("-", "/")}` as InstrumentId,
    bookStream: `${channels.book} ${product}`,
    tradeStream: `${channels.trades} ${product}`,
  }))

interface Channels {
  readonly book: string
  readonly trades: string
}

const streamOf =
  (channels: Channels): Recording["streamOf"] =>
  (frame) => {
    const type = textAt(frame, "type")
    const channel = type === "match" ? channels.trades : /^(snapshot|l2update)$/.test(type) ? channels.book : undefined
    return channel === undefined ? undefined : `${channel} ${textAt(frame, "product_id")}`
  }

const OF_THE_EXCHANGE: Channels = { book: "level2", trades: "matches" }

export const coinbaseExchange: Recorded = ({ answers }) => ({
  profile: unproven("COINBASEEXCHANGE", "coinbaseexchange", {
    hosts: ["api.exchange.coinbase.com:443", "ws-feed.exchange.coinbase.com:443"],
  }),
  keys: { apiKey: "key", secret: Buffer.from("secret").toString("base64"), password: "passphrase" },
  instruments: instruments("COINBASEEXCHANGE", OF_THE_EXCHANGE),
  rest: (path) => {
    if (path === "/products") return answers.get(PRODUCTS_URL)
    return path === "/time" ? JSON.stringify({ iso: new Date().toISOString(), epoch: Date.now() / 1000 }) : undefined
  },
  asked: (message) => {
    const products = listAt(message, "product_ids").map(String)
    const channels = listAt(message, "channels").map(String)
    const reply = { type: "subscriptions", channels: channels.map((name) => ({ name, product_ids: products })) }
    return {
      streams: channels.flatMap((channel) => products.map((product) => `${channel} ${product}`)),
      replies: [JSON.stringify(reply)],
    }
  },
  streamOf: streamOf(OF_THE_EXCHANGE),
  book,
  trades,
})

const [advanced] = COINBASE
if (advanced === undefined) throw new Error("Coinbase has no profile")

const OF_ADVANCED_TRADE: Channels = { book: "level2", trades: "market_trades" }

const sideOf = (side: string, rows: RecordedBook["bids"]) =>
  rows.map(([price_level, new_quantity]) => ({ side, event_time: "2021-04-17T16:43:37Z", price_level, new_quantity }))

/** A message of the Advanced Trade API that says the same. */
const said = (text: string): object => {
  const frame = readSpelled(text)
  const product_id = textAt(frame, "product_id")
  const timestamp = textAt(frame, "time")
  if (textAt(frame, "type") === "match") {
    const [trade] = trades(frame)
    const { id: trade_id, price, quantity: size } = trade ?? { id: "", price: "", quantity: "" }
    // The maker's side in both.
    const side = textAt(frame, "side").toUpperCase()
    const told = [{ trade_id, product_id, price, size, side, time: timestamp }]
    return { channel: "market_trades", timestamp, events: [{ type: "update", trades: told }] }
  }
  const { isSnapshot, bids, asks } = book(frame)
  const updates = [...sideOf("bid", bids), ...sideOf("offer", asks)]
  return { channel: "l2_data", timestamp, events: [{ type: isSnapshot ? "snapshot" : "update", product_id, updates }] }
}

export const coinbase: Recorded = ({ answers }) => ({
  profile: advanced,
  instruments: instruments("COINBASE", OF_ADVANCED_TRADE),
  rest: (path) => {
    if (path === "/v2/time" || path.startsWith("/api/v3/brokerage/time"))
      return JSON.stringify({ epochMillis: String(Date.now()), data: { epoch: Math.floor(Date.now() / 1000) } })
    if (!path.startsWith("/api/v3/brokerage/market/products")) return undefined
    if (path.includes("FUTURE")) return '{"products":[]}'
    const products = listAt(readSpelled(answers.get(PRODUCTS_URL) ?? "[]")).map((product) => ({
      product_id: textAt(product, "id"),
      product_type: "SPOT",
      base_currency_id: textAt(product, "base_currency"),
      quote_currency_id: textAt(product, "quote_currency"),
      base_increment: textAt(product, "base_increment"),
      quote_increment: textAt(product, "quote_increment"),
      price_increment: textAt(product, "quote_increment"),
      base_min_size: textAt(product, "base_min_size"),
      base_max_size: textAt(product, "base_max_size"),
      status: textAt(product, "status"),
      trading_disabled: false,
      alias: "",
      alias_to: [],
    }))
    return JSON.stringify({ products })
  },
  asked: (message) => {
    const products = listAt(message, "product_ids").map(String)
    const channel = textAt(message, "channel")
    const reply = { channel: "subscriptions", events: [{ subscriptions: { [channel]: products } }] }
    return textAt(message, "type") === "subscribe"
      ? { streams: products.map((product) => `${channel} ${product}`), replies: [JSON.stringify(reply)] }
      : { streams: [], replies: [] }
  },
  streamOf: streamOf(OF_ADVANCED_TRADE),
  dressed: (text) => JSON.stringify(said(text)),
  numbered: (text, nth) => text.replace(/^\{/, `{"sequence_num":${nth},`),
  book,
  trades,
})
