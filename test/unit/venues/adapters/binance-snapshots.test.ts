/** How Binance's REST snapshots and buffered changes become one book, through ccxt's own connector; its answers are scripted. */
import { describe, expect, it } from "vitest"
import { BINANCE } from "../../../../src/venues/adapters/binance/profile.ts"
import { BINANCEUSDM } from "../../../../src/venues/adapters/binanceusdm/profile.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import type { CcxtExchange, CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { classify } from "../../../../src/venues/worker/exchange/errors.ts"
import { publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"

interface Scripted extends CcxtExchange {
  fetch(url: string): Promise<unknown>
  setMarkets(markets: ReadonlyArray<unknown>): unknown
  fetchOrderBookSnapshot(socket: CcxtSocket, message: unknown, subscription: unknown): Promise<void>
}

interface Kind {
  readonly profile: VenueProfile | undefined
  readonly symbol: string
  readonly type: "spot" | "future"
  readonly url: string
  /** A change [U, u] with one bid. */
  readonly change: (U: number, u: number) => object
}

const told = (U: number, u: number) => ({
  e: "depthUpdate",
  E: 1_700_000_000_000,
  s: "BTCUSDT",
  U,
  u,
  b: [["100.00", String(u)]],
  a: [],
})

const KINDS: ReadonlyArray<readonly [string, Kind]> = [
  [
    "BINANCE",
    {
      profile: BINANCE[0],
      symbol: "BTC/USDT",
      type: "spot",
      url: "wss://stream.binance.com:9443/ws",
      change: told,
    },
  ],
  [
    "BINANCEUSDM",
    {
      profile: BINANCEUSDM[0],
      symbol: "BTC/USDT:USDT",
      type: "future",
      url: "wss://fstream.binance.com/ws",
      change: (U, u) => ({ ...told(U, u), pu: U - 1 }),
    },
  ],
]

const snapshot = (lastUpdateId: number) => ({ lastUpdateId, bids: [["99.00", "1"]], asks: [["101.00", "1"]] })

/** Begins a book whose changes are buffered while the venue gives these snapshots, one a question. */
const begun = async (
  { profile, symbol, type, url, change }: Kind,
  buffered: ReadonlyArray<readonly [number, number]>,
  answers: ReadonlyArray<number>,
) => {
  if (profile === undefined) throw new Error("Binance has no profile")
  const exchange = publicInstance(await loadExchange(profile.exchange), {
    profile,
    routes: {},
    proxy: null,
  }) as Scripted
  const isSpot = type === "spot"
  exchange.setMarkets([
    {
      id: "BTCUSDT",
      symbol,
      base: "BTC",
      quote: "USDT",
      type: isSpot ? "spot" : "swap",
      spot: isSpot,
      swap: !isSpot,
      contract: !isSpot,
      linear: isSpot ? undefined : true,
      precision: {},
      limits: {},
    },
  ])
  let asked = 0
  exchange.fetch = () => {
    const answer = answers[Math.min(asked, answers.length - 1)]
    asked += 1
    return Promise.resolve(snapshot(answer ?? 0))
  }
  const socket = exchange.client(url)
  const failures: Array<Error> = []
  socket.reject = (error) => {
    failures.push(error)
    return error
  }
  exchange.orderbooks[symbol] = exchange.orderBook({}, 1000)
  for (const [U, u] of buffered) exchange.handleMessage(socket, change(U, u))
  await exchange.fetchOrderBookSnapshot(socket, {}, { symbol, type, limit: 1000, params: {} })
  return { book: exchange.orderbooks[symbol], asked, failures }
}

describe.each(KINDS)("a book of %s", (_, kind) => {
  it("begins with the snapshot that the buffered changes join", async () => {
    const { book, asked, failures } = await begun(
      kind,
      [
        [95, 101],
        [102, 105],
      ],
      [100],
    )
    expect({ nonce: book?.nonce, bid: book?.bids[0], asked, failures }).toEqual({
      nonce: 105,
      bid: [100, 105],
      asked: 1,
      failures: [],
    })
  })

  it("begins with a snapshot that is newer than all of them", async () => {
    const { book, asked } = await begun(kind, [[95, 99]], [100])
    expect({ nonce: book?.nonce, bid: book?.bids[0], asked }).toEqual({ nonce: 100, bid: [99, 1], asked: 1 })
  })

  it("does not begin with one that is older than the changes: the venue is asked again", async () => {
    const { book, asked, failures } = await begun(
      kind,
      [
        [95, 101],
        [102, 105],
      ],
      [50, 100],
    )
    expect({ nonce: book?.nonce, bid: book?.bids[0], asked, failures }).toEqual({
      nonce: 105,
      bid: [100, 105],
      asked: 2,
      failures: [],
    })
  })
})

it("a book of BINANCE fails as a hole in the stream when the venue has only older snapshots", async () => {
  const kind = KINDS[0]?.[1]
  if (kind === undefined) throw new Error("no kind of market")
  const { book, asked, failures } = await begun(kind, [[95, 101]], [50])
  expect({ nonce: book?.nonce, asked }).toEqual({ nonce: undefined, asked: 3 })
  expect(failures.map((failure) => classify(failure).category)).toEqual(["STREAM_GAP"])
})
