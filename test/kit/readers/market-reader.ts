/** A subscriber of an order book channel: rebuilds the book from SNAPSHOT and DIFFs by the text of prices, as a simple client does. */
import { Schema } from "effect"
import { Decimal } from "../../../src/domain/decimal.ts"
import { OrderBookRecord } from "../../../src/domain/market/market.ts"
import type { RecordingChannels } from "../worlds/market-channels.ts"

type Rows = ReadonlyArray<readonly [price: string, quantity: string]>

const decode = Schema.decodeUnknownSync(OrderBookRecord, { onExcessProperty: "error" })

export class BookReader {
  readonly records: Array<OrderBookRecord> = []
  readonly #bids = new Map<string, string>()
  readonly #asks = new Map<string, string>()
  #offset = 0
  readonly #listener = (publication: { readonly offset: number; readonly json: string }): void => {
    if (publication.offset !== this.#offset + 1)
      throw new Error(`publication ${publication.offset} after ${this.#offset}`)
    this.#offset = publication.offset
    this.#take(publication.json)
    if (this.last?.sequence !== publication.offset)
      throw new Error(`sequence ${this.last?.sequence} at offset ${publication.offset}`)
    this.onRecord(this)
  }

  constructor(
    readonly channels: RecordingChannels,
    readonly channel: string,
    readonly onRecord: (reader: BookReader) => void = () => undefined,
  ) {
    const position = channels.subscribe(channel, this.#listener)
    this.#offset = position.offset
    if (position.snapshot !== null) {
      this.#take(position.snapshot)
      onRecord(this)
    }
  }

  leave(): void {
    this.channels.unsubscribe(this.channel, this.#listener)
  }

  get last(): OrderBookRecord | undefined {
    return this.records.at(-1)
  }

  /** Price → quantity, in no order. */
  levels(side: "bids" | "asks"): ReadonlyMap<string, string> {
    return side === "bids" ? this.#bids : this.#asks
  }

  /** Best first, sorted exactly. */
  book(): { readonly bids: Rows; readonly asks: Rows } {
    const sorted = (levels: ReadonlyMap<string, string>, sign: number): Rows =>
      [...levels]
        .map(([price, quantity]) => ({ price, quantity, value: Decimal.fromVenue(price)! }))
        .sort((a, b) => sign * a.value.compare(b.value))
        .map(({ price, quantity }) => [price, quantity] as const)
    return { bids: sorted(this.#bids, -1), asks: sorted(this.#asks, 1) }
  }

  #take(json: string): void {
    const record = decode(JSON.parse(json))
    const before = this.last
    this.records.push(record)
    if (record.updateType === "SNAPSHOT") {
      this.#bids.clear()
      this.#asks.clear()
    } else {
      if (before === undefined) throw new Error("a DIFF before any SNAPSHOT")
      if (record.previousSequence !== before.sequence)
        throw new Error(`DIFF on ${record.previousSequence} after ${before.sequence}`)
    }
    for (const [levels, rows] of [
      [this.#bids, record.bids],
      [this.#asks, record.asks],
    ] as const)
      for (const [price, quantity, orderCount] of rows) {
        if (orderCount !== "") throw new Error("an order count out of nowhere")
        if (quantity === "0") levels.delete(price)
        else levels.set(price, quantity)
      }
  }
}
