/** Why a valid order is not accepted: funds, prices far from the market, the trading mode. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class InsufficientBalance extends Failure<InsufficientBalance>()("InsufficientBalance", {
  asset: Schema.String,
  required: Schema.String,
  available: Schema.String,
  /** What the funds are needed for, where that is not the order itself. */
  reason: Schema.optional(Schema.String),
}) {
  override message = "Insufficient balance"
}

/** More than twice, or less than half, of the price it is measured by: a digit too many or too few. */
export class PriceOutsideCollar extends Failure<PriceOutsideCollar>()("PriceOutsideCollar", {
  parameter: Schema.String,
  reference: Schema.String,
}) {
  override message = "Price outside collar"
}

/** The operator's mode takes no such request now; cancels are always taken. */
export class TradingHalted extends Failure<TradingHalted>()("TradingHalted", {
  tradingMode: Schema.String,
}) {
  override message = "Trading halted"
}

export class LeverageNotAllowed extends Failure<LeverageNotAllowed>()("LeverageNotAllowed", {
  /** As it was given. */
  leverage: Schema.Int,
  max: Schema.Int,
}) {
  override message = "Leverage not allowed"
}
