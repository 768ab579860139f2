/** A book that never becomes whole begins anew, whatever else the venue sends: the loop alone, by a clock that is turned by hand. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { BooksOnTheirWay, queueSnapshots } from "../../../../src/venues/worker/feed/snapshots.ts"
import { type Feed, WatchLoop, type WatchLoopParts } from "../../../../src/venues/worker/feed/watch-loop.ts"

const ROUND_MILLIS = 20_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] })
})
afterEach(() => {
  vi.useRealTimers()
})

const watching = (state: { readonly isAsked: boolean; readonly isComing: boolean }) => {
  const [profile] = PROFILES
  if (profile === undefined) throw new Error("no venue")
  const done: Array<string> = []
  const socket = {
    subscriptions: { "orderbook:BTC/USDT": true },
    onError: () => done.push("socket ended"),
    close: () => undefined,
  }
  const feed = {
    stream: "book",
    instrumentId: "BINANCE:BTC/USDT" as InstrumentId,
    name: "BTC/USDT",
    open: true,
    live: false,
    failures: 0,
  } as Feed
  const parts = {
    profile,
    exchange: { clients: { socket }, watchOrderBook: () => new Promise(() => undefined) },
    markets: { areLoaded: true, listing: { symbolOf: () => "BTC/USDT" } },
    leaves: {
      pending: () => undefined,
      leave: async () => {
        done.push("left")
        return true
      },
    },
    isAsked: () => state.isAsked,
    isComing: () => state.isComing,
  } as unknown as WatchLoopParts
  void new WatchLoop(parts).run(feed)
  return { done, feed }
}

describe("a book without a snapshot", () => {
  it("waits for three rounds while other books get theirs, and begins anew then: alone first, with its socket after that", async () => {
    const { done, feed } = watching({ isAsked: false, isComing: true })
    await vi.advanceTimersByTimeAsync(3 * ROUND_MILLIS + 10)
    expect(done).toEqual([])
    await vi.advanceTimersByTimeAsync(ROUND_MILLIS)
    expect(done).toEqual(["left"])
    await vi.advanceTimersByTimeAsync(ROUND_MILLIS)
    expect(done).toEqual(["left", "socket ended"])
    feed.live = true
    await vi.advanceTimersByTimeAsync(10 * ROUND_MILLIS)
    expect(done).toEqual(["left", "socket ended"])
  })

  it("is left in peace for as long as its own question waits for the venue's budget", async () => {
    const state = { isAsked: true, isComing: true }
    const { done } = watching(state)
    await vi.advanceTimersByTimeAsync(30 * ROUND_MILLIS)
    expect(done).toEqual([])
    state.isAsked = false
    state.isComing = false
    await vi.advanceTimersByTimeAsync(ROUND_MILLIS)
    expect(done).toEqual(["left"])
  })

  it("begins anew although a question of before, whose place in the queue a newer one took, is never answered", async () => {
    const free: Array<() => void> = []
    const venue = {
      throttle: () => new Promise<void>((go) => free.push(go)),
      fetchOrderBook: async () => {
        await venue.throttle()
        throw new Error("away")
      },
    }
    const exchange = venue as unknown as CcxtExchange
    queueSnapshots(exchange)
    const onTheirWay = new BooksOnTheirWay()
    onTheirWay.install(exchange)
    const { done } = watching({
      get isAsked() {
        return onTheirWay.has("BTC/USDT")
      },
      isComing: false,
    })
    void exchange.fetchOrderBook("BTC/USDT")
    // Its stream began anew while that one waited for the budget.
    const newer = exchange.fetchOrderBook("BTC/USDT")
    await vi.advanceTimersByTimeAsync(3 * ROUND_MILLIS)
    expect([done, free.length]).toEqual([[], 1])
    free[0]?.()
    await expect(newer).rejects.toThrow("away")
    await vi.advanceTimersByTimeAsync(ROUND_MILLIS)
    expect(done).toEqual(["left"])
  })
})
