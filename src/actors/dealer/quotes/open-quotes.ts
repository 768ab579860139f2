/**
 * A dealer's open firm quotes, with the figures read constantly: how many one client has, what they commit in total, which expires next. The one
 * thing to know: only the dealer's start iterates over all of them.
 */
import { deliverableOf, type FirmQuote, payableOf } from "../../../domain/dealer/quote.ts"
import { Outstanding } from "../../../domain/dealer/risk.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import type { QuoteId, TradeOrderId, TradingAccountId, UserId } from "../../../domain/ids.ts"
import type { Reply } from "../../../domain/reply.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import { Heap, type Heaped } from "../../../kernel/heap.ts"
import type { QuoteTrade } from "../messages.ts"

/** A firm quote in memory. */
export interface LiveQuote extends Heaped {
  readonly quote: FirmQuote
  /** Its client could pay for it when it was made; of one that was found at a start nothing else is known. */
  readonly isCovered: boolean
  /** It is in the database. */
  stored: boolean
  /** The order that has it: first wins. */
  takenBy: TradeOrderId | null
  /** The client's funds are held under this id: see `setHold`. */
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
  known: Partial<Pick<LiveQuote, "stored" | "takenBy" | "holdId" | "isCovered">>,
): LiveQuote => ({
  quote,
  isCovered: true,
  stored: false,
  takenBy: null,
  holdId: null,
  settling: null,
  isEnding: false,
  lookAt: 0,
  position: -1,
  ...known,
})

/** Sums by name; what comes to nothing is forgotten. */
class Sums<Key> {
  readonly #sums = new LeanMap<Key, Decimal>()

  of(key: Key): Decimal {
    return this.#sums.get(key) ?? Decimal.ZERO
  }

  add(key: Key, by: Decimal): void {
    const sum = this.of(key).add(by)
    if (sum.isZero()) this.#sums.delete(key)
    else this.#sums.set(key, sum)
  }
}

class Counts<Key> {
  readonly #counts = new LeanMap<Key, number>()

  of(key: Key): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: Key, by: 1 | -1): void {
    const count = this.of(key) + by
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

/** Those of the quotes that their clients could not pay for. */
class Uncovered {
  readonly #ofUser = new Counts<UserId>()
  readonly #deliverable = new Sums<string>()
  readonly outstanding = new Outstanding()
  size = 0

  countOf(user: UserId): number {
    return this.#ofUser.of(user)
  }

  /** Kept for them, of this asset. */
  deliverableOf(asset: string): Decimal {
    return this.#deliverable.of(asset)
  }

  change(quote: FirmQuote, by: 1 | -1): void {
    const { asset, amount } = deliverableOf(quote)
    this.size += by
    this.#ofUser.add(quote.traderUserId, by)
    this.#deliverable.add(asset, by === 1 ? amount : amount.negate())
    if (by === 1) this.outstanding.add(quote)
    else this.outstanding.remove(quote)
  }
}

export class OpenQuotes {
  readonly #byId = new LeanMap<QuoteId, LiveQuote>()
  readonly #ofTrader = new Counts<TradingAccountId>()
  readonly #ofUser = new Counts<UserId>()
  /** By wallet and asset. */
  readonly #payable = new Sums<string>()
  readonly uncovered = new Uncovered()
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
    return this.#ofTrader.of(trader)
  }

  countOfUser(user: UserId): number {
    return this.#ofUser.of(user)
  }

  /** What the client of this one is to pay for all of its quotes whose funds are not held, of this asset. */
  promisedBy({ traderWalletId }: Pick<FirmQuote, "traderWalletId">, asset: string): Decimal {
    return this.#payable.of(`${traderWalletId}|${asset}`)
  }

  add(live: LiveQuote): void {
    const { quote } = live
    this.#byId.set(quote.quoteId, live)
    this.#count(live, 1)
    this.outstanding.add(quote)
  }

  #count({ quote, isCovered, holdId }: LiveQuote, by: 1 | -1): void {
    this.#ofTrader.add(quote.traderAccountId, by)
    this.#ofUser.add(quote.traderUserId, by)
    if (holdId === null) this.#promise(quote, by)
    if (!isCovered) this.uncovered.change(quote, by)
  }

  #promise(quote: FirmQuote, by: 1 | -1): void {
    const { asset, amount } = payableOf(quote)
    this.#payable.add(`${quote.traderWalletId}|${asset}`, by === 1 ? amount : amount.negate())
  }

  /** The client's funds are held for it under this id, or (null) no more. What is held is not promised beside it. */
  setHold(live: LiveQuote, holdId: string | null): void {
    const wasHeld = live.holdId !== null
    live.holdId = holdId
    if (wasHeld !== (holdId !== null) && this.#byId.get(live.quote.quoteId) === live)
      this.#promise(live.quote, wasHeld ? 1 : -1)
  }

  remove(id: QuoteId): void {
    const live = this.#byId.get(id)
    if (live === undefined) return
    this.#byId.delete(id)
    this.#ends.remove(live)
    this.#count(live, -1)
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
