/**
 * Past klines, from the venue's history: closed bars are fetched once, the current bar every time, and concurrent requests for the same bars
 * share one query.
 */

import { Effect } from "effect"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { VenueUnavailable } from "../../../domain/errors/venue.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { InstrumentName } from "../../../domain/instrument/instrument.ts"
import {
  type Bar,
  barEnd,
  barIndex,
  barIndexFrom,
  barOpen,
  type KlineInterval,
  type KlineRecord,
  klineRecord,
} from "../../../domain/market/kline.ts"
import type { Reply } from "../../../domain/reply.ts"
import type { KlineAnswer, KlineAsk } from "../../../ports/market-source.ts"
import type { VenueClock } from "../venue-clock.ts"
import type { KlineHistorySource } from "./board.ts"

// Closed bars in memory, in chunks of neighbours; the least recently read chunks are evicted first.

/** Bars of one chunk. */
const CHUNK = 64
/** Of a bar beside its texts: the object, the number, five references and headers of strings, in bytes. */
const BAR_BYTES = 200
const CHUNK_BYTES = 8 * CHUNK

interface Chunk {
  readonly bars: Array<Bar | undefined>
  bytes: number
}

export class KlineCache {
  readonly #bytesMax: number
  /** In the order of their last use. */
  readonly #chunks = new Map<string, Chunk>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** An estimate of the memory that the bars take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The bars of a series with numbers from `first` to `last` that are known, by number. */
  find(series: string, first: number, last: number): Map<number, Bar> {
    const found = new Map<number, Bar>()
    for (let at = Math.floor(first / CHUNK); at <= Math.floor(last / CHUNK); at++) {
      const chunk = this.#use(`${series} ${at}`)
      if (chunk === undefined) continue
      const end = Math.min(last, at * CHUNK + CHUNK - 1)
      for (let index = Math.max(first, at * CHUNK); index <= end; index++) {
        const bar = chunk.bars[index - at * CHUNK]
        if (bar !== undefined) found.set(index, bar)
      }
    }
    return found
  }

  /** Only bars that never change any more. */
  keep(series: string, interval: KlineInterval, bars: ReadonlyArray<Bar>): void {
    for (const bar of bars) {
      const index = barIndex(interval, bar.openAt)
      const at = Math.floor(index / CHUNK)
      const chunk = this.#use(`${series} ${at}`) ?? this.#add(`${series} ${at}`)
      const place = index - at * CHUNK
      if (chunk.bars[place] !== undefined) continue
      const bytes =
        BAR_BYTES + bar.open.length + bar.high.length + bar.low.length + bar.close.length + bar.volume.length
      chunk.bars[place] = bar
      chunk.bytes += bytes
      this.#bytes += bytes
    }
    for (const [key, chunk] of this.#chunks) {
      if (this.#bytes <= this.#bytesMax) return
      this.#chunks.delete(key)
      this.#bytes -= chunk.bytes
    }
  }

  #use(key: string): Chunk | undefined {
    const chunk = this.#chunks.get(key)
    if (chunk === undefined) return undefined
    this.#chunks.delete(key)
    this.#chunks.set(key, chunk)
    return chunk
  }

  #add(key: string): Chunk {
    const chunk: Chunk = { bars: new Array<Bar | undefined>(CHUNK).fill(undefined), bytes: CHUNK_BYTES }
    this.#chunks.set(key, chunk)
    this.#bytes += CHUNK_BYTES
    return chunk
  }
}

const CACHE_BYTES_MAX = 64 * 1_048_576
/** A bar that ended so long before the question never changes any more. */
const SETTLED_MILLIS = 5000
/** The first answer may show where the history begins, the second may lack a bar that has begun since. */
const QUESTIONS_MAX = 4
/** Series of which it is remembered where they begin. */
const BEGINNINGS_MAX = 10_000

/** A contract C14a read: bounds of open times are inclusive; null: the last bars, up to now. */
interface KlineRead {
  readonly instrumentId: InstrumentId
  readonly name: InstrumentName
  readonly interval: KlineInterval
  readonly from: number | null
  readonly to: number | null
  readonly limit: number
}

/** Where a read goes: the venue that has the bars. */
export interface KlineVenue {
  readonly clock: VenueClock
  readonly history: KlineHistorySource
}

type Answered = (answer: KlineAnswer | DomainError) => void

export class KlineHistory {
  readonly #now: () => number
  readonly #fork: (effect: Effect.Effect<void>) => void
  readonly #cache: KlineCache
  /** By series: the number of its first bar. */
  readonly #beginnings = new Map<string, number>()
  readonly #flights = new Map<string, Array<Answered>>()

  /** `now`: our clock, ms. */
  constructor(
    now: () => number,
    fork: (effect: Effect.Effect<void>) => void,
    cache: KlineCache = new KlineCache(CACHE_BYTES_MAX),
  ) {
    this.#now = now
    this.#fork = fork
    this.#cache = cache
  }

  read(read: KlineRead, venue: KlineVenue, reply: Reply<KlineRecord, DomainError>): void {
    new Reading(read, {
      cache: this.#cache,
      venueNow: venue.clock.now(),
      begins: this.#beginnings.get(seriesOf(read.instrumentId, read.interval)) ?? 0,
      ask: (ask, done) => this.#ask(ask, venue, done),
      reply,
    }).go()
  }

