/** Firm quotes from a dealer: request, get, list (contract C8, C14). They are executed by tradeOrder/submit, orderType QUOTED. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { QuoteRecord, QuoteStatus } from "../../domain/dealer/quote.ts"
import { QuoteRequest } from "../../domain/dealer/quote-request.ts"
import { AccountForbidden, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { DealerArchived, DealerNotFound, DealerPaused } from "../../domain/errors/dealer.ts"
import { QuoteRateLimited } from "../../domain/errors/limits.ts"
import { InstrumentNotFound, InvalidInstrumentId } from "../../domain/errors/market.ts"
import {
  InvalidQuantityPrecision,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
} from "../../domain/errors/order-parameters.ts"
import {
  AssetNotQuoted,
  DealerCannotQuote,
  InvalidQuoteSide,
  InvalidQuoteTime,
  PricingProfileNotFound,
  QuoteNotFound,
  QuoteRequestReused,
  QuoteSizeAmbiguous,
} from "../../domain/errors/quote.ts"
import {
  ConflictingParameters,
  InvalidCursor,
  InvalidParameter,
  MissingParameter,
} from "../../domain/errors/request.ts"
import { InsufficientBalance, TradingHalted } from "../../domain/errors/risk.ts"
import { AccountNotActive, AccountUnsupported, TradingAccountNotFound } from "../../domain/errors/trading-account.ts"
import { WalletClosed, WalletFrozen } from "../../domain/errors/wallet.ts"
import { DealerAccountId, QuoteId, TradingAccountId } from "../../domain/ids.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, Query } from "../edge/route.ts"
import { Ask } from "../edge/wire-text.ts"

const request = HttpApiEndpoint.post("request", "/api/v3/quote/request")
  .setPayload(QuoteRequest)
  .addSuccess(Ok(QuoteRecord))
  .addError(
    Fail(
      DealerNotFound,
      DealerPaused,
      DealerArchived,
      DealerCannotQuote,
      AssetNotQuoted,
      PricingProfileNotFound,
      MissingParameter,
      InvalidParameter,
      ConflictingParameters,
      InvalidInstrumentId,
      InsufficientPermissions,
      InstrumentNotFound,
      InvalidQuoteSide,
      QuoteSizeAmbiguous,
      InvalidQuoteTime,
      QuoteRequestReused,
      QuoteRateLimited,
      InsufficientBalance,
      TradingHalted,
      TradingAccountNotFound,
      AccountForbidden,
      AccountNotActive,
      AccountUnsupported,
      InvalidQuantityPrecision,
      QuantityBelowMinimum,
      QuantityAboveMaximum,
      WalletFrozen,
      WalletClosed,
    ),
  )
  .annotate(Access, "write")
  .annotate(OpenApi.Summary, "Request a quote")
  .annotate(
    OpenApi.Description,
    [
      "A firm price that binds the dealer until expireAt: no last look. What the dealer would deliver is reserved until then. The client's funds are not held; a client without sufficient funds gets quotes of at most 10 seconds, and all such quotes share a part of the dealer's limits.",
      "",
      "If no source prices the pair, the answer is -140002, with the cause in details.reason: NO_LINKED_ACCOUNT, INSTRUMENT_NOT_TRADED, COUNTED_IN_CONTRACTS, VENUE_NOT_ALLOWED or OWN_ACCOUNT.",
      "",
      "A refusal by a rule of the dealer is a result, not a failure: status REJECTED with rejectReason INSUFFICIENT_LIQUIDITY, BEYOND_COVERED_RANGE (the known part of the books is not deep enough), RISK_LIMIT, INSUFFICIENT_INVENTORY or NOTIONAL_LIMIT. Execute a quote with tradeOrder/submit: orderType QUOTED, quoteId, and the quote's own side and quantity.",
    ].join("\n"),
  )

const get = HttpApiEndpoint.get("get", "/api/v3/quote/get")
  .setUrlParams(Query({ quoteId: QuoteId }))
  .addSuccess(Ok(QuoteRecord))
  .addError(Fail(QuoteNotFound))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "Get a quote")
  .annotate(
    OpenApi.Description,
    "Extension: your own quote, or, as admin or operator of its dealer, any quote with the levels that priced it. Quotes that were not executed are kept for 7 days after their end.",
  )

const list = HttpApiEndpoint.get("list", "/api/v3/quote/list")
  .setUrlParams(
    Query({
      dealerAccountId: Schema.optional(DealerAccountId).annotations({
        description: "All quotes of a dealer that you administer or operate; otherwise your own quotes from it",
      }),
      traderAccountId: Schema.optional(TradingAccountId),
      userId: Ask.userId,
      status: Schema.optional(QuoteStatus),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(QuoteRecord))
  .addError(Fail(DealerNotFound, InvalidCursor, ConflictingParameters, InsufficientPermissions))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List quotes")
  .annotate(
    OpenApi.Description,
    "Extension: your quotes, newest first. Those that were not executed are listed for 7 days after their end.",
  )

export class QuoteApi extends HttpApiGroup.make("quote")
  .add(request)
  .add(get)
  .add(list)
  .annotate(OpenApi.Title, "Quotes")
  .annotate(OpenApi.Description, "Firm prices from dealers: requested, then executed once or expired.") {}
