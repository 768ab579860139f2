/** An order that is invalid, or invalid for this instrument. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class UnsupportedOrderType extends Failure<UnsupportedOrderType>()("UnsupportedOrderType", {
  orderType: Schema.NullOr(Schema.String),
}) {
  override message = "Unsupported order type"
}

export class InvalidOrderSide extends Failure<InvalidOrderSide>()("InvalidOrderSide", {}) {
  override message = "Invalid order side"
}

export class LimitPriceRequired extends Failure<LimitPriceRequired>()("LimitPriceRequired", {}) {
  override message = "limitPrice required"
}

export class StopPriceRequired extends Failure<StopPriceRequired>()("StopPriceRequired", {
  /** Where the trigger goes, if it was given somewhere else. */
  reason: Schema.optional(Schema.String),
}) {
  override message = "stopPrice required"
}

export class ParameterNotAllowed extends Failure<ParameterNotAllowed>()("ParameterNotAllowed", {
  parameter: Schema.String,
  /** What to give in its place. */
  reason: Schema.optional(Schema.String),
}) {
  override message = "Parameter not allowed for this order type"
}

export class IncompleteExits extends Failure<IncompleteExits>()("IncompleteExits", {
  missing: Schema.String,
}) {
  override message = "Incomplete take-profit / stop-loss"
}

export class QuoteIdRequired extends Failure<QuoteIdRequired>()("QuoteIdRequired", {}) {
  override message = "quoteId required"
}

/** The market is there already: what the order waits for has happened. */
export class WouldTriggerImmediately extends Failure<WouldTriggerImmediately>()("WouldTriggerImmediately", {
  stopPrice: Schema.String,
  lastPrice: Schema.String,
}) {
  override message = "Order would trigger immediately"
}

/** Exits of a BUY: stop-loss < price < take-profit; of a SELL the other way round. */
export class InvalidPriceRelation extends Failure<InvalidPriceRelation>()("InvalidPriceRelation", {
  parameter: Schema.String,
  reference: Schema.String,
}) {
  override message = "Invalid price relation of contingent legs"
}

export class ContingentUnsupported extends Failure<ContingentUnsupported>()("ContingentUnsupported", {}) {
  override message = "Contingent orders unsupported here"
}

export class InvalidTrailingDistance extends Failure<InvalidTrailingDistance>()("InvalidTrailingDistance", {}) {
  override message = "Trailing distance missing or out of range"
}

export class InvalidTimeInForce extends Failure<InvalidTimeInForce>()("InvalidTimeInForce", {}) {
  override message = "Invalid timeInForce"
}

export class UnsupportedTimeInForce extends Failure<UnsupportedTimeInForce>()("UnsupportedTimeInForce", {
  timeInForce: Schema.String,
  supported: Schema.Array(Schema.String),
}) {
  override message = "Unsupported timeInForce"
}

export class ExpireAtRequired extends Failure<ExpireAtRequired>()("ExpireAtRequired", {}) {
  override message = "expireAt required"
}

export class InvalidExpireAt extends Failure<InvalidExpireAt>()("InvalidExpireAt", {
  expireAt: Schema.Int,
  reason: Schema.String,
}) {
  override message = "Invalid expireAt"
}

export class TimeInForceNotAllowed extends Failure<TimeInForceNotAllowed>()("TimeInForceNotAllowed", {
  timeInForce: Schema.String,
}) {
  override message = "timeInForce not allowed for this type"
}

export class QuantityBelowMinimum extends Failure<QuantityBelowMinimum>()("QuantityBelowMinimum", {
  minQuantity: Schema.String,
}) {
  override message = "Quantity below minimum"
}

export class InvalidQuantityPrecision extends Failure<InvalidQuantityPrecision>()("InvalidQuantityPrecision", {
  step: Schema.String,
}) {
  override message = "Invalid quantity precision"
}

export class InvalidQuantityRatio extends Failure<InvalidQuantityRatio>()("InvalidQuantityRatio", {}) {
  override message = "Invalid quantity ratio"
}

/** The order names a position that it would not make smaller, or by more than is open. */
export class QuantityExceedsPosition extends Failure<QuantityExceedsPosition>()("QuantityExceedsPosition", {
  /** What is open, in the base asset; below zero: short. */
  open: Schema.String,
}) {
  override message = "Quantity exceeds position"
}

export class InvalidPricePrecision extends Failure<InvalidPricePrecision>()("InvalidPricePrecision", {
  parameter: Schema.String,
  step: Schema.String,
}) {
  override message = "Invalid price precision"
}

export class QuantityAboveMaximum extends Failure<QuantityAboveMaximum>()("QuantityAboveMaximum", {
  maxQuantity: Schema.String,
}) {
  override message = "Quantity above maximum"
}

export class NotionalBelowMinimum extends Failure<NotionalBelowMinimum>()("NotionalBelowMinimum", {
  minNotional: Schema.String,
}) {
  override message = "Notional below minimum"
}
