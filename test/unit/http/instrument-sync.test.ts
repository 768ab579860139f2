/** Instrument sync: one flight per venue, everybody who waits gets its outcome, and what left the venue's list is DELISTED. */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import { VenueUnavailable } from "../../../src/domain/errors/venue.ts"
import type { TenantId, VenueId } from "../../../src/domain/ids.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import { makeInstrumentSync } from "../../../src/http/market/instrument-sync.ts"
import { instrumentOf } from "../../kit/records/instruments.ts"

const venue = "BINANCE" as VenueId
const instrument = (symbol: string): Instrument => instrumentOf(`${venue}:${symbol}`)

const isActive = ({ status }: Instrument): boolean => status === "ACTIVE"

const setup = Effect.gen(function* () {
  const directory = yield* InstrumentDirectory
  const gate = yield* Deferred.make<ReadonlyArray<Instrument>, VenueUnavailable>()
  const asked: Array<ReadonlyArray<string> | null> = []
  const stored: Array<{ readonly listed: ReadonlyArray<string>; readonly gone: ReadonlyArray<string> | "others" }> = []
  const time = { now: 0 }
  const back: Array<string> = []
  const gone: Array<string> = []
  const short: Array<string> = []
  const venueIs: { outage: VenueUnavailable | undefined } = { outage: undefined }
  let answer: Effect.Effect<ReadonlyArray<Instrument>, VenueUnavailable> = Deferred.await(gate)
  const sync = makeInstrumentSync({
    directory,
    venues: {
      instruments: (_venue, symbols) => {
        asked.push(symbols)
        return answer
      },
    },
    upsert: (_venue, list, without) =>
      Effect.sync(() => {
        stored.push({ listed: list.map(({ symbol }) => symbol), gone: without })
        return { synced: list.length, added: list.length, updated: 0 }
      }),
    stored: Effect.void,
    now: () => time.now,
    monotonic: () => time.now,
    isBack: (instrumentId, askedAt) => back.push(`${instrumentId} ${askedAt}`),
    isGone: (instrumentId) => gone.push(`${instrumentId} ${directory.find(instrumentId, null)?.status}`),
    isShort: (_venue, listed, before) => short.push(`${listed} of ${before}`),
    outage: () => venueIs.outage,
  })
  return {
    time,
    back,
    gone,
    short,
    venueIs,
    directory,
    gate,
    asked,
    stored,
    sync,
    answers: (list: ReadonlyArray<Instrument>) => (answer = Effect.succeed(list)),
  }
})

const run = <A, E>(effect: Effect.Effect<A, E, InstrumentDirectory>) =>
  Effect.runPromise(effect.pipe(Effect.provide(InstrumentDirectory.Default)))

