/** Venues that share a worker thread: what one of them does to the others, and how one that keeps dying is taken out of their company. */
import { Effect, Exit, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { MarketSource } from "../../../src/ports/market-source.ts"
import type { VenueStats } from "../../../src/ports/venue-stats.ts"
import { type CcxtVenue, type CcxtVenuesOptions, ccxtVenues } from "../../../src/venues/connector/ccxt-venue.ts"
import { type BinanceExchange, startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { THREAD_CODE } from "../../kit/thread-code.ts"
import { PATIENT } from "./thread-kit.ts"
import { account, profileOf, RecordingSink, SECRETS, until } from "./venue-kit.ts"

interface Side {
  readonly venue: CcxtVenue
  readonly sink: RecordingSink
  readonly source: MarketSource
  /** Opens the book and waits for it. */
  readonly whole: () => Promise<void>
}

interface Pair {
  readonly exchange: BinanceExchange
  readonly one: Side
  readonly other: Side
  readonly stats: () => VenueStats
  readonly run: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>
  readonly stop: () => Promise<void>
}

const shardOf = ({ stats }: Pair, connector: string): string | null | undefined =>
  stats().connectors.find((each) => each.connector === connector)?.shard

/** BINANCE and another venue before one loopback exchange. */
const startPair = async (
  options: Partial<CcxtVenuesOptions> = {},
  otherProfile = profileOf("BINANCE_UAT"),
): Promise<Pair> => {
  const users = [{ apiKey: SECRETS.apiKey, apiSecret: SECRETS.apiSecret, balances: { USDT: "100000" } }]
  const exchange = await startBinanceExchange({ market: "still", users })
  const scope = await Effect.runPromise(Scope.make())
  const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
    Effect.runPromise(effect.pipe(Scope.extend(scope)))
  const times = { ...PATIENT, ...options.times }
  const own = { venueRoutes: exchange.routes, venuesInactive: [], breakable: true, threadCode: THREAD_CODE }
  const given = { ...own, ...options, times }
  const { venues, stats } = await run(ccxtVenues(given, [profileOf("BINANCE"), otherProfile]))
  const [one, other] = venues.map((venue): Side => {
    const sink = new RecordingSink()
    const source = venue.market(sink)
    const { venue: name } = venue.venue
    return {
      venue,
      sink,
      source,
      whole: async () => {
        source.open("book", `${name}:BTC/USDT` as InstrumentId)
        await until(() => sink.book.isWhole, `the book of ${name}`)
      },
    }
  })
  if (one === undefined || other === undefined) throw new Error("two profiles make two venues")
  return {
    exchange,
    one,
    other,
    stats,
    run,
    stop: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await exchange.stop()
    },
  }
}

const TOGETHER = { "*": { public: "together", private: "together" } }

describe("venues in one thread", () => {
  let pair: Pair | undefined
  afterEach(async () => {
    await pair?.stop()
    pair = undefined
  })

  const started = async (options: Partial<CcxtVenuesOptions> = {}): Promise<Pair> => {
    pair = await startPair({ shards: TOGETHER, ...options })
    await Promise.all([pair.one.whole(), pair.other.whole()])
    return pair
  }

  it("have books of their own, and their thread is seen", async () => {
    const { exchange, one, other, stats } = await started()
    exchange.setLevel("BTCUSDT", "bids", "50000.00", "1.5")
    for (const { sink } of [one, other])
      await until(() => sink.book.bids.get("50000.00000000") === "1.50000000", "the change")
    // Its beats tell the thread's figures: one after the change has both batches in it.
    await until(() => stats().connectors.every(({ figures }) => (figures?.batches ?? 0) > 1), "a beat of the thread")
    const { shards, connectors } = stats()
    expect(shards).toMatchObject([
      { shard: "together", state: "up", connectors: ["BINANCE", "BINANCE_UAT"], deaths: 0, lastDeath: null },
    ])
    expect(shards[0]?.heapUsedBytes).toBeGreaterThan(1_000_000)
    expect(connectors).toMatchObject([
      { connector: "BINANCE", state: "up", restarts: 0, streams: 1, sessions: 0, gaps: 0 },
      { connector: "BINANCE_UAT", state: "up", restarts: 0, streams: 1, sessions: 0, gaps: 0 },
    ])
    expect(connectors[0]?.figures?.budget.sent.market).toBeGreaterThan(0)
  })

  it("come back together when one brings the thread down, and only that one is blamed", async () => {
    const at = await started({ times: { breakerCrashes: 2 } })
    const { one, other } = at
    for (const deaths of [1, 2]) {
      other.venue.supervisor.break(deaths === 1 ? "throw" : "exit")
      const isBack = ({ sink }: Side) => sink.book.isWhole && sink.book.snapshots === deaths + 1
      await until(() => isBack(one) && isBack(other), `both books after death ${deaths}`)
    }
    expect(shardOf(at, "BINANCE")).toBe("together")
    expect(shardOf(at, "BINANCE_UAT")).toBe("BINANCE_UAT alone")
    const downs = one.sink.downs.length
    other.venue.supervisor.break("throw")
    await until(() => other.sink.book.snapshots === 4 && other.sink.book.isWhole, "the book of the one alone")
    expect(one.sink.downs.length).toBe(downs)
    expect(at.stats().shards).toMatchObject([
      { shard: "together", connectors: ["BINANCE"], deaths: 2 },
      { shard: "BINANCE_UAT alone", connectors: ["BINANCE_UAT"], deaths: 1, lastDeath: "broken on purpose" },
    ])
  })

  it("all part when it cannot be said whose doing it is", async () => {
    const at = await started({ times: { breakerCrashes: 1, heartbeatMillis: 100 } })
    at.other.venue.supervisor.break("spin")
    for (const { sink } of [at.one, at.other])
      await until(() => sink.book.snapshots === 2 && sink.book.isWhole, "both books")
    expect(shardOf(at, "BINANCE")).toBe("BINANCE alone")
    expect(shardOf(at, "BINANCE_UAT")).toBe("BINANCE_UAT alone")
  })

  it("are untouched by one whose code cannot be loaded", async () => {
    const missing = { ...profileOf("BINANCE_UAT"), exchange: "no-such-exchange" }
    const notices: Array<string> = []
    const notice = (_: string, what: string) => void notices.push(what)
    pair = await startPair({ shards: TOGETHER, notice }, missing)
    await pair.one.whole()
    await expect(pair.run(pair.other.venue.instruments(null))).rejects.toThrow("Venue unavailable")
    expect(notices).toContainEqual(expect.stringContaining("no-such-exchange"))
    const { stats, one } = pair
    await until(() => (stats().connectors[1]?.restarts ?? 0) > 0, "another try")
    expect(one.sink.downs).toEqual([])
    expect(stats().shards).toMatchObject([{ shard: "together", deaths: 0 }])
  })

  it("leave the thread one by one, and the last one ends it", async () => {
    const at = await started()
    await at.one.venue.supervisor.stop()
    expect(at.stats().shards).toMatchObject([{ state: "up", connectors: ["BINANCE_UAT"] }])
    at.exchange.setLevel("BTCUSDT", "bids", "50000.00", "1.5")
    await until(() => at.other.sink.book.bids.get("50000.00000000") === "1.50000000", "the other one's change")
    await at.other.venue.supervisor.stop()
    expect(at.stats().shards).toMatchObject([{ state: "down", connectors: [] }])
  })
})

describe("a venue's threads", () => {
  let pair: Pair
  afterEach(() => pair.stop())

  const opened = async (side: Side, reports: Array<string>) => {
    const report = ({ _tag }: { readonly _tag: string }) => void reports.push(_tag)
    await pair.run(side.venue.openSession({ account: account(side.venue.venue.venue), secrets: SECRETS, report }))
    await until(() => reports.includes("StreamUp"), "the private stream")
  }

  it("are two where its private sessions are to live apart from its market data", async () => {
    pair = await startPair({ shards: { BINANCE: { public: "hot", private: "orders" } } })
    await pair.one.whole()
    const reports: Array<string> = []
    await opened(pair.one, reports)
    expect(shardOf(pair, "BINANCE")).toBe("hot")
    expect(shardOf(pair, "BINANCE 2")).toBe("orders")
    pair.one.venue.supervisor.break("exit")
    await until(() => pair.one.sink.book.snapshots === 2, "the second snapshot")
    expect(reports).not.toContain("StreamDown")
    expect(pair.one.venue.health()).toMatchObject({ status: "up", restarts: 1, streams: 1, sessions: 1 })
  })

  it("are its own for each venue when they are to be apart", async () => {
    pair = await startPair({ shards: "apart" })
    await Promise.all([pair.one.whole(), pair.other.whole()])
    expect([shardOf(pair, "BINANCE"), shardOf(pair, "BINANCE_UAT")]).toEqual(["BINANCE", "BINANCE_UAT"])
    pair.other.venue.supervisor.break("exit")
    await until(() => pair.other.sink.book.snapshots === 2, "the second snapshot")
    expect(pair.one.sink.downs).toEqual([])
  })
})
