/**
 * An account's limits (contract C15): rates of submits and changes, per account and per user, the rate of cancels, and the number of working
 * orders.
 */

import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { OrderRateLimited, TooManyOpenOrders } from "../../../domain/errors/limits.ts"
import type { AccountRates, OrderRates } from "../../../domain/order/rates.ts"
import type { TokenBucket } from "../../../foundation/token-bucket.ts"

type BucketName = OrderRateLimited["bucket"]

const taken = (name: BucketName, bucket: TokenBucket, now: number): DomainError | null => {
  const wait = bucket.take(now)
  if (wait === 0) return null
  return new OrderRateLimited({ bucket: name, ...bucket.state(now), retryAfterSeconds: Math.ceil(wait / 1_000) })
}

export class AccountLimits {
  constructor(
    private readonly rates: OrderRates | null,
    private readonly account: Pick<TradingAccount, "tradingAccountId" | "userId">,
    private readonly now: () => number,
  ) {}

  /** `openOrders`: those of the account that are not over. A dealer hedges whatever else its linked account's user does. */
  submitError(openOrders: number, isHedge: boolean, counted?: (submits: number) => void): DomainError | null {
    const { rates } = this
    if (rates === null) return null
    const now = this.now()
    const own = this.own(rates, now)
    const error = this.takeSubmit(rates, own, now, isHedge)
    if (error !== null) return error
    const submits = own.count(now)
    counted?.(submits)
    return this.openError(openOrders)
  }

  /** From the account's bucket and its user's, or from neither. */
  private takeSubmit(rates: OrderRates, own: AccountRates, now: number, isHedge: boolean): DomainError | null {
    const error = taken("orderSubmit", own.submits, now)
    const { userId } = this.account
    if (error !== null || isHedge || userId === null) return error
    const usersError = taken("orderSubmitUser", rates.submitsOf(userId, now), now)
    if (usersError !== null) own.submits.giveBack(now)
    return usersError
  }

  /** Of a submit that has been counted and has waited since. */
  openError(openOrders: number): DomainError | null {
    const { rates } = this
    if (rates === null) return null
    const { openOrders: limit } = rates.limits
    return openOrders >= limit ? new TooManyOpenOrders({ limit }) : null
  }

  /** Of one change of an order. */
  changeError(): DomainError | null {
    const { rates } = this
    if (rates === null) return null
    const now = this.now()
    return this.takeSubmit(rates, this.own(rates, now), now, false)
  }

  cancelError(): DomainError | null {
    const { rates } = this
    if (rates === null) return null
    const now = this.now()
    return taken("orderCancel", this.own(rates, now).cancels, now)
  }

  /** Looked up each time: a bucket unused for a while is dropped. */
  private own(rates: OrderRates, now: number): AccountRates {
    return rates.ofAccount(this.account.tradingAccountId, this.account.userId, now)
  }
}
