/** Instruments, market data, and subscriptions to it. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class InstrumentNotFound extends Failure<InstrumentNotFound>()("InstrumentNotFound", {
  instrumentId: Schema.String,
}) {
  override message = "Instrument not found"
}

export class InvalidInstrumentId extends Failure<InvalidInstrumentId>()("InvalidInstrumentId", {
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
export class InstrumentNotTradable extends Failure<InstrumentNotTradable>()("InstrumentNotTradable", {
  reason: Schema.String,
}) {
  override message = "Instrument not tradable"
}

/** Its venue lists it no more: neither market data nor orders, until an instrument sync finds it listed again. */
export class InstrumentDelisted extends Failure<InstrumentDelisted>()("InstrumentDelisted", {
  instrumentId: Schema.String,
}) {
  override message = "Instrument delisted by its venue"
}

export class InvalidInterval extends Failure<InvalidInterval>()("InvalidInterval", {
  interval: Schema.String,
}) {
  override message = "Invalid interval"
}

export class InvalidDepth extends Failure<InvalidDepth>()("InvalidDepth", {}) {
  override message = "Invalid depth"
}

export class OrderBookUnavailable extends Failure<OrderBookUnavailable>()("OrderBookUnavailable", {
  instrumentId: Schema.String,
  /** There is one, and what was asked for lies beyond what is known of it. */
  reason: Schema.optional(Schema.Literal("BEYOND_COVERED_RANGE")),
}) {
  override message = "Order book not available"
}

export class TickerUnavailable extends Failure<TickerUnavailable>()("TickerUnavailable", {
  instrumentId: Schema.String,
}) {
  override message = "Ticker not available"
}

export class SyncRunning extends Failure<SyncRunning>()("SyncRunning", {}) {
  override message = "Sync already running"
}

export class SubscriptionNotFound extends Failure<SubscriptionNotFound>()("SubscriptionNotFound", {}) {
  override message = "Subscription not found"
}

export class SubscriptionLimit extends Failure<SubscriptionLimit>()("SubscriptionLimit", {
  limit: Schema.Int,
}) {
  override message = "Subscription limit"
}
