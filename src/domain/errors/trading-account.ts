/** Trading accounts: their existence, state and funds. */
import { Schema } from "effect"
import { CredentialId, TradeOrderId } from "../ids.ts"
import { Failure } from "./failure.ts"

export class TradingAccountNotFound extends Failure<TradingAccountNotFound>()("TradingAccountNotFound", {}) {
  override message = "Trading account not found"
}

export class ExternalAccountTaken extends Failure<ExternalAccountTaken>()("ExternalAccountTaken", {}) {
  override message = "External account already connected by another user"
}

export class AccountNotActive extends Failure<AccountNotActive>()("AccountNotActive", {
  status: Schema.String,
}) {
  override message = "Trading account not active"
}

export class AccountDisconnected extends Failure<AccountDisconnected>()("AccountDisconnected", {}) {
  override message = "Trading account disconnected"
}

export class CredentialsRequired extends Failure<CredentialsRequired>()("CredentialsRequired", {}) {
  override message = "Credentials required"
}

export class ExternalAccountNotVisible extends Failure<ExternalAccountNotVisible>()("ExternalAccountNotVisible", {
  /** The one that opens another account. */
  credentialId: Schema.optional(CredentialId),
}) {
  override message = "External account not visible with these credentials"
}

/**
 * RECONCILING: it reads its orders and balances from the venue now. VENUE_UNREACHABLE: the venue does not answer, or its stream is interrupted.
 * STOPPED: the gateway has failed at it again and again, and does nothing for it until an operator starts the gateway anew.
 */
const AwayReason = Schema.Literal("RECONCILING", "VENUE_UNREACHABLE", "STOPPED")
export type AwayReason = typeof AwayReason.Type

/** The account cannot take new orders until it agrees with its venue, or at all; nothing was stored. */
export class AccountReconciling extends Failure<AccountReconciling>()("AccountReconciling", {
  reason: AwayReason,
}) {
  override message = "Trading account reconciling"
}

/** `max` live accounts of one user, each an actor, rows and a session of its own; those at the internal venue are wallets too. */
export class TooManyAccounts extends Failure<TooManyAccounts>()("TooManyAccounts", {
  max: Schema.Int,
  setting: Schema.Literal("ACCOUNTS_MAX", "INTERNAL_ACCOUNTS_MAX"),
}) {
  override message =
    `Too many connected trading accounts${this.setting === "ACCOUNTS_MAX" ? "" : " at the internal venue"}: at most ${this.max}`
}

/** What is asked for is not done with accounts of this kind: only accounts on INTERNAL take quotes, and a dealer's own stays connected. */
export class AccountUnsupported extends Failure<AccountUnsupported>()("AccountUnsupported", {
  reason: Schema.String,
}) {
  override message = "Operation not supported on this account type"
}

/** Orders may still be live at the venue, or what they executed is not known: nothing was wiped, the account stays LOCKED and keeps trying. */
export class DisconnectIncomplete extends Failure<DisconnectIncomplete>()("DisconnectIncomplete", {
  tradeOrderIds: Schema.Array(TradeOrderId),
}) {
  override message = "Disconnect incomplete"
}

export class PortfolioUnavailable extends Failure<PortfolioUnavailable>()("PortfolioUnavailable", {}) {
  override message = "Portfolio unavailable"
}
