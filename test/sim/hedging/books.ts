/** Order books of a hedging world: they move, fall silent, are halted, or stand apart from those of other venues. */
import type { Context } from "effect"
import type { Markets } from "../../../src/actors/market/messages.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { OrderBookUnavailable } from "../../../src/domain/errors/market.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { Random } from "../time.ts"
import type { Cause } from "./database.ts"
import { PAIRS, type Pair, VENUES } from "./listing.ts"

/** QUIET: nothing moves, its venue confirms it. DEAD: nothing moves, and nobody confirms it. HALTED: there is none. */
export type BookState = "LIVE" | "QUIET" | "DEAD" | "HALTED"

const PERCENT = Decimal.of("0.01")
const LEVELS = 5
/** Base on each level, in whole ones. */
const DEPTHS = ["0.4", "2", "30"] as const
/** No mid leaves this far from where its pair began, in percent, but where a book stands apart. */
export const MOVES_MAX = 10

interface Book {
  readonly pair: Pair
  /** Above or below the pair's first price, in percent. */
  percent: number
  isApart: boolean
  state: BookState
  depth: string
  changedAt: number
}

export class Books {
  readonly #books = new Map<string, Book>()
  /** By instrument: who keeps it open. */
  readonly held = new Map<string, Set<string>>()
  #level = 0

  constructor(
    private readonly random: Random,
    private readonly now: () => number,
  ) {
    for (const { venue } of VENUES)
      for (const pair of PAIRS)
        this.#books.set(`${venue}:${pair.symbol}`, {
          pair,
          percent: 0,
          isApart: false,
          state: "LIVE",
          depth: random.pick(DEPTHS),
          changedAt: now(),
        })
  }

  /** All of them move by a little; some change their state. */
  move(restlessness: number): void {
    const { random } = this
    this.#level = Math.max(1 - MOVES_MAX, Math.min(MOVES_MAX - 1, this.#level + random.between(-1, 1)))
    for (const book of this.#books.values()) {
      if (random.chance(restlessness)) {
        book.state = random.pick(["LIVE", "LIVE", "QUIET", "DEAD", "HALTED"])
        book.depth = random.pick(DEPTHS)
        book.isApart = random.chance(0.1)
      }
      if (book.state !== "LIVE") continue
      book.percent = this.#level + random.between(-1, 1)
      book.changedAt = this.now()
    }
  }

  /** Every book moves again, with enough on it. */
  calm(): void {
    for (const book of this.#books.values()) {
      book.state = "LIVE"
      book.depth = "30"
      book.isApart = false
      book.percent = this.#level
      book.changedAt = this.now()
    }
  }

  touch(): void {
    for (const book of this.#books.values()) if (book.state === "LIVE") book.changedAt = this.now()
  }

  mid(id: string): Decimal {
    const { pair, percent, isApart } = this.#books.get(id)!
    const hundredths = 100 + percent + (isApart ? 15 : 0)
    return pair.price.multiply(PERCENT).multiply(Decimal.fromUnits(BigInt(hundredths), 0))
  }

  rows(id: string, side: "bids" | "asks", rows: number): ReadonlyArray<readonly [string, string]> {
    const book = this.#books.get(id)
    if (book === undefined || book.state === "HALTED") return []
    const mid = this.mid(id)
    const tick = Decimal.of(book.pair.tick)
    return Array.from({ length: Math.min(rows, LEVELS) }, (_, level) => {
      const away = tick.multiply(Decimal.fromUnits(BigInt(1 + 3 * level), 0))
      return [(side === "asks" ? mid.add(away) : mid.subtract(away)).toString(), book.depth] as const
    })
  }

  age(id: string): number | null {
    const book = this.#books.get(id)
    return book === undefined || book.state === "HALTED" ? null : this.now() - book.changedAt
  }

  confirm(id: string): boolean {
    const book = this.#books.get(id)
    if (book === undefined || book.state === "HALTED" || book.state === "DEAD") return false
    book.changedAt = this.now()
    return true
  }
}

export const marketsOf = (
  books: Books,
  later: (cause: Cause, run: () => void, millis?: number) => void,
  isAlive: () => boolean,
  /** Before a look at a book: it may not return. */
  looks: () => void,
): Context.Tag.Service<Markets> => {
  const silent = (instrumentId: InstrumentId) => new OrderBookUnavailable({ instrumentId })
  return {
    readBook: (instrumentId, _depth, reply) =>
      later("NONE", () => (books.age(instrumentId) === null ? reply.fail(silent(instrumentId)) : reply.ok("{}"))),
    readTicker: (instrumentId, reply) => reply.fail(silent(instrumentId)),
    readKlines: (instrumentId, _range, reply) => reply.fail(silent(instrumentId)),
    lookBack: (instrumentId, _range, reply) => reply.fail(silent(instrumentId)),
    tickers: () => [],
    topOfBook: (instrumentId, side, rows) => {
      looks()
      return books.rows(instrumentId, side, rows)
    },
    levels: (instrumentId, side) => {
      looks()
      return books.rows(instrumentId, side, LEVELS)
    },
    isWhole: () => true,
    lastPrice: () => null,
    hold: (instrumentId, key) => {
      if (isAlive()) books.held.set(instrumentId, (books.held.get(instrumentId) ?? new Set()).add(key))
    },
    release: (instrumentId, key) => {
      if (isAlive()) books.held.get(instrumentId)?.delete(key)
    },
    follow: () => () => undefined,
    lastUpdateAt: () => null,
    confirmBook: (instrumentId, reply) =>
      later("NONE", () => (books.confirm(instrumentId) ? reply.ok() : reply.fail(silent(instrumentId)))),
    bookAge: (instrumentId) => books.age(instrumentId),
    // Whether a book is halted is drawn, whatever was refused.
    marketClosed: () => undefined,
    marketOpen: () => undefined,
    listingChanged: () => undefined,
    stats: () => [],
  }
}
