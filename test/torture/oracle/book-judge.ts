/**
 * Compares what a subscriber has with what the venue said, at each publication: the whole book within the range that it says it covers, which
 * must reach to the 200 best levels, and the top at the update ids where the venue named it. A book is judged only while it is called SYNCED;
 * whether it is crossed, always.
 */
import type { BookRange } from "../../../src/domain/market/market.ts"
import type { DepthUpdate } from "../../../src/ports/market-source.ts"
import type { BookReader } from "../../kit/readers/market-reader.ts"
import { beginningOf, change, type Levels, type RecordedDay, type Top } from "./recorded-day.ts"

const SIDES = ["bids", "asks"] as const
const SAMPLES = 5
/** Levels a side that a book must have, as far as the venue has them. */
const DEPTH = 200

export interface BookFacts {
  /** Publications, of every quality. */
  readonly publications: number
  readonly snapshots: number
  /** Publications called SYNCED, each compared with the venue's whole book. */
  readonly compared: number
  /** Publications at an update id of which the venue named the top. */
  readonly checkpoints: number
  readonly unequal: number
  readonly crossed: number
  /** Called SYNCED and older than what was published before, or past a frame that never came. */
  readonly stale: number
  /** Seconds of the venue's time in which a book called SYNCED did not reach to the 200 best levels of the venue. */
  readonly shallowSeconds: number
  /** DIFFs that moved the range without a frame of the venue. */
  readonly grown: number
  readonly samples: ReadonlyArray<string>
}

/** The worst prices that the book says it covers. */
interface Bounds {
  readonly bids: number
  readonly asks: number
}

const EVERYTHING: Bounds = { bids: Number.NEGATIVE_INFINITY, asks: Number.POSITIVE_INFINITY }

export class BookJudge {
  /** The update id of the newest SYNCED publication; 0 while the book is not SYNCED. */
  at = 0
  /** Of the newest SNAPSHOT that was SYNCED. */
  snapshotAt = 0
  readonly #day: RecordedDay
  readonly #venue: Levels
  readonly #ids: ReadonlySet<number>
  #applied = 0
  #venueAt: number
  #nonce: number | null = null
  #newest = 0
  #range: BookRange | undefined
  readonly #shallow = new Set<number>()
  readonly #lost = new Set<number>()
  readonly #samples: Array<string> = []
  #facts = { publications: 0, snapshots: 0, compared: 0, checkpoints: 0, unequal: 0, crossed: 0, stale: 0, grown: 0 }

  constructor(day: RecordedDay) {
    this.#day = day
    this.#venue = beginningOf(day)
    this.#venueAt = day.lastUpdateId
    this.#ids = new Set([day.lastUpdateId, ...day.frames.map(({ finalUpdateId }) => finalUpdateId)])
  }

