/**
 * A copy of one order book, and whether it may be traded on: SNAPSHOT and DIFFs put together, each DIFF only onto the book that it follows.
 * The one thing to know: `isTrusted` is false from the moment on that something is missing, late or said by the venue to be wrong, and
 * true again only when the book is whole; every time is told.
 */
import type { PublicationContext, Subscription } from "centrifuge"
import type { Gateway } from "./gateway.ts"
import { Ladder, type Level } from "./ladder.ts"
import { pause } from "./retry.ts"
import { type Ended, recordOf } from "./stream.ts"
import { told } from "./told.ts"
import type { OrderBook } from "./types.ts"

/** Why a book is not trusted. */
export type Distrust =
  /** No SNAPSHOT yet. */
  | "OPENING"
  /** The connection is cut; it comes back by itself. */
  | "CUT"
  /** A DIFF did not follow: the channel begins anew. */
  | "GAP"
  /** The venue's book is being put together again. */
  | "RESYNCING"
  /** The venue is silent, says the gateway. */
  | "STALE"
  /** Nothing was told for `silenceMs`, over a connection that is open. */
  | "SILENT"
  /** Nothing comes any more: closed by the caller, or the channel or the connection by the gateway, with a reason that `ready` throws. */
  | "ENDED"

export interface BookOptions {
  /** After each change; `book` is whole then. */
  readonly onChange?: (book: Book) => void
  /** When trust is lost, and when it is back (null). */
  readonly onTrust?: (why: Distrust | null, book: Book) => void
  /** So long a book may be silent before it is not trusted any more, ms; 10,000 unless told, Infinity for quiet markets. */
  readonly silenceMs?: number
}

export type Verdict =
  /** String for string what the gateway has at this sequence. */
  | { readonly isSame: true; readonly sequence: number }
  | { readonly isSame: false; readonly sequence: number; readonly mine: Sides; readonly theirs: Sides }

export interface Sides {
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

/** The deepest read over HTTP, which tells the best rows of each side. */
const VERIFY_DEPTH = 1_000
const VERIFY_TRIES = 20
const VERIFY_WAIT_MS = 2_000
/** A longer one would end at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export class Book {
  readonly instrumentId: string
  readonly #gateway: Gateway
  readonly #options: BookOptions
  #ladders: { readonly bids: Ladder; readonly asks: Ladder } = { bids: new Ladder(-1), asks: new Ladder(1) }
  #subscription: Subscription | null = null
  #silence: ReturnType<typeof setTimeout> | undefined
  /** Of the last publication, or of the word that there was none, by the clock that only goes on. */
  #heardAt = 0
  /** What the gateway said last of the venue's book; null: it is SYNCED. */
  #quality: Distrust | null = null
  #why: Distrust | null = "OPENING"
  #ended: Ended | null = null
  /** Those who wait until it may be traded on, or is over. */
  readonly #waiting = new Set<() => void>()
  /** Called after each publication, while the book is being verified. */
  #witness: (() => void) | null = null
  /** Of the last publication; null: there is no book. */
  sequence: number | null = null
  /** The venue's time, ms. */
  timestamp: number | null = null
  /** How many gaps were met. */
  gaps = 0

  constructor(gateway: Gateway, instrumentId: string, options: BookOptions = {}) {
    this.#gateway = gateway
    this.instrumentId = instrumentId
    this.#options = options
    this.#watch()
  }

  /** Highest price first. */
  get bids(): ReadonlyArray<Level> {
    return this.#ladders.bids.rows
  }

  /** Lowest price first. */
  get asks(): ReadonlyArray<Level> {
    return this.#ladders.asks.rows
  }

  get isTrusted(): boolean {
    return this.#why === null
  }

  /** Null: it is trusted. */
  get distrust(): Distrust | null {
    return this.#why
  }

  /** Resolves when the book may be traded on. */
  async ready(signal?: AbortSignal): Promise<this> {
    while (!this.isTrusted) {
      if (this.#ended !== null) {
        const { reason, code } = this.#ended
        throw new Error(`the book of ${this.instrumentId} has ended: ${reason} (${code})`)
      }
      await this.#settled(signal)
    }
    return this
  }

