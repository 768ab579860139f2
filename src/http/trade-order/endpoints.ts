/** Trade orders: submit, cancel, get, list (specification, Submit order and List orders; contract C1, C2). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import {
  AccountDisconnected,
  AccountForbidden,
  AccountNotActive,
  AccountReconciling,
  CancelRejected,
  ConflictingParameters,
  ContingentUnsupported,
  DuplicateClientOrderId,
  ExpireAtRequired,
  IdempotencyConflict,
  InstrumentNotFound,
  InstrumentNotTradable,
  InsufficientBalance,
  InvalidCursor,
  InvalidExpireAt,
  InvalidInstrumentId,
  InvalidOrderSide,
  InvalidPricePrecision,
  InvalidQuantityPrecision,
  InvalidTimeInForce,
  InvalidTimeRange,
  LeverageNotAllowed,
  LimitPriceRequired,
  MissingParameter,
  NotionalBelowMinimum,
  NotSupportedByVenue,
  OrderClosed,
  OrderNotFound,
  OutcomeUnknown,
  ParameterNotAllowed,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
  QuoteIdRequired,
  StopPriceRequired,
  TimeInForceNotAllowed,
  TradingAccountNotFound,
  UnsupportedOrderType,
  UnsupportedTimeInForce,
  VenueInactive,
} from "../../domain/errors.ts"
import { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { OrderStatus } from "../../domain/order-status.ts"
import { OrderKey, SubmitRequest } from "../../domain/submit-request.ts"
import { TradeOrderRecord } from "../../domain/trade-order-record.ts"
import { Fail, Ok, Page } from "../envelope.ts"
import { Access, Deadline, type DeadlineTerms, Query } from "../route.ts"
import { Ask, InstrumentText, optional, text } from "../wire-text.ts"

/** The order may or may not exist: storage did not say so in time (order-path 1). */
const doubt: DeadlineTerms = { millis: 5_000, failure: () => new OutcomeUnknown({ tradeOrderId: null }) }

export const StatusWord = Schema.Literal(
  ...OrderStatus.literals,
  // The words that only the narrative has; the others mean the same in both.
  "PENDING",
  "OPEN",
)

const submit = HttpApiEndpoint.post("submit", "/api/v3/tradeOrder/submit")
  .setPayload(SubmitRequest)
  .addSuccess(Ok(TradeOrderRecord))
  .addError(
    Fail(
      TradingAccountNotFound,
      AccountForbidden,
      AccountNotActive,
      AccountDisconnected,
      AccountReconciling,
      VenueInactive,
      MissingParameter,
      ConflictingParameters,
      InvalidInstrumentId,
      InstrumentNotFound,
      InstrumentNotTradable,
      IdempotencyConflict,
      DuplicateClientOrderId,
      OutcomeUnknown,
      InsufficientBalance,
      LeverageNotAllowed,
      UnsupportedOrderType,
      InvalidOrderSide,
      LimitPriceRequired,
      StopPriceRequired,
      ParameterNotAllowed,
      QuoteIdRequired,
      ContingentUnsupported,
      InvalidTimeInForce,
      UnsupportedTimeInForce,
      ExpireAtRequired,
      InvalidExpireAt,
      TimeInForceNotAllowed,
      QuantityBelowMinimum,
      QuantityAboveMaximum,
      InvalidQuantityPrecision,
      InvalidPricePrecision,
      NotionalBelowMinimum,
      NotSupportedByVenue,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, doubt)
  .annotate(OpenApi.Summary, "Submit an order")
  .annotate(
    OpenApi.Description,
    [
      "Answers once the order is stored: status PENDING. With awaitClosed it waits up to 1 s for FILLED, REJECTED, EXPIRED or CANCELLED, and answers what it is then. A refusal by the venue is a success of this call with a REJECTED order; whatever is refused here, before the venue is asked, is a failure and stores nothing.",
      "",
      "Give an idempotencyKey (or clientOrderId) and a repeat is harmless: the same request answers the existing order with the header `Idempotency-Replayed: true`, a different one 409 -110006.",
    ].join("\n"),
  )

const orderName = {
  tradeOrderId: optional(TradeOrderId),
  clientOrderId: optional(OrderKey).annotations({ description: "Extension: instead of tradeOrderId" }),
} as const

const cancel = HttpApiEndpoint.post("cancel", "/api/v3/tradeOrder/cancel")
  .setPayload(
    Schema.Struct({ tradingAccountId: TradingAccountId, ...orderName }).annotations({ identifier: "CancelOrder" }),
  )
  .addSuccess(Ok(TradeOrderRecord))
  .addError(
    Fail(
      MissingParameter,
      ConflictingParameters,
      TradingAccountNotFound,
      AccountForbidden,
      AccountDisconnected,
      OrderNotFound,
      OrderClosed,
      CancelRejected,
      OutcomeUnknown,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, doubt)
  .annotate(OpenApi.Summary, "Cancel an order")
  .annotate(
    OpenApi.Description,
    "Answers after the venue's answer or 1 s, whichever is first. An order that is cancelled already is answered as it is; one that is filled, rejected or expired is 400 -110011.",
  )

const get = HttpApiEndpoint.get("get", "/api/v3/tradeOrder/get")
  .setUrlParams(
    Query({
      tradingAccountId: Schema.optional(TradingAccountId),
      tradeOrderId: Schema.optional(TradeOrderId),
      clientOrderId: Schema.optional(OrderKey).annotations({ description: "Needs tradingAccountId" }),
    }),
  )
  .addSuccess(Ok(TradeOrderRecord))
  .addError(Fail(MissingParameter, ConflictingParameters, TradingAccountNotFound, AccountForbidden, OrderNotFound))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "Get an order")
  .annotate(OpenApi.Description, "Extension: one order in its current state, by tradeOrderId, or by clientOrderId.")

const list = HttpApiEndpoint.get("list", "/api/v3/tradeOrder/list")
  .setUrlParams(
    Query({
      tradeOrderId: Schema.optional(TradeOrderId),
      clientOrderId: Schema.optional(OrderKey),
      orderListId: Schema.optional(text(64)).annotations({
        description: "The children of a contingent order, or both legs of a pair without one",
      }),
      orderStatus: Schema.optional(StatusWord).annotations({
        description: "OPEN, PENDING and CANCELLED select every state that is shown so; formal words match exactly",
      }),
      status: Schema.optional(StatusWord).annotations({ description: "The reference's name of orderStatus" }),
      tradingAccountId: Schema.optional(TradingAccountId),
      instrumentId: Schema.optional(InstrumentText),
      startTime: Schema.optional(Schema.Int).annotations({ description: "createdAt from here on, ms, inclusive" }),
      endTime: Schema.optional(Schema.Int).annotations({ description: "createdAt up to here, ms, inclusive" }),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
      ascending: Schema.optional(Schema.Boolean).annotations({ description: "Oldest first; default false" }),
    }),
  )
  .addSuccess(Page(TradeOrderRecord))
  .addError(
    Fail(
      TradingAccountNotFound,
      AccountForbidden,
      InvalidInstrumentId,
      InvalidCursor,
      InvalidTimeRange,
      ConflictingParameters,
    ),
  )
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List orders")
  .annotate(OpenApi.Description, "Your orders, newest first, of one account or of all.")

export class TradeOrderApi extends HttpApiGroup.make("tradeOrder")
  .add(submit)
  .add(cancel)
  .add(get)
  .add(list)
  .annotate(OpenApi.Title, "Trade orders")
  .annotate(OpenApi.Description, "Orders: stored before they leave, never sent twice, never lost.") {}
