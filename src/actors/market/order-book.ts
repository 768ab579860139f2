/**
 * One instrument's order book while its feed is open: applies the venue's updates and publishes SNAPSHOT and DIFFs (contract C13); and its
 * failures: who waits for it, since when it is out of sync, when it is requested again, when it is called STALE. A client that applies what is
 * published has this book at every sequence; a book that may be wrong is never called SYNCED.
 */
import type { Context } from "effect"
import { bookChannel } from "../../domain/channel.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { InstrumentId } from "../../domain/ids.ts"
import type { InstrumentName } from "../../domain/instrument/instrument.ts"
import type { BookQuality, BookRange } from "../../domain/market/market.ts"
import { type BookSide, deletesLevel, MalformedLevel, OrderBook } from "../../domain/market/order-book.ts"
import type { ChannelPort, StreamPosition } from "../../ports/channel-port.ts"
import { BOOK_SILENT, type DepthUpdate } from "../../ports/market-source.ts"
import type { ResyncReason } from "../../ports/venue-stats.ts"
import { ChannelCursor } from "./channel-cursor.ts"

/**
 * Levels a side in a SNAPSHOT for subscribers: more than a seeded book ever holds, and below a socket's back-pressure limit. A whole book
 * that is deeper still is exact to this depth for as long as not all of it is used up.
 */
const SNAPSHOT_LEVELS_MAX = 10_000

/** An update was missed, or the book contradicts itself: it must be read anew. */
export class BookLost extends Error {
  override readonly name = "BookLost"
  readonly reason: "hole" | "crossed" | "malformed"

  constructor(reason: BookLost["reason"], message: string) {
    super(message)
    this.reason = reason
  }
}

export class BookPublisher {
  readonly channel: string
  readonly #channels: Context.Tag.Service<typeof ChannelPort>
  readonly #book = new OrderBook()
  readonly #cursor: ChannelCursor
  /** Record text up to the bids, by update type: constant for the life of the feed. */
  readonly #heads: { readonly SNAPSHOT: string; readonly DIFF: string }
  readonly #bodies = new Map<number, string>()
  #quality: BookQuality = "RESYNCING"
  /** Only a snapshot helps; STALE alone may also be a mere silence. */
  #isLost = true
  #feedSequence = 0
  #timestamp = 0
  /** Null: to its end. */
  #range: BookRange | null = null
  #rangeJson = ""

  constructor(options: {
    readonly instrumentId: InstrumentId
    readonly name: InstrumentName
    readonly channels: Context.Tag.Service<typeof ChannelPort>
    readonly newEpoch: () => string
  }) {
    this.channel = bookChannel(options.instrumentId)
    this.#channels = options.channels
    this.#cursor = new ChannelCursor(options.newEpoch)
    const head = (updateType: string): string =>
      `${JSON.stringify({
        updateType,
        instrumentId: options.instrumentId,
        venue: options.name.venue,
        symbol: options.name.symbol,
        orderBookType: "L2",
        columns: ["price", "quantity", "orderCount"],
      }).slice(0, -1)},"bids":[`
    this.#heads = { SNAPSHOT: head("SNAPSHOT"), DIFF: head("DIFF") }
  }

  get quality(): BookQuality {
    return this.#quality
  }

  /** Time of the newest update; 0 before the first. */
  get timestamp(): number {
    return this.#timestamp
  }

  get sequence(): number {
    return this.#cursor.offset
  }

  /** The best levels of a side, best first; empty unless the book is SYNCED. */
  top(side: "bids" | "asks", rows: number): ReadonlyArray<readonly [price: string, quantity: string]> {
    return this.#quality === "SYNCED" ? this.#book[side].top(rows) : []
  }

  /** All levels of a side, best first, as far as they are asked for; none unless the book is SYNCED. */
  levels(side: "bids" | "asks"): Iterable<readonly [price: string, quantity: string]> {
    return this.#quality === "SYNCED" ? this.#book[side].rows() : []
  }

