/** The hourly refresh, on a clock of the test's own: which venues, how often, and what a failure changes. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SyncRunning } from "../../../src/domain/errors/market.ts"
import { VenueUnavailable } from "../../../src/domain/errors/venue.ts"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import { type InstrumentSync, refreshInstruments } from "../../../src/http/market/instrument-sync.ts"
import type { VenueHealth } from "../../../src/ports/venue-port.ts"
import { SimTime } from "../../sim/time.ts"
import { simVenue } from "../../sim/venue/listing.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const A = "A" as VenueId
const B = "B" as VenueId

const venueOf = (venue: VenueId, status: Venue["status"] = "ACTIVE"): Venue => ({ ...simVenue, venue, status })

type Outcome = ReturnType<InstrumentSync["sync"]>

/** What was synced when, while the clock is moved by hand. */
const world = (venues: ReadonlyArray<Venue>) => {
  const time = new SimTime(0)
  const health = new Map<VenueId, VenueHealth["status"]>(venues.map(({ venue }) => [venue, "up"]))
  const known = new Set(venues.map(({ venue }) => venue))
  const doubted = new Set<VenueId>()
  const fetchedAt = new Map<VenueId, number>()
  const synced: Array<readonly [VenueId, number]> = []
  const notices: Array<string> = []
  let outcome: Outcome = Effect.succeed({ synced: 1, added: 0, updated: 0 })
  const sync: Pick<InstrumentSync, "sync" | "ageMillis"> = {
    sync: (venue, symbols) =>
      Effect.suspend(() => {
        expect(symbols).toBeNull()
        synced.push([venue, time.now])
        return Effect.tap(outcome, () => void fetchedAt.set(venue, time.now))
      }),
    ageMillis: (venue) => time.now - (fetchedAt.get(venue) ?? Number.NEGATIVE_INFINITY),
  }
  const run = refreshInstruments({
    venues,
    health: () =>
      [...health].map(([venue, status]) => ({
        venue,
        status,
        reason: null,
        since: null,
        restarts: 0,
        streams: 0,
        sessions: 0,
      })),
    directory: { knows: (venue) => known.has(venue), isDoubted: (venue) => doubted.has(venue) },
    sync,
    monotonic: () => time.now,
    notice: (what, fields) => notices.push(`${fields["venue"]}: ${what}: ${fields["reason"]}`),
  })
  return {
    health,
    known,
    doubted,
    fetchedAt,
    synced,
    notices,
    pass: (millis: number) => time.advance(millis),
    answers: (next: Outcome) => (outcome = next),
    /** The refresh runs meanwhile, and ends with its scope. */
    during: (body: () => void) => {
      const life = Effect.scoped(Effect.zipRight(run, Effect.never))
      const fiber = Effect.runFork(Effect.withClock(life, time.clock), { scheduler: time })
      time.settle()
      body()
      fiber.unsafeInterruptAsFork(fiber.id())
      time.settle()
      const count = synced.length
      time.advance(3 * HOUR)
      expect(synced).toHaveLength(count)
    },
  }
}

describe("the refresh of instruments", () => {
  it("comes about every hour, and ends with its scope", () => {
    const { synced, fetchedAt, pass, during } = world([venueOf(A)])
    fetchedAt.set(A, 0)
    during(() => pass(10 * HOUR))
    const times = synced.map(([, at]) => at)
    expect(times.length).toBeGreaterThanOrEqual(8)
    expect(times.length).toBeLessThanOrEqual(11)
    times.forEach((at, i) => {
      const since = at - (times[i - 1] ?? 0)
      expect(since).toBeGreaterThanOrEqual(0.9 * HOUR)
      expect(since).toBeLessThanOrEqual(1.1 * HOUR + MINUTE)
    })
    // Not on the minute: each time another interval.
    expect(new Set(times.map((at, i) => at - (times[i - 1] ?? 0))).size).toBeGreaterThan(1)
  })

  it("comes soon where something was wanted that the venue does not list, though nothing else is asked of it", () => {
    const { health, doubted, synced, pass, during } = world([venueOf(A)])
    health.set(A, "idle")
    during(() => {
      pass(2 * HOUR)
      expect(synced).toEqual([])
      doubted.add(A)
      pass(2 * MINUTE)
      expect(synced.map(([venue]) => venue)).toEqual([A])
    })
  })

  it("leaves alone who is switched off, unknown or asked for nothing yet, and comes soon once that changes", () => {
    const off = "OFF" as VenueId
    const { health, known, synced, pass, during } = world([venueOf(A), venueOf(B), venueOf(off, "INACTIVE")])
    health.set(A, "idle")
    known.delete(B)
    during(() => {
      pass(3 * HOUR)
      expect(synced).toEqual([])
      health.set(A, "up")
      pass(2 * MINUTE)
      expect(synced.map(([venue]) => venue)).toEqual([A])
      known.add(B)
      pass(2 * MINUTE)
      expect(synced.map(([venue]) => venue)).toEqual([A, B])
    })
  })

  it("counts from the last sync, whoever asked for it", () => {
    const { synced, fetchedAt, pass, during } = world([venueOf(A)])
    fetchedAt.set(A, 0)
    during(() => {
      pass(50 * MINUTE)
      fetchedAt.set(A, 50 * MINUTE)
      pass(50 * MINUTE)
      expect(synced).toEqual([])
      pass(20 * MINUTE)
      expect(synced).toHaveLength(1)
    })
  })

  it("tries again after minutes when the venue is away, says so, and goes on with the others", () => {
    const { synced, notices, pass, during, answers } = world([venueOf(A), venueOf(B)])
    answers(Effect.fail(new VenueUnavailable({ reason: "away" })))
    during(() => {
      pass(4 * MINUTE)
      expect(synced.map(([venue]) => venue)).toEqual([A, B])
      expect(notices).toEqual(["A", "B"].map((venue) => `${venue}: the instruments could not be refreshed: away`))
      pass(3 * MINUTE)
      expect(synced).toHaveLength(4)
      answers(Effect.succeed({ synced: 1, added: 0, updated: 0 }))
      pass(6 * MINUTE)
      expect(synced).toHaveLength(6)
      pass(50 * MINUTE)
      expect(synced).toHaveLength(6)
    })
  })

  it("makes way for a sync that runs, without a word", () => {
    const { synced, notices, pass, during, answers } = world([venueOf(A)])
    answers(Effect.fail(new SyncRunning()))
    during(() => pass(3 * MINUTE))
    expect(synced.length).toBeGreaterThanOrEqual(2)
    expect(notices).toEqual([])
  })
})
