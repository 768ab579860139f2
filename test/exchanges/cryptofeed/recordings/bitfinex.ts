/**
 * Bitfinex, 2021. The client of then asked for a sequence number at the end of each message; ccxt does not, so the venue would not
 * send it, and it is cut off. It had subscribed to 100 levels a side; ccxt takes as many as the venue says it sends. The recorded
 * list of pairs has another form than the one ccxt asks for.
 */
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { BITFINEX } from "../../../../src/venues/adapters/bitfinex/profile.ts"
import type { Level, Recorded } from "../recording.ts"
import { at, listAt, readSpelled, type Spelled, textAt } from "../spelled-json.ts"

/** The venue's symbols, and the names that ccxt has for their currencies. */
const PAIRS: ReadonlyArray<readonly [symbol: string, name: string]> = [
  ["tBFTUSD", "BFT/USD"],
  ["tIOTETH", "IOTA/ETH"],
  ["tDOGUSD", "MDOGE/USD"],
  ["tMNABTC", "MANA/BTC"],
  ["tODEUSD", "ODE/USD"],
  ["tTESTBTC:TESTUSD", "TESTBTC/TESTUSD"],
  ["tSNGUSD", "SNGLS/USD"],
]

const [profile] = BITFINEX
if (profile === undefined) throw new Error("Bitfinex has no profile")

/** `[[price, count, amount], …]`; an amount below zero is an ask, a count of zero deletes. */
const side = (rows: ReadonlyArray<Spelled>, isAsk: boolean): ReadonlyArray<Level> =>
  rows
    .filter((row) => textAt(row, 2).startsWith("-") === isAsk)
    .map((row) => [textAt(row, 0), textAt(row, 1) === "0" ? "0" : textAt(row, 2).replace("-", "")])

export const bitfinex: Recorded = ({ answers, frames }) => {
  const confirmations = new Map<string, string>()
  const streams = new Map<string, string>()
  for (const text of frames) {
    const frame = readSpelled(text)
    if (textAt(frame, "event") !== "subscribed") continue
    const stream = `${textAt(frame, "channel")} ${textAt(frame, "symbol")}`
    confirmations.set(stream, text)
    streams.set(textAt(frame, "chanId"), stream)
  }
  return {
    profile,
    instruments: PAIRS.map(([symbol, name]) => ({
      instrumentId: `BITFINEX:${name}` as InstrumentId,
      bookStream: `book ${symbol}`,
      tradeStream: `trades ${symbol}`,
    })),
    rest: (path) => {
      if (path.includes("pub:info:pair")) {
        const pairs = listAt(
          readSpelled(answers.get("https://api-pub.bitfinex.com/v2/conf/pub:list:pair:exchange") ?? "[[]]"),
          0,
        )
        const rows = pairs.map((pair) => [String(pair), [null, null, null, "0.1", "100000", null, null, null]])
        return JSON.stringify([rows, [], [], []])
      }
      return path.startsWith("/v2/conf/") ? "[[],[],[],[],[],[],[],[],[]]" : undefined
    },
    asked: (message) => {
      const event = textAt(message, "event")
      if (event === "conf")
        return {
          streams: [],
          replies: [JSON.stringify({ event: "conf", status: "OK", flags: Number(textAt(message, "flags")) })],
        }
      const stream = `${textAt(message, "channel")} ${textAt(message, "symbol")}`
      const confirmation = confirmations.get(stream)
      // It was not asked for the time then.
      if (event === "ping") return { streams: [], replies: [JSON.stringify({ event: "pong", ts: Date.now() })] }
      return event === "subscribe" && confirmation !== undefined
        ? { streams: [stream], replies: [confirmation] }
        : { streams: [], replies: [] }
    },
    streamOf: (frame) => (Array.isArray(frame) ? streams.get(textAt(frame, 0)) : undefined),
    dressed: (text) => text.replace(/,\d+\]$/, "]"),
    book: (frame) => {
      const rows = listAt(frame, 1)
      if (!Array.isArray(at(frame, 1))) return undefined
      const isSnapshot = Array.isArray(rows[0]) || rows.length === 0
      const changed = isSnapshot ? rows : [rows]
      return { isSnapshot, bids: side(changed, false), asks: side(changed, true) }
    },
    // An executed trade comes as "te", and again as "tu" once it has its fee.
    trades: (frame) => {
      const kind = textAt(frame, 1)
      const rows = kind === "te" ? [at(frame, 2) ?? []] : kind === "" ? listAt(frame, 1) : []
      return rows.map((row) => ({
        id: textAt(row, 0),
        price: textAt(row, 3),
        quantity: textAt(row, 2).replace("-", ""),
      }))
    },
  }
}