  /** Compares the best 1,000 levels of each side with what the gateway has at the same sequence, string for string. */
  async verify(): Promise<Verdict> {
    for (let nth = 0; nth < VERIFY_TRIES; nth++) {
      const seen = new Map<number, Sides>()
      const note = (): void => {
        if (this.sequence === null) return
        seen.set(this.sequence, { bids: this.bids.slice(0, VERIFY_DEPTH), asks: this.asks.slice(0, VERIFY_DEPTH) })
      }
      this.#witness = note
      note()
      const theirs = await this.#gateway.get("market/orderbook/get", {
        instrumentId: this.instrumentId,
        depth: VERIFY_DEPTH,
      })
      const isPast = (): boolean => this.sequence !== null && this.sequence >= theirs.sequence
      for (let waited = 0; !isPast() && waited < VERIFY_WAIT_MS; waited += 5) await pause(5)
      this.#witness = null
      const mine = seen.get(theirs.sequence)
      // Publications may take several of the venue's updates together: this sequence was none of ours.
      if (mine === undefined) continue
      const { sequence } = theirs
      return sameRows(mine.bids, theirs.bids) && sameRows(mine.asks, theirs.asks)
        ? { isSame: true, sequence }
        : { isSame: false, sequence, mine, theirs: { bids: theirs.bids, asks: theirs.asks } }
    }
    throw new Error(`no sequence of ${this.instrumentId} was seen on both ways in ${VERIFY_TRIES} tries`)
  }

  close(): void {
    const subscription = this.#subscription
    this.#end({ code: 0, reason: "closed by this program" })
    if (subscription !== null) this.#gateway.stream.leave(subscription)
  }

  #watch(): void {
    const subscription = this.#gateway.stream.subscribe(`market:orderbook:${this.instrumentId}`)
    this.#subscription = subscription
    subscription.on("publication", (context) => this.#take(subscription, context))
    subscription.on("subscribing", () => {
      if (this.#subscription === subscription && this.sequence !== null) this.#trust("CUT")
    })
    // Recovered: what was missed follows, and DIFFs fit; where nothing was missed, the book is the gateway's. Else a SNAPSHOT follows.
    subscription.on("subscribed", ({ wasRecovering, recovered, hasRecoveredPublications }) => {
      if (wasRecovering && !recovered) this.sequence = null
      if (!recovered || hasRecoveredPublications || this.sequence === null) return
      this.#heard()
      this.#trust(this.#quality)
    })
    subscription.on("unsubscribed", (how) => {
      if (this.#subscription === subscription) this.#end(this.#gateway.stream.endOf(subscription) ?? how)
    })
    subscription.subscribe()
  }

  #take(subscription: Subscription, { data }: PublicationContext): void {
    if (this.#subscription !== subscription) return
    const record = recordOf<OrderBook>(data)
    if (record.updateType === "SNAPSHOT") this.#ladders = { bids: new Ladder(-1), asks: new Ladder(1) }
    else if (record.previousSequence !== this.sequence) return this.#begin()
    const { bids, asks } = this.#ladders
    for (const row of record.bids) bids.apply(row)
    for (const row of record.asks) asks.apply(row)
    this.sequence = record.sequence
    this.timestamp = record.timestamp
    this.#quality = record.quality === "SYNCED" ? null : record.quality
    this.#heard()
    this.#witness?.()
    this.#trust(this.#quality)
    told(this.#options.onChange, this)
  }

  /** A new subscription starts with a SNAPSHOT. */
  #begin(): void {
    this.gaps += 1
    this.sequence = null
    this.#trust("GAP")
    const old = this.#subscription
    this.#subscription = null
    if (old !== null) this.#gateway.stream.leave(old)
    // Told of the gap, the bot may have closed it.
    if (this.#ended === null) this.#watch()
  }

  #heard(): void {
    this.#heardAt = performance.now()
    if (this.#silence === undefined) this.#listen(this.#silenceMs)
  }

  /** One timer for all publications: each of its own would cost more than to apply it. */
  #listen(left: number): void {
    if (!Number.isFinite(left)) return
    this.#silence = setTimeout(
      () => {
        this.#silence = undefined
        const more = this.#heardAt + this.#silenceMs - performance.now()
        if (more <= 0) this.#trust("SILENT")
        else this.#listen(more)
      },
      Math.min(left, LONGEST_TIMER_MS),
    )
  }

  get #silenceMs(): number {
    return this.#options.silenceMs ?? 10_000
  }

  #settled(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const leave = (): void => {
        this.#waiting.delete(settle)
        signal?.removeEventListener("abort", stop)
      }
      const settle = (): void => {
        leave()
        resolve()
      }
      const stop = (): void => {
        leave()
        reject(signal?.reason)
      }
      this.#waiting.add(settle)
      signal?.addEventListener("abort", stop)
    })
  }

  #end(ended: Ended): void {
    this.#ended ??= ended
    this.#subscription = null
    clearTimeout(this.#silence)
    this.#trust("ENDED")
  }

  #trust(why: Distrust | null): void {
    if (why === this.#why) return
    this.#why = why
    if (why === null || why === "ENDED") for (const settle of [...this.#waiting]) settle()
    told(this.#options.onTrust, why, this)
  }
}

const sameRows = (mine: ReadonlyArray<Level>, theirs: ReadonlyArray<Level>): boolean =>
  mine.length === theirs.length && mine.every((row, at) => row.every((text, column) => text === theirs[at]![column]))
