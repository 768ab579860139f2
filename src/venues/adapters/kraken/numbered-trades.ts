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
  /** False once the history was seen to lack numbers: then the venue's own have holes, until it begins anew. */
  #isWholeAtVenue = true

  /** `last`: the newest trade that was told before this feed began. */
  constructor(last?: NumberedTrade) {
    this.#last = last
  }

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

  /**
   * The venue's history from before the hole on, as far as it came. `filled` follows what was told before the hole, `waited` is what came
   * behind it; between them trades are lost for good where `isMissing`. A number that is missing in the midst of a history belongs to no
   * trade.
   */
  fill(history: ReadonlyArray<NumberedTrade>): {
    readonly filled: ReadonlyArray<NumberedTrade>
    readonly waited: ReadonlyArray<NumberedTrade>
    readonly isMissing: boolean
  } {
    const waiting = this.#waiting
    if (waiting === undefined) return { filled: [], waited: [], isMissing: false }
    this.#waiting = undefined
    const { after, before, since } = waiting.hole
    // Asked without a time the venue answers with its newest trades, which may begin behind the hole's first ones.
    const isFromAfter = since !== null || history.some(({ number }) => number <= after + 1n)
    const found = [...history]
      .sort(byNumber)
      .filter(({ number }, at, all) => number > after && number < before && number !== all[at - 1]?.number)
    const isToBefore = history.some(({ number }) => number >= before) || found.at(-1)?.number === before - 1n
    const filled = isFromAfter ? found : []
    const isMissing = !isFromAfter || !isToBefore
    if (!isMissing && BigInt(found.length) < before - after - 1n) this.#isWholeAtVenue = false
    this.#last = waiting.trades.at(-1)
    return { filled, waited: waiting.trades, isMissing }
  }
}
