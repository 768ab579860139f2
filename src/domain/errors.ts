/**
 * Every failure a caller can act on, as tagged errors that know no HTTP: each edge has one table by tag (`http/errno.ts`), and a tag
 * without a row does not compile. The fields of an error become `details.metadata` of the answer. Order: as contract C12.
 */
import { Schema } from "effect"
import { TradeOrderId, TradingAccountId } from "./ids.ts"

// Authentication
export class AccessTokenMissing extends Schema.TaggedError<AccessTokenMissing>()("AccessTokenMissing", {}) {
  override message = "Access token missing"
}
export class InvalidAccessToken extends Schema.TaggedError<InvalidAccessToken>()("InvalidAccessToken", {}) {
  override message = "Invalid access token"
}
/** Refresh the session and try again. */
export class AccessTokenExpired extends Schema.TaggedError<AccessTokenExpired>()("AccessTokenExpired", {}) {
  override message = "Access token expired"
}
/** The session was logged out or ended; log in again. */
export class SessionRevoked extends Schema.TaggedError<SessionRevoked>()("SessionRevoked", {}) {
  override message = "Session revoked"
}
/** Wrong e-mail or wrong password; the two are never told apart. */
export class InvalidLoginCredentials extends Schema.TaggedError<InvalidLoginCredentials>()(
  "InvalidLoginCredentials",
  {},
) {
  override message = "Invalid login credentials"
}
export class InvalidRefreshToken extends Schema.TaggedError<InvalidRefreshToken>()("InvalidRefreshToken", {}) {
  override message = "Invalid refresh token"
}
export class RefreshTokenExpired extends Schema.TaggedError<RefreshTokenExpired>()("RefreshTokenExpired", {}) {
  override message = "Refresh token expired"
}
/** An old refresh token came back: the whole session is revoked. */
export class RefreshTokenReused extends Schema.TaggedError<RefreshTokenReused>()("RefreshTokenReused", {}) {
  override message = "Refresh token already used"
}
/** Only after the right password: open the token that was mailed, or have it sent again. */
export class EmailNotConfirmed extends Schema.TaggedError<EmailNotConfirmed>()("EmailNotConfirmed", {}) {
  override message = "E-mail not confirmed"
}
export class UserDisabled extends Schema.TaggedError<UserDisabled>()("UserDisabled", {}) {
  override message = "Account disabled"
}

/** The login is too old for this change: log in again, or give the current password with it. */
export class ReauthenticationNeeded extends Schema.TaggedError<ReauthenticationNeeded>()("ReauthenticationNeeded", {}) {
  override message = "Reauthentication needed"
}
/** Unknown, used or too old: the three are never told apart. Ask for a new mail. */
export class InvalidOneTimeToken extends Schema.TaggedError<InvalidOneTimeToken>()("InvalidOneTimeToken", {}) {
  override message = "Invalid or expired token"
}
/** None of the caller's sessions has this id. */
export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", {}) {
  override message = "Session not found"
}

// Users
export class UserExists extends Schema.TaggedError<UserExists>()("UserExists", {}) {
  override message = "User already registered"
}
export class WeakPassword extends Schema.TaggedError<WeakPassword>()("WeakPassword", {
  reasons: Schema.Array(Schema.String),
}) {
  override message = "Password too weak"
}
export class InvalidEmail extends Schema.TaggedError<InvalidEmail>()("InvalidEmail", {}) {
  override message = "Invalid e-mail"
}
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", {}) {
  override message = "User not found"
}
export class SamePassword extends Schema.TaggedError<SamePassword>()("SamePassword", {}) {
  override message = "New password equals the old one"
}
export class SignupDisabled extends Schema.TaggedError<SignupDisabled>()("SignupDisabled", {}) {
  override message = "Signup disabled"
}

