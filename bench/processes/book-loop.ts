/** The floor of `book`: a loop over ccxt.pro's `watchOrderBook` in one process, as its documentation shows it. */
import { type Binance, connectBinance } from "../../test/exchanges/ccxt-client.ts"
import type { Routes } from "../../test/exchanges/route-ccxt.ts"
import { answer } from "../kit/child.ts"
import { nowMicros } from "../kit/clock.ts"
import { ownCpuMicros } from "../kit/usage.ts"
import { frameOf, MARKED_PRICE, sightingsOf } from "./book-wire.ts"

let client: Binance | undefined
let seen = new Map<number, number>()
let newest = 0
let isOver = false
let failure: unknown
const price = Number(MARKED_PRICE)

const loop = async (ccxt: Binance): Promise<void> => {
  while (!isOver) {
    const book = await ccxt.watchOrderBook("BTC/USDT")
    const at = nowMicros()
    const level = book.bids.find(([each]) => each === price)
    const frame = frameOf(level?.[1] ?? 0)
    newest = frame
    if (!seen.has(frame)) seen.set(frame, at)
  }
}

answer(
  {
    start: async (routes: Routes): Promise<void> => {
      client = connectBinance(routes, { timeout: 10_000 })
      await client.loadMarkets()
      loop(client).catch((error: unknown) => {
        failure = error
      })
    },
    newest: () => newest,
    /** Forgets what it saw and answers it. */
    take: () => {
      if (failure !== undefined && !isOver) throw failure
      const taken = seen
      seen = new Map()
      return sightingsOf(taken, ownCpuMicros())
    },
  },
  async () => {
    isOver = true
    await client?.close()
  },
)
