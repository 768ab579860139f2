/**
 * Binance Spot and Binance US, 2021: depth differences, aggregate trades. The capture has no single trades, so the connector is told
 * to subscribe to the aggregate ones (ccxt's own option); everything else is as it is shipped.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { BINANCE } from "../../../../src/venues/adapters/binance/profile.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"
import type { Recorded } from "../recording.ts"
import { at, listAt, readSpelled, textAt } from "../spelled-json.ts"
import { levelsOf } from "./levels.ts"

const aggregateTrades = { watchTrades: { name: "aggTrade" } }

const recorded =
  (host: string, profile: VenueProfile, pairs: ReadonlyArray<string>): Recorded =>
  ({ answers }) => ({
    profile,
    instruments: pairs.map((pair) => {
      const id = pair.replace("/", "")
      const body = answers.get(`https://${host}/api/v3/depth?symbol=${id}&limit=1000`) ?? "{}"
      const snapshot = readSpelled(body)
      return {
        instrumentId: `${profile.venue}:${pair}` as InstrumentId,
        bookStream: `${id.toLowerCase()}@depth@100ms`,
        tradeStream: `${id.toLowerCase()}@aggTrade`,
        restBook: {
          isSnapshot: true,
          bids: levelsOf(listAt(snapshot, "bids")),
          asks: levelsOf(listAt(snapshot, "asks")),
          sequence: BigInt(textAt(snapshot, "lastUpdateId")),
        },
      }
    }),
    rest: (path) =>
      path === "/api/v3/time" ? JSON.stringify({ serverTime: Date.now() }) : answers.get(`https://${host}${path}`),
    asked: (message) =>
      textAt(message, "method") === "SUBSCRIBE"
        ? {
            streams: listAt(message, "params").map(String),
            replies: [JSON.stringify({ result: null, id: Number(textAt(message, "id")) })],
          }
        : { streams: [], replies: [] },
    streamOf: (frame) => textAt(frame, "stream"),
    book: (frame) =>
      textAt(frame, "data", "e") === "depthUpdate"
        ? {
            isSnapshot: false,
            bids: levelsOf(listAt(frame, "data", "b")),
            asks: levelsOf(listAt(frame, "data", "a")),
            sequence: BigInt(textAt(frame, "data", "u")),
          }
        : undefined,
    trades: (frame) => {
      const trade = at(frame, "data")
      return [{ id: textAt(trade, "a"), price: textAt(trade, "p"), quantity: textAt(trade, "q") }]
    },
  })

const [spot] = BINANCE
if (spot === undefined) throw new Error("Binance has no profile")

export const binance = recorded("api.binance.com", { ...spot, options: { ...spot.options, ...aggregateTrades } }, [
  "NKN/USDT",
  "BLZ/ETH",
  "LRC/BTC",
  "RUNE/EUR",
])

/** Not among the venues that are listed: the proof that one line brings another exchange. */
export const binanceUs = recorded(
  "api.binance.us",
  unproven("BINANCEUS", "binanceus", {
    hosts: ["api.binance.us:443", "stream.binance.us:9443"],
    options: { ...spot.options, ...aggregateTrades },
  }),
  ["CRV/USDT", "COMP/USDT", "OMG/BUSD", "ZRX/USDT"],
)
