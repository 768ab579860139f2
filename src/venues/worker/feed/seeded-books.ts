/**
 * Books of venues that send all changes but only the best levels initially (BINANCE, KUCOIN). A level beyond the snapshot is unknown until it
 * changes, so each book keeps only the range that its seed covers; before the market reaches the end of that range, a new snapshot is requested
 * beside the stream, and the newly known levels are one more change. Within its range a book always equals the venue's.
 */
import type { BookRange } from "../../../domain/market/market.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import type { BookReach } from "../../adapters/profile.ts"
import type { CcxtBookRow, CcxtExchange, CcxtOrderBook } from "../exchange/ccxt.ts"
import { lookingAside } from "../work.ts"
import type { HeldLevels } from "./book-audits.ts"
import type { BookChange } from "./book-tap.ts"
import type { Digits, RowText } from "./digits.ts"

// One side of a book whose seed may end before the side does. Numbers tell the prices and quantities of one venue apart; the texts are told
// as they come and not kept.

type SideName = "bids" | "asks"

/** A venue that cuts its snapshots shorter than it is asked to cuts at a round number: such a side is not taken for a whole one. */
const ROUND = 50
/** A range is kept when the next seed reaches less far, until its side is so many times a seed; then the seed's is taken. */
const GROWN = 1.5
/** What a side counts as at most that began with a quick look: it is due for the rest, and not urgent. */
const SHALLOW = 0.45

class SeededSide {
  readonly #name: SideName
  readonly #levels = new LeanMap<number, number>()
  #end: string | null = null
  #bound: number
  #seeded = 0
  #isShallow = false

  constructor(name: SideName) {
    this.#name = name
    this.#bound = this.#farthest
  }

  /** The worst price up to which no level is missing, as the venue writes it; null: to the last of them. */
  get end(): string | null {
    return this.#end
  }