// Authorisation
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {}) {
  override message = "Forbidden"
}
export class AccountForbidden extends Schema.TaggedError<AccountForbidden>()("AccountForbidden", {}) {
  override message = "Not authorised for this trading account"
}
export class InsufficientPermissions extends Schema.TaggedError<InsufficientPermissions>()("InsufficientPermissions", {
  required: Schema.Array(Schema.String),
  provided: Schema.Array(Schema.String),
}) {
  override message = "Insufficient permissions"
}
export class AdminRequired extends Schema.TaggedError<AdminRequired>()("AdminRequired", {
  required: Schema.Array(Schema.String),
  provided: Schema.Array(Schema.String),
}) {
  override message = "Admin only"
}
export class TenantForbidden extends Schema.TaggedError<TenantForbidden>()("TenantForbidden", {
  tenantId: Schema.String,
}) {
  override message = "Tenant mismatch"
}
export class TlsRequired extends Schema.TaggedError<TlsRequired>()("TlsRequired", {}) {
  override message = "HTTPS required"
}
/** The address is on none of the lists that the user or its tenant has. */
export class IpForbidden extends Schema.TaggedError<IpForbidden>()("IpForbidden", {}) {
  override message = "IP address not allowed"
}

// Limits
/** How a bucket of RATE_LIMITS stands that had no more; all of them but the gate of password hashing name it. */
const AsItStands = {
  limit: Schema.Int,
  remaining: Schema.Int,
  /** Until the bucket is full again. */
  resetMs: Schema.Int,
  /** Until it has as much as was asked for. */
  retryAfterSeconds: Schema.Int,
}
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  bucket: Schema.optional(Schema.String),
  limit: Schema.optional(Schema.Int),
  remaining: Schema.optional(Schema.Int),
  resetMs: Schema.optional(Schema.Int),
  retryAfterSeconds: Schema.Int,
}) {
  override message = "Too many requests"
}
/** Of an account, or from an address; the password was not looked at. */
export class LoginRateLimited extends Schema.TaggedError<LoginRateLimited>()("LoginRateLimited", {
  bucket: Schema.String,
  ...AsItStands,
}) {
  override message = "Too many login attempts"
}
export class OrderRateLimited extends Schema.TaggedError<OrderRateLimited>()("OrderRateLimited", {
  /** Of RATE_LIMITS. */
  bucket: Schema.Literal("orderSubmit", "orderCancel"),
  ...AsItStands,
}) {
  override message = "Order rate limit"
}
/** `openQuotes`: too many are outstanding, of the dealer or of this client of it. */
export class QuoteRateLimited extends Schema.TaggedError<QuoteRateLimited>()("QuoteRateLimited", {
  bucket: Schema.Literal("quoteRequest", "openQuotes"),
  ...AsItStands,
}) {
  override message = "Quote rate limit"
}
/** Sockets of one user or of one address. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  limit: Schema.Int,
}) {
  override message = "Too many connections"
}
export class TooManyOpenOrders extends Schema.TaggedError<TooManyOpenOrders>()("TooManyOpenOrders", {
  limit: Schema.Int,
}) {
  override message = "Too many open orders"
}

// Request form
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", { reason: Schema.String }) {
  override message = "Invalid request"
}
export class MalformedJson extends Schema.TaggedError<MalformedJson>()("MalformedJson", {}) {
  override message = "Malformed JSON"
}
export class MissingParameter extends Schema.TaggedError<MissingParameter>()("MissingParameter", {
  parameter: Schema.String,
}) {
  override message = "Missing parameter"
}
export class InvalidParameter extends Schema.TaggedError<InvalidParameter>()("InvalidParameter", {
  parameter: Schema.String,
  reason: Schema.String,
}) {
  override message = "Invalid parameter"
}
export class UnknownEndpoint extends Schema.TaggedError<UnknownEndpoint>()("UnknownEndpoint", {}) {
  override message = "Unknown endpoint"
}
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allowed: Schema.Array(Schema.String),
}) {
  override message = "Method not allowed"
}
export class UnsupportedContentType extends Schema.TaggedError<UnsupportedContentType>()("UnsupportedContentType", {}) {
  override message = "Unsupported content type"
}
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", {
  bytesMax: Schema.Int,
}) {
  override message = "Payload too large"
}
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", {}) {
  override message = "Invalid cursor"
}
export class ConflictingParameters extends Schema.TaggedError<ConflictingParameters>()("ConflictingParameters", {
  parameters: Schema.Array(Schema.String),
}) {
  override message = "Conflicting parameters"
}
export class InvalidTimeRange extends Schema.TaggedError<InvalidTimeRange>()("InvalidTimeRange", {}) {
  override message = "Invalid time range"
}
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {}) {
  override message = "Idempotency key reused with a different request"
}
/** Extension: the first call with this key was cut off, or is still at work. */
export class IdempotentOutcomeUnknown extends Schema.TaggedError<IdempotentOutcomeUnknown>()(
  "IdempotentOutcomeUnknown",
  {},
) {
  override message = "The outcome of the first request with this idempotency key is not known"
}

