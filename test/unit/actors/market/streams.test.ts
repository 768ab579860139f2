/** Which streams of a venue stay open: those that are held, those that clients read lately, and none of what the venue does not list. */
import { describe, expect, it } from "vitest"
import { outageOf } from "../../../../src/actors/market/outage.ts"
import { MarketStreams, WarmFeeds } from "../../../../src/actors/market/streams.ts"
import type { InstrumentId, VenueId } from "../../../../src/domain/ids.ts"
import type { VenueHealth } from "../../../../src/ports/venue-port.ts"

const HOUR = 3_600_000
const VENUE = "BINANCE" as VenueId
const id = (symbol: string, venue: string = VENUE) => `${venue}:${symbol}` as InstrumentId
const [BTC, ETH, SOL] = [id("BTC/USDT"), id("ETH/USDT"), id("SOL/USDT")]

const streamsOf = (venue: string = VENUE, warm = new WarmFeeds(0), time = { now: 0 }) => {
  const open = new Set<string>()
  const delisted = new Set<string>()
  const streams = new MarketStreams({
    venue: venue as VenueId,
    monotonic: () => time.now,
    isListed: (instrumentId) => !delisted.has(instrumentId),
    warm,
    opened: ({ stream, instrumentId }) => open.add(`${stream} ${instrumentId}`),
    closed: ({ stream, instrumentId }) => open.delete(`${stream} ${instrumentId}`),
  })
  const at = (now: number): ReadonlyArray<string> => {
    time.now = now
    streams.sweep(now)
    return [...open]
  }
  return { streams, open, delisted, at, time }
}

describe("a stream that was read", () => {
  it("closes after 30 s where nothing is kept warm", () => {
    const { streams, at } = streamsOf()
    streams.touch("book", BTC)
    expect([at(29_000), at(30_000)]).toEqual([[`book ${BTC}`], []])
  })

  it("stays open for an hour after the last read, and is counted; one that was held and left is not", () => {
    const { streams, at } = streamsOf(VENUE, new WarmFeeds(8))
    streams.touch("book", BTC)
    streams.hold("book", ETH, "a subscriber")
    streams.release("book", ETH, "a subscriber")
    expect(at(60_000)).toEqual([`book ${BTC}`])
    expect(streams.warmCount).toBe(1)
    streams.touch("book", BTC)
    expect(at(60_000 + HOUR - 1)).toEqual([`book ${BTC}`])
    expect(at(60_000 + HOUR)).toEqual([])
    expect(streams.warmCount).toBe(0)
  })

  it("makes room for what was read later: of its venue first, then of all", () => {
    const warm = new WarmFeeds(8)
    const time = { now: 0 }
    const one = streamsOf(VENUE, warm, time)
    for (const instrumentId of [BTC, ETH, SOL]) {
      one.streams.touch("book", instrumentId)
      time.now += 1
    }
    expect(one.at(60_000)).toEqual([`book ${ETH}`, `book ${SOL}`])
    const others = ["KRAKEN", "OKX", "GATE", "KUCOIN"].map((venue) => ({ venue, ...streamsOf(venue, warm, time) }))
    for (const { venue, streams } of others)
      for (const symbol of ["BTC/USDT", "ETH/USDT"]) {
        time.now += 1
        streams.touch("book", id(symbol, venue))
      }
    expect(one.at(120_000)).toEqual([])
    expect(others.map(({ at }) => at(120_000).length)).toEqual([2, 2, 2, 2])
  })
})

describe("a stream of an instrument that its venue lists no more", () => {
  it("closes under who holds it, and opens again by itself when it is listed again", () => {
    const { streams, open, delisted, at } = streamsOf()
    streams.hold("book", BTC, "a subscriber")
    streams.hold("trade", BTC, "a subscriber")
    streams.hold("book", ETH, "another")
    delisted.add(BTC)
    streams.listingChanged(BTC)
    expect([...open]).toEqual([`book ${ETH}`])
    streams.release("trade", BTC, "a subscriber")
    expect(at(60_000)).toEqual([`book ${ETH}`])
    delisted.delete(BTC)
    streams.listingChanged(BTC)
    expect([...open]).toEqual([`book ${ETH}`, `book ${BTC}`])
  })

  it("is not opened for who comes meanwhile, and is when it is listed again", () => {
    const { streams, open, delisted } = streamsOf()
    delisted.add(BTC)
    streams.hold("trade", BTC, "a subscription of before the start")
    expect([...open]).toEqual([])
    delisted.delete(BTC)
    streams.listingChanged(BTC)
    expect([...open]).toEqual([`trade ${BTC}`])
  })
})

describe("a stream of an instrument that is not listed, for who insists on it", () => {
  it("stays open, and is open after a start, until who insists lets go: others alone keep it closed", () => {
    const { streams, open, delisted } = streamsOf()
    streams.hold("trade", BTC, "a subscriber")
    streams.insist("trade", BTC, "a trigger")
    delisted.add(BTC).add(ETH)
    streams.listingChanged(BTC)
    streams.insist("trade", ETH, "a trigger that was armed before the start")
    expect([...open]).toEqual([`trade ${BTC}`, `trade ${ETH}`])
    streams.release("trade", BTC, "a trigger")
    expect([...open]).toEqual([`trade ${ETH}`])
    delisted.delete(BTC)
    streams.listingChanged(BTC)
    expect([...open]).toEqual([`trade ${ETH}`, `trade ${BTC}`])
  })
})

describe("an outage", () => {
  const reason = "VENUE_NETWORK: connect ECONNREFUSED 10.0.0.1:443"
  const health = (patch: Partial<VenueHealth>) =>
    outageOf(
      {
        health: () => [
          {
            venue: VENUE,
            status: "down",
            reason,
            since: 0,
            outage: { reason, failedAt: 1_000 },
            restarts: 0,
            streams: 0,
            sessions: 0,
            ...patch,
          },
        ],
      },
      () => 50_000,
    )

  it("is known for a minute after the last attempt that failed, in a word that has nothing of ours in it", () => {
    expect(health({})(VENUE)).toMatchObject({ _tag: "VenueUnavailable", reason: "VENUE_NETWORK" })
    const lost = { reason: "the connector was lost: out of memory", failedAt: 1_000 }
    expect(health({ outage: lost })(VENUE)?.reason).toBe("VENUE_UNREACHABLE")
    expect(health({ outage: { reason, failedAt: -11_000 } })(VENUE)).toBeUndefined()
    expect(health({ outage: undefined })(VENUE)).toBeUndefined()
    expect(health({})("KRAKEN" as VenueId)).toBeUndefined()
    expect(health({})(VENUE, 5_000)).toBeUndefined()
  })
})
