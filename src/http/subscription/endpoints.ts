/** Order book subscriptions: registered interest in a book, which keeps its feed open (contract C14a). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { AccountForbidden, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import {
  InstrumentDelisted,
  InstrumentNotFound,
  InvalidInstrumentId,
  SubscriptionLimit,
  SubscriptionNotFound,
} from "../../domain/errors/market.ts"
import { ConflictingParameters, MissingParameter } from "../../domain/errors/request.ts"
import { AccountDisconnected, TradingAccountNotFound } from "../../domain/errors/trading-account.ts"
import { VenueInactive, VenueUnavailable } from "../../domain/errors/venue.ts"
import { SubscriptionId, TradingAccountId } from "../../domain/ids.ts"
import { SubscriptionRecord } from "../../domain/market/market.ts"
import { Fail, Ok } from "../edge/envelope.ts"
import { Access, Deadline, Query, within } from "../edge/route.ts"
import { Ask, InstrumentText, optional } from "../edge/wire-text.ts"

const subscribe = HttpApiEndpoint.post("subscribe", "/api/v3/market/subscription/orderbook/subscribe")
  .setPayload(
    Schema.Struct({
      instrumentId: InstrumentText,
      tradingAccountId: optional(TradingAccountId).annotations({
        description: "Extension: of the same venue; the subscription ends when this account is disconnected",
      }),
    }).annotations({ identifier: "SubscribeOrderBook", examples: [{ instrumentId: "MOCK:BTC/USDT" }] }),
  )
  .addSuccess(Ok(SubscriptionRecord))
  .addError(
    Fail(
      InvalidInstrumentId,
      InstrumentNotFound,
      InstrumentDelisted,
      VenueInactive,
      VenueUnavailable,
      InsufficientPermissions,
      TradingAccountNotFound,
      AccountForbidden,
      AccountDisconnected,
      SubscriptionLimit,
      ConflictingParameters,
    ),
  )
  .annotate(Access, "read")
  .annotate(Deadline, within(30_000))
  .annotate(OpenApi.Summary, "Subscribe to order book updates")
  .annotate(
    OpenApi.Description,
    "Keeps the book's feed open; the updates come over the WebSocket channel market:orderbook:<venue>:<symbol>. Subscribing again returns the existing record.",
  )

const unsubscribe = HttpApiEndpoint.post("unsubscribe", "/api/v3/market/subscription/orderbook/unsubscribe")
  .setPayload(
    Schema.Struct({
      subscriptionId: optional(SubscriptionId),
      tradingAccountId: optional(TradingAccountId),
      instrumentId: optional(InstrumentText),
    }).annotations({ identifier: "UnsubscribeOrderBook" }),
  )
  .addSuccess(Ok(SubscriptionRecord))
  .addError(Fail(MissingParameter, SubscriptionNotFound))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "Unsubscribe from order book updates")
  .annotate(
    OpenApi.Description,
    "By subscriptionId, or by instrumentId (and tradingAccountId). Returns the record as INACTIVE; repeats are harmless.",
  )

const list = HttpApiEndpoint.get("list", "/api/v3/market/subscription/orderbook/list")
  .setUrlParams(
    Query({
      instrumentId: Schema.optional(InstrumentText),
      userId: Ask.userId,
    }),
  )
  .addSuccess(Ok(Schema.Array(SubscriptionRecord)))
  .addError(Fail(InsufficientPermissions))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List order book subscriptions")
  .annotate(OpenApi.Description, "Your ACTIVE subscriptions. Admins may give userId.")

export class SubscriptionApi extends HttpApiGroup.make("subscription")
  .add(subscribe)
  .add(unsubscribe)
  .add(list)
  .annotate(OpenApi.Title, "Order book subscriptions")
  .annotate(OpenApi.Description, "Registered interest in order books.") {}
