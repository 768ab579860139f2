# Written by `npm run docs` from the gateway's own declaration; `npm run check` fails when it is stale.
"""Every record that goes in or comes out, over HTTP and over channels. Decimals are strings, instants milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

__all__ = [
    "Root",
    "Health",
    "Int",
    "TradingMode",
    "ClusterHealth",
    "ClusterHealthOwner",
    "HealthCheck",
    "AuditMillis",
    "Signup",
    "Session",
    "User",
    "UserAppMetadata",
    "UserIdentitiesItem",
    "UserIdentitiesItemIdentityData",
    "Login",
    "Refresh",
    "UpdateUser",
    "Reauthenticate",
    "Recover",
    "Resend",
    "Verify",
    "EmailChange",
    "SessionEntry",
    "RevokeSession",
    "UUID",
    "Jwks",
    "Jwk",
    "SecondFactorState",
    "SecondFactorEnrolment",
    "SecondFactorCode",
    "RecoveryCodes",
    "SecondFactorOrRecoveryCode",
    "CreateApiKey",
    "CreatedApiKey",
    "ApiKey",
    "RevokeApiKey",
    "CreateCredential",
    "Credential",
    "Pagination",
    "RevokeCredential",
    "ConnectTradingAccount",
    "TradingAccount",
    "UpdateTradingAccount",
    "DisconnectTradingAccount",
    "PortfolioPosition",
    "ContractPosition",
    "SubmitOrder",
    "SubmittedOrder",
    "SubmittedOrderEvidenceItem",
    "Fee",
    "Execution",
    "TradeOrder",
    "TradeOrderEvidenceItem",
    "CancelOrder",
    "ReplaceOrder",
    "CancelAllOrders",
    "CancelledOrders",
    "CancelAllAfter",
    "DeadManSwitch",
    "SyncInstruments",
    "InstrumentSync",
    "CreateInstrument",
    "Security",
    "RetireInstrument",
    "Venue",
    "VenueCapability",
    "VenueCapabilityTriggers",
    "VenueCapabilityClientOrderIds",
    "VenueCapabilityStreams",
    "OrderBook",
    "OrderBookRange",
    "Ticker",
    "Kline",
    "Candle",
    "SubscribeOrderBook",
    "OrderBookSubscription",
    "UnsubscribeOrderBook",
    "CreateDealer",
    "DealerConfig",
    "PricingProfile",
    "HedgeSettings",
    "PricingSettings",
    "QuoteCaps",
    "Dealer",
    "DealerDetail",
    "HedgeReport",
    "HedgeReportFeesItem",
    "HedgeInDoubt",
    "UpdateDealer",
    "ByDealer",
    "DealerAccountLink",
    "AccountFunding",
    "Funding",
    "ResolveHedge",
    "RequestQuote",
    "Quote",
    "PricingReceipt",
    "LevelsBeyond",
    "CreateWallet",
    "Wallet",
    "WalletBalance",
    "WalletTransfer",
    "WalletDeposit",
    "WalletWithdrawal",
    "FreezeWallet",
    "UnfreezeWallet",
    "CloseWallet",
    "WalletTransferRecord",
    "AdminUser",
    "AdminUserAppMetadata",
    "AdminUserIdentitiesItem",
    "AdminUserIdentitiesItemIdentityData",
    "BanUser",
    "UnbanUser",
    "ChangeRight",
    "SignOutUser",
    "ResetSecondFactor",
    "NetworkList",
    "AllowNetwork",
    "ForgetNetwork",
    "Tenant",
    "CreateTenant",
    "MoveUser",
    "OrderStory",
    "OrderStoryStepsItem",
    "Status",
    "StatusActors",
    "ConnectorStatus",
    "ThreadStatus",
    "SetTradingMode",
    "TradingModeRecord",
    "AuditRecord",
    "OpenConsole",
    "ConsoleSession",
    "Failure",
    "FailureDetails",
    "AccountExecution",
    "Reconciliation",
    "AccountAlert",
    "OrderBookSnapshot",
    "OrderBookDiff",
    "OrderBookLevel",
    "OrderBookState",
    "Trade",
    "LiveKline",
    "ClosedKline",
    "TradeOrderEvent",
    "ExecutionCreatedEvent",
    "PortfolioUpdatedEvent",
    "TradingAccountUpdatedEvent",
    "TradingAccountReconciledEvent",
    "TradingAccountAlertEvent",
    "QuoteUpdatedEvent",
    "AccountEvent",
    "CredentialListQuery",
    "TradingAccountListQuery",
    "TradingAccountPortfolioListQuery",
    "TradeOrderGetQuery",
    "TradeOrderListQuery",
    "MarketInstrumentListQuery",
    "MarketVenueCapabilityListQuery",
    "MarketOrderbookGetQuery",
    "MarketOrderbookListQuery",
    "MarketTickerGetQuery",
    "MarketTickerListQuery",
    "MarketKlineGetQuery",
    "MarketSubscriptionOrderbookListQuery",
    "DealerGetQuery",
    "DealerListQuery",
    "QuoteGetQuery",
    "QuoteListQuery",
    "WalletGetQuery",
    "WalletListQuery",
    "WalletTransferListQuery",
    "AdminUserListQuery",
    "AdminUserSessionListQuery",
    "AdminNetworkListQuery",
    "AdminOrderGetQuery",
    "AuditListQuery",
]


class Root(TypedDict):
    name: str
    version: str
    description: str


class Health(TypedDict):
    status: Literal["healthy", "degraded", "unhealthy"]
    timestamp: Int
    isoDateTime: str
    version: str
    # Absent at a node that does not own the database
    tradingMode: NotRequired[TradingMode]
    # Absent where there is one machine
    cluster: NotRequired[ClusterHealth]
    # service, database, eventLoop, orderWriter, ledger, upkeep (recurring background work), actors (accounts and dealers stopped by a defect), venues, workers, mailOutbox, disk, clock; of several machines also broker, and of one that does not own the database only service, owner, broker, eventLoop, disk. One unhealthy check makes the record unhealthy
    checks: Mapping[str, HealthCheck]
    # By venue. idle: no request has been sent to it yet
    venues: Mapping[str, Literal["idle", "up", "down"]]
    # By venue: the current interval at which its accounts are audited, in ms; the longest of any account
    auditMillis: Mapping[str, AuditMillis]


Int: TypeAlias = "int"


TradingMode: TypeAlias = "Literal['online', 'cancel_only', 'post_only', 'maintenance']"


class ClusterHealth(TypedDict):
    nodeId: str
    # core: it owns the database and does all operations; edge: it passes them to the node that does
    role: Literal["core", "edge"]
    # The node that owns the database, with its term; null: none is known now
    owner: ClusterHealthOwner | None
    broker: Literal["up", "down"]


class ClusterHealthOwner(TypedDict):
    nodeId: str
    term: Int


class HealthCheck(TypedDict):
    status: Literal["healthy", "degraded", "unhealthy"]
    reason: str | None


class AuditMillis(TypedDict):
    openOrders: NotRequired[Int]
    fills: NotRequired[Int]
    balances: NotRequired[Int]


class Signup(TypedDict):
    email: str
    # 8 to 128 characters; not a commonly used password, and not merely your e-mail address
    password: str
    # Free-form; returned as user.userMetadata
    metadata: NotRequired[Mapping[str, Any] | None]
    # From the ready line of an installation without an admin: makes this user its admin, whatever SIGNUP is; can be used once
    setupToken: NotRequired[str | None]


class Session(TypedDict):
    accessToken: str
    refreshToken: str
    tokenType: Literal["bearer"]
    expiresIn: Int
    expiresAt: Int
    expiresAtDateTime: str
    user: User


class User(TypedDict):
    id: str
    email: str
    phone: str | None
    emailConfirmedAt: str | None
    phoneConfirmedAt: str | None
    lastSignInAt: str | None
    createdAt: str
    updatedAt: str
    role: Literal["authenticated"]
    appMetadata: UserAppMetadata
    userMetadata: Mapping[str, Any]
    newEmail: NotRequired[str]
    identities: list[UserIdentitiesItem]


class UserAppMetadata(TypedDict):
    tenantId: str
    environments: list[str]


class UserIdentitiesItem(TypedDict):
    id: str
    userId: str
    identityData: UserIdentitiesItemIdentityData
    provider: Literal["email"]
    lastSignInAt: str | None
    createdAt: str
    updatedAt: str


class UserIdentitiesItemIdentityData(TypedDict):
    email: str


class Login(TypedDict):
    email: str
    # 8 to 128 characters; not a commonly used password, and not merely your e-mail address
    password: str
    # Where a second factor is set up: six digits of the authenticator, or a recovery code
    totpCode: NotRequired[str | None]


class Refresh(TypedDict):
    refreshToken: str


class UpdateUser(TypedDict):
    email: NotRequired[str | None]
    password: NotRequired[str | None]
    # Required for a new password or e-mail address unless the user authenticated within the last FRESH_SECONDS
    currentPassword: NotRequired[str | None]
    # Where a second factor is set up: six digits of the authenticator, or a recovery code
    totpCode: NotRequired[str | None]
    # Merged key by key into userMetadata; null removes a key
    metadata: NotRequired[Mapping[str, Any] | None]


class Reauthenticate(TypedDict):
    currentPassword: str
    # Where a second factor is set up: six digits of the authenticator, or a recovery code
    totpCode: NotRequired[str | None]


class Recover(TypedDict):
    email: str


class Resend(TypedDict):
    type: Literal["signup", "email_change"]
    # For email_change: the new address
    email: str


class Verify(TypedDict):
    type: Literal["signup", "recovery", "email_change"]
    # From the mail
    token: str
    # Where a second factor is set up: six digits of the authenticator, or a recovery code
    totpCode: NotRequired[str | None]


class EmailChange(TypedDict):
    status: Literal["PENDING", "DONE"]
    awaiting: Literal["current", "new"] | None


class SessionEntry(TypedDict):
    sessionId: str
    current: bool
    method: Literal["password", "signup", "recovery"]
    ip: str | None
    userAgent: str | None
    createdAt: Int
    createdAtDateTime: str
    refreshedAt: Int
    refreshedAtDateTime: str
    expiresAt: Int
    expiresAtDateTime: str


class RevokeSession(TypedDict):
    sessionId: UUID


UUID: TypeAlias = "str"


class Jwks(TypedDict):
    keys: list[Jwk]


class Jwk(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str
    kid: str
    use: Literal["sig"]
    alg: Literal["EdDSA"]


class SecondFactorState(TypedDict):
    enrolled: bool
    recoveryCodesLeft: Int


class SecondFactorEnrolment(TypedDict):
    # Base32, for manual entry
    secret: str
    # otpauth://…, to be shown as a QR code
    uri: str


class SecondFactorCode(TypedDict):
    # Six digits of the authenticator
    code: str


class RecoveryCodes(TypedDict):
    # Each can be used once; they are not shown again
    recoveryCodes: list[str]


class SecondFactorOrRecoveryCode(TypedDict):
    # Six digits of the authenticator, or a recovery code
    code: str


class CreateApiKey(TypedDict):
    # Your name for the key
    name: str
    # read: what the permission read allows. trade: write, and what it implies. admin: for admins only, and void once the user loses that right
    scopes: list[Literal["read", "trade", "admin"]]
    # The accounts that the key is limited to, without access to wallets, credentials or dealers; omitted: no limit
    tradingAccountIds: NotRequired[list[str] | None]
    # Addresses and CIDRs that the key may be used from, in addition to the restriction on your user; omitted: any
    ipAllow: NotRequired[list[str] | None]
    # Expiry, in ms, 9999-12-31T23:59:59.999Z at the latest; omitted: never
    expiresAt: NotRequired[Int | None]


class CreatedApiKey(TypedDict):
    apiKeyId: str
    name: str
    # The first characters of the key
    prefix: str
    # With those that they imply
    scopes: list[Literal["read", "trade", "admin"]]
    # The accounts that the key is limited to; null: all accounts of its user
    tradingAccountIds: list[str] | None
    # The networks that the key may be used from; null: any that are allowed for its user
    ipAllow: list[str] | None
    status: Literal["ACTIVE", "EXPIRED", "REVOKED"]
    createdAt: Int
    createdAtDateTime: str
    expiresAt: Int | None
    expiresAtDateTime: str | None
    revokedAt: Int | None
    revokedAtDateTime: str | None
    # To the second; null: never used
    lastUsedAt: Int | None
    lastUsedAtDateTime: str | None
    lastUsedIp: str | None
    # The key itself, shown only once: the Bearer token over HTTP and the token of the WebSocket's connect command
    apiKey: str


class ApiKey(TypedDict):
    apiKeyId: str
    name: str
    # The first characters of the key
    prefix: str
    # With those that they imply
    scopes: list[Literal["read", "trade", "admin"]]
    # The accounts that the key is limited to; null: all accounts of its user
    tradingAccountIds: list[str] | None
    # The networks that the key may be used from; null: any that are allowed for its user
    ipAllow: list[str] | None
    status: Literal["ACTIVE", "EXPIRED", "REVOKED"]
    createdAt: Int
    createdAtDateTime: str
    expiresAt: Int | None
    expiresAtDateTime: str | None
    revokedAt: Int | None
    revokedAtDateTime: str | None
    # To the second; null: never used
    lastUsedAt: Int | None
    lastUsedAtDateTime: str | None
    lastUsedIp: str | None


class RevokeApiKey(TypedDict):
    apiKeyId: str


class CreateCredential(TypedDict):
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: str
    apiKey: str
    # Key text or PEM; stored encrypted, never returned
    apiSecret: str
    # Required by some venues
    apiPassphrase: NotRequired[str | None]
    name: NotRequired[str | None]
    # Default EXCHANGE
    type: NotRequired[str | None]


class Credential(TypedDict):
    credentialId: str
    userId: str
    venue: str
    name: str
    type: str
    credentialType: Literal["API_KEY"]
    nickname: str
    apiKey: str
    status: Literal["CREATED", "ACTIVE", "REVOKED"]
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    revokedAt: NotRequired[Int]
    revokedAtDateTime: NotRequired[str]


class Pagination(TypedDict):
    offset: Int
    limit: Int
    # Number of records that match; see totalIsLowerBound
    total: int
    # Pass it to get the next page; null on the last page
    cursor: str | None
    hasNext: bool
    # true: counting stopped at total, and there are more
    totalIsLowerBound: NotRequired[bool]


class RevokeCredential(TypedDict):
    credentialId: str
    # Revoke although open orders depend on it; the account becomes INACTIVE
    force: NotRequired[bool | None]


class ConnectTradingAccount(TypedDict):
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: str
    # From credential/create; MOCK, PAPER and INTERNAL need none
    credentialIds: NotRequired[list[str] | None]
    # The account's id at the venue where the venue reports one, otherwise a label of your choice; at INTERNAL omitted, or the id of a wallet of yours
    externalTradingAccountId: NotRequired[str | None]
    # At INTERNAL: makes the account a client of that dealer
    dealerAccountId: NotRequired[UUID | None]
    nickname: NotRequired[str | None]


class TradingAccount(TypedDict):
    tradingAccountId: str
    externalTradingAccountId: str
    # null: a dealer's own account
    userId: str | None
    venue: str
    nickname: str
    name: str
    accountType: str
    externalAccountType: str
    positionMode: str
    collateralMode: str
    marginMode: str
    # Extension: at INTERNAL, the wallet that holds the account's funds
    walletId: str | None
    # Extension: at INTERNAL, the dealer whose client the account is; null: any dealer's
    dealerAccountId: str | None
    credentials: list[Credential]
    status: Literal["NEW", "CREATED", "ACTIVE", "INACTIVE", "LOCKED", "DISCONNECTED", "UNAVAILABLE"]
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    disconnectedAt: NotRequired[Int]
    disconnectedAtDateTime: NotRequired[str]


class UpdateTradingAccount(TypedDict):
    tradingAccountId: str
    nickname: NotRequired[str | None]


class DisconnectTradingAccount(TypedDict):
    # A tradingAccountId
    tradingAccountId: str
    # Extension: disconnect although the venue could not confirm that every order is closed, or a dealer's hedge is still working
    force: NotRequired[bool | None]


class PortfolioPosition(TypedDict):
    tradingAccountId: str
    venue: str
    currency: str
    balance: str
    available: str
    locked: str
    # The venue's time of the balances, or of a later execution or hold: never older than the last change of the figures
    updatedAt: int
    updatedAtDateTime: str
    # Of a venue of contracts: what is open and has its margin in this currency; absent where nothing is
    contracts: NotRequired[list[ContractPosition]]


class ContractPosition(TypedDict):
    # The same as on the orders of this account and instrument
    positionId: str
    instrumentId: str
    side: Literal["LONG", "SHORT"]
    # In the base asset, above zero
    quantity: str
    entryPrice: str | None
    # At the venue's mark price, when it was last asked; below zero for a loss
    unrealizedProfit: str | None


class SubmitOrder(TypedDict):
    tradingAccountId: str
    instrumentId: NotRequired[str | None]
    idempotencyKey: NotRequired[str | None]
    clientOrderId: NotRequired[str | None]
    orderSide: Literal["BUY", "SELL", "UNKNOWN"]
    orderType: Literal["MARKET", "LIMIT", "LIMIT_MAKER", "STOP", "STOP_MARKET", "STOP_LIMIT", "STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT", "TRAILING_STOP", "QUOTED", "UNKNOWN"] | None
    quantity: str
    limitPrice: NotRequired[str | None]
    stopPrice: NotRequired[str | None]
    quantityType: NotRequired[Literal["BASE", "QUOTE", "POSITION_RATIO", "POSITION_PERCENTAGE"] | None]
    orderQuantityType: NotRequired[Literal["BASE", "QUOTE", "POSITION_RATIO", "POSITION_PERCENTAGE"] | None]
    quantityRounding: NotRequired[Literal["", "UP", "DOWN", "NEAREST", "CEIL", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN"] | None]
    # Of contracts: the position of this account and instrument, which the order makes smaller at most (reduce-only)
    positionId: NotRequired[UUID | None]
    timeInForce: NotRequired[Literal["GTC", "IOC", "FOK", "GTD", "DAY", "GTX", "OPG", "CLS", "GFA", "GFS", "GTM", "MOO", "MOC", "EXT", "UNKNOWN"] | None]
    expireAt: NotRequired[Int | None]
    quoteId: NotRequired[UUID | None]
    leverage: NotRequired[Int | None]
    awaitClosed: NotRequired[bool | None]
    awaitAccepted: NotRequired[bool | None]
    trailingDelta: NotRequired[Int | None]
    trailingAmount: NotRequired[str | None]
    takeProfitPrice: NotRequired[str | None]
    takeProfitLimitPrice: NotRequired[str | None]
    stopLossPrice: NotRequired[str | None]
    stopLossLimitPrice: NotRequired[str | None]
    takeProfitTimeInForce: NotRequired[Literal["GTC", "IOC", "FOK", "GTD", "DAY", "GTX", "OPG", "CLS", "GFA", "GFS", "GTM", "MOO", "MOC", "EXT", "UNKNOWN"] | None]
    stopLossTimeInForce: NotRequired[Literal["GTC", "IOC", "FOK", "GTD", "DAY", "GTX", "OPG", "CLS", "GFA", "GFS", "GTM", "MOO", "MOC", "EXT", "UNKNOWN"] | None]


class SubmittedOrder(TypedDict):
    tradeOrderId: str
    orderListId: str | None
    contingencyType: str | None
    tradingAccountId: str
    venue: str
    positionId: str | None
    instrumentId: str
    quoteId: str | None
    baseAsset: str
    quoteAsset: str
    orderSide: str
    orderType: str
    timeInForce: str
    status: Literal["PENDING", "OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "REJECTED", "EXPIRED"]
    orderStatus: Literal["CREATED", "SUBMITTED", "ACCEPTED", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "PENDING_CANCEL", "REPLACED", "PENDING_REPLACE", "REJECTED", "EXPIRED", "REVOKED", "UNKNOWN"]
    rejectReason: str | None
    cancelReason: str | None
    limitPrice: str | None
    stopPrice: str | None
    takeProfitPrice: str | None
    takeProfitLimitPrice: str | None
    stopLossPrice: str | None
    stopLossLimitPrice: str | None
    takeProfitTimeInForce: str | None
    stopLossTimeInForce: str | None
    quantity: str
    orderQuantityType: str
    quantityRounding: str
    baseQuantity: str
    executedPrice: str | None
    averagePrice: str | None
    executedQuantity: str
    executedCost: str
    overfillQuantity: str
    fees: list[Fee]
    # In order of application: the newest 10; tradeOrder/get returns all of them
    executions: list[Execution]
    # Extension: number of executions of the order
    executionCount: int
    clientOrderId: str | None
    idempotencyKey: str | None
    externalOrderId: str | None
    origin: Literal["GATEWAY", "EXTERNAL"]
    replacesTradeOrderId: str | None
    dealerAccountId: str | None
    # For a hedge: the executed quotes that it covers, oldest first. If there are more than 100, the 99 oldest and the newest
    hedgeForQuoteIds: list[str]
    # Extension: number of executed quotes that a hedge covers
    hedgeForQuoteCount: int
    execution: Literal["NATIVE", "EMULATED"]
    triggerSource: str | None
    triggeredAt: Int | None
    triggeredAtDateTime: str | None
    triggeredBy: str | None
    triggerPrice: str | None
    triggerHealth: str | None
    trailingDelta: Int | None
    trailingAmount: str | None
    highWaterMark: str | None
    leverage: Int | None
    # Present and true on an order that named its position: the venue lets it make that smaller and nothing else
    reduceOnly: NotRequired[bool]
    inDoubt: bool
    evidence: list[SubmittedOrderEvidenceItem]
    cancelRequested: bool
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    expireAt: Int | None
    expireAtDateTime: str | None
    canceledAt: Int | None
    canceledAtDateTime: str | None
    # Extension: the other orders of its list: exits of an entry, or the other leg of a pair. Absent without a list
    linkedOrders: NotRequired[list[TradeOrder]]


class SubmittedOrderEvidenceItem(TypedDict):
    at: Int
    what: str


class Fee(TypedDict):
    security: str
    asset: str
    venue: str
    quantity: str


class Execution(TypedDict):
    executionId: str
    externalTradeId: str
    venue: str
    instrumentId: str
    orderSide: str
    executedQuantity: str
    executedPrice: str
    executedCost: str
    fees: list[Fee]
    # Accounts for an executed quantity for which the venue has not reported a trade yet
    inferred: bool
    # executionId of the inferred execution that this one replaces: the inferred one no longer counts and is no longer listed
    replaces: str | None
    executedAt: Int
    executedAtDateTime: str


class TradeOrder(TypedDict):
    tradeOrderId: str
    orderListId: str | None
    contingencyType: str | None
    tradingAccountId: str
    venue: str
    positionId: str | None
    instrumentId: str
    quoteId: str | None
    baseAsset: str
    quoteAsset: str
    orderSide: str
    orderType: str
    timeInForce: str
    status: Literal["PENDING", "OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "REJECTED", "EXPIRED"]
    orderStatus: Literal["CREATED", "SUBMITTED", "ACCEPTED", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "PENDING_CANCEL", "REPLACED", "PENDING_REPLACE", "REJECTED", "EXPIRED", "REVOKED", "UNKNOWN"]
    rejectReason: str | None
    cancelReason: str | None
    limitPrice: str | None
    stopPrice: str | None
    takeProfitPrice: str | None
    takeProfitLimitPrice: str | None
    stopLossPrice: str | None
    stopLossLimitPrice: str | None
    takeProfitTimeInForce: str | None
    stopLossTimeInForce: str | None
    quantity: str
    orderQuantityType: str
    quantityRounding: str
    baseQuantity: str
    executedPrice: str | None
    averagePrice: str | None
    executedQuantity: str
    executedCost: str
    overfillQuantity: str
    fees: list[Fee]
    # In order of application: the newest 10; tradeOrder/get returns all of them
    executions: list[Execution]
    # Extension: number of executions of the order
    executionCount: int
    clientOrderId: str | None
    idempotencyKey: str | None
    externalOrderId: str | None
    origin: Literal["GATEWAY", "EXTERNAL"]
    replacesTradeOrderId: str | None
    dealerAccountId: str | None
    # For a hedge: the executed quotes that it covers, oldest first. If there are more than 100, the 99 oldest and the newest
    hedgeForQuoteIds: list[str]
    # Extension: number of executed quotes that a hedge covers
    hedgeForQuoteCount: int
    execution: Literal["NATIVE", "EMULATED"]
    triggerSource: str | None
    triggeredAt: Int | None
    triggeredAtDateTime: str | None
    triggeredBy: str | None
    triggerPrice: str | None
    triggerHealth: str | None
    trailingDelta: Int | None
    trailingAmount: str | None
    highWaterMark: str | None
    leverage: Int | None
    # Present and true on an order that named its position: the venue lets it make that smaller and nothing else
    reduceOnly: NotRequired[bool]
    inDoubt: bool
    evidence: list[TradeOrderEvidenceItem]
    cancelRequested: bool
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    expireAt: Int | None
    expireAtDateTime: str | None
    canceledAt: Int | None
    canceledAtDateTime: str | None


class TradeOrderEvidenceItem(TypedDict):
    at: Int
    what: str


class CancelOrder(TypedDict):
    tradingAccountId: str
    tradeOrderId: NotRequired[str | None]
    # Extension: instead of tradeOrderId
    clientOrderId: NotRequired[str | None]


class ReplaceOrder(TypedDict):
    tradingAccountId: str
    tradeOrderId: NotRequired[str | None]
    # Extension: instead of tradeOrderId
    clientOrderId: NotRequired[str | None]
    # The new total quantity in base, including what is already executed
    quantity: NotRequired[str | None]
    limitPrice: NotRequired[str | None]
    stopPrice: NotRequired[str | None]


class CancelAllOrders(TypedDict):
    tradingAccountId: str
    instrumentId: NotRequired[str | None]


class CancelledOrders(TypedDict):
    cancelled: list[str]
    # Requested; not yet confirmed by the venue
    pending: list[str]
    # Closed before the cancel, or the venue refused it
    failed: list[str]


class CancelAllAfter(TypedDict):
    tradingAccountId: str
    # 0 = off
    timeoutMs: Int


class DeadManSwitch(TypedDict):
    tradingAccountId: str
    # ms; null = off
    cancelAllAt: Int | None
    cancelAllAtDateTime: str | None


class SyncInstruments(TypedDict):
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: str
    # <BASE>/<QUOTE> each; omitted: all
    symbols: NotRequired[list[str] | None]


class InstrumentSync(TypedDict):
    venue: str
    synced: Int
    added: Int
    updated: Int


class CreateInstrument(TypedDict):
    baseAsset: str
    quoteAsset: str
    # Price step
    tickSize: str
    # Quantity step
    lotSize: str
    # Default: one lot
    minQuantity: NotRequired[str | None]
    maxQuantity: NotRequired[str | None]
    # Smallest price × quantity
    minNotional: NotRequired[str | None]


class Security(TypedDict):
    securityId: str
    symbol: str
    venue: str
    securityType: str
    precision: Int
    scale: Int
    minQuantity: str
    lotSize: str
    instrumentId: str
    baseAsset: str
    quoteAsset: str
    # Price step; 0 if there is none
    tickSize: str
    # Where prices have no step: maximum number of significant digits of a price
    priceSignificantDigits: Int | None
    # For contracts, the settlement asset: the quote asset, the base asset or another. Quantities and their limits then count contracts; null: they count the base asset
    contractType: Literal["LINEAR", "INVERSE", "QUANTO"] | None
    # Size of one contract: in the base asset if LINEAR, in the quote asset if INVERSE
    contractSize: str | None
    maxQuantity: str | None
    minNotional: str | None
    status: Literal["ACTIVE", "DELISTED"]


class RetireInstrument(TypedDict):
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: str


class Venue(TypedDict):
    venue: str
    name: str
    status: Literal["ACTIVE", "INACTIVE"]
    features: list[str]
    # How far the venue's handling of orders is proven. EXPERIMENTAL: not yet, so accounts can be connected and new orders are accepted only if the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it accepts no orders. Market data is available regardless
    orders: Literal["PROVEN", "EXPERIMENTAL", "NONE"]


class VenueCapability(TypedDict):
    venue: str
    # As in market/venue/list
    features: list[str]
    # How far the venue's handling of orders is proven. EXPERIMENTAL: not yet, so accounts can be connected and new orders are accepted only if the installation has opted in (EXPERIMENTAL_ORDERS). NONE: it accepts no orders. Market data is available regardless
    orders: Literal["PROVEN", "EXPERIMENTAL", "NONE"]
    # What is not proven yet; null where orders are PROVEN
    ordersMissing: str | None
    # This installation connects accounts there and sends new orders: they are PROVEN, or it has opted in
    takesOrders: bool
    # Accepted order types
    orderTypes: list[str]
    # Accepted times in force
    timesInForce: list[str]
    # Whether GTX and LIMIT_MAKER are accepted
    postOnly: bool
    # The venue's test environment, itself a venue here; null: it has none, or is one
    sandboxVenue: str | None
    # The venue refuses an order that arrives later than this; null: it has no such limit
    orderExpiryMillis: Int | None
    # Whether the venue has market orders; if not, MARKET is refused
    marketOrders: bool
    # Times in force that the venue itself enforces
    nativeTimesInForce: list[Literal["GTC", "IOC", "FOK", "GTD", "DAY", "GTX"]]
    # Who watches the trigger of such an order. orderTypes lists the accepted types
    triggers: VenueCapabilityTriggers
    # Whether the venue accepts take-profit and stop-loss with the entry order
    attachedExits: bool
    # Who cancels one leg of a pair of exits when the other executes. NATIVE: the venue, also while the gateway is down; the exits of an entry are sent to it once the entry has ended
    oco: Literal["NATIVE", "EMULATED"]
    # The venue accepts a market buy sized in the quote asset
    marketBuyByCost: bool
    # The venue accepts market buys only if sized in the quote asset
    marketBuyNeedsCost: bool
    # Whether the venue can amend a working order
    amend: bool
    # NATIVE: the venue cancels all orders in one request. EMULATED: the gateway cancels one after the other
    cancelAll: Literal["NATIVE", "EMULATED"]
    # Who cancels all orders when the client does not renew. NATIVE: the venue, also while the gateway is down
    cancelAllAfter: Literal["NATIVE", "EMULATED"]
    # Client order ids that the venue stores with an order; generated by the gateway. null: it stores none
    clientOrderIds: VenueCapabilityClientOrderIds | None
    streams: VenueCapabilityStreams
    # How a lost order book update is detected. NONE: the venue offers no means; only a crossed or silent book reveals it
    bookContinuity: Literal["SEQUENCE", "CHECKSUM", "NONE"]


class VenueCapabilityTriggers(TypedDict):
    """Who watches the trigger of such an order. orderTypes lists the accepted types"""

    # NATIVE: the venue itself, also while the gateway is down. EMULATED: the gateway
    stop: Literal["NATIVE", "EMULATED"]
    # NATIVE: the venue itself, also while the gateway is down. EMULATED: the gateway
    takeProfit: Literal["NATIVE", "EMULATED"]
    # NATIVE: the venue itself, also while the gateway is down. EMULATED: the gateway
    trailing: Literal["NATIVE", "EMULATED"]


class VenueCapabilityClientOrderIds(TypedDict):
    # TEXT: letters, digits and signs such as - and _
    form: Literal["TEXT", "ALPHANUMERIC", "UUID", "INTEGER"]
    # Characters; null: not known
    lengthMax: Int | None
    # Which ids the venue refuses as duplicates: ever used, used on the same day (UTC), used by an open order, or none; null: not known
    unique: Literal["ALWAYS", "DAY", "OPEN", "NO"] | None


class VenueCapabilityStreams(TypedDict):
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    orderBook: Literal["STREAM", "POLLED", "DERIVED", "NONE"]
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    trades: Literal["STREAM", "POLLED", "DERIVED", "NONE"]
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    ticker: Literal["STREAM", "POLLED", "DERIVED", "NONE"]
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    klines: Literal["STREAM", "POLLED", "DERIVED", "NONE"]
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    orders: Literal["STREAM", "POLLED", "DERIVED", "NONE"]
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    executions: Literal["STREAM", "POLLED", "DERIVED", "NONE"]
    # STREAM: the venue pushes it. POLLED: the gateway queries it, periodically or when the venue signals a change. DERIVED: computed from the venue's trades. NONE: not available
    balances: Literal["STREAM", "POLLED", "DERIVED", "NONE"]


class OrderBook(TypedDict):
    updateType: Literal["SNAPSHOT", "DIFF"]
    instrumentId: str
    venue: str
    symbol: str
    orderBookType: Literal["L2"]
    columns: list[str]
    bids: list[list[str]]
    asks: list[list[str]]
    timestamp: Int
    sequence: Int
    previousSequence: Int | None
    quality: Literal["SYNCED", "RESYNCING", "STALE"]
    coveredRange: NotRequired[OrderBookRange]


class OrderBookRange(TypedDict):
    lowestBid: str | None
    highestAsk: str | None
    levels: Int | None


class Ticker(TypedDict):
    instrumentId: str
    venue: str
    symbol: str
    lastPrice: str | None
    lastQuantity: str | None
    bidPrice: str | None
    bidQuantity: str | None
    askPrice: str | None
    askQuantity: str | None
    timestamp: Int
    isStale: NotRequired[Literal[True]]


class Kline(TypedDict):
    instrumentId: str
    venue: str
    symbol: str
    interval: Literal["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M"]
    candles: list[Candle]
    isClosed: bool
    timestamp: Int


Candle: TypeAlias = "list[Int | str]"


class SubscribeOrderBook(TypedDict):
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: str
    # Extension: of the same venue; the subscription ends when this account is disconnected
    tradingAccountId: NotRequired[str | None]


class OrderBookSubscription(TypedDict):
    subscriptionId: str
    venue: str
    tradingAccountId: str | None
    instrumentId: str
    subscriptionType: Literal["MARKET.SUBSCRIPTION.ORDERBOOK"]
    status: Literal["ACTIVE", "INACTIVE"]
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    lastEventTimestamp: Int | None
    lastEventTimestampDateTime: str | None


class UnsubscribeOrderBook(TypedDict):
    subscriptionId: NotRequired[str | None]
    tradingAccountId: NotRequired[str | None]
    instrumentId: NotRequired[str | None]


class CreateDealer(TypedDict):
    name: str
    # A pair is quoted when its base or its quote asset is among them
    baseCurrencies: list[str]
    # Maximum unhedged exposure, in the risk currency; absent: no limit
    riskThreshold: NotRequired[str | None]
    config: NotRequired[DealerConfig | None]


class DealerConfig(TypedDict):
    # By pricingProfileId; at most 100. Requests may name only those listed in clientPricingProfiles
    pricingProfiles: NotRequired[Mapping[str, PricingProfile]]
    # The profile for requests that name none; if absent, markupBps is 10
    defaultPricingProfile: NotRequired[str]
    # Profiles that a request may name besides the default; absent or empty: none, so that clients cannot choose their markup
    clientPricingProfiles: NotRequired[list[str]]
    # Currency in which exposure is valued; default: the first of baseCurrencies
    riskCurrency: NotRequired[str]
    # Users who can view the whole dealer and link accounts of their own
    operators: NotRequired[list[UUID]]
    # Fee of a hedge, by venue; 10 for a venue not named
    takerFeeBpsByVenue: NotRequired[Mapping[str, Int | str]]
    hedge: NotRequired[HedgeSettings]
    pricing: NotRequired[PricingSettings]
    caps: NotRequired[QuoteCaps]


class PricingProfile(TypedDict):
    # Markup on the book's price; default 10
    markupBps: NotRequired[Int | str]
    # Markup per second that the quote is firm; default 0.1 per second beyond the first 10
    ttlBps: NotRequired[Int | str]
    # Maximum price × quantity of a quote, in its quote asset
    maxNotional: NotRequired[str]
    # Minimum price × quantity of a quote, in its quote asset
    minNotional: NotRequired[str]


class HedgeSettings(TypedDict):
    # How far beyond the last level of the priced walk a hedge may go; default 25
    slippageBps: NotRequired[Int | str]
    # Delay between attempts for the remaining quantity; default 500
    repriceMs: NotRequired[Int]
    # Attempts at a limit price; default 10
    attemptsMax: NotRequired[Int]
    # Hedge the rest at market after the last attempt; default false
    allowMarket: NotRequired[bool]
    # How long to wait for offsetting exposure before a hedge is sent; default 0
    nettingWindowMs: NotRequired[Int]
    # When all attempts fail the exposure stays open and is retried after this time; default 10000
    retryMs: NotRequired[Int]


class PricingSettings(TypedDict):
    # Allows prices from accounts on INTERNAL, MOCK and PAPER, whose books clients can move, and on test networks (_UAT), and hedges there. INTERNAL has the ledger's own money and may be combined with real venues (with ENVIRONMENT=UAT with test networks); MOCK and PAPER, and test networks, may not, nor with each other in one dealer; default false
    allowSimulatedVenues: NotRequired[bool]
    # Maximum deviation of a book from the median of all fresh books, in percent; a book beyond it is not used for pricing, and of two books that differ by more neither is; above 0, at most 100, default 5
    collarPercent: NotRequired[Int | str]


class QuoteCaps(TypedDict):
    # Maximum number of open firm quotes; the installation's own limit applies as well
    openQuotes: NotRequired[Int]
    # The same per user, over all accounts
    openQuotesPerUser: NotRequired[Int]
    # Percentage of the dealer's limits on quotes, inventory and risk available to quotes whose clients lacked the funds at the time of the quote; default 10; 0: no such quotes
    uncoveredPercent: NotRequired[Int]
    # The same per trading account
    openQuotesPerClient: NotRequired[Int]


class Dealer(TypedDict):
    dealerAccountId: str
    name: str
    status: Literal["ACTIVE", "PAUSED", "ARCHIVED"]
    baseCurrencies: list[str]
    riskThreshold: str | None
    linkedAccountIds: list[str] | None
    config: DealerConfig | None
    ownerUserId: str | None
    tradingAccountId: str | None
    walletId: str | None
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str


class DealerDetail(TypedDict):
    dealerAccountId: str
    name: str
    status: Literal["ACTIVE", "PAUSED", "ARCHIVED"]
    baseCurrencies: list[str]
    riskThreshold: str | None
    linkedAccountIds: list[str] | None
    config: DealerConfig | None
    ownerUserId: str | None
    tradingAccountId: str | None
    walletId: str | None
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    # Extension: firm quotes that are still open
    openQuotes: Int | None
    # Extension: positions, exposure and profit, by pair
    hedging: list[HedgeReport] | None


class HedgeReport(TypedDict):
    # <BASE>/<QUOTE>
    symbol: str
    # FLAT: no exposure. ACCUMULATING: the exposure is below the venue's minimum order. HEDGING: an order is working, or the next is about to be sent. IN_DOUBT: the outcome of an order is not known and its account is being queried. OPEN: attempts failed, the next ones follow later. CARRIED: all possible exposure is in doubt at accounts that can no longer be queried
    state: Literal["FLAT", "ACCUMULATING", "HEDGING", "IN_DOUBT", "OPEN", "CARRIED"]
    # Age of the oldest open or doubtful exposure; null if there is none
    ageMs: Int | None
    # In base, executed with clients and not hedged, or charged by a venue as its fee: above zero long, below zero short
    position: str
    # In base: what hedges in doubt at accounts that can no longer be queried may have bought (above zero) or sold. It is not part of position and is not hedged a second time
    carried: str
    # Hedges whose outcome is not known, oldest first: dealer/hedge/resolve settles them
    inDoubt: list[HedgeInDoubt]
    # Size of the position at the book's mid price, in the quote asset; null without a book
    exposure: str | None
    # What clients paid above the walked book prices
    spreadCaptured: str
    # What hedges cost above the walked book prices, including fees in base; below zero: they cost less
    hedgeSlippage: str
    # Of the position, at the book's mid price; null without a book
    unrealised: str | None
    # spreadCaptured − hedgeSlippage + unrealised, before fees in assets other than base
    profit: str | None
    # Fees charged for hedges. Fees in base are already part of position and profit: they are hedged as well
    fees: list[HedgeReportFeesItem]
    # Executed quotes that make up the position, oldest first; at most 100
    openQuoteIds: list[str]
    # Working hedges, as tradeOrderId; without those carried or resolved by an admin
    openHedgeIds: list[str]
    # Why the newest attempt hedged nothing
    trouble: str | None


class HedgeReportFeesItem(TypedDict):
    asset: str
    quantity: str


class HedgeInDoubt(TypedDict):
    tradeOrderId: str
    tradingAccountId: str
    orderSide: Literal["BUY", "SELL"]
    # In base: the quantity it may have executed beyond what is known
    quantity: str
    # Its account can no longer be queried: this part is not hedged again until dealer/hedge/resolve settles it
    isCarried: bool
    # Time since it was submitted
    ageMs: int


class UpdateDealer(TypedDict):
    dealerAccountId: str
    # updatedAt of the record that the change is based on: a dealer changed since then is not overwritten
    updatedAt: int
    config: DealerConfig


class ByDealer(TypedDict):
    dealerAccountId: str


class DealerAccountLink(TypedDict):
    dealerAccountId: str
    tradingAccountId: str


class AccountFunding(TypedDict):
    dealerAccountId: str
    tradingAccountId: str
    # An asset, for example BTC
    asset: str
    # Amount by which the balance will change: for a withdrawal including the venue's fee
    amount: str
    direction: Literal["DEPOSIT", "WITHDRAWAL"]


class Funding(TypedDict):
    fundingId: UUID
    dealerAccountId: str
    tradingAccountId: str
    asset: str
    direction: Literal["DEPOSIT", "WITHDRAWAL"]
    amount: str
    # Amount seen at the venue and posted
    settledAmount: str
    createdAt: Int
    createdAtDateTime: str
    # What has not appeared by then is reported, and later changes count as unexplained
    expireAt: int
    expireAtDateTime: str


class ResolveHedge(TypedDict):
    dealerAccountId: str
    # The hedge: one of inDoubt in dealer/get
    tradeOrderId: str
    # In base, the total executed quantity; "0": nothing. For a buy, net of the venue fee in base if the venue has not reported it. At least what the venue has reported, at most what was ordered
    executedQuantity: str
    # Price per unit of base; required unless executedQuantity is 0
    averagePrice: NotRequired[str | None]


class RequestQuote(TypedDict):
    dealerAccountId: str
    # Your account on INTERNAL; absent: the only ACTIVE one
    traderAccountId: NotRequired[str | None]
    # INTERNAL:<BASE>/<QUOTE> (for a tenant other than the installation's own …@<TENANT>), or the same pair at one of the dealer's venues
    instrumentId: NotRequired[str | None]
    # With quoteAsset instead of instrumentId
    baseAsset: NotRequired[str | None]
    quoteAsset: NotRequired[str | None]
    orderSide: Literal["BUY", "SELL", "UNKNOWN"]
    # In base; this or quoteQuantity
    quantity: NotRequired[str | None]
    # In quote asset; this or quantity
    quoteQuantity: NotRequired[str | None]
    # A repeat with the same content returns the existing quote
    quoteRequestId: NotRequired[str | None]
    # Seconds, 1 to 300, default 10; or expireAt
    ttl: NotRequired[Int | None]
    # ISO 8601, 1 to 300 s ahead; or ttl
    expireAt: NotRequired[str | None]
    # One of the dealer's config.clientPricingProfiles, or its default, spelled exactly; any other gives -140003
    pricingProfileId: NotRequired[str | None]


class Quote(TypedDict):
    quoteId: str
    quoteRequestId: str | None
    externalQuoteId: str | None
    venue: str
    instrumentId: str
    dealerAccountId: str
    traderAccountId: str
    baseAsset: str
    quoteAsset: str
    orderSide: Literal["BUY", "SELL"]
    quantityType: Literal["BASE", "QUOTE"]
    quantity: str | None
    quoteQuantity: str | None
    price: str | None
    status: Literal["CREATED", "ACCEPTED", "EXECUTED", "REJECTED", "EXPIRED", "CANCELLED"]
    rejectReason: Literal["INSUFFICIENT_LIQUIDITY", "BEYOND_COVERED_RANGE", "RISK_LIMIT", "INSUFFICIENT_INVENTORY", "NOTIONAL_LIMIT"] | None
    # Extension: -140006 for INSUFFICIENT_LIQUIDITY and BEYOND_COVERED_RANGE, -140007 for RISK_LIMIT
    rejectErrno: Int | None
    pricingProfileId: str | None
    # Extension: the order that executed it
    tradeOrderId: str | None
    # Extension: how the price was made
    receipt: PricingReceipt | None
    createdAt: Int
    createdAtDateTime: str
    updatedAt: Int
    updatedAtDateTime: str
    expireAt: Int
    expireAtDateTime: str | None


class PricingReceipt(TypedDict):
    # Visible to the dealer's side, otherwise null
    tradingAccountId: str | None
    venue: str
    instrumentId: str
    bookAt: Int
    bookAtDateTime: str
    # [price, quantity] used from each of the first 20 levels, best first; visible to the dealer's side, otherwise null. Quotes made by older versions of the gateway have all levels
    levels: list[list[str]] | None
    # Summary of the levels used after the first 20: their number, and the total base and quote asset; null if there were none or levels is null
    levelsBeyond: LevelsBeyond | None
    walkedPrice: str | None
    worstPrice: str | None
    takerFeeBps: str | None
    markupBps: str | None
    ttlBps: str | None


class LevelsBeyond(TypedDict):
    count: Int
    quantity: str
    cost: str


class CreateWallet(TypedDict):
    nickname: NotRequired[str | None]


class Wallet(TypedDict):
    walletId: str
    walletType: Literal["CLIENT", "DEALER", "EXCHANGE", "ACCOUNTING"]
    status: Literal["ACTIVE", "FROZEN", "CLOSED"]
    # FROZEN, or frozen when it was closed
    frozen: bool
    allowNegative: bool
    userId: str | None
    dealerAccountId: str | None
    metadata: Mapping[str, str]
    # By asset; assets with a zero balance are omitted
    balances: list[WalletBalance]
    createdAt: Int
    createdAtDateTime: str
    # Time of the last change of its status, or of the last transfer or hold of any asset
    updatedAt: int
    updatedAtDateTime: str


class WalletBalance(TypedDict):
    asset: str
    # available + held
    balance: str
    available: str
    held: str


class WalletTransfer(TypedDict):
    sourceWalletId: str
    destWalletId: str
    # An asset, for example BTC
    asset: str
    amount: str


class WalletDeposit(TypedDict):
    walletId: str
    # An asset, for example BTC
    asset: str
    amount: str


class WalletWithdrawal(TypedDict):
    walletId: str
    # An asset, for example BTC
    asset: str
    amount: str


class FreezeWallet(TypedDict):
    walletId: str


class UnfreezeWallet(TypedDict):
    walletId: str


class CloseWallet(TypedDict):
    walletId: str


class WalletTransferRecord(TypedDict):
    transferId: str
    walletId: str
    # DEBIT: out of this wallet
    direction: Literal["DEBIT", "CREDIT"]
    # null: not visible to you
    counterWalletId: str | None
    # pending: a hold; post ends it and moves all or part of its amount, void ends it and moves nothing
    kind: Literal["single", "pending", "post", "void"]
    # The hold that this transfer ends
    pendingId: str | None
    asset: str
    # For a void: the amount released
    amount: str
    code: Literal["DEPOSIT", "WITHDRAWAL", "TRANSFER", "HOLD", "RELEASE", "EXPIRY", "TRADE", "FEE", "QUOTE", "QUOTE_RESERVATION", "EXCHANGE", "HEDGE", "OPENING", "FUNDING", "ADJUSTMENT", "SHORTFALL", "CORRECTION", "POSITION", "PROFIT"]
    reference: str | None
    expiresAt: Int | None
    expiresAtDateTime: str | None
    createdAt: Int
    createdAtDateTime: str


class AdminUser(TypedDict):
    id: str
    email: str
    phone: str | None
    emailConfirmedAt: str | None
    phoneConfirmedAt: str | None
    lastSignInAt: str | None
    createdAt: str
    updatedAt: str
    role: Literal["authenticated"]
    appMetadata: AdminUserAppMetadata
    userMetadata: Mapping[str, Any]
    newEmail: NotRequired[str]
    identities: list[AdminUserIdentitiesItem]
    permissions: list[Literal["read", "write", "admin"]]
    bannedAt: str | None
    banReason: str | None
    # Since when sign-ins need one; null: they do not
    secondFactorAt: str | None


class AdminUserAppMetadata(TypedDict):
    tenantId: str
    environments: list[str]


class AdminUserIdentitiesItem(TypedDict):
    id: str
    userId: str
    identityData: AdminUserIdentitiesItemIdentityData
    provider: Literal["email"]
    lastSignInAt: str | None
    createdAt: str
    updatedAt: str


class AdminUserIdentitiesItemIdentityData(TypedDict):
    email: str


class BanUser(TypedDict):
    userId: NotRequired[UUID | None]
    # Instead of userId
    email: NotRequired[str | None]
    reason: NotRequired[str | None]


class UnbanUser(TypedDict):
    userId: NotRequired[UUID | None]
    # Instead of userId
    email: NotRequired[str | None]


class ChangeRight(TypedDict):
    userId: NotRequired[UUID | None]
    # Instead of userId
    email: NotRequired[str | None]
    permission: Literal["read", "write", "admin"]


class SignOutUser(TypedDict):
    userId: NotRequired[UUID | None]
    # Instead of userId
    email: NotRequired[str | None]


class ResetSecondFactor(TypedDict):
    userId: NotRequired[UUID | None]
    # Instead of userId
    email: NotRequired[str | None]


class NetworkList(TypedDict):
    # null: the list of your tenant, for all its users
    userId: str | None
    # CIDRs; empty: any address
    ipAllow: list[str]


class AllowNetwork(TypedDict):
    # Absent: your tenant's list
    userId: NotRequired[UUID | None]
    # An address or a CIDR
    network: str


class ForgetNetwork(TypedDict):
    # Absent: your tenant's list
    userId: NotRequired[UUID | None]
    # An address or a CIDR
    network: str


class Tenant(TypedDict):
    tenantId: str
    # The installation's own (DEFAULT_TENANT_ID): its admins create tenants
    isHome: bool
    users: Int
    createdAt: Int
    createdAtDateTime: str


class CreateTenant(TypedDict):
    tenantId: str


class MoveUser(TypedDict):
    userId: NotRequired[UUID | None]
    # Instead of userId
    email: NotRequired[str | None]
    tenantId: str


class OrderStory(TypedDict):
    # The order's status; REFUSED: no order was created
    outcome: str
    # Why it was refused, rejected or cancelled
    reason: str | None
    tradingAccountId: str
    tradeOrder: TradeOrder | None
    # Sorted by time
    steps: list[OrderStoryStepsItem]
    # What is not stored, or no longer stored
    notKept: list[str]


class OrderStoryStepsItem(TypedDict):
    at: Int
    atDateTime: str
    stage: Literal["REQUEST", "CHECKS", "COMMIT", "VENUE", "EVIDENCE", "FILL", "EVENT", "QUARANTINE", "END"]
    what: str


class Status(TypedDict):
    at: Int
    tradingMode: TradingMode
    # Longest event loop delay of the main thread in the last 10 to 20 s
    loopDelayMs: float
    # Counts by state; inDoubt: orders whose outcome is not known
    actors: StatusActors
    connectors: list[ConnectorStatus]
    threads: list[ThreadStatus]


class StatusActors(TypedDict):
    """Counts by state; inDoubt: orders whose outcome is not known"""

    accounts: Mapping[str, Int]
    dealers: Mapping[str, Int]


class ConnectorStatus(TypedDict):
    connector: str
    venue: str
    thread: str | None
    state: Literal["idle", "starting", "up", "waiting", "stopped"]
    restarts: Int
    streams: Int
    sessions: Int
    # Requests to the venue that have no response yet
    callsInFlight: int
    # Gaps detected in the venue's stream sequences
    gaps: int
    # Stream interruptions
    losses: int
    resyncs: Int
    # Share of the venue's request budget in use, 0 to 1
    budgetUsed: float | None
    # Remaining time of a pause requested by the venue
    budgetPausedMs: int
    # Requests waiting for the budget, by purpose
    waiting: Mapping[str, Int]
    # Responses of the venue: ok, limited, refused, failed
    answers: Mapping[str, Int]


class ThreadStatus(TypedDict):
    thread: str
    state: Literal["starting", "up", "down"]
    connectors: list[str]
    deaths: Int
    # Longest delay in the last 10 to 20 s
    loopDelayMs: float
    # Share of that time in which its event loop was busy, 0 to 1
    busy: float
    heapUsedBytes: Int
    heapMaxBytes: Int


class SetTradingMode(TypedDict):
    tradingMode: TradingMode
    reason: NotRequired[str | None]


class TradingModeRecord(TypedDict):
    tradingMode: TradingMode
    reason: str | None
    changedAt: Int
    changedAtDateTime: str


class AuditRecord(TypedDict):
    actId: str
    # The hash chain that contains the row
    lane: str
    # Its position in the chain, from 1 without gaps
    number: int
    at: Int
    atDateTime: str
    action: str
    # ok, or the name of the failure: the act was not performed
    result: str
    # OPERATOR: the command line; SYSTEM: the gateway itself
    actorKind: Literal["USER", "OPERATOR", "SYSTEM"]
    # Who performed the act
    userId: str | None
    sessionId: str | None
    keyId: str | None
    # The actor's
    tenantId: str | None
    ip: str | None
    # On the command line: the operating system account it ran under
    userAgent: str | None
    # The gateway's own id of the request: callId of the access log
    requestId: str | None
    # The client's own id of the request
    clientRequestId: str | None
    objectType: str | None
    objectId: str | None
    objectTenantId: str | None
    # The other party: the second wallet of a transfer, the linked account
    otherId: str | None
    asset: str | None
    amount: str | None
    # Further details: a right, a mode and its reason, a venue
    what: str | None


class OpenConsole(TypedDict):
    email: str
    password: str
    totpCode: NotRequired[str | None]


class ConsoleSession(TypedDict):
    accessToken: str
    # In seconds since the Unix epoch
    expiresAt: int
    # An admin's page ends the session when it was not touched for so long (ADMIN_IDLE_MINUTES). Null: it does not
    idleSeconds: Int | None
    mode: Literal["off", "read", "on"]
    # The user's permissions. If the console's mode is read, only read operations are performed
    permissions: list[Literal["read", "write", "admin"]]
    user: User


class Failure(TypedDict):
    success: Literal[False]
    # Negative; identifies the failure. Numbers are never reused
    errno: int
    # A description of the failure
    error: str
    data: None
    details: FailureDetails


class FailureDetails(TypedDict):
    # The failure's upper-case name, for example INVALID_TOKEN
    code: str
    resource: str
    action: str
    # Equal to the header X-Request-ID
    request_id: str
    # A machine-readable reason, on failures that have one
    reason: NotRequired[str]
    # Fields specific to this failure
    metadata: Mapping[str, Any]
    # Permissions needed
    required: NotRequired[list[str]]
    # Permissions held
    provided: NotRequired[list[str]]


class AccountExecution(TypedDict):
    executionId: str
    externalTradeId: str
    venue: str
    instrumentId: str
    orderSide: str
    executedQuantity: str
    executedPrice: str
    executedCost: str
    fees: list[Fee]
    # Accounts for an executed quantity for which the venue has not reported a trade yet
    inferred: bool
    # executionId of the inferred execution that this one replaces: the inferred one no longer counts and is no longer listed
    replaces: str | None
    executedAt: Int
    executedAtDateTime: str
    tradeOrderId: str


Reconciliation = TypedDict(
    "Reconciliation",
    {
        "from": "Int",
        "to": "Int",
        "backfilledExecutions": "Int",
        "correctedOrders": "Int",
    },
)


class AccountAlert(TypedDict):
    code: Literal["UNPROTECTED_POSITION", "EXIT_ABOVE_POSITION", "TRIGGERED_ORDER_REJECTED", "TRIGGER_NOT_WATCHED", "TRIGGERS_STALE", "TRIGGER_HISTORY_UNKNOWN", "NOT_REPLACED", "DEAD_MAN_SWITCH", "OVERFILL", "FILL_AFTER_REJECT", "FILL_AFTER_REPLACE", "LATE_APPEARANCE", "OPEN_AFTER_END", "ORDER_LEFT_IN_DOUBT", "CREDENTIAL_REFUSED", "HEDGE_OPEN", "BOOK_OUT_OF_LINE", "ACCOUNT_IGNORED", "BALANCE_SHORTFALL", "FUNDING_EXPIRED", "MIRROR_FROZEN"]
    severity: Literal["WARNING", "CRITICAL"]
    message: str
    tradeOrderId: str | None


class OrderBookSnapshot(TypedDict):
    updateType: Literal["SNAPSHOT"]
    instrumentId: str
    venue: str
    symbol: str
    orderBookType: Literal["L2"]
    columns: list[str]
    bids: list[list[str]]
    asks: list[list[str]]
    timestamp: Int
    sequence: Int
    previousSequence: None
    quality: Literal["SYNCED", "RESYNCING", "STALE"]
    coveredRange: NotRequired[OrderBookRange]


class OrderBookDiff(TypedDict):
    updateType: Literal["DIFF"]
    instrumentId: str
    venue: str
    symbol: str
    orderBookType: Literal["L2"]
    columns: list[str]
    bids: list[list[str]]
    asks: list[list[str]]
    timestamp: Int
    sequence: Int
    previousSequence: Int
    quality: Literal["SYNCED", "RESYNCING", "STALE"]
    coveredRange: NotRequired[OrderBookRange]


class OrderBookLevel(TypedDict):
    side: Literal["bids", "asks"]
    price: str
    quantity: str
    orderCount: str


class OrderBookState(TypedDict):
    sequence: Int
    timestamp: Int
    quality: Literal["SYNCED", "RESYNCING", "STALE"]
    coveredRange: NotRequired[OrderBookRange]


class Trade(TypedDict):
    tradeId: str
    externalTradeId: str
    instrumentId: str
    venue: str
    symbol: str
    price: str
    quantity: str
    side: Literal["BUY", "SELL", "UNKNOWN"]
    timestamp: Int
    timestampDateTime: str
    sequence: Int


class LiveKline(TypedDict):
    instrumentId: str
    venue: str
    symbol: str
    interval: Literal["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M"]
    candles: list[Candle]
    isClosed: Literal[False]
    timestamp: Int


class ClosedKline(TypedDict):
    instrumentId: str
    venue: str
    symbol: str
    interval: Literal["1s", "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "3d", "1w", "1M"]
    candles: list[Candle]
    isClosed: Literal[True]
    timestamp: Int


class TradeOrderEvent(TypedDict):
    kind: Literal["TRADE_ORDER.CREATED", "TRADE_ORDER.SUBMITTED", "TRADE_ORDER.ACCEPTED", "TRADE_ORDER.PARTIALLY_FILLED", "TRADE_ORDER.FILLED", "TRADE_ORDER.CANCELLED", "TRADE_ORDER.PENDING_CANCEL", "TRADE_ORDER.REPLACED", "TRADE_ORDER.PENDING_REPLACE", "TRADE_ORDER.REJECTED", "TRADE_ORDER.EXPIRED", "TRADE_ORDER.REVOKED", "TRADE_ORDER.UNKNOWN", "TRADE_ORDER.LATE_FILL", "TRADE_ORDER.TRIGGERED"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: TradeOrder


class ExecutionCreatedEvent(TypedDict):
    kind: Literal["EXECUTION.CREATED"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: AccountExecution


class PortfolioUpdatedEvent(TypedDict):
    kind: Literal["PORTFOLIO.UPDATED"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: list[PortfolioPosition]


class TradingAccountUpdatedEvent(TypedDict):
    kind: Literal["TRADING_ACCOUNT.UPDATED"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: TradingAccount


class TradingAccountReconciledEvent(TypedDict):
    kind: Literal["TRADING_ACCOUNT.RECONCILED"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: Reconciliation


class TradingAccountAlertEvent(TypedDict):
    kind: Literal["TRADING_ACCOUNT.ALERT"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: AccountAlert


class QuoteUpdatedEvent(TypedDict):
    kind: Literal["QUOTE.UPDATED"]
    eventId: str
    sequence: Int
    tradingAccountId: str
    timestamp: Int
    timestampDateTime: str
    data: Quote


AccountEvent: TypeAlias = "TradeOrderEvent | ExecutionCreatedEvent | PortfolioUpdatedEvent | TradingAccountUpdatedEvent | TradingAccountReconciledEvent | TradingAccountAlertEvent | QuoteUpdatedEvent"


class CredentialListQuery(TypedDict):
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: NotRequired[str]
    # For admins: that user's records instead of your own
    userId: NotRequired[str]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class TradingAccountListQuery(TypedDict):
    tradingAccountId: NotRequired[str]
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: NotRequired[str]
    accountStatus: NotRequired[Literal["NEW", "CREATED", "ACTIVE", "INACTIVE", "LOCKED", "DISCONNECTED", "UNAVAILABLE"]]
    userId: NotRequired[str]
    tenantId: NotRequired[str]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class TradingAccountPortfolioListQuery(TypedDict):
    # A tradingAccountId
    tradingAccountId: NotRequired[str]
    # For admins: that user's records instead of your own
    userId: NotRequired[str]
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: NotRequired[str]
    # An asset code; returned even if its balance is zero
    currency: NotRequired[str]
    # Records per page: 1 to 100, default 10
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class TradeOrderGetQuery(TypedDict):
    tradingAccountId: NotRequired[str]
    tradeOrderId: NotRequired[str]
    # Needs tradingAccountId
    clientOrderId: NotRequired[str]


class TradeOrderListQuery(TypedDict):
    tradeOrderId: NotRequired[str]
    clientOrderId: NotRequired[str]
    # The children of a contingent order, or both legs of a pair without a parent
    orderListId: NotRequired[str]
    # OPEN, PENDING and CANCELLED select every state displayed under that name; formal states match exactly
    orderStatus: NotRequired[Literal["CREATED", "SUBMITTED", "ACCEPTED", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "PENDING_CANCEL", "REPLACED", "PENDING_REPLACE", "REJECTED", "EXPIRED", "REVOKED", "UNKNOWN", "PENDING", "OPEN"]]
    # The reference's name for orderStatus
    status: NotRequired[Literal["CREATED", "SUBMITTED", "ACCEPTED", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "PENDING_CANCEL", "REPLACED", "PENDING_REPLACE", "REJECTED", "EXPIRED", "REVOKED", "UNKNOWN", "PENDING", "OPEN"]]
    tradingAccountId: NotRequired[str]
    # For admins: that user's records instead of your own
    userId: NotRequired[str]
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: NotRequired[str]
    # createdAt from here on, ms, inclusive
    startTime: NotRequired[Int]
    # createdAt up to here, ms, inclusive
    endTime: NotRequired[Int]
    # Extension: updatedAt from here on, ms, inclusive; includes archived orders. The list is still sorted by createdAt, so an order that changes while you page appears on exactly one page. A change becomes visible once stored, slightly after its updatedAt: query from about 10 s before the newest that you have
    updatedSince: NotRequired[Int]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]
    # Oldest first; default false
    ascending: NotRequired[bool]


class MarketInstrumentListQuery(TypedDict):
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: NotRequired[str]
    symbol: NotRequired[str]
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: NotRequired[str]
    securityType: NotRequired[str]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class MarketVenueCapabilityListQuery(TypedDict):
    # A venue identifier, for example BINANCE, BINANCE_UAT or MOCK
    venue: NotRequired[str]


class MarketOrderbookGetQuery(TypedDict):
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: str
    # Rows per side: 1 to 1000, default 10
    depth: NotRequired[Int]


class MarketOrderbookListQuery(TypedDict):
    # an array of at most 100 item(s)
    instrumentIds: list[str]
    # Rows per side: 1 to 1000, default 10
    depth: NotRequired[Int]


class MarketTickerGetQuery(TypedDict):
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: str


class MarketTickerListQuery(TypedDict):
    # an array of at most 100 item(s)
    instrumentIds: NotRequired[list[str]]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


MarketKlineGetQuery = TypedDict(
    "MarketKlineGetQuery",
    {
        "instrumentId": "str",
        "interval": "str",
        "from": "NotRequired[Int]",
        "to": "NotRequired[Int]",
        "limit": "NotRequired[Int]",
    },
)


class MarketSubscriptionOrderbookListQuery(TypedDict):
    # <VENUE>:<BASE>/<QUOTE>; for an INTERNAL market of a tenant other than the installation's own: …@<TENANT>
    instrumentId: NotRequired[str]
    # For admins: that user's records instead of your own
    userId: NotRequired[str]


class DealerGetQuery(TypedDict):
    dealerAccountId: str


class DealerListQuery(TypedDict):
    status: NotRequired[Literal["ACTIVE", "PAUSED", "ARCHIVED"]]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class QuoteGetQuery(TypedDict):
    quoteId: str


class QuoteListQuery(TypedDict):
    # All quotes of a dealer that you administer or operate; otherwise your own quotes from it
    dealerAccountId: NotRequired[str]
    traderAccountId: NotRequired[str]
    # For admins: that user's records instead of your own
    userId: NotRequired[str]
    status: NotRequired[Literal["CREATED", "ACCEPTED", "EXECUTED", "REJECTED", "EXPIRED", "CANCELLED"]]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class WalletGetQuery(TypedDict):
    walletId: str


class WalletListQuery(TypedDict):
    walletType: NotRequired[Literal["CLIENT", "DEALER", "EXCHANGE", "ACCOUNTING"]]
    userId: NotRequired[str]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class WalletTransferListQuery(TypedDict):
    walletId: str
    # An asset, for example BTC
    asset: NotRequired[str]
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0, at most 10000: use the cursor beyond that
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class AdminUserListQuery(TypedDict):
    # Records per page: 1 to 1000, default 50
    limit: NotRequired[Int]
    # Records to skip, default 0, at most 10000: use the cursor beyond that
    offset: NotRequired[Int]
    # pagination.cursor of the previous page; omitted filters are those of the first request
    cursor: NotRequired[str]


class AdminUserSessionListQuery(TypedDict):
    userId: UUID


class AdminNetworkListQuery(TypedDict):
    userId: NotRequired[UUID]


class AdminOrderGetQuery(TypedDict):
    # tradeOrderId, or the gateway's own id of a refused request (callId of the access log); with tradingAccountId also clientOrderId, idempotencyKey, the venue's id of the order, or X-Request-ID
    id: str
    tradingAccountId: NotRequired[str]
    # Only account events with a later sequence number: for when the history says that it is cut
    eventsAfter: NotRequired[Int]


AuditListQuery = TypedDict(
    "AuditListQuery",
    {
        "actorKind": "NotRequired[Literal['USER', 'OPERATOR', 'SYSTEM']]",
        "userId": "NotRequired[str]",
        "action": "NotRequired[Literal['user.setup', 'user.grant', 'user.revoke', 'user.environments', 'user.move', 'user.signout', 'user.ban', 'user.unban', 'factor.enrol', 'factor.confirm', 'factor.remove', 'factor.reset', 'codes.renew', 'ip.allow', 'ip.forget', 'tenant.create', 'credential.create', 'credential.revoke', 'apiKey.create', 'apiKey.revoke', 'account.connect', 'account.disconnect', 'instrument.create', 'instrument.retire', 'instrument.sync', 'keys.rotate_encryption', 'keys.rotate_signing', 'keys.rotate_cursor', 'keys.retire', 'keys.abandon', 'keys.taken', 'tradingMode.set', 'orders.archive', 'database.write', 'dealer.create', 'dealer.update', 'dealer.pause', 'dealer.resume', 'dealer.archive', 'dealer.link', 'dealer.unlink', 'dealer.fund', 'dealer.resolve_hedge', 'wallet.create', 'wallet.freeze', 'wallet.unfreeze', 'wallet.close', 'wallet.deposit', 'wallet.withdraw', 'wallet.transfer']]",
        "objectId": "NotRequired[str]",
        "result": "NotRequired[str]",
        "from": "NotRequired[Int]",
        "to": "NotRequired[Int]",
        "limit": "NotRequired[Int]",
        "offset": "NotRequired[Int]",
        "cursor": "NotRequired[str]",
    },
)
