/** The declaration of tradeOrder/submit (specification, Submit order; contract C1, C2, C4): every refusal that it knows. */
import { HttpApiEndpoint, OpenApi } from "@effect/platform"
import {
  AccountDisconnected,
  AccountForbidden,
  AccountNotActive,
  AccountReconciling,
  ConflictingParameters,
  ContingentUnsupported,
  DuplicateClientOrderId,
  ExpireAtRequired,
  IdempotencyConflict,
  IncompleteExits,
  InstrumentNotFound,
  InstrumentNotTradable,
  InsufficientBalance,
  InvalidExpireAt,
  InvalidInstrumentId,
  InvalidOrderSide,
  InvalidPricePrecision,
  InvalidPriceRelation,
  InvalidQuantityPrecision,
  InvalidQuantityRatio,
  InvalidTimeInForce,
  InvalidTrailingDistance,
  LeverageNotAllowed,
  LimitPriceRequired,
  MissingParameter,
  NotionalBelowMinimum,
  NotSupportedByVenue,
  OrderBookUnavailable,
  OrderRateLimited,
  OutcomeUnknown,
  ParameterNotAllowed,
  PositionNotFound,
  PriceOutsideCollar,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
  QuoteIdRequired,
  StopPriceRequired,
  TickerUnavailable,
  TimeInForceNotAllowed,
  TooManyOpenOrders,
  TradingAccountNotFound,
  UnsupportedOrderType,
  UnsupportedTimeInForce,
  VenueInactive,
  WouldTriggerImmediately,
} from "../../domain/errors.ts"
import { SubmitRequest } from "../../domain/submit-request.ts"
import { Fail, Ok } from "../envelope.ts"
import { Access, Deadline, type DeadlineTerms } from "../route.ts"
import { SubmittedOrder } from "./submit-answer.ts"

/** The order may or may not exist: storage did not say so in time (order-path 1). */
export const doubt: DeadlineTerms = { millis: 5_000, failure: () => new OutcomeUnknown({ tradeOrderId: null }) }

export const submit = HttpApiEndpoint.post("submit", "/api/v3/tradeOrder/submit")
  .setPayload(SubmitRequest)
  .addSuccess(Ok(SubmittedOrder))
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
      OrderRateLimited,
      TooManyOpenOrders,
      DuplicateClientOrderId,
      OutcomeUnknown,
      PositionNotFound,
      InsufficientBalance,
      PriceOutsideCollar,
      LeverageNotAllowed,
      UnsupportedOrderType,
      InvalidOrderSide,
      LimitPriceRequired,
      StopPriceRequired,
      ParameterNotAllowed,
      IncompleteExits,
      QuoteIdRequired,
      WouldTriggerImmediately,
      InvalidPriceRelation,
      ContingentUnsupported,
      InvalidTrailingDistance,
      InvalidTimeInForce,
      UnsupportedTimeInForce,
      ExpireAtRequired,
      InvalidExpireAt,
      TimeInForceNotAllowed,
      QuantityBelowMinimum,
      QuantityAboveMaximum,
      InvalidQuantityPrecision,
      InvalidQuantityRatio,
      InvalidPricePrecision,
      NotionalBelowMinimum,
      OrderBookUnavailable,
      TickerUnavailable,
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
      "",
      "takeProfit… and stopLoss… place exits with an entry: they wait for its fills, grow with them, and one ends the other. With a TAKE_PROFIT or STOP_LOSS order they make a pair of exits. The others come in `linkedOrders`, all stored at once.",
      "",
      "Triggers follow the last trade. A LIMIT price more than twice (BUY) or less than half (SELL) of it, or of its own stopPrice, is refused where the gateway knows such a price: -111004. The header `Server-Timing` says when the request was checked, stored and sent on.",
    ].join("\n"),
  )
