/**
 * The book of a capture: the inlined snapshot plus every depth frame so far, in the capture's own digits.
 * Also the oracle's dumb book: it follows Binance's rule for joining a snapshot and diffs, and says when it cannot.
 */

import { toFixed8 } from "../fixed.ts"
import type { CaptureRow, DepthFrame } from "./capture.ts"

interface Entry {
  readonly price: bigint
  readonly row: CaptureRow
}

export class ReplayBook {
  lastUpdateId: number
  readonly #bids: Array<Entry> = []
  readonly #asks: Array<Entry> = []

  constructor(snapshot: {
    readonly lastUpdateId: number
    readonly bids: ReadonlyArray<CaptureRow>
    readonly asks: ReadonlyArray<CaptureRow>
  }) {
    this.lastUpdateId = snapshot.lastUpdateId
    this.#applyRows(snapshot.bids, snapshot.asks)
  }

  /** Applies a frame; false when it is older than the book. Throws when frames between are missing. */
  apply(frame: DepthFrame): boolean {
    if (frame.finalUpdateId <= this.lastUpdateId) return false
    if (frame.firstUpdateId > this.lastUpdateId + 1) {
      throw new Error(`gap in the capture: book at ${this.lastUpdateId}, next diff from ${frame.firstUpdateId}`)
    }
    this.#applyRows(frame.bids, frame.asks)
    this.lastUpdateId = frame.finalUpdateId
    return true
  }

  /** Best levels first. */
  depth(limit: number) {
    return {
      lastUpdateId: this.lastUpdateId,
      bids: this.#bids.slice(0, limit).map((entry) => entry.row),
      asks: this.#asks.slice(0, limit).map((entry) => entry.row),
    }
  }

  #applyRows(bids: ReadonlyArray<CaptureRow>, asks: ReadonlyArray<CaptureRow>): void {
    for (const row of bids) set(this.#bids, row, (left, right) => left > right)
    for (const row of asks) set(this.#asks, row, (left, right) => left < right)
  }
}

const set = (side: Array<Entry>, row: CaptureRow, isBetter: (left: bigint, right: bigint) => boolean): void => {
  const price = toFixed8(row[0])
  let low = 0
  let high = side.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBetter(side[middle]!.price, price)) low = middle + 1
    else high = middle
  }
  const isThere = side[low]?.price === price
  if (toFixed8(row[1]) === 0n) side.splice(low, isThere ? 1 : 0)
  else side.splice(low, isThere ? 1 : 0, { price, row })
}
