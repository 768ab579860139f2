/** Existing orders, and requests about them. */
import { Schema } from "effect"
import { TradeOrderId } from "../ids.ts"
import { Failure } from "./failure.ts"

export class OrderNotFound extends Failure<OrderNotFound>()("OrderNotFound", {}) {
  override message = "Trade order not found"
}

export class IdempotencyConflict extends Failure<IdempotencyConflict>()("IdempotencyConflict", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Idempotency key reused with a different order"
}

export class DuplicateClientOrderId extends Failure<DuplicateClientOrderId>()("DuplicateClientOrderId", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Duplicate client order id"
}

export class OrderClosed extends Failure<OrderClosed>()("OrderClosed", { status: Schema.String }) {
  override message = "Order already closed"
}

/** It is on its way, in doubt, or something else about it is under way: ask again in a moment. */
export class OrderNotChangeable extends Failure<OrderNotChangeable>()("OrderNotChangeable", {
  reason: Schema.String,
}) {
  override message = "Order cannot be changed now"
}

export class ChangeRejected extends Failure<ChangeRejected>()("ChangeRejected", {
  reason: Schema.String,
}) {
  override message = "Change rejected by venue"
}

export class CancelRejected extends Failure<CancelRejected>()("CancelRejected", { reason: Schema.String }) {
  override message = "Cancel rejected by venue"
}

/** The answer did not come in time, or storage was lost: the order may or may not exist. Ask by id or repeat with the same key. */
export class OutcomeUnknown extends Failure<OutcomeUnknown>()("OutcomeUnknown", {
  tradeOrderId: Schema.NullOr(TradeOrderId),
}) {
  override message = "Order outcome unknown"
}

export class PositionNotFound extends Failure<PositionNotFound>()("PositionNotFound", {}) {
  override message = "Position not found"
}
