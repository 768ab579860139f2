/** How many orders an account and its user may send, cancel and have working, and how many quotes may be asked for (contract C15). Each number is a setting. */
import { Context } from "effect"
import type { Rate } from "../../foundation/token-bucket.ts"

export interface OrderLimits {
  /** Submits and changes. */
  readonly orderSubmit: Rate
  /** The same of one user, over all accounts: more of them are no greater share of the machine. */
  readonly orderSubmitUser: Rate
  /** Cancels have a bucket of their own, which submits never empty. */
  readonly orderCancel: Rate
  /** Orders of an account that are not over. */
  readonly openOrders: number
  /** Requests of one user to one dealer. */
  readonly quoteRequest: Rate
  /** Of one user, to all dealers. */
  readonly quoteRequestUser: Rate
  /** Firm quotes of a dealer that are not over. */
  readonly openQuotes: number
  /** Those of one user among them, over all accounts. */
  readonly openQuotesPerUser: number
  /** Those of one trading account among them. */
  readonly openQuotesPerClient: number
}

export const ORDER_LIMITS: OrderLimits = {
  orderSubmit: { perSecond: 50, burst: 100 },
  orderSubmitUser: { perSecond: 100, burst: 200 },
  orderCancel: { perSecond: 100, burst: 200 },
  openOrders: 500,
  quoteRequest: { perSecond: 10, burst: 20 },
  quoteRequestUser: { perSecond: 20, burst: 40 },
  openQuotes: 1_000,
  openQuotesPerUser: 100,
  openQuotesPerClient: 100,
}

/** The limits of this process; `null`: none. Without a word of the composition root those of the contract. */
export class OrderLimitsInForce extends Context.Reference<OrderLimitsInForce>()("domain/OrderLimitsInForce", {
  defaultValue: (): OrderLimits | null => ORDER_LIMITS,
}) {}