// Orders
export class OrderNotFound extends Schema.TaggedError<OrderNotFound>()("OrderNotFound", {}) {
  override message = "Trade order not found"
}
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Idempotency key reused with a different order"
}
export class DuplicateClientOrderId extends Schema.TaggedError<DuplicateClientOrderId>()("DuplicateClientOrderId", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Duplicate client order id"
}
export class OrderClosed extends Schema.TaggedError<OrderClosed>()("OrderClosed", { status: Schema.String }) {
  override message = "Order already closed"
}
/** It is on its way, in doubt, or something else about it is under way: ask again in a moment. */
export class OrderNotChangeable extends Schema.TaggedError<OrderNotChangeable>()("OrderNotChangeable", {
  reason: Schema.String,
}) {
  override message = "Order cannot be changed now"
}
export class ChangeRejected extends Schema.TaggedError<ChangeRejected>()("ChangeRejected", {
  reason: Schema.String,
}) {
  override message = "Change rejected by venue"
}
export class CancelRejected extends Schema.TaggedError<CancelRejected>()("CancelRejected", { reason: Schema.String }) {
  override message = "Cancel rejected by venue"
}
/** The answer did not come in time, or storage was lost: the order may or may not exist. Ask by id or repeat with the same key. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  tradeOrderId: Schema.NullOr(TradeOrderId),
}) {
  override message = "Order outcome unknown"
}
export class PositionNotFound extends Schema.TaggedError<PositionNotFound>()("PositionNotFound", {}) {
  override message = "Position not found"
}

// Funds and risk
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  asset: Schema.String,
  required: Schema.String,
  available: Schema.String,
}) {
  override message = "Insufficient balance"
}
/** More than twice, or less than half, of the price it is measured by: a digit too many or too few. */
export class PriceOutsideCollar extends Schema.TaggedError<PriceOutsideCollar>()("PriceOutsideCollar", {
  parameter: Schema.String,
  reference: Schema.String,
}) {
  override message = "Price outside collar"
}
/** The operator's mode takes no such request now; cancels are always taken. */
export class TradingHalted extends Schema.TaggedError<TradingHalted>()("TradingHalted", {
  tradingMode: Schema.String,
}) {
  override message = "Trading halted"
}
export class LeverageNotAllowed extends Schema.TaggedError<LeverageNotAllowed>()("LeverageNotAllowed", {}) {
  override message = "Leverage not allowed"
}

