/** Bitfinex's books and their checksums, frame by frame through ccxt's own connector. The sums are made as the venue makes them. */
import { crc32 } from "node:zlib"
import { beforeEach, describe, expect, it } from "vitest"
import { BITFINEX } from "../../../../src/venues/adapters/bitfinex/profile.ts"
import type { CcxtExchange, CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { Digits, quoteFrames } from "../../../../src/venues/worker/feed/digits.ts"

const [profile] = BITFINEX
if (profile === undefined) throw new Error("Bitfinex has no profile")

const SYMBOL = "tSHIB:BTC"

type Row = readonly [price: number, count: number, amount: number]

/** What the venue's JavaScript sums: best bid, best ask, next bid, next ask, …; an amount of an ask is below zero. */
const sumOf = (rows: ReadonlyArray<Row>): number => {
  const bids = rows.filter(([, , amount]) => amount > 0).toSorted(([a], [b]) => b - a)
  const asks = rows.filter(([, , amount]) => amount < 0).toSorted(([a], [b]) => a - b)
  const told: Array<number> = []
  for (let at = 0; at < 25; at++)
    for (const row of [bids[at], asks[at]]) if (row !== undefined) told.push(row[0], row[2])
  return crc32(told.join(":")) | 0
}

let exchange: CcxtExchange
let socket: CcxtSocket

const heard = (...frames: ReadonlyArray<unknown>): void => {
  for (const frame of frames) socket.onMessage({ data: JSON.stringify(frame) })
}

beforeEach(async () => {
  exchange = publicInstance(await loadExchange(profile.exchange), { profile, routes: {}, proxy: null })
  new Digits().install(exchange)
  quoteFrames(exchange)
  socket = exchange.client("wss://api-pub.bitfinex.com/ws/2")
  heard({ event: "subscribed", channel: "book", chanId: 7, symbol: SYMBOL, prec: "P0", freq: "F0", len: "25" })
})

const holdsBook = (): boolean => Object.keys(exchange.orderbooks).length === 1

describe("the checksum of a Bitfinex book", () => {
  it.each<readonly [string, ReadonlyArray<Row>]>([
    [
      "of ordinary numbers",
      [
        [4714.5, 1, 0.25],
        [4715, 2, -1.5],
      ],
    ],
    [
      "with amounts below 1e-6",
      [
        [4714.5, 1, 5e-7],
        [4715, 2, -2.5e-8],
      ],
    ],
    [
      "with prices below 1e-6",
      [
        [1.2345e-7, 1, 250_000],
        [1.2346e-7, 2, -1],
      ],
    ],
  ])("%s fits", (_, rows) => {
    heard([7, rows], [7, "cs", sumOf(rows)])
    expect(holdsBook()).toBe(true)
  })

  it("ends a book that lacks a level", () => {
    const rows: ReadonlyArray<Row> = [
      [4714.5, 1, 5e-7],
      [4715, 2, -2.5e-8],
    ]
    heard([7, rows.slice(0, 1)], [7, "cs", sumOf(rows)])
    expect(holdsBook()).toBe(false)
  })
})
