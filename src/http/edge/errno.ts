/**
 * The one table from failures to HTTP (contract C12): status, errno and `details.code` by tag. A tag without a row does not
 * compile, and two rows with one number do not pass `tidy`.
 */
import type { DomainError } from "../../domain/errors/domain-error.ts"

const STATUSES = [400, 401, 403, 404, 405, 409, 413, 415, 426, 429, 500, 502, 503, 504] as const

export type FailureStatus = (typeof STATUSES)[number]

export const FAILURE_STATUSES: ReadonlySet<FailureStatus> = new Set(STATUSES)

export interface FailureRow {
  readonly status: FailureStatus
  readonly errno: number
  /** `details.code`: the upper-case name. */
  readonly code: string
}

export type Tag = DomainError["_tag"]

export const ERRNO = {
  // Authentication
  AccessTokenMissing: { status: 401, errno: -100002, code: "TOKEN_MISSING" },
  InvalidAccessToken: { status: 401, errno: -100003, code: "INVALID_TOKEN" },
  AccessTokenExpired: { status: 401, errno: -100004, code: "TOKEN_EXPIRED" },
  SessionRevoked: { status: 401, errno: -100005, code: "SESSION_REVOKED" },
  InvalidLoginCredentials: { status: 400, errno: -100001, code: "INVALID_CREDENTIALS" },
  InvalidRefreshToken: { status: 401, errno: -100006, code: "INVALID_REFRESH_TOKEN" },
  RefreshTokenExpired: { status: 401, errno: -100007, code: "REFRESH_TOKEN_EXPIRED" },
  RefreshTokenReused: { status: 401, errno: -100008, code: "REFRESH_TOKEN_REUSED" },
  EmailNotConfirmed: { status: 400, errno: -100009, code: "EMAIL_NOT_CONFIRMED" },
  UserDisabled: { status: 403, errno: -100010, code: "USER_DISABLED" },
  ReauthenticationNeeded: { status: 401, errno: -100011, code: "REAUTHENTICATION_NEEDED" },
  InvalidOneTimeToken: { status: 400, errno: -100012, code: "INVALID_ONE_TIME_TOKEN" },
  SessionNotFound: { status: 404, errno: -100013, code: "SESSION_NOT_FOUND" },
  SecondFactorNeeded: { status: 401, errno: -100014, code: "SECOND_FACTOR_NEEDED" },
  InvalidSecondFactor: { status: 400, errno: -100015, code: "INVALID_SECOND_FACTOR" },
  SecondFactorExists: { status: 409, errno: -100016, code: "SECOND_FACTOR_EXISTS" },
  // API keys
  ApiKeyRevoked: { status: 401, errno: -100017, code: "API_KEY_REVOKED" },
  ApiKeyExpired: { status: 401, errno: -100018, code: "API_KEY_EXPIRED" },
  ApiKeyNotFound: { status: 404, errno: -100019, code: "API_KEY_NOT_FOUND" },
  TooManyApiKeys: { status: 400, errno: -100020, code: "TOO_MANY_API_KEYS" },
  ApiKeyForbidden: { status: 403, errno: -102007, code: "API_KEY_FORBIDDEN" },
  // Users
  UserExists: { status: 400, errno: -101001, code: "USER_EXISTS" },
  WeakPassword: { status: 400, errno: -101002, code: "WEAK_PASSWORD" },
  InvalidEmail: { status: 400, errno: -101003, code: "INVALID_EMAIL" },
  UserNotFound: { status: 404, errno: -101004, code: "USER_NOT_FOUND" },
  SamePassword: { status: 400, errno: -101005, code: "SAME_PASSWORD" },
  SignupDisabled: { status: 403, errno: -101006, code: "SIGNUP_DISABLED" },
  // Authorisation
  Forbidden: { status: 403, errno: -102000, code: "FORBIDDEN" },
  AccountForbidden: { status: 403, errno: -102001, code: "ACCOUNT_FORBIDDEN" },
  InsufficientPermissions: { status: 403, errno: -102002, code: "INSUFFICIENT_PERMISSIONS" },
  AdminRequired: { status: 403, errno: -102003, code: "ADMIN_REQUIRED" },
  TenantForbidden: { status: 403, errno: -102004, code: "TENANT_FORBIDDEN" },
  TlsRequired: { status: 403, errno: -102005, code: "TLS_REQUIRED" },
  IpForbidden: { status: 403, errno: -102006, code: "IP_FORBIDDEN" },
  // Limits
  RateLimited: { status: 429, errno: -103000, code: "RATE_LIMITED" },
  LoginRateLimited: { status: 429, errno: -103001, code: "LOGIN_RATE_LIMITED" },
  OrderRateLimited: { status: 429, errno: -103002, code: "ORDER_RATE_LIMITED" },
  QuoteRateLimited: { status: 429, errno: -103003, code: "QUOTE_RATE_LIMITED" },
  TooManyConnections: { status: 429, errno: -103006, code: "TOO_MANY_CONNECTIONS" },
  TooManyOpenOrders: { status: 429, errno: -103005, code: "TOO_MANY_OPEN_ORDERS" },
  // Request form
  InvalidRequest: { status: 400, errno: -104000, code: "BAD_REQUEST" },
  MalformedJson: { status: 400, errno: -104001, code: "MALFORMED_JSON" },
  MissingParameter: { status: 400, errno: -104002, code: "MISSING_PARAMETER" },
  InvalidParameter: { status: 400, errno: -104003, code: "INVALID_PARAMETER" },
  UnknownEndpoint: { status: 404, errno: -104004, code: "NOT_FOUND" },
  MethodNotAllowed: { status: 405, errno: -104005, code: "METHOD_NOT_ALLOWED" },
  UnsupportedContentType: { status: 415, errno: -104006, code: "UNSUPPORTED_CONTENT_TYPE" },
  PayloadTooLarge: { status: 413, errno: -104007, code: "PAYLOAD_TOO_LARGE" },
  InvalidCursor: { status: 400, errno: -104008, code: "INVALID_CURSOR" },
  ConflictingParameters: { status: 400, errno: -104009, code: "CONFLICTING_PARAMETERS" },
  InvalidTimeRange: { status: 400, errno: -104010, code: "INVALID_TIME_RANGE" },
  IdempotencyKeyReused: { status: 409, errno: -104011, code: "IDEMPOTENCY_KEY_REUSED" },
  IdempotentOutcomeUnknown: { status: 409, errno: -104012, code: "IDEMPOTENT_OUTCOME_UNKNOWN" },
  UnknownField: { status: 400, errno: -104013, code: "UNKNOWN_FIELD" },
  UpgradeRequired: { status: 426, errno: -104014, code: "UPGRADE_REQUIRED" },
  // Orders
  OrderNotChangeable: { status: 400, errno: -110000, code: "ORDER_NOT_CHANGEABLE" },
  OrderNotFound: { status: 404, errno: -110001, code: "ORDER_NOT_FOUND" },
  IdempotencyConflict: { status: 409, errno: -110006, code: "IDEMPOTENCY_CONFLICT" },
  DuplicateClientOrderId: { status: 409, errno: -110007, code: "DUPLICATE_CLIENT_ORDER_ID" },
  OrderClosed: { status: 400, errno: -110011, code: "ORDER_CLOSED" },
  CancelRejected: { status: 400, errno: -110012, code: "CANCEL_REJECTED" },
  ChangeRejected: { status: 400, errno: -110013, code: "VENUE_REJECTED" },
  OutcomeUnknown: { status: 503, errno: -110014, code: "OUTCOME_UNKNOWN" },
  PositionNotFound: { status: 404, errno: -110016, code: "POSITION_NOT_FOUND" },
  // Funds and risk
  InsufficientBalance: { status: 400, errno: -111000, code: "INSUFFICIENT_BALANCE" },
  PriceOutsideCollar: { status: 400, errno: -111004, code: "PRICE_OUTSIDE_COLLAR" },
  TradingHalted: { status: 400, errno: -111005, code: "TRADING_HALTED" },
  LeverageNotAllowed: { status: 400, errno: -111007, code: "LEVERAGE_NOT_ALLOWED" },
  // Order parameters
  UnsupportedOrderType: { status: 400, errno: -112001, code: "UNSUPPORTED_ORDER_TYPE" },
  InvalidOrderSide: { status: 400, errno: -112002, code: "INVALID_ORDER_SIDE" },
  LimitPriceRequired: { status: 400, errno: -112003, code: "LIMIT_PRICE_REQUIRED" },
  StopPriceRequired: { status: 400, errno: -112004, code: "STOP_PRICE_REQUIRED" },
  ParameterNotAllowed: { status: 400, errno: -112005, code: "PARAMETER_NOT_ALLOWED" },
  IncompleteExits: { status: 400, errno: -112006, code: "INCOMPLETE_EXITS" },
  QuoteIdRequired: { status: 400, errno: -112007, code: "QUOTE_ID_REQUIRED" },
  WouldTriggerImmediately: { status: 400, errno: -112011, code: "WOULD_TRIGGER_IMMEDIATELY" },
  InvalidPriceRelation: { status: 400, errno: -112012, code: "INVALID_PRICE_RELATION" },
  ContingentUnsupported: { status: 400, errno: -112013, code: "CONTINGENT_UNSUPPORTED" },
  InvalidTrailingDistance: { status: 400, errno: -112014, code: "INVALID_TRAILING_DISTANCE" },
  InvalidTimeInForce: { status: 400, errno: -112020, code: "INVALID_TIME_IN_FORCE" },
  UnsupportedTimeInForce: { status: 400, errno: -112021, code: "UNSUPPORTED_TIME_IN_FORCE" },
  ExpireAtRequired: { status: 400, errno: -112022, code: "EXPIRE_AT_REQUIRED" },
  InvalidExpireAt: { status: 400, errno: -112023, code: "INVALID_EXPIRE_AT" },
  TimeInForceNotAllowed: { status: 400, errno: -112025, code: "TIME_IN_FORCE_NOT_ALLOWED" },
  QuantityBelowMinimum: { status: 400, errno: -112030, code: "QUANTITY_BELOW_MINIMUM" },
  InvalidQuantityPrecision: { status: 400, errno: -112031, code: "INVALID_QUANTITY_PRECISION" },
  InvalidQuantityRatio: { status: 400, errno: -112032, code: "INVALID_QUANTITY_RATIO" },
  QuantityExceedsPosition: { status: 400, errno: -112033, code: "QUANTITY_EXCEEDS_POSITION" },
  InvalidPricePrecision: { status: 400, errno: -112034, code: "INVALID_PRICE_PRECISION" },
  QuantityAboveMaximum: { status: 400, errno: -112035, code: "QUANTITY_ABOVE_MAXIMUM" },
  NotionalBelowMinimum: { status: 400, errno: -112036, code: "NOTIONAL_BELOW_MINIMUM" },
  // Trading accounts
  TradingAccountNotFound: { status: 404, errno: -120002, code: "TRADING_ACCOUNT_NOT_FOUND" },
  ExternalAccountTaken: { status: 409, errno: -120003, code: "EXTERNAL_ACCOUNT_TAKEN" },
  AccountNotActive: { status: 400, errno: -120005, code: "ACCOUNT_NOT_ACTIVE" },
  AccountDisconnected: { status: 400, errno: -120006, code: "ACCOUNT_DISCONNECTED" },
  CredentialsRequired: { status: 400, errno: -120007, code: "CREDENTIALS_REQUIRED" },
  ExternalAccountNotVisible: { status: 400, errno: -120008, code: "EXTERNAL_ACCOUNT_NOT_VISIBLE" },
  AccountReconciling: { status: 503, errno: -120009, code: "ACCOUNT_RECONCILING" },
  TooManyAccounts: { status: 400, errno: -120000, code: "TOO_MANY_ACCOUNTS" },
  AccountUnsupported: { status: 400, errno: -120011, code: "ACCOUNT_UNSUPPORTED" },
  DisconnectIncomplete: { status: 503, errno: -120010, code: "DISCONNECT_INCOMPLETE" },
  // Credentials
  CredentialNotFound: { status: 404, errno: -121001, code: "CREDENTIAL_NOT_FOUND" },
  CredentialsInvalid: { status: 400, errno: -121002, code: "CREDENTIALS_INVALID" },
  PassphraseRequired: { status: 400, errno: -121003, code: "PASSPHRASE_REQUIRED" },
  CredentialRevoked: { status: 400, errno: -121004, code: "CREDENTIAL_REVOKED" },
  CredentialInUse: { status: 409, errno: -121005, code: "CREDENTIAL_IN_USE" },
  // Portfolio
  PortfolioUnavailable: { status: 503, errno: -122000, code: "PORTFOLIO_UNAVAILABLE" },
  // Venues
  VenueFailed: { status: 502, errno: -130000, code: "VENUE_ERROR" },
  VenueUnavailable: { status: 503, errno: -130001, code: "VENUE_UNAVAILABLE" },
  InvalidVenue: { status: 400, errno: -130002, code: "INVALID_VENUE" },
  VenueInactive: { status: 400, errno: -130003, code: "VENUE_INACTIVE" },
  VenueTimeout: { status: 504, errno: -130004, code: "VENUE_TIMEOUT" },
  NotSupportedByVenue: { status: 400, errno: -130005, code: "NOT_SUPPORTED_BY_VENUE" },
  ExperimentalVenue: { status: 400, errno: -130007, code: "EXPERIMENTAL_VENUE" },
  // Market data
  InstrumentNotFound: { status: 404, errno: -131001, code: "INSTRUMENT_NOT_FOUND" },
  InvalidInstrumentId: { status: 400, errno: -131002, code: "INVALID_INSTRUMENT_ID" },
  InstrumentNotTradable: { status: 400, errno: -131003, code: "INSTRUMENT_NOT_TRADABLE" },
  InvalidInterval: { status: 400, errno: -131004, code: "INVALID_INTERVAL" },
  InvalidDepth: { status: 400, errno: -131005, code: "INVALID_DEPTH" },
  OrderBookUnavailable: { status: 503, errno: -131006, code: "ORDER_BOOK_UNAVAILABLE" },
  TickerUnavailable: { status: 503, errno: -131007, code: "TICKER_UNAVAILABLE" },
  SyncRunning: { status: 409, errno: -131008, code: "SYNC_RUNNING" },
  InstrumentDelisted: { status: 400, errno: -131009, code: "INSTRUMENT_DELISTED" },
  // Order book subscriptions
  SubscriptionNotFound: { status: 404, errno: -132001, code: "SUBSCRIPTION_NOT_FOUND" },
  SubscriptionLimit: { status: 429, errno: -132002, code: "SUBSCRIPTION_LIMIT" },
  // Quotes
  QuoteNotFound: { status: 404, errno: -140001, code: "QUOTE_NOT_FOUND" },
  DealerCannotQuote: { status: 400, errno: -140002, code: "DEALER_CANNOT_QUOTE" },
  PricingProfileNotFound: { status: 404, errno: -140003, code: "PRICING_PROFILE_NOT_FOUND" },
  AssetNotQuoted: { status: 400, errno: -140004, code: "ASSET_NOT_QUOTED" },
  QuoteExpired: { status: 400, errno: -140005, code: "QUOTE_EXPIRED" },
  QuoteUsed: { status: 409, errno: -140008, code: "QUOTE_USED" },
  QuoteMismatch: { status: 400, errno: -140009, code: "QUOTE_MISMATCH" },
  QuoteSizeAmbiguous: { status: 400, errno: -140010, code: "QUOTE_SIZE_AMBIGUOUS" },
  InvalidQuoteTime: { status: 400, errno: -140011, code: "INVALID_QUOTE_TIME" },
  InvalidQuoteSide: { status: 400, errno: -140012, code: "INVALID_QUOTE_SIDE" },
  QuoteRequestReused: { status: 409, errno: -140013, code: "QUOTE_REQUEST_REUSED" },
  // Dealers
  DealerNotFound: { status: 404, errno: -141001, code: "DEALER_NOT_FOUND" },
  DealerPaused: { status: 400, errno: -141002, code: "DEALER_PAUSED" },
  DealerArchived: { status: 400, errno: -141003, code: "DEALER_ARCHIVED" },
  DealerHasPositions: { status: 400, errno: -141004, code: "DEALER_HAS_POSITIONS" },
  AccountAlreadyLinked: { status: 409, errno: -141005, code: "ACCOUNT_ALREADY_LINKED" },
  AccountNotLinked: { status: 404, errno: -141006, code: "ACCOUNT_NOT_LINKED" },
  AccountHasHedges: { status: 400, errno: -141007, code: "ACCOUNT_HAS_HEDGES" },
  AccountOfAnotherEnvironment: { status: 400, errno: -141008, code: "ACCOUNT_OF_ANOTHER_ENVIRONMENT" },
  DealerChanged: { status: 409, errno: -141009, code: "DEALER_CHANGED" },
  HedgeNotInDoubt: { status: 400, errno: -141000, code: "HEDGE_NOT_IN_DOUBT" },
  // Wallets
  WalletFailed: { status: 400, errno: -150000, code: "WALLET_FAILED" },
  WalletNotFound: { status: 404, errno: -150001, code: "WALLET_NOT_FOUND" },
  WalletFrozen: { status: 400, errno: -150002, code: "WALLET_FROZEN" },
  SameWallet: { status: 400, errno: -150003, code: "SAME_WALLET" },
  WalletClosed: { status: 400, errno: -150004, code: "WALLET_CLOSED" },
  WalletsUnrelated: { status: 403, errno: -150005, code: "WALLETS_UNRELATED" },
  WalletHasHolds: { status: 400, errno: -150006, code: "WALLET_HAS_HOLDS" },
  OnlyFullWithdrawal: { status: 400, errno: -150007, code: "ONLY_FULL_WITHDRAWAL" },
  AssetScaleExceeded: { status: 400, errno: -150008, code: "ASSET_SCALE_EXCEEDED" },
  LedgerConflict: { status: 409, errno: -150009, code: "LEDGER_CONFLICT" },
  // The service
  InternalDefect: { status: 500, errno: -190000, code: "INTERNAL_ERROR" },
  Busy: { status: 503, errno: -190001, code: "SERVICE_UNAVAILABLE" },
  ShuttingDown: { status: 503, errno: -190002, code: "SHUTTING_DOWN" },
  StorageUnavailable: { status: 503, errno: -190003, code: "STORAGE_UNAVAILABLE" },
  DeadlineExceeded: { status: 504, errno: -190004, code: "TIMEOUT" },
} as const satisfies { readonly [T in Tag]: FailureRow }
