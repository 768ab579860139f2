/** How the six venues that number their book updates do so, and that one that is missing is found at each. */
import { describe, expect, it } from "vitest"
import { PROFILES } from "../../../../../src/venues/adapters/registry.ts"
import type { CcxtSocket } from "../../../../../src/venues/worker/exchange/ccxt.ts"
import { continuityOf, SequenceGuard } from "../../../../../src/venues/worker/feed/sequence-guard.ts"

/** The nth message of a book, the 0th its snapshot where the stream has one. */
const MESSAGES: Readonly<Record<string, (nth: number) => unknown>> = {
  bybit: (nth) => ({
    topic: "orderbook.50.BTCUSDT",
    type: nth === 0 ? "snapshot" : "delta",
    data: { s: "BTCUSDT", u: 100 + nth },
  }),
  coinbase: (nth) => ({ channel: "l2_data", sequence_num: nth }),
  deribit: (nth) => ({
    params: {
      channel: "book.BTC-PERPETUAL.100ms",
      data: {
        type: nth === 0 ? "snapshot" : "change",
        change_id: 100 + 7 * nth,
        ...(nth === 0 ? {} : { prev_change_id: 93 + 7 * nth }),
      },
    },
  }),
  gate: (nth) => ({
    channel: "spot.obu",
    event: "update",
    result: { s: "ob.BTC_USDT.400", u: 100 + 3 * nth, ...(nth === 0 ? { full: true } : { U: 98 + 3 * nth }) },
  }),
  krakenfutures: (nth) => ({ feed: nth === 0 ? "book_snapshot" : "book", product_id: "PF_XBTUSD", seq: 100 + nth }),
  kucoin: (nth) => ({
    topic: "/market/level2:BTC-USDT",
    data: { sequenceStart: 98 + 3 * nth, sequenceEnd: 100 + 3 * nth },
  }),
}

/** What the guard says to these messages of one socket. */
const heard = (exchange: string, ...nths: ReadonlyArray<number>): ReadonlyArray<string | undefined> => {
  const guard = new SequenceGuard(exchange)
  const socket = {} as CcxtSocket
  return nths.map((nth) => {
    const found = guard.look(socket, MESSAGES[exchange]?.(nth))
    return found === "STALE" ? found : found?.hole
  })
}

describe("continuity", () => {
  it("is that of these venues and no others", () => {
    const of = (kind: string) =>
      PROFILES.filter(({ sandbox, exchange }) => !sandbox && continuityOf(exchange) === kind).map(({ venue }) => venue)
    expect(of("sequence")).toEqual(["BYBIT", "COINBASE", "DERIBIT", "GATE", "KRAKENFUTURES", "KUCOIN"])
    expect(of("checked by ccxt")).toEqual(["BINANCE", "BINANCEUSDM", "BITFINEX", "OKX"])
    // Kraken's checksums are not ccxt's affair: adapters/kraken/books.ts.
    expect(of("none")).toEqual(["BITSTAMP", "GEMINI", "KRAKEN"])
  })
})

describe.each(Object.keys(MESSAGES))("the sequence of %s", (exchange) => {
  it("is whole while each message follows the one before", () => {
    expect(heard(exchange, 0, 1, 2, 3)).toEqual([undefined, undefined, undefined, undefined])
  })

  it.each([
    ["one that is missing", [0, 1, 3]],
    ["two in the wrong order", [0, 2, 1]],
    ["one that comes twice", [0, 1, 1]],
  ])("shows %s", (_, nths) => {
    expect(heard(exchange, ...nths).find((hole) => hole !== undefined)).toMatch(/ jumped from /)
  })
})

describe("a book that begins with a snapshot by REST, of a market that says nothing meanwhile", () => {
  const first = (bookAt: number | undefined) =>
    new SequenceGuard("kucoin", (marketId) => (marketId === "BTC-USDT" ? bookAt : undefined)).look(
      {} as CcxtSocket,
      MESSAGES["kucoin"]?.(1),
    )

  it("has a hole where its first change does not join the snapshot", () => {
    expect(first(90)).toEqual({ hole: "/market/level2:BTC-USDT started with 90 but continues from 100" })
  })

  it.each([100, 102, 200, undefined])("has none where it does, or there is no snapshot yet: %s", (bookAt) => {
    expect(first(bookAt)).toBeUndefined()
  })
})
