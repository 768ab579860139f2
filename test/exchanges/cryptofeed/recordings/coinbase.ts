/**
 * Coinbase Pro, 2021. Its feed lives on as the feed of Coinbase Exchange, which ccxt speaks as `coinbaseexchange`; COINBASE itself
 * is the Advanced Trade API (`coinbase`), whose messages have another form. `last_match` repeats the last trade before the
 * subscription and is no trade of it; ccxt leaves it out.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { plain } from "../../../../src/venues/plain.ts"
import type { Recorded } from "../recording.ts"
import { listAt, textAt } from "../spelled-json.ts"
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

/** By message type, the channel. */
const CHANNELS: Readonly<Record<string, string>> = { snapshot: "level2", l2update: "level2", match: "matches" }

export const coinbase: Recorded = ({ answers }) => ({
  profile: plain("COINBASEEXCHANGE", "coinbaseexchange", {
    hosts: ["api.exchange.coinbase.com:443", "ws-feed.exchange.coinbase.com:443"],
  }),
  instruments: PRODUCTS.map((product) => ({
    instrumentId: `COINBASEEXCHANGE:${product.replace("-", "/")}` as InstrumentId,
    bookStream: `level2 ${product}`,
    tradeStream: `matches ${product}`,
  })),
  rest: (path) => {
    if (path === "/products") return answers.get("https://api.pro.coinbase.com/products")
    if (path === "/time") return JSON.stringify({ iso: new Date().toISOString(), epoch: Date.now() / 1000 })
    return path === "/currencies" ? "[]" : undefined
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
  streamOf: (frame) => {
    const channel = CHANNELS[textAt(frame, "type")]
    return channel === undefined ? undefined : `${channel} ${textAt(frame, "product_id")}`
  },
  book: (frame) => {
    if (textAt(frame, "type") === "snapshot")
      return { isSnapshot: true, bids: levelsOf(listAt(frame, "bids")), asks: levelsOf(listAt(frame, "asks")) }
    const changes = listAt(frame, "changes")
    return {
      isSnapshot: false,
      bids: levelsOf(
        changes.filter((change) => textAt(change, 0) === "buy"),
        1,
        2,
      ),
      asks: levelsOf(
        changes.filter((change) => textAt(change, 0) === "sell"),
        1,
        2,
      ),
    }
  },
  trades: (frame) => [
    { id: textAt(frame, "trade_id"), price: textAt(frame, "price"), quantity: textAt(frame, "size") },
  ],
})
