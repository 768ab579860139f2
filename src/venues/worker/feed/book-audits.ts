/**
 * Compares books with the venue's REST snapshot, to detect what no sequence shows: a change that was never sent, and a silent stream. The two are
 * never from the same moment, so a level counts only when the venue was queried twice, both answers differed from the book in it, and nothing
 * changed it from before the first query until after the second answer.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { InstrumentId } from "../../../domain/ids.ts"
import { type BookAuditFigures, type BudgetLoad, PURPOSES } from "../../../ports/venue-stats.ts"
import type { BookAuditTimes, VenueProfile } from "../../adapters/profile.ts"
import type { CcxtBookRow, CcxtExchange } from "../exchange/ccxt.ts"
import { lookingAside } from "../work.ts"
import type { BookChange } from "./book-tap.ts"
import { continuityOf } from "./sequence-guard.ts"

/** Levels a side that are asked for and compared; each of the venues takes this number. */
const DEPTH = 100
/** The shortest side that a stream is cut to (Bitfinex). A side with fewer levels is a whole one. */
const STREAM_DEPTH_MIN = 25
const LOOK_MILLIS = 1000
const AT_ONCE = 8
/** A question that could not leave for so long is given up; the book has its turn again. */
const ASK_WITHIN_MILLIS = 30_000

const EVERY_MILLIS = 180_000
const SILENT_MILLIS = 60_000
/** Venues answer with books some seconds old (`snapshots.ts`). */
const SETTLE_MILLIS = 6000

/** Null: no audits. A book that is subscribed anew from time to time needs none. */
export const auditTimesOf = ({ exchange, bookAudit, bookRefreshMillis }: VenueProfile): BookAuditTimes | null => {
  if (bookAudit !== undefined) return bookAudit
  if (bookRefreshMillis !== undefined) return null
  const everyMillis = continuityOf(exchange) === "none" ? EVERY_MILLIS : null
  return { everyMillis, silentMillis: SILENT_MILLIS, settleMillis: SETTLE_MILLIS }
}

/** Of what audits may have of the request budget: those of accounts go first, and may have the other half. */
const SHARE_OF_AUDITS = 0.5

/** Whether a book may be asked for: no other request waits. */
export const hasRoomForAudits = ({ audits, waiting, pausedMillis }: BudgetLoad): boolean =>
  audits < SHARE_OF_AUDITS && pausedMillis === 0 && PURPOSES.every((purpose) => waiting[purpose] === 0)

type Rows = ReadonlyArray<CcxtBookRow>
type Side = "bids" | "asks"

/** Best levels first, as they are whenever they are looked at. */
export interface HeldLevels {
  readonly bids: Rows
  readonly asks: Rows
}

const levelOf = (side: Side, price: number): string => `${side} ${price}`

/** Levels of one side by price, best first. */
const quantities = (rows: Rows): ReadonlyMap<number, number> =>
  new Map(rows.map(([price, quantity]) => [Number(price), Number(quantity)]))

/** The levels, by side and price, in which an answer differs from a book: down to where the shorter of the two was cut off. */
export const differing = (held: HeldLevels, answer: HeldLevels): ReadonlySet<string> => {
  const levels = new Set<string>()
  for (const side of ["bids", "asks"] as const) {
    const ours = quantities(held[side])
    const theirs = quantities(answer[side].slice(0, DEPTH))
    const ends = [...(ours.size < STREAM_DEPTH_MIN ? [] : [ours]), ...(theirs.size < DEPTH ? [] : [theirs])].map(
      (cutOff) => [...cutOff.keys()].at(-1) ?? Number.NaN,
    )
    const isNear = (price: number): boolean => ends.every((end) => (side === "bids" ? price >= end : price <= end))
    for (const price of new Set([...theirs.keys(), ...ours.keys()]))
      if (isNear(price) && ours.get(price) !== theirs.get(price)) levels.add(levelOf(side, price))
  }
  return levels
}

/** What an audit found wrong with a book. */
export interface Finding {
  readonly instrumentId: InstrumentId
  readonly levels: number
  /** Its stream had said nothing for long: more than a change is missing. */
  readonly isSilent: boolean
}

/** A book since its last snapshot. */
interface Watched {
  readonly instrumentId: InstrumentId
  readonly symbol: string
  readonly book: HeldLevels
  /** So many changes, and how many of them had come at the last look. */
  changes: number
  seen: number
  /** `performance.now()` of the look that saw it change, and of the last audit. */
  movedAt: number
  auditedAt: number
  /** Levels that changed since the audit that is under way began. */
  touched: Set<string> | null
}

