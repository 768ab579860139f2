/** Quotes: asked for, and executed. */
import { Schema } from "effect"

export class QuoteNotFound extends Schema.TaggedError<QuoteNotFound>()("QuoteNotFound", {}) {
  override message = "Quote not found"
}

const CannotQuoteReason = Schema.Literal(
  "NO_LINKED_ACCOUNT",
  // No venue of a linked account trades the pair now.
  "INSTRUMENT_NOT_TRADED",
  // What trades it counts in contracts, not in base.
  "COUNTED_IN_CONTRACTS",
  // Test and simulated venues without leave, or beside real ones.
  "VENUE_NOT_ALLOWED",
  // The only account that could price it is the client's own.
  "OWN_ACCOUNT",
)
export type CannotQuoteReason = typeof CannotQuoteReason.Type

/** No account that is linked to the dealer trades the pair at a venue that prices may come from. */
export class DealerCannotQuote extends Schema.TaggedError<DealerCannotQuote>()("DealerCannotQuote", {
  reason: CannotQuoteReason,
}) {
  override message = "Dealer cannot quote this instrument"
}

export class PricingProfileNotFound extends Schema.TaggedError<PricingProfileNotFound>()("PricingProfileNotFound", {}) {
  override message = "Pricing profile not found"
}

export class AssetNotQuoted extends Schema.TaggedError<AssetNotQuoted>()("AssetNotQuoted", {
  baseCurrencies: Schema.Array(Schema.String),
}) {
  override message = "Asset not quoted by dealer"
}

/** The quote's time was over when the order came; the caller may ask for a new one. */
export class QuoteExpired extends Schema.TaggedError<QuoteExpired>()("QuoteExpired", {}) {
  override message = "Quote expired"
}

/** Another order has it, or had it. */
export class QuoteUsed extends Schema.TaggedError<QuoteUsed>()("QuoteUsed", {}) {
  override message = "Quote already used"
}

export class QuoteMismatch extends Schema.TaggedError<QuoteMismatch>()("QuoteMismatch", {
  /** Of the order. */
  parameter: Schema.String,
}) {
  override message = "Order does not match quote"
}

export class QuoteSizeAmbiguous extends Schema.TaggedError<QuoteSizeAmbiguous>()("QuoteSizeAmbiguous", {}) {
  override message = "Exactly one of quantity and quoteQuantity"
}

export class InvalidQuoteTime extends Schema.TaggedError<InvalidQuoteTime>()("InvalidQuoteTime", {
  reason: Schema.String,
}) {
  override message = "Invalid ttl or expireAt"
}

export class InvalidQuoteSide extends Schema.TaggedError<InvalidQuoteSide>()("InvalidQuoteSide", {}) {
  override message = "Invalid quote side"
}

export class QuoteRequestReused extends Schema.TaggedError<QuoteRequestReused>()("QuoteRequestReused", {
  quoteId: Schema.String,
}) {
  override message = "quoteRequestId reused with different content"
}
