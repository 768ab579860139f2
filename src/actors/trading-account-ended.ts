/** What orders that are over and out of memory still say: from when trades must be fetched, and of which instruments. */

import type { InstrumentId } from "../domain/ids.ts"
import { RareSet } from "../domain/rare.ts"
import type { TradeOrder } from "../domain/trade-order.ts"
import { ENDED_MILLIS, type EndedActivity, LIFE_MILLIS, NEWEST_ENDED } from "../ports/account-store.ts"

/** Orders that ended within so long of each other are one span: few spans say nearly what all the orders would. */
const SPAN_MILLIS = ENDED_MILLIS / 2

type Ended = Pick<TradeOrder, "instrumentId" | "createdAt" | "updatedAt">

/** Wall ms. */
interface Span {
  readonly from: number
  to: number
  /** When the first of them was created. */
  since: number
}

export class EndedOrders {
  /** The newest last; none ended more than ENDED_MILLIS before the newest. */
  private spans: Array<Span> = []
  /** The latest last. */
  private readonly latest = new RareSet<InstrumentId>()

  constructor(known: EndedActivity | null) {
    if (known === null) return
    this.spans.push({ from: known.newestAt, to: known.newestAt, since: known.since })
    for (const instrumentId of known.instruments) this.latest.add(instrumentId)
  }

  get instruments(): Iterable<InstrumentId> {
    return this.latest
  }

  add({ instrumentId, createdAt, updatedAt }: Ended): void {
    const last = this.spans.at(-1)
    if (last === undefined || updatedAt > last.from + SPAN_MILLIS)
      this.spans.push({ from: updatedAt, to: updatedAt, since: createdAt })
    else {
      last.to = Math.max(last.to, updatedAt)
      last.since = Math.min(last.since, createdAt)
    }
    const newestAt = Math.max(...this.spans.map(({ to }) => to))
    this.spans = this.spans.filter(({ to }) => to > newestAt - ENDED_MILLIS)
    this.latest.delete(instrumentId)
    this.latest.add(instrumentId)
    if (this.latest.size > NEWEST_ENDED) this.latest.delete(this.latest[Symbol.iterator]().next().value!)
  }

  /** From when on trades may be missing of these orders in memory and of those that have left it; wall ms, or Infinity. */
  since(orders: ReadonlyArray<Ended>): number {
    const newestAt = Math.max(...this.spans.map(({ to }) => to), ...orders.map(({ updatedAt }) => updatedAt))
    let since = Number.POSITIVE_INFINITY
    for (const span of this.spans) if (span.to > newestAt - ENDED_MILLIS) since = Math.min(since, span.since)
    for (const { createdAt, updatedAt } of orders)
      if (updatedAt > newestAt - ENDED_MILLIS) since = Math.min(since, createdAt)
    return Math.max(since, newestAt - LIFE_MILLIS)
  }
}
