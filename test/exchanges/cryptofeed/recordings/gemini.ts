/** Gemini, 2021: one stream of a market has its book and its trades, the first message the last fifty trades. */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { GEMINI } from "../../../../src/venues/adapters/gemini/profile.ts"
import type { Recorded } from "../recording.ts"
import { listAt, type Spelled, textAt } from "../spelled-json.ts"
import { levelsOf } from "./levels.ts"

const PAIRS = [
  "BTC/GBP",
  "LINK/ETH",
  "FIL/USD",
  "ZEC/LTC",
  "BAT/BTC",
  "ETH/EUR",
  "LTC/ETH",
  "GRT/USD",
  "ANKR/USD",
  "ALCX/USD",
]

const [profile] = GEMINI
if (profile === undefined) throw new Error("Gemini has no profile")

const tradeOf = (trade: Spelled) => ({
  id: textAt(trade, "event_id"),
  price: textAt(trade, "price"),
  quantity: textAt(trade, "quantity"),
})

export const gemini: Recorded = ({ answers }) => ({
  profile,
  instruments: PAIRS.map((pair) => {
    const stream = pair.replace("/", "")
    return { instrumentId: `GEMINI:${pair}` as InstrumentId, bookStream: stream, tradeStream: stream }
  }),
  rest: (path) => answers.get(`https://api.gemini.com${path}`),
  asked: (message) => ({
    streams:
      textAt(message, "type") === "subscribe"
        ? listAt(message, "subscriptions").flatMap((subscription) => listAt(subscription, "symbols").map(String))
        : [],
    replies: [],
  }),
  streamOf: (frame) => (/^(l2_updates|trade)$/.test(textAt(frame, "type")) ? textAt(frame, "symbol") : undefined),
  book: (frame) => {
    if (textAt(frame, "type") !== "l2_updates") return undefined
    const changes = listAt(frame, "changes")
    return {
      isSnapshot: listAt(frame, "trades").length > 0,
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
  trades: (frame) =>
    textAt(frame, "type") === "trade" ? [tradeOf(frame)] : listAt(frame, "trades").map((trade) => tradeOf(trade)),
})
