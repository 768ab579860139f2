/**
 * The best N levels a side of one pair, as the listeners of one depth hold them: every update names what changed among them and what
 * came into reach, never what was pushed out of it. A listener cuts its book to N after each update and then holds exactly this.
 * The checksum is a CRC32 over the ten best levels (docs.kraken.com, "Book checksum (v2)").
 */
import { crc32 } from "node:zlib"
import type { BookSide, Level } from "../binance/book-side.ts"
import type { Market } from "../binance/market.ts"
import { rfc3339, withPlaces } from "./numbers.ts"
import type { KrakenPair } from "./pairs.ts"

const CHECKED_LEVELS = 10
const SIDES = ["bids", "asks"] as const

type SideName = (typeof SIDES)[number]
type Row = readonly [price: bigint, quantity: bigint]

/** One level as both are read: without point and leading zeros. */
const bareDigits = (text: string): string => text.replace(".", "").replace(/^0+/, "")

export class ShownBook {
  readonly #shown: { readonly [S in SideName]: Map<bigint, bigint> } = { bids: new Map(), asks: new Map() }

  constructor(
    readonly pair: KrakenPair,
    readonly market: Market,
    readonly depth: number,
    readonly now: () => number,
  ) {
    for (const side of SIDES) for (const level of this.#reach(side)) this.#shown[side].set(level.price, level.total)
  }

  snapshot(): string {
    const rows = (side: SideName) => this.#reach(side).map((level): Row => [level.price, level.total])
    return this.#frame("snapshot", rows("bids"), rows("asks"))
  }

  /** The update for these changed prices; undefined when none of them is in reach. */
  update(changed: { readonly [S in SideName]: ReadonlySet<bigint> }): string | undefined {
    const bids = this.#changes("bids", changed.bids)
    const asks = this.#changes("asks", changed.asks)
    return bids.length + asks.length === 0 ? undefined : this.#frame("update", bids, asks)
  }

  #reach(side: SideName): ReadonlyArray<Level> {
    return this.market[side].levels.slice(0, this.depth)
  }

  #changes(name: SideName, changed: ReadonlySet<bigint>): ReadonlyArray<Row> {
    if (changed.size === 0) return []
    const side: BookSide = this.market[name]
    const shown = this.#shown[name]
    const last = side.levels.length < this.depth ? undefined : side.levels[this.depth - 1]?.price
    const isInReach = (price: bigint) => last === undefined || !side.isBetter(last, price)
    const rows: Array<Row> = []
    for (const price of changed) {
      const total = side.level(price)?.total ?? 0n
      if (!isInReach(price) || total === (shown.get(price) ?? 0n)) continue
      rows.push([price, total])
    }
    // What came into reach because others went was not shown before, and stands at the far end.
    const named = new Set(rows.map(([price]) => price))
    for (let at = Math.min(this.depth, side.levels.length) - 1; at >= 0; at -= 1) {
      const level = side.levels[at]
      if (level === undefined || (shown.has(level.price) && !named.has(level.price))) break
      if (!named.has(level.price)) rows.push([level.price, level.total])
    }
    for (const [price, total] of rows) {
      if (total === 0n) shown.delete(price)
      else shown.set(price, total)
    }
    if (shown.size > this.depth) for (const price of [...shown.keys()]) if (!isInReach(price)) shown.delete(price)
    return rows
  }

  #text(price: bigint, quantity: bigint): readonly [string, string] {
    return [withPlaces(price, this.pair.priceDecimals), withPlaces(quantity, this.pair.lotDecimals)]
  }

  #checksum(): number {
    const digits = (side: SideName) =>
      this.market[side].levels
        .slice(0, CHECKED_LEVELS)
        .map((level) => this.#text(level.price, level.total).map(bareDigits).join(""))
        .join("")
    return crc32(digits("asks") + digits("bids"))
  }

  #frame(type: "snapshot" | "update", bids: ReadonlyArray<Row>, asks: ReadonlyArray<Row>): string {
    const rows = (side: ReadonlyArray<Row>) =>
      side
        .map(([price, quantity]) => this.#text(price, quantity))
        .map(([price, quantity]) => `{"price":${price},"qty":${quantity}}`)
        .join(",")
    const head = `{"channel":"book","type":"${type}","data":[{"symbol":"${this.pair.symbol}"`
    const tail = `"checksum":${this.#checksum()},"timestamp":"${rfc3339(this.now())}"}]}`
    return `${head},"bids":[${rows(bids)}],"asks":[${rows(asks)}],${tail}`
  }
}