  /** One question of a kind at a time. */
  #ask(ask: KlineAsk, venue: KlineVenue, done: Answered): void {
    const key = `${ask.instrumentId} ${ask.interval} ${ask.from} ${ask.to} ${ask.limit}`
    const flight = this.#flights.get(key)
    if (flight !== undefined) {
      flight.push(done)
      return
    }
    this.#flights.set(key, [done])
    const from = this.#now()
    const land = (answer: KlineAnswer | DomainError) =>
      Effect.sync(() => {
        const waiting = this.#flights.get(key) ?? []
        this.#flights.delete(key)
        if ("bars" in answer) {
          venue.clock.saw(answer.venueAt, from)
          this.#keep(ask, answer)
        }
        for (const each of waiting) each(answer)
      })
    this.#fork(Effect.matchEffect(venue.history(ask), { onSuccess: land, onFailure: land }))
  }

  #keep({ instrumentId, interval, from }: KlineAsk, { bars, venueAt }: KlineAnswer): void {
    const series = seriesOf(instrumentId, interval)
    const [first] = bars
    if (first === undefined) return
    this.#cache.keep(
      series,
      interval,
      bars.filter(({ openAt }) => barEnd(interval, openAt) + SETTLED_MILLIS <= venueAt),
    )
    if (from === null || first.openAt <= from) return
    if (this.#beginnings.size >= BEGINNINGS_MAX) this.#beginnings.clear()
    this.#beginnings.set(series, barIndex(interval, first.openAt))
  }
}

interface ReadingParts {
  readonly cache: KlineCache
  readonly venueNow: number
  /** The number of the series' first bar, as far as it is known. */
  readonly begins: number
  readonly ask: (ask: KlineAsk, done: Answered) => void
  readonly reply: Reply<KlineRecord, DomainError>
}

const seriesOf = (instrumentId: InstrumentId, interval: KlineInterval): string => `${instrumentId} ${interval}`

/** One read: asks until it has every bar that there is. */
class Reading {
  readonly #read: KlineRead
  readonly #parts: ReadingParts
  readonly #series: string
  /** What this read has found, by number: the cache may forget it before the read is done. */
  readonly #found = new Map<number, Bar>()
  /** The venue's clock of the newest of them. */
  #venueAt: number
  /** There are no bars before this number. */
  #begins: number
  #questions = 0

  constructor(read: KlineRead, parts: ReadingParts) {
    this.#read = read
    this.#parts = parts
    this.#series = seriesOf(read.instrumentId, read.interval)
    this.#venueAt = parts.venueNow
    this.#begins = parts.begins
  }

  go(): void {
    const { interval, from, to, limit } = this.#read
    const newest = barIndex(interval, this.#venueAt)
    const end = to === null ? newest : Math.min(newest, barIndex(interval, to))
    const first = Math.max(from === null ? end - limit + 1 : barIndexFrom(interval, from), this.#begins)
    const last = Math.min(end, first + limit - 1)
    const known = this.#known(first, last)
    let missing = first
    while (known.has(missing)) missing++
    if (missing > last) return this.#answer(known, first, last)
    let missingTo = last
    while (known.has(missingTo)) missingTo--
    const { instrumentId } = this.#read
    const count = missingTo - missing + 1
    if (from === null && end === newest)
      // One more than is missing, when it follows what is known: the venue may have begun its next bar.
      this.#ask({ instrumentId, interval, from: null, to: null, limit: count + (missing > first ? 1 : 0) })
    else {
      // Where the history begins later than it was asked for, its first bars are those that count.
      const upTo = missingTo < last ? missingTo : end
      this.#ask({
        instrumentId,
        interval,
        from: barOpen(interval, missing),
        to: upTo === newest ? null : barOpen(interval, upTo),
        limit: count,
      })
    }
  }

  #known(first: number, last: number): ReadonlyMap<number, Bar> {
    for (const [index, bar] of this.#parts.cache.find(this.#series, first, last)) this.#found.set(index, bar)
    return this.#found
  }

  #ask(ask: KlineAsk): void {
    if (this.#questions++ === QUESTIONS_MAX)
      return this.#parts.reply.fail(new VenueUnavailable({ reason: "the venue's history has gaps" }))
    this.#parts.ask(ask, (answer) => {
      if (!("bars" in answer)) return this.#parts.reply.fail(answer)
      this.#onAnswer(ask, answer)
    })
  }

  #onAnswer({ interval, from, to, limit }: KlineAsk, { bars, venueAt }: KlineAnswer): void {
    // The bar that lived when the answer before this one was given is old by now.
    this.#found.delete(barIndex(interval, this.#venueAt))
    this.#venueAt = venueAt
    for (const bar of bars) this.#found.set(barIndex(interval, bar.openAt), bar)
    const [first] = bars
    const isWhole = from === null ? bars.length >= limit : first?.openAt === from
    // Where there is nothing, there is nothing up to the end of what was asked for.
    if (!isWhole)
      this.#begins = first === undefined ? barIndex(interval, to ?? venueAt) + 1 : barIndex(interval, first.openAt)
    this.go()
  }

  #answer(known: ReadonlyMap<number, Bar>, first: number, last: number): void {
    const { interval } = this.#read
    const bars: Array<Bar> = []
    for (let index = first; index <= last; index++) {
      const bar = known.get(index)
      if (bar !== undefined) bars.push(bar)
    }
    const newest = bars.at(-1)
    const isClosed = newest === undefined || barEnd(interval, newest.openAt) <= this.#venueAt
    this.#parts.reply.ok(klineRecord(this.#read, bars, isClosed, Math.round(this.#venueAt)))
  }
}
