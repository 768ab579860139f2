/** Too many requests, logins, orders, quotes or sockets. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

/** How a bucket of RATE_LIMITS stands that had no more; all of them but the gate of password hashing name it. */
const AsItStands = {
  /** So many in `windowSeconds` in the long run; of what is no rate, at once. */
  limit: Schema.Int,
  windowSeconds: Schema.optional(Schema.Int),
  /** Tokens of a full bucket. */
  burst: Schema.optional(Schema.Int),
  remaining: Schema.Int,
  /** Until the bucket is full again. */
  resetMs: Schema.Int,
  /** Until it has as much as was asked for. */
  retryAfterSeconds: Schema.Int,
}

export class RateLimited extends Failure<RateLimited>()("RateLimited", {
  bucket: Schema.optional(Schema.String),
  limit: Schema.optional(Schema.Int),
  windowSeconds: Schema.optional(Schema.Int),
  burst: Schema.optional(Schema.Int),
  remaining: Schema.optional(Schema.Int),
  resetMs: Schema.optional(Schema.Int),
  retryAfterSeconds: Schema.Int,
}) {
  override message = "Too many requests"
}

/** Of an account, or from an address; the password was not looked at. */
export class LoginRateLimited extends Failure<LoginRateLimited>()("LoginRateLimited", {
  bucket: Schema.String,
  ...AsItStands,
}) {
  override message = "Too many login attempts"
}

export class OrderRateLimited extends Failure<OrderRateLimited>()("OrderRateLimited", {
  /** Of RATE_LIMITS. */
  bucket: Schema.Literal("orderSubmit", "orderSubmitUser", "orderCancel"),
  ...AsItStands,
}) {
  override message = "Order rate limit"
}

/**
 * `openQuotes`: too many are outstanding, of the dealer, or of this user or account of it. `uncoveredQuotes`: of those that
 * their clients could not pay for.
 */
export class QuoteRateLimited extends Failure<QuoteRateLimited>()("QuoteRateLimited", {
  bucket: Schema.Literal("quoteRequest", "quoteRequestUser", "openQuotes", "uncoveredQuotes"),
  ...AsItStands,
}) {
  override message = "Quote rate limit"
}

/** Sockets of one user or of one address. */
export class TooManyConnections extends Failure<TooManyConnections>()("TooManyConnections", {
  limit: Schema.Int,
}) {
  override message = "Too many connections"
}

export class TooManyOpenOrders extends Failure<TooManyOpenOrders>()("TooManyOpenOrders", {
  limit: Schema.Int,
}) {
  override message = "Too many open orders"
}
