/** What is stored of dealers and quotes outside the ledger's own transactions. Reads for actors wait until the database answers. */
import { Context, type Effect } from "effect"
import type { Dealer } from "../domain/dealer.ts"
import type { StorageUnavailable } from "../domain/errors.ts"
import type { DealerAccountId, QuoteId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { FirmQuote, Quote, QuoteNews } from "../domain/quote.ts"

/** A firm quote that is not over, and the order that was stored for it, if there is one. */
export interface OpenQuote {
  readonly quote: FirmQuote
  readonly tradeOrderId: TradeOrderId | null
}

export interface DealerState {
  readonly dealer: Dealer
  readonly openQuotes: ReadonlyArray<OpenQuote>
}

/** By which a repeated request is found. */
export interface QuoteRequestKey {
  readonly dealerAccountId: DealerAccountId
  readonly traderAccountId: TradingAccountId
  readonly quoteRequestId: string
}

export class DealerStore extends Context.Tag("ports/DealerStore")<
  DealerStore,
  {
    readonly load: (id: DealerAccountId) => Effect.Effect<DealerState>
    /** The next image, with its links; goes on until it is stored. */
    readonly save: (dealer: Dealer) => Effect.Effect<void>
    readonly findQuote: (id: QuoteId) => Effect.Effect<Quote | null, StorageUnavailable>
    readonly findRequested: (key: QuoteRequestKey) => Effect.Effect<Quote | null, StorageUnavailable>
    /** What the accounts have not told yet: left over by a process that ended in between. */
    readonly untoldNews: Effect.Effect<ReadonlyArray<QuoteNews>>
  }
>() {}
