/**
 * A dealer's firm quotes that are not over, with what is asked of them all the time: how many one client has, what they promise together,
 * which ends next. The one thing to know: nothing here walks through all of them but the waking of the dealer.
 */
import { Outstanding } from "../domain/dealer-risk.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import type { QuoteId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { FirmQuote } from "../domain/quote.ts"
import type { Reply } from "../domain/reply.ts"
import { Heap, type Heaped } from "../kernel/heap.ts"
import type { QuoteTrade } from "./dealer-messages.ts"

/** A firm quote in memory. */
export interface LiveQuote extends Heaped {
  readonly quote: FirmQuote
  /** It is in the database. */
  stored: boolean
  /** The order that has it: first wins. */
  takenBy: TradeOrderId | null
  /** The client's funds are held under this id. */
  holdId: string | null
  /** Both legs are on their way to the ledger: who waits for the outcome. */
  settling: Array<Reply<QuoteTrade, DomainError>> | null
  /** Its end is on its way to the ledger. */
  isEnding: boolean
  /** When its end is looked for next; while it is in the heap of ends. */
  lookAt: number
}

export const liveQuote = (
  quote: FirmQuote,
  known: Partial<Pick<LiveQuote, "stored" | "takenBy" | "holdId">>,
): LiveQuote => ({
  quote,
  stored: false,
  takenBy: null,
  holdId: null,
  settling: null,
  isEnding: false,
  lookAt: 0,
  position: -1,
  ...known,
})

export class OpenQuotes {
  readonly #byId = new Map<QuoteId, LiveQuote>()
  readonly #ofTrader = new Map<TradingAccountId, number>()
  readonly #ends = new Heap<LiveQuote>((a, b) => a.lookAt < b.lookAt)
  readonly outstanding = new Outstanding()

  get size(): number {
    return this.#byId.size
  }

  get(id: QuoteId): LiveQuote | undefined {
    return this.#byId.get(id)
  }

  all(): Iterable<LiveQuote> {
    return this.#byId.values()
  }

  countOf(trader: TradingAccountId): number {
    return this.#ofTrader.get(trader) ?? 0
  }

  add(live: LiveQuote): void {
    const { quote } = live
    this.#byId.set(quote.quoteId, live)
    this.#ofTrader.set(quote.traderAccountId, this.countOf(quote.traderAccountId) + 1)
    this.outstanding.add(quote)
  }

  remove(id: QuoteId): void {
    const live = this.#byId.get(id)
    if (live === undefined) return
    const { traderAccountId } = live.quote
    this.#byId.delete(id)
    this.#ends.remove(live)
    const left = this.countOf(traderAccountId) - 1
    if (left > 0) this.#ofTrader.set(traderAccountId, left)
    else this.#ofTrader.delete(traderAccountId)
    this.outstanding.remove(live.quote)
  }

  /** Instead of what was said before. */
  lookAt(live: LiveQuote, at: number): void {
    this.#ends.remove(live)
    live.lookAt = at
    this.#ends.add(live)
  }

  /** The one whose end is looked for first. */
  nextEnd(): LiveQuote | undefined {
    return this.#ends.top()
  }

  lookNoMore(live: LiveQuote): void {
    this.#ends.remove(live)
  }
}
