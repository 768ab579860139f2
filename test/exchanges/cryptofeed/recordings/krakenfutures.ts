/**
 * Kraken Futures, 2021. Three of the ten instruments are perpetuals; KRAKENFUTURES lists no others (contract C14a), so each of the
 * seven dated futures is called the perpetual of a base asset of its name: `FI_ETHUSD_211231` is played as `PI_ETH211231USD`.
 * The list of instruments is made from the recorded one, in capitals as the venue writes them today.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { KRAKENFUTURES } from "../../../../src/venues/adapters/krakenfutures/profile.ts"
import type { Recorded } from "../recording.ts"
import { listAt, readSpelled, type Spelled, textAt } from "../spelled-json.ts"
import { levelsOf } from "./levels.ts"

const PRODUCTS = [
  "FI_ETHUSD_211231",
  "PI_XRPUSD",
  "PI_LTCUSD",
  "FI_BCHUSD_210730",
  "PI_ETHUSD",
  "FI_XBTUSD_210924",
  "FI_ETHUSD_210730",
  "FI_BCHUSD_210924",
  "FI_XRPUSD_210924",
  "FI_XBTUSD_210730",
]

const [profile] = KRAKENFUTURES
if (profile === undefined) throw new Error("Kraken Futures has no profile")

const DATED = /FI_([A-Z]+)USD_(\d+)/g

const playedAs = (product: string): string => product.replace(DATED, "PI_$1$2USD")

/** By feed, the stream. */
const FEEDS: Readonly<Record<string, string>> = {
  book: "book",
  book_snapshot: "book",
  trade: "trade",
  trade_snapshot: "trade",
}

const tradeOf = (trade: Spelled) => ({
  id: textAt(trade, "uid"),
  price: textAt(trade, "price"),
  quantity: textAt(trade, "qty"),
})

export const krakenfutures: Recorded = ({ answers }) => ({
  profile,
  instruments: PRODUCTS.map((product) => {
    const [, base = ""] = /^PI_(\w+)USD$/.exec(playedAs(product)) ?? []
    return {
      // ccxt calls XBT by its common name, where it stands alone.
      instrumentId: `KRAKENFUTURES:${base}/USD` as InstrumentId,
      bookStream: `book ${playedAs(product)}`,
      tradeStream: `trade ${playedAs(product)}`,
    }
  }),
  rest: (path) => {
    // Asked for the time in its answer.
    if (path.startsWith("/derivatives/api/v3/tickers/")) return JSON.stringify({ serverTime: new Date().toISOString() })
    if (path !== "/derivatives/api/v3/instruments") return undefined
    const body = readSpelled(answers.get("https://futures.kraken.com/derivatives/api/v3/instruments") ?? "{}")
    const instruments = PRODUCTS.map((product) => {
      const recorded = listAt(body, "instruments").find((it) => textAt(it, "symbol").toUpperCase() === product)
      return {
        symbol: playedAs(product),
        type: textAt(recorded, "type"),
        underlying: textAt(recorded, "underlying"),
        tickSize: Number(textAt(recorded, "tickSize")),
        contractSize: Number(textAt(recorded, "contractSize")),
        contractValueTradePrecision: 0,
        tradeable: true,
      }
    })
    return JSON.stringify({ result: "success", instruments })
  },
  asked: (message) => {
    const feed = textAt(message, "feed")
    const products = listAt(message, "product_ids").map(String)
    return textAt(message, "event") === "subscribe"
      ? {
          streams: products.map((product) => `${feed} ${product}`),
          replies: [JSON.stringify({ event: "subscribed", feed, product_ids: products })],
        }
      : { streams: [], replies: [] }
  },
  streamOf: (frame) => {
    const feed = FEEDS[textAt(frame, "feed")]
    const product = textAt(frame, "product_id")
    return feed === undefined || product === "" ? undefined : `${feed} ${playedAs(product)}`
  },
  dressed: playedAs,
  book: (frame) => {
    if (textAt(frame, "feed") === "book_snapshot")
      return {
        isSnapshot: true,
        bids: levelsOf(listAt(frame, "bids"), "price", "qty"),
        asks: levelsOf(listAt(frame, "asks"), "price", "qty"),
      }
    const isAsk = textAt(frame, "side") === "sell"
    const change = levelsOf([frame], "price", "qty")
    return { isSnapshot: false, bids: isAsk ? [] : change, asks: isAsk ? change : [] }
  },
  trades: (frame) => {
    if (textAt(frame, "feed") === "trade_snapshot") return listAt(frame, "trades").map((trade) => tradeOf(trade))
    return [tradeOf(frame)]
  },
})
