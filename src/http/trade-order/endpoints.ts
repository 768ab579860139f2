/** Trade orders: submit, cancel, get, list (specification, Submit order and List orders; contract C1, C2). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { PositiveDecimalText } from "../../domain/decimal.ts"
import { AccountForbidden, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { OrderRateLimited } from "../../domain/errors/limits.ts"
import {
  InstrumentDelisted,
  InstrumentNotFound,
  InstrumentNotTradable,
  InvalidInstrumentId,
} from "../../domain/errors/market.ts"
import {
  InvalidPricePrecision,
  InvalidPriceRelation,
  InvalidQuantityPrecision,
  NotionalBelowMinimum,
  ParameterNotAllowed,
  QuantityAboveMaximum,
  QuantityBelowMinimum,
  WouldTriggerImmediately,
} from "../../domain/errors/order-parameters.ts"
import {
  ConflictingParameters,
  InvalidCursor,
  InvalidParameter,
  InvalidTimeRange,
  MissingParameter,
} from "../../domain/errors/request.ts"
import { InsufficientBalance, PriceOutsideCollar, TradingHalted } from "../../domain/errors/risk.ts"
import {
  CancelRejected,
  ChangeRejected,
  OrderClosed,
  OrderNotChangeable,
  OrderNotFound,
  OutcomeUnknown,
} from "../../domain/errors/trade-order.ts"
import {
  AccountDisconnected,
  AccountNotActive,
  AccountReconciling,
  TradingAccountNotFound,
} from "../../domain/errors/trading-account.ts"
import { ExperimentalVenue, VenueInactive } from "../../domain/errors/venue.ts"
import { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { OrderStatus } from "../../domain/order/status.ts"
import { OrderKey } from "../../domain/order/submit-request.ts"
import { TradeOrderRecord } from "../../domain/order/trade-order-record.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, Deadline, Query } from "../edge/route.ts"
import { Ask, InstrumentText, optional, text } from "../edge/wire-text.ts"
import { doubt, submit } from "./submit-endpoint.ts"

/** A day: a switch that is set for longer is none. */
const CANCEL_ALL_AFTER_MAX = 86_400_000

export const StatusWord = Schema.Literal(
  ...OrderStatus.literals,
  // The words that only the narrative has; the others mean the same in both.
  "PENDING",
  "OPEN",
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
      OrderRateLimited,
      OutcomeUnknown,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, doubt)
  .annotate(OpenApi.Summary, "Cancel an order")
  .annotate(
    OpenApi.Description,
    "Responds after the venue's answer or 1 s, whichever is first. An order already cancelled is returned as it is; for one that is filled, rejected or expired the answer is 400 -110011.",
  )

