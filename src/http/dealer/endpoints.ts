/** Dealer accounts: administered by admins, linked by the owners of accounts who operate them (contract C8, C14, C16). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { DealerConfigRecord } from "../../domain/dealer/config.ts"
import { DealerRecord, DealerStatus } from "../../domain/dealer/dealer.ts"
import { FundingDirection, FundingRecord } from "../../domain/dealer/funding.ts"
import { HedgeReportRecord } from "../../domain/dealer/hedging/hedge-report.ts"
import { PositiveDecimalText } from "../../domain/decimal.ts"
import { AccountForbidden, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import {
  AccountAlreadyLinked,
  AccountHasHedges,
  AccountNotLinked,
  AccountOfAnotherEnvironment,
  DealerArchived,
  DealerChanged,
  DealerHasPositions,
  DealerNotFound,
  HedgeNotInDoubt,
} from "../../domain/errors/dealer.ts"
import { ConflictingParameters, InvalidCursor, InvalidParameter } from "../../domain/errors/request.ts"
import { OrderNotFound } from "../../domain/errors/trade-order.ts"
import { AccountNotActive, TradingAccountNotFound } from "../../domain/errors/trading-account.ts"
import { ExperimentalVenue } from "../../domain/errors/venue.ts"
import { DealerAccountId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { AssetText } from "../../domain/wallet/wallet.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, always, Deadline, Fresh, KnowsRepeats, Query, within } from "../edge/route.ts"
import { Ask, optional } from "../edge/wire-text.ts"

const ByDealer = Schema.Struct({ dealerAccountId: DealerAccountId }).annotations({ identifier: "ByDealer" })

const create = HttpApiEndpoint.post("create", "/api/v3/dealer/create")
  .setPayload(
    Schema.Struct({
      name: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(128)),
      baseCurrencies: Schema.Array(Schema.String.pipe(Schema.pattern(/^[A-Z0-9.]{1,30}$/)))
        .pipe(Schema.minItems(1), Schema.maxItems(100))
        .annotations({ description: "A pair is quoted when its base or its quote asset is among them" }),
      riskThreshold: optional(PositiveDecimalText).annotations({
        description: "Maximum unhedged exposure, in the risk currency; absent: no limit",
      }),
      config: optional(DealerConfigRecord),
    }).annotations({
      identifier: "CreateDealer",
      examples: [{ name: "Desk", baseCurrencies: ["BTC", "ETH"] }],
    }),
  )
  .addSuccess(Ok(DealerRecord))
  .addError(Fail(InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(Deadline, within(15_000))
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Create a dealer")
  .annotate(
    OpenApi.Description,
    "Creates the dealer with its own account at INTERNAL and the wallet that it delivers from, in one transaction. Both belong to the dealer: its current admins and operators act for them. Fund it with wallet/deposit, then link accounts at venues: prices come from their books, and hedges go there.",
  )

const DealerDetail = Schema.Struct({
  ...DealerRecord.fields,
  openQuotes: Schema.NullOr(Schema.Int).annotations({ description: "Extension: firm quotes that are still open" }),
  hedging: Schema.NullOr(Schema.Array(HedgeReportRecord)).annotations({
    description: "Extension: positions, exposure and profit, by pair",
  }),
}).annotations({ identifier: "DealerDetail" })
export type DealerDetail = typeof DealerDetail.Type

const get = HttpApiEndpoint.get("get", "/api/v3/dealer/get")
  .setUrlParams(Query({ dealerAccountId: DealerAccountId }))
  .addSuccess(Ok(DealerDetail))
  .addError(Fail(DealerNotFound))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "Get a dealer")
  .annotate(
    OpenApi.Description,
    "Admins and the dealer's operators see all of it; any other user of the tenant its id, name, status, baseCurrencies and times, the other fields null.",
  )

const list = HttpApiEndpoint.get("list", "/api/v3/dealer/list")
  .setUrlParams(
    Query({
      status: Schema.optional(DealerStatus),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(DealerRecord))
  .addError(Fail(InvalidCursor, ConflictingParameters))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "List dealers")
  .annotate(OpenApi.Description, "Dealers of your tenant, newest first.")

const update = HttpApiEndpoint.post("update", "/api/v3/dealer/update")
  .setPayload(
    Schema.Struct({
      dealerAccountId: DealerAccountId,
      updatedAt: Schema.Int.annotations({
        description:
          "updatedAt of the record that the change is based on: a dealer changed since then is not overwritten",
      }),
      config: DealerConfigRecord,
    }).annotations({ identifier: "UpdateDealer" }),
  )
  .addSuccess(Ok(DealerRecord))
  .addError(Fail(DealerNotFound, DealerArchived, DealerChanged, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Change a dealer's configuration")
  .annotate(
    OpenApi.Description,
    "Extension. The whole configuration, as in dealer/create: read the dealer, change what should change, and send config back with its updatedAt; omitted fields return to their defaults. A concurrent change is answered with 409 -141009. Applies to every quote and hedge from then on; firm quotes already made do not change.",
  )

const pause = HttpApiEndpoint.post("pause", "/api/v3/dealer/pause")
  .setPayload(ByDealer)
  .addSuccess(Ok(DealerRecord))
  .addError(Fail(DealerNotFound, DealerArchived))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "Pause a dealer")
  .annotate(
    OpenApi.Description,
    "Stops new quotes. Firm quotes may be executed until they expire, and hedging continues. A repeat returns the same record.",
  )

const resume = HttpApiEndpoint.post("resume", "/api/v3/dealer/resume")
  .setPayload(ByDealer)
  .addSuccess(Ok(DealerRecord))
  .addError(Fail(DealerNotFound, DealerArchived))
  .annotate(Access, "admin")
  .annotate(OpenApi.Summary, "Resume a dealer")

const archive = HttpApiEndpoint.post("archive", "/api/v3/dealer/archive")
  .setPayload(ByDealer)
  .addSuccess(Ok(DealerRecord))
  .addError(Fail(DealerNotFound, DealerArchived, DealerHasPositions))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Archive a dealer")
  .annotate(
    OpenApi.Description,
    "Permanent. Refused while firm quotes are open, exposure is not hedged, or hedges are working. Funds in its wallet remain there for an admin to withdraw.",
  )

const AccountOfDealer = Schema.Struct({
  dealerAccountId: DealerAccountId,
  tradingAccountId: TradingAccountId,
}).annotations({ identifier: "DealerAccountLink" })

const accountLink = HttpApiEndpoint.post("accountLink", "/api/v3/dealer/account/link")
  .setPayload(AccountOfDealer)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(
    Fail(
      DealerNotFound,
      DealerArchived,
      TradingAccountNotFound,
      AccountForbidden,
      InsufficientPermissions,
      AccountNotActive,
      AccountAlreadyLinked,
      AccountOfAnotherEnvironment,
      ExperimentalVenue,
      InvalidParameter,
    ),
  )
  .annotate(Access, "write")
  .annotate(OpenApi.Summary, "Link an account to a dealer")
  .annotate(
    OpenApi.Description,
    "An account of your own, as admin or operator of the dealer: prices come from its venue, and hedges go through it. All accounts of a dealer are of one environment: real venues and INTERNAL (whose money is the ledger's), test networks (`_UAT`), or MOCK and PAPER; an account of another environment is refused with -141008 until the others are unlinked. INTERNAL, test networks, MOCK and PAPER are used only if config.pricing.allowSimulatedVenues is set; test networks, MOCK and PAPER never price, value or hedge beside real venues. With ENVIRONMENT=UAT, INTERNAL counts as a test network.",
  )

const accountUnlink = HttpApiEndpoint.post("accountUnlink", "/api/v3/dealer/account/unlink")
  .setPayload(AccountOfDealer)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(
    Fail(
      DealerNotFound,
      DealerArchived,
      TradingAccountNotFound,
      AccountForbidden,
      InsufficientPermissions,
      AccountNotLinked,
      AccountHasHedges,
    ),
  )
  .annotate(Access, "write")
  .annotate(OpenApi.Summary, "Unlink an account from a dealer")
  .annotate(
    OpenApi.Description,
    "By the owner of the account, or by an admin or operator of the dealer. Refused while a hedge is working on it.",
  )

const accountFunding = HttpApiEndpoint.post("accountFunding", "/api/v3/dealer/account/funding")
  .setPayload(
    Schema.Struct({
      ...AccountOfDealer.fields,
      asset: AssetText,
      amount: PositiveDecimalText.annotations({
        description: "Amount by which the balance will change: for a withdrawal including the venue's fee",
      }),
      direction: FundingDirection,
    }).annotations({ identifier: "AccountFunding" }),
  )
  .addSuccess(Ok(FundingRecord))
  .addError(Fail(DealerNotFound, DealerArchived, TradingAccountNotFound, AccountNotLinked, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Announce a deposit or withdrawal at a linked account's venue")
  .annotate(
    OpenApi.Description,
    "Extension. Call it before moving the funds: a balance change at the venue without an execution is then posted as FUNDING, against WORLD, up to this amount, and is neither counted as a loss nor offsets one. Valid for a day; what has not appeared by then is reported on the channel of the dealer's own account (FUNDING_EXPIRED). What has already been booked does not change. A repeat with the same Idempotency-Key returns the same record in its current state.",
  )

const hedgeResolve = HttpApiEndpoint.post("hedgeResolve", "/api/v3/dealer/hedge/resolve")
  .setPayload(
    Schema.Struct({
      dealerAccountId: DealerAccountId,
      tradeOrderId: TradeOrderId.annotations({ description: "The hedge: one of inDoubt in dealer/get" }),
      executedQuantity: PositiveDecimalText.annotations({
        description:
          'In base, the total executed quantity; "0": nothing. For a buy, net of the venue fee in base if the venue has not reported it. At least what the venue has reported, at most what was ordered',
      }),
      averagePrice: optional(PositiveDecimalText).annotations({
        description: "Price per unit of base; required unless executedQuantity is 0",
      }),
    }).annotations({ identifier: "ResolveHedge" }),
  )
  .addSuccess(Ok(HedgeReportRecord))
  .addError(Fail(DealerNotFound, OrderNotFound, HedgeNotInDoubt, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "State what a hedge in doubt executed")
  .annotate(
    OpenApi.Description,
    "Extension. For a hedge whose venue can no longer be queried because its account was force-disconnected or lost its credential. Check at the venue first: the values are accepted as given, and the resulting exposure is hedged immediately. If the venue later reports more, that counts. If called again, the newest values apply. Returns the resulting hedging state of the pair.",
  )

export class DealerApi extends HttpApiGroup.make("dealer")
  .add(create)
  .add(get)
  .add(list)
  .add(update)
  .add(pause)
  .add(resume)
  .add(archive)
  .add(accountLink)
  .add(accountUnlink)
  .add(accountFunding)
  .add(hedgeResolve)
  .annotate(OpenApi.Title, "Dealers")
  .annotate(
    OpenApi.Description,
    "Firm prices from the books of linked accounts, delivered from a wallet, hedged at venues.",
  ) {}
