/** Who follows an instrument: what is told of trades, of best prices, of silence and of gaps, on a clock of the test's own. */
import { describe, expect, it } from "vitest"
import { type FollowedMarket, MarketFollowers } from "../../../../src/actors/market/followers.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { MarketTrade } from "../../../../src/ports/market-source.ts"

const BTC = "SIM:BTC/USDT" as InstrumentId

const followed = () => {
  let now = 1_000
  let best: { readonly bid: string | null; readonly ask: string | null } | undefined
  let lastTrade: MarketTrade | null = null
  const held = new Set<string>()
  const market: FollowedMarket = {
    monotonic: () => now,
    now: () => now,
    hold: (stream, _id, holder) => held.add(`${stream} ${holder}`),
    release: (stream, _id, holder) => held.delete(`${stream} ${holder}`),
    lastTrade: () => lastTrade,
    best: () => best,
  }
  const followers = new MarketFollowers(market)
  const listen = (withQuotes = false) => {
    const told: Array<string> = []
    const release = followers.follow(BTC, {
      onTrade: (price) => told.push(`trade ${price}`),
      onHealth: (isLive) => told.push(isLive ? "live" : "stale"),
      onGap: (since) => told.push(`gap ${since}`),
      ...(withQuotes && { onQuote: (bid, ask) => told.push(`quote ${bid} ${ask}`) }),
    })
    return { told, release }
  }
  return {
    followers,
    listen,
    streams: () => [...new Set([...held].map((it) => it.split(" ")[0]))].sort(),
    trade: (price: string) => {
      const trade: MarketTrade = {
        instrumentId: BTC,
        externalTradeId: price,
        price,
        quantity: "1",
        side: "BUY",
        at: now,
      }
      followers.onTrade(trade)
      lastTrade = trade
    },
    down: () => {
      lastTrade = null
      followers.onTradesDown(BTC)
    },
    book: (bid: string | null, ask: string | null) => {
      best = { bid, ask }
      followers.onBook(BTC)
    },
    bookLost: () => {
      best = undefined
    },
    pass: (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        now += 1_000
        followers.watch(now)
      }
    },
  }
}

describe("a follower", () => {
  it("hears every trade in order, and the newest one that is known at once", () => {
    const market = followed()
    const first = market.listen()
    market.trade("100")
    market.trade("101.50")
    const second = market.listen()
    market.trade("99")
    expect(first.told).toEqual(["gap 1000", "trade 100", "trade 101.50", "trade 99"])
    expect(second.told).toEqual(["trade 101.50", "trade 99"])
  })

  it("keeps the feeds open that it needs, and no longer than it follows", () => {
    const market = followed()
    const plain = market.listen()
    expect(market.streams()).toEqual(["trade"])
    const quoted = market.listen(true)
    expect(market.streams()).toEqual(["book", "trade"])
    quoted.release()
    expect(market.streams()).toEqual(["trade"])
    plain.release()
    expect(market.streams()).toEqual([])
    market.trade("100")
    expect([...plain.told, ...quoted.told]).toEqual([])
  })

  it("hears of best prices only when one of them changes", () => {
    const market = followed()
    const { told } = market.listen(true)
    market.book("99", "101")
    market.book("99", "101")
    market.book("99", null)
    expect(told).toEqual(["quote 99 101", "quote 99 null"])
  })

  it("learns where trades may be missing, before the next one", () => {
    const market = followed()
    const { told } = market.listen()
    market.trade("100")
    market.pass(1)
    market.down()
    market.pass(2)
    market.down()
    market.trade("90")
    market.trade("91")
    expect(told).toEqual(["gap 1000", "trade 100", "gap 2000", "trade 90", "trade 91"])
  })

  it("is live while a quiet market's book is whole, which is held as a witness only then", () => {
    const market = followed()
    const { told } = market.listen()
    market.trade("100")
    market.pass(4)
    expect(market.streams()).toEqual(["trade"])
    market.pass(1)
    expect(market.streams()).toEqual(["book", "trade"])
    market.book("99", "101")
    market.pass(60)
    market.trade("101")
    expect(market.streams()).toEqual(["trade"])
    expect(told).toEqual(["gap 1000", "trade 100", "trade 101"])
  })

  it("is told once that nothing comes any more, and once that something does; who comes meanwhile too", () => {
    const market = followed()
    const { told } = market.listen()
    market.book("99", "101")
    market.pass(30)
    market.bookLost()
    market.pass(4)
    expect(told).toEqual([])
    market.pass(20)
    expect(told).toEqual(["stale"])
    const late = market.listen()
    expect(late.told).toEqual(["stale"])
    market.book("99", "101")
    market.pass(30)
    expect(told).toEqual(["stale", "live"])
    expect(late.told).toEqual(["stale", "live"])
  })
})