  /** Whether a side ends where the venue's does, not only where it is known no further. */
  isWhole(side: "bids" | "asks"): boolean {
    if (this.#range === null) return true
    const { lowestBid, highestAsk, levels } = this.#range
    return (side === "bids" ? lowestBid : highestAsk) === null && (levels === null || this.#book[side].size < levels)
  }

  /**
   * Takes an update in and publishes it. Throws BookLost, after telling the subscribers, when the update does not follow the one
   * before, holds no decimals, or leaves the book crossed. Updates between a loss and the next snapshot are of no use and pass.
   */
  onDepth(update: DepthUpdate): void {
    if (update.snapshot) this.#replace(update)
    else if (!this.#isLost) this.#change(update)
  }

  /** The feed is interrupted or wrong: what the book shows is the last that was known, until the next snapshot. */
  lose(): void {
    this.#isLost = true
    if (this.#quality === "SYNCED") this.#requalify("RESYNCING")
  }

  /** The loss lasts, or the feed is silent while the market is not. */
  markStale(): void {
    if (this.#quality !== "STALE") this.#requalify("STALE")
  }

  /** A first subscriber comes. */
  opened(): void {
    this.#cursor.opened()
  }

  position(): StreamPosition {
    const known = this.#cursor.offset > 0
    const snapshotOf = (): string | null => (known ? this.snapshotJson(SNAPSHOT_LEVELS_MAX) : null)
    return {
      epoch: this.#cursor.epoch,
      offset: this.#cursor.offset,
      // Written when it is read: a recovery of missed DIFFs needs none, and for 5,000 levels it takes ms.
      get snapshot() {
        return snapshotOf()
      },
    }
  }

  /** The book as JSON text of an OrderBook record, best first; built once per sequence and depth. */
  snapshotJson(depth: number): string {
    const cached = this.#bodies.get(depth)
    if (cached !== undefined) return cached
    const body = this.#record("SNAPSHOT", this.#book.bids.rowsJson(depth), this.#book.asks.rowsJson(depth), null)
    this.#bodies.set(depth, body)
    return body
  }

  #replace(update: DepthUpdate): void {
    try {
      this.#book.bids.replace(update.bids)
      this.#book.asks.replace(update.asks)
    } catch (cause) {
      throw this.#dropped(cause)
    }
    if (this.#book.isCrossed()) throw this.#dropped("crossed snapshot")
    this.#reach(update.range ?? null)
    this.#feedSequence = update.sequence
    this.#timestamp = update.venueAt ?? update.receivedAt
    this.#quality = "SYNCED"
    this.#isLost = false
    this.#publish(() => this.snapshotJson(SNAPSHOT_LEVELS_MAX))
  }

  #change(update: DepthUpdate): void {
    if (update.sequence !== this.#feedSequence + 1) {
      this.lose()
      throw new BookLost("hole", `update ${update.sequence} after ${this.#feedSequence}`)
    }
    const heard = this.#channels.isHeard(this.channel)
    let bids: string
    let asks: string
    try {
      bids = apply(this.#book.bids, update.bids, heard)
      asks = apply(this.#book.asks, update.asks, heard)
    } catch (cause) {
      throw this.#dropped(cause)
    }
    if (this.#book.isCrossed()) throw this.#dropped("crossed")
    if (update.range !== undefined) this.#reach(update.range)
    this.#feedSequence = update.sequence
    this.#timestamp = update.venueAt ?? update.receivedAt
    // An update that follows in sequence ends a silence.
    this.#quality = "SYNCED"
    this.#publish((previous) => this.#record("DIFF", bids, asks, previous), heard)
  }

  /** Empties a book that holds wrong levels: they are published as gone, so that no reader keeps them. */
  #dropped(cause: unknown): BookLost {
    if (typeof cause !== "string" && !(cause instanceof MalformedLevel)) throw cause
    this.#book.clear()
    this.#reach(null)
    const wasKnown = this.#cursor.offset > 0
    this.#quality = "RESYNCING"
    this.#isLost = true
    if (wasKnown) this.#publish(() => this.snapshotJson(SNAPSHOT_LEVELS_MAX))
    return typeof cause === "string" ? new BookLost("crossed", cause) : new BookLost("malformed", cause.message)
  }

  #requalify(quality: BookQuality): void {
    this.#quality = quality
    // Before its first snapshot no subscriber has a book to be warned about.
    if (this.#cursor.offset > 0) this.#publish((previous) => this.#record("DIFF", "", "", previous))
  }

  #publish(json: (previous: number) => string, heard = this.#channels.isHeard(this.channel)): void {
    this.#bodies.clear()
    const previous = this.#cursor.offset
    const offset = this.#cursor.next(heard)
    if (!heard) return
    this.#channels.publish({
      channel: this.channel,
      kind: "orderbook",
      epoch: this.#cursor.epoch,
      offset,
      json: json(previous),
    })
  }

  #record(updateType: "SNAPSHOT" | "DIFF", bids: string, asks: string, previous: number | null): string {
    return `${this.#heads[updateType]}${bids}],"asks":[${asks}],"timestamp":${this.#timestamp},"sequence":${this.#cursor.offset},"previousSequence":${previous},"quality":"${this.#quality}"${this.#rangeJson}}`
  }

  #reach(range: BookRange | null): void {
    const isBounded = range !== null && (range.lowestBid ?? range.highestAsk ?? range.levels) !== null
    this.#range = isBounded ? range : null
    this.#rangeJson = isBounded ? `,"coveredRange":${JSON.stringify(range)}` : ""
  }
}

/**
 * Applies changed levels and, if there are subscribers, returns them as JSON rows. A price that the venue now spells another way
 * is deleted under the spelling that readers have first, for they may know levels by their text.
 */
const apply = (side: BookSide, flat: ReadonlyArray<string>, encode: boolean): string => {
  let json = ""
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const price = flat[i]!
    const quantity = flat[i + 1]!
    const before = side.set(price, quantity)
    if (!encode) continue
    if (before !== undefined && before !== price) json += `${json === "" ? "" : ","}["${before}","0",""]`
    if (!deletesLevel(quantity)) json += `${json === "" ? "" : ","}["${price}","${quantity}",""]`
    else if (before === undefined || before === price) json += `${json === "" ? "" : ","}["${price}","0",""]`
  }
  return json
}

