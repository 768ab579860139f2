/**
 * Compares what a subscriber has with what the venue said, at each publication: the whole book within what the connector was shown,
 * and the top at the update ids where the venue named it. A book is judged only while it is called SYNCED; whether it is crossed, always.
 */
import type { DepthUpdate } from "../../../src/ports/market-source.ts"
import type { DepthShown } from "../../exchanges/binance/market.ts"
import type { BookReader } from "../../kit/readers/market-reader.ts"
import { beginningOf, change, type Levels, type RecordedDay, type Top } from "./recorded-day.ts"

const SIDES = ["bids", "asks"] as const
const SAMPLES = 5

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
  readonly samples: ReadonlyArray<string>
}

/** The worst prices that the connector was shown: what lies beyond them it knows from changes only. */
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
  #shown: Array<DepthShown> = []
  #bounds = EVERYTHING
  readonly #lost = new Set<number>()
  readonly #samples: Array<string> = []
  #facts = { publications: 0, snapshots: 0, compared: 0, checkpoints: 0, unequal: 0, crossed: 0, stale: 0 }

  constructor(day: RecordedDay) {
    this.#day = day
    this.#venue = beginningOf(day)
    this.#venueAt = day.lastUpdateId
    this.#ids = new Set([day.lastUpdateId, ...day.frames.map(({ finalUpdateId }) => finalUpdateId)])
  }

  get facts(): BookFacts {
    return { ...this.#facts, samples: this.#samples }
  }

  /** The connector asked for a book and is shown this one. */
  shown(depth: DepthShown): void {
    this.#shown.push(depth)
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
    if (record.updateType === "SNAPSHOT") this.#begin(nonce)
    else this.#follow(nonce)
    this.at = nonce
    this.#newest = nonce
    if (this.#advance(nonce)) this.#compare(reader, nonce, bid, ask)
  }

  #begin(nonce: number): void {
    this.#facts.snapshots += 1
    this.snapshotAt = nonce
    if (nonce < this.#newest) this.#stale(`a SNAPSHOT of ${nonce} after ${this.#newest}`)
    // Which answer was taken is the connector's affair: of all that may have been, the nearest ends count.
    const answers = this.#shown.filter(({ lastUpdateId }) => lastUpdateId <= nonce)
    this.#shown = []
    if (answers.length > 0)
      this.#bounds = answers.every((answer) => this.#isWhole(answer)) ? EVERYTHING : endsOf(answers)
  }

  /** The book that the day begins with, uncut. */
  #isWhole({ lastUpdateId, bids, asks }: DepthShown): boolean {
    const day = this.#day
    return lastUpdateId === day.lastUpdateId && bids.length === day.bids.length && asks.length === day.asks.length
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

  #compare(reader: BookReader, nonce: number, bid: Row | undefined, ask: Row | undefined): void {
    this.#facts.compared += 1
    const apart = SIDES.flatMap((side) => differences(reader.levels(side), this.#venue[side], side, this.#bounds[side]))
    if (apart.length > 0) this.#unequal(`${apart.length} levels at ${nonce}: ${apart[0]}`)
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

const endsOf = (answers: ReadonlyArray<DepthShown>): Bounds => ({
  bids: Math.max(...answers.map(({ bids }) => Number(bids.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY))),
  asks: Math.min(...answers.map(({ asks }) => Number(asks.at(-1)?.[0] ?? Number.POSITIVE_INFINITY))),
})

/** Levels that one has and the other has not, or in other digits. Beyond the bound the reader may lack levels, not invent them. */
const differences = (
  own: ReadonlyMap<string, string>,
  venue: ReadonlyMap<string, string>,
  side: keyof Bounds,
  bound: number,
): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [price, quantity] of own) {
    const said = venue.get(price)
    if (said !== quantity) found.push(`${side} ${price}: ${quantity}, the venue ${said ?? "nothing"}`)
  }
  for (const [price, quantity] of venue) {
    if (own.has(price) || (side === "bids" ? Number(price) < bound : Number(price) > bound)) continue
    found.push(`${side} ${price}: nothing, the venue ${quantity}`)
  }
  return found
}
