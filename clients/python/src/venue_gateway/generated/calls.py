# Written by `npm run docs` from the gateway's own declaration; `npm run check` fails when it is stale.
"""The calls of the HTTP API by name, for asyncio and without it: types only, what they do is in the two gateways."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Literal, TypeAlias, overload

from ..answer import Answer
from .records import (
    AccountFunding,
    AdminNetworkListQuery,
    AdminOrderGetQuery,
    AdminUser,
    AdminUserListQuery,
    AdminUserSessionListQuery,
    AllowNetwork,
    ApiKey,
    AuditListQuery,
    AuditRecord,
    BanUser,
    ByDealer,
    CancelAllAfter,
    CancelAllOrders,
    CancelOrder,
    CancelledOrders,
    ChangeRight,
    CloseWallet,
    ConnectTradingAccount,
    CreateApiKey,
    CreateCredential,
    CreateDealer,
    CreateInstrument,
    CreateTenant,
    CreateWallet,
    CreatedApiKey,
    Credential,
    CredentialListQuery,
    DeadManSwitch,
    Dealer,
    DealerAccountLink,
    DealerDetail,
    DealerGetQuery,
    DealerListQuery,
    DisconnectTradingAccount,
    EmailChange,
    ForgetNetwork,
    FreezeWallet,
    Funding,
    Health,
    HedgeReport,
    InstrumentSync,
    Jwks,
    Kline,
    Login,
    MarketInstrumentListQuery,
    MarketKlineGetQuery,
    MarketOrderbookGetQuery,
    MarketOrderbookListQuery,
    MarketSubscriptionOrderbookListQuery,
    MarketTickerGetQuery,
    MarketTickerListQuery,
    MarketVenueCapabilityListQuery,
    MoveUser,
    NetworkList,
    OrderBook,
    OrderBookSubscription,
    OrderStory,
    PortfolioPosition,
    Quote,
    QuoteGetQuery,
    QuoteListQuery,
    Reauthenticate,
    Recover,
    RecoveryCodes,
    Refresh,
    ReplaceOrder,
    RequestQuote,
    Resend,
    ResetSecondFactor,
    ResolveHedge,
    RetireInstrument,
    RevokeApiKey,
    RevokeCredential,
    RevokeSession,
    SecondFactorCode,
    SecondFactorEnrolment,
    SecondFactorOrRecoveryCode,
    SecondFactorState,
    Security,
    Session,
    SessionEntry,
    SetTradingMode,
    SignOutUser,
    Signup,
    Status,
    SubmitOrder,
    SubmittedOrder,
    SubscribeOrderBook,
    SyncInstruments,
    Tenant,
    Ticker,
    TradeOrder,
    TradeOrderGetQuery,
    TradeOrderListQuery,
    TradingAccount,
    TradingAccountListQuery,
    TradingAccountPortfolioListQuery,
    TradingModeRecord,
    UnbanUser,
    UnfreezeWallet,
    UnsubscribeOrderBook,
    UpdateDealer,
    UpdateTradingAccount,
    UpdateUser,
    User,
    Venue,
    VenueCapability,
    Verify,
    Wallet,
    WalletDeposit,
    WalletGetQuery,
    WalletListQuery,
    WalletTransfer,
    WalletTransferListQuery,
    WalletTransferRecord,
    WalletWithdrawal,
)

Headers: TypeAlias = Mapping[str, str]


class AsyncCalls(ABC):
    """Each operation by its name, with what it takes and answers."""

    @abstractmethod
    async def _read(self, name: str, query: Any, headers: Headers | None) -> Answer[Any]: ...

    @abstractmethod
    async def _write(self, name: str, body: Any, headers: Headers | None) -> Answer[Any]: ...

    @abstractmethod
    def _pages(self, name: str, query: Any, headers: Headers | None) -> AsyncIterator[Any]: ...

    @overload
    async def get(
        self, name: Literal["health"], query: None = None, *, headers: Headers | None = None
    ) -> Health:
        """Health"""

    @overload
    async def get(
        self, name: Literal["health/live"], query: None = None, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Liveness"""

    @overload
    async def get(
        self, name: Literal["auth/user"], query: None = None, *, headers: Headers | None = None
    ) -> User:
        """Current user"""

    @overload
    async def get(
        self, name: Literal["auth/session/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[SessionEntry]:
        """List sessions"""

    @overload
    async def get(
        self, name: Literal["auth/jwks"], query: None = None, *, headers: Headers | None = None
    ) -> Jwks:
        """Public keys of access tokens"""

    @overload
    async def get(
        self, name: Literal["auth/totp"], query: None = None, *, headers: Headers | None = None
    ) -> SecondFactorState:
        """Second factor"""

    @overload
    async def get(
        self, name: Literal["apiKey/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[ApiKey]:
        """List API keys"""

    @overload
    async def get(
        self, name: Literal["credential/list"], query: CredentialListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Credential]:
        """List credentials"""

    @overload
    async def get(
        self, name: Literal["tradingAccount/list"], query: TradingAccountListQuery | None = None, *, headers: Headers | None = None
    ) -> list[TradingAccount]:
        """List trading accounts"""

    @overload
    async def get(
        self, name: Literal["tradingAccount/portfolio/list"], query: TradingAccountPortfolioListQuery | None = None, *, headers: Headers | None = None
    ) -> list[PortfolioPosition]:
        """Balances"""

    @overload
    async def get(
        self, name: Literal["tradeOrder/get"], query: TradeOrderGetQuery | None = None, *, headers: Headers | None = None
    ) -> TradeOrder:
        """Get an order"""

    @overload
    async def get(
        self, name: Literal["tradeOrder/list"], query: TradeOrderListQuery | None = None, *, headers: Headers | None = None
    ) -> list[TradeOrder]:
        """List orders"""

    @overload
    async def get(
        self, name: Literal["market/instrument/list"], query: MarketInstrumentListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Security]:
        """List instruments"""

    @overload
    async def get(
        self, name: Literal["market/venue/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[Venue]:
        """List venues"""

    @overload
    async def get(
        self, name: Literal["market/venue/capability/list"], query: MarketVenueCapabilityListQuery | None = None, *, headers: Headers | None = None
    ) -> list[VenueCapability]:
        """List what venues can do"""

    @overload
    async def get(
        self, name: Literal["market/orderbook/get"], query: MarketOrderbookGetQuery, *, headers: Headers | None = None
    ) -> OrderBook:
        """Get an order book"""

    @overload
    async def get(
        self, name: Literal["market/orderbook/list"], query: MarketOrderbookListQuery, *, headers: Headers | None = None
    ) -> list[OrderBook]:
        """Get several order books"""

    @overload
    async def get(
        self, name: Literal["market/ticker/get"], query: MarketTickerGetQuery, *, headers: Headers | None = None
    ) -> Ticker:
        """Get a ticker"""

    @overload
    async def get(
        self, name: Literal["market/ticker/list"], query: MarketTickerListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Ticker]:
        """List tickers"""

    @overload
    async def get(
        self, name: Literal["market/kline/get"], query: MarketKlineGetQuery, *, headers: Headers | None = None
    ) -> Kline:
        """Get klines"""

    @overload
    async def get(
        self, name: Literal["market/subscription/orderbook/list"], query: MarketSubscriptionOrderbookListQuery | None = None, *, headers: Headers | None = None
    ) -> list[OrderBookSubscription]:
        """List order book subscriptions"""

    @overload
    async def get(
        self, name: Literal["dealer/get"], query: DealerGetQuery, *, headers: Headers | None = None
    ) -> DealerDetail:
        """Get a dealer"""

    @overload
    async def get(
        self, name: Literal["dealer/list"], query: DealerListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Dealer]:
        """List dealers"""

    @overload
    async def get(
        self, name: Literal["quote/get"], query: QuoteGetQuery, *, headers: Headers | None = None
    ) -> Quote:
        """Get a quote"""

    @overload
    async def get(
        self, name: Literal["quote/list"], query: QuoteListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Quote]:
        """List quotes"""

    @overload
    async def get(
        self, name: Literal["wallet/get"], query: WalletGetQuery, *, headers: Headers | None = None
    ) -> Wallet:
        """Get a wallet"""

    @overload
    async def get(
        self, name: Literal["wallet/list"], query: WalletListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Wallet]:
        """List wallets"""

    @overload
    async def get(
        self, name: Literal["wallet/transfer/list"], query: WalletTransferListQuery, *, headers: Headers | None = None
    ) -> list[WalletTransferRecord]:
        """Statement of a wallet"""

    @overload
    async def get(
        self, name: Literal["admin/user/list"], query: AdminUserListQuery | None = None, *, headers: Headers | None = None
    ) -> list[AdminUser]:
        """List users (admin)"""

    @overload
    async def get(
        self, name: Literal["admin/user/session/list"], query: AdminUserSessionListQuery, *, headers: Headers | None = None
    ) -> list[SessionEntry]:
        """List a user's sessions (admin)"""

    @overload
    async def get(
        self, name: Literal["admin/network/list"], query: AdminNetworkListQuery | None = None, *, headers: Headers | None = None
    ) -> NetworkList:
        """List allowed networks (admin)"""

    @overload
    async def get(
        self, name: Literal["admin/tenant/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[Tenant]:
        """List tenants (admin)"""

    @overload
    async def get(
        self, name: Literal["admin/order/get"], query: AdminOrderGetQuery, *, headers: Headers | None = None
    ) -> OrderStory:
        """Get an order's full history (admin)"""

    @overload
    async def get(
        self, name: Literal["admin/status"], query: None = None, *, headers: Headers | None = None
    ) -> Status:
        """Get the gateway's current state (admin)"""

    @overload
    async def get(
        self, name: Literal["audit/list"], query: AuditListQuery | None = None, *, headers: Headers | None = None
    ) -> list[AuditRecord]:
        """List audited acts (admin)"""

    async def get(self, name: str, query: Any = None, *, headers: Headers | None = None) -> Any:
        """A read, repeated while there is no definite answer."""
        return (await self._read(name, query, headers)).data

    @overload
    async def post(
        self, name: Literal["auth/signup"], body: Signup, *, headers: Headers | None = None
    ) -> Session | User:
        """Register a user"""

    @overload
    async def post(
        self, name: Literal["auth/login"], body: Login, *, headers: Headers | None = None
    ) -> Session:
        """Log in"""

    @overload
    async def post(
        self, name: Literal["auth/token/refresh"], body: Refresh, *, headers: Headers | None = None
    ) -> Session:
        """Renew a session"""

    @overload
    async def post(
        self, name: Literal["auth/logout"], body: None = None, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Log out"""

    @overload
    async def post(
        self, name: Literal["auth/user/update"], body: UpdateUser, *, headers: Headers | None = None
    ) -> User:
        """Update the current user"""

    @overload
    async def post(
        self, name: Literal["auth/reauthenticate"], body: Reauthenticate, *, headers: Headers | None = None
    ) -> Session:
        """Authenticate again"""

    @overload
    async def post(
        self, name: Literal["auth/recover"], body: Recover, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Recover a password"""

    @overload
    async def post(
        self, name: Literal["auth/resend"], body: Resend, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Send a mail again"""

    @overload
    async def post(
        self, name: Literal["auth/verify"], body: Verify, *, headers: Headers | None = None
    ) -> Session | EmailChange:
        """Use a mailed token"""

    @overload
    async def post(
        self, name: Literal["auth/session/revoke"], body: RevokeSession, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Revoke a session"""

    @overload
    async def post(
        self, name: Literal["auth/totp/enrol"], body: None = None, *, headers: Headers | None = None
    ) -> SecondFactorEnrolment:
        """Set up a second factor"""

    @overload
    async def post(
        self, name: Literal["auth/totp/confirm"], body: SecondFactorCode, *, headers: Headers | None = None
    ) -> RecoveryCodes:
        """Confirm the second factor"""

    @overload
    async def post(
        self, name: Literal["auth/totp/remove"], body: SecondFactorOrRecoveryCode, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Remove the second factor"""

    @overload
    async def post(
        self, name: Literal["auth/recoveryCode/renew"], body: None = None, *, headers: Headers | None = None
    ) -> RecoveryCodes:
        """Renew the recovery codes"""

    @overload
    async def post(
        self, name: Literal["apiKey/create"], body: CreateApiKey, *, headers: Headers | None = None
    ) -> CreatedApiKey:
        """Create an API key"""

    @overload
    async def post(
        self, name: Literal["apiKey/revoke"], body: RevokeApiKey, *, headers: Headers | None = None
    ) -> ApiKey:
        """Revoke an API key"""

    @overload
    async def post(
        self, name: Literal["credential/create"], body: CreateCredential, *, headers: Headers | None = None
    ) -> Credential:
        """Store a credential"""

    @overload
    async def post(
        self, name: Literal["credential/revoke"], body: RevokeCredential, *, headers: Headers | None = None
    ) -> Credential:
        """Revoke a credential"""

    @overload
    async def post(
        self, name: Literal["tradingAccount/connect"], body: ConnectTradingAccount, *, headers: Headers | None = None
    ) -> TradingAccount:
        """Connect a trading account"""

    @overload
    async def post(
        self, name: Literal["tradingAccount/update"], body: UpdateTradingAccount, *, headers: Headers | None = None
    ) -> TradingAccount:
        """Rename a trading account"""

    @overload
    async def post(
        self, name: Literal["tradingAccount/disconnect"], body: DisconnectTradingAccount, *, headers: Headers | None = None
    ) -> TradingAccount:
        """Disconnect a trading account"""

    @overload
    async def post(
        self, name: Literal["tradeOrder/submit"], body: SubmitOrder, *, headers: Headers | None = None
    ) -> SubmittedOrder:
        """Submit an order"""

    @overload
    async def post(
        self, name: Literal["tradeOrder/cancel"], body: CancelOrder, *, headers: Headers | None = None
    ) -> TradeOrder:
        """Cancel an order"""

    @overload
    async def post(
        self, name: Literal["tradeOrder/replace"], body: ReplaceOrder, *, headers: Headers | None = None
    ) -> TradeOrder:
        """Change an order"""

    @overload
    async def post(
        self, name: Literal["tradeOrder/cancelAll"], body: CancelAllOrders, *, headers: Headers | None = None
    ) -> CancelledOrders:
        """Cancel all orders"""

    @overload
    async def post(
        self, name: Literal["tradeOrder/cancelAllAfter"], body: CancelAllAfter, *, headers: Headers | None = None
    ) -> DeadManSwitch:
        """Cancel all orders after a timeout"""

    @overload
    async def post(
        self, name: Literal["market/instrument/sync"], body: SyncInstruments, *, headers: Headers | None = None
    ) -> InstrumentSync:
        """Synchronise instruments"""

    @overload
    async def post(
        self, name: Literal["market/instrument/create"], body: CreateInstrument, *, headers: Headers | None = None
    ) -> Security:
        """List an instrument at INTERNAL"""

    @overload
    async def post(
        self, name: Literal["market/instrument/retire"], body: RetireInstrument, *, headers: Headers | None = None
    ) -> Security:
        """Retire an instrument at INTERNAL"""

    @overload
    async def post(
        self, name: Literal["market/subscription/orderbook/subscribe"], body: SubscribeOrderBook, *, headers: Headers | None = None
    ) -> OrderBookSubscription:
        """Subscribe to order book updates"""

    @overload
    async def post(
        self, name: Literal["market/subscription/orderbook/unsubscribe"], body: UnsubscribeOrderBook, *, headers: Headers | None = None
    ) -> OrderBookSubscription:
        """Unsubscribe from order book updates"""

    @overload
    async def post(
        self, name: Literal["dealer/create"], body: CreateDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Create a dealer"""

    @overload
    async def post(
        self, name: Literal["dealer/update"], body: UpdateDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Change a dealer's configuration"""

    @overload
    async def post(
        self, name: Literal["dealer/pause"], body: ByDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Pause a dealer"""

    @overload
    async def post(
        self, name: Literal["dealer/resume"], body: ByDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Resume a dealer"""

    @overload
    async def post(
        self, name: Literal["dealer/archive"], body: ByDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Archive a dealer"""

    @overload
    async def post(
        self, name: Literal["dealer/account/link"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Link an account to a dealer"""

    @overload
    async def post(
        self, name: Literal["dealer/account/unlink"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Unlink an account from a dealer"""

    @overload
    async def post(
        self, name: Literal["dealer/account/funding"], body: AccountFunding, *, headers: Headers | None = None
    ) -> Funding:
        """Announce a deposit or withdrawal at a linked account's venue"""

    @overload
    async def post(
        self, name: Literal["dealer/hedge/resolve"], body: ResolveHedge, *, headers: Headers | None = None
    ) -> HedgeReport:
        """State what a hedge in doubt executed"""

    @overload
    async def post(
        self, name: Literal["quote/request"], body: RequestQuote, *, headers: Headers | None = None
    ) -> Quote:
        """Request a quote"""

    @overload
    async def post(
        self, name: Literal["wallet/create"], body: CreateWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Create a wallet"""

    @overload
    async def post(
        self, name: Literal["wallet/transfer"], body: WalletTransfer, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Move money between your wallets"""

    @overload
    async def post(
        self, name: Literal["wallet/deposit"], body: WalletDeposit, *, headers: Headers | None = None
    ) -> Wallet:
        """Fund a wallet (admin)"""

    @overload
    async def post(
        self, name: Literal["wallet/withdraw"], body: WalletWithdrawal, *, headers: Headers | None = None
    ) -> Wallet:
        """Pay out of a wallet (admin)"""

    @overload
    async def post(
        self, name: Literal["wallet/freeze"], body: FreezeWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Freeze a wallet (admin)"""

    @overload
    async def post(
        self, name: Literal["wallet/unfreeze"], body: UnfreezeWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Unfreeze a wallet (admin)"""

    @overload
    async def post(
        self, name: Literal["wallet/close"], body: CloseWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Close a wallet"""

    @overload
    async def post(
        self, name: Literal["admin/user/ban"], body: BanUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """Ban a user"""

    @overload
    async def post(
        self, name: Literal["admin/user/unban"], body: UnbanUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """Lift a ban"""

    @overload
    async def post(
        self, name: Literal["admin/user/grant"], body: ChangeRight, *, headers: Headers | None = None
    ) -> AdminUser:
        """Grant a right"""

    @overload
    async def post(
        self, name: Literal["admin/user/revoke"], body: ChangeRight, *, headers: Headers | None = None
    ) -> AdminUser:
        """Revoke a right"""

    @overload
    async def post(
        self, name: Literal["admin/user/signOut"], body: SignOutUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """End a user's sessions"""

    @overload
    async def post(
        self, name: Literal["admin/user/resetSecondFactor"], body: ResetSecondFactor, *, headers: Headers | None = None
    ) -> AdminUser:
        """Reset a user's second factor"""

    @overload
    async def post(
        self, name: Literal["admin/network/allow"], body: AllowNetwork, *, headers: Headers | None = None
    ) -> NetworkList:
        """Allow a network"""

    @overload
    async def post(
        self, name: Literal["admin/network/forget"], body: ForgetNetwork, *, headers: Headers | None = None
    ) -> NetworkList:
        """Remove an allowed network"""

    @overload
    async def post(
        self, name: Literal["admin/tenant/create"], body: CreateTenant, *, headers: Headers | None = None
    ) -> Tenant:
        """Create a tenant"""

    @overload
    async def post(
        self, name: Literal["admin/tenant/move"], body: MoveUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """Move a user to another tenant"""

    @overload
    async def post(
        self, name: Literal["admin/tradingMode"], body: SetTradingMode, *, headers: Headers | None = None
    ) -> TradingModeRecord:
        """Set the trading mode"""

    async def post(self, name: str, body: Any = None, *, headers: Headers | None = None) -> Any:
        """A write, sent once. Raises GatewayError where it was refused, NoAnswer where nobody can say."""
        return (await self._write(name, body, headers)).data

    @overload
    async def send(
        self, name: Literal["auth/signup"], body: Signup, *, headers: Headers | None = None
    ) -> Answer[Session | User]:
        """Register a user"""

    @overload
    async def send(
        self, name: Literal["auth/login"], body: Login, *, headers: Headers | None = None
    ) -> Answer[Session]:
        """Log in"""

    @overload
    async def send(
        self, name: Literal["auth/token/refresh"], body: Refresh, *, headers: Headers | None = None
    ) -> Answer[Session]:
        """Renew a session"""

    @overload
    async def send(
        self, name: Literal["auth/logout"], body: None = None, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Log out"""

    @overload
    async def send(
        self, name: Literal["auth/user/update"], body: UpdateUser, *, headers: Headers | None = None
    ) -> Answer[User]:
        """Update the current user"""

    @overload
    async def send(
        self, name: Literal["auth/reauthenticate"], body: Reauthenticate, *, headers: Headers | None = None
    ) -> Answer[Session]:
        """Authenticate again"""

    @overload
    async def send(
        self, name: Literal["auth/recover"], body: Recover, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Recover a password"""

    @overload
    async def send(
        self, name: Literal["auth/resend"], body: Resend, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Send a mail again"""

    @overload
    async def send(
        self, name: Literal["auth/verify"], body: Verify, *, headers: Headers | None = None
    ) -> Answer[Session | EmailChange]:
        """Use a mailed token"""

    @overload
    async def send(
        self, name: Literal["auth/session/revoke"], body: RevokeSession, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Revoke a session"""

    @overload
    async def send(
        self, name: Literal["auth/totp/enrol"], body: None = None, *, headers: Headers | None = None
    ) -> Answer[SecondFactorEnrolment]:
        """Set up a second factor"""

    @overload
    async def send(
        self, name: Literal["auth/totp/confirm"], body: SecondFactorCode, *, headers: Headers | None = None
    ) -> Answer[RecoveryCodes]:
        """Confirm the second factor"""

    @overload
    async def send(
        self, name: Literal["auth/totp/remove"], body: SecondFactorOrRecoveryCode, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Remove the second factor"""

    @overload
    async def send(
        self, name: Literal["auth/recoveryCode/renew"], body: None = None, *, headers: Headers | None = None
    ) -> Answer[RecoveryCodes]:
        """Renew the recovery codes"""

    @overload
    async def send(
        self, name: Literal["apiKey/create"], body: CreateApiKey, *, headers: Headers | None = None
    ) -> Answer[CreatedApiKey]:
        """Create an API key"""

    @overload
    async def send(
        self, name: Literal["apiKey/revoke"], body: RevokeApiKey, *, headers: Headers | None = None
    ) -> Answer[ApiKey]:
        """Revoke an API key"""

    @overload
    async def send(
        self, name: Literal["credential/create"], body: CreateCredential, *, headers: Headers | None = None
    ) -> Answer[Credential]:
        """Store a credential"""

    @overload
    async def send(
        self, name: Literal["credential/revoke"], body: RevokeCredential, *, headers: Headers | None = None
    ) -> Answer[Credential]:
        """Revoke a credential"""

    @overload
    async def send(
        self, name: Literal["tradingAccount/connect"], body: ConnectTradingAccount, *, headers: Headers | None = None
    ) -> Answer[TradingAccount]:
        """Connect a trading account"""

    @overload
    async def send(
        self, name: Literal["tradingAccount/update"], body: UpdateTradingAccount, *, headers: Headers | None = None
    ) -> Answer[TradingAccount]:
        """Rename a trading account"""

    @overload
    async def send(
        self, name: Literal["tradingAccount/disconnect"], body: DisconnectTradingAccount, *, headers: Headers | None = None
    ) -> Answer[TradingAccount]:
        """Disconnect a trading account"""

    @overload
    async def send(
        self, name: Literal["tradeOrder/submit"], body: SubmitOrder, *, headers: Headers | None = None
    ) -> Answer[SubmittedOrder]:
        """Submit an order"""

    @overload
    async def send(
        self, name: Literal["tradeOrder/cancel"], body: CancelOrder, *, headers: Headers | None = None
    ) -> Answer[TradeOrder]:
        """Cancel an order"""

    @overload
    async def send(
        self, name: Literal["tradeOrder/replace"], body: ReplaceOrder, *, headers: Headers | None = None
    ) -> Answer[TradeOrder]:
        """Change an order"""

    @overload
    async def send(
        self, name: Literal["tradeOrder/cancelAll"], body: CancelAllOrders, *, headers: Headers | None = None
    ) -> Answer[CancelledOrders]:
        """Cancel all orders"""

    @overload
    async def send(
        self, name: Literal["tradeOrder/cancelAllAfter"], body: CancelAllAfter, *, headers: Headers | None = None
    ) -> Answer[DeadManSwitch]:
        """Cancel all orders after a timeout"""

    @overload
    async def send(
        self, name: Literal["market/instrument/sync"], body: SyncInstruments, *, headers: Headers | None = None
    ) -> Answer[InstrumentSync]:
        """Synchronise instruments"""

    @overload
    async def send(
        self, name: Literal["market/instrument/create"], body: CreateInstrument, *, headers: Headers | None = None
    ) -> Answer[Security]:
        """List an instrument at INTERNAL"""

    @overload
    async def send(
        self, name: Literal["market/instrument/retire"], body: RetireInstrument, *, headers: Headers | None = None
    ) -> Answer[Security]:
        """Retire an instrument at INTERNAL"""

    @overload
    async def send(
        self, name: Literal["market/subscription/orderbook/subscribe"], body: SubscribeOrderBook, *, headers: Headers | None = None
    ) -> Answer[OrderBookSubscription]:
        """Subscribe to order book updates"""

    @overload
    async def send(
        self, name: Literal["market/subscription/orderbook/unsubscribe"], body: UnsubscribeOrderBook, *, headers: Headers | None = None
    ) -> Answer[OrderBookSubscription]:
        """Unsubscribe from order book updates"""

    @overload
    async def send(
        self, name: Literal["dealer/create"], body: CreateDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Create a dealer"""

    @overload
    async def send(
        self, name: Literal["dealer/update"], body: UpdateDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Change a dealer's configuration"""

    @overload
    async def send(
        self, name: Literal["dealer/pause"], body: ByDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Pause a dealer"""

    @overload
    async def send(
        self, name: Literal["dealer/resume"], body: ByDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Resume a dealer"""

    @overload
    async def send(
        self, name: Literal["dealer/archive"], body: ByDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Archive a dealer"""

    @overload
    async def send(
        self, name: Literal["dealer/account/link"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Link an account to a dealer"""

    @overload
    async def send(
        self, name: Literal["dealer/account/unlink"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Unlink an account from a dealer"""

    @overload
    async def send(
        self, name: Literal["dealer/account/funding"], body: AccountFunding, *, headers: Headers | None = None
    ) -> Answer[Funding]:
        """Announce a deposit or withdrawal at a linked account's venue"""

    @overload
    async def send(
        self, name: Literal["dealer/hedge/resolve"], body: ResolveHedge, *, headers: Headers | None = None
    ) -> Answer[HedgeReport]:
        """State what a hedge in doubt executed"""

    @overload
    async def send(
        self, name: Literal["quote/request"], body: RequestQuote, *, headers: Headers | None = None
    ) -> Answer[Quote]:
        """Request a quote"""

    @overload
    async def send(
        self, name: Literal["wallet/create"], body: CreateWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Create a wallet"""

    @overload
    async def send(
        self, name: Literal["wallet/transfer"], body: WalletTransfer, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Move money between your wallets"""

    @overload
    async def send(
        self, name: Literal["wallet/deposit"], body: WalletDeposit, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Fund a wallet (admin)"""

    @overload
    async def send(
        self, name: Literal["wallet/withdraw"], body: WalletWithdrawal, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Pay out of a wallet (admin)"""

    @overload
    async def send(
        self, name: Literal["wallet/freeze"], body: FreezeWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Freeze a wallet (admin)"""

    @overload
    async def send(
        self, name: Literal["wallet/unfreeze"], body: UnfreezeWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Unfreeze a wallet (admin)"""

    @overload
    async def send(
        self, name: Literal["wallet/close"], body: CloseWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Close a wallet"""

    @overload
    async def send(
        self, name: Literal["admin/user/ban"], body: BanUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Ban a user"""

    @overload
    async def send(
        self, name: Literal["admin/user/unban"], body: UnbanUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Lift a ban"""

    @overload
    async def send(
        self, name: Literal["admin/user/grant"], body: ChangeRight, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Grant a right"""

    @overload
    async def send(
        self, name: Literal["admin/user/revoke"], body: ChangeRight, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Revoke a right"""

    @overload
    async def send(
        self, name: Literal["admin/user/signOut"], body: SignOutUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """End a user's sessions"""

    @overload
    async def send(
        self, name: Literal["admin/user/resetSecondFactor"], body: ResetSecondFactor, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Reset a user's second factor"""

    @overload
    async def send(
        self, name: Literal["admin/network/allow"], body: AllowNetwork, *, headers: Headers | None = None
    ) -> Answer[NetworkList]:
        """Allow a network"""

    @overload
    async def send(
        self, name: Literal["admin/network/forget"], body: ForgetNetwork, *, headers: Headers | None = None
    ) -> Answer[NetworkList]:
        """Remove an allowed network"""

    @overload
    async def send(
        self, name: Literal["admin/tenant/create"], body: CreateTenant, *, headers: Headers | None = None
    ) -> Answer[Tenant]:
        """Create a tenant"""

    @overload
    async def send(
        self, name: Literal["admin/tenant/move"], body: MoveUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Move a user to another tenant"""

    @overload
    async def send(
        self, name: Literal["admin/tradingMode"], body: SetTradingMode, *, headers: Headers | None = None
    ) -> Answer[TradingModeRecord]:
        """Set the trading mode"""

    async def send(self, name: str, body: Any = None, *, headers: Headers | None = None) -> Any:
        """The same as `post`, with the answer's headers."""
        return await self._write(name, body, headers)

    @overload
    def pages(
        self, name: Literal["credential/list"], query: CredentialListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[Credential]:
        """List credentials"""

    @overload
    def pages(
        self, name: Literal["tradingAccount/list"], query: TradingAccountListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[TradingAccount]:
        """List trading accounts"""

    @overload
    def pages(
        self, name: Literal["tradingAccount/portfolio/list"], query: TradingAccountPortfolioListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[PortfolioPosition]:
        """Balances"""

    @overload
    def pages(
        self, name: Literal["tradeOrder/list"], query: TradeOrderListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[TradeOrder]:
        """List orders"""

    @overload
    def pages(
        self, name: Literal["market/instrument/list"], query: MarketInstrumentListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[Security]:
        """List instruments"""

    @overload
    def pages(
        self, name: Literal["market/ticker/list"], query: MarketTickerListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[Ticker]:
        """List tickers"""

    @overload
    def pages(
        self, name: Literal["dealer/list"], query: DealerListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[Dealer]:
        """List dealers"""

    @overload
    def pages(
        self, name: Literal["quote/list"], query: QuoteListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[Quote]:
        """List quotes"""

    @overload
    def pages(
        self, name: Literal["wallet/list"], query: WalletListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[Wallet]:
        """List wallets"""

    @overload
    def pages(
        self, name: Literal["wallet/transfer/list"], query: WalletTransferListQuery, *, headers: Headers | None = None
    ) -> AsyncIterator[WalletTransferRecord]:
        """Statement of a wallet"""

    @overload
    def pages(
        self, name: Literal["admin/user/list"], query: AdminUserListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[AdminUser]:
        """List users (admin)"""

    @overload
    def pages(
        self, name: Literal["audit/list"], query: AuditListQuery | None = None, *, headers: Headers | None = None
    ) -> AsyncIterator[AuditRecord]:
        """List audited acts (admin)"""

    def pages(self, name: str, query: Any = None, *, headers: Headers | None = None) -> Any:
        """Every item of a list, page after page."""
        return self._pages(name, query, headers)


class Calls(ABC):
    """Each operation by its name, with what it takes and answers."""

    @abstractmethod
    def _read(self, name: str, query: Any, headers: Headers | None) -> Answer[Any]: ...

    @abstractmethod
    def _write(self, name: str, body: Any, headers: Headers | None) -> Answer[Any]: ...

    @abstractmethod
    def _pages(self, name: str, query: Any, headers: Headers | None) -> Iterator[Any]: ...

    @overload
    def get(
        self, name: Literal["health"], query: None = None, *, headers: Headers | None = None
    ) -> Health:
        """Health"""

    @overload
    def get(
        self, name: Literal["health/live"], query: None = None, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Liveness"""

    @overload
    def get(
        self, name: Literal["auth/user"], query: None = None, *, headers: Headers | None = None
    ) -> User:
        """Current user"""

    @overload
    def get(
        self, name: Literal["auth/session/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[SessionEntry]:
        """List sessions"""

    @overload
    def get(
        self, name: Literal["auth/jwks"], query: None = None, *, headers: Headers | None = None
    ) -> Jwks:
        """Public keys of access tokens"""

    @overload
    def get(
        self, name: Literal["auth/totp"], query: None = None, *, headers: Headers | None = None
    ) -> SecondFactorState:
        """Second factor"""

    @overload
    def get(
        self, name: Literal["apiKey/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[ApiKey]:
        """List API keys"""

    @overload
    def get(
        self, name: Literal["credential/list"], query: CredentialListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Credential]:
        """List credentials"""

    @overload
    def get(
        self, name: Literal["tradingAccount/list"], query: TradingAccountListQuery | None = None, *, headers: Headers | None = None
    ) -> list[TradingAccount]:
        """List trading accounts"""

    @overload
    def get(
        self, name: Literal["tradingAccount/portfolio/list"], query: TradingAccountPortfolioListQuery | None = None, *, headers: Headers | None = None
    ) -> list[PortfolioPosition]:
        """Balances"""

    @overload
    def get(
        self, name: Literal["tradeOrder/get"], query: TradeOrderGetQuery | None = None, *, headers: Headers | None = None
    ) -> TradeOrder:
        """Get an order"""

    @overload
    def get(
        self, name: Literal["tradeOrder/list"], query: TradeOrderListQuery | None = None, *, headers: Headers | None = None
    ) -> list[TradeOrder]:
        """List orders"""

    @overload
    def get(
        self, name: Literal["market/instrument/list"], query: MarketInstrumentListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Security]:
        """List instruments"""

    @overload
    def get(
        self, name: Literal["market/venue/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[Venue]:
        """List venues"""

    @overload
    def get(
        self, name: Literal["market/venue/capability/list"], query: MarketVenueCapabilityListQuery | None = None, *, headers: Headers | None = None
    ) -> list[VenueCapability]:
        """List what venues can do"""

    @overload
    def get(
        self, name: Literal["market/orderbook/get"], query: MarketOrderbookGetQuery, *, headers: Headers | None = None
    ) -> OrderBook:
        """Get an order book"""

    @overload
    def get(
        self, name: Literal["market/orderbook/list"], query: MarketOrderbookListQuery, *, headers: Headers | None = None
    ) -> list[OrderBook]:
        """Get several order books"""

    @overload
    def get(
        self, name: Literal["market/ticker/get"], query: MarketTickerGetQuery, *, headers: Headers | None = None
    ) -> Ticker:
        """Get a ticker"""

    @overload
    def get(
        self, name: Literal["market/ticker/list"], query: MarketTickerListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Ticker]:
        """List tickers"""

    @overload
    def get(
        self, name: Literal["market/kline/get"], query: MarketKlineGetQuery, *, headers: Headers | None = None
    ) -> Kline:
        """Get klines"""

    @overload
    def get(
        self, name: Literal["market/subscription/orderbook/list"], query: MarketSubscriptionOrderbookListQuery | None = None, *, headers: Headers | None = None
    ) -> list[OrderBookSubscription]:
        """List order book subscriptions"""

    @overload
    def get(
        self, name: Literal["dealer/get"], query: DealerGetQuery, *, headers: Headers | None = None
    ) -> DealerDetail:
        """Get a dealer"""

    @overload
    def get(
        self, name: Literal["dealer/list"], query: DealerListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Dealer]:
        """List dealers"""

    @overload
    def get(
        self, name: Literal["quote/get"], query: QuoteGetQuery, *, headers: Headers | None = None
    ) -> Quote:
        """Get a quote"""

    @overload
    def get(
        self, name: Literal["quote/list"], query: QuoteListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Quote]:
        """List quotes"""

    @overload
    def get(
        self, name: Literal["wallet/get"], query: WalletGetQuery, *, headers: Headers | None = None
    ) -> Wallet:
        """Get a wallet"""

    @overload
    def get(
        self, name: Literal["wallet/list"], query: WalletListQuery | None = None, *, headers: Headers | None = None
    ) -> list[Wallet]:
        """List wallets"""

    @overload
    def get(
        self, name: Literal["wallet/transfer/list"], query: WalletTransferListQuery, *, headers: Headers | None = None
    ) -> list[WalletTransferRecord]:
        """Statement of a wallet"""

    @overload
    def get(
        self, name: Literal["admin/user/list"], query: AdminUserListQuery | None = None, *, headers: Headers | None = None
    ) -> list[AdminUser]:
        """List users (admin)"""

    @overload
    def get(
        self, name: Literal["admin/user/session/list"], query: AdminUserSessionListQuery, *, headers: Headers | None = None
    ) -> list[SessionEntry]:
        """List a user's sessions (admin)"""

    @overload
    def get(
        self, name: Literal["admin/network/list"], query: AdminNetworkListQuery | None = None, *, headers: Headers | None = None
    ) -> NetworkList:
        """List allowed networks (admin)"""

    @overload
    def get(
        self, name: Literal["admin/tenant/list"], query: None = None, *, headers: Headers | None = None
    ) -> list[Tenant]:
        """List tenants (admin)"""

    @overload
    def get(
        self, name: Literal["admin/order/get"], query: AdminOrderGetQuery, *, headers: Headers | None = None
    ) -> OrderStory:
        """Get an order's full history (admin)"""

    @overload
    def get(
        self, name: Literal["admin/status"], query: None = None, *, headers: Headers | None = None
    ) -> Status:
        """Get the gateway's current state (admin)"""

    @overload
    def get(
        self, name: Literal["audit/list"], query: AuditListQuery | None = None, *, headers: Headers | None = None
    ) -> list[AuditRecord]:
        """List audited acts (admin)"""

    def get(self, name: str, query: Any = None, *, headers: Headers | None = None) -> Any:
        """A read, repeated while there is no definite answer."""
        return (self._read(name, query, headers)).data

    @overload
    def post(
        self, name: Literal["auth/signup"], body: Signup, *, headers: Headers | None = None
    ) -> Session | User:
        """Register a user"""

    @overload
    def post(
        self, name: Literal["auth/login"], body: Login, *, headers: Headers | None = None
    ) -> Session:
        """Log in"""

    @overload
    def post(
        self, name: Literal["auth/token/refresh"], body: Refresh, *, headers: Headers | None = None
    ) -> Session:
        """Renew a session"""

    @overload
    def post(
        self, name: Literal["auth/logout"], body: None = None, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Log out"""

    @overload
    def post(
        self, name: Literal["auth/user/update"], body: UpdateUser, *, headers: Headers | None = None
    ) -> User:
        """Update the current user"""

    @overload
    def post(
        self, name: Literal["auth/reauthenticate"], body: Reauthenticate, *, headers: Headers | None = None
    ) -> Session:
        """Authenticate again"""

    @overload
    def post(
        self, name: Literal["auth/recover"], body: Recover, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Recover a password"""

    @overload
    def post(
        self, name: Literal["auth/resend"], body: Resend, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Send a mail again"""

    @overload
    def post(
        self, name: Literal["auth/verify"], body: Verify, *, headers: Headers | None = None
    ) -> Session | EmailChange:
        """Use a mailed token"""

    @overload
    def post(
        self, name: Literal["auth/session/revoke"], body: RevokeSession, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Revoke a session"""

    @overload
    def post(
        self, name: Literal["auth/totp/enrol"], body: None = None, *, headers: Headers | None = None
    ) -> SecondFactorEnrolment:
        """Set up a second factor"""

    @overload
    def post(
        self, name: Literal["auth/totp/confirm"], body: SecondFactorCode, *, headers: Headers | None = None
    ) -> RecoveryCodes:
        """Confirm the second factor"""

    @overload
    def post(
        self, name: Literal["auth/totp/remove"], body: SecondFactorOrRecoveryCode, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Remove the second factor"""

    @overload
    def post(
        self, name: Literal["auth/recoveryCode/renew"], body: None = None, *, headers: Headers | None = None
    ) -> RecoveryCodes:
        """Renew the recovery codes"""

    @overload
    def post(
        self, name: Literal["apiKey/create"], body: CreateApiKey, *, headers: Headers | None = None
    ) -> CreatedApiKey:
        """Create an API key"""

    @overload
    def post(
        self, name: Literal["apiKey/revoke"], body: RevokeApiKey, *, headers: Headers | None = None
    ) -> ApiKey:
        """Revoke an API key"""

    @overload
    def post(
        self, name: Literal["credential/create"], body: CreateCredential, *, headers: Headers | None = None
    ) -> Credential:
        """Store a credential"""

    @overload
    def post(
        self, name: Literal["credential/revoke"], body: RevokeCredential, *, headers: Headers | None = None
    ) -> Credential:
        """Revoke a credential"""

    @overload
    def post(
        self, name: Literal["tradingAccount/connect"], body: ConnectTradingAccount, *, headers: Headers | None = None
    ) -> TradingAccount:
        """Connect a trading account"""

    @overload
    def post(
        self, name: Literal["tradingAccount/update"], body: UpdateTradingAccount, *, headers: Headers | None = None
    ) -> TradingAccount:
        """Rename a trading account"""

    @overload
    def post(
        self, name: Literal["tradingAccount/disconnect"], body: DisconnectTradingAccount, *, headers: Headers | None = None
    ) -> TradingAccount:
        """Disconnect a trading account"""

    @overload
    def post(
        self, name: Literal["tradeOrder/submit"], body: SubmitOrder, *, headers: Headers | None = None
    ) -> SubmittedOrder:
        """Submit an order"""

    @overload
    def post(
        self, name: Literal["tradeOrder/cancel"], body: CancelOrder, *, headers: Headers | None = None
    ) -> TradeOrder:
        """Cancel an order"""

    @overload
    def post(
        self, name: Literal["tradeOrder/replace"], body: ReplaceOrder, *, headers: Headers | None = None
    ) -> TradeOrder:
        """Change an order"""

    @overload
    def post(
        self, name: Literal["tradeOrder/cancelAll"], body: CancelAllOrders, *, headers: Headers | None = None
    ) -> CancelledOrders:
        """Cancel all orders"""

    @overload
    def post(
        self, name: Literal["tradeOrder/cancelAllAfter"], body: CancelAllAfter, *, headers: Headers | None = None
    ) -> DeadManSwitch:
        """Cancel all orders after a timeout"""

    @overload
    def post(
        self, name: Literal["market/instrument/sync"], body: SyncInstruments, *, headers: Headers | None = None
    ) -> InstrumentSync:
        """Synchronise instruments"""

    @overload
    def post(
        self, name: Literal["market/instrument/create"], body: CreateInstrument, *, headers: Headers | None = None
    ) -> Security:
        """List an instrument at INTERNAL"""

    @overload
    def post(
        self, name: Literal["market/instrument/retire"], body: RetireInstrument, *, headers: Headers | None = None
    ) -> Security:
        """Retire an instrument at INTERNAL"""

    @overload
    def post(
        self, name: Literal["market/subscription/orderbook/subscribe"], body: SubscribeOrderBook, *, headers: Headers | None = None
    ) -> OrderBookSubscription:
        """Subscribe to order book updates"""

    @overload
    def post(
        self, name: Literal["market/subscription/orderbook/unsubscribe"], body: UnsubscribeOrderBook, *, headers: Headers | None = None
    ) -> OrderBookSubscription:
        """Unsubscribe from order book updates"""

    @overload
    def post(
        self, name: Literal["dealer/create"], body: CreateDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Create a dealer"""

    @overload
    def post(
        self, name: Literal["dealer/update"], body: UpdateDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Change a dealer's configuration"""

    @overload
    def post(
        self, name: Literal["dealer/pause"], body: ByDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Pause a dealer"""

    @overload
    def post(
        self, name: Literal["dealer/resume"], body: ByDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Resume a dealer"""

    @overload
    def post(
        self, name: Literal["dealer/archive"], body: ByDealer, *, headers: Headers | None = None
    ) -> Dealer:
        """Archive a dealer"""

    @overload
    def post(
        self, name: Literal["dealer/account/link"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Link an account to a dealer"""

    @overload
    def post(
        self, name: Literal["dealer/account/unlink"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Unlink an account from a dealer"""

    @overload
    def post(
        self, name: Literal["dealer/account/funding"], body: AccountFunding, *, headers: Headers | None = None
    ) -> Funding:
        """Announce a deposit or withdrawal at a linked account's venue"""

    @overload
    def post(
        self, name: Literal["dealer/hedge/resolve"], body: ResolveHedge, *, headers: Headers | None = None
    ) -> HedgeReport:
        """State what a hedge in doubt executed"""

    @overload
    def post(
        self, name: Literal["quote/request"], body: RequestQuote, *, headers: Headers | None = None
    ) -> Quote:
        """Request a quote"""

    @overload
    def post(
        self, name: Literal["wallet/create"], body: CreateWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Create a wallet"""

    @overload
    def post(
        self, name: Literal["wallet/transfer"], body: WalletTransfer, *, headers: Headers | None = None
    ) -> Literal["ok"]:
        """Move money between your wallets"""

    @overload
    def post(
        self, name: Literal["wallet/deposit"], body: WalletDeposit, *, headers: Headers | None = None
    ) -> Wallet:
        """Fund a wallet (admin)"""

    @overload
    def post(
        self, name: Literal["wallet/withdraw"], body: WalletWithdrawal, *, headers: Headers | None = None
    ) -> Wallet:
        """Pay out of a wallet (admin)"""

    @overload
    def post(
        self, name: Literal["wallet/freeze"], body: FreezeWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Freeze a wallet (admin)"""

    @overload
    def post(
        self, name: Literal["wallet/unfreeze"], body: UnfreezeWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Unfreeze a wallet (admin)"""

    @overload
    def post(
        self, name: Literal["wallet/close"], body: CloseWallet, *, headers: Headers | None = None
    ) -> Wallet:
        """Close a wallet"""

    @overload
    def post(
        self, name: Literal["admin/user/ban"], body: BanUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """Ban a user"""

    @overload
    def post(
        self, name: Literal["admin/user/unban"], body: UnbanUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """Lift a ban"""

    @overload
    def post(
        self, name: Literal["admin/user/grant"], body: ChangeRight, *, headers: Headers | None = None
    ) -> AdminUser:
        """Grant a right"""

    @overload
    def post(
        self, name: Literal["admin/user/revoke"], body: ChangeRight, *, headers: Headers | None = None
    ) -> AdminUser:
        """Revoke a right"""

    @overload
    def post(
        self, name: Literal["admin/user/signOut"], body: SignOutUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """End a user's sessions"""

    @overload
    def post(
        self, name: Literal["admin/user/resetSecondFactor"], body: ResetSecondFactor, *, headers: Headers | None = None
    ) -> AdminUser:
        """Reset a user's second factor"""

    @overload
    def post(
        self, name: Literal["admin/network/allow"], body: AllowNetwork, *, headers: Headers | None = None
    ) -> NetworkList:
        """Allow a network"""

    @overload
    def post(
        self, name: Literal["admin/network/forget"], body: ForgetNetwork, *, headers: Headers | None = None
    ) -> NetworkList:
        """Remove an allowed network"""

    @overload
    def post(
        self, name: Literal["admin/tenant/create"], body: CreateTenant, *, headers: Headers | None = None
    ) -> Tenant:
        """Create a tenant"""

    @overload
    def post(
        self, name: Literal["admin/tenant/move"], body: MoveUser, *, headers: Headers | None = None
    ) -> AdminUser:
        """Move a user to another tenant"""

    @overload
    def post(
        self, name: Literal["admin/tradingMode"], body: SetTradingMode, *, headers: Headers | None = None
    ) -> TradingModeRecord:
        """Set the trading mode"""

    def post(self, name: str, body: Any = None, *, headers: Headers | None = None) -> Any:
        """A write, sent once. Raises GatewayError where it was refused, NoAnswer where nobody can say."""
        return (self._write(name, body, headers)).data

    @overload
    def send(
        self, name: Literal["auth/signup"], body: Signup, *, headers: Headers | None = None
    ) -> Answer[Session | User]:
        """Register a user"""

    @overload
    def send(
        self, name: Literal["auth/login"], body: Login, *, headers: Headers | None = None
    ) -> Answer[Session]:
        """Log in"""

    @overload
    def send(
        self, name: Literal["auth/token/refresh"], body: Refresh, *, headers: Headers | None = None
    ) -> Answer[Session]:
        """Renew a session"""

    @overload
    def send(
        self, name: Literal["auth/logout"], body: None = None, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Log out"""

    @overload
    def send(
        self, name: Literal["auth/user/update"], body: UpdateUser, *, headers: Headers | None = None
    ) -> Answer[User]:
        """Update the current user"""

    @overload
    def send(
        self, name: Literal["auth/reauthenticate"], body: Reauthenticate, *, headers: Headers | None = None
    ) -> Answer[Session]:
        """Authenticate again"""

    @overload
    def send(
        self, name: Literal["auth/recover"], body: Recover, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Recover a password"""

    @overload
    def send(
        self, name: Literal["auth/resend"], body: Resend, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Send a mail again"""

    @overload
    def send(
        self, name: Literal["auth/verify"], body: Verify, *, headers: Headers | None = None
    ) -> Answer[Session | EmailChange]:
        """Use a mailed token"""

    @overload
    def send(
        self, name: Literal["auth/session/revoke"], body: RevokeSession, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Revoke a session"""

    @overload
    def send(
        self, name: Literal["auth/totp/enrol"], body: None = None, *, headers: Headers | None = None
    ) -> Answer[SecondFactorEnrolment]:
        """Set up a second factor"""

    @overload
    def send(
        self, name: Literal["auth/totp/confirm"], body: SecondFactorCode, *, headers: Headers | None = None
    ) -> Answer[RecoveryCodes]:
        """Confirm the second factor"""

    @overload
    def send(
        self, name: Literal["auth/totp/remove"], body: SecondFactorOrRecoveryCode, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Remove the second factor"""

    @overload
    def send(
        self, name: Literal["auth/recoveryCode/renew"], body: None = None, *, headers: Headers | None = None
    ) -> Answer[RecoveryCodes]:
        """Renew the recovery codes"""

    @overload
    def send(
        self, name: Literal["apiKey/create"], body: CreateApiKey, *, headers: Headers | None = None
    ) -> Answer[CreatedApiKey]:
        """Create an API key"""

    @overload
    def send(
        self, name: Literal["apiKey/revoke"], body: RevokeApiKey, *, headers: Headers | None = None
    ) -> Answer[ApiKey]:
        """Revoke an API key"""

    @overload
    def send(
        self, name: Literal["credential/create"], body: CreateCredential, *, headers: Headers | None = None
    ) -> Answer[Credential]:
        """Store a credential"""

    @overload
    def send(
        self, name: Literal["credential/revoke"], body: RevokeCredential, *, headers: Headers | None = None
    ) -> Answer[Credential]:
        """Revoke a credential"""

    @overload
    def send(
        self, name: Literal["tradingAccount/connect"], body: ConnectTradingAccount, *, headers: Headers | None = None
    ) -> Answer[TradingAccount]:
        """Connect a trading account"""

    @overload
    def send(
        self, name: Literal["tradingAccount/update"], body: UpdateTradingAccount, *, headers: Headers | None = None
    ) -> Answer[TradingAccount]:
        """Rename a trading account"""

    @overload
    def send(
        self, name: Literal["tradingAccount/disconnect"], body: DisconnectTradingAccount, *, headers: Headers | None = None
    ) -> Answer[TradingAccount]:
        """Disconnect a trading account"""

    @overload
    def send(
        self, name: Literal["tradeOrder/submit"], body: SubmitOrder, *, headers: Headers | None = None
    ) -> Answer[SubmittedOrder]:
        """Submit an order"""

    @overload
    def send(
        self, name: Literal["tradeOrder/cancel"], body: CancelOrder, *, headers: Headers | None = None
    ) -> Answer[TradeOrder]:
        """Cancel an order"""

    @overload
    def send(
        self, name: Literal["tradeOrder/replace"], body: ReplaceOrder, *, headers: Headers | None = None
    ) -> Answer[TradeOrder]:
        """Change an order"""

    @overload
    def send(
        self, name: Literal["tradeOrder/cancelAll"], body: CancelAllOrders, *, headers: Headers | None = None
    ) -> Answer[CancelledOrders]:
        """Cancel all orders"""

    @overload
    def send(
        self, name: Literal["tradeOrder/cancelAllAfter"], body: CancelAllAfter, *, headers: Headers | None = None
    ) -> Answer[DeadManSwitch]:
        """Cancel all orders after a timeout"""

    @overload
    def send(
        self, name: Literal["market/instrument/sync"], body: SyncInstruments, *, headers: Headers | None = None
    ) -> Answer[InstrumentSync]:
        """Synchronise instruments"""

    @overload
    def send(
        self, name: Literal["market/instrument/create"], body: CreateInstrument, *, headers: Headers | None = None
    ) -> Answer[Security]:
        """List an instrument at INTERNAL"""

    @overload
    def send(
        self, name: Literal["market/instrument/retire"], body: RetireInstrument, *, headers: Headers | None = None
    ) -> Answer[Security]:
        """Retire an instrument at INTERNAL"""

    @overload
    def send(
        self, name: Literal["market/subscription/orderbook/subscribe"], body: SubscribeOrderBook, *, headers: Headers | None = None
    ) -> Answer[OrderBookSubscription]:
        """Subscribe to order book updates"""

    @overload
    def send(
        self, name: Literal["market/subscription/orderbook/unsubscribe"], body: UnsubscribeOrderBook, *, headers: Headers | None = None
    ) -> Answer[OrderBookSubscription]:
        """Unsubscribe from order book updates"""

    @overload
    def send(
        self, name: Literal["dealer/create"], body: CreateDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Create a dealer"""

    @overload
    def send(
        self, name: Literal["dealer/update"], body: UpdateDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Change a dealer's configuration"""

    @overload
    def send(
        self, name: Literal["dealer/pause"], body: ByDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Pause a dealer"""

    @overload
    def send(
        self, name: Literal["dealer/resume"], body: ByDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Resume a dealer"""

    @overload
    def send(
        self, name: Literal["dealer/archive"], body: ByDealer, *, headers: Headers | None = None
    ) -> Answer[Dealer]:
        """Archive a dealer"""

    @overload
    def send(
        self, name: Literal["dealer/account/link"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Link an account to a dealer"""

    @overload
    def send(
        self, name: Literal["dealer/account/unlink"], body: DealerAccountLink, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Unlink an account from a dealer"""

    @overload
    def send(
        self, name: Literal["dealer/account/funding"], body: AccountFunding, *, headers: Headers | None = None
    ) -> Answer[Funding]:
        """Announce a deposit or withdrawal at a linked account's venue"""

    @overload
    def send(
        self, name: Literal["dealer/hedge/resolve"], body: ResolveHedge, *, headers: Headers | None = None
    ) -> Answer[HedgeReport]:
        """State what a hedge in doubt executed"""

    @overload
    def send(
        self, name: Literal["quote/request"], body: RequestQuote, *, headers: Headers | None = None
    ) -> Answer[Quote]:
        """Request a quote"""

    @overload
    def send(
        self, name: Literal["wallet/create"], body: CreateWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Create a wallet"""

    @overload
    def send(
        self, name: Literal["wallet/transfer"], body: WalletTransfer, *, headers: Headers | None = None
    ) -> Answer[Literal["ok"]]:
        """Move money between your wallets"""

    @overload
    def send(
        self, name: Literal["wallet/deposit"], body: WalletDeposit, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Fund a wallet (admin)"""

    @overload
    def send(
        self, name: Literal["wallet/withdraw"], body: WalletWithdrawal, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Pay out of a wallet (admin)"""

    @overload
    def send(
        self, name: Literal["wallet/freeze"], body: FreezeWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Freeze a wallet (admin)"""

    @overload
    def send(
        self, name: Literal["wallet/unfreeze"], body: UnfreezeWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Unfreeze a wallet (admin)"""

    @overload
    def send(
        self, name: Literal["wallet/close"], body: CloseWallet, *, headers: Headers | None = None
    ) -> Answer[Wallet]:
        """Close a wallet"""

    @overload
    def send(
        self, name: Literal["admin/user/ban"], body: BanUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Ban a user"""

    @overload
    def send(
        self, name: Literal["admin/user/unban"], body: UnbanUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Lift a ban"""

    @overload
    def send(
        self, name: Literal["admin/user/grant"], body: ChangeRight, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Grant a right"""

    @overload
    def send(
        self, name: Literal["admin/user/revoke"], body: ChangeRight, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Revoke a right"""

    @overload
    def send(
        self, name: Literal["admin/user/signOut"], body: SignOutUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """End a user's sessions"""

    @overload
    def send(
        self, name: Literal["admin/user/resetSecondFactor"], body: ResetSecondFactor, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Reset a user's second factor"""

    @overload
    def send(
        self, name: Literal["admin/network/allow"], body: AllowNetwork, *, headers: Headers | None = None
    ) -> Answer[NetworkList]:
        """Allow a network"""

    @overload
    def send(
        self, name: Literal["admin/network/forget"], body: ForgetNetwork, *, headers: Headers | None = None
    ) -> Answer[NetworkList]:
        """Remove an allowed network"""

    @overload
    def send(
        self, name: Literal["admin/tenant/create"], body: CreateTenant, *, headers: Headers | None = None
    ) -> Answer[Tenant]:
        """Create a tenant"""

    @overload
    def send(
        self, name: Literal["admin/tenant/move"], body: MoveUser, *, headers: Headers | None = None
    ) -> Answer[AdminUser]:
        """Move a user to another tenant"""

    @overload
    def send(
        self, name: Literal["admin/tradingMode"], body: SetTradingMode, *, headers: Headers | None = None
    ) -> Answer[TradingModeRecord]:
        """Set the trading mode"""

    def send(self, name: str, body: Any = None, *, headers: Headers | None = None) -> Any:
        """The same as `post`, with the answer's headers."""
        return self._write(name, body, headers)

    @overload
    def pages(
        self, name: Literal["credential/list"], query: CredentialListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[Credential]:
        """List credentials"""

    @overload
    def pages(
        self, name: Literal["tradingAccount/list"], query: TradingAccountListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[TradingAccount]:
        """List trading accounts"""

    @overload
    def pages(
        self, name: Literal["tradingAccount/portfolio/list"], query: TradingAccountPortfolioListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[PortfolioPosition]:
        """Balances"""

    @overload
    def pages(
        self, name: Literal["tradeOrder/list"], query: TradeOrderListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[TradeOrder]:
        """List orders"""

    @overload
    def pages(
        self, name: Literal["market/instrument/list"], query: MarketInstrumentListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[Security]:
        """List instruments"""

    @overload
    def pages(
        self, name: Literal["market/ticker/list"], query: MarketTickerListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[Ticker]:
        """List tickers"""

    @overload
    def pages(
        self, name: Literal["dealer/list"], query: DealerListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[Dealer]:
        """List dealers"""

    @overload
    def pages(
        self, name: Literal["quote/list"], query: QuoteListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[Quote]:
        """List quotes"""

    @overload
    def pages(
        self, name: Literal["wallet/list"], query: WalletListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[Wallet]:
        """List wallets"""

    @overload
    def pages(
        self, name: Literal["wallet/transfer/list"], query: WalletTransferListQuery, *, headers: Headers | None = None
    ) -> Iterator[WalletTransferRecord]:
        """Statement of a wallet"""

    @overload
    def pages(
        self, name: Literal["admin/user/list"], query: AdminUserListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[AdminUser]:
        """List users (admin)"""

    @overload
    def pages(
        self, name: Literal["audit/list"], query: AuditListQuery | None = None, *, headers: Headers | None = None
    ) -> Iterator[AuditRecord]:
        """List audited acts (admin)"""

    def pages(self, name: str, query: Any = None, *, headers: Headers | None = None) -> Any:
        """Every item of a list, page after page."""
        return self._pages(name, query, headers)
