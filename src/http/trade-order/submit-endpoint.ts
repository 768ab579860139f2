/** The declaration of tradeOrder/submit (specification, Submit order; contract C1, C2, C4): its key, its answer, every refusal that it knows. */

import { HttpApiEndpoint, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import type { SubmitAnswer, SubmitTiming } from "../../actors/account/messages.ts"
import { AccountForbidden, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { OrderRateLimited, TooManyOpenOrders } from "../../domain/errors/limits.ts"
import {
  InstrumentDelisted,
  InstrumentNotFound,
  InstrumentNotTradable,
  InvalidInstrumentId,
  OrderBookUnavailable,
  TickerUnavailable,
} from "../../domain/errors/market.ts"
import {
  ContingentUnsupported,
  ExpireAtRequired,
  IncompleteExits,
  InvalidExpireAt,
  InvalidOrderSide,
  InvalidPricePrecision,
  InvalidPriceRelation,
  InvalidQuantityPrecision,
  InvalidQuantityRatio,
  InvalidTimeInForce,
  InvalidTrailingDistance,
  LimitPriceRequired,
  NotionalBelowMinimum,
  ParameterNotAllowed,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
  QuantityExceedsPosition,
  QuoteIdRequired,
  StopPriceRequired,
  TimeInForceNotAllowed,
  UnsupportedOrderType,
  UnsupportedTimeInForce,
  WouldTriggerImmediately,
} from "../../domain/errors/order-parameters.ts"
import { QuoteExpired, QuoteMismatch, QuoteNotFound, QuoteUsed } from "../../domain/errors/quote.ts"
import { ConflictingParameters, InvalidParameter, MissingParameter } from "../../domain/errors/request.ts"
import { InsufficientBalance, LeverageNotAllowed, PriceOutsideCollar, TradingHalted } from "../../domain/errors/risk.ts"
import {
  DuplicateClientOrderId,
  IdempotencyConflict,
  OutcomeUnknown,
  PositionNotFound,
} from "../../domain/errors/trade-order.ts"
import {
  AccountDisconnected,
  AccountNotActive,
  AccountReconciling,
  TradingAccountNotFound,
} from "../../domain/errors/trading-account.ts"
import { ExperimentalVenue, NotSupportedByVenue, VenueInactive } from "../../domain/errors/venue.ts"
import { LedgerConflict, WalletClosed, WalletFrozen } from "../../domain/errors/wallet.ts"
import { OrderKey, SubmitRequest } from "../../domain/order/submit-request.ts"
import { TradeOrderRecord, tradeOrderJson } from "../../domain/order/trade-order-record.ts"
import { Fail, JsonText, Ok } from "../edge/envelope.ts"
import { Access, Deadline, type DeadlineTerms } from "../edge/route.ts"

// The response to a submit: the order, its linked orders, and the time each step took.

const SubmittedOrder = Schema.Struct({
  ...TradeOrderRecord.fields,
  linkedOrders: Schema.optional(
    Schema.Array(TradeOrderRecord).annotations({
      description:
        "Extension: the other orders of its list: exits of an entry, or the other leg of a pair. Absent without a list",
    }),
  ),
}).annotations({ identifier: "SubmittedOrder" })

export const submittedText = ({ order, json, linked }: SubmitAnswer): JsonText => {
  const own = json ?? tradeOrderJson(order)
  if (linked === undefined) return new JsonText(own)
  return new JsonText(`${own.slice(0, -1)},"linkedOrders":[${linked.map(tradeOrderJson).join(",")}]}`)
}

/** Header Server-Timing: milliseconds from the moment the request was read. */
export const timingText = ({ receivedAt, checkedAt, committedAt, dispatchedAt }: SubmitTiming): string => {
  const since = (at: number): string => (at - receivedAt).toFixed(3)
  return `received;dur=0, checked;dur=${since(checkedAt)}, committed;dur=${since(committedAt)}, dispatched;dur=${since(dispatchedAt)}`
}

// The header `Idempotency-Key` of a submit: the order's own key, as if it stood in the body (contract C2).

const isKey = Schema.is(OrderKey)

/** The request with the key of its header; the empty string is none. */
export const keyedBy = (
  header: string,
  request: SubmitRequest,
): SubmitRequest | InvalidParameter | ConflictingParameters => {
  if (header === "" || header === request.idempotencyKey) return request
  if (!isKey(header))
    return new InvalidParameter({ parameter: "Idempotency-Key", reason: "1 to 64 of letters, digits and . _ : -" })
  return request.idempotencyKey
    ? new ConflictingParameters({ parameters: ["Idempotency-Key", "idempotencyKey"] })
    : { ...request, idempotencyKey: header }
}

/** The order may or may not exist: storage did not say so in time (order-path 1). */
export const doubt: DeadlineTerms = { millis: 5_000, failure: () => new OutcomeUnknown({ tradeOrderId: null }) }

export const submit = HttpApiEndpoint.post("submit", "/api/v3/tradeOrder/submit")
  .setPayload(SubmitRequest)
  .addSuccess(Ok(SubmittedOrder))
  .addError(
    Fail(
      TradingAccountNotFound,
      AccountForbidden,
      InsufficientPermissions,
      AccountNotActive,
      AccountDisconnected,
      AccountReconciling,
      VenueInactive,
      ExperimentalVenue,
      MissingParameter,
      InvalidParameter,
      ConflictingParameters,
      InvalidInstrumentId,
      InstrumentNotFound,
      InstrumentDelisted,
      InstrumentNotTradable,
      IdempotencyConflict,
      OrderRateLimited,
      TooManyOpenOrders,
      DuplicateClientOrderId,
      OutcomeUnknown,
      PositionNotFound,
      TradingHalted,
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
      QuoteNotFound,
      QuoteExpired,
      QuoteUsed,
      QuoteMismatch,
      WalletFrozen,
      WalletClosed,
      LedgerConflict,
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
      QuantityExceedsPosition,
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
      "Responds once the order is stored: status PENDING. With awaitClosed it waits up to 1 s for FILLED, REJECTED, EXPIRED or CANCELLED, and returns the state at that time. If the venue rejects the order, this call succeeds with a REJECTED order; if the gateway refuses it before sending, the call fails and nothing is stored.",
      "",
      "Give an idempotencyKey (or the header Idempotency-Key, or clientOrderId) to make a repeat harmless: the same request returns the existing order with the header `Idempotency-Replayed: true`, a different one 409 -110006.",
      "",
      "takeProfit… and stopLoss… place exits with an entry: they wait for its fills, grow with them, and an execution of one cancels the other. With a TAKE_PROFIT or STOP_LOSS order they form a pair of exits. The other orders are returned in `linkedOrders`; all are stored in one transaction.",
      "",
      "Triggers follow the last trade. A LIMIT price more than twice (BUY) or less than half (SELL) of it, or of its own stopPrice, is refused if the gateway knows such a price: -111004. The header `Server-Timing` has the times at which the request was checked, stored and sent.",
    ].join("\n"),
  )