// Order parameters
export class UnsupportedOrderType extends Schema.TaggedError<UnsupportedOrderType>()("UnsupportedOrderType", {
  orderType: Schema.NullOr(Schema.String),
}) {
  override message = "Unsupported order type"
}
export class InvalidOrderSide extends Schema.TaggedError<InvalidOrderSide>()("InvalidOrderSide", {}) {
  override message = "Invalid order side"
}
export class LimitPriceRequired extends Schema.TaggedError<LimitPriceRequired>()("LimitPriceRequired", {}) {
  override message = "limitPrice required"
}
export class StopPriceRequired extends Schema.TaggedError<StopPriceRequired>()("StopPriceRequired", {}) {
  override message = "stopPrice required"
}
export class ParameterNotAllowed extends Schema.TaggedError<ParameterNotAllowed>()("ParameterNotAllowed", {
  parameter: Schema.String,
}) {
  override message = "Parameter not allowed for this order type"
}
export class IncompleteExits extends Schema.TaggedError<IncompleteExits>()("IncompleteExits", {
  missing: Schema.String,
}) {
  override message = "Incomplete take-profit / stop-loss"
}
export class QuoteIdRequired extends Schema.TaggedError<QuoteIdRequired>()("QuoteIdRequired", {}) {
  override message = "quoteId required"
}
/** The market is there already: what the order waits for has happened. */
export class WouldTriggerImmediately extends Schema.TaggedError<WouldTriggerImmediately>()("WouldTriggerImmediately", {
  stopPrice: Schema.String,
  lastPrice: Schema.String,
}) {
  override message = "Order would trigger immediately"
}
/** Exits of a BUY: stop-loss < price < take-profit; of a SELL the other way round. */
export class InvalidPriceRelation extends Schema.TaggedError<InvalidPriceRelation>()("InvalidPriceRelation", {
  parameter: Schema.String,
  reference: Schema.String,
}) {
  override message = "Invalid price relation of contingent legs"
}
export class ContingentUnsupported extends Schema.TaggedError<ContingentUnsupported>()("ContingentUnsupported", {}) {
  override message = "Contingent orders unsupported here"
}
export class InvalidTrailingDistance extends Schema.TaggedError<InvalidTrailingDistance>()(
  "InvalidTrailingDistance",
  {},
) {
  override message = "Trailing distance missing or out of range"
}
export class InvalidTimeInForce extends Schema.TaggedError<InvalidTimeInForce>()("InvalidTimeInForce", {}) {
  override message = "Invalid timeInForce"
}
export class UnsupportedTimeInForce extends Schema.TaggedError<UnsupportedTimeInForce>()("UnsupportedTimeInForce", {
  timeInForce: Schema.String,
  supported: Schema.Array(Schema.String),
}) {
  override message = "Unsupported timeInForce"
}
export class ExpireAtRequired extends Schema.TaggedError<ExpireAtRequired>()("ExpireAtRequired", {}) {
  override message = "expireAt required"
}
export class InvalidExpireAt extends Schema.TaggedError<InvalidExpireAt>()("InvalidExpireAt", {}) {
  override message = "Invalid expireAt"
}
export class TimeInForceNotAllowed extends Schema.TaggedError<TimeInForceNotAllowed>()("TimeInForceNotAllowed", {
  timeInForce: Schema.String,
}) {
  override message = "timeInForce not allowed for this type"
}
export class QuantityBelowMinimum extends Schema.TaggedError<QuantityBelowMinimum>()("QuantityBelowMinimum", {
  minQuantity: Schema.String,
}) {
  override message = "Quantity below minimum"
}
export class InvalidQuantityPrecision extends Schema.TaggedError<InvalidQuantityPrecision>()(
  "InvalidQuantityPrecision",
  { step: Schema.String },
) {
  override message = "Invalid quantity precision"
}
export class InvalidQuantityRatio extends Schema.TaggedError<InvalidQuantityRatio>()("InvalidQuantityRatio", {}) {
  override message = "Invalid quantity ratio"
}
export class InvalidPricePrecision extends Schema.TaggedError<InvalidPricePrecision>()("InvalidPricePrecision", {
  parameter: Schema.String,
  step: Schema.String,
}) {
  override message = "Invalid price precision"
}
export class QuantityAboveMaximum extends Schema.TaggedError<QuantityAboveMaximum>()("QuantityAboveMaximum", {
  maxQuantity: Schema.String,
}) {
  override message = "Quantity above maximum"
}
export class NotionalBelowMinimum extends Schema.TaggedError<NotionalBelowMinimum>()("NotionalBelowMinimum", {
  minNotional: Schema.String,
}) {
  override message = "Notional below minimum"
}

// Trading accounts
export class TradingAccountNotFound extends Schema.TaggedError<TradingAccountNotFound>()("TradingAccountNotFound", {}) {
  override message = "Trading account not found"
}
export class ExternalAccountTaken extends Schema.TaggedError<ExternalAccountTaken>()("ExternalAccountTaken", {}) {
  override message = "External account already connected by another user"
}
export class AccountNotActive extends Schema.TaggedError<AccountNotActive>()("AccountNotActive", {
  status: Schema.String,
}) {
  override message = "Trading account not active"
}
export class AccountDisconnected extends Schema.TaggedError<AccountDisconnected>()("AccountDisconnected", {}) {
  override message = "Trading account disconnected"
}
export class CredentialsRequired extends Schema.TaggedError<CredentialsRequired>()("CredentialsRequired", {}) {
  override message = "Credentials required"
}
export class ExternalAccountNotVisible extends Schema.TaggedError<ExternalAccountNotVisible>()(
  "ExternalAccountNotVisible",
  {},
) {
  override message = "External account not visible with these credentials"
}
/** The account cannot take new orders until it agrees with its venue; nothing was stored. Try again. */
export class AccountReconciling extends Schema.TaggedError<AccountReconciling>()("AccountReconciling", {}) {
  override message = "Trading account reconciling"
}
/** `max` live accounts of one user at the internal venue: more would be wallets without end. */
export class TooManyAccounts extends Schema.TaggedError<TooManyAccounts>()("TooManyAccounts", { max: Schema.Int }) {
  override message = "Too many accounts at the internal venue"
}
/** What is asked for is not done with accounts of this kind: only accounts on INTERNAL take quotes, and a dealer's own stays connected. */
export class AccountUnsupported extends Schema.TaggedError<AccountUnsupported>()("AccountUnsupported", {
  reason: Schema.String,
}) {
  override message = "Operation not supported on this account type"
}
/** Orders may still be live at the venue: nothing was wiped, the account stays LOCKED and keeps trying. */
export class DisconnectIncomplete extends Schema.TaggedError<DisconnectIncomplete>()("DisconnectIncomplete", {
  tradeOrderIds: Schema.Array(TradeOrderId),
}) {
  override message = "Disconnect incomplete"
}

