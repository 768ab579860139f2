/**
 * Books as venues show them that stream a fixed number of the best levels: a snapshot, then at each flush what changed among them. Levels that
 * left them are deleted and those that came in are named, so a listener always holds exactly what the venue shows (so does the recorded
 * capture of OKX). All listeners of a book share one series.
 */
import type { BookSide } from "./binance/book-side.ts"
import type { Faults } from "./binance/faults.ts"
import type { Market, Row } from "./binance/market.ts"
import { plain } from "./plain-numbers.ts"

/** Price → size and number of orders. */
type Side = ReadonlyMap<string, readonly [size: string, orders: string]>

interface Shown {
  seqId: number
  bids: Side
  asks: Side
}

/** What a listener must hold now. */
export interface ShownBook {
  readonly seqId: number
  readonly bids: ReadonlyArray<Row>
  readonly asks: ReadonlyArray<Row>
  /** No change waits for the next update. */
  readonly isSettled: boolean
}

const sideOf = (side: BookSide, most: number): Side =>
  new Map(
    side.levels
      .slice(0, most)
      .map((level) => [plain(level.price), [plain(level.total), String(level.queue.length)] as const]),
  )

const rowsOf = (side: Side): ReadonlyArray<ShownLevel> =>
  [...side].map(([price, [size, orders]]) => ({ price, size, orders }))

const changes = (before: Side, after: Side): ReadonlyArray<ShownLevel> => {
  const rows: Array<ShownLevel> = []
  for (const price of before.keys()) if (!after.has(price)) rows.push({ price, size: "0", orders: "0" })
  for (const [price, [size, orders]] of after) {
    const known = before.get(price)
    if (known === undefined || known[0] !== size || known[1] !== orders) rows.push({ price, size, orders })
  }
  return rows
}

/** `size` "0": it is gone. */
export interface ShownLevel {
  readonly price: string
  readonly size: string
  /** So many orders stand there. */
  readonly orders: string
}

export interface ShownMessage {
  readonly symbol: string
  readonly kind: "snapshot" | "update"
  readonly bids: ReadonlyArray<ShownLevel>
  readonly asks: ReadonlyArray<ShownLevel>
  /** Of the message before; -1 where there is none. */
  readonly previous: number
  readonly sequence: number
}

export interface ShownBooksOptions {
  readonly markets: ReadonlyMap<string, Market>
  readonly levels: number
  readonly faults: Faults
  readonly isHeld: () => boolean
  readonly write: (message: ShownMessage) => string
  readonly publish: (symbol: string, text: string) => void
}

export class ShownBooks {
  readonly #shown = new Map<string, Shown>()
  readonly #dirty = new Set<string>()
  #held: Array<readonly [symbol: string, text: string]> = []

  readonly #options: ShownBooksOptions

  constructor(options: ShownBooksOptions) {
    this.#options = options
  }

  onLevel(symbol: string): void {
    this.#dirty.add(symbol)
  }

  /** The snapshot for a new listener: the book as the last update left it. */
  snapshot(symbol: string): string | undefined {
    const shown = this.#shownOf(symbol)
    if (shown === undefined) return undefined
    return this.#options.write({
      symbol,
      kind: "snapshot",
      bids: rowsOf(shown.bids),
      asks: rowsOf(shown.asks),
      previous: -1,
      sequence: shown.seqId,
    })
  }

  book(symbol: string): ShownBook {
    const shown = this.#shownOf(symbol)
    if (shown === undefined) throw new Error(`no book ${symbol}`)
    const rows = (side: Side) => [...side].map(([price, [size]]): Row => [price, size])
    return {
      seqId: shown.seqId,
      bids: rows(shown.bids),
      asks: rows(shown.asks),
      isSettled: !this.#dirty.has(symbol),
    }
  }

  /** Sends what changed since the last time. */
  flush(): void {
    for (const symbol of this.#dirty) {
      const before = this.#shownOf(symbol)
      const market = this.#options.markets.get(symbol)
      this.#dirty.delete(symbol)
      if (before === undefined || market === undefined) continue
      const after = {
        seqId: market.updateId,
        bids: sideOf(market.bids, this.#options.levels),
        asks: sideOf(market.asks, this.#options.levels),
      }
      const bids = changes(before.bids, after.bids)
      const asks = changes(before.asks, after.asks)
      if (bids.length === 0 && asks.length === 0) continue
      this.#shown.set(symbol, after)
      this.#send(
        symbol,
        this.#options.write({
          symbol,
          kind: "update",
          bids,
          asks,
          previous: before.seqId,
          sequence: after.seqId,
        }),
      )
    }
  }

  /** "No updates for a while": an empty update that repeats the sequence. */
  beat(symbol: string): void {
    const shown = this.#shownOf(symbol)
    if (shown !== undefined)
      this.#send(
        symbol,
        this.#options.write({
          symbol,
          kind: "update",
          bids: [],
          asks: [],
          previous: shown.seqId,
          sequence: shown.seqId,
        }),
      )
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const [symbol, text] of held) this.#options.publish(symbol, text)
  }

  #send(symbol: string, text: string): void {
    for (const frame of this.#options.faults.onDiff(`${symbol.toLowerCase()}@depth@100ms`, text)) {
      if (this.#options.isHeld()) this.#held.push([symbol, frame])
      else this.#options.publish(symbol, frame)
    }
  }

  #shownOf(symbol: string): Shown | undefined {
    const known = this.#shown.get(symbol)
    if (known !== undefined) return known
    const market = this.#options.markets.get(symbol)
    if (market === undefined) return undefined
    const shown = {
      seqId: market.updateId,
      bids: sideOf(market.bids, this.#options.levels),
      asks: sideOf(market.asks, this.#options.levels),
    }
    this.#dirty.delete(symbol)
    this.#shown.set(symbol, shown)
    return shown
  }
}
