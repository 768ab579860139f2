/** An order that is not well made, or not for this instrument. */
import { Schema } from "effect"

export class UnsupportedOrderType extends Schema.TaggedError<UnsupportedOrderType>()("UnsupportedOrderType", {
  orderType: Schema.NullOr(Schema.String),
}) {
  override message = "Unsupported order type"
}

export class InvalidOrderSide extends Schema.TaggedError<InvalidOrderSide>()("InvalidOrderSide", {}) {
  override message = "Invalid order side"
}

export class LimitPriceRequired extends Schema.TaggedError<LimitPriceRequired>()("LimitPriceRequired", {}) {
  override message = "limitPrice required"
}

export class StopPriceRequired extends Schema.TaggedError<StopPriceRequired>()("StopPriceRequired", {
  /** Where the trigger goes, if it was given somewhere else. */
  reason: Schema.optional(Schema.String),
}) {
  override message = "stopPrice required"
}

export class ParameterNotAllowed extends Schema.TaggedError<ParameterNotAllowed>()("ParameterNotAllowed", {
  parameter: Schema.String,
  /** What to give in its place. */
  reason: Schema.optional(Schema.String),
}) {
  override message = "Parameter not allowed for this order type"
}

export class IncompleteExits extends Schema.TaggedError<IncompleteExits>()("IncompleteExits", {
  missing: Schema.String,
}) {
  override message = "Incomplete take-profit / stop-loss"
}

export class QuoteIdRequired extends Schema.TaggedError<QuoteIdRequired>()("QuoteIdRequired", {}) {
  override message = "quoteId required"
}

/** The market is there already: what the order waits for has happened. */
export class WouldTriggerImmediately extends Schema.TaggedError<WouldTriggerImmediately>()("WouldTriggerImmediately", {
  stopPrice: Schema.String,
  lastPrice: Schema.String,
}) {
  override message = "Order would trigger immediately"
}

/** Exits of a BUY: stop-loss < price < take-profit; of a SELL the other way round. */
export class InvalidPriceRelation extends Schema.TaggedError<InvalidPriceRelation>()("InvalidPriceRelation", {
  parameter: Schema.String,
  reference: Schema.String,
}) {
  override message = "Invalid price relation of contingent legs"
}

export class ContingentUnsupported extends Schema.TaggedError<ContingentUnsupported>()("ContingentUnsupported", {}) {
  override message = "Contingent orders unsupported here"
}

export class InvalidTrailingDistance extends Schema.TaggedError<InvalidTrailingDistance>()(
  "InvalidTrailingDistance",
  {},
) {
  override message = "Trailing distance missing or out of range"
}

export class InvalidTimeInForce extends Schema.TaggedError<InvalidTimeInForce>()("InvalidTimeInForce", {}) {
  override message = "Invalid timeInForce"
}

export class UnsupportedTimeInForce extends Schema.TaggedError<UnsupportedTimeInForce>()("UnsupportedTimeInForce", {
  timeInForce: Schema.String,
  supported: Schema.Array(Schema.String),
}) {
  override message = "Unsupported timeInForce"
}

export class ExpireAtRequired extends Schema.TaggedError<ExpireAtRequired>()("ExpireAtRequired", {}) {
  override message = "expireAt required"
}

export class InvalidExpireAt extends Schema.TaggedError<InvalidExpireAt>()("InvalidExpireAt", {
  expireAt: Schema.Int,
  reason: Schema.String,
}) {
  override message = "Invalid expireAt"
}

export class TimeInForceNotAllowed extends Schema.TaggedError<TimeInForceNotAllowed>()("TimeInForceNotAllowed", {
  timeInForce: Schema.String,
}) {
  override message = "timeInForce not allowed for this type"
}

export class QuantityBelowMinimum extends Schema.TaggedError<QuantityBelowMinimum>()("QuantityBelowMinimum", {
  minQuantity: Schema.String,
}) {
  override message = "Quantity below minimum"
}

export class InvalidQuantityPrecision extends Schema.TaggedError<InvalidQuantityPrecision>()(
  "InvalidQuantityPrecision",
  { step: Schema.String },
) {
  override message = "Invalid quantity precision"
}

export class InvalidQuantityRatio extends Schema.TaggedError<InvalidQuantityRatio>()("InvalidQuantityRatio", {}) {
  override message = "Invalid quantity ratio"
}

export class InvalidPricePrecision extends Schema.TaggedError<InvalidPricePrecision>()("InvalidPricePrecision", {
  parameter: Schema.String,
  step: Schema.String,
}) {
  override message = "Invalid price precision"
}

export class QuantityAboveMaximum extends Schema.TaggedError<QuantityAboveMaximum>()("QuantityAboveMaximum", {
  maxQuantity: Schema.String,
}) {
  override message = "Quantity above maximum"
}

export class NotionalBelowMinimum extends Schema.TaggedError<NotionalBelowMinimum>()("NotionalBelowMinimum", {
  minNotional: Schema.String,
}) {
  override message = "Notional below minimum"
}