// Credentials
export class CredentialNotFound extends Schema.TaggedError<CredentialNotFound>()("CredentialNotFound", {}) {
  override message = "Credential not found"
}
export class CredentialsInvalid extends Schema.TaggedError<CredentialsInvalid>()("CredentialsInvalid", {
  reason: Schema.String,
}) {
  override message = "Credentials failed validation"
}
export class PassphraseRequired extends Schema.TaggedError<PassphraseRequired>()("PassphraseRequired", {}) {
  override message = "Passphrase required"
}
export class CredentialRevoked extends Schema.TaggedError<CredentialRevoked>()("CredentialRevoked", {}) {
  override message = "Credential revoked"
}
export class CredentialInUse extends Schema.TaggedError<CredentialInUse>()("CredentialInUse", {
  tradingAccountId: TradingAccountId,
}) {
  override message = "Credential in use"
}

// Portfolio
export class PortfolioUnavailable extends Schema.TaggedError<PortfolioUnavailable>()("PortfolioUnavailable", {}) {
  override message = "Portfolio unavailable"
}

// Venues
export class VenueFailed extends Schema.TaggedError<VenueFailed>()("VenueFailed", { reason: Schema.String }) {
  override message = "Venue error"
}
/** *Means unknown, not failed*: what was asked may have happened. Reconcile before anything is repeated. */
export class VenueUnavailable extends Schema.TaggedError<VenueUnavailable>()("VenueUnavailable", {
  reason: Schema.String,
}) {
  override message = "Venue unavailable"
}
export class InvalidVenue extends Schema.TaggedError<InvalidVenue>()("InvalidVenue", {}) {
  override message = "Invalid venue"
}
export class VenueInactive extends Schema.TaggedError<VenueInactive>()("VenueInactive", {}) {
  override message = "Venue inactive"
}
export class VenueTimeout extends Schema.TaggedError<VenueTimeout>()("VenueTimeout", {}) {
  override message = "Venue timeout"
}
export class NotSupportedByVenue extends Schema.TaggedError<NotSupportedByVenue>()("NotSupportedByVenue", {
  feature: Schema.String,
}) {
  override message = "Not supported by venue"
}

// Market data
export class InstrumentNotFound extends Schema.TaggedError<InstrumentNotFound>()("InstrumentNotFound", {
  instrumentId: Schema.String,
}) {
  override message = "Instrument not found"
}
export class InvalidInstrumentId extends Schema.TaggedError<InvalidInstrumentId>()("InvalidInstrumentId", {}) {
  override message = "Invalid instrumentId"
}
export class InstrumentNotTradable extends Schema.TaggedError<InstrumentNotTradable>()("InstrumentNotTradable", {}) {
  override message = "Instrument not tradable"
}
export class InvalidInterval extends Schema.TaggedError<InvalidInterval>()("InvalidInterval", {
  interval: Schema.String,
}) {
  override message = "Invalid interval"
}
export class InvalidDepth extends Schema.TaggedError<InvalidDepth>()("InvalidDepth", {}) {
  override message = "Invalid depth"
}
export class OrderBookUnavailable extends Schema.TaggedError<OrderBookUnavailable>()("OrderBookUnavailable", {
  instrumentId: Schema.String,
}) {
  override message = "Order book not available"
}
export class TickerUnavailable extends Schema.TaggedError<TickerUnavailable>()("TickerUnavailable", {
  instrumentId: Schema.String,
}) {
  override message = "Ticker not available"
}
export class SyncRunning extends Schema.TaggedError<SyncRunning>()("SyncRunning", {}) {
  override message = "Sync already running"
}

