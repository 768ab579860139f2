/** Orders that are there, and what is asked of them. */
import { Schema } from "effect"
import { TradeOrderId } from "../ids.ts"

export class OrderNotFound extends Schema.TaggedError<OrderNotFound>()("OrderNotFound", {}) {
  override message = "Trade order not found"
}

export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()("IdempotencyConflict", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Idempotency key reused with a different order"
}

export class DuplicateClientOrderId extends Schema.TaggedError<DuplicateClientOrderId>()("DuplicateClientOrderId", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Duplicate client order id"
}

export class OrderClosed extends Schema.TaggedError<OrderClosed>()("OrderClosed", { status: Schema.String }) {
  override message = "Order already closed"
}

/** It is on its way, in doubt, or something else about it is under way: ask again in a moment. */
export class OrderNotChangeable extends Schema.TaggedError<OrderNotChangeable>()("OrderNotChangeable", {
  reason: Schema.String,
}) {
  override message = "Order cannot be changed now"
}

export class ChangeRejected extends Schema.TaggedError<ChangeRejected>()("ChangeRejected", {
  reason: Schema.String,
}) {
  override message = "Change rejected by venue"
}

export class CancelRejected extends Schema.TaggedError<CancelRejected>()("CancelRejected", { reason: Schema.String }) {
  override message = "Cancel rejected by venue"
}

/** The answer did not come in time, or storage was lost: the order may or may not exist. Ask by id or repeat with the same key. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  tradeOrderId: Schema.NullOr(TradeOrderId),
}) {
  override message = "Order outcome unknown"
}

export class PositionNotFound extends Schema.TaggedError<PositionNotFound>()("PositionNotFound", {}) {
  override message = "Position not found"
}
