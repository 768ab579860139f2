/** Instruments, market data, and subscriptions to it. */
import { Schema } from "effect"

export class InstrumentNotFound extends Schema.TaggedError<InstrumentNotFound>()("InstrumentNotFound", {
  instrumentId: Schema.String,
}) {
  override message = "Instrument not found"
}

export class InvalidInstrumentId extends Schema.TaggedError<InvalidInstrumentId>()("InvalidInstrumentId", {
  /** As it was given. */
  instrumentId: Schema.String,
  form: Schema.String,
  /** The same in the form that is taken, where one can tell. */
  didYouMean: Schema.optional(Schema.String),
  /** Where those that there are stand. */
  list: Schema.String,
}) {
  override message = "Invalid instrumentId"
}

/** A market of INTERNAL that its tenant has retired, or an instrument whose orders mean something else than the gateway would say of them. */
export class InstrumentNotTradable extends Schema.TaggedError<InstrumentNotTradable>()("InstrumentNotTradable", {
  reason: Schema.String,
}) {
  override message = "Instrument not tradable"
}

/** Its venue lists it no more: neither market data nor orders, until an instrument sync finds it listed again. */
export class InstrumentDelisted extends Schema.TaggedError<InstrumentDelisted>()("InstrumentDelisted", {
  instrumentId: Schema.String,
}) {
  override message = "Instrument delisted by its venue"
}

export class InvalidInterval extends Schema.TaggedError<InvalidInterval>()("InvalidInterval", {
  interval: Schema.String,
}) {
  override message = "Invalid interval"
}

export class InvalidDepth extends Schema.TaggedError<InvalidDepth>()("InvalidDepth", {}) {
  override message = "Invalid depth"
}

export class OrderBookUnavailable extends Schema.TaggedError<OrderBookUnavailable>()("OrderBookUnavailable", {
  instrumentId: Schema.String,
  /** There is one, and what was asked for lies beyond what is known of it. */
  reason: Schema.optional(Schema.Literal("BEYOND_COVERED_RANGE")),
}) {
  override message = "Order book not available"
}

export class TickerUnavailable extends Schema.TaggedError<TickerUnavailable>()("TickerUnavailable", {
  instrumentId: Schema.String,
}) {
  override message = "Ticker not available"
}

export class SyncRunning extends Schema.TaggedError<SyncRunning>()("SyncRunning", {}) {
  override message = "Sync already running"
}

export class SubscriptionNotFound extends Schema.TaggedError<SubscriptionNotFound>()("SubscriptionNotFound", {}) {
  override message = "Subscription not found"
}

export class SubscriptionLimit extends Schema.TaggedError<SubscriptionLimit>()("SubscriptionLimit", {
  limit: Schema.Int,
}) {
  override message = "Subscription limit"
}