// Order book subscriptions
export class SubscriptionNotFound extends Schema.TaggedError<SubscriptionNotFound>()("SubscriptionNotFound", {}) {
  override message = "Subscription not found"
}
export class SubscriptionLimit extends Schema.TaggedError<SubscriptionLimit>()("SubscriptionLimit", {
  limit: Schema.Int,
}) {
  override message = "Subscription limit"
}

// Quotes
export class QuoteNotFound extends Schema.TaggedError<QuoteNotFound>()("QuoteNotFound", {}) {
  override message = "Quote not found"
}
/** No account that is linked to the dealer trades the pair at a venue that prices may come from. */
export class DealerCannotQuote extends Schema.TaggedError<DealerCannotQuote>()("DealerCannotQuote", {}) {
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

// Dealers
export class DealerNotFound extends Schema.TaggedError<DealerNotFound>()("DealerNotFound", {}) {
  override message = "Dealer not found"
}
export class DealerPaused extends Schema.TaggedError<DealerPaused>()("DealerPaused", {}) {
  override message = "Dealer paused"
}
export class DealerArchived extends Schema.TaggedError<DealerArchived>()("DealerArchived", {}) {
  override message = "Dealer archived"
}
/** Quotes that bind, exposure that is not hedged, or hedges at work. */
export class DealerHasPositions extends Schema.TaggedError<DealerHasPositions>()("DealerHasPositions", {
  openQuotes: Schema.Int,
}) {
  override message = "Dealer has open positions"
}
export class AccountAlreadyLinked extends Schema.TaggedError<AccountAlreadyLinked>()("AccountAlreadyLinked", {}) {
  override message = "Account already linked"
}
export class AccountNotLinked extends Schema.TaggedError<AccountNotLinked>()("AccountNotLinked", {}) {
  override message = "Account not linked"
}
export class AccountHasHedges extends Schema.TaggedError<AccountHasHedges>()("AccountHasHedges", {}) {
  override message = "Account has open hedges"
}

// Wallets
/** In words, where no other failure says it. */
export class WalletFailed extends Schema.TaggedError<WalletFailed>()("WalletFailed", { reason: Schema.String }) {
  override message = "Wallet failed"
}
export class WalletNotFound extends Schema.TaggedError<WalletNotFound>()("WalletNotFound", {}) {
  override message = "Wallet not found"
}
/** Of any wallet that takes part; which one is nobody's business but its owner's. */
export class WalletFrozen extends Schema.TaggedError<WalletFrozen>()("WalletFrozen", {}) {
  override message = "Wallet frozen"
}
export class SameWallet extends Schema.TaggedError<SameWallet>()("SameWallet", {}) {
  override message = "Source and destination equal"
}
export class WalletClosed extends Schema.TaggedError<WalletClosed>()("WalletClosed", {}) {
  override message = "Wallet closed"
}
export class WalletsUnrelated extends Schema.TaggedError<WalletsUnrelated>()("WalletsUnrelated", {}) {
  override message = "Wallets of different user or dealer"
}
export class WalletHasHolds extends Schema.TaggedError<WalletHasHolds>()("WalletHasHolds", {
  /** The first twenty. */
  transferIds: Schema.Array(Schema.String),
}) {
  override message = "Wallet has holds"
}
export class OnlyFullWithdrawal extends Schema.TaggedError<OnlyFullWithdrawal>()("OnlyFullWithdrawal", {
  asset: Schema.String,
}) {
  override message = "Closed wallet: only full withdrawal"
}
export class AssetScaleExceeded extends Schema.TaggedError<AssetScaleExceeded>()("AssetScaleExceeded", {
  asset: Schema.String,
  digits: Schema.Int,
}) {
  override message = "Asset scale exceeded"
}
/** An id that was used for something else, or a hold that is not there any more. */
export class LedgerConflict extends Schema.TaggedError<LedgerConflict>()("LedgerConflict", {
  reason: Schema.Literal("id used otherwise", "no such hold", "hold resolved", "hold expired", "more than is held"),
}) {
  override message = "Ledger conflict"
}

// The service
/** A defect of ours; the log has it under the request id, the client never does. */
export class InternalDefect extends Schema.TaggedError<InternalDefect>()("InternalDefect", {}) {
  override message = "Internal error"
}
/** Not accepted, nothing stored: safe to repeat. */
export class Busy extends Schema.TaggedError<Busy>()("Busy", { retryAfterSeconds: Schema.Int }) {
  override message = "Service unavailable"
}
export class ShuttingDown extends Schema.TaggedError<ShuttingDown>()("ShuttingDown", {}) {
  override message = "Shutting down"
}
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {}) {
  override message = "Storage unavailable"
}
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {}) {
  override message = "Timeout"
}