// One open book and its trouble: who waits for it, since when it is lost, when it is asked for anew, and when it is called STALE.
// A book that held is asked for at once when it breaks; one that keeps breaking, ever more seldom.

/** A loss that lasts this long is STALE, and asked for again; so is a book that stays silent after a trade. */
const STALE_AFTER_MILLIS = 5000
/** So long after its last update a book is believed on the word of its connection: its stream may be dead on one that lives. */
const QUIET_MILLIS_MAX = 30_000
const RESYNC_DELAY_MIN_MILLIS = 100
const RESYNC_DELAY_MAX_MILLIS = 5000

/** A read that waits for the first state. */
export interface Waiter {
  readonly found: () => unknown
  /** `reason`: what is known of why there will be none; undefined: it took too long. */
  readonly missed: (reason?: DomainError) => void
}

export const wake = (waiting: Set<Waiter>): void => {
  for (const each of [...waiting]) {
    waiting.delete(each)
    each.found()
  }
}

export const giveUp = (waiting: Set<Waiter> | undefined, reason: DomainError): void => {
  for (const each of [...(waiting ?? [])]) {
    waiting?.delete(each)
    each.missed(reason)
  }
}

export class BookFeed {
  readonly actor: BookPublisher
  /** Called once when the book is SYNCED. */
  readonly waiting = new Set<Waiter>()
  readonly #monotonic: () => number
  readonly #after: (millis: number, run: () => void) => void
  readonly #askForSnapshot: (reason: ResyncReason) => void
  #lostAt: number | null
  #syncedAt: number
  #updatedAt: number
  /** When the venue said last that there is nothing new. */
  #confirmedAt = Number.NEGATIVE_INFINITY
  /** The first trade that no update of the book came near to. */
  #tradedAt: number | null = null
  #isResyncing = false
  #resyncDelay = 0

