/**
 * The position of a dealer's books (decision 52): their figures for each pair, and the newest booked executed quote and fill. All of it changes
 * in the ledger's own transactions, with the transfers concerned.
 */
import { Context, type Effect } from "effect"
import type { BookChange, PairBook } from "../domain/dealer/books.ts"
import type { Dealer } from "../domain/dealer/dealer.ts"
import type { Decimal } from "../domain/decimal.ts"
import type { StorageUnavailable } from "../domain/errors/service.ts"
import type { DealerAccountId, QuoteId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { OrderSide } from "../domain/order/trade-order.ts"
import type { StoredFill } from "./mirror-store.ts"

export interface StoredBooks {
  /** Grows with every change of them. */
  readonly version: number
  /** Number of the newest executed quote that is in them. */
  readonly lastIntent: number
  /** By `<BASE>/<QUOTE>`. */
  readonly pairs: ReadonlyMap<string, PairBook>
  /** By account that is or was linked: number of its newest fill that is in them. */
  readonly fills: ReadonlyMap<TradingAccountId, number>
}

interface OfPair {
  readonly baseAsset: string
  readonly quoteAsset: string
}

export interface BookedQuote extends OfPair {
  readonly number: number
  readonly quoteId: QuoteId
  readonly change: BookChange
}

/** What an admin says that a hedge executed beyond what its venue says, against what of that is in the books. */
export interface BookedVerdict extends OfPair {
  readonly tradeOrderId: TradeOrderId
  readonly orderSide: OrderSide
  readonly quantity: Decimal
  readonly cost: Decimal
  readonly bookedQuantity: Decimal
  readonly bookedCost: Decimal
}

export interface HedgeFills {
  readonly fills: ReadonlyArray<StoredFill>
  /** There are no others up to this number: that of the newest fill examined, of any account. */
  readonly last: number
  /** How many were examined, of all accounts; 0: there are none. */
  readonly looked: number
}

export class BookStore extends Context.Tag("ports/BookStore")<
  BookStore,
  {
    /** Those that are not there are made, with their wallets, and begin with the dealer's first quote. */
    readonly open: (
      dealer: Pick<Dealer, "dealerAccountId" | "tenantId">,
      at: number,
    ) => Effect.Effect<StoredBooks, StorageUnavailable>
    /** Executed quotes behind that number, oldest first. */
    readonly quotes: (
      dealer: DealerAccountId,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<BookedQuote>, StorageUnavailable>
    /** Of the account's fills behind that number the first of the dealer's hedges, oldest first. */
    readonly fills: (
      dealer: DealerAccountId,
      account: TradingAccountId,
      after: number,
      limit: number,
    ) => Effect.Effect<HedgeFills, StorageUnavailable>
    /** Those that the books do not say the same of. */
    readonly verdicts: (
      dealer: DealerAccountId,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<BookedVerdict>, StorageUnavailable>
  }
>() {}
