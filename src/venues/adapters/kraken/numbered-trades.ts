/**
 * The trades of one feed whose venue numbers them without a hole (Kraken): each is handed on once and in order. A subscription brings
 * the newest trades of before, which close the hole of an interruption; what lies before those is asked of the venue's history while
 * newer trades wait.
 */
import type { NumberedTrade } from "./frames.ts"

/** Numbers that are missing, both ends excluded. */
export interface TradeHole {
  readonly after: bigint
  readonly before: bigint
  /** Venue time of the trade before the hole; null where it had none. */
  readonly since: number | null
}

const byNumber = (a: NumberedTrade, b: NumberedTrade): number =>
  a.number < b.number ? -1 : a.number > b.number ? 1 : 0

export class NumberedTrades {
  #last: NumberedTrade | undefined
  /** What waits until a hole is filled. */
  #waiting: { readonly hole: TradeHole; readonly trades: Array<NumberedTrade> } | undefined
  /** False once a question brought nothing: then the venue's numbers have holes of their own, until it begins anew. */
  #isWholeAtVenue = true

  /** What is new in a frame, and the hole before it; then nothing is new until `fill`. */
  take(
    trades: ReadonlyArray<NumberedTrade>,
    isSnapshot: boolean,
  ): { readonly fresh: ReadonlyArray<NumberedTrade>; readonly hole: TradeHole | null } {
    const sorted = [...trades].sort(byNumber)
    const newest = sorted.at(-1)
    if (isSnapshot) this.#isWholeAtVenue = true
    const last = this.#waiting?.trades.at(-1) ?? this.#last
    if (last === undefined && isSnapshot) {
      // Of before anybody listened.
      this.#last = newest
      return { fresh: [], hole: null }
    }
    const fresh = sorted.filter(({ number }, at) => number > (last?.number ?? -1n) && number !== sorted[at - 1]?.number)
    const [first] = fresh
    if (first === undefined) return { fresh, hole: null }
    if (this.#waiting !== undefined) {
      this.#waiting.trades.push(...fresh)
      return { fresh: [], hole: null }
    }
    if (last !== undefined && first.number > last.number + 1n && this.#isWholeAtVenue) {
      const hole = { after: last.number, before: first.number, since: last.at }
      this.#waiting = { hole, trades: [...fresh] }
      return { fresh: [], hole }
    }
    this.#last = newest
    return { fresh, hole: null }
  }

  /** The venue's history around the hole, then what has waited. `missing`: how many trades are lost for good. */
  fill(history: ReadonlyArray<NumberedTrade>): {
    readonly fresh: ReadonlyArray<NumberedTrade>
    readonly missing: bigint
  } {
    const waiting = this.#waiting
    if (waiting === undefined) return { fresh: [], missing: 0n }
    this.#waiting = undefined
    const { after, before } = waiting.hole
    const found = [...history]
      .sort(byNumber)
      .filter(({ number }, at, all) => number > after && number < before && number !== all[at - 1]?.number)
    if (found.length === 0) this.#isWholeAtVenue = false
    const fresh = [...found, ...waiting.trades]
    this.#last = fresh.at(-1)
    return { fresh, missing: before - after - 1n - BigInt(found.length) }
  }
}
