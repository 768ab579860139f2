/**
 * The `books` channel: a snapshot of 400 levels a side, then every 100 ms what changed among the best 400: levels that left them are
 * deleted and those that came in are named, so a listener always holds exactly what the venue shows (so does the recorded capture).
 * `prevSeqId` of an update is the `seqId` of the message before; all listeners of an instrument share one series.
 */
import type { BookSide } from "../binance/book-side.ts"
import type { Market, Row } from "../binance/market.ts"
import type { Channels } from "./channels.ts"
import type { OkxFaults } from "./faults.ts"
import { plain } from "./numbers.ts"

const LEVELS = 400

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

const sideOf = (side: BookSide): Side =>
  new Map(
    side.levels
      .slice(0, LEVELS)
      .map((level) => [plain(level.price), [plain(level.total), String(level.queue.length)] as const]),
  )

const rowsOf = (side: Side): ReadonlyArray<ReadonlyArray<string>> =>
  [...side].map(([price, [size, orders]]) => [price, size, "0", orders])

const changes = (before: Side, after: Side): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<ReadonlyArray<string>> = []
  for (const price of before.keys()) if (!after.has(price)) rows.push([price, "0", "0", "0"])
  for (const [price, [size, orders]] of after) {
    const known = before.get(price)
    if (known === undefined || known[0] !== size || known[1] !== orders) rows.push([price, size, "0", orders])
  }
  return rows
}

export class Books {
  readonly #shown = new Map<string, Shown>()
  readonly #dirty = new Set<string>()
  #held: Array<readonly [instId: string, text: string]> = []

  constructor(
    readonly markets: ReadonlyMap<string, Market>,
    readonly channels: Channels,
    readonly faults: OkxFaults,
    readonly now: () => number,
  ) {}

  onLevel(instId: string): void {
    this.#dirty.add(instId)
  }

  /** The snapshot for a new listener: the book as the last update left it. */
  snapshot(instId: string): string | undefined {
    const shown = this.#shownOf(instId)
    if (shown === undefined) return undefined
    return this.#message(instId, "snapshot", rowsOf(shown.bids), rowsOf(shown.asks), -1, shown.seqId)
  }

  book(instId: string): ShownBook {
    const shown = this.#shownOf(instId)
    if (shown === undefined) throw new Error(`no instrument ${instId}`)
    const rows = (side: Side) => [...side].map(([price, [size]]): Row => [price, size])
    return {
      seqId: shown.seqId,
      bids: rows(shown.bids),
      asks: rows(shown.asks),
      isSettled: !this.#dirty.has(instId),
    }
  }

  /** Sends what changed since the last time. */
  flush(): void {
    for (const instId of this.#dirty) {
      const before = this.#shownOf(instId)
      const market = this.markets.get(instId)
      this.#dirty.delete(instId)
      if (before === undefined || market === undefined) continue
      const after = { seqId: market.updateId, bids: sideOf(market.bids), asks: sideOf(market.asks) }
      const bids = changes(before.bids, after.bids)
      const asks = changes(before.asks, after.asks)
      if (bids.length === 0 && asks.length === 0) continue
      this.#shown.set(instId, after)
      this.#send(instId, this.#message(instId, "update", bids, asks, before.seqId, after.seqId))
    }
  }

  /** "No updates for a while": an empty update that repeats the sequence. */
  beat(instId: string): void {
    const shown = this.#shownOf(instId)
    if (shown !== undefined) this.#send(instId, this.#message(instId, "update", [], [], shown.seqId, shown.seqId))
  }

  release(): void {
    const held = this.#held
    this.#held = []
    for (const [instId, text] of held) this.channels.publish("books", instId, text)
  }

  #send(instId: string, text: string): void {
    for (const frame of this.faults.onDiff(`${instId.toLowerCase()}@depth@100ms`, text)) {
      if (this.faults.booksHeld) this.#held.push([instId, frame])
      else this.channels.publish("books", instId, frame)
    }
  }

  #shownOf(instId: string): Shown | undefined {
    const known = this.#shown.get(instId)
    if (known !== undefined) return known
    const market = this.markets.get(instId)
    if (market === undefined) return undefined
    const shown = { seqId: market.updateId, bids: sideOf(market.bids), asks: sideOf(market.asks) }
    this.#dirty.delete(instId)
    this.#shown.set(instId, shown)
    return shown
  }

  #message(
    instId: string,
    action: "snapshot" | "update",
    bids: ReadonlyArray<ReadonlyArray<string>>,
    asks: ReadonlyArray<ReadonlyArray<string>>,
    prevSeqId: number,
    seqId: number,
  ): string {
    return JSON.stringify({
      arg: { channel: "books", instId },
      action,
      data: [{ asks, bids, ts: String(this.now()), prevSeqId, seqId }],
    })
  }
}