const replace = HttpApiEndpoint.post("replace", "/api/v3/tradeOrder/replace")
  .setPayload(
    Schema.Struct({
      tradingAccountId: TradingAccountId,
      ...orderName,
      quantity: optional(PositiveDecimalText).annotations({
        description: "The new total quantity in base, including what is already executed",
      }),
      limitPrice: optional(PositiveDecimalText),
      stopPrice: optional(PositiveDecimalText),
    }).annotations({ identifier: "ReplaceOrder" }),
  )
  .addSuccess(Ok(TradeOrderRecord))
  .addError(
    Fail(
      MissingParameter,
      ConflictingParameters,
      TradingAccountNotFound,
      AccountForbidden,
      AccountDisconnected,
      AccountNotActive,
      AccountReconciling,
      InsufficientPermissions,
      VenueInactive,
      ExperimentalVenue,
      OrderRateLimited,
      OrderNotFound,
      OrderClosed,
      OrderNotChangeable,
      ChangeRejected,
      InstrumentNotFound,
      InstrumentDelisted,
      InstrumentNotTradable,
      TradingHalted,
      InsufficientBalance,
      ParameterNotAllowed,
      InvalidPriceRelation,
      WouldTriggerImmediately,
      PriceOutsideCollar,
      QuantityBelowMinimum,
      QuantityAboveMaximum,
      InvalidQuantityPrecision,
      InvalidPricePrecision,
      NotionalBelowMinimum,
      OutcomeUnknown,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, doubt)
  .annotate(OpenApi.Summary, "Change an order")
  .annotate(
    OpenApi.Description,
    [
      "Extension. Omitted fields do not change. Responds after the venue's answer or 1 s, whichever is first, with the order that is in force then.",
      "",
      "If the venue can amend working orders, the order keeps its id. Otherwise it is cancelled (cancelReason REPLACED) and a new order for the remaining quantity replaces it: its `replacesTradeOrderId` names the old one, and it is placed only once the executed quantity of the old order is certain. If the new quantity is already executed, the order ends. An order waiting for its trigger or its entry is changed immediately.",
    ].join("\n"),
  )

const TradeOrderIds = Schema.Array(TradeOrderId)

const cancelAll = HttpApiEndpoint.post("cancelAll", "/api/v3/tradeOrder/cancelAll")
  .setPayload(
    Schema.Struct({ tradingAccountId: TradingAccountId, instrumentId: optional(InstrumentText) }).annotations({
      identifier: "CancelAllOrders",
    }),
  )
  .addSuccess(
    Ok(
      Schema.Struct({
        cancelled: TradeOrderIds,
        pending: TradeOrderIds.annotations({ description: "Requested; not yet confirmed by the venue" }),
        failed: TradeOrderIds.annotations({ description: "Closed before the cancel, or the venue refused it" }),
      }).annotations({ identifier: "CancelledOrders" }),
    ),
  )
  .addError(
    Fail(
      TradingAccountNotFound,
      AccountForbidden,
      AccountDisconnected,
      InvalidInstrumentId,
      OrderRateLimited,
      OutcomeUnknown,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, doubt)
  .annotate(OpenApi.Summary, "Cancel all orders")
  .annotate(
    OpenApi.Description,
    "Extension: all orders of the account, or those of one instrument. Responds when each order has its answer, or after 1 s, with the ids by result; pending cancels continue.",
  )

const cancelAllAfter = HttpApiEndpoint.post("cancelAllAfter", "/api/v3/tradeOrder/cancelAllAfter")
  .setPayload(
    Schema.Struct({
      tradingAccountId: TradingAccountId,
      timeoutMs: Schema.Int.pipe(Schema.between(0, CANCEL_ALL_AFTER_MAX)).annotations({ description: "0 = off" }),
    }).annotations({ identifier: "CancelAllAfter" }),
  )
  .addSuccess(
    Ok(
      Schema.Struct({
        tradingAccountId: TradingAccountId,
        cancelAllAt: Schema.NullOr(Schema.Int).annotations({ description: "ms; null = off" }),
        cancelAllAtDateTime: Schema.NullOr(Schema.String),
      }).annotations({ identifier: "DeadManSwitch" }),
    ),
  )
  .addError(
    Fail(
      TradingAccountNotFound,
      AccountForbidden,
      AccountDisconnected,
      AccountNotActive,
      OrderRateLimited,
      OutcomeUnknown,
    ),
  )
  .annotate(Access, "write")
  .annotate(Deadline, doubt)
  .annotate(OpenApi.Summary, "Cancel all orders after a timeout")
  .annotate(
    OpenApi.Description,
    "Extension, a dead man's switch: every order of the account is cancelled (cancelReason DEAD_MAN_SWITCH) at the returned time unless this is called again before. Call it every few seconds with a timeout several times as long. The switch is stored: a gateway that was down at that time cancels as soon as it is up again. It fires once and is then off.",
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
  .annotate(
    OpenApi.Description,
    "Extension: one order in its current state with all of its executions, by tradeOrderId, or by clientOrderId.",
  )

const list = HttpApiEndpoint.get("list", "/api/v3/tradeOrder/list")
  .setUrlParams(
    Query({
      tradeOrderId: Schema.optional(TradeOrderId),
      clientOrderId: Schema.optional(OrderKey),
      orderListId: Schema.optional(text(64)).annotations({
        description: "The children of a contingent order, or both legs of a pair without a parent",
      }),
      orderStatus: Schema.optional(StatusWord).annotations({
        description:
          "OPEN, PENDING and CANCELLED select every state displayed under that name; formal states match exactly",
      }),
      status: Schema.optional(StatusWord).annotations({ description: "The reference's name for orderStatus" }),
      tradingAccountId: Schema.optional(TradingAccountId),
      userId: Ask.userId,
      instrumentId: Schema.optional(InstrumentText),
      startTime: Schema.optional(Schema.Int).annotations({ description: "createdAt from here on, ms, inclusive" }),
      endTime: Schema.optional(Schema.Int).annotations({ description: "createdAt up to here, ms, inclusive" }),
      updatedSince: Schema.optional(Schema.Int).annotations({
        description:
          "Extension: updatedAt from here on, ms, inclusive; includes archived orders. The list is still sorted by createdAt, so an order that changes while you page appears on exactly one page. A change becomes visible once stored, slightly after its updatedAt: query from about 10 s before the newest that you have",
      }),
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
      InsufficientPermissions,
      InvalidCursor,
      InvalidParameter,
      InvalidTimeRange,
      ConflictingParameters,
    ),
  )
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List orders")
  .annotate(OpenApi.Description, "Your orders, newest first, of one account or of all. Admins may give userId.")

export class TradeOrderApi extends HttpApiGroup.make("tradeOrder")
  .add(submit)
  .add(cancel)
  .add(replace)
  .add(cancelAll)
  .add(cancelAllAfter)
  .add(get)
  .add(list)
  .annotate(OpenApi.Title, "Trade orders")
  .annotate(OpenApi.Description, "Orders: stored before they are sent, never sent twice, never lost.") {}