  get facts(): BookFacts {
    return { ...this.#facts, shallowSeconds: this.#shallow.size, samples: this.#samples }
  }

  /** This frame does not arrive in its place: only a SNAPSHOT leads past it. */
  lost(id: number): void {
    this.#lost.add(id)
  }

  /** What the connector hands to the feed, before it does: publications of this turn are made of it. */
  updating({ nonce }: DepthUpdate): void {
    this.#nonce = nonce
  }

  published(reader: BookReader): void {
    const record = reader.last
    if (record === undefined) return
    this.#facts.publications += 1
    const bid = best(reader.levels("bids"), -1)
    const ask = best(reader.levels("asks"), 1)
    if (bid !== undefined && ask !== undefined && Number(bid[0]) >= Number(ask[0])) {
      this.#facts.crossed += 1
      this.#sample(`crossed at ${this.#nonce}: ${bid[0]} over ${ask[0]}`)
    }
    if (record.quality !== "SYNCED") {
      this.at = 0
      return
    }
    const nonce = this.#nonce
    if (nonce === null || !this.#ids.has(nonce)) {
      this.#unequal(`an update that the venue never sent: ${nonce}`)
      return
    }
    const isAgain = record.updateType === "DIFF" && nonce === this.#newest
    if (isAgain && JSON.stringify(this.#range) !== JSON.stringify(record.coveredRange)) this.#facts.grown += 1
    this.#range = record.coveredRange
    if (record.updateType === "SNAPSHOT") this.#begin(nonce)
    else this.#follow(nonce)
    this.at = nonce
    this.#newest = nonce
    if (!this.#advance(nonce)) return
    const bounds = boundsOf(this.#range)
    if (!this.#isDeep(bounds)) this.#shallow.add(Math.floor(record.timestamp / 1000))
    this.#compare(reader, nonce, bounds)
    if (!isAgain) this.#checkTop(nonce, bid, ask)
  }

  #isDeep(bounds: Bounds): boolean {
    return SIDES.every((side) => {
      let within = 0
      for (const price of this.#venue[side].keys()) if (isWithin(Number(price), side, bounds[side])) within += 1
      return within >= Math.min(DEPTH, this.#venue[side].size)
    })
  }

  #begin(nonce: number): void {
    this.#facts.snapshots += 1
    this.snapshotAt = nonce
    if (nonce < this.#newest) this.#stale(`a SNAPSHOT of ${nonce} after ${this.#newest}`)
  }

  #follow(nonce: number): void {
    if (nonce < this.#newest) this.#stale(`a DIFF to ${nonce} after ${this.#newest}`)
    if (this.at === 0) this.#stale(`a DIFF to ${nonce} of a book that was not SYNCED`)
    for (const id of this.#lost) if (id > this.#newest && id <= nonce) this.#stale(`a DIFF to ${nonce} past ${id}`)
  }

  /** The venue's book at this update; false when it has gone past it, which was counted. */
  #advance(nonce: number): boolean {
    const { frames } = this.#day
    for (; this.#venueAt < nonce && this.#applied < frames.length; this.#applied += 1) {
      const frame = frames[this.#applied]
      if (frame === undefined || frame.finalUpdateId <= this.#venueAt) continue
      change(this.#venue, frame)
      this.#venueAt = frame.finalUpdateId
    }
    return this.#venueAt === nonce
  }

  #compare(reader: BookReader, nonce: number, bounds: Bounds): void {
    this.#facts.compared += 1
    const apart = SIDES.flatMap((side) => differences(reader.levels(side), this.#venue[side], side, bounds[side]))
    if (apart.length > 0) this.#unequal(`${apart.length} levels at ${nonce}: ${apart[0]}`)
  }

  #checkTop(nonce: number, bid: Row | undefined, ask: Row | undefined): void {
    const top = this.#day.tops.get(nonce)
    if (top === undefined) return
    this.#facts.checkpoints += 1
    if (!isTop(top, bid, ask)) this.#unequal(`the top at ${nonce}: ${JSON.stringify({ bid, ask, venue: top })}`)
  }

  #unequal(what: string): void {
    this.#facts.unequal += 1
    this.#sample(what)
  }

  #stale(what: string): void {
    this.#facts.stale += 1
    this.#sample(what)
  }

  #sample(what: string): void {
    if (this.#samples.length < SAMPLES) this.#samples.push(what)
  }
}

type Row = readonly [price: string, quantity: string]

/** Prices of two decimals: numbers tell them apart exactly. */
const best = (levels: ReadonlyMap<string, string>, sign: 1 | -1): Row | undefined => {
  let found: Row | undefined
  let rank = Number.POSITIVE_INFINITY
  for (const row of levels) {
    const own = sign * Number(row[0])
    if (own >= rank) continue
    rank = own
    found = row
  }
  return found
}

const isTop = ({ bid, ask }: Top, ownBid: Row | undefined, ownAsk: Row | undefined): boolean =>
  JSON.stringify([bid, ask]) === JSON.stringify([ownBid, ownAsk])

const boundsOf = (range: BookRange | undefined): Bounds => ({
  bids: Number(range?.lowestBid ?? EVERYTHING.bids),
  asks: Number(range?.highestAsk ?? EVERYTHING.asks),
})

const isWithin = (price: number, side: keyof Bounds, bound: number): boolean =>
  side === "bids" ? price >= bound : price <= bound

/** Levels that one has and the other has not, or in other digits. Beyond the bound the reader has none. */
const differences = (
  own: ReadonlyMap<string, string>,
  venue: ReadonlyMap<string, string>,
  side: keyof Bounds,
  bound: number,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [price, quantity] of own) {
    const said = venue.get(price)
    if (!isWithin(Number(price), side, bound)) found.push(`${side} ${price}: beyond what it says it covers`)
    if (said !== quantity) found.push(`${side} ${price}: ${quantity}, the venue ${said ?? "nothing"}`)
  }
  for (const [price, quantity] of venue) {
    if (own.has(price) || !isWithin(Number(price), side, bound)) continue
    found.push(`${side} ${price}: nothing, the venue ${quantity}`)
  }
  return found
}
