/**
 * The process that must live: it hosts the connectors as the gateway does, keeps their books, and notes what each fault did to them, to
 * the others, and to its own loop.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { DepthUpdate, MarketSink } from "../../../src/ports/market-source.ts"
import type { CcxtVenue } from "../../../src/venues/connector/ccxt-venue.ts"
import type { ShardRule } from "../../../src/venues/connector/placement.ts"
import type { BreakHow } from "../../../src/venues/connector/wire.ts"
import { answer } from "../../kit/servers/process-line.ts"

/** Two books of each venue, and the trades of the first. */
const STREAMS = {
  BINANCE: ["BTC/USDT", "ETH/USDT"],
  OKX: ["BTC/USDT", "ETH/USDT"],
  KRAKEN: ["BTC/USDT", "ETH/USD"],
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

export type VenueName = keyof typeof STREAMS
export const VENUES = Object.keys(STREAMS) as ReadonlyArray<VenueName>

export interface HostOptions {
  readonly routes: Readonly<Record<string, string>>
  readonly shards: ShardRule
  readonly heapMegabytes: number
  /** Heartbeats without an answer before a thread counts as hung. */
  readonly missesMax: number
  /** The compiled gateway of dist/; else the sources, whose threads start slower. */
  readonly built: boolean
}

/** What one venue's streams did since the last look. */
export interface StreamFacts {
  readonly updates: number
  readonly trades: number
  readonly downs: number
  /** Why, of each. */
  readonly reasons: ReadonlyArray<string>
  readonly snapshots: number
  /** Differences that do not follow, or come to a book that is lost: must be 0. */
  readonly holes: number
  /** From the venue's own time of each book update to its arrival, ms. */
  readonly delays: Float64Array
}

export interface HostFacts {
  readonly venues: Readonly<Record<VenueName, StreamFacts>>
  /** The longest that this process's loop was late, ms. */
  readonly loopDelayMax: number
  readonly rssBytes: number
}

/** All of it in ms from the fault; 0 for one that was survived. */
export interface Recovery {
  /** Its thread is gone: readers are told that the books are lost. */
  readonly lostMillis: number
  /** The first and the last book of the venue are whole again. */
  readonly firstMillis: number
  readonly allMillis: number
}

export type HostAsks = {
  /** Resolves when all books are whole. */
  readonly start: readonly [HostOptions, undefined]
  /** What happened since the last look. */
  readonly look: readonly [undefined, HostFacts]
  /** Resolves when the venue streams again, and every other one that was lost with it. */
  readonly break: readonly [{ readonly venue: VenueName; readonly how: BreakHow }, Recovery]
}

const PATIENCE_MILLIS = 60_000

const until = async (isSo: () => boolean, what: string): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MILLIS
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MILLIS / 1000} s: ${what}`)
    await sleep(5)
  }
}

/** Wall ms with fractions. */
const wallNow = (): number => performance.timeOrigin + performance.now()

class Streams implements MarketSink {
  #updates = 0
  #trades = 0
  #reasons: Array<string> = []
  #snapshots = 0
  #holes = 0
  #delays: Array<number> = []
  /** By instrument: its last sequence. One that is lost is not here. */
  readonly #whole = new Map<string, number>()
  /** When each book came back last, monotonic ms. */
  readonly #wholeAt = new Map<string, number>()
  #lostAt = 0
  /** Rejections that its thread survived. */
  strays = 0

  depth = ({ instrumentId, snapshot, sequence, venueAt }: DepthUpdate): void => {
    this.#updates += 1
    const last = this.#whole.get(instrumentId)
    if (snapshot) {
      this.#snapshots += 1
      if (last === undefined) this.#wholeAt.set(instrumentId, performance.now())
    } else if (last === undefined || sequence !== last + 1) this.#holes += 1
    this.#whole.set(instrumentId, sequence)
    if (venueAt !== null && !snapshot) this.#delays.push(wallNow() - venueAt)
  }
  trades = (trades: ReadonlyArray<unknown>): void => {
    this.#trades += trades.length
  }
  tradesMissed = (): void => undefined
  ticker = (): void => undefined
  kline = (): void => undefined
  unstreamed = (): void => undefined
  down = (stream: string, instrumentId: InstrumentId, reason: string): void => {
    if (stream !== "book") return
    this.#reasons.push(reason)
    this.#lostAt = performance.now()
    this.#whole.delete(instrumentId)
  }

  get lost(): number {
    return this.#wholeAt.size - this.#whole.size
  }

  /** When a book was lost last, monotonic ms. */
  get lostAt(): number {
    return this.#lostAt
  }

  get books(): number {
    return this.#whole.size
  }

  get updates(): number {
    return this.#updates
  }

  /** The instants at which the books came back. */
  get backAt(): ReadonlyArray<number> {
    return [...this.#wholeAt.values()]
  }

  take(): StreamFacts {
    const facts = {
      updates: this.#updates,
      trades: this.#trades,
      downs: this.#reasons.length,
      reasons: this.#reasons,
      snapshots: this.#snapshots,
      holes: this.#holes,
      delays: Float64Array.from(this.#delays),
    }
    this.#updates = this.#trades = this.#snapshots = this.#holes = 0
    this.#reasons = []
    this.#delays = []
    return facts
  }
}

const loop = monitorEventLoopDelay({ resolution: 10 })
loop.enable()

const streams: Readonly<Record<VenueName, Streams>> = {
  BINANCE: new Streams(),
  OKX: new Streams(),
  KRAKEN: new Streams(),
}
const connectors = new Map<VenueName, CcxtVenue>()
let scope: Scope.CloseableScope | undefined

/** Sources and compiled code have the same shape. */
const load = async (built: boolean) => {
  const folder = new URL(built ? "../../../dist/src/venues/" : "../../../src/venues/", import.meta.url)
  const ending = built ? "js" : "ts"
  const [venues, registry]: [
    typeof import("../../../src/venues/connector/ccxt-venue.ts"),
    typeof import("../../../src/venues/adapters/registry.ts"),
  ] = await Promise.all([
    import(new URL(`connector/ccxt-venue.${ending}`, folder).href),
    import(new URL(`adapters/registry.${ending}`, folder).href),
  ])
  return { ccxtVenues: venues.ccxtVenues, PROFILES: registry.PROFILES }
}

answer<HostAsks>(
  {
    start: async ({ routes, shards, heapMegabytes, missesMax, built }) => {
      const { ccxtVenues, PROFILES } = await load(built)
      const notice = (concerned: string, what: string): void => {
        if (what.startsWith("stray rejection") && Object.hasOwn(streams, concerned))
          streams[concerned as VenueName].strays += 1
      }
      // Every fault is met as the first one of its kind: neither the growing pause nor the breaker is measured here.
      const times = { breakerWindowMillis: 1000, missesMax }
      const options = { venueRoutes: routes, venuesInactive: [], breakable: true, shards, heapMegabytes, times, notice }
      const profiles = VENUES.flatMap((name) => PROFILES.find(({ venue }) => venue === name) ?? [])
      scope = await Effect.runPromise(Scope.make())
      const { venues } = await Effect.runPromise(ccxtVenues(options, profiles).pipe(Scope.extend(scope)))
      for (const venue of venues) {
        const name = venue.venue.venue as VenueName
        connectors.set(name, venue)
        const source = venue.market(streams[name])
        const ids = STREAMS[name].map((symbol) => `${name}:${symbol}` as InstrumentId)
        for (const id of ids) source.open("book", id)
        for (const id of ids.slice(0, 1)) source.open("trade", id)
      }
      for (const name of VENUES) await until(() => streams[name].books === STREAMS[name].length, `the books of ${name}`)
    },
    look: () => {
      const loopDelayMax = Math.max(0, loop.max / 1e6 - 10)
      loop.reset()
      const venues = { BINANCE: streams.BINANCE.take(), OKX: streams.OKX.take(), KRAKEN: streams.KRAKEN.take() }
      return { venues, loopDelayMax, rssBytes: process.memoryUsage.rss() }
    },
    break: async ({ venue, how }) => {
      const broken = streams[venue]
      const { strays } = broken
      const startedAt = performance.now()
      connectors.get(venue)?.supervisor.break(how)
      if (how === "reject") {
        await until(() => broken.strays > strays, "the news of a stray rejection")
        const { updates } = broken
        await until(() => broken.updates > updates, `an update of ${venue} after it`)
        return { lostMillis: 0, firstMillis: 0, allMillis: 0 }
      }
      await until(() => broken.lost > 0, `the news that the books of ${venue} are lost`)
      await until(() => VENUES.every((name) => streams[name].lost === 0), `fresh snapshots after ${how} of ${venue}`)
      const back = broken.backAt.map((at) => at - startedAt)
      return {
        lostMillis: broken.lostAt - startedAt,
        firstMillis: Math.min(...back),
        allMillis: Math.max(...back),
      }
    },
  },
  async () => {
    loop.disable()
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
  },
)