  /** Share of the seed's levels that the range still has; 1 where nothing lies beyond it. */
  get left(): number {
    if (this.#end === null) return 1
    const share = this.#seeded === 0 ? 0 : this.#levels.size / this.#seeded
    return this.#isShallow ? Math.min(share, SHALLOW) : share
  }

  /** A seed of so many levels, the last of which is at this price; `most` are given, or `quick` for a first look. */
  begin(rows: number, last: string | null, most: number, quick: number): void {
    this.#levels.clear()
    const isQuick = rows === quick && quick < most
    this.#limit(rows, isQuick || isCut(rows, most) ? last : null, most)
    this.#isShallow = isQuick
  }

  /** Takes changes in; answers those within the range. */
  take(flat: ReadonlyArray<string>): ReadonlyArray<string> {
    const within: Array<string> = []
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const [price = "", quantity = ""] = [flat[i], flat[i + 1]]
      const key = Number(price)
      if (!this.#covers(key, this.#bound)) continue
      const amount = Number(quantity)
      if (amount === 0) this.#levels.delete(key)
      else this.#levels.set(key, amount)
      within.push(price, quantity)
    }
    return within
  }

  /** In how many levels a later seed of this side is another where both reach. */
  apart(levels: ReadonlyMap<number, RowText>, rows: number, last: string | null, most: number): number {
    const bound = this.#nearer(this.#bound, isCut(rows, most) ? Number(last) : this.#farthest)
    let apart = 0
    for (const [price, [, quantity]] of levels)
      if (this.#covers(price, bound) && this.#levels.get(price) !== Number(quantity)) apart += 1
    for (const price of this.#levels.keys()) if (this.#covers(price, bound) && !levels.has(price)) apart += 1
    return apart
  }

  /** Takes a later seed in; answers the levels that became known, and deletes those that are given up. */
  extend(levels: ReadonlyMap<number, RowText>, rows: number, last: string | null, most: number): ReadonlyArray<string> {
    const changed: Array<string> = []
    const before = this.#bound
    const seedEnd = isCut(rows, most) ? last : null
    const seedBound = seedEnd === null ? this.#farthest : Number(seedEnd)
    const isFarther = this.#nearer(before, seedBound) === before
    if (isFarther || this.#levels.size > most * GROWN) this.#limit(rows, seedEnd, most)
    else this.#limit(rows, this.#end, most)
    for (const price of [...this.#levels.keys()]) {
      if (this.#covers(price, this.#bound)) continue
      this.#levels.delete(price)
      changed.push(String(price), "0")
    }
    for (const [price, [text, quantity]] of levels) {
      if (this.#covers(price, before) || !this.#covers(price, this.#bound)) continue
      this.#levels.set(price, Number(quantity))
      changed.push(text, quantity)
    }
    return changed
  }

  /** Best first. */
  rows(): ReadonlyArray<CcxtBookRow> {
    const sign = this.#name === "bids" ? -1 : 1
    return [...this.#levels].sort(([one], [other]) => sign * (one - other))
  }

  get #farthest(): number {
    return this.#name === "bids" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  }

  #limit(seeded: number, end: string | null, most: number): void {
    this.#seeded = Math.min(seeded, most)
    this.#end = end
    this.#bound = end === null ? this.#farthest : Number(end)
    this.#isShallow = false
  }

  #covers(price: number, bound: number): boolean {
    return this.#name === "bids" ? price >= bound : price <= bound
  }

  #nearer(one: number, other: number): number {
    return this.#name === "bids" ? Math.max(one, other) : Math.min(one, other)
  }
}

const isCut = (rows: number, most: number): boolean => rows > 0 && (rows >= most || rows % ROUND === 0)

const LOOK_MILLIS = 1000
/** A change that leaves little of a seed brings the next look forward. */
const LOOK_MILLIS_MIN = 50
/** Venues are asked for so many books at a time, and for one of them no more often than this; after failures ever less. */
const AT_ONCE = 2
const SPACING_MILLIS = 2000
const SPACING_MAX_MILLIS = 60_000
/** Less than this of a seed is left: it is seeded again when the venue's request budget has room, or, below the other, in any case. */
const THIN = 0.5
const URGENT = 0.2
/** A question that could not leave for so long, and an answer that the stream did not catch up with, are given up. */
const ASK_WITHIN_MILLIS = 30_000
const JOIN_WITHIN_MILLIS = 10_000
/** A first look takes all of the levels while less than this of the request budget is used. */
const ROOMY = 0.3

const SIDES: ReadonlyArray<SideName> = ["bids", "asks"]

export interface SeedBudget {
  readonly isQueueing: () => boolean
  readonly hasRoomForAudits: () => boolean
  /** Of the whole budget, 0 to 1. */
  readonly used: () => number
}

/** Levels that became known, and those that are given up. */
export interface SeedChange {
  readonly book: CcxtOrderBook
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
  readonly range: BookRange
}

interface Kept {
  readonly nonce: number
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
}

/** One book since its snapshot. */
class SeededBook {
  readonly bids = new SeededSide("bids")
  readonly asks = new SeededSide("asks")
  /** Changes since the venue was asked; null while it is not. */
  kept: Array<Kept> | null = null
  /** An answer that is ahead of the stream. */
  ahead: CcxtOrderBook | null = null
  dueAt = 0
  failures = 0
  readonly held: HeldLevels

  constructor(readonly book: CcxtOrderBook) {
    const { bids, asks } = this
    this.held = {
      get bids() {
        return bids.rows()
      },
      get asks() {
        return asks.rows()
      },
    }
  }

  get nonce(): number {
    return this.book.nonce ?? Number.NaN
  }

  get range(): BookRange {
    return { lowestBid: this.bids.end, highestAsk: this.asks.end, levels: null }
  }

  /** How much of the seed is left where least is, 0 to 1. */
  get left(): number {
    return Math.min(this.bids.left, this.asks.left)
  }

  get isExhausted(): boolean {
    return this.left === 0
  }
}

export class SeededBooks {
  readonly #exchange: CcxtExchange
  readonly #reach: Extract<BookReach, { way: "SEED" }>
  readonly #digits: Digits
  readonly #budget: SeedBudget
  readonly #grown: (symbol: string, change: SeedChange) => void
  readonly #differs: (symbol: string, levels: number) => void
  readonly #failed: (symbol: string, failure: unknown) => void
  /** By symbol. */
  readonly #books = new Map<string, SeededBook>()
  /** By symbol, of books that ended: one that begins again and again is not asked for any more often for that. */
  readonly #paces = new Map<string, Pick<SeededBook, "failures" | "dueAt">>()
  readonly #spacingMillis: number
  readonly #looks: NodeJS.Timeout
  #running = 0
  /** First looks that are under way, by symbol: one that begins anew while it waits takes the place of the other, which is never answered. */
  readonly #looking = new Set<string>()
  #lookedAt = Number.NEGATIVE_INFINITY

  /** `differs` hears that a book was not the venue's within its range, at so many levels. */
  constructor(options: {
    readonly exchange: CcxtExchange
    readonly reach: Extract<BookReach, { way: "SEED" }>
    readonly digits: Digits
    readonly budget: SeedBudget
    readonly grown: (symbol: string, change: SeedChange) => void
    readonly differs: (symbol: string, levels: number) => void
    readonly failed: (symbol: string, failure: unknown) => void
    /** Where not as usual. */
    readonly lookMillis?: number
    readonly spacingMillis?: number
  }) {
    this.#exchange = options.exchange
    this.#reach = options.reach
    this.#digits = options.digits
    this.#budget = options.budget
    this.#grown = options.grown
    this.#differs = options.differs
    this.#failed = options.failed
    this.#spacingMillis = options.spacingMillis ?? SPACING_MILLIS
    this.#looks = setInterval(() => this.#look(), options.lookMillis ?? LOOK_MILLIS)
    this.#looks.unref()
  }

  /** A first look for a stream that begins, at fewer levels while others are under way or wait: the rest comes when there is room. */
  async look<A>(symbol: string, ask: (levels: number) => Promise<A>): Promise<A> {
    const { levels, quick = levels } = this.#reach
    const isAlone = this.#looking.size === 0 && !this.#budget.isQueueing() && this.#budget.used() < ROOMY
    this.#looking.add(symbol)
    try {
      return await ask(isAlone ? levels : quick)
    } finally {
      this.#looking.delete(symbol)
    }
  }

  /** What is left of a change within the range of its book; of a snapshot the range is its own. */
  take(symbol: string, change: BookChange): BookChange & { readonly range?: BookRange; readonly isExhausted: boolean } {
    const book = this.#bookOf(symbol, change)
    const { seed } = change
    const { levels: most, quick = most } = this.#reach
    if (change.snapshot)
      for (const side of SIDES) book[side].begin(seed?.[side].levels ?? 0, seed?.[side].last ?? null, most, quick)
    else book.kept?.push({ nonce: book.nonce, bids: change.bids, asks: change.asks })
    const bids = book.bids.take(change.bids)
    const asks = book.asks.take(change.asks)
    if (book.ahead !== null && book.ahead.nonce !== undefined && book.nonce >= book.ahead.nonce) {
      const answer = book.ahead
      book.ahead = null
      // After this change, which is not told yet.
      queueMicrotask(() => this.#join(symbol, book, answer))
    }
    if (book.kept === null && book.left < THIN && performance.now() - this.#lookedAt >= LOOK_MILLIS_MIN) this.#look()
    const range = change.snapshot ? { range: book.range } : {}
    return { ...change, bids, asks, ...range, isExhausted: book.isExhausted }
  }

  /** The levels of a book that has begun, sorted when they are read. */
  held(symbol: string): HeldLevels | undefined {
    return this.#books.get(symbol)?.held
  }

  forget(symbol: string): void {
    const book = this.#books.get(symbol)
    if (book !== undefined) this.#paces.set(symbol, { failures: book.failures, dueAt: book.dueAt })
    this.#books.delete(symbol)
  }

  stop(): void {
    clearInterval(this.#looks)
    this.#books.clear()
  }

  #bookOf(symbol: string, { book, snapshot }: BookChange): SeededBook {
    const known = this.#books.get(symbol)
    if (known !== undefined && !snapshot && known.book === book) return known
    const begun = new SeededBook(book)
    const before = known ?? this.#paces.get(symbol)
    this.#paces.delete(symbol)
    begun.failures = before?.failures ?? 0
    begun.dueAt = Math.max(before?.dueAt ?? 0, performance.now() + this.#spacingMillis)
    this.#books.set(symbol, begun)
    return begun
  }

  #look(): void {
    const now = performance.now()
    this.#lookedAt = now
    const due = [...this.#books].filter(([, { kept, left, dueAt }]) => kept === null && left < THIN && now >= dueAt)
    due.sort(([, one], [, other]) => one.left - other.left)
    for (const [symbol, book] of due) {
      if (this.#running >= AT_ONCE) return
      const isUrgent = book.left < URGENT
      if (isUrgent || this.#budget.hasRoomForAudits()) void this.#ask(symbol, book, isUrgent ? "market" : "audit")
    }
  }

  async #ask(symbol: string, book: SeededBook, purpose: "market" | "audit"): Promise<void> {
    this.#running += 1
    book.kept = []
    const from = book.nonce
    try {
      const until = Date.now() + ASK_WITHIN_MILLIS
      const fetched = (): Promise<CcxtOrderBook> => this.#exchange.fetchOrderBook(symbol, this.#reach.levels)
      const answer = await lookingAside(purpose, until, fetched)
      if (!this.#isCurrent(symbol, book)) return
      const nonce = answer.nonce ?? Number.NaN
      if (!(nonce >= from)) throw new Error(`its snapshot has ${nonce}, older than the stream's ${from}`)
      if (nonce <= book.nonce) return this.#join(symbol, book, answer)
      book.ahead = answer
      setTimeout(() => {
        if (book.ahead !== answer) return
        book.ahead = null
        this.#gaveUp(symbol, book, new Error(`its snapshot has ${nonce}, but the stream ends at ${book.nonce}`))
      }, JOIN_WITHIN_MILLIS).unref()
    } catch (failure) {
      this.#gaveUp(symbol, book, failure)
    } finally {
      this.#running -= 1
    }
  }

  #gaveUp(symbol: string, book: SeededBook, failure: unknown): void {
    book.kept = null
    this.#failedOnce(book)
    if (this.#isCurrent(symbol, book)) this.#failed(symbol, failure)
  }

  #failedOnce(book: SeededBook): void {
    book.failures += 1
    book.dueAt = performance.now() + Math.min(SPACING_MAX_MILLIS, this.#spacingMillis * 2 ** book.failures)
  }

  /** The answer and what came after it is the book of now. */
  #join(symbol: string, book: SeededBook, answer: CcxtOrderBook): void {
    const { kept } = book
    if (kept === null || !this.#isCurrent(symbol, book)) return
    book.kept = null
    const later = kept.filter(({ nonce }) => nonce > (answer.nonce ?? 0))
    const seeds = SIDES.map((side) => {
      const levels = new Map<number, RowText>()
      for (const row of answer[side]) levels.set(Number(row[0]), this.#digits.row(row))
      const last = answer[side][answer[side].length - 1]
      for (const change of later) overlay(levels, change[side])
      return { side, levels, rows: answer[side].length, last: last === undefined ? null : this.#digits.row(last)[0] }
    })
    const apart = seeds.reduce(
      (sum, { side, levels, rows, last }) => sum + book[side].apart(levels, rows, last, this.#reach.levels),
      0,
    )
    if (apart > 0) {
      this.#failedOnce(book)
      return this.#differs(symbol, apart)
    }
    book.failures = 0
    book.dueAt = performance.now() + this.#spacingMillis
    const [bids = [], asks = []] = seeds.map(({ side, levels, rows, last }) =>
      book[side].extend(levels, rows, last, this.#reach.levels),
    )
    this.#grown(symbol, { book: book.book, bids, asks, range: book.range })
  }

  #isCurrent(symbol: string, book: SeededBook): boolean {
    return this.#books.get(symbol) === book
  }
}

/** Absolute quantities on top; a zero deletes. */
const overlay = (levels: Map<number, RowText>, flat: ReadonlyArray<string>): void => {
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const [price = "", quantity = ""] = [flat[i], flat[i + 1]]
    if (Number(quantity) === 0) levels.delete(Number(price))
    else levels.set(Number(price), [price, quantity])
  }
}