  constructor(options: {
    readonly actor: BookPublisher
    readonly monotonic: () => number
    readonly after: (millis: number, run: () => void) => void
    /** Does nothing when the stream was closed meanwhile. */
    readonly askForSnapshot: (reason: ResyncReason) => void
  }) {
    this.actor = options.actor
    this.#monotonic = options.monotonic
    this.#after = options.after
    this.#askForSnapshot = options.askForSnapshot
    // A snapshot is on its way since the stream was opened.
    this.#lostAt = options.monotonic()
    this.#syncedAt = this.#lostAt
    this.#updatedAt = this.#lostAt
  }

  /** Ms since a SYNCED book was known to be the venue's: by an update, or by its word that there is none; null while it is not SYNCED. */
  get age(): number | null {
    if (this.actor.quality !== "SYNCED") return null
    return this.#monotonic() - Math.max(this.#updatedAt, this.#confirmedAt)
  }

  /** The venue answers on the connection of the book. A trade that the book shows nothing of says more: its stream is lost. */
  onConfirmed(): boolean {
    const now = this.#monotonic()
    if (this.age === null || this.#tradedAt !== null || now - this.#updatedAt > QUIET_MILLIS_MAX) return false
    this.#confirmedAt = now
    return true
  }

  /** For how many ms it has not been the venue's; 0 while it is. */
  get lostMillis(): number {
    return this.#lostAt === null ? 0 : this.#monotonic() - this.#lostAt
  }

  /** Applies an update; true when the book is the venue's afterwards. */
  onDepth(update: DepthUpdate): boolean {
    try {
      this.actor.onDepth(update)
    } catch (cause) {
      if (!(cause instanceof BookLost)) throw cause
      this.#onLost(cause.reason)
      return false
    }
    if (this.actor.quality !== "SYNCED") return false
    this.#updatedAt = this.#monotonic()
    if (this.#lostAt !== null) this.#syncedAt = this.#updatedAt
    this.#lostAt = null
    this.#tradedAt = null
    return true
  }

  /** The stream is interrupted; its source reopens it and sends a snapshot. */
  onDown(reason: string): void {
    this.actor.lose()
    // It had been wrong for a long time before it was detected.
    if (reason.startsWith(BOOK_SILENT)) this.actor.markStale()
    this.#lostAt ??= this.#monotonic()
  }

  /**
   * Every trade changes its book: one that shows nothing, neither before nor after, has lost its stream. Before counts too, for
   * venues send trades and books on streams of their own, either of which may be ahead.
   */
  onTrade(): void {
    const now = this.#monotonic()
    if (now - this.#updatedAt >= STALE_AFTER_MILLIS) this.#tradedAt ??= now
  }

  /** Looks at the time. */
  watch(now: number): void {
    const since = this.#lostAt ?? this.#tradedAt
    if (since === null || now - since < STALE_AFTER_MILLIS) return
    const reason = this.#lostAt === null ? "silent" : "overdue"
    this.#lostAt ??= now
    this.actor.markStale()
    this.#resync(reason)
  }

  #onLost(reason: ResyncReason): void {
    const now = this.#monotonic()
    this.#lostAt ??= now
    if (now - this.#syncedAt > RESYNC_DELAY_MAX_MILLIS) this.#resyncDelay = 0
    this.#resync(reason)
  }

  #resync(reason: ResyncReason): void {
    if (this.#isResyncing) return
    this.#isResyncing = true
    const delay = this.#resyncDelay
    this.#resyncDelay = Math.min(RESYNC_DELAY_MAX_MILLIS, Math.max(RESYNC_DELAY_MIN_MILLIS, delay * 2))
    this.#after(delay, () => {
      this.#isResyncing = false
      if (this.#lostAt !== null) this.#askForSnapshot(reason)
    })
  }
}
