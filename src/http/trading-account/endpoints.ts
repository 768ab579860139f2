/** Trading accounts: connect, update, list, disconnect, and their balances (specification, Trading account; contract C11, C11a). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PositionRecord, TradingAccountRecord, TradingAccountStatus } from "../../domain/account/trading-account.ts"
import { AccountForbidden, InsufficientPermissions, TenantForbidden } from "../../domain/errors/authorisation.ts"
import { CredentialNotFound, CredentialRevoked, CredentialsInvalid } from "../../domain/errors/credential.ts"
import { AccountHasHedges, DealerArchived, DealerNotFound } from "../../domain/errors/dealer.ts"
import { ConflictingParameters, InvalidCursor, MissingParameter } from "../../domain/errors/request.ts"
import {
  AccountDisconnected,
  AccountUnsupported,
  CredentialsRequired,
  DisconnectIncomplete,
  ExternalAccountNotVisible,
  ExternalAccountTaken,
  PortfolioUnavailable,
  TooManyAccounts,
  TradingAccountNotFound,
} from "../../domain/errors/trading-account.ts"
import {
  ExperimentalVenue,
  InvalidVenue,
  NotSupportedByVenue,
  VenueInactive,
  VenueUnavailable,
} from "../../domain/errors/venue.ts"
import { WalletFailed } from "../../domain/errors/wallet.ts"
import { CredentialId, TradingAccountId, UserId } from "../../domain/ids.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, Deadline, Fresh, KnowsRepeats, Query, within } from "../edge/route.ts"
import { AccountText, Ask, optional, text, VenueText } from "../edge/wire-text.ts"

const ConnectAccount = Schema.Struct({
  venue: VenueText,
  credentialIds: optional(Schema.Array(CredentialId).pipe(Schema.maxItems(16))).annotations({
    description: "From credential/create; MOCK, PAPER and INTERNAL need none",
  }),
  externalTradingAccountId: optional(text(128)).annotations({
    description:
      "The account's id at the venue where the venue reports one, otherwise a label of your choice; at INTERNAL omitted, or the id of a wallet of yours",
  }),
  dealerAccountId: optional(Schema.UUID).annotations({
    description: "At INTERNAL: makes the account a client of that dealer",
  }),
  nickname: optional(text(128)),
}).annotations({
  identifier: "ConnectTradingAccount",
  examples: [{ venue: "MOCK", externalTradingAccountId: "demo", nickname: "My first account" }],
})

const connect = HttpApiEndpoint.post("connect", "/api/v3/tradingAccount/connect")
  .setPayload(ConnectAccount)
  .addSuccess(Ok(TradingAccountRecord))
  .addError(
    Fail(
      InvalidVenue,
      VenueInactive,
      ExperimentalVenue,
      NotSupportedByVenue,
      VenueUnavailable,
      InsufficientPermissions,
      MissingParameter,
      ConflictingParameters,
      CredentialsRequired,
      CredentialsInvalid,
      CredentialNotFound,
      CredentialRevoked,
      ExternalAccountNotVisible,
      ExternalAccountTaken,
      AccountDisconnected,
      DealerNotFound,
      DealerArchived,
      TooManyAccounts,
      WalletFailed,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, within(40_000))
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Connect a trading account")
  .annotate(
    OpenApi.Description,
    "Connects an account at a venue and responds once it is ACTIVE, or after 10 s with its current state. Connecting the same account again returns the existing record with the new nickname and credentials. At INTERNAL every account has its own wallet, created with it, and externalTradingAccountId is that wallet's id.",
  )

const update = HttpApiEndpoint.post("update", "/api/v3/tradingAccount/update")
  .setPayload(
    Schema.Struct({ tradingAccountId: TradingAccountId, nickname: optional(text(128)) }).annotations({
      identifier: "UpdateTradingAccount",
    }),
  )
  .addSuccess(Ok(TradingAccountRecord))
  .addError(Fail(TradingAccountNotFound, AccountForbidden, AccountDisconnected))
  .annotate(Access, "write")
  .annotate(OpenApi.Summary, "Rename a trading account")
  .annotate(OpenApi.Description, "Changes the nickname.")

const list = HttpApiEndpoint.get("list", "/api/v3/tradingAccount/list")
  .setUrlParams(
    Query({
      tradingAccountId: Schema.optional(TradingAccountId),
      venue: Schema.optional(VenueText),
      accountStatus: Schema.optional(TradingAccountStatus),
      userId: Schema.optional(UserId),
      tenantId: Schema.optional(text(128)),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(TradingAccountRecord))
  .addError(Fail(InvalidVenue, InsufficientPermissions, TenantForbidden, InvalidCursor, ConflictingParameters))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List trading accounts")
  .annotate(
    OpenApi.Description,
    "Your accounts, newest first. DISCONNECTED ones are omitted unless accountStatus or tradingAccountId selects them. Admins may give userId.",
  )

const disconnect = HttpApiEndpoint.post("disconnect", "/api/v3/tradingAccount/disconnect")
  .setPayload(
    Schema.Struct({
      tradingAccountId: AccountText,
      force: optional(Schema.Boolean).annotations({
        description:
          "Extension: disconnect although the venue could not confirm that every order is closed, or a dealer's hedge is still working",
      }),
    }).annotations({ identifier: "DisconnectTradingAccount" }),
  )
  .addSuccess(Ok(TradingAccountRecord))
  .addError(Fail(AccountUnsupported, TradingAccountNotFound, AccountForbidden, AccountHasHedges, DisconnectIncomplete))
  .annotate(Access, "write")
  .annotate(Fresh, ({ body }: { readonly body: { readonly force?: boolean | null } }) => body.force === true)
  .annotate(Deadline, within(40_000))
  .annotate(OpenApi.Summary, "Disconnect a trading account")
  .annotate(
    OpenApi.Description,
    "Cancels all open orders at the venue, ends streams and subscriptions, and removes the credentials. Cannot be undone. Waits up to 30 s for the venue's confirmation. Refused (-141007) while a dealer's hedge is working or in doubt there, unless force is set: what is in doubt then remains so until dealer/hedge/resolve settles it.",
  )

const portfolio = HttpApiEndpoint.get("portfolioList", "/api/v3/tradingAccount/portfolio/list")
  .setUrlParams(
    Query({
      tradingAccountId: Schema.optional(AccountText),
      userId: Ask.userId,
      venue: Schema.optional(VenueText),
      currency: Schema.optional(text(32)).annotations({
        description: "An asset code; returned even if its balance is zero",
      }),
      limit: Ask.limit(100, 10),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(PositionRecord))
  .addError(
    Fail(
      InvalidVenue,
      InsufficientPermissions,
      TradingAccountNotFound,
      AccountForbidden,
      PortfolioUnavailable,
      InvalidCursor,
      ConflictingParameters,
    ),
  )
  .annotate(Access, "read")
  .annotate(Deadline, within(10_000))
  .annotate(OpenApi.Summary, "Balances")
  .annotate(
    OpenApi.Description,
    "Balances of your accounts, by venue and currency. balance = available + locked, always. Admins may give userId.",
  )

export class TradingAccountApi extends HttpApiGroup.make("tradingAccount")
  .add(connect)
  .add(update)
  .add(list)
  .add(disconnect)
  .add(portfolio)
  .annotate(OpenApi.Title, "Trading accounts")
  .annotate(OpenApi.Description, "Accounts at venues and their balances.") {}
