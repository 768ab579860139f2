/**
 * The soaked process: connectors in their worker threads, the market data actors, and a subscriber of every book and every trade stream.
 * It answers its parent what stands and how its threads are, and ends with it.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { BroadcastChannel } from "node:worker_threads"
import { Effect, Exit, Scope } from "effect"
import { bookChannel, tradeChannel } from "../../../src/domain/channel.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { VenueStats } from "../../../src/ports/venue-stats.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { type Answers, answer } from "../../kit/servers/process-line.ts"
import { connectedMarkets } from "../../kit/worlds/connected-markets.ts"
import { PULSE_CHANNEL, type PulseAnswer, type ThreadSample } from "./thread-sample.ts"

export interface SoakedVenue {
  readonly profile: VenueProfile
  readonly routes: Readonly<Record<string, string>>
  readonly instruments: ReadonlyArray<InstrumentId>
}

export interface SoakSample {
  readonly threads: ReadonlyArray<ThreadSample>
  readonly rssBytes: number
  /** Of all threads, since the process began. */
  readonly cpuMicros: number
  readonly books: number
  readonly trades: number
  readonly stats: VenueStats
}

export type SoakAsks = {
  readonly start: readonly [ask: ReadonlyArray<SoakedVenue>, answer: number]
  /** Of one venue: the instruments whose book is SYNCED. */
  readonly synced: readonly [ask: string, answer: ReadonlyArray<InstrumentId>]
  readonly sample: readonly [ask: undefined, answer: SoakSample]
}

const SAMPLE_MILLIS = 20_000

const scope = await Effect.runPromise(Scope.make())
const qualities = new Map<InstrumentId, string>()
const seen = { books: 0, trades: 0 }
let stats: (() => VenueStats) | undefined

/** Two threads of four venues each: fewer than venues, as shipped, and more than one. */
const threadsFor = (venues: ReadonlyArray<SoakedVenue>) =>
  Object.fromEntries(
    venues.map(({ profile }, n) => {
      const thread = `venues-${1 + (n % 2)}`
      return [profile.venue, { public: thread, private: thread }]
    }),
  )

const start = async (venues: ReadonlyArray<SoakedVenue>): Promise<number> => {
  const markets = await Effect.runPromise(
    connectedMarkets(
      venues.map(({ profile }) => profile),
      {
        venueRoutes: Object.assign({}, ...venues.map(({ routes }) => routes)),
        venuesInactive: [],
        shards: threadsFor(venues),
        notice: (concerned, what) => console.error(`${new Date().toISOString()} ${concerned}: ${what}`),
        // A machine that is busy elsewhere must not look like a thread that hangs.
        times: { missesMax: 300 },
      },
    ).pipe(Scope.extend(scope)),
  )
  stats = markets.stats
  const { channels } = markets
  for (const instrumentId of venues.flatMap(({ instruments }) => instruments)) {
    channels.subscribe(bookChannel(instrumentId), ({ json }) => {
      seen.books += 1
      qualities.set(instrumentId, json.slice(json.lastIndexOf('"quality":"') + 11, -2))
      // Whoever soaks must not keep what it is told.
      channels.publications.length = 0
    })
    channels.subscribe(tradeChannel(instrumentId), () => {
      seen.trades += 1
      channels.publications.length = 0
    })
  }
  return venues.flatMap(({ instruments }) => instruments).length
}

const pulses = new BroadcastChannel(PULSE_CHANNEL)
const answered = new Map<number, Array<ThreadSample>>()
pulses.onmessage = (event: unknown) => {
  const { answer, sample } = (event as { readonly data: Partial<PulseAnswer> }).data
  if (answer !== undefined && sample !== undefined) answered.get(answer)?.push(sample)
}
let asked = 0

const sampled = async (): Promise<SoakSample> => {
  if (stats === undefined) throw new Error("not started")
  const ask = ++asked
  const threads: Array<ThreadSample> = []
  answered.set(ask, threads)
  pulses.postMessage({ ask })
  const expected = 1 + stats().shards.filter(({ state }) => state === "up").length
  for (const end = performance.now() + SAMPLE_MILLIS; threads.length < expected; await sleep(20))
    if (performance.now() > end) throw new Error(`${threads.length} of ${expected} threads answered`)
  answered.delete(ask)
  const { user, system } = process.cpuUsage()
  return {
    threads: threads.toSorted((a, b) => a.thread - b.thread),
    rssBytes: process.memoryUsage.rss(),
    cpuMicros: user + system,
    ...seen,
    stats: stats(),
  }
}

const answers: Answers<SoakAsks> = {
  start,
  synced: (venue: string) =>
    [...qualities].flatMap(([id, quality]) => (id.startsWith(`${venue}:`) && quality === "SYNCED" ? [id] : [])),
  sample: sampled,
}

answer(answers, () => Effect.runPromise(Scope.close(scope, Exit.void)))
