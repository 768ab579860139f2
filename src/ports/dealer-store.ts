/**
 * What is stored of dealers and quotes: reads, the dealers themselves, and quotes as facts of the ledger's transactions. Reads for actors
 * wait until the database answers.
 */
import { Context, type Effect } from "effect"
import type { Dealer } from "../domain/dealer/dealer.ts"
import type { FirmQuote, LevelsBeyond, PricingReceipt, Quote, QuoteNews } from "../domain/dealer/quote.ts"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { QuoteExpired, QuoteUsed } from "../domain/errors/quote.ts"
import type { DealerAccountId, QuoteId, TradeOrderId, TradingAccountId } from "../domain/ids.ts"
import type { Act, Authority } from "../domain/user/act.ts"
import type { LedgerFact } from "./ledger-port.ts"

/** A firm quote that is not over, and the order that was stored for it, if there is one that is not over either. */
export interface OpenQuote {
  readonly quote: FirmQuote
  readonly tradeOrderId: TradeOrderId | null
}

/** What a client's wallet holds for the execution of a quote. */
export interface ClientHold {
  readonly transferId: string
  readonly quoteId: QuoteId
}

export interface DealerState {
  readonly dealer: Dealer
  readonly openQuotes: ReadonlyArray<OpenQuote>
  /** Those that are not resolved. */
  readonly clientHolds: ReadonlyArray<ClientHold>
}

/** On whose word a dealer is changed, and the row of the audit that stands for it. */
export interface DealerAct {
  readonly act: Act
  readonly right: Authority["right"]
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
    /**
     * The next image, with its links; goes on until it is stored. With `asked` the right is asked in its transaction, which writes the row
     * of the audit too. A failure: the right is not there, and nothing is stored.
     */
    readonly save: (dealer: Dealer, asked?: DealerAct) => Effect.Effect<void, DomainError>
    readonly findQuote: (id: QuoteId) => Effect.Effect<Quote | null>
    readonly findRequested: (key: QuoteRequestKey) => Effect.Effect<Quote | null>
    /** What the accounts have not told yet: left over by a process that ended in between. */
    readonly untoldNews: Effect.Effect<ReadonlyArray<QuoteNews>>
  }
>() {}

/** A receipt as it is stored: decimals as text. */
export interface ReceiptText {
  readonly tradingAccountId: string
  readonly venue: string
  readonly instrumentId: string
  readonly bookAt: number
  readonly levels: ReadonlyArray<readonly [price: string, quantity: string]>
  /** Absent: there are none. */
  readonly levelsBeyond?: { readonly count: number; readonly quantity: string; readonly cost: string }
  readonly walkedPrice: string
  readonly worstPrice: string
  readonly takerFeeBps: string
  readonly markupBps: string
  readonly ttlBps: string
}

const beyondText = ({ count, quantity, cost }: LevelsBeyond) => ({
  count,
  quantity: quantity.toString(),
  cost: cost.toString(),
})

const receiptText = (r: PricingReceipt): ReceiptText => ({
  tradingAccountId: r.tradingAccountId,
  venue: r.venue,
  instrumentId: r.instrumentId,
  bookAt: r.bookAt,
  levels: r.levels.map(([price, quantity]) => [price.toString(), quantity.toString()]),
  ...(r.levelsBeyond !== null && { levelsBeyond: beyondText(r.levelsBeyond) }),
  walkedPrice: r.walkedPrice.toString(),
  worstPrice: r.worstPrice.toString(),
  takerFeeBps: r.takerFeeBps.toString(),
  markupBps: r.markupBps.toString(),
  ttlBps: r.ttlBps.toString(),
})

/**
 * A new quote, firm or rejected. A guard: its (dealer, trader, quoteRequestId) must have none. Its refusal never reaches a client: the quote
 * that the request has is answered instead.
 */
export const quoteCreatedFact = (quote: Quote, news: ReadonlyArray<QuoteNews>): LedgerFact => ({
  tag: "quote_created",
  row: {
    quote: {
      quoteId: quote.quoteId,
      tenantId: quote.tenantId,
      quoteRequestId: quote.quoteRequestId,
      fingerprint: quote.fingerprint,
      dealerAccountId: quote.dealerAccountId,
      traderAccountId: quote.traderAccountId,
      traderUserId: quote.traderUserId,
      dealerWalletId: quote.dealerWalletId,
      traderWalletId: quote.traderWalletId,
      instrumentId: quote.instrumentId,
      baseAsset: quote.baseAsset,
      quoteAsset: quote.quoteAsset,
      orderSide: quote.orderSide,
      quantityType: quote.quantityType,
      quantity: quote.quantity?.toString() ?? null,
      quoteQuantity: quote.quoteQuantity?.toString() ?? null,
      price: quote.price?.toString() ?? null,
      status: quote.status,
      rejectReason: quote.rejectReason,
      pricingProfileId: quote.pricingProfileId,
      receipt: quote.receipt && receiptText(quote.receipt),
      createdAt: quote.createdAt,
      expireAt: quote.expireAt,
    },
    news,
  },
  refusal: () => new QuoteUsed(),
})

/** The guard against a second execution: the quote must be CREATED, and `ingressAt` before its end. */
export const quoteExecutedFact = (executed: {
  readonly quoteId: QuoteId
  readonly tradeOrderId: TradeOrderId
  /** When the order's request was read, wall ms. */
  readonly ingressAt: number
  readonly at: number
  readonly news: ReadonlyArray<QuoteNews>
}): LedgerFact => ({
  tag: "quote_executed",
  row: executed,
  refusal: (word) => (word === "USED" ? new QuoteUsed() : new QuoteExpired()),
})

/** Over without an execution; nothing happens to one that is over already. */
export const quoteEndedFact = (ended: {
  readonly quoteId: QuoteId
  readonly status: "EXPIRED" | "CANCELLED"
  readonly at: number
  readonly news: ReadonlyArray<QuoteNews>
}): LedgerFact => ({ tag: "quote_ended", row: ended })
