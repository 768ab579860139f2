/** Quotes: requested, and executed. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class QuoteNotFound extends Failure<QuoteNotFound>()("QuoteNotFound", {}) {
  override message = "Quote not found"
}

const CannotQuoteReason = Schema.Literal(
  "NO_LINKED_ACCOUNT",
  // No venue of a linked account trades the pair now.
  "INSTRUMENT_NOT_TRADED",
  // What trades it counts in contracts, not in base.
  "COUNTED_IN_CONTRACTS",
  // Test and simulated venues without leave, or beside real ones, or beside what is open in another environment.
  "VENUE_NOT_ALLOWED",
  // The only account that could price it is the client's own.
  "OWN_ACCOUNT",
)
export type CannotQuoteReason = typeof CannotQuoteReason.Type

/** No account that is linked to the dealer trades the pair at a venue that prices may come from. */
export class DealerCannotQuote extends Failure<DealerCannotQuote>()("DealerCannotQuote", {
  reason: CannotQuoteReason,
}) {
  override message = "Dealer cannot quote this instrument"
}

export class PricingProfileNotFound extends Failure<PricingProfileNotFound>()("PricingProfileNotFound", {}) {
  override message = "Pricing profile not found"
}

export class AssetNotQuoted extends Failure<AssetNotQuoted>()("AssetNotQuoted", {
  baseCurrencies: Schema.Array(Schema.String),
}) {
  override message = "Asset not quoted by dealer"
}

/** The quote's time was over when the order came; the caller may ask for a new one. */
export class QuoteExpired extends Failure<QuoteExpired>()("QuoteExpired", {}) {
  override message = "Quote expired"
}

/** Another order has it, or had it. */
export class QuoteUsed extends Failure<QuoteUsed>()("QuoteUsed", {}) {
  override message = "Quote already used"
}

export class QuoteMismatch extends Failure<QuoteMismatch>()("QuoteMismatch", {
  /** Of the order. */
  parameter: Schema.String,
}) {
  override message = "Order does not match quote"
}

export class QuoteSizeAmbiguous extends Failure<QuoteSizeAmbiguous>()("QuoteSizeAmbiguous", {}) {
  override message = "Exactly one of quantity and quoteQuantity"
}

export class InvalidQuoteTime extends Failure<InvalidQuoteTime>()("InvalidQuoteTime", {
  reason: Schema.String,
}) {
  override message = "Invalid ttl or expireAt"
}

export class InvalidQuoteSide extends Failure<InvalidQuoteSide>()("InvalidQuoteSide", {}) {
  override message = "Invalid quote side"
}

export class QuoteRequestReused extends Failure<QuoteRequestReused>()("QuoteRequestReused", {
  quoteId: Schema.String,
}) {
  override message = "quoteRequestId reused with different content"
}
