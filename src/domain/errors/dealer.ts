/** Dealers and their linked accounts. */
import { Schema } from "effect"
import { TradeOrderId } from "../ids.ts"
import { Failure } from "./failure.ts"

export class DealerNotFound extends Failure<DealerNotFound>()("DealerNotFound", {}) {
  override message = "Dealer not found"
}

export class DealerPaused extends Failure<DealerPaused>()("DealerPaused", {}) {
  override message = "Dealer paused"
}

export class DealerArchived extends Failure<DealerArchived>()("DealerArchived", {}) {
  override message = "Dealer archived"
}

/** Quotes that bind, exposure that is not hedged, or hedges at work. */
export class DealerHasPositions extends Failure<DealerHasPositions>()("DealerHasPositions", {
  openQuotes: Schema.Int,
}) {
  override message = "Dealer has open positions"
}

/** It was changed after it was read: the requested change would silently undo that. Read it again. */
export class DealerChanged extends Failure<DealerChanged>()("DealerChanged", {
  /** Of the dealer as it is now. */
  updatedAt: Schema.Int,
}) {
  override message = "Dealer changed since it was read"
}

export class AccountAlreadyLinked extends Failure<AccountAlreadyLinked>()("AccountAlreadyLinked", {}) {
  override message = "Account already linked"
}

/** Its venue is of another environment than those of the accounts that are linked already. */
export class AccountOfAnotherEnvironment extends Failure<AccountOfAnotherEnvironment>()("AccountOfAnotherEnvironment", {
  venue: Schema.String,
  environment: Schema.String,
  /** Of the linked accounts, or of those that what is open was priced at. */
  linked: Schema.String,
  reason: Schema.String,
}) {
  override message = "Account of another environment than the dealer's linked accounts"
}

export class AccountNotLinked extends Failure<AccountNotLinked>()("AccountNotLinked", {}) {
  override message = "Account not linked"
}

export class AccountHasHedges extends Failure<AccountHasHedges>()("AccountHasHedges", {
  /** Hedges at work there, or in doubt; absent or empty: exposure that was priced there is open. */
  tradeOrderIds: Schema.optional(Schema.Array(TradeOrderId)),
}) {
  override message = "Account has open hedges"
}

/** Its venue says what it executed, and is believed. */
export class HedgeNotInDoubt extends Failure<HedgeNotInDoubt>()("HedgeNotInDoubt", {
  tradeOrderId: TradeOrderId,
}) {
  override message = "Hedge is not in doubt"
}
