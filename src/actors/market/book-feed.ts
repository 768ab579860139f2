/**
 * One open book and its trouble: who waits for it, since when it is lost, when it is asked for anew, and when it is called STALE.
 * A book that held is asked for at once when it breaks; one that keeps breaking, ever more seldom.
 */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { BOOK_SILENT, type DepthUpdate } from "../../ports/market-source.ts"
import type { ResyncReason } from "../../ports/venue-stats.ts"
import { BookLost, type OrderBookActor } from "./order-book.ts"

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
  readonly actor: OrderBookActor
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
    readonly actor: OrderBookActor
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

  /** The stream is interrupted; whoever carries it reopens it and sends a snapshot. */
  onDown(reason: string): void {
    this.actor.lose()
    // It had been wrong for long before anybody knew.
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