export class BookAudits {
  readonly #exchange: CcxtExchange
  readonly #times: BookAuditTimes
  readonly #hasRoom: () => boolean
  readonly #found: (finding: Finding) => void
  /** The longest without an audit first. */
  readonly #watched = new Map<InstrumentId, Watched>()
  readonly #looks: NodeJS.Timeout
  #running = 0
  #made = 0
  #differed = 0
  #failed = 0

  /** `hasRoom`: the venue's request budget has room for what is least urgent; audits wait for it, and so come more seldom. */
  constructor(options: {
    readonly exchange: CcxtExchange
    readonly times: BookAuditTimes
    readonly hasRoom: () => boolean
    readonly found: (finding: Finding) => void
  }) {
    this.#exchange = options.exchange
    this.#times = options.times
    this.#hasRoom = options.hasRoom
    this.#found = options.found
    const { everyMillis, silentMillis } = this.#times
    this.#looks = setInterval(() => this.#look(), Math.min(LOOK_MILLIS, silentMillis, everyMillis ?? LOOK_MILLIS))
    this.#looks.unref()
  }

  onChange(
    instrumentId: InstrumentId,
    symbol: string,
    book: HeldLevels,
    { snapshot, bids, asks }: Pick<BookChange, "snapshot" | "bids" | "asks">,
  ): void {
    const known = this.#watched.get(instrumentId)
    if (snapshot || known === undefined) {
      const now = performance.now()
      // What an audit under way found of the book before is of no use any more.
      this.#watched.delete(instrumentId)
      this.#watched.set(instrumentId, {
        instrumentId,
        symbol,
        book,
        changes: 0,
        seen: 0,
        movedAt: now,
        auditedAt: now,
        touched: null,
      })
      return
    }
    known.changes += 1
    if (known.touched === null) return
    for (let at = 0; at < bids.length; at += 2) known.touched.add(levelOf("bids", Number(bids[at])))
    for (let at = 0; at < asks.length; at += 2) known.touched.add(levelOf("asks", Number(asks[at])))
  }

  /** The book is lost or closed; it counts again from its next snapshot. */
  forget(instrumentId: InstrumentId): void {
    this.#watched.delete(instrumentId)
  }

  figures(): BookAuditFigures {
    return { made: this.#made, differed: this.#differed, failed: this.#failed }
  }

  stop(): void {
    clearInterval(this.#looks)
    this.#watched.clear()
  }

  #look(): void {
    const now = performance.now()
    for (const watched of [...this.#watched.values()]) {
      if (watched.changes !== watched.seen) {
        watched.seen = watched.changes
        watched.movedAt = now
      }
      if (watched.touched !== null || this.#running >= AT_ONCE || !this.#isDue(watched, now)) continue
      if (!this.#hasRoom()) return
      void this.#audit(watched)
    }
  }

  #isDue(watched: Watched, now: number): boolean {
    const { everyMillis } = this.#times
    const isPeriodic = everyMillis !== null && now - watched.auditedAt >= everyMillis
    return isPeriodic || (this.#isSilent(watched, now) && now - watched.auditedAt >= this.#times.silentMillis)
  }

  #isSilent({ changes, seen, movedAt }: Watched, now: number): boolean {
    return changes === seen && now - movedAt >= this.#times.silentMillis
  }

  async #audit(watched: Watched): Promise<void> {
    const touched = new Set<string>()
    watched.touched = touched
    this.#running += 1
    try {
      const first = await this.#differing(watched)
      const second = first.size === 0 || !this.#isCurrent(watched) ? first : await this.#differing(watched)
      if (!this.#isCurrent(watched)) return
      const levels = [...second].filter((level) => first.has(level) && !touched.has(level)).length
      this.#made += 1
      if (levels === 0) return
      this.#differed += 1
      const { instrumentId } = watched
      this.#found({ instrumentId, levels, isSilent: this.#isSilent(watched, performance.now()) })
    } catch {
      // No answer in time, or none at all: the budget's figures say which.
      this.#failed += 1
    } finally {
      this.#running -= 1
      watched.touched = null
      watched.auditedAt = performance.now()
      if (this.#isCurrent(watched)) {
        this.#watched.delete(watched.instrumentId)
        this.#watched.set(watched.instrumentId, watched)
      }
    }
  }

  #isCurrent(watched: Watched): boolean {
    return this.#watched.get(watched.instrumentId) === watched
  }

  async #differing({ symbol, book }: Watched): Promise<ReadonlySet<string>> {
    await sleep(this.#times.settleMillis, undefined, { ref: false })
    const until = Date.now() + ASK_WITHIN_MILLIS
    return differing(book, await lookingAside("audit", until, () => this.#exchange.fetchOrderBook(symbol, DEPTH)))
  }
}
