/**
 * Quote requests by their keys (contract C2): those in flight to the ledger, and the newest stored ones of this process. The one thing to know:
 * ten thousand are kept per dealer, so only a quote's id and its request are kept; a repeat reads the row.
 */
import type { Quote } from "../../../domain/dealer/quote.ts"
import type { QuoteId, TradingAccountId } from "../../../domain/ids.ts"
import { LeanMap } from "../../../foundation/lean.ts"

/** An older key is found in the store. */
const KNOWN_MAX = 10_000

export interface KnownRequest {
  readonly key: string | null
  readonly quoteId: QuoteId
  readonly fingerprint: string | null
  /** Repeats that came before the quote was stored; null: it is. */
  waiting: Array<() => void> | null
}

const keyOf = (trader: TradingAccountId, quoteRequestId: string): string => `${trader}|${quoteRequestId}`

export class KnownRequests {
  readonly #known = new LeanMap<string, KnownRequest>()

  find(trader: TradingAccountId, quoteRequestId: string | null): KnownRequest | undefined {
    return quoteRequestId === null ? undefined : this.#known.get(keyOf(trader, quoteRequestId))
  }

  /** A stored quote. */
  knows(quote: Quote): void {
    this.begin(quote).waiting = null
  }

  /** A quote on its way to the ledger. One that replaces it under the same key does not inherit its waiting callers: they retry themselves. */
  begin(quote: Quote): KnownRequest {
    const { quoteRequestId, quoteId, fingerprint } = quote
    const key = quoteRequestId === null ? null : keyOf(quote.traderAccountId, quoteRequestId)
    const known: KnownRequest = { key, quoteId, fingerprint, waiting: [] }
    if (key !== null) this.#known.set(key, known)
    return known
  }

  /** Its quote is not there any more: the key is free. */
  forget(known: KnownRequest): void {
    if (known.key !== null && this.#known.get(known.key) === known) this.#known.delete(known.key)
  }

  end(known: KnownRequest, isStored: boolean): void {
    const { key, waiting } = known
    if (key === null) return
    known.waiting = null
    if (!isStored) this.forget(known)
    for (const run of waiting ?? []) run()
    for (const [oldest, { waiting: isOut }] of this.#known) {
      if (this.#known.size <= KNOWN_MAX || isOut !== null) return
      this.#known.delete(oldest)
    }
  }
}
