/** Bitstamp, 2022: differences joined to a REST book by microseconds, trades. The list of markets has another form today. */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { BITSTAMP } from "../../../../src/venues/adapters/bitstamp/profile.ts"
import type { Recorded } from "../recording.ts"
import { at, listAt, readSpelled, textAt } from "../spelled-json.ts"
import { levelsOf } from "./levels.ts"

const PAIRS = [
  "SGB/EUR",
  "ETH/USD",
  "XRP/EUR",
  "BAT/EUR",
  "USDT/EUR",
  "USDT/USD",
  "XLM/GBP",
  "ADA/EUR",
  "BAT/BTC",
  "GALA/EUR",
]

const [profile] = BITSTAMP
if (profile === undefined) throw new Error("Bitstamp has no profile")

/** `diff_order_book_ethusd` */
const BOOK = "diff_order_book_"
const TRADES = "live_trades_"

export const bitstamp: Recorded = ({ answers }) => ({
  profile,
  instruments: PAIRS.map((pair) => {
    const id = pair.replace("/", "").toLowerCase()
    const snapshot = readSpelled(answers.get(`https://www.bitstamp.net/api/v2/order_book/${id}`) ?? "{}")
    return {
      instrumentId: `BITSTAMP:${pair}` as InstrumentId,
      bookStream: `${BOOK}${id}`,
      tradeStream: `${TRADES}${id}`,
      restBook: {
        isSnapshot: true,
        bids: levelsOf(listAt(snapshot, "bids")),
        asks: levelsOf(listAt(snapshot, "asks")),
        sequence: BigInt(textAt(snapshot, "microtimestamp")),
      },
    }
  }),
  rest: (path) => {
    if (path === "/api/v2/currencies/") return "[]"
    // Asked for the date of its answer.
    if (path === "/api/v2/eur_usd/") return "{}"
    const book = /^\/api\/v2\/order_book\/(\w+)\/?$/.exec(path)?.[1]
    if (book !== undefined) return answers.get(`https://www.bitstamp.net/api/v2/order_book/${book}`)
    if (path !== "/api/v2/markets/") return undefined
    const pairs = listAt(readSpelled(answers.get("https://www.bitstamp.net/api/v2/trading-pairs-info/") ?? "[]"))
    return JSON.stringify(
      pairs.map((pair) => {
        const [base, counter] = textAt(pair, "name").split("/")
        return {
          name: textAt(pair, "name"),
          market_symbol: textAt(pair, "url_symbol"),
          base_currency: base,
          counter_currency: counter,
          base_decimals: Number(textAt(pair, "base_decimals")),
          counter_decimals: Number(textAt(pair, "counter_decimals")),
          market_type: "SPOT",
          trading: textAt(pair, "trading"),
        }
      }),
    )
  },
  asked: (message) => {
    const channel = textAt(message, "data", "channel")
    return textAt(message, "event") === "bts:subscribe"
      ? {
          streams: [channel],
          replies: [JSON.stringify({ event: "bts:subscription_succeeded", channel, data: {} })],
        }
      : { streams: [], replies: [] }
  },
  streamOf: (frame) => (/^(data|trade)$/.test(textAt(frame, "event")) ? textAt(frame, "channel") : undefined),
  book: (frame) => ({
    isSnapshot: false,
    bids: levelsOf(listAt(frame, "data", "bids")),
    asks: levelsOf(listAt(frame, "data", "asks")),
    sequence: BigInt(textAt(frame, "data", "microtimestamp")),
  }),
  trades: (frame) => {
    const trade = at(frame, "data")
    return [{ id: textAt(trade, "id"), price: textAt(trade, "price_str"), quantity: textAt(trade, "amount_str") }]
  },
})
