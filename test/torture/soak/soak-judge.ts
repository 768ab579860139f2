/** Judges the samples of a soak: what grew after the warm-up, by the slope of a straight line, and whether all stayed alive and whole. */
import type { Verdict } from "../kill/kill-verdict.ts"
import { slopeOf } from "./slope.ts"
import type { SoakSample } from "./soak-gateway.ts"
import type { Caches } from "./thread-sample.ts"

export const MEGABYTE = 1_048_576

/** With the CPU time of both processes. */
export interface TimedSample extends SoakSample {
  readonly minutes: number
}

/** A recording has its snapshots once: a book that is asked for again in the middle is whole in the next loop only. */
export interface VenueLoops {
  readonly venue: string
  readonly loops: number
  readonly faults: ReadonlyArray<string>
}

/** What may be added in the whole time; a slope is judged by it, so a longer run judges more sharply. */
const HEAP_MEGABYTES = 3
const RSS_MEGABYTES = 60
/** The share of one core that both processes may take. */
const CPU_MAX = 0.35
/** Rows that ccxt is told to keep of the trades of one instrument: so few that they are full after the warm-up. */
export const TRADE_ROWS_MAX = 50
/** Loops of many lengths are in any phase when a sample is taken; one leak a loop is hundreds in half an hour. */
const isSteady = (growth: number, mean: number): boolean => growth <= Math.max(10, 0.15 * mean)

const warmUpOf = (minutes: number): number => Math.min(5, minutes / 3)
const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((all, n) => all + n, 0)

/** A figure over time: its slope a minute, what that makes of the time measured, and its mean. */
const course = (samples: ReadonlyArray<TimedSample>, of: (sample: TimedSample) => number) => {
  const points = samples.map((sample) => ({ minutes: sample.minutes, value: of(sample) }))
  const perMinute = slopeOf(points)
  const lasted = (points.at(-1)?.minutes ?? 0) - (points[0]?.minutes ?? 0)
  const mean = points.reduce((all, { value }) => all + value, 0) / Math.max(1, points.length)
  return { perMinute, growth: perMinute * lasted, mean, first: points[0]?.value ?? 0, last: points.at(-1)?.value ?? 0 }
}

const heaps = (samples: ReadonlyArray<TimedSample>, minutes: number): ReadonlyArray<Verdict> =>
  (samples[0]?.threads ?? []).map(({ thread }) => {
    const of = (sample: TimedSample) =>
      (sample.threads.find((each) => each.thread === thread)?.heapUsedBytes ?? 0) / MEGABYTE
    const { perMinute, first, last } = course(samples, of)
    const limit = HEAP_MEGABYTES / minutes
    return {
      name: `heap of ${thread === 0 ? "the main thread" : `worker ${thread}`}`,
      passed: perMinute <= limit,
      says: `${perMinute.toFixed(3)} MB/min after the warm-up (at most ${limit.toFixed(3)}), ${first.toFixed(2)} to ${last.toFixed(2)} MB`,
    }
  })

const handles = (samples: ReadonlyArray<TimedSample>): ReadonlyArray<Verdict> =>
  (samples[0]?.threads ?? []).map(({ thread }) => {
    const at = (sample: TimedSample) => sample.threads.find((each) => each.thread === thread)?.resources ?? {}
    const { growth, mean, first, last } = course(samples, (sample) => sum(at(sample)))
    const newest = samples.at(-1)
    return {
      name: `handles, sockets and timers of ${thread === 0 ? "the main thread" : `worker ${thread}`}`,
      passed: isSteady(growth, mean),
      says: `${first} to ${last}, slope makes ${growth.toFixed(1)}: ${newest === undefined ? "" : JSON.stringify(at(newest))}`,
    }
  })

const caches = (samples: ReadonlyArray<TimedSample>): Verdict => {
  const kept = (name: keyof Caches) =>
    course(samples, ({ threads }) => threads.reduce((all, thread) => all + thread.caches[name], 0))
  const names = Object.keys(samples[0]?.threads[0]?.caches ?? {}) as ReadonlyArray<keyof Caches>
  const series = kept("trades").last
  const grown = names.filter((name) => {
    const { growth, mean, last } = kept(name)
    return name === "tradeRows" ? last > series * TRADE_ROWS_MAX : !isSteady(growth, mean)
  })
  const told = names.map((name) => {
    const { first, last } = kept(name)
    return `${name} ${first} to ${last}`
  })
  return {
    name: "what ccxt keeps",
    passed: names.length > 0 && kept("instances").last > 0 && grown.length === 0,
    says: `${told.join(", ")} (trade rows end at ${series * TRADE_ROWS_MAX})${grown.length > 0 ? `; growing: ${grown.join(", ")}` : ""}`,
  }
}

export const judgeSoak = (
  samples: ReadonlyArray<TimedSample>,
  minutes: number,
  venues: ReadonlyArray<VenueLoops>,
): ReadonlyArray<Verdict> => {
  const warm = samples.filter((sample) => sample.minutes >= warmUpOf(minutes))
  const [first, last] = [warm[0], warm.at(-1)]
  if (first === undefined || last === undefined || first === last)
    return [{ name: "samples", passed: false, says: `${samples.length} are too few` }]
  const rss = course(warm, ({ rssBytes }) => rssBytes / MEGABYTE)
  const cpu = (last.cpuMicros - first.cpuMicros) / ((last.minutes - first.minutes) * 60e6)
  const { shards, connectors } = last.stats
  const deaths = shards.reduce((all, shard) => all + shard.deaths, 0)
  const restarts = connectors.reduce((all, connector) => all + connector.restarts, 0)
  const places = connectors.map(({ connector, losses, gaps, resyncs }) => `${connector} ${losses}/${gaps}/${resyncs}`)
  const faults = venues.flatMap((venue) => venue.faults.map((fault) => `${venue.venue} ${fault}`))
  return [
    ...heaps(warm, minutes),
    {
      name: "memory of the process",
      passed: rss.perMinute <= RSS_MEGABYTES / minutes,
      says: `${rss.perMinute.toFixed(2)} MB/min (at most ${(RSS_MEGABYTES / minutes).toFixed(2)}), ${rss.first.toFixed(0)} to ${rss.last.toFixed(0)} MB`,
    },
    ...handles(warm),
    caches(warm),
    {
      name: "life",
      passed: deaths + restarts === 0 && shards.every(({ state }) => state === "up"),
      says: `deaths ${deaths}, restarts ${restarts}, stray rejections ${shards.map(({ rejections }) => rejections).join("/")}; interruptions of streams, gaps among them, and snapshots asked for: ${places.join(", ")}`,
    },
    {
      name: "books",
      passed: venues.every((venue) => venue.loops > 2 * venue.faults.length),
      says: `${venues.map(({ venue, loops }) => `${venue} ${loops}`).join(", ")} loops; publications ${last.books} of books, ${last.trades} of trades; ${faults.length} loops ended without every book SYNCED${faults.length > 0 ? ` (${faults.slice(0, 5).join("; ")})` : ""}`,
    },
    {
      name: "pace",
      passed: cpu <= CPU_MAX,
      says: `${(100 * cpu).toFixed(1)} % of one core for both processes`,
    },
  ]
}
