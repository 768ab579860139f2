/** Books that no sequence guards, from the venue's socket to a subscriber: what is lost on the way is found, and told. */
import { Effect, Exit, Scope } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { bookChannel } from "../../../src/domain/channel.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { BookAuditTimes, VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { startUnnumbered, type UnnumberedExchange } from "../../exchanges/unnumbered/exchange.ts"
import { BookReader } from "../../kit/readers/market-reader.ts"
import { connectedMarkets } from "../../kit/worlds/connected-markets.ts"
import { sharedThread } from "./thread-kit.ts"
import { profileOf, until } from "./venue-kit.ts"

const stops: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

const NEVER = 3_600_000
const OFTEN: BookAuditTimes = { everyMillis: 200, silentMillis: NEVER, settleMillis: 150 }

const isCrossed = (reader: BookReader): boolean => {
  const { bids, asks } = reader.book()
  return Number(bids[0]?.[0] ?? Number.NEGATIVE_INFINITY) >= Number(asks[0]?.[0] ?? Number.POSITIVE_INFINITY)
}

/** A subscriber of one book behind a connector in a thread of its own. */
const subscribe = async (
  routes: Readonly<Record<string, string>>,
  profile: VenueProfile,
  bookAudit: BookAuditTimes | null,
  stir: () => void = () => undefined,
) => {
  const scope = await Effect.runPromise(Scope.make())
  stops.push(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const notices: Array<string> = []
  const { channels, stats } = await Effect.runPromise(
    connectedMarkets([{ ...profile, bookAudit }], {
      venueRoutes: routes,
      venuesInactive: [],
      notice: (_, what) => notices.push(what),
      placement: sharedThread(profile),
    }).pipe(Scope.extend(scope)),
  )
  const pair = profile.venue === "BINANCE" ? "BTC/USDT" : "BTC/USD"
  const reader: BookReader = new BookReader(channels, bookChannel(`${profile.venue}:${pair}` as InstrumentId), (it) => {
    if (it.last?.quality === "SYNCED" && isCrossed(it)) throw new Error("a crossed book was called SYNCED")
  })
  await until(() => {
    stir()
    return reader.last?.quality === "SYNCED"
  }, "the first snapshot")
  const figures = () => stats().connectors[0]
  return {
    reader,
    notices,
    figures,
    audits: () => figures()?.figures?.bookAudits ?? { made: 0, differed: 0, failed: 0 },
    snapshots: () => reader.records.filter(({ updateType }) => updateType === "SNAPSHOT").length,
    qualities: () => reader.records.map(({ quality }) => quality),
  }
}

const start = async (venue: "BITFINEX" | "BITSTAMP" | "GEMINI", times: BookAuditTimes | null) => {
  const exchange = await startUnnumbered(venue)
  stops.push(exchange.stop)
  let step = 0
  /** A level far from the others moves: Bitstamp's book begins with the first change. */
  const stir = () => exchange.setLevel("bids", "50000.00", `${++step}.5`)
  return { exchange, stir, ...(await subscribe(exchange.routes, profileOf(venue), times, stir)) }
}

/** A book that was lost is SYNCED again with a SNAPSHOT and with nothing less. */
const expectHonest = ({ records }: BookReader): void => {
  const again = records.filter(({ quality }, at) => quality === "SYNCED" && records[at - 1]?.quality !== "SYNCED")
  expect(again.map(({ updateType }) => updateType)).toEqual(["SNAPSHOT", "SNAPSHOT"])
}

const isVenues = (reader: BookReader, exchange: UnnumberedExchange): boolean =>
  reader.last?.quality === "SYNCED" && JSON.stringify(reader.book()) === JSON.stringify(exchange.depth())

describe.each(["BITSTAMP", "GEMINI"] as const)("a book of %s, which numbers nothing", (venue) => {
  it("is left alone by audits while it moves and is right", async () => {
    const { exchange, reader, audits, snapshots, notices } = await start(venue, OFTEN)
    let step = 0
    await until(() => {
      step += 1
      exchange.setLevel("bids", `${59_985 + (step % 15)}.00`, `${step}.00000001`)
      return audits().made >= 5
    }, "five audits")
    await until(() => isVenues(reader, exchange), "the venue's book")
    expect([snapshots(), audits().differed, notices]).toEqual([1, 0, []])
  })

  it("that lost a change is begun anew by an audit: subscribers hear of it, then have the venue's book", async () => {
    const { exchange, stir, reader, audits, figures, snapshots, qualities, notices } = await start(venue, OFTEN)
    exchange.setLevel("bids", "59990.00", "777.00000000", "lost")
    exchange.setLevel("asks", "60005.00", "0", "lost")
    await until(() => {
      // Its stream goes on: nothing but the venue's own book shows what is missing.
      stir()
      return snapshots() === 2
    }, "a new snapshot")
    await until(() => isVenues(reader, exchange), "the venue's book")
    expectHonest(reader)
    expect(qualities()).toContain("RESYNCING")
    expect(figures()?.resyncsBy).toMatchObject({ differs: 1, silent: 0 })
    await until(() => audits().differed === 1, "the worker's figures")
    expect(
      notices.filter((what) => /differs from the venue's at 2 levels: resynchronised \(1 of \d+ audits/.test(what)),
    ).toHaveLength(1)
  })

  it("that lost a change and is crossed by the next one is never shown as SYNCED, and begun anew at once", async () => {
    const { exchange, stir, reader, figures, snapshots } = await start(venue, null)
    exchange.setLevel("bids", "60000.00", "0", "lost")
    exchange.setLevel("asks", "60000.00", "3.00000000")
    // An empty one that takes back what was wrong, and the venue's.
    await until(() => {
      stir()
      return snapshots() === 3
    }, "a new snapshot")
    await until(() => isVenues(reader, exchange), "the venue's book")
    expectHonest(reader)
    expect(figures()?.resyncsBy).toMatchObject({ crossed: 1, differs: 0 })
  })

  it("that falls silent while the venue's goes on is STALE as soon as that is known, and subscribed anew", async () => {
    const { exchange, stir, reader, figures, snapshots, qualities } = await start(venue, {
      everyMillis: null,
      silentMillis: 300,
      settleMillis: 100,
    })
    exchange.fallSilent()
    exchange.setLevel("bids", "59990.00", "777.00000000")
    await until(() => {
      // Nobody hears it before the stream is subscribed anew.
      stir()
      return snapshots() === 2
    }, "a new snapshot")
    await until(() => isVenues(reader, exchange), "the venue's book")
    expectHonest(reader)
    expect(qualities()).toContain("STALE")
    expect(figures()?.resyncsBy).toMatchObject({ silent: 1, differs: 0 })
    exchange.setLevel("bids", "59991.00", "5.00000000")
    await until(() => isVenues(reader, exchange), "the stream's next change")
  })

  it("that is silent because its market is quiet stays SYNCED", async () => {
    const { audits, snapshots, qualities } = await start(venue, {
      everyMillis: null,
      silentMillis: 100,
      settleMillis: 50,
    })
    await until(() => audits().made >= 3, "three audits")
    expect([snapshots(), audits().differed, new Set(qualities())]).toEqual([1, 0, new Set(["SYNCED"])])
  })
})

describe("a book of BITFINEX, which sends checksums", () => {
  it("that lost a change is begun anew with the next one", async () => {
    const { exchange, stir, reader, figures, snapshots, qualities } = await start("BITFINEX", null)
    for (let step = 0; step < 5; step++) stir()
    await until(() => isVenues(reader, exchange), "the venue's book")
    expect(snapshots()).toBe(1)
    exchange.setLevel("bids", "59990.00", "777.00000000", "lost")
    stir()
    await until(() => snapshots() === 2, "a new snapshot")
    await until(() => isVenues(reader, exchange), "the venue's book")
    expectHonest(reader)
    expect(qualities()).toContain("RESYNCING")
    expect(figures()?.gaps).toBe(1)
  })
})

describe("a book of a venue that numbers its changes", () => {
  it("is subscribed anew when its stream falls silent, which no number shows", async () => {
    const exchange = await startBinanceExchange({ market: "still" })
    stops.push(exchange.stop)
    const { reader, figures, snapshots, qualities } = await subscribe(exchange.routes, profileOf("BINANCE"), {
      everyMillis: null,
      silentMillis: 500,
      settleMillis: 100,
    })
    const [price = ""] = exchange.depth("BTCUSDT", 10).bids[9] ?? []
    exchange.fault({ fault: "dropNextDiffs", symbol: "BTCUSDT", count: 1 })
    exchange.setLevel("BTCUSDT", "bids", price, "7.00000000")
    await until(() => snapshots() === 2, "a new snapshot")
    expect(new Map(reader.book().bids).get(price)).toBe("7.00000000")
    expect(qualities()).toContain("STALE")
    expect(figures()?.resyncsBy.silent).toBe(1)
  })
})
