/**
 * A firm price from a dealer, binding until `expireAt` (contract C8): its image, its states, its public record. A quote that a rule of the
 * dealer refused is a quote too, REJECTED from the beginning.
 */
import { Schema } from "effect"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import { Decimal } from "../decimal.ts"
import type {
  DealerAccountId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../ids.ts"
import { OrderSide } from "../order/trade-order.ts"
import type { WalletId } from "../wallet/wallet.ts"

export const QuoteStatus = Schema.Literal("CREATED", "ACCEPTED", "EXECUTED", "REJECTED", "EXPIRED", "CANCELLED")
export type QuoteStatus = typeof QuoteStatus.Type

export const QuoteRejectReason = Schema.Literal(
  "INSUFFICIENT_LIQUIDITY",
  "BEYOND_COVERED_RANGE",
  "RISK_LIMIT",
  "INSUFFICIENT_INVENTORY",
  "NOTIONAL_LIMIT",
)
export type QuoteRejectReason = typeof QuoteRejectReason.Type

/** What the reasons would be as failures of a request (contract C12): told in the record, never in the envelope. */
export const REJECT_ERRNO: Readonly<Record<QuoteRejectReason, number | null>> = {
  INSUFFICIENT_LIQUIDITY: -140006,
  // No known liquidity: the books may continue beyond what is known.
  BEYOND_COVERED_RANGE: -140006,
  RISK_LIMIT: -140007,
  INSUFFICIENT_INVENTORY: null,
  NOTIONAL_LIMIT: null,
}

/** A dealer of ours executes at once: ACCEPTED is of dealers elsewhere, whose answer is waited for. */
const NEXT: { readonly [S in QuoteStatus]: ReadonlyArray<QuoteStatus> } = {
  CREATED: ["EXECUTED", "ACCEPTED", "EXPIRED", "CANCELLED"],
  ACCEPTED: ["EXECUTED", "REJECTED"],
  EXECUTED: [],
  REJECTED: [],
  EXPIRED: [],
  CANCELLED: [],
}

export const mayQuoteBecome = (from: QuoteStatus, to: QuoteStatus): boolean => NEXT[from].includes(to)

/** Levels of a walk that are not kept one by one. */
export interface LevelsBeyond {
  readonly count: number
  readonly quantity: Decimal
  /** Exactly Σ price × quantity. */
  readonly cost: Decimal
}

/** How the price came about: for the dealer's side alone. */
export interface PricingReceipt {
  /** The linked account that the price came from; a hedge goes there. */
  readonly tradingAccountId: TradingAccountId
  readonly venue: VenueId
  readonly instrumentId: InstrumentId
  /** Time of the book, ms. */
  readonly bookAt: number
  /** The first levels that were walked, best first: what was taken of each. Quotes of old have all of theirs. */
  readonly levels: ReadonlyArray<readonly [price: Decimal, quantity: Decimal]>
  /** What was taken of the levels after those, together; null: there are none. */
  readonly levelsBeyond: LevelsBeyond | null
  /** Cost over quantity of the walk. */
  readonly walkedPrice: Decimal
  /** The last level's price. */
  readonly worstPrice: Decimal
  readonly takerFeeBps: Decimal
  readonly markupBps: Decimal
  /** For the whole life of the quote. */
  readonly ttlBps: Decimal
}

export interface Quote {
  readonly quoteId: QuoteId
  readonly tenantId: TenantId
  /** 1 when it is made, 2 once it is over. */
  readonly version: number
  readonly quoteRequestId: string | null
  /** SHA-256 of the request; null without a quoteRequestId. */
  readonly fingerprint: string | null
  readonly dealerAccountId: DealerAccountId
  readonly traderAccountId: TradingAccountId
  readonly traderUserId: UserId
  readonly dealerWalletId: WalletId
  readonly traderWalletId: WalletId
  /** Of INTERNAL, where it is executed. */
  readonly instrumentId: InstrumentId
  readonly baseAsset: string
  readonly quoteAsset: string
  /** The client's. */
  readonly orderSide: OrderSide
  readonly quantityType: "BASE" | "QUOTE"
  /** In base; null on a rejected quote that was asked for in quote asset. */
  readonly quantity: Decimal | null
  /** As the client gave it, else price × quantity. */
  readonly quoteQuantity: Decimal | null
  /** Null on a rejected quote without a price. */
  readonly price: Decimal | null
  readonly status: QuoteStatus
  readonly rejectReason: QuoteRejectReason | null
  readonly pricingProfileId: string | null
  readonly receipt: PricingReceipt | null
  /** The order that executed it. */
  readonly tradeOrderId: TradeOrderId | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly expireAt: number
}

/** A quote that binds: it has a price, a quantity and a receipt. */
export interface FirmQuote extends Quote {
  readonly quantity: Decimal
  readonly quoteQuantity: Decimal
  readonly price: Decimal
  readonly receipt: PricingReceipt
}

export const isFirm = (quote: Quote): quote is FirmQuote => quote.price !== null && quote.rejectReason === null

/** Exactly what changes hands in quote asset. */
export const costOf = ({ price, quantity }: Pick<FirmQuote, "price" | "quantity">): Decimal => price.multiply(quantity)

/** What the dealer delivers, reserved in its wallet while the quote is firm. */
export const deliverableOf = (q: FirmQuote): { readonly asset: string; readonly amount: Decimal } =>
  q.orderSide === "BUY" ? { asset: q.baseAsset, amount: q.quantity } : { asset: q.quoteAsset, amount: costOf(q) }

/** What the client pays. */
export const payableOf = (q: FirmQuote): { readonly asset: string; readonly amount: Decimal } =>
  q.orderSide === "BUY" ? { asset: q.quoteAsset, amount: costOf(q) } : { asset: q.baseAsset, amount: q.quantity }

const orNull = <A, I>(schema: Schema.Schema<A, I>) => Schema.NullOr(schema)

const PricingReceiptRecord = Schema.Struct({
  tradingAccountId: orNull(Schema.String).annotations({ description: "Visible to the dealer's side, otherwise null" }),
  venue: Schema.String,
  instrumentId: Schema.String,
  bookAt: Schema.Int,
  bookAtDateTime: Schema.String,
  levels: orNull(Schema.Array(Schema.Tuple(Schema.String, Schema.String))).annotations({
    description:
      "[price, quantity] used from each of the first 20 levels, best first; visible to the dealer's side, otherwise null. Quotes made by older versions of the gateway have all levels",
  }),
  levelsBeyond: orNull(
    Schema.Struct({ count: Schema.Int, quantity: Schema.String, cost: Schema.String }).annotations({
      identifier: "LevelsBeyond",
    }),
  ).annotations({
    description:
      "Summary of the levels used after the first 20: their number, and the total base and quote asset; null if there were none or levels is null",
  }),
  walkedPrice: orNull(Schema.String),
  worstPrice: orNull(Schema.String),
  takerFeeBps: orNull(Schema.String),
  markupBps: orNull(Schema.String),
  ttlBps: orNull(Schema.String),
}).annotations({ identifier: "PricingReceipt" })

export const QuoteRecord = Schema.Struct({
  quoteId: Schema.String,
  quoteRequestId: orNull(Schema.String),
  externalQuoteId: orNull(Schema.String),
  venue: Schema.String,
  instrumentId: Schema.String,
  dealerAccountId: Schema.String,
  traderAccountId: Schema.String,
  baseAsset: Schema.String,
  quoteAsset: Schema.String,
  orderSide: OrderSide,
  quantityType: Schema.Literal("BASE", "QUOTE"),
  quantity: orNull(Schema.String),
  quoteQuantity: orNull(Schema.String),
  price: orNull(Schema.String),
  status: QuoteStatus,
  rejectReason: orNull(QuoteRejectReason),
  rejectErrno: orNull(Schema.Int).annotations({
    description: "Extension: -140006 for INSUFFICIENT_LIQUIDITY and BEYOND_COVERED_RANGE, -140007 for RISK_LIMIT",
  }),
  pricingProfileId: orNull(Schema.String),
  tradeOrderId: orNull(Schema.String).annotations({ description: "Extension: the order that executed it" }),
  receipt: orNull(PricingReceiptRecord).annotations({ description: "Extension: how the price was made" }),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int,
  updatedAtDateTime: Schema.String,
  expireAt: Schema.Int,
  expireAtDateTime: orNull(Schema.String),
}).annotations({ identifier: "Quote" })
export type QuoteRecord = typeof QuoteRecord.Type

/** Amounts that are told have 18 digits at most (contract C7); a product of two may have more. */
const AMOUNT_DIGITS = 18

const beyondRecord = ({ count, quantity, cost }: LevelsBeyond) => ({
  count,
  quantity: quantity.toString(),
  cost: cost.divide(Decimal.ONE, AMOUNT_DIGITS, "HALF_EVEN").toString(),
})

const receiptRecord = (r: PricingReceipt, forDealer: boolean): typeof PricingReceiptRecord.Type => ({
  tradingAccountId: forDealer ? r.tradingAccountId : null,
  venue: r.venue,
  instrumentId: r.instrumentId,
  bookAt: r.bookAt,
  bookAtDateTime: dateTime(r.bookAt),
  levels: forDealer ? r.levels.map(([price, quantity]) => [price.toString(), quantity.toString()] as const) : null,
  levelsBeyond: forDealer && r.levelsBeyond !== null ? beyondRecord(r.levelsBeyond) : null,
  walkedPrice: forDealer ? r.walkedPrice.toString() : null,
  worstPrice: forDealer ? r.worstPrice.toString() : null,
  takerFeeBps: forDealer ? r.takerFeeBps.toString() : null,
  markupBps: forDealer ? r.markupBps.toString() : null,
  ttlBps: forDealer ? r.ttlBps.toString() : null,
})

/** `forDealer`: with levels and markup (contract C16). */
export const quoteRecord = (q: Quote, forDealer: boolean): QuoteRecord => ({
  quoteId: q.quoteId,
  quoteRequestId: q.quoteRequestId,
  externalQuoteId: null,
  venue: "INTERNAL",
  instrumentId: q.instrumentId,
  dealerAccountId: q.dealerAccountId,
  traderAccountId: q.traderAccountId,
  baseAsset: q.baseAsset,
  quoteAsset: q.quoteAsset,
  orderSide: q.orderSide,
  quantityType: q.quantityType,
  quantity: q.quantity?.toString() ?? null,
  quoteQuantity: q.quoteQuantity?.toString() ?? null,
  price: q.price?.toString() ?? null,
  status: q.status,
  rejectReason: q.rejectReason,
  rejectErrno: q.rejectReason === null ? null : REJECT_ERRNO[q.rejectReason],
  pricingProfileId: q.pricingProfileId,
  tradeOrderId: q.tradeOrderId,
  receipt: q.receipt === null ? null : receiptRecord(q.receipt, forDealer),
  createdAt: q.createdAt,
  createdAtDateTime: dateTime(q.createdAt),
  updatedAt: q.updatedAt,
  updatedAtDateTime: dateTime(q.updatedAt),
  expireAt: q.expireAt,
  expireAtDateTime: dateTimeOrNull(q.expireAt),
})

/** QUOTE.UPDATED of one account, stored with the change that it tells and published from the account's own next unit. */
export interface QuoteNews {
  readonly eventId: string
  readonly tradingAccountId: TradingAccountId
  readonly at: number
  /** JSON text of the record as that account sees it. */
  readonly payload: string
}
