/**
 * OKX, 2022: one spot pair, one perpetual, one dated future. OKX lists spot pairs only, so the list of instruments calls the other two
 * spot pairs of a base asset of that name; their messages keep their ids. Trades were recorded as `trades`, which the connector takes
 * as `trades-all`: the same form under another name.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { OKX } from "../../../../src/venues/adapters/okx/profile.ts"
import type { Recorded } from "../recording.ts"
import { at, listAt, readSpelled, textAt } from "../spelled-json.ts"
import { levelsOf } from "./levels.ts"

const [profile] = OKX
if (profile === undefined) throw new Error("OKX has no profile")

const IDS: ReadonlyArray<readonly [id: string, base: string, quote: string]> = [
  ["BTC-USDT", "BTC", "USDT"],
  ["UNI-USD-SWAP", "UNISWAP", "USD"],
  ["BTC-USD-220527", "BTC220527", "USD"],
]

const TRADES = /"channel":"trades"/

export const okx: Recorded = ({ answers }) => ({
  profile,
  instruments: IDS.map(([id, base, quote]) => ({
    instrumentId: `OKX:${base}/${quote}` as InstrumentId,
    bookStream: `books ${id}`,
    tradeStream: `trades-all ${id}`,
  })),
  rest: (path) => {
    if (path.startsWith("/api/v5/public/time")) return JSON.stringify({ code: "0", data: [{ ts: String(Date.now()) }] })
    if (!path.startsWith("/api/v5/public/instruments")) return undefined
    const recorded = [...answers.values()].flatMap((body) => listAt(readSpelled(body), "data"))
    const data = IDS.map(([id, baseCcy, quoteCcy]) => {
      const it = recorded.find((instrument) => textAt(instrument, "instId") === id)
      return {
        instType: "SPOT",
        instId: id,
        baseCcy,
        quoteCcy,
        tickSz: textAt(it, "tickSz"),
        lotSz: textAt(it, "lotSz"),
        minSz: textAt(it, "minSz"),
        state: textAt(it, "state"),
      }
    })
    return JSON.stringify({ code: "0", msg: "", data })
  },
  asked: (message) => {
    const args = textAt(message, "op") === "subscribe" ? listAt(message, "args") : []
    return {
      streams: args.map((arg) => `${textAt(arg, "channel")} ${textAt(arg, "instId")}`),
      replies: args.map((arg) => JSON.stringify({ event: "subscribe", arg, connId: "1" })),
    }
  },
  streamOf: (frame) => {
    const channel = textAt(frame, "arg", "channel")
    if (at(frame, "data") === undefined) return undefined
    return `${channel === "trades" ? "trades-all" : channel} ${textAt(frame, "arg", "instId")}`
  },
  dressed: (text) => text.replace(TRADES, '"channel":"trades-all"'),
  book: (frame) => ({
    isSnapshot: textAt(frame, "action") === "snapshot",
    bids: levelsOf(listAt(frame, "data", 0, "bids")),
    asks: levelsOf(listAt(frame, "data", 0, "asks")),
  }),
  trades: (frame) =>
    listAt(frame, "data").map((trade) => ({
      id: textAt(trade, "tradeId"),
      price: textAt(trade, "px"),
      quantity: textAt(trade, "sz"),
    })),
})