export type DomainError =
  | AccessTokenMissing
  | InvalidAccessToken
  | AccessTokenExpired
  | SessionRevoked
  | InvalidLoginCredentials
  | InvalidRefreshToken
  | RefreshTokenExpired
  | RefreshTokenReused
  | EmailNotConfirmed
  | UserDisabled
  | ReauthenticationNeeded
  | InvalidOneTimeToken
  | SessionNotFound
  | UserExists
  | WeakPassword
  | InvalidEmail
  | UserNotFound
  | SamePassword
  | SignupDisabled
  | Forbidden
  | AccountForbidden
  | InsufficientPermissions
  | AdminRequired
  | TenantForbidden
  | TlsRequired
  | IpForbidden
  | RateLimited
  | LoginRateLimited
  | OrderRateLimited
  | QuoteRateLimited
  | TooManyConnections
  | TooManyOpenOrders
  | InvalidRequest
  | MalformedJson
  | MissingParameter
  | InvalidParameter
  | UnknownEndpoint
  | MethodNotAllowed
  | UnsupportedContentType
  | PayloadTooLarge
  | InvalidCursor
  | ConflictingParameters
  | InvalidTimeRange
  | IdempotencyKeyReused
  | IdempotentOutcomeUnknown
  | OrderNotFound
  | IdempotencyConflict
  | DuplicateClientOrderId
  | OrderClosed
  | CancelRejected
  | OrderNotChangeable
  | ChangeRejected
  | OutcomeUnknown
  | PositionNotFound
  | InsufficientBalance
  | PriceOutsideCollar
  | TradingHalted
  | LeverageNotAllowed
  | UnsupportedOrderType
  | InvalidOrderSide
  | LimitPriceRequired
  | StopPriceRequired
  | ParameterNotAllowed
  | IncompleteExits
  | QuoteIdRequired
  | WouldTriggerImmediately
  | InvalidPriceRelation
  | ContingentUnsupported
  | InvalidTrailingDistance
  | InvalidTimeInForce
  | UnsupportedTimeInForce
  | ExpireAtRequired
  | InvalidExpireAt
  | TimeInForceNotAllowed
  | QuantityBelowMinimum
  | InvalidQuantityPrecision
  | InvalidQuantityRatio
  | InvalidPricePrecision
  | QuantityAboveMaximum
  | NotionalBelowMinimum
  | TradingAccountNotFound
  | ExternalAccountTaken
  | AccountNotActive
  | AccountDisconnected
  | CredentialsRequired
  | ExternalAccountNotVisible
  | AccountReconciling
  | TooManyAccounts
  | AccountUnsupported
  | DisconnectIncomplete
  | CredentialNotFound
  | CredentialsInvalid
  | PassphraseRequired
  | CredentialRevoked
  | CredentialInUse
  | PortfolioUnavailable
  | VenueFailed
  | VenueUnavailable
  | InvalidVenue
  | VenueInactive
  | VenueTimeout
  | NotSupportedByVenue
  | InstrumentNotFound
  | InvalidInstrumentId
  | InstrumentNotTradable
  | InvalidInterval
  | InvalidDepth
  | OrderBookUnavailable
  | TickerUnavailable
  | SyncRunning
  | SubscriptionNotFound
  | SubscriptionLimit
  | QuoteNotFound
  | DealerCannotQuote
  | PricingProfileNotFound
  | AssetNotQuoted
  | QuoteExpired
  | QuoteUsed
  | QuoteMismatch
  | QuoteSizeAmbiguous
  | InvalidQuoteTime
  | InvalidQuoteSide
  | QuoteRequestReused
  | DealerNotFound
  | DealerPaused
  | DealerArchived
  | DealerHasPositions
  | AccountAlreadyLinked
  | AccountNotLinked
  | AccountHasHedges
  | WalletFailed
  | WalletNotFound
  | WalletFrozen
  | SameWallet
  | WalletClosed
  | WalletsUnrelated
  | WalletHasHolds
  | OnlyFullWithdrawal
  | AssetScaleExceeded
  | LedgerConflict
  | InternalDefect
  | Busy
  | ShuttingDown
  | StorageUnavailable
  | DeadlineExceeded