describe("instrument sync", () => {
  it("asks once for all who wait, and not at all once the venue is known", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, gate, asked, sync } = yield* setup
        const waiters = yield* Effect.forEach([1, 2, 3], () => Effect.fork(sync.ensure(venue)))
        yield* Effect.yieldNow()
        yield* Deferred.succeed(gate, [instrument("BTC/USDT")])
        yield* Fiber.joinAll(waiters)
        yield* sync.ensure(venue)
        expect(asked).toEqual([null])
        expect(directory.find("BINANCE:BTC/USDT", null)?.status).toBe("ACTIVE")
      }),
    )
  })

  it("refuses a second sync while one runs, and takes it afterwards", async () => {
    await run(
      Effect.gen(function* () {
        const { gate, sync } = yield* setup
        const first = yield* Effect.fork(sync.sync(venue, null))
        yield* Effect.yieldNow()
        expect(yield* Effect.flip(sync.sync(venue, null))).toMatchObject({ _tag: "SyncRunning" })
        yield* Deferred.succeed(gate, [instrument("BTC/USDT")])
        expect(yield* Fiber.join(first)).toMatchObject({ synced: 1 })
        expect(yield* sync.sync(venue, null)).toMatchObject({ synced: 1 })
      }),
    )
  })

  it("fails everybody who waits when the venue is away, and tries again next time", async () => {
    await run(
      Effect.gen(function* () {
        const { gate, asked, sync, answers } = yield* setup
        const waiters = yield* Effect.forEach([1, 2], () => Effect.fork(sync.ensure(venue)))
        yield* Effect.yieldNow()
        yield* Deferred.fail(gate, new VenueUnavailable({ reason: "away" }))
        for (const waiter of waiters) expect(Exit.isFailure(yield* Fiber.await(waiter))).toBe(true)
        answers([instrument("BTC/USDT")])
        yield* sync.ensure(venue)
        expect(asked).toHaveLength(2)
      }),
    )
  })

  it("frees the venue when the one who flies is stopped", async () => {
    await run(
      Effect.gen(function* () {
        const { sync, answers } = yield* setup
        const flying = yield* Effect.fork(sync.ensure(venue))
        yield* Effect.yieldNow()
        const waiting = yield* Effect.fork(Effect.flip(sync.ensure(venue)))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(flying)
        expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "VenueUnavailable" })
        answers([instrument("BTC/USDT")])
        yield* sync.ensure(venue)
      }),
    )
  })

  it("delists what the venue no longer lists, but not what it was not asked for", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, stored, sync, answers } = yield* setup
        answers([instrument("BTC/USDT"), instrument("ETH/USDT")])
        yield* sync.sync(venue, null)
        answers([instrument("BTC/USDT")])
        expect(yield* sync.sync(venue, ["BTC/USDT"])).toMatchObject({ synced: 1 })
        expect(directory.find("BINANCE:ETH/USDT", null)?.status).toBe("ACTIVE")
        expect(stored.at(-1)).toEqual({ listed: ["BTC/USDT"], gone: [] })
        yield* sync.sync(venue, null)
        expect(directory.find("BINANCE:ETH/USDT", null)?.status).toBe("DELISTED")
        expect(stored.at(-1)).toEqual({ listed: ["BTC/USDT"], gone: "others" })
      }),
    )
  })

  it("has nobody wait for a venue that is known to be down, and tries it all the same", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, gate, asked, sync, venueIs } = yield* setup
        venueIs.outage = new VenueUnavailable({ reason: "VENUE_NETWORK" })
        for (let n = 0; n < 3; n++) expect(yield* Effect.flip(sync.ensure(venue))).toBe(venueIs.outage)
        yield* Effect.yieldNow()
        expect(asked).toEqual([null])
        yield* Deferred.succeed(gate, [instrument("BTC/USDT")])
        while (!directory.knows(venue)) yield* Effect.yieldNow()
        yield* sync.ensure(venue)
      }),
    )
  })

  it("lists again what came back, and tells of it", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, sync, answers, back, gone, time } = yield* setup
        const both = [instrument("BTC/USDT"), instrument("ETH/USDT")]
        for (const [list, status] of [
          [both, "ACTIVE"],
          [both.slice(0, 1), "DELISTED"],
          [both, "ACTIVE"],
        ] as const) {
          answers(list)
          time.now += 1_000
          yield* sync.sync(venue, null)
          expect(directory.find("BINANCE:ETH/USDT", null)?.status).toBe(status)
        }
        expect(back).toEqual(["BINANCE:ETH/USDT 3000"])
        expect(gone).toEqual(["BINANCE:ETH/USDT DELISTED"])
      }),
    )
  })

  it("delists a symbol that it was asked for and that the venue lists no more", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, stored, sync, answers } = yield* setup
        answers([instrument("BTC/USDT"), instrument("ETH/USDT"), instrument("SOL/USDT")])
        yield* sync.sync(venue, null)
        answers([instrument("BTC/USDT")])
        expect(yield* sync.sync(venue, ["BTC/USDT", "ETH/USDT", "NO/PE"])).toMatchObject({ synced: 1 })
        expect(stored.at(-1)).toEqual({ listed: ["BTC/USDT"], gone: ["BINANCE:ETH/USDT"] })
        const statuses = directory.ofVenue(venue, null).map((it) => `${it.symbol} ${it.status}`)
        expect(statuses).toEqual(["BTC/USDT ACTIVE", "ETH/USDT DELISTED", "SOL/USDT ACTIVE"])
      }),
    )
  })

  it("syncs all of a venue that nothing is known of, although it was asked for a few: the others exist", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, asked, sync, answers } = yield* setup
        answers([instrument("BTC/USDT"), instrument("ETH/USDT")])
        expect(yield* sync.sync(venue, ["ETH/USDT", "NO/PE"])).toEqual({ synced: 1, added: 1, updated: 0 })
        expect(asked).toEqual([null])
        expect(directory.find("BINANCE:BTC/USDT", null)?.status).toBe("ACTIVE")
        answers([instrument("ETH/USDT")])
        yield* sync.sync(venue, ["ETH/USDT"])
        expect(asked.at(-1)).toEqual(["ETH/USDT"])
      }),
    )
  })

  it("knows how old a whole list is, since it was asked for", async () => {
    await run(
      Effect.gen(function* () {
        const { time, sync, answers } = yield* setup
        expect(sync.ageMillis(venue)).toBe(Number.POSITIVE_INFINITY)
        answers([instrument("BTC/USDT")])
        time.now = 1000
        yield* sync.sync(venue, null)
        time.now = 5000
        yield* sync.sync(venue, ["BTC/USDT"])
        expect(sync.ageMillis(venue)).toBe(4000)
      }),
    )
  })

  it("takes an empty list for trouble, not for a closed market", async () => {
    await run(
      Effect.gen(function* () {
        const { sync, answers } = yield* setup
        answers([])
        expect(yield* Effect.flip(sync.sync(venue, null))).toMatchObject({ _tag: "VenueUnavailable" })
      }),
    )
  })

  it("enters what a list of less than half has and delists nothing by it, until the venue has said so for hours", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, stored, sync, answers, time, gone, short } = yield* setup
        const all = Array.from({ length: 12 }, (_, n) => instrument(`A${n}/USDT`))
        const fresh = instrument("NEW/USDT")
        const active = () => directory.ofVenue(venue, null).filter(isActive).length
        answers(all)
        yield* sync.sync(venue, null)
        answers([])
        expect(yield* Effect.flip(sync.sync(venue, null))).toMatchObject({ _tag: "VenueUnavailable" })
        expect(yield* Effect.flip(sync.sync(venue, ["A8/USDT"]))).toMatchObject({ _tag: "VenueUnavailable" })
        // Asked for all, and for one that it does not have.
        answers([...all.slice(0, 5), fresh])
        expect(yield* sync.sync(venue, null)).toMatchObject({ synced: 6 })
        expect(yield* sync.sync(venue, ["A8/USDT"])).toMatchObject({ synced: 6 })
        expect(directory.find(fresh.instrumentId, null)?.status).toBe("ACTIVE")
        expect(stored.map((said) => said.gone)).toEqual(["others", [], []])
        expect([active(), gone, short]).toEqual([13, [], ["5 of 12"]])
        // A list that is whole again is where the hours begin anew.
        time.now += 5 * 3_600_000
        answers([...all, fresh])
        yield* sync.sync(venue, null)
        answers(all.slice(0, 5))
        for (const hours of [2, 6]) {
          expect(active()).toBe(13)
          time.now += hours * 3_600_000
          expect(yield* sync.sync(venue, null)).toMatchObject({ synced: 5 })
        }
        expect([active(), short]).toEqual([5, ["5 of 12", "5 of 13"]])
      }),
    )
  })

  it("believes a short list when an admin asks, for all or for some", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, stored, sync, answers, short } = yield* setup
        const all = Array.from({ length: 12 }, (_, n) => instrument(`A${n}/USDT`))
        const active = () =>
          directory
            .ofVenue(venue, null)
            .filter(isActive)
            .map(({ symbol }) => symbol)
        const admin = { tenantId: "default" as TenantId, audited: <A>(storing: A) => storing, isBelieved: true }
        answers(all)
        yield* sync.sync(venue, null)
        answers(all.slice(0, 1))
        yield* sync.sync(venue, ["A8/USDT"], { ...admin, isBelieved: false })
        yield* sync.sync(venue, null, { ...admin, isBelieved: false })
        expect([active().length, short]).toEqual([12, ["1 of 12"]])
        yield* sync.sync(venue, ["A8/USDT"], admin)
        expect([active().length, active().includes("A8/USDT")]).toEqual([11, false])
        expect(yield* sync.sync(venue, null, admin)).toMatchObject({ synced: 1 })
        expect([active(), stored.at(-1)]).toEqual([["A0/USDT"], { listed: ["A0/USDT"], gone: "others" }])
      }),
    )
  })

  it("takes an instrument that is listed as halted for one that is missing, when it counts", async () => {
    await run(
      Effect.gen(function* () {
        const { directory, sync, answers, short, gone } = yield* setup
        const all = Array.from({ length: 12 }, (_, n) => instrument(`A${n}/USDT`))
        answers(all)
        yield* sync.sync(venue, null)
        answers(all.map((it) => ({ ...it, status: "DELISTED" as const })))
        expect(yield* sync.sync(venue, null)).toMatchObject({ synced: 0 })
        expect([short, gone]).toEqual([["0 of 12"], []])
        expect(directory.find("BINANCE:A3/USDT", null)?.status).toBe("ACTIVE")
      }),
    )
  })
})
