/**
 * Sees every level change of every order book, for any exchange: ccxt builds its books through three factory methods, and each change goes
 * through `storeArray` of a side (venues 3.2). All changes of one venue frame are one change; a watch loop alone would merge frames. A reset
 * outside a frame (ccxt's REST sync, which then applies the buffered frames) is one change as well. A snapshot is what a reset brings, or the
 * first levels of a new book: connectors start a book in both ways.
 */
import type { CcxtBookRow, CcxtBookSide, CcxtExchange, CcxtOrderBook } from "../exchange/ccxt.ts"
import type { Digits, RowText } from "./digits.ts"

export interface BookChange {
  readonly book: CcxtOrderBook
  readonly snapshot: boolean
  /** Flat [price, quantity, …]; "0" deletes. A snapshot has no deleted levels. */
  readonly bids: ReadonlyArray<string>
  readonly asks: ReadonlyArray<string>
  /** Of the snapshot that the book was reset to; absent where it was not. */
  readonly seed?: SeedEnds
}

/** How many levels the sides of a snapshot had, and the price of the last of each; what changed since is not in it. */
export type SeedEnds = Readonly<Record<"bids" | "asks", { readonly levels: number; readonly last: string | undefined }>>

/** What is gathered for one book until the frame ends: price → texts, the later change of a price wins. */
interface Gathered {
  snapshot: boolean
  seed?: SeedEnds
  readonly bids: Map<number, RowText>
  readonly asks: Map<number, RowText>
}

const define = (target: object, key: string, value: unknown): void => {
  Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true })
}

/** ccxt finds levels by number; some connectors hand the venue's texts on. */
const inNumbers = (row: CcxtBookRow): CcxtBookRow =>
  typeof row[0] === "string" || typeof row[1] === "string" ? [Number(row[0]), Number(row[1]), ...row.slice(2)] : row

const flat = (levels: ReadonlyMap<number, RowText>, snapshot: boolean): ReadonlyArray<string> => {
  const out: Array<string> = []
  for (const [price, quantity] of levels.values()) if (!snapshot || quantity !== "0") out.push(price, quantity)
  return out
}

export class BookTap {
  readonly #digits: Digits
  readonly #emit: (change: BookChange) => void
  readonly #keepsLevels: boolean
  readonly #gathered = new Map<CcxtOrderBook, Gathered>()
  /** Made, and not yet given a level. */
  readonly #fresh = new WeakSet<CcxtOrderBook>()
  #inFrame = false
  #flushQueued = false

  /** `keepsLevels`: false if ccxt's own book is not read. Sides of thousands of levels cost it more than all else. */
  constructor(digits: Digits, emit: (change: BookChange) => void, keepsLevels = true) {
    this.#digits = digits
    this.#emit = emit
    this.#keepsLevels = keepsLevels
  }

  /** Wraps the factories of an instance, in place, before it builds its first book. */
  install(exchange: CcxtExchange): void {
    for (const factory of ["orderBook", "countedOrderBook", "indexedOrderBook"] as const) {
      const make = exchange[factory].bind(exchange)
      exchange[factory] = (...options) => this.#tap(make(...options), factory === "countedOrderBook")
    }
  }

  frameStarts(): void {
    // What a REST sync left behind belongs before this frame.
    this.#flush()
    this.#inFrame = true
  }

  frameEnds(): void {
    this.#inFrame = false
    this.#flush()
  }

  #tap(book: CcxtOrderBook, countsOrders: boolean): CcxtOrderBook {
    this.#fresh.add(book)
    this.#tapSide(book, "bids", countsOrders)
    this.#tapSide(book, "asks", countsOrders)
    const reset = book.reset
    if (book.bids.length > 0 || book.asks.length > 0) {
      // Built from a snapshot: the constructor stored its levels before there was anything to tap.
      const gathered = this.#of(book)
      gathered.snapshot = true
      for (const name of ["bids", "asks"] as const) {
        for (let i = 0; i < book[name].length; i++) {
          const row = book[name][i]
          if (row !== undefined) gathered[name].set(Number(row[0]), this.#digits.row(row))
        }
      }
    }
    define(book, "reset", (snapshot?: unknown) => {
      const gathered = this.#of(book)
      gathered.snapshot = true
      gathered.bids.clear()
      gathered.asks.clear()
      const given = snapshot as Partial<CcxtOrderBook> | undefined
      gathered.seed = { bids: this.#ends(given?.bids), asks: this.#ends(given?.asks) }
      return reset.call(book, snapshot)
    })
    return book
  }

  #tapSide(book: CcxtOrderBook, name: "bids" | "asks", countsOrders: boolean): void {
    const side: CcxtBookSide = book[name]
    const store = side.storeArray
    define(side, "storeArray", (given: CcxtBookRow) => {
      const texts = this.#digits.row(given)
      const row = inNumbers(given)
      // Books that count orders delete a level by a count of zero, too.
      const deleted = !row[1] || (countsOrders && !row[2])
      this.#of(book)[name].set(Number(row[0]), deleted ? [texts[0], "0"] : texts)
      if (this.#keepsLevels) store.call(side, row)
    })
  }

  #ends(side: CcxtBookSide | undefined): SeedEnds["bids"] {
    const last = side?.[side.length - 1]
    return { levels: side?.length ?? 0, last: last === undefined ? undefined : this.#digits.row(last)[0] }
  }

  #of(book: CcxtOrderBook): Gathered {
    const known = this.#gathered.get(book)
    if (known !== undefined) return known
    const gathered: Gathered = { snapshot: this.#fresh.delete(book), bids: new Map(), asks: new Map() }
    this.#gathered.set(book, gathered)
    if (!this.#inFrame && !this.#flushQueued) {
      this.#flushQueued = true
      queueMicrotask(() => this.#flush())
    }
    return gathered
  }

  #flush(): void {
    this.#flushQueued = false
    if (this.#gathered.size === 0) return
    for (const [book, { snapshot, bids, asks, seed }] of this.#gathered) {
      if (snapshot || bids.size > 0 || asks.size > 0) {
        const levels = { bids: flat(bids, snapshot), asks: flat(asks, snapshot) }
        this.#emit({ book, snapshot, ...levels, ...(seed !== undefined && { seed }) })
      }
    }
    this.#gathered.clear()
  }
}
